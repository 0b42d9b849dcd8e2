//! The server of the explorer through its sockets: who may ask, what is answered, the file, pages that go in the middle.

#[path = "server/cases.rs"]
mod cases;

use cp2_asm::sched::Interrupt;
use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_explore::{
    ExploreError, ExploreServer, ExploreWish, Explorer, ExplorerHost, ExplorerStart, MachineWish,
};
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::arrays::ArrayRequest;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

const AXPY: &str = include_str!("../../../examples/axpy.s");
const ENDLESS: &str =
    "        .kernel endless\nagain:  nop\n        | jumpi again\n        nop\n        stopi 0\n";

/// A file in memory, and the machines that come with cp2.
#[derive(Clone, Default)]
struct Host {
    file: Arc<Mutex<Option<String>>>,
}

impl Host {
    fn set(&self, text: Option<&str>) {
        *self.file.lock().expect("the file") = text.map(str::to_owned);
    }

    fn get(&self) -> Option<String> {
        self.file.lock().expect("the file").clone()
    }
}

impl ExplorerHost for Host {
    fn machine(&self, wish: &MachineWish) -> Result<(Option<MachineConfig>, Core), String> {
        let name = if wish.machine.is_empty() { PRESETS[0].0 } else { &wish.machine };
        let mut config = MachineConfig::preset(name).ok_or("no such machine")?;
        for text in &wish.enable {
            config.enable(text).map_err(|e| e.to_string())?;
        }
        for text in &wish.set {
            config.apply_set(text).map_err(|e| e.to_string())?;
        }
        let core = *config.core();
        Ok((Some(config).filter(|_| !wish.machine.is_empty()), core))
    }

    fn include(&self, _: &str, name: &str) -> Result<(String, String), String> {
        match name {
            "two.s" => Ok((name.to_owned(), "        cadd f1, f2, f3\n".to_owned())),
            _ => Err("there is no such file".to_owned()),
        }
    }

    fn read(&self) -> Result<Option<String>, String> {
        Ok(self.get())
    }

    fn write(&self, text: &str) -> Result<(), String> {
        if text.contains("full") {
            return Err("cannot write axpy.s: no space is left".to_owned());
        }
        self.set(Some(text));
        Ok(())
    }
}

fn explorer(host: &Host, text: &str, max_cycles: u64) -> Explorer {
    let start = ExplorerStart {
        file: Some("axpy.s".to_owned()),
        text: text.to_owned(),
        on: MachineWish::default(),
        machines: PRESETS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        arrays: ArrayRequest::default(),
        state: None,
        entry: None,
        max_cycles,
    };
    Explorer::new(start, Box::new(host.clone()), Environment::new())
}

/// A server with the address of its page, taken apart.
struct Served {
    server: ExploreServer,
    at: String,
    token: String,
}

fn served(host: &Host, max_cycles: u64) -> Served {
    let server = ExploreServer::start(explorer(host, AXPY, max_cycles), 0).expect("a server");
    let rest = server.address().strip_prefix("http://").expect("an address").to_owned();
    let (at, token) = rest.split_once('/').expect("a path");
    let token = token.trim_end_matches('/').to_owned();
    Served { at: at.to_owned(), token, server }
}

impl Served {
    /// Sends a request with these lines of a head, and returns the stream of the answer.
    fn send(&self, line: &str, head: &[String], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.at).expect("a connection");
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for line in head {
            text += &format!("{line}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        // A server that has refused already may have closed its side.
        let _ = stream.write_all(text.as_bytes());
        stream
    }

    fn host(&self) -> String {
        format!("Host: {}", self.at)
    }

    /// Returns status, head and body of the answer to a request of the page itself.
    fn ask(&self, method: &str, what: &str, body: &str) -> (u16, String, String) {
        answer(self.send(&format!("{method} /{}/{what}", self.token), &[self.host()], body))
    }

    fn json(&self, method: &str, what: &str, body: &Value) -> (u16, Value) {
        let (status, _, body) = self.ask(method, what, &body.to_string());
        (status, serde_json::from_str(&body).expect("JSON"))
    }

    /// Returns the stages of a text that is explored.
    fn explore(&self, wish: &ExploreWish) -> Vec<Value> {
        let body = serde_json::to_string(wish).expect("JSON");
        let (status, _, body) = self.ask("POST", "explore", &body);
        assert_eq!(status, 200, "{body}");
        body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// Reads an answer to its end.
fn answer(stream: TcpStream) -> (u16, String, String) {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).expect("a head") > 2 {
        head += &line;
        line.clear();
    }
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
    let mut body = Vec::new();
    if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).expect("a size");
            let size = usize::from_str_radix(size.trim(), 16).expect("a size");
            let mut part = vec![0; size + 2];
            reader.read_exact(&mut part).expect("a part");
            body.extend_from_slice(&part[..size]);
            if size == 0 {
                break;
            }
        }
    } else {
        reader.read_to_end(&mut body).expect("a body");
    }
    (status, head, String::from_utf8(body).expect("UTF-8"))
}

