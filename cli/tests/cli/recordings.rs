//! Recordings as a user makes them and looks at them.

use super::kit::{Folder, twelve};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_recording_shows_the_cycles_that_a_trace_shows() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let traced = folder.expect(0, "run twelve.s --trace - --trace-values");
    let shown = folder.expect(0, "trace r.cp2rec --cycles .. --values");
    let operations = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.contains('('));
        lines.map(str::to_owned).collect()
    };
    assert!(operations(&traced).len() > 10);
    let lines = operations(&shown);
    // A trace of a run tells labels and lines too.
    let cycles = |lines: &[String]| -> Vec<Option<String>> {
        lines.iter().map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
    };
    assert_eq!(cycles(&operations(&traced)), cycles(&lines), "{shown}\n{traced}");
    let cycles = folder.expect(0, "trace r.cp2rec --cycles 3..5");
    assert!(cycles.lines().skip(1).all(|l| l.trim().starts_with('3') || l.trim().starts_with('4')));
    let stats = folder.expect(0, "stats r.cp2rec --stretches 3 --verify");
    assert!(stats.contains("run twelve.s --record r.cp2rec"), "{stats}");
    assert!(stats.contains("floating-point operations"), "{stats}");
}

#[test]
fn a_procedure_is_recorded_with_its_host_and_its_channel() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft8192 --machine vm7 --vectors 2 --record r.cp2rec");
    let stats = folder.expect(0, "stats r.cp2rec --verify");
    assert!(stats.contains("DMA: a beat moved") && stats.contains("cmul"), "{stats}");
}

#[test]
fn a_kernel_with_its_operands_is_recorded() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft256 --vectors 8 --record r.cp2rec");
    let stats = folder.expect(0, "stats r.cp2rec --verify");
    assert!(stats.contains("in both slots"), "{stats}");
}

#[test]
fn what_is_wrong_with_a_recording_or_its_use_is_told() {
    let folder = twelve();
    folder.write("no.cp2rec", "something else, of more than a few bytes");
    assert!(folder.expect(3, "stats no.cp2rec").contains("not a recording"));
    assert!(folder.expect(3, "trace none.cp2rec --cycles 1..2").contains("none.cp2rec"));
    assert!(folder.expect(2, "trace no.cp2rec --cycles 7").contains("A..B"));
    assert!(folder.expect(2, "trace no.cp2rec --cycles 7..7").contains("no cycle"));
    assert!(
        folder
            .expect(2, "run twelve.s --record -")
            .contains("a recording cannot go to standard output")
    );
    assert!(folder.expect(2, "run twelve.s --record twelve.s").contains("would replace"));
    folder.expect(0, "run twelve.s --record r.cp2rec");
    assert!(folder.expect(3, "trace r.cp2rec --cycles 1000..1001").contains("no cycle 1000"));
}

/// A recording that was there stays until the run begins; a new file is removed.
#[test]
fn a_run_that_is_refused_leaves_no_recording() {
    let folder = twelve();
    folder.expect(3, "run twelve.s --record r.cp2rec --trace none/t.parquet");
    assert!(!folder.path("r.cp2rec").exists());
    folder.write("old.cp2rec", "something");
    folder.expect(3, "run twelve.s --record old.cp2rec --trace none/t.parquet");
    assert_eq!(std::fs::read(folder.path("old.cp2rec")).unwrap(), b"something");
    folder.expect(3, "kernels run fft256 --input x=none.npy --record k.cp2rec");
    assert!(!folder.path("k.cp2rec").exists());
    folder.expect(0, "run twelve.s --record old.cp2rec");
    folder.expect(0, "stats old.cp2rec --verify");
}

/// A recording goes up to a checkpoint, at whatever moment the run was killed.
#[test]
#[cfg(unix)]
fn a_recording_of_a_run_that_is_killed_is_read_up_to_its_last_checkpoint() {
    let folder = Folder::new();
    folder.write("ever.s", "seti g1, 1\nl: jumpi l\nnop\nstop g0\n");
    let path = folder.path("r.cp2rec");
    let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .args(["run", "ever.s", "--max-cycles", "1000000000000", "--record", "r.cp2rec"])
        .current_dir(path.parent().unwrap())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    while std::fs::metadata(&path).map_or(0, |data| data.len()) < 12_000 {
        assert!(since.elapsed() < Duration::from_secs(120), "the recording does not grow");
        std::thread::yield_now();
    }
    // SIGKILL on Unix.
    child.kill().unwrap();
    child.wait().unwrap();
    let stats = folder.expect(0, "stats r.cp2rec --verify");
    assert!(stats.contains("was interrupted; it goes up to its last checkpoint"), "{stats}");
}
