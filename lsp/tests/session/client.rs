//! The client of the tests, and places in its text.

use cp2_isa::Core;
use lsp_server::{Connection, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::Duration;

/// Name of the text that a client has open.
pub(crate) const URI: &str = "untitled:kernel";

/// A client with a server in another thread.
pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    asked: i32,
}

impl Client {
    /// Connects a client that takes these encodings of positions.
    pub(crate) fn new(encodings: &[&str]) -> Self {
        Self::with(&json!({ "general": { "positionEncodings": encodings } }))
    }

    /// Connects a client that can do this.
    pub(crate) fn with(can: &Value) -> Self {
        let (connection, other) = Connection::memory();
        let serve = move || cp2_lsp::serve(&other, Core::CP2).unwrap();
        let server = Some(std::thread::spawn(serve));
        let mut client = Self { connection, server, asked: 0 };
        let first = json!({ "processId": null, "rootUri": null, "capabilities": can });
        let told = client.ask("initialize", first);
        assert_eq!(told["serverInfo"]["name"], "cp2");
        client.tell("initialized", json!({}));
        client
    }

    pub(crate) fn opened(text: &str) -> Self {
        let client = Self::new(&["utf-8"]);
        client.open(URI, text);
        client
    }

    pub(crate) fn open(&self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "cp2", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn tell(&self, method: &str, params: Value) {
        let note = Notification::new(method.to_owned(), params);
        self.connection.sender.send(note.into()).unwrap();
    }

    fn next(&self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(120)).unwrap()
    }

    pub(crate) fn respond(&mut self, method: &str, params: Value) -> Response {
        self.asked += 1;
        let request = Request::new(self.asked.into(), method.to_owned(), params);
        self.connection.sender.send(request.into()).unwrap();
        loop {
            if let Message::Response(response) = self.next() {
                assert_eq!(response.id, self.asked.into());
                return response;
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.respond(method, params);
        serde_json::to_value(response).unwrap()["result"].clone()
    }

    /// Asks about a place of the text.
    pub(crate) fn ask_at(&mut self, method: &str, [line, character]: [u32; 2]) -> Value {
        self.ask(&format!("textDocument/{method}"), at(line, character))
    }

    /// Waits for the diagnostics of a version.
    pub(crate) fn diagnostics(&self, version: i32) -> Vec<Value> {
        loop {
            let Message::Notification(note) = self.next() else { continue };
            if note.method == "textDocument/publishDiagnostics" && note.params["version"] == version
            {
                return note.params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// Waits for the diagnostics of a version of a text.
    pub(crate) fn diagnostics_of(&self, uri: &str, version: i32) -> Vec<Value> {
        loop {
            let Message::Notification(note) = self.next() else { continue };
            let is_meant = note.params["uri"] == uri && note.params["version"] == version;
            if note.method == "textDocument/publishDiagnostics" && is_meant {
                return note.params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    /// Waits for a request of the server and returns its parameters.
    pub(crate) fn asked_for(&self, method: &str) -> Value {
        loop {
            if let Message::Request(request) = self.next()
                && request.method == method
            {
                return request.params;
            }
        }
    }

    pub(crate) fn hints(&mut self) -> Vec<String> {
        let range = json!({ "start": place(0, 0), "end": place(999, 0) });
        let params = json!({ "textDocument": { "uri": URI }, "range": range });
        let hints = self.ask("textDocument/inlayHint", params);
        let show = |hint: &Value| {
            format!("{} {}", hint["position"]["line"], hint["label"].as_str().unwrap())
        };
        hints.as_array().unwrap().iter().map(show).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.take().unwrap().join().unwrap();
    }
}

pub(crate) fn place(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

pub(crate) fn at(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": place(line, character) })
}