fn wish(text: &str) -> ExploreWish {
    ExploreWish { text: text.to_owned(), ..ExploreWish::default() }
}

fn stage<'a>(stages: &'a [Value], name: &str) -> &'a Value {
    stages.iter().find(|stage| stage["stage"] == name).unwrap_or(&Value::Null)
}

#[test]
fn only_the_page_of_this_computer_is_answered() {
    let served = served(&Host::default(), 1000);
    let (status, head, page) = served.ask("GET", "", "");
    assert_eq!(status, 200);
    let head = head.to_ascii_lowercase();
    for part in
        ["content-security-policy: default-src 'none'", "no-referrer", "nosniff", "no-store"]
    {
        assert!(head.contains(part), "{part}: {head}");
    }
    assert!(page.contains("axpy.s") && page.contains("<textarea"), "{page}");
    let nonce = page.split("<script nonce=\"").nth(1).and_then(|rest| rest.split('"').next());
    assert!(nonce.is_some_and(|nonce| nonce.len() == 32 && head.contains(nonce)));

    let wrong = answer(served.send("GET /0123/", &[served.host()], ""));
    assert_eq!(wrong.0, 403);
    assert!(wrong.2.starts_with("The token in this address"), "{}", wrong.2);
    assert_eq!(answer(served.send("GET /", &[served.host()], "")).0, 403);
    let path = format!("GET /{}/file", served.token);
    let rebound = answer(served.send(&path, &["Host: evil.example".to_owned()], ""));
    assert_eq!(rebound.0, 403);
    assert!(rebound.2.starts_with("This explorer answers to 127.0.0.1"), "{}", rebound.2);
    let save = format!("POST /{}/save", served.token);
    for line in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        let foreign = answer(served.send(&save, &[served.host(), line.to_owned()], "{}"));
        assert_eq!(foreign.0, 403, "{line}");
        assert!(foreign.2.starts_with("This explorer answers to its own page"), "{}", foreign.2);
    }
    assert_eq!(served.ask("GET", "other", "").0, 404);
    assert_eq!(served.ask("DELETE", "file", "").0, 404);
    let (status, told) = served.json("POST", "explore", &json!({ "txt": "" }));
    assert_eq!(status, 422);
    assert!(told["message"].as_str().is_some_and(|m| m.starts_with("the page asks for something")));
    let long = format!("{{\"text\": \"{}\"}}", "x".repeat(9 << 20));
    let body = served.send(&format!("POST /{}/explore", served.token), &[served.host()], &long);
    let mut told = String::new();
    // What the server had not read yet may reset the connection behind the answer.
    let _ = BufReader::new(body).read_to_string(&mut told);
    assert!(told.is_empty() || told.contains("longer than 8 MiB"), "{told}");
}

#[test]
fn a_text_is_told_stage_by_stage() {
    let served = served(&Host::default(), 1_000_000);
    let stages = served.explore(&wish(AXPY));
    let names: Vec<&str> = stages.iter().filter_map(|stage| stage["stage"].as_str()).collect();
    assert_eq!(names, ["words", "findings", "run", "promises", "done"]);
    let found = stage(&stages, "findings");
    assert_eq!(found["findings"], json!([]));
    let loops = &found["regions"][0]["blocks"];
    let pipelined = loops.as_array().and_then(|all| all.iter().find(|b| !b["ii"].is_null()));
    let pipelined = pipelined.expect("a loop");
    assert_eq!(pipelined["line"], 11);
    let bundles = found["program"]["kernels"][0]["bundles"].as_array().expect("bundles");
    let load =
        bundles.iter().find(|b| b["exchange"][0].as_str().is_some_and(|t| t.starts_with("ldo")));
    assert_eq!(load.expect("a load")["exchange"][1], 12);
    let run = &stage(&stages, "run")["run"];
    assert_eq!(run["end"], "stopped with code 0");
    let causes = run["causes"].as_array().expect("causes").iter().filter_map(Value::as_u64);
    assert_eq!(causes.sum::<u64>(), run["cycles"].as_u64().expect("cycles"));
    let by_line: u64 = run["bundles"]
        .as_object()
        .expect("bundles")
        .values()
        .flat_map(|causes| causes.as_array().cloned().unwrap_or_default())
        .filter_map(|n| n.as_u64())
        .sum();
    assert_eq!(Some(by_line), run["cycles"].as_u64());

    let asked = json!({ "wish": wish(AXPY), "cycle": 4 });
    let (status, moment) = served.json("POST", "cycle", &asked);
    assert_eq!((status, &moment["cycle"]), (200, &json!(4)));
    assert!(moment["why"]["slots"].is_array() && moment["shared"].is_array(), "{moment}");
    let (status, window) = served.json("POST", "window", &asked);
    assert_eq!((status, &window["begin"]), (200, &json!(4)));
    let far = json!({ "wish": wish(AXPY), "cycle": 1_u64 << 40 });
    let (status, told) = served.json("POST", "cycle", &far);
    assert_eq!(status, 422);
    assert!(told["message"].as_str().is_some_and(|m| m.contains("there is no cycle")), "{told}");
}

