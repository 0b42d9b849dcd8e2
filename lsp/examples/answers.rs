//! Times of the server's answers on a source: `cargo run --release -p cp2-lsp --example answers FILE [RUNS]`. Each request is sent RUNS times
//! (20 if absent) behind a change of the text, so that nothing of the version before helps, and while that version is analysed; hints and
//! changes, which are of an analysed version, a quarter as often when it is; findings behind a change of the first line as often. Milliseconds, the median and the greatest.

use cp2_isa::Core;
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};
use std::error::Error;
use std::time::{Duration, Instant};

const URI: &str = "untitled:kernel";

/// A client that counts its requests and versions.
struct Client {
    connection: Connection,
    asked: i32,
    version: i32,
}

impl Client {
    fn tell(&self, method: &str, params: Value) -> Result<(), Box<dyn Error>> {
        let note = Notification::new(method.to_owned(), params);
        Ok(self.connection.sender.send(note.into())?)
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, method: &str, params: Value) -> Result<Duration, Box<dyn Error>> {
        self.asked += 1;
        let request = Request::new(self.asked.into(), method.to_owned(), params);
        let begin = Instant::now();
        self.connection.sender.send(request.into())?;
        loop {
            if let Message::Response(response) = self.connection.receiver.recv()? {
                let taken = begin.elapsed();
                let response = serde_json::to_value(response)?;
                if response.get("error").is_some_and(|error| !error.is_null()) {
                    return Err(format!("{method}: {response}").into());
                }
                return Ok(taken);
            }
        }
    }

    /// Writes a blank at the end of the first line.
    fn change(&mut self) -> Result<(), Box<dyn Error>> {
        self.version += 1;
        let place = json!({ "line": 0, "character": 9999 });
        let change = json!([{ "range": { "start": place, "end": place }, "text": " " }]);
        let document = json!({ "uri": URI, "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": change });
        self.tell("textDocument/didChange", params)
    }

    /// Waits for the findings of the last version.
    fn wait(&self) -> Result<(), Box<dyn Error>> {
        loop {
            let Message::Notification(note) = self.connection.receiver.recv()? else { continue };
            if note.params["version"] == self.version {
                return Ok(());
            }
        }
    }
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let milliseconds = |time: Option<&Duration>| 1e3 * time.map_or(0.0, Duration::as_secs_f64);
    let [median, greatest] = [times.get(times.len() / 2), times.last()].map(milliseconds);
    println!("{name:<34} {median:>9.2} {greatest:>9.2}");
}

/// Returns the requests with their parameters, for a text of so many lines.
fn requests(lines: u32) -> Vec<(&'static str, Value)> {
    let document = json!({ "uri": URI });
    let end = json!({ "line": lines, "character": 0 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let at = json!({ "line": lines / 2, "character": 12 });
    let placed = json!({ "textDocument": document, "position": at });
    let with = |extra: Value| {
        let mut params = json!({ "textDocument": document });
        let more = extra.as_object().cloned().unwrap_or_default();
        params.as_object_mut().into_iter().for_each(|all| all.extend(more.clone()));
        params
    };
    let context = json!({ "includeDeclaration": true, "diagnostics": [] });
    let options = json!({ "tabSize": 8, "insertSpaces": true });
    vec![
        ("hover", placed.clone()),
        ("completion", placed.clone()),
        ("signatureHelp", placed.clone()),
        ("definition", placed),
        ("references", with(json!({ "position": at, "context": context }))),
        ("documentSymbol", with(json!({}))),
        ("semanticTokens/full", with(json!({}))),
        ("inlayHint", with(json!({ "range": range }))),
        ("codeAction", with(json!({ "range": range, "context": context }))),
        ("formatting", with(json!({ "options": options }))),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("takes a file, and a number of runs")?;
    let runs: usize = arguments.next().map_or(Ok(20), |runs| runs.parse())?;
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().count() as u32;
    let (connection, other) = Connection::memory();
    std::thread::spawn(move || cp2_lsp::serve(&other, Core::CP2).is_ok());
    let mut client = Client { connection, asked: 0, version: 1 };
    client.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }))?;
    client.tell("initialized", json!({}))?;
    let document = json!({ "uri": URI, "languageId": "cp2", "version": 1, "text": text });
    let begin = Instant::now();
    client.tell("textDocument/didOpen", json!({ "textDocument": document }))?;
    client.wait()?;
    println!("{:<34} {:>9} {:>9}", format!("{lines} lines, milliseconds"), "median", "greatest");
    print("findings and schedules, once", vec![begin.elapsed()]);
    let mut times = Vec::new();
    for _ in 0..runs.div_ceil(4) {
        let begin = Instant::now();
        client.change()?;
        client.wait()?;
        times.push(begin.elapsed());
    }
    print("findings behind a change", times);
    for (method, params) in requests(lines) {
        let mut times = Vec::new();
        // Hints and changes are of an analysed version.
        let is_analysed = ["inlayHint", "codeAction"].contains(&method);
        for _ in 0..if is_analysed { runs.div_ceil(4) } else { runs } {
            client.change()?;
            if is_analysed {
                client.wait()?;
            }
            times.push(client.ask(&format!("textDocument/{method}"), params.clone())?);
        }
        print(method, times);
    }
    client.ask("shutdown", Value::Null)?;
    client.tell("exit", Value::Null)
}
