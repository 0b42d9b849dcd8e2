//! A session with an editor, message by message.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod kit;

use cp2_debug::{LaunchWishes, serve};
use cp2_session::Setup;
use kit::{FAULT, example, recorded, recorded_with};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _, pipe, sink};
use std::thread::JoinHandle;

/// Kernel that runs for half a million cycles.
const LONG: &str = "
        .kernel long
        seti    g1, 60000
        nop
        nop
        do      g1, last
        nop
        updaddr (r1)+1
        nop
        nop
        updaddr (r2)+1
        nop
last:   nop
        nop
        stopi   0
";

/// Kernel with arrays of each kind of type.
const ARRAY: &str = "
        .kernel array
        .arg    n, g1, min=1
        .array  x, in, float32, 2, 4*n, layout=blocks
        .array  z, in, complex64, 2, layout=s1
        .array  k, in, int32, 2, pack=low
        seti    a0, x
        lwo     f1, (r0)+1
        nop
        nop
        nop
        nop
        stopi   0
        .lmem   all
x:      .complex 0.5, 1.5, -2.0, 3.0
z:      .complex 1.0, -2.5, 4.0, 8.0
k:      .pair   0, 7, 0, -3
";

/// Editor of a session.
struct Editor {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    number: u64,
    server: JoinHandle<std::io::Result<()>>,
}

impl Editor {
    fn new() -> Self {
        let ((theirs, to), (from, answers)) = (pipe().unwrap(), pipe().unwrap());
        let server = std::thread::spawn(move || {
            let mut open = |wishes: &LaunchWishes, is_over: &dyn Fn() -> bool| match &*wishes
                .program
            {
                "axpy.s" => Ok(recorded("axpy.s", &example("axpy.s"))),
                "long.s" => Ok(recorded("long.s", LONG)),
                "fault.s" => Ok(recorded("fault.s", FAULT)),
                "array.s" => Ok(recorded_with("array.s", ARRAY, Setup::default().argument("n", 2))),
                "endless.s" => {
                    while !is_over() {
                        std::thread::yield_now();
                    }
                    Err("the run was ended".to_owned())
                }
                name => Err(format!("{name}: there is no such file")),
            };
            serve(BufReader::new(theirs), answers, &mut open)
        });
        Self { to, from: BufReader::new(from), number: 0, server }
    }

    fn send(&mut self, command: &str, arguments: &Value) {
        self.number += 1;
        let message = json!({
            "seq": self.number, "type": "request", "command": command, "arguments": arguments,
        });
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    }

