//! Programs that GCC compiled, against what qemu made of them; `programs/build.sh` makes the fixtures anew.

mod common;

use common::{fixture, run, run_as};
use cp2_k64::isa::Release;
use cp2_k64::user::{ProcessEnd, ProcessSetup};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use tempfile::TempDir;

/// Runs a program of the suite; its output must be that under qemu, to the last byte.
fn as_under_qemu(name: &str) {
    let (end, output, _) = run("suite.elf", &["suite", name], None);
    let ProcessEnd::Exit(code) = end else {
        panic!("{name}: {end:?}\n{}", String::from_utf8_lossy(&output))
    };
    let text = format!("{}exit code {code}\n", String::from_utf8_lossy(&output));
    assert_eq!(text, String::from_utf8_lossy(&fixture(&format!("{name}.txt"))), "{name}");
}

#[test]
fn corner_cases_of_integers() {
    as_under_qemu("integers");
}

#[test]
fn floating_point_in_four_rounding_modes() {
    as_under_qemu("floats");
}

#[test]
fn the_c_library() {
    as_under_qemu("library");
}

#[test]
fn the_language() {
    as_under_qemu("language");
}

#[test]
fn clocks_go_on_in_sleep() {
    as_under_qemu("clocks");
}

#[test]
fn signals_call_handlers_and_end_what_has_none() {
    as_under_qemu("signals");
}

#[test]
fn a_call_that_waits_begins_anew_after_a_handler_that_wants_it() {
    as_under_qemu("restarts");
}

#[test]
fn handlers_run_on_the_alternate_stack() {
    as_under_qemu("stacks");
}

// qemu 7.2 has no SS_AUTODISARM; the text is what Linux gives.
#[test]
fn an_alternate_stack_is_disarmed_while_a_handler_runs() {
    let (end, output, _) = run("suite.elf", &["suite", "disarm"], None);
    let text = "set 0, flags 80000000\nwithin: on it 1, flags 2, size 0, set 0\n\
        behind: flags 80000000, size as before 1\nwithin: on it 1, flags 2, size 0, set 0\n\
        off: flags 80000002, size 0\nnone: on it 0\n";
    assert_eq!(String::from_utf8_lossy(&output), text);
    assert_eq!(end, ProcessEnd::Exit(0));
}

#[test]
fn a_frame_without_room_on_the_alternate_stack_ends_the_process() {
    let (end, output, _) = run("suite.elf", &["suite", "overflow"], None);
    assert_eq!(String::from_utf8_lossy(&output), "");
    assert_eq!(end, ProcessEnd::Signal(11));
}

/// Runs a program of the suite in a folder of its own; its output must be that under qemu, to the last byte.
fn as_under_qemu_with_files(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let (end, output, _) = run("suite.elf", &["suite", name], Some(folder.path()));
    let text = format!("{}{end:?}\n", String::from_utf8_lossy(&output));
    let expected = String::from_utf8_lossy(&fixture(&format!("{name}.txt"))).into_owned();
    let expected = expected.replace("exit code 0", "Exit(0)");
    for (here, qemu) in text.lines().zip(expected.lines()) {
        assert_eq!(here, qemu, "{name}");
    }
    assert_eq!(text, expected, "{name}");
    folder
}

#[test]
fn names_are_made_linked_renamed_and_removed() {
    as_under_qemu_with_files("names");
}

#[test]
fn rights_times_and_lengths_of_files() {
    as_under_qemu_with_files("properties");
}

#[test]
fn pipes_waits_copies_vectors_and_mappings() {
    let folder = as_under_qemu_with_files("channels");
    // A mapping that the process left is in the file all the same.
    let bytes = std::fs::read(folder.path().join("common")).expect("a file");
    assert_eq!(bytes[4096..4106], *b"at the end");
}

#[test]
fn arguments_and_environment_are_bytes() {
    let texts = |texts: &[&[u8]]| texts.iter().map(|t| OsStr::from_bytes(t).to_owned()).collect();
    let setup = ProcessSetup {
        arguments: texts(&[b"suite", b"words", b"\xff\xfe", b"", b"text"]),
        // The order that qemu makes of it.
        environment: texts(&[b"EMPTY=", b"CAF\xc9=\xe9"]),
        memory: 64 << 20,
        folder: None,
        release: Release::R2,
    };
    let (end, output) = run_as(&setup);
    assert_eq!(end, ProcessEnd::Exit(0));
    let expected = fixture("words.txt");
    assert_eq!(String::from_utf8_lossy(&output), String::from_utf8_lossy(&expected));
}

#[test]
fn multigrid_gives_the_value_of_npb() {
    as_under_qemu("mg");
}

#[test]
fn conjugate_gradients_give_the_value_of_npb() {
    as_under_qemu("cg");
}

#[test]
fn random_instructions_leave_the_registers_and_flags_of_qemu() {
    for seed in ["random1", "random2"] {
        let (end, output, _) = run(&format!("{seed}.elf"), &[seed], None);
        assert_eq!(end, ProcessEnd::Exit(0), "{seed}");
        let expected = fixture(&format!("{seed}.bin"));
        let differs = output.iter().zip(&expected).position(|(a, b)| a != b);
        // 67 doublewords for each block: 32 general and 32 floating-point registers, FCSR, HI, LO.
        let place = differs.map(|at| format!("block {}, word {}", at / 8 / 67, at / 8 % 67));
        assert_eq!(place, None, "{seed}");
        assert_eq!(output.len(), expected.len(), "{seed}");
    }
}

