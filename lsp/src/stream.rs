//! Messages on a pair of streams: read with limits, so that no announced length takes memory, and what is no message is answered
//! with a sentence.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Most bytes of a message, in MiB: texts are far smaller.
const LONGEST_MIB: u64 = 256;
/// Most bytes of a line of a header.
const LONGEST_HEADER: u64 = 4096;

/// The reason why no further message can be read.
#[derive(Debug)]
pub enum StreamError {
    /// A header that cannot be read; a sentence says why. Where the next message begins is not known behind it.
    Header(String),
    /// The stream ended within a message, or failed.
    Stream(io::Error),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(sentence) => f.write_str(sentence),
            Self::Stream(error) => {
                write!(f, "the stream of the client broke within a message: {error}")
            }
        }
    }
}

impl From<io::Error> for StreamError {
    fn from(error: io::Error) -> Self {
        Self::Stream(error)
    }
}

/// Reads a line of a header without its end; `None` where the stream ends before one.
fn header_line(input: &mut impl BufRead) -> Result<Option<String>, StreamError> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    match line.strip_suffix(b"\r\n").map(<[u8]>::to_vec).map(String::from_utf8) {
        Some(Ok(line)) => Ok(Some(line)),
        _ => {
            let begin: String =
                String::from_utf8_lossy(&line).trim_end().chars().take(40).collect();
            Err(StreamError::Header(format!(
                "a header of a message reads `{begin}`; it has to be a line `Content-Length: N` that ends with carriage return and line feed"
            )))
        }
    }
}

/// Returns the bytes that a message has by its header; `None` where the stream ends.
fn announced(input: &mut impl BufRead) -> Result<Option<u64>, StreamError> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let Some(line) = header_line(input)? else {
            return if is_first {
                Ok(None)
            } else {
                Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
            };
        };
        is_first = false;
        if line.is_empty() {
            let missing = "a message has no header `Content-Length`, which tells its bytes";
            return length.map(Some).ok_or_else(|| StreamError::Header(missing.to_owned()));
        }
        let Some((name, value)) = line.split_once(':') else {
            let begin: String = line.chars().take(40).collect();
            return Err(StreamError::Header(format!(
                "a header of a message reads `{begin}`, which has no `:`"
            )));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let bytes = value.parse().ok().filter(|&bytes: &u64| bytes <= LONGEST_MIB << 20);
            length = Some(bytes.ok_or_else(|| {
                let begin: String = value.chars().take(40).collect();
                StreamError::Header(format!(
                    "a message announces {begin} bytes; a message has 0 to {} (256 MiB)",
                    LONGEST_MIB << 20
                ))
            })?);
        }
    }
}

/// Reads the bytes of the next message; `None` where the stream ends.
fn next_text(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, StreamError> {
    let Some(length) = announced(input)? else { return Ok(None) };
    let mut text = Vec::new();
    // Memory grows with what comes, not with what is announced.
    if input.by_ref().take(length).read_to_end(&mut text)? as u64 == length {
        return Ok(Some(text));
    }
    Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
}

/// Returns the message of a text, or the answer that it is none.
fn message_of(text: &[u8]) -> Result<Message, Value> {
    let refused = |id: Value, code: ErrorCode, sentence: String| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": sentence } });
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        refused(Value::Null, ErrorCode::ParseError, format!("a message is no JSON: {error}"))
    })?;
    let id = value.get("id").cloned().unwrap_or_default();
    serde_json::from_value(value).map_err(|_| {
        let sentence = "a message is no request, answer or notification: it needs `method` as text, or `id` as a number or text with `result` or `error`";
        refused(id, ErrorCode::InvalidRequest, sentence.to_owned())
    })
}