    fn message(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let length = line.strip_prefix("Content-Length: ").unwrap().trim().parse().unwrap();
        self.from.read_line(&mut line).unwrap();
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Sends a request and returns the answer's body; a refused one gives its sentence.
    fn ask(&mut self, command: &str, arguments: impl Into<Value>) -> Value {
        self.send(command, &arguments.into());
        let answer = self.message();
        assert_eq!(answer["command"], command, "{answer}");
        assert_eq!(answer["request_seq"], self.number, "{answer}");
        match answer["success"] == true {
            true => answer["body"].clone(),
            false => answer["message"].clone(),
        }
    }

    /// Sends a request and returns the body of the event that follows its answer.
    fn event(&mut self, command: &str, arguments: impl Into<Value>, name: &str) -> Value {
        self.ask(command, arguments);
        let event = self.message();
        assert_eq!(event["event"], name, "{event}");
        event["body"].clone()
    }

    fn launched() -> Self {
        let mut editor = Self::new();
        editor.ask("initialize", json!({ "adapterID": "cp2" }));
        editor.event("launch", json!({ "program": "axpy.s" }), "initialized");
        editor
    }

    /// Launches a program and stops at its begin.
    fn at_begin_of(program: &str) -> Self {
        let mut editor = Self::new();
        editor.ask("initialize", json!({ "adapterID": "cp2" }));
        editor.event("launch", json!({ "program": program }), "initialized");
        editor.event("configurationDone", json!({}), "stopped");
        editor
    }

    /// Reads an event of this name.
    fn expect(&mut self, name: &str) -> Value {
        let event = self.message();
        assert_eq!(event["event"], name, "{event}");
        event["body"].clone()
    }

    fn end(mut self) {
        self.event("disconnect", json!({}), "terminated");
        drop(self.to);
        self.server.join().unwrap().unwrap();
    }
}

#[test]
fn breakpoints_steps_and_searches_go_both_ways() {
    let mut editor = Editor::launched();
    let of_lines = json!({
        "source": { "path": "/somewhere/axpy.s" },
        "breakpoints": [{ "line": 14, "condition": "a0 > 100" }, { "line": 99 }, { "line": 2 }],
    });
    let set = editor.ask("setBreakpoints", of_lines);
    assert_eq!(set["breakpoints"][0], json!({ "id": 1, "verified": true, "line": 14 }));
    assert_eq!(set["breakpoints"][1]["verified"], false);
    assert_eq!(set["breakpoints"][2]["line"], 3);
    let entry = editor.event("configurationDone", json!({}), "stopped");
    assert_eq!(entry["reason"], "entry");
    let stopped = editor.event("continue", json!({ "threadId": 1 }), "stopped");
    assert_eq!(
        (&stopped["reason"], &stopped["hitBreakpointIds"]),
        (&"breakpoint".into(), &json!([1]))
    );
    let here = editor.ask("stackTrace", json!({ "threadId": 1 }));
    let name = here["stackFrames"][0]["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("cycle ") && name.contains("axpy.s:14"), "{here}");
    assert_eq!(here["stackFrames"][0]["line"], 14);
    editor.event("next", json!({ "threadId": 1 }), "stopped");
    editor.event("stepBack", json!({ "threadId": 1 }), "stopped");
    let again = editor.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(again["stackFrames"][0]["name"], name);
    let information =
        editor.ask("dataBreakpointInfo", json!({ "variablesReference": 2, "name": "f1" }));
    assert_eq!(information["dataId"], "f1.s1");
    let of_row =
        editor.ask("dataBreakpointInfo", json!({ "variablesReference": 1000, "name": "[7]" }));
    assert_eq!(of_row["dataId"], Value::Null, "{of_row}");
    let of_data = json!({ "breakpoints": [{ "dataId": "f1.s1" }] });
    assert_eq!(editor.ask("setDataBreakpoints", of_data)["breakpoints"][0]["verified"], true);
    let written = editor.event("reverseContinue", json!({ "threadId": 1 }), "stopped");
    assert_eq!(written["reason"], "data breakpoint");
    let of_labels =
        json!({ "breakpoints": [{ "name": "axpy" }, { "name": "@7" }, { "name": "x" }] });
    let set = editor.ask("setFunctionBreakpoints", of_labels);
    let verified: Vec<bool> =
        set["breakpoints"].as_array().unwrap().iter().map(|b| b["verified"] == true).collect();
    assert_eq!(verified, [true, true, false]);
    editor.end();
}

#[test]
fn values_are_shown_by_scopes_and_expressions() {
    let mut editor = Editor::launched();
    editor.event("configurationDone", json!({}), "stopped");
    let scopes = editor.ask("scopes", json!({ "frameId": 1 }));
    let names: Vec<&str> =
        scopes["scopes"].as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "Section 0");
    assert_eq!(names[7..], ["Arrays", "Local memory"]);
    for scope in scopes["scopes"].as_array().unwrap() {
        let reference = &scope["variablesReference"];
        let found = editor.ask("variables", json!({ "variablesReference": reference }));
        assert!(found["variables"].is_array(), "{scope}: {found}");
    }
    let words = json!({ "variablesReference": 1000, "start": 2048, "count": 1 });
    let found = editor.ask("variables", words);
    assert_eq!(found["variables"][0]["name"], "[2048]");
    let value = editor.ask("evaluate", json!({ "expression": "[2048].s3", "context": "hover" }));
    assert_eq!(value["result"], "3f0000003f000000 (0.5:0.5)");
    let told = editor.ask("evaluate", json!({ "expression": "loops", "context": "repl" }));
    assert_eq!(told["result"], "no hardware loop is active\n");
    let moved = json!({ "expression": "go 30", "context": "repl" });
    assert_eq!(editor.event("evaluate", moved, "stopped")["reason"], "step");
    editor.end();
}

#[test]
fn a_run_that_the_console_has_moved_is_looked_at_without_waiting() {
    let mut editor = Editor::at_begin_of("long.s");
    // The request follows at once behind the answer, often enough to come before the event.
    for turn in 0..3000 {
        let go = json!({ "expression": format!("go {}", 1000 + turn % 7), "context": "repl" });
        editor.send("evaluate", &go);
        editor.from.fill_buf().unwrap();
        editor.send("threads", &json!({}));
        editor.send("scopes", &json!({ "frameId": 1 }));
        assert_eq!(editor.message()["command"], "evaluate");
        let told: Vec<Value> = (0..3).map(|_| editor.message()).collect();
        assert!(told.iter().all(|message| message["success"] != false), "{turn}: {told:?}");
        assert_eq!(told.iter().filter(|message| message["event"] == "stopped").count(), 1);
    }
    editor.end();
}

#[test]
fn words_of_local_memory_are_watched_from_their_rows() {
    let mut editor = Editor::at_begin_of("axpy.s");
    let words = json!({ "variablesReference": 1000, "start": 2048, "count": 1 });
    let row = editor.ask("variables", words)["variables"][0].clone();
    let sections = json!({ "variablesReference": row["variablesReference"] });
    let sections = editor.ask("variables", sections)["variables"].clone();
    assert_eq!(sections.as_array().unwrap().len(), 4);
    assert_eq!(
        (&sections[3]["name"], &sections[3]["evaluateName"]),
        (&json!("s3"), &json!("[2048].s3"))
    );
    assert!(row["value"].as_str().unwrap().ends_with(sections[3]["value"].as_str().unwrap()));
    let asked = json!({ "variablesReference": row["variablesReference"], "name": "s3" });
    let id = editor.ask("dataBreakpointInfo", asked)["dataId"].clone();
    assert_eq!(id, "[2048].s3");
    for (access, is_set) in [("write", true), ("read", false), ("readWrite", false)] {
        let asked = json!({ "breakpoints": [{ "dataId": id, "accessType": access }] });
        let answer = editor.ask("setDataBreakpoints", asked)["breakpoints"][0].clone();
        assert_eq!(answer["verified"], is_set, "{answer}");
        let told = answer["message"].as_str().unwrap_or_default();
        assert_eq!(told.contains(&format!("`{access}` are not watched")), !is_set, "{answer}");
    }
    let gone = json!({ "variablesReference": (1_u64 << 30) + 8192 });
    assert_eq!(editor.ask("variables", gone), "local memory has no such word");
    editor.end();
}

#[test]
fn what_cannot_be_done_is_told_and_the_session_goes_on() {
    let mut editor = Editor::new();
    editor.ask("initialize", json!({ "adapterID": "cp2" }));
    let nothing = "nothing has been launched yet";
    for command in
        ["configurationDone", "continue", "stackTrace", "variables", "evaluate", "setBreakpoints"]
    {
        assert_eq!(editor.ask(command, json!({})), nothing, "{command}");
    }
    assert_eq!(
        editor.ask("launch", json!({ "program": "gone.s" })),
        "gone.s: there is no such file"
    );
    editor.event("launch", json!({ "program": "axpy.s" }), "initialized");
    for (command, arguments, sentence) in [
        ("attach", json!({}), "a run is launched"),
        (
            "launch",
            json!({ "args": "--machine" }),
            "`args` of the launch has to be a list of texts",
        ),
        ("launch", json!({ "args": [1] }), "`args` of the launch has to be a list of texts"),
        ("launch", json!({ "stopOnEntry": 1 }), "`stopOnEntry` of the launch has to be true or"),
        ("launch", json!({ "noDebug": true }), "one of `cp2 run`"),
        ("fly", json!({}), "`fly` is no request"),
        ("stepOut", json!({}), "no hardware loop is active"),
        ("variables", json!({ "variablesReference": 77 }), "there are no variables 77"),
        ("variables", json!({ "variablesReference": 5000 }), "there are no variables 5000"),
        ("source", json!({ "sourceReference": 9 }), "there is no source 9"),
        ("evaluate", json!({ "expression": "q", "context": "watch" }), "`q` is neither"),
        ("evaluate", json!({ "expression": "f99", "context": "watch" }), "the machine has no such"),
        ("evaluate", json!({ "expression": "go 9999", "context": "repl" }), "9999"),
    ] {
        let told = editor.ask(command, arguments);
        assert!(told.as_str().unwrap_or_default().contains(sentence), "{command}: {told}");
    }
    editor.end();
}

#[test]
fn a_stream_that_is_not_of_the_protocol_ends_the_session_with_a_sentence() {
    let mut open = |_: &LaunchWishes, _: &dyn Fn() -> bool| Err("none".to_owned());
    let broken = "Content-Length: x\r\n\r\n".as_bytes();
    let error = serve(broken, sink(), &mut open).unwrap_err();
    assert!(error.to_string().contains("a message of x bytes"), "{error}");
    // An editor that is gone ends it as well.
    serve("".as_bytes(), sink(), &mut open).unwrap();
}

#[test]
fn a_search_answers_at_once_what_comes_in_its_middle() {
    let mut editor = Editor::at_begin_of("long.s");
    let never = json!({ "breakpoints": [{ "name": "last", "condition": "g9 == 7" }] });
    assert_eq!(editor.ask("setFunctionBreakpoints", never)["breakpoints"][0]["verified"], true);
    editor.ask("continue", json!({ "threadId": 1 }));
    for command in ["evaluate", "variables", "stackTrace", "scopes", "next"] {
        let told = editor.ask(command, json!({ "expression": "g1" }));
        // A fast machine has reached the end before.
        let is_over = !told.as_str().unwrap_or_default().contains("the run is being searched");
        assert!(!is_over || command != "evaluate", "{command}: {told}");
    }
    editor.send("disconnect", &json!({}));
    let mut seen = Vec::new();
    loop {
        let message = editor.message();
        let name = message["event"].as_str().or(message["command"].as_str()).unwrap().to_owned();
        let is_last = name == "terminated";
        seen.push(name);
        if is_last {
            break;
        }
    }
    assert!(seen.contains(&"disconnect".to_owned()), "{seen:?}");
    drop(editor.to);
    editor.server.join().unwrap().unwrap();
}

#[test]
fn a_fault_is_an_exception_with_its_place_from_which_one_can_go_back() {
    let mut editor = Editor::at_begin_of("fault.s");
    editor.ask("continue", json!({ "threadId": 1 }));
    let output = editor.expect("output");
    assert_eq!(output["category"], "stderr");
    assert!(output["output"].as_str().unwrap().contains("fault in cycle 2, bundle 2"), "{output}");
    let stopped = editor.expect("stopped");
    assert_eq!(stopped["reason"], "exception");
    assert!(stopped["text"].as_str().unwrap().contains("fault.s:6"), "{stopped}");
    let told = editor.ask("exceptionInfo", json!({ "threadId": 1 }));
    assert_eq!(told["exceptionId"], "fault");
    let frames = editor.ask("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(frames["stackFrames"][0]["line"], 6, "{frames}");
    let back = json!({ "threadId": 1, "granularity": "instruction" });
    editor.event("stepBack", back, "stopped");
    let value = editor.ask("evaluate", json!({ "expression": "a1", "context": "watch" }));
    assert_eq!(value["result"], "1");
    // How the run ended is told once, and it is over for who goes on from there.
    assert_eq!(editor.event("continue", json!({}), "stopped")["reason"], "exception");
    assert_eq!(editor.event("continue", json!({}), "exited")["exitCode"], 4);
    editor.expect("terminated");
    editor.ask("disconnect", json!({}));
    drop(editor.to);
    editor.server.join().unwrap().unwrap();
}

#[test]
fn arrays_are_trees_and_their_elements_are_watched_and_compared() {
    let mut editor = Editor::at_begin_of("array.s");
    let found = editor.ask("variables", json!({ "variablesReference": 8 }));
    let rows = found["variables"].as_array().unwrap().clone();
    assert_eq!(rows[0]["name"], "x");
    assert_eq!(rows[0]["value"], "float32 2 x 8, words 0 to 1, layout blocks");
    let words = json!({ "variablesReference": 1000, "start": 0, "count": 1 });
    let word = editor.ask("variables", words)["variables"][0].clone();
    assert_eq!(word["name"], "[0] (x[0..2][0..2, 4..6])");
    let of_x =
        json!({ "variablesReference": rows[0]["variablesReference"], "start": 1, "count": 1 });
    let branch = editor.ask("variables", of_x)["variables"][0].clone();
    assert_eq!((&branch["name"], &branch["value"]), (&"[1]".into(), &"8 elements".into()));
    let of_row = json!({ "variablesReference": branch["variablesReference"] });
    let row = editor.ask("variables", of_row)["variables"].clone();
    assert_eq!(row.as_array().unwrap().len(), 8);
    assert_eq!((&row[1]["value"], &row[2]["value"]), (&"1.5".into(), &"-2".into()));
    let name = json!({ "variablesReference": branch["variablesReference"], "name": "[2]" });
    assert_eq!(editor.ask("dataBreakpointInfo", name)["dataId"], "x[1][2]");
    for (expression, value) in [
        ("x[0][3]", "3"),
        ("x[0][0..2]", "0.5, 1.5"),
        ("z[0]", "1-2.5i"),
        ("z[1].im", "8"),
        ("k[1]", "-3"),
        ("k[1].s2:hex", "0xfffffffd"),
        ("k[1] < 0", "true"),
        ("x[0][0] == 0.5", "true"),
        ("k", "int32 2, words 4 to 5, layout all:low"),
        ("x[2][0]", "there is no index 2; the array has 2 x 8 elements, and this axis 0 to 1"),
        ("x[0]:int[", "`int[` is no type"),
        ("z[0].s3", "z[0] is in section 1, not in 3"),
        ("z[0] > 2", "a complex number is compared by its halves"),
    ] {
        let told = editor.ask("evaluate", json!({ "expression": expression, "context": "watch" }));
        let text = told["result"].as_str().or(told.as_str()).unwrap_or_default();
        assert!(text.contains(value), "{expression}: {told}");
    }
    let refused = editor.ask("setVariable", json!({ "name": "g1", "value": "3" }));
    assert!(refused.as_str().unwrap().contains("a recorded run cannot be changed"), "{refused}");
    editor.end();
}

/// The sentence goes to the editor as well, and the session ends.
#[test]
fn a_message_that_is_broken_is_told_to_the_editor() {
    for broken in ["Content-Length: 99999999999\r\n\r\n", "X: 2\r\n\r\n{}"] {
        let mut editor = Editor::at_begin_of("axpy.s");
        editor.to.write_all(broken.as_bytes()).unwrap();
        let told = editor.expect("output");
        assert!(
            told["output"].as_str().unwrap().starts_with("the session ends: a message"),
            "{told}"
        );
        editor.expect("terminated");
        assert!(editor.server.join().unwrap().is_err());
    }
}

#[test]
fn behind_a_body_that_is_no_message_the_session_goes_on() {
    let mut editor = Editor::at_begin_of("axpy.s");
    for (body, sentence) in [
        ("{", "a message is no JSON"),
        ("[]", "it has to be a JSON object"),
        ("null", "it has to be a JSON object"),
        ("{}", "has to have `type`"),
    ] {
        write!(editor.to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let told = editor.expect("output");
        assert!(told["output"].as_str().unwrap().contains(sentence), "{told}");
    }
    for body in
        ["{\"type\":\"request\"}", "{\"type\":\"request\",\"seq\":true,\"command\":\"threads\"}"]
    {
        write!(editor.to, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        let answer = editor.message();
        assert_eq!((&answer["success"], &answer["request_seq"]), (&json!(false), &json!(0)));
        assert!(answer["command"].is_string(), "{answer}");
        assert!(answer["message"].as_str().unwrap().contains("has to have `seq`"), "{answer}");
    }
    assert_eq!(editor.ask("threads", json!({}))["threads"][0]["name"], "CP2");
    editor.end();
}

#[test]
fn a_session_ends_at_once_while_a_launch_is_under_way() {
    let mut editor = Editor::new();
    editor.ask("initialize", json!({ "adapterID": "cp2" }));
    editor.send("launch", &json!({ "program": "endless.s" }));
    editor.send("disconnect", &json!({}));
    let refused = editor.message();
    assert_eq!((&refused["command"], &refused["success"]), (&json!("launch"), &json!(false)));
    let ended = editor.message();
    assert_eq!((&ended["command"], &ended["success"]), (&json!("disconnect"), &json!(true)));
    editor.expect("terminated");
    assert!(editor.server.join().unwrap().is_ok());
}

#[test]
fn all_breakpoints_that_are_hit_at_once_are_named() {
    let mut editor = Editor::at_begin_of("long.s");
    let lines = json!({ "source": { "path": "long.s" }, "breakpoints": [{ "line": 4 }] });
    let line = editor.ask("setBreakpoints", lines)["breakpoints"][0]["id"].clone();
    let data = json!({ "breakpoints": [{ "dataId": "g1", "accessType": "write" }] });
    let data = editor.ask("setDataBreakpoints", data)["breakpoints"][0]["id"].clone();
    editor.ask("continue", json!({ "threadId": 1 }));
    let stopped = editor.expect("stopped");
    assert_eq!(stopped["reason"], "data breakpoint", "{stopped}");
    assert_eq!(stopped["hitBreakpointIds"], json!([line, data]), "{stopped}");
    editor.end();
}
