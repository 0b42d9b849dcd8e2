//! Kit that the tests of the commands share: a folder to run in, files to run on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Returns the folder of what calls of `cp2` keep for each other, and for the next run of the tests.
pub(crate) fn schedules() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("schedules")
}

/// Temporary folder in which `cp2` runs.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs `cp2` in the folder with arguments separated by spaces.
    pub(crate) fn cp2(&self, arguments: &str) -> Output {
        self.cp2_with_schedules(schedules(), arguments)
    }

    /// Runs `cp2` as [`Folder::cp2`] does, with a folder for schedules.
    pub(crate) fn cp2_with_schedules(&self, schedules: PathBuf, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_cp2"))
            .current_dir(self.0.path())
            .env("CP2_CACHE_DIR", schedules)
            .args(arguments.split_whitespace())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs `cp2` with a folder for schedules, which has to succeed; returns standard output.
    pub(crate) fn printed_with_schedules(&self, schedules: &Path, arguments: &str) -> Vec<u8> {
        let output = self.cp2_with_schedules(schedules.to_owned(), arguments);
        assert!(output.status.success(), "{arguments}: {output:?}");
        output.stdout
    }

    /// Runs `cp2`, expects an exit code, returns standard output and standard error together.
    pub(crate) fn expect(&self, code: i32, arguments: &str) -> String {
        let output = self.cp2(arguments);
        let text =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "cp2 {arguments}\n{text}");
        text
    }

    /// Runs `cp2` with bytes on standard input; returns the exit code and all output.
    pub(crate) fn piped(&self, arguments: &str, input: &[u8]) -> (Option<i32>, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
            .current_dir(self.0.path())
            .env("CP2_CACHE_DIR", schedules())
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        let output = child.wait_with_output().unwrap();
        let text =
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code(), text)
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.0.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// Returns a text on one line, so that it does not matter where its lines were broken.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn twelve() -> Folder {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/twelve.s");
    std::fs::copy(source, folder.path("twelve.s")).unwrap();
    folder
}

/// Returns a `.npy` file with this shape and `values` complex numbers, both parts `value`.
pub(crate) fn npy(shape: &str, value: f32, values: usize) -> Vec<u8> {
    let header = format!("{{'descr': '<c8', 'fortran_order': False, 'shape': {shape}, }}");
    let padded = format!("{header:<117}\n");
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((padded.len() as u16).to_le_bytes());
    npy.extend(padded.as_bytes());
    (0..2 * values).for_each(|_| npy.extend(value.to_le_bytes()));
    npy
}
