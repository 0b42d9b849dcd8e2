//! Names of files in the protocol.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::path::PathBuf;

/// Bytes of a path that are written as they are.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// Returns the path of a `file:` name; `None` of other names, such as those of texts that have no file yet.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    Some(PathBuf::from(percent_decode_str(path).decode_utf8().ok()?.into_owned()))
}

/// Returns the `file:` name of a path.
pub(crate) fn uri_of(path: &str) -> String {
    format!("file://{}", utf8_percent_encode(path, PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_agree() {
        let path = "/a folder/\u{e9}-1_~.s";
        assert_eq!(uri_of(path), "file:///a%20folder/%C3%A9-1_~.s");
        assert_eq!(path_of(&uri_of(path)), Some(PathBuf::from(path)));
        assert_eq!(path_of("untitled:1"), None);
    }
}