#[test]
fn texts_that_are_wrong_are_told_with_their_places() {
    let served = served(&Host::default(), 1000);
    let stages = served.explore(&wish("        .kernel k\n        psmad f1, f2, f3\n"));
    let found = &stage(&stages, "findings")["findings"][0];
    assert_eq!((&found["severity"], &found["range"][0]), (&json!("error"), &json!(2)));
    assert!(stage(&stages, "run").is_null());
    let stages = served.explore(&wish("        .kernel k\n        .include \"no.s\"\n"));
    let told = stage(&stages, "findings")["findings"].to_string();
    assert!(told.contains("no.s"), "{told}");
    let text = "        .kernel k\n        .include \"two.s\"\n        | stopi 0\n";
    let stages = served.explore(&wish(text));
    let bundle = &stage(&stages, "findings")["program"]["kernels"][0]["bundles"][0];
    assert_eq!(bundle["arithmetic"][1], "two.s:1");
    let told = stage(&served.explore(&wish("")), "refused")["message"].to_string();
    assert!(told.contains("axpy.s"), "{told}");
    let stages = served.explore(&wish(ENDLESS));
    let end = stage(&stages, "run")["run"]["end"].to_string();
    assert!(end.contains("did not stop within 1000 cycles"), "{end}");
    let mut elsewhere = wish(AXPY);
    elsewhere.on.machine = "some/file.toml".to_owned();
    let told = stage(&served.explore(&elsewhere), "refused")["message"].to_string();
    assert!(told.contains("none of the machines"), "{told}");
}

#[test]
fn arguments_that_nobody_gave_are_proposed() {
    let served = served(&Host::default(), 100_000);
    let text = "
        .kernel k
        .arg    n, g1, min=3, multiple=4
        .linear
        .scratch g15
        .loop   g1, min=3, multiple=4
        ldo     %a:%b, (r0)+2
        .endloop
        .endlinear
        stopi   0
";
    let told = |arguments: &[(&str, &str)]| {
        let arguments = arguments.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        let stages = served.explore(&ExploreWish { arguments, ..wish(text) });
        stage(&stages, "run").clone()
    };
    let run = told(&[]);
    assert_eq!(run["arguments"]["arguments"][0]["proposed"], "16");
    let more = told(&[("n", "64")]);
    assert_eq!(more["arguments"]["arguments"][0]["given"], "64");
    assert!(more["run"]["cycles"].as_u64() > run["run"]["cycles"].as_u64());
    let wrong = told(&[("n", "5")]);
    assert!(wrong["error"].as_str().is_some_and(|e| e.contains("multiple=4")), "{wrong}");
}

#[test]
fn machines_are_compared() {
    let served = served(&Host::default(), 1_000_000);
    let mut wish = wish(AXPY);
    wish.try_enable = vec!["word-access".to_owned(), "nonsense".to_owned()];
    wish.try_set = vec!["core.load_latency=9".to_owned()];
    let stages = served.explore(&wish);
    let rows: Vec<&Value> =
        stages.iter().filter(|stage| stage["stage"] == "compared").map(|s| &s["row"]).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    let all = ["as it is", "word-access", "nonsense", "core.load_latency=9", "all together"];
    assert_eq!(names, all);
    assert_eq!(rows[0]["cycles"], stage(&stages, "run")["run"]["cycles"]);
    assert!(rows[2]["error"].as_str().is_some_and(|e| e.contains("not an extension")), "{rows:?}");
    assert!(rows[3]["cycles"].is_u64() && rows[4]["error"].is_string(), "{rows:?}");
}

