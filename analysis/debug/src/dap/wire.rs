//! Messages of a stream as they are read: a header with the length, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, ErrorKind, Read as _};

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
    from.read_exact(&mut bytes).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => {
            broken(format!("a message of {length} bytes was announced, and the stream ends before"))
        }
        _ => error,
    })?;
    let message = serde_json::from_slice(&bytes);
    message.map(Some).map_err(|error| broken(format!("a message is no JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        let cut = read(&mut "Content-Length: 9\r\n\r\n{}".as_bytes());
        assert!(cut.unwrap_err().to_string().contains("the stream ends before"));
    }
}
