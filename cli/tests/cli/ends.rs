//! Files that do not go together, inputs without an end, readers that go away, signals.

use super::kit::{Folder, twelve};
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn no_output_replaces_an_input() {
    let folder = twelve();
    folder.write("part.s", ".equ one, 1\n");
    folder.write("whole.s", ".include \"part.s\"\nseti g1, one\nstop g1\nnop\n");
    folder.write("state.json", "{}");
    let text = std::fs::read(folder.path("twelve.s")).unwrap();
    for arguments in [
        "asm twelve.s -o twelve.s",
        "asm twelve.s -o ./twelve.s",
        "asm whole.s -o part.s",
        "dis twelve.s -o twelve.s",
        "run twelve.s --dump twelve.s",
        "run twelve.s --init state.json --dump state.json",
        "run twelve.s --trace twelve.s",
        "lint twelve.s --sarif twelve.s",
    ] {
        let message = folder.expect(2, arguments);
        assert!(message.contains("would replace the input"), "{arguments}: {message}");
    }
    assert_eq!(std::fs::read(folder.path("twelve.s")).unwrap(), text);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("twelve.s"), folder.path("link.s")).unwrap();
        folder.expect(2, "asm link.s -o twelve.s");
    }
    assert!(folder.expect(2, "run twelve.s --dump d --trace ./d").contains("two outputs go to"));
}

#[test]
fn an_output_without_a_folder_is_refused_before_the_work() {
    let folder = twelve();
    folder.write("ever.s", "l: jumpi l\nnop\nstop g0\n");
    for arguments in
        ["run ever.s --dump no/d.json", "asm ever.s -o no/e.o", "run ever.s --trace no/t"]
    {
        let message = folder.expect(3, arguments);
        assert!(message.contains("cannot write no/"), "{arguments}: {message}");
    }
}

#[test]
fn the_name_of_an_output_decides_what_it_holds() {
    let folder = Folder::new();
    folder.write("a.s", "stop g1\nnop\n");
    folder.expect(0, "asm a.s -o a.hex");
    assert_eq!(std::fs::read(folder.path("a.hex")).unwrap().len(), 2 * 17);
    folder.expect(0, "asm a.s -o a.o");
    assert!(std::fs::read(folder.path("a.o")).unwrap().starts_with(b"\x7fELF"));
    folder.expect(0, "asm a.s -o a --emit hex");
    assert!(folder.expect(2, "asm a.s -o a.hex --emit object").contains("--emit"));
    assert!(folder.expect(2, "asm a.s -o a.o --emit hex").contains("--emit"));
    folder.expect(0, "asm a.s -o a.h");
    let header = std::fs::read_to_string(folder.path("a.h")).unwrap();
    assert!(header.contains("static const struct cp2_program a_program"), "{header}");
    assert_eq!(folder.expect(0, "asm a.s -o - --emit c"), header);
    // A program from standard input can be moved as one from a file.
    let (code, piped) = folder.piped("asm - -o p.h", b"k: | jumpi k\nnop\n");
    assert_eq!((code, piped.as_str()), (Some(0), ""));
    let header = std::fs::read_to_string(folder.path("p.h")).unwrap();
    assert!(header.contains("p_moves, 1,") && header.contains(", 0};"), "{header}");
    assert!(folder.expect(2, "asm a.s -o a.o --emit c").contains("--emit"));
    assert!(folder.expect(2, "asm a.s -o a.h --emit object").contains("--emit"));
}

#[test]
fn a_header_of_c_that_cannot_be_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("a.s", "stop g1\nnop\n");
    folder.write("wide.s", "psadd f100, f101, f102\n| stopi 0\n");
    for (code, arguments, expected) in [
        (2, "asm a.s -o 1a.h", "begin with a letter of a to z"),
        (3, "asm wide.s -o wide.h --enable more-fprs=128", "128 bits"),
    ] {
        let message = folder.expect(code, arguments);
        assert!(message.contains(expected), "{arguments}: {message}");
    }
    assert!(!folder.path("1a.h").exists() && !folder.path("wide.h").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn an_input_without_an_end_is_refused() {
    let folder = Folder::new();
    folder.write("a.s", ".include \"/dev/zero\"\n");
    let long = "more than 1024 MiB";
    for (arguments, expected) in [
        ("run a.s", "it is not a regular file"),
        ("run /dev/zero --format hex", long),
        ("kernels run fft64 --input /dev/zero", long),
    ] {
        let message = folder.expect(3, arguments);
        assert!(message.contains(expected), "{arguments}: {message}");
    }
}

pub(crate) fn start(folder: &Folder, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .args(arguments.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn endless() -> Folder {
    let folder = Folder::new();
    folder.write("ever.s", "l: jumpi l\nseti g1, 5\nstop g0\nnop\n");
    folder
}

pub(crate) const FOR_EVER: &str = "--max-cycles 1000000000000000";

#[test]
fn a_reader_that_goes_away_ends_a_traced_run() {
    let folder = endless();
    let mut child = start(&folder, &format!("run ever.s {FOR_EVER} --trace - --dump d.json"));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("operation"), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(141));
    assert_eq!(folder.names(), ["d.json", "ever.s"]);
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_run_with_what_it_promised() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = endless();
        let arguments = format!("run ever.s {FOR_EVER} --trace t.csv --dump d.json");
        let child = start(&folder, &arguments);
        // Before the run each place is tried for itself, so only two files at once show that it has begun.
        let deadline = Instant::now() + Duration::from_secs(60);
        while folder.names().len() < 3 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains("interrupted after"), "{message}");
        assert_eq!(folder.names(), ["d.json", "ever.s", "t.csv"]);
        assert_eq!(folder.json("d.json")["gpr"][1], "0000000000000005");
    }
}

/// A chain that goes round and round.
const ROUND: &str = r#"
[[descriptor]]
kind = "get"
memory = { base = 0x1000, burst = 16, x = { step = 256, count = 64 } }
local = { base = 0, x = { step = 2, count = 256 } }
pattern = { dealt = 256 }
next = 0
"#;

#[test]
#[cfg(unix)]
fn a_signal_ends_a_chain_with_what_it_promised() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new();
        folder.write("round.toml", ROUND);
        let arguments = format!(
            "dma round.toml --machine vm9 {FOR_EVER} --dump d.json --memory-out m.bin@0+16"
        );
        let child = start(&folder, &arguments);
        // Before the run each place is tried for itself, so only two files at once show that it has begun.
        let deadline = Instant::now() + Duration::from_secs(60);
        while folder.names().len() < 3 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(message.contains("interrupted after"), "{message}");
        assert_eq!(folder.names(), ["d.json", "m.bin", "round.toml"]);
        assert!(folder.json("d.json")["cycles"].is_number());
    }
}

#[test]
#[cfg(unix)]
fn a_signal_ends_other_commands_without_a_trace() {
    let folder = Folder::new();
    let arguments = "kernels run fft4096 --vectors 3000 --machine vm7 --output y.npy";
    let child = start(&folder, arguments);
    std::thread::sleep(Duration::from_millis(300));
    send(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(folder.names().is_empty());
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_sweep_that_says_how_to_go_on() {
    let folder = Folder::new();
    folder.write("spec.toml", super::sweeps::SPEC);
    let child = start(&folder, "sweep spec.toml -o rows --threads 1");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.path("rows/sweep.toml").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    send(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("the same command runs the missing points"), "{message}");
}

#[cfg(unix)]
pub(crate) fn send(child: &Child, signal: &str) {
    let done = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(done.unwrap().success());
}
