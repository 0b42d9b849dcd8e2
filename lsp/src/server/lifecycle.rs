//! From the first message of a client to its last: `initialize`, the loop of messages and results, `shutdown`, `exit`.

use super::ServerError;
use super::state::{Begin, Server};
use crate::analysis::{Analysis, Tried};
use crate::document::Encoding;
use crossbeam_channel::{Receiver, select, tick};
use gen_lsp_types::{InitializeParams, ServerCapabilities};
use lsp_server::{Connection, ErrorCode, Message, Request, Response};
use serde_json::{Value, json};
use std::time::Duration;

/// Time after which files that texts include are looked at again, for clients that do not tell of changes.
const LOOK: Duration = Duration::from_secs(2);

/// Waits for `initialize` and answers it; `None` if the client asks for the end before.
pub(super) fn initialized(
    connection: &Connection,
    capabilities: impl Fn(Encoding) -> ServerCapabilities,
) -> Result<Option<Begin>, ServerError> {
    let mut is_over = false;
    loop {
        match connection.receiver.recv() {
            Ok(Message::Request(request)) if request.method == "initialize" && !is_over => {
                let id = request.id.clone();
                let params = begin_of(request).inspect_err(|error| {
                    let sentence = format!("`initialize` cannot be read: {error}");
                    send(
                        connection,
                        Response::new_err(id.clone(), ErrorCode::InvalidParams as i32, sentence),
                    );
                });
                let begin = params.map_err(ServerError::Message)?;
                let can = serde_json::to_value(capabilities(begin.encoding))
                    .map_err(ServerError::Message)?;
                let info = json!({ "name": "cp2", "version": env!("CARGO_PKG_VERSION") });
                let answer = json!({ "capabilities": can, "serverInfo": info });
                send(connection, Response::new_ok(id, answer));
                return Ok(Some(begin));
            }
            Ok(Message::Request(request)) if request.method == "shutdown" => {
                is_over = true;
                send(connection, Response::new_ok(request.id, Value::Null));
            }
            Ok(Message::Request(Request { id, method, .. })) => {
                let sentence =
                    format!("`{method}` comes before `initialize`, which is the first request");
                send(
                    connection,
                    Response::new_err(id, ErrorCode::ServerNotInitialized as i32, sentence),
                );
            }
            Ok(Message::Notification(note)) if note.method == "exit" => {
                return if is_over { Ok(None) } else { Err(ServerError::Exit) };
            }
            Ok(_) => {}
            Err(_) => return if is_over { Ok(None) } else { Err(ServerError::Gone) },
        }
    }
}

fn send(connection: &Connection, response: Response) {
    // If the client is gone, the next receive tells so.
    let _ = connection.sender.send(response.into());
}

/// Returns what matters of the first request.
fn begin_of(request: Request) -> Result<Begin, serde_json::Error> {
    let params = request.params;
    let flag = |place: &str| params.pointer(place).and_then(Value::as_bool).unwrap_or(false);
    let refreshes = flag("/capabilities/workspace/inlayHint/refreshSupport");
    let watches = flag("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
    let first: InitializeParams = serde_json::from_value(params)?;
    let offered = first.capabilities.general.and_then(|general| general.position_encodings);
    Ok(Begin { encoding: Encoding::of(offered.as_deref()), refreshes, watches })
}

/// Serves messages until the client asks for the end or is gone.
pub(super) fn run(
    mut server: Server<'_>,
    analyses: &Receiver<Analysis>,
    tried: &Receiver<Tried>,
) -> Result<(), ServerError> {
    let (looks, mut is_over) = (tick(LOOK), false);
    loop {
        select! {
            recv(server.client.connection.receiver) -> message => match message {
                Ok(Message::Request(request)) if request.method == "shutdown" => {
                    is_over = true;
                    server.client.answer(request.id, Ok(Value::Null));
                }
                Ok(Message::Request(request)) if is_over => server.client.refuse_late(request.id),
                Ok(Message::Request(request)) => server.answer(request),
                Ok(Message::Notification(note)) if note.method == "exit" => {
                    return if is_over { Ok(()) } else { Err(ServerError::Exit) };
                }
                Ok(Message::Notification(note)) => server.note(&note.method, note.params),
                Ok(Message::Response(_)) => {}
                Err(_) => return if is_over { Ok(()) } else { Err(ServerError::Gone) },
            },
            recv(analyses) -> analysis => {
                if let Ok(analysis) = analysis {
                    server.publish(analysis);
                }
            }
            recv(tried) -> tried => {
                if let Ok(tried) = tried {
                    server.publish_tried(tried);
                }
            }
            recv(looks) -> _ => server.look_at_files(),
        }
    }
}
