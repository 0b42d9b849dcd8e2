//! What a client may do wrong, and how the server ends.

use crate::SCALE;
use crate::client::{Client, URI, at};
use cp2_isa::Core;
use cp2_lsp::ServerError;
use lsp_server::{Connection, Message, Notification, Request};
use serde_json::{Value, json};

/// Serves these messages, and returns how the server ended with all that it answered.
fn served(messages: Vec<Message>) -> (Result<(), ServerError>, Vec<Value>) {
    let (client, server) = Connection::memory();
    let serving = std::thread::spawn(move || cp2_lsp::serve(&server, Core::CP2));
    for message in messages {
        client.sender.send(message).unwrap();
    }
    let Connection { sender, receiver } = client;
    drop(sender);
    let answers = receiver.iter().map(|message| serde_json::to_value(message).unwrap()).collect();
    (serving.join().unwrap(), answers)
}

fn request(id: i32, method: &str, params: Value) -> Message {
    Request::new(id.into(), method.to_owned(), params).into()
}

fn note(method: &str) -> Message {
    Notification::new(method.to_owned(), Value::Null).into()
}

fn initialize() -> Message {
    request(1, "initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }))
}

#[test]
fn the_end_is_asked_for_in_two_steps() {
    let (ended, _) = served(vec![initialize(), request(2, "shutdown", Value::Null), note("exit")]);
    assert!(ended.is_ok());
    for messages in [vec![initialize(), note("exit")], vec![note("exit")]] {
        let (ended, _) = served(messages);
        assert!(matches!(ended, Err(ServerError::Exit)), "{ended:?}");
    }
    let (gone, _) = served(vec![initialize()]);
    assert!(matches!(gone, Err(ServerError::Gone)), "{gone:?}");
    let late = vec![
        initialize(),
        request(2, "shutdown", Value::Null),
        request(3, "textDocument/hover", at(0, 0)),
        note("exit"),
    ];
    let (ended, answers) = served(late);
    assert!(ended.is_ok());
    let refused = answers.last().unwrap();
    assert!(
        refused["error"]["message"].as_str().unwrap().contains("asked to shut down"),
        "{refused}"
    );
}

#[test]
fn requests_before_the_first_one_are_refused() {
    let (_, answers) = served(vec![
        request(1, "textDocument/hover", at(0, 0)),
        request(2, "initialize", json!(7)),
    ]);
    assert_eq!(answers[0]["error"]["code"], -32002);
    assert!(
        answers[1]["error"]["message"].as_str().unwrap().contains("`initialize` cannot be read"),
        "{answers:?}"
    );
}

#[test]
fn of_many_changes_only_the_last_is_told() {
    let client = Client::opened(SCALE);
    for version in 2..60 {
        let document = json!({ "uri": URI, "version": version });
        let text = SCALE.replace("psmul", &"psmul".repeat(version as usize % 3));
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        client.tell("textDocument/didChange", params);
    }
    // Version 59 has two names in one: an error.
    assert_eq!(client.diagnostics(59).len(), 1);
}
