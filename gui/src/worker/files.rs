//! Files that the viewer reads: regular ones of limited length, so that no name of a device or of a huge file holds it up.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

/// Most bytes of a file that is read, 1 GiB, as of the commands.
const LONGEST: u64 = 1 << 30;

/// Returns the bytes of a file.
///
/// # Errors
/// It cannot be read, is no regular file, or has more than [`LONGEST`] bytes.
pub(super) fn bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    limited(path, LONGEST)
}

/// Returns the text of a file.
///
/// # Errors
/// Those of [`bytes`]; or it is not UTF-8.
pub(super) fn text(path: &Path) -> std::io::Result<String> {
    String::from_utf8(bytes(path)?).map_err(|e| Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

/// Returns the bytes of a regular file of at most `longest` bytes.
fn limited(path: &Path, longest: u64) -> std::io::Result<Vec<u8>> {
    let refused = |message: String| Err(Error::new(ErrorKind::InvalidInput, message));
    if !std::fs::metadata(path)?.is_file() {
        return refused("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let length = File::open(path)?.take(longest + 1).read_to_end(&mut bytes)? as u64;
    if length > longest {
        return refused(format!("it has more than {longest} bytes, the most that are read"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_the_limit_or_no_file_is_refused() {
        let folder = std::env::temp_dir();
        let path = folder.join(format!("cp2-view-files-{}", std::process::id()));
        assert!(std::fs::write(&path, [7; 8]).is_ok());
        assert!(limited(&path, 8).is_ok_and(|bytes| bytes == [7; 8]));
        let told = limited(&path, 7).map_err(|e| e.to_string());
        assert!(told.is_err_and(|told| told.contains("more than 7 bytes")));
        assert!(std::fs::remove_file(&path).is_ok());
        let told = bytes(&folder).map_err(|e| e.to_string());
        assert!(told.is_err_and(|told| told.contains("not a regular file")));
    }
}
