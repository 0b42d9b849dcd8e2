//! Messages on a stream: a header with the length, an empty line, JSON.

use serde_json::{Value, json};
use std::io::{self, BufRead, ErrorKind, Read as _, Write};

/// Most bytes of a message.
const MOST_BYTES: usize = 16 << 20;

/// Returns the error that a stream does not follow the protocol.
fn broken(sentence: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, sentence)
}

/// Reads a message; `None` at the end of the stream.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.by_ref().take(1 << 12).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            let known = value.trim().parse().ok().filter(|bytes| *bytes <= MOST_BYTES);
            let told = || {
                let value = value.trim();
                broken(format!("a message of {value} bytes; at most {MOST_BYTES} are read"))
            };
            length = Some(known.ok_or_else(told)?);
        }
    }
    let length =
        length.ok_or_else(|| broken("a message without the header Content-Length".to_owned()))?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    let message = serde_json::from_slice(&bytes);
    message.map(Some).map_err(|error| broken(format!("a message is no JSON: {error}")))
}

/// Stream of what goes to the editor, with numbers in order.
pub(super) struct Output<'a> {
    to: &'a mut dyn Write,
    number: u64,
}

impl<'a> Output<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        Self { to, number: 0 }
    }

    fn send(&mut self, mut message: Value) -> io::Result<()> {
        self.number += 1;
        message["seq"] = json!(self.number);
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.to.flush()
    }

    /// Sends the answer to a request: its body, or the sentence that refuses it.
    pub(super) fn response(
        &mut self,
        request: &Value,
        answer: Result<Value, &str>,
    ) -> io::Result<()> {
        let mut message = json!({
            "type": "response",
            "request_seq": request["seq"],
            "command": request["command"],
            "success": answer.is_ok(),
        });
        match answer {
            Ok(body) => message["body"] = body,
            Err(sentence) => {
                message["message"] = json!(sentence);
                message["body"] =
                    json!({ "error": { "id": 1, "format": sentence, "showUser": true } });
            }
        }
        self.send(message)
    }

    /// Sends an event.
    pub(super) fn event(&mut self, name: &str, body: &Value) -> io::Result<()> {
        self.send(json!({ "type": "event", "event": name, "body": body }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other() {
        let mut text: &[u8] =
            b"Content-Length: 8\r\n\r\n{\"a\": 1}content-length:2\r\nX: y\r\n\r\n[]";
        assert_eq!(read(&mut text).unwrap(), Some(json!({ "a": 1 })));
        assert_eq!(read(&mut text).unwrap(), Some(json!([])));
        assert_eq!(read(&mut text).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_told() {
        for (text, sentence) in [
            ("X: y\r\n\r\n{}", "without the header Content-Length"),
            ("Content-Length: 99999999999\r\n\r\n", "at most 16777216 are read"),
            ("Content-Length: -1\r\n\r\n", "a message of -1 bytes"),
            ("Content-Length: 2\r\n\r\n{x", "a message is no JSON"),
        ] {
            let error = read(&mut text.as_bytes()).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains(sentence), "{text}: {error}");
        }
        assert!(read(&mut "Content-Length: 9\r\n\r\n{}".as_bytes()).is_err());
    }
}