#[test]
fn files_are_those_of_the_folder_and_no_others() {
    let outside = tempfile::tempdir().expect("a folder");
    let inside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret"), "secret").expect("a file");
    let link =
        |to: &std::path::Path, name: &str| symlink(to, inside.path().join(name)).expect("a link");
    link(outside.path(), "link-out");
    link(&outside.path().join("secret"), "link-to-file");
    link(&outside.path().join("new"), "link-new");
    let name = outside.path().file_name().expect("a name");
    link(&std::path::Path::new("..").join(name), "link-up");
    let fifo = std::process::Command::new("mkfifo").arg(inside.path().join("fifo")).status();
    assert!(fifo.expect("mkfifo").success());
    let (end, output, _) = run("suite.elf", &["suite", "files"], Some(inside.path()));
    assert_eq!(end, ProcessEnd::Exit(0));
    let text = String::from_utf8(output).expect("text");
    assert_eq!(
        text,
        "line 2\n14 bytes, regular 1\n0 0 0 /folder\n\
         moved.txt: open\n../folder/moved.txt: open\n\
         ../../../../../etc/passwd: No such file or directory\n/etc/passwd: No such file or directory\n\
         /dev/null: No such file or directory\n/link-out: No such file or directory\n\
         /link-out/secret: No such file or directory\n/link-to-file: No such file or directory\n\
         /link-up/secret: No such file or directory\n/link-new: No such file or directory\n\
         /link-new: No such file or directory\nempty.txt: open\nempty.txt: File exists\n\
         /fifo: Permission denied\n-1 Invalid argument\n/proc/self/mem: No such file or directory\n\
         -1\n/: . 4 .. 4 fifo 1 folder 4 link-new 10 link-out 10 link-to-file 10 link-up 10, .\n\
         /link-out: No such file or directory\n..: . 4 .. 4 fifo 1 folder 4 link-new 10 link-out 10 link-to-file 10 link-up 10, .\n\
         79800\n0 link 1\n-1 -1\n20 0 7\n0 /\n/nothing: No such file or directory\n-1 -1 -1\n0 -1\n"
    );
    let left: Vec<_> = std::fs::read_dir(outside.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "only the secret is there");
    assert_eq!(std::fs::read(outside.path().join("secret")).expect("the secret"), b"secret");
}

/// Names, bytes, rights and times of a folder with one file.
fn state_of(folder: &Path) -> (Vec<OsString>, Vec<u8>, u32, SystemTime, SystemTime) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name()).collect();
    let secret = folder.join("secret");
    let of_file = std::fs::metadata(&secret).expect("a file");
    let of_folder = std::fs::metadata(folder).expect("a folder");
    let mode = of_file.permissions().mode() << 16 | of_folder.permissions().mode();
    let times = [of_file, of_folder].map(|status| status.modified().expect("a time"));
    (names, std::fs::read(secret).expect("the secret"), mode, times[0], times[1])
}

/// A folder and a file that take turns with links to another folder and to its file, as long as they are kept.
struct Swapping {
    is_over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Swapping {
    fn begin(folder: &Path, outside: &Path) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let pairs = [("swap", "to-outside"), ("turn", "to-secret")];
        let pairs = pairs.map(|(own, link)| (folder.join(own), folder.join(link)));
        std::fs::create_dir(&pairs[0].0).expect("a folder");
        symlink(outside, &pairs[0].1).expect("a link");
        std::fs::write(&pairs[1].0, "own").expect("a file");
        symlink(outside.join("secret"), &pairs[1].1).expect("a link");
        let over = is_over.clone();
        let thread = std::thread::spawn(move || {
            let (here, exchange) = (rustix::fs::CWD, rustix::fs::RenameFlags::EXCHANGE);
            while !over.load(Ordering::Relaxed) {
                for (own, link) in &pairs {
                    rustix::fs::renameat_with(here, own, here, link, exchange).expect("a swap");
                }
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(std::thread::JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the swaps went on to the end");
    }
}

#[test]
fn no_link_that_a_process_makes_or_another_one_swaps_leads_out_of_the_folder() {
    let outside = tempfile::tempdir().expect("a folder");
    let inside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret"), "secret").expect("a file");
    let path = outside.path().as_os_str().as_encoded_bytes();
    std::fs::write(inside.path().join("outside"), path).expect("a file");
    let before = state_of(outside.path());
    let swapping = Swapping::begin(inside.path(), outside.path());
    let (end, output, _) = run("suite.elf", &["suite", "escapes"], Some(inside.path()));
    drop(swapping);
    assert_eq!(String::from_utf8_lossy(&output), "found 0\n");
    assert_eq!(end, ProcessEnd::Exit(0));
    assert_eq!(state_of(outside.path()), before);
}

#[test]
fn without_a_folder_there_are_no_files() {
    let (end, output, _) = run("suite.elf", &["suite", "files"], None);
    assert_eq!(end, ProcessEnd::Exit(1));
    assert_eq!(String::from_utf8_lossy(&output), "cannot make a file: Permission denied\n");
}

#[test]
fn no_mapping_is_larger_than_the_memory_of_the_process_or_reaches_its_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let (end, output, _) = run("suite.elf", &["suite", "limits"], Some(folder.path()));
    assert_eq!(end, ProcessEnd::Exit(0));
    let none = "Cannot allocate memory\n";
    let text = format!("stack 8388608\n{none}{none}{none}{none}{none}mapped\nfile: {none}");
    assert_eq!(String::from_utf8_lossy(&output), text);
}
