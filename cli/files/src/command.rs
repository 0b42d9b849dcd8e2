//! Programs that a file names and its user lets it start, with arrays in files of their own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Starts the program `command`, its name and arguments, in the folder of the file `from`, and waits for its end. `{NAME}` in
/// an argument becomes the path of a file with the bytes of the array NAME, which `bytes` makes; `array_of` returns the NAME
/// for which a word stands alone. Returns the sentence of a program that ended otherwise than well.
///
/// # Errors
/// The program cannot be started, or an array cannot be given to it; the message says why.
pub fn start<T>(
    (from, command): (&str, &[String]),
    arrays: &[(String, T)],
    array_of: fn(&str) -> Option<&str>,
    bytes: impl Fn(&T) -> Vec<u8>,
) -> Result<Option<String>, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("there is no folder for arrays: {e}"))?;
    let known = |name: &str| arrays.iter().any(|(array, _)| array == name);
    let mut words = Vec::new();
    for word in command {
        if let Some(name) = array_of(word)
            && !known(name)
        {
            let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
            return Err(format!("there is no array `{name}`; there is {}", names.join(", ")));
        }
        let mut word = word.clone();
        for (name, array) in arrays {
            let place = format!("{{{name}}}");
            if word.contains(&place) {
                let path: PathBuf = folder.path().join(format!("{name}.npy"));
                let written = std::fs::write(&path, bytes(array));
                written.map_err(|e| format!("{}: {e}", path.display()))?;
                word = word.replace(&place, &path.display().to_string());
            }
        }
        words.push(word);
    }
    let Some((program, rest)) = words.split_first() else { return Ok(None) };
    let parent = Path::new(from).parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut child = Command::new(program);
    child.args(rest).stdin(Stdio::null()).current_dir(parent.unwrap_or(Path::new(".")));
    let output = child.output().map_err(|e| format!("`{program}` cannot be started: {e}"))?;
    if output.status.success() {
        return Ok(None);
    }
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Ok(Some(format!("`{program}` ended with {}: {last}", output.status)))
}
