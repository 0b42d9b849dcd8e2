//! Files that users name, read with a limit, so that no device and no huge file fills memory or holds a program up. Where
//! they are written is told in the programs. Programs that such files name are started here.

mod command;

pub use command::start;

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::path::{Component, Path, PathBuf};

/// Most bytes of a file that is read, 1 GiB.
pub const LONGEST: u64 = 1 << 30;
/// Most bytes of a text that another one includes, 64 MiB.
pub const LONGEST_SOURCE: u64 = 64 << 20;

/// Returns whether the name of a file is that of a TOML file, in letters of either case.
pub fn is_toml(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// Returns the path of a file that the file `from` names as `path`: seen from its folder.
pub fn path_beside(from: &str, path: &str) -> PathBuf {
    normalized(&Path::new(from).parent().unwrap_or(Path::new("")).join(path))
}

/// Returns a path without `.` and `name/..`, so that a file has one name however it is included.
fn normalized(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Reads all bytes of a file, a device or a pipe.
///
/// # Errors
/// It cannot be read, or has more than [`LONGEST`] bytes.
pub fn whole(path: &Path) -> Result<Vec<u8>> {
    all_of(File::open(path)?, LONGEST)
}

/// Reads all bytes of a regular file; devices and pipes are refused, since nobody can tell when they end.
///
/// # Errors
/// It cannot be read, is no regular file, or has more than [`LONGEST`] bytes.
pub fn regular(path: &Path) -> Result<Vec<u8>> {
    all_of(open_regular(path)?, LONGEST)
}

/// Reads the text of a file that another one includes.
///
/// # Errors
/// It cannot be read, is no regular file, has more than [`LONGEST_SOURCE`] bytes, or is not UTF-8.
pub fn included(path: &Path) -> Result<String> {
    all_of(open_regular(path)?, LONGEST_SOURCE).and_then(text)
}

/// Opens a file that holds its bytes itself: no device, no pipe, for which one would wait, and none that the system makes up while it is read.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> Result<File> {
    let check = |data: std::fs::Metadata| match data.is_file() && !is_made_up(&data) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
    };
    check(std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(file.metadata()?)?;
    Ok(file)
}

/// Whether a file is one of the system, which makes its bytes up while it is read and may wait for them as long as it likes: `/proc/kmsg`.
#[cfg(unix)]
fn is_made_up(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let is_there = |folder: &&str| std::fs::metadata(folder).is_ok_and(|of| of.dev() == data.dev());
    ["/proc", "/sys", "/sys/kernel/tracing"].iter().any(is_there)
}

#[cfg(not(unix))]
fn is_made_up(_: &std::fs::Metadata) -> bool {
    false
}

/// Returns bytes as text.
///
/// # Errors
/// They are not UTF-8.
pub fn text(bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|e| Error::new(ErrorKind::InvalidData, e.utf8_error()))
}

fn all_of(file: File, longest: u64) -> Result<Vec<u8>> {
    check_length(&file, longest)?;
    limited(file, longest)
}

/// Refuses a file that says itself that it is too long, before anything of it is read.
///
/// # Errors
/// The file says that it has more than `longest` bytes.
pub fn check_length(file: &File, longest: u64) -> Result<()> {
    if file.metadata()?.len() > longest { Err(too_long(longest)) } else { Ok(()) }
}

/// Reads all bytes of a reader.
///
/// # Errors
/// It cannot be read, or has more than `longest` bytes.
pub fn limited(reader: impl Read, longest: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest { Err(too_long(longest)) } else { Ok(bytes) }
}

fn too_long(longest: u64) -> Error {
    let message = match longest >> 20 {
        0 => format!("it has more than {longest} bytes, the limit"),
        mib => format!("it has more than {mib} MiB, the limit"),
    };
    Error::new(ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_the_limit_or_no_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("eight");
        std::fs::write(&path, [7; 8]).expect("a file");
        assert_eq!(regular(&path).expect("bytes"), [7; 8]);
        let open = || open_regular(&path).expect("a file");
        assert_eq!(all_of(open(), 8).expect("bytes"), [7; 8]);
        let told = [check_length(&open(), 7), limited(open(), 7).map(|_| ())];
        for told in told.map(|result| result.expect_err("too long").to_string()) {
            assert_eq!(told, "it has more than 7 bytes, the limit");
        }
        let told = regular(folder.path()).expect_err("a folder").to_string();
        assert_eq!(told, "it is not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn what_the_system_makes_up_and_what_one_would_wait_for_is_not_included() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
        assert!(made.success());
        let all = [&pipe, Path::new("/proc/version"), Path::new("/dev/zero"), folder.path()];
        for path in all.into_iter().filter(|path| path.exists()) {
            let told = included(path).expect_err("no text").to_string();
            assert_eq!(told, "it is not a regular file", "{}", path.display());
        }
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").expect("a file");
        assert_eq!(included(&empty).expect("a text"), "");
    }

    #[test]
    fn text_is_utf_8_and_toml_has_its_ending() {
        assert_eq!(text(b"text".to_vec()).expect("text"), "text");
        assert_eq!(text(vec![0xff]).expect_err("no text").kind(), ErrorKind::InvalidData);
        let is = ["a.toml", "a.TOML", "a.tom", "toml"].map(|name| is_toml(Path::new(name)));
        assert_eq!(is, [true, true, false, false]);
    }
}