#[test]
fn the_file_is_written_when_asked_and_never_over_anothers_change() {
    let host = Host::default();
    host.set(Some("one"));
    let served = served(&host, 1000);
    let (_, now) = served.json("GET", "file", &Value::Null);
    let mark = now["mark"].as_str().expect("a mark").to_owned();
    assert_eq!((&now["there"], &now["text"]), (&json!(true), &json!("one")));
    let save = |text: &str, mark: &str, replace: bool| {
        served.json("POST", "save", &json!({ "text": text, "mark": mark, "replace": replace }))
    };
    let (_, done) = save("two", &mark, false);
    assert_eq!((&done["saved"], host.get().as_deref()), (&json!(true), Some("two")));
    let mark = done["mark"].as_str().expect("a mark").to_owned();

    host.set(Some("by another editor"));
    let (status, told) = save("three", &mark, false);
    assert_eq!((status, &told["saved"]), (200, &json!(false)));
    assert!(told["message"].as_str().is_some_and(|m| m.contains("changed by another")), "{told}");
    assert_eq!(host.get().as_deref(), Some("by another editor"));
    assert_eq!(save("three", &mark, true).1["saved"], true);
    assert_eq!(host.get().as_deref(), Some("three"));

    host.set(None);
    let (_, now) = served.json("GET", "file", &Value::Null);
    assert_eq!((&now["there"], &now["mark"]), (&json!(false), &json!("")));
    let (_, told) = save("four", &mark, false);
    assert!(told["message"].as_str().is_some_and(|m| m.contains("not there any more")), "{told}");
    assert_eq!(save("four", "", false).1["saved"], true);
    let (status, told) = save("full", "", true);
    assert_eq!(status, 422);
    assert!(told["message"].as_str().is_some_and(|m| m.contains("no space")), "{told}");
    assert_eq!(host.get().as_deref(), Some("four"));
}

#[test]
fn pages_that_go_leave_their_turn_to_others() {
    // A run that no test waits for: ten thousand times a minute of an engine.
    let served = served(&Host::default(), u64::MAX / 2);
    let body = serde_json::to_string(&wish(ENDLESS)).expect("JSON");
    let line = format!("POST /{}/explore", served.token);
    for _ in 0..5 {
        let stream = served.send(&line, &[served.host()], &body);
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let mut first = String::new();
        reader.read_line(&mut first).expect("a status");
        assert!(first.contains("200"), "{first}");
        stream.shutdown(std::net::Shutdown::Both).expect("a stream");
    }
    let stages = served.explore(&wish(AXPY));
    assert_eq!(stage(&stages, "run")["run"]["is_right"], true);
}

#[test]
fn several_pages_ask_at_once() {
    let served = Arc::new(served(&Host::default(), 100_000));
    let threads: Vec<_> = (1..9)
        .map(|code| {
            let served = Arc::clone(&served);
            std::thread::spawn(move || {
                let text = format!("        .kernel k\n        stopi   {code}\n");
                let stages = served.explore(&wish(&text));
                let end = stage(&stages, "run")["run"]["end"].clone();
                assert_eq!(end, format!("stopped with code {code}"));
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("a page"));
}

#[test]
fn a_port_in_use_is_a_sentence() {
    let first = served(&Host::default(), 1000);
    let port = first.at.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let second = ExploreServer::start(explorer(&Host::default(), AXPY, 1000), port);
    let Err(ExploreError::Port(told)) = second else { panic!("{second:?}") };
    assert!(told.contains(&format!("port {port} of this computer is in use")), "{told}");
    assert!(told.contains("--port"), "{told}");
    drop(first.server);
}

#[test]
fn a_shared_page_needs_nothing_else() {
    let page = explorer(&Host::default(), AXPY, 1_000_000).shared_page(&wish(AXPY));
    for part in ["src=", "@import", "url(", "@DATA@", "@JS@", "@CSS@", "@NONCE@", "@TITLE@"] {
        assert!(!page.contains(part), "{part}");
    }
    assert!(page.contains("\"stage\":\"run\"") && page.contains("stopped with code 0"));
    assert!(page.len() < 1 << 20, "{}", page.len());
    let evil = "        .kernel k ; </script><script>alert(1)</script>\n        stopi 0\n";
    let page = explorer(&Host::default(), evil, 1000).shared_page(&wish(evil));
    assert!(!page.contains("<script>alert"));
}

#[test]
fn what_nobody_waits_for_is_broken_off() {
    let host = Host::default();
    let explorer = explorer(&host, AXPY, 1000);
    let interrupt = Interrupt::new();
    interrupt.raise();
    let mut stages = Vec::new();
    explorer
        .explore(&wish(AXPY), &interrupt, &mut |stage: Value| stages.push(stage["stage"].clone()));
    assert_eq!(stages, ["words"], "its schedule was broken off");
    let mut told = Vec::new();
    explorer.explore(&wish(AXPY), &Interrupt::new(), &mut |stage| told.push(stage));
    let tried = &stage(&told, "promises")["regions"][0][0];
    assert_eq!(tried["complete"], true, "{tried}");
    assert!(tried["hints"].is_array(), "{tried}");
}