fn write_text(output: &mut impl Write, text: &str) -> io::Result<()> {
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// Threads that read and write messages.
pub(crate) struct StreamThreads {
    reader: JoinHandle<Result<(), StreamError>>,
    writer: JoinHandle<()>,
}

impl StreamThreads {
    /// Returns the reason why reading ended, if it was not the end of the stream. The reader is not waited for where it still reads.
    pub(crate) fn fault(self) -> Option<StreamError> {
        // A thread that panicked has told so itself.
        let _ = self.writer.join();
        if !self.reader.is_finished() {
            return None;
        }
        self.reader.join().ok()?.err()
    }
}

/// Connects channels of messages with a pair of streams. The receiver is closed where the stream ends, or is none of messages.
pub(crate) fn connected(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Sender<Message>, Receiver<Message>, StreamThreads) {
    let output = Arc::new(Mutex::new(output));
    let (sender, outgoing) = unbounded::<Message>();
    let (incoming, receiver) = bounded(0);
    let direct = Arc::clone(&output);
    let reader = std::thread::spawn(move || {
        while let Some(text) = next_text(&mut input)? {
            match message_of(&text) {
                Ok(message) => {
                    let is_exit =
                        matches!(&message, Message::Notification(note) if note.method == "exit");
                    if incoming.send(message).is_err() || is_exit {
                        break;
                    }
                }
                Err(answer) => {
                    let mut output = direct.lock().unwrap_or_else(PoisonError::into_inner);
                    write_text(&mut *output, &answer.to_string())?;
                }
            }
        }
        Ok(())
    });
    let writer = std::thread::spawn(move || {
        for message in outgoing {
            let Ok(Value::Object(mut fields)) = serde_json::to_value(&message) else { continue };
            fields.insert("jsonrpc".to_owned(), "2.0".into());
            let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
            if write_text(&mut *output, &Value::Object(fields).to_string()).is_err() {
                // The client is gone, which the reader finds too.
                return;
            }
        }
    });
    (sender, receiver, StreamThreads { reader, writer })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(input: &str) -> String {
        match next_text(&mut input.as_bytes()) {
            Err(error) => error.to_string(),
            Ok(text) => panic!("{text:?}"),
        }
    }

    #[test]
    fn a_header_that_is_none_is_refused_with_a_sentence() {
        let huge = sentence("Content-Length: 99999999999\r\n\r\n{}");
        assert!(huge.contains("announces 99999999999 bytes") && huge.contains("256 MiB"), "{huge}");
        assert!(sentence("Content-Length: -1\r\n\r\n{}").contains("announces -1 bytes"));
        assert!(sentence("Content-Length: 2\n\n{}").contains("carriage return"));
        assert!(sentence("nonsense\r\n\r\n").contains("no `:`"));
        assert!(sentence("A: b\r\n\r\n{}").contains("no header `Content-Length`"));
        assert!(sentence(&"x".repeat(9999)).contains("a header of a message reads `xxx"));
        assert!(sentence("Content-Length: 200000000\r\n\r\n{}").contains("broke within a message"));
        assert!(sentence("Content-Length: 9\r\n").contains("broke within a message"));
        assert!(matches!(next_text(&mut "".as_bytes()), Ok(None)));
        let text = next_text(&mut "Content-Length: 2\r\nContent-Type: x\r\n\r\n{}{".as_bytes());
        assert_eq!(text.ok().flatten().as_deref(), Some(&b"{}"[..]));
    }

    #[test]
    fn a_text_that_is_no_message_is_answered() {
        for (text, code, part) in [
            ("{", -32700, "is no JSON: EOF"),
            ("\u{1}", -32700, "is no JSON: expected value at line 1 column 1"),
            ("{\"id\": 7}", -32600, "no request"),
            ("[]", -32600, "no request"),
        ] {
            let answer = message_of(text.as_bytes()).map(|_| ()).expect_err(text);
            assert_eq!(answer["error"]["code"], code, "{answer}");
            assert!(
                answer["error"]["message"].as_str().is_some_and(|m| m.contains(part)),
                "{answer}"
            );
        }
        assert!(message_of(b"{\"method\": \"exit\"}").is_ok());
    }
}
