//! A session with an editor, message by message.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod kit;

use cp2_debug::{LaunchWishes, serve};
use kit::{example, recorded};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::thread::JoinHandle;

/// Editor of a session.
struct Editor {
    to: PipeWriter,
    from: BufReader<PipeReader>,
    number: u64,
    server: JoinHandle<std::io::Result<()>>,
}

impl Editor {
    fn new() -> Self {
        let ((theirs, to), (from, mut answers)) = (pipe().unwrap(), pipe().unwrap());
        let server = std::thread::spawn(move || {
            let mut open = |wishes: &LaunchWishes| match &*wishes.program {
                "axpy.s" => Ok(recorded("axpy.s", &example("axpy.s"))),
                name => Err(format!("{name}: there is no such file")),
            };
            serve(BufReader::new(theirs), &mut answers, &mut open)
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
    assert_eq!(names[7], "Local memory");
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
    let mut open = |_: &LaunchWishes| Err("none".to_owned());
    let broken = "Content-Length: x\r\n\r\n".as_bytes();
    let error = serve(broken, &mut Vec::new(), &mut open).unwrap_err();
    assert!(error.to_string().contains("a message of x bytes"), "{error}");
    // An editor that is gone ends it as well.
    serve("".as_bytes(), &mut Vec::new(), &mut open).unwrap();
}
