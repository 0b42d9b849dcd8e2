//! Messages of a stream as they are read: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, ErrorKind, Read as _};

/// Most bytes of a message.
const MOST_BYTES: usize = 16 << 20;

/// Returns the error that a stream does not follow the protocol.
fn broken(sentence: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, sentence)
}

/// Message of a stream: a JSON object, or the sentence that says why the bytes are none.
pub(super) type Read = Result<Value, String>;

/// Reads a message; `None` at the end of the stream. Behind bytes that are no message the next one can be read.
///
/// # Errors
/// The stream fails, or a header does, so that nobody knows where the next message begins.
pub(super) fn read(from: &mut impl BufRead) -> io::Result<Option<Read>> {
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
    from.read_exact(&mut bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            broken(format!("a message of {length} bytes was announced, and the stream ends before"))
        }
        _ => error,
    })?;
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message @ Value::Object(_)) => checked(message),
        Ok(other) => {
            let begin: String = other.to_string().chars().take(40).collect();
            Err(format!("a message reads `{begin}`; it has to be a JSON object"))
        }
        Err(error) => Err(format!("a message is no JSON: {error}")),
    }))
}

/// Returns a message if it is one of the protocol.
fn checked(message: Value) -> Read {
    match message["type"].as_str() {
        Some("request" | "response" | "event") => Ok(message),
        _ => Err("a message has to have `type`: `request`, `response` or `event`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_read_one_after_the_other() {
        let mut text: &[u8] =
            b"Content-Length: 16\r\n\r\n{\"type\":\"event\"}content-length:2\r\nX: y\r\n\r\n[]";
        assert_eq!(read(&mut text).unwrap(), Some(Ok(json!({ "type": "event" }))));
        assert!(
            read(&mut text)
                .unwrap()
                .unwrap()
                .unwrap_err()
                .contains("`[]`; it has to be a JSON object")
        );
        assert_eq!(read(&mut text).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_told() {
        for (text, sentence) in [
            ("X: y\r\n\r\n{}", "without the header Content-Length"),
            ("Content-Length: 99999999999\r\n\r\n", "at most 16777216 are read"),
            ("Content-Length: -1\r\n\r\n", "a message of -1 bytes"),
        ] {
            let error = read(&mut text.as_bytes()).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains(sentence), "{text}: {error}");
        }
        for (text, sentence) in [
            ("Content-Length: 2\r\n\r\n{x", "a message is no JSON"),
            ("Content-Length: 4\r\n\r\nnull", "reads `null`"),
            ("Content-Length: 2\r\n\r\n{}", "has to have `type`"),
        ] {
            let told = read(&mut text.as_bytes()).unwrap().unwrap().unwrap_err();
            assert!(told.contains(sentence), "{text}: {told}");
        }
        let cut = read(&mut "Content-Length: 9\r\n\r\n{}".as_bytes());
        assert!(cut.unwrap_err().to_string().contains("the stream ends before"));
    }
}
