//! Long procedures that are stopped or killed, and go on from a checkpoint.

use super::kit::{self, Folder, npy};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Options that make enough checkpoints for a kill between two: half of the time goes to them.
const KEEP: &str = "--checkpoint run.chk --interval 0";

fn start(folder: &Folder, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .env("CP2_CACHE_DIR", kit::schedules())
        .args(arguments.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for a number of checkpoints, or the end of the run.
fn wait_for(path: &Path, checkpoints: usize, child: &mut Child) {
    let since = Instant::now();
    let (mut seen, mut last) = (0, None);
    while seen < checkpoints && child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < Duration::from_secs(120), "{} does not come", path.display());
        let now = std::fs::metadata(path).and_then(|data| data.modified()).ok();
        seen += usize::from(now.is_some() && now != last);
        last = now.or(last);
        std::thread::yield_now();
    }
}

/// Returns what a run prints, and the files that it writes.
fn results(folder: &Folder, arguments: &str) -> [Vec<u8>; 3] {
    let output = folder.cp2(&format!("{arguments} --output out.npy --timeline-json time.json"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {text}");
    [
        output.stdout,
        std::fs::read(folder.path("out.npy")).unwrap(),
        std::fs::read(folder.path("time.json")).unwrap(),
    ]
}

/// The process is killed between two checkpoints, and what goes on from there gives the same bytes.
#[test]
#[cfg(unix)]
fn a_run_that_is_killed_goes_on_to_the_same_bytes() {
    for run in [
        "kernels run ft --machine vm9 --json",
        "kernels run mg --machine vm7 --json",
        "kernels run convolution --machine vm7 --points 6000 --vectors 3 --json",
        "kernels run fft16384 --machine vm7 --vectors 4 --inverse --json",
        "kernels run cg --machine vm9 --json",
        "kernels run spmv --machine vm7 --rows 1024 --json",
    ] {
        let folder = Folder::new();
        let whole = results(&folder, run);
        // The same options, the files named too.
        let files = "--output out.npy --timeline-json time.json";
        let mut child = start(&folder, &format!("{run} {files} {KEEP}"));
        wait_for(&folder.path("run.chk"), 40, &mut child);
        // SIGKILL on Unix.
        child.kill().unwrap();
        child.wait().unwrap();
        let again = results(&folder, &format!("{run} --resume run.chk"));
        assert!(whole == again, "{run}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_stops_a_procedure_with_a_sentence_and_a_checkpoint() {
    let folder = Folder::new();
    // Small checkpoints and thousands of them: the run is far from its end at the third, on whatever native
    // machine.
    let run = "kernels run cg --machine vm9 --class S";
    let whole = results(&folder, run);
    let files = "--output out.npy --timeline-json time.json";
    let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .env("CP2_CACHE_DIR", kit::schedules())
        .args(format!("{run} {files} {KEEP}").split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&folder.path("run.chk"), 3, &mut child);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut message = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut message).unwrap();
    assert_eq!(status.code(), Some(130), "{message}");
    assert!(message.contains("--resume continues from the checkpoint"), "{message}");
    assert!(whole == results(&folder, &format!("{run} --resume run.chk")));
}

#[test]
fn a_checkpoint_of_another_run_is_refused_with_a_sentence() {
    let folder = Folder::new();
    let run = "kernels run fft2d --machine vm7 --n1 32 --n2 32";
    folder.expect(0, &format!("{run} {KEEP}"));
    for (other, sentence) in [
        ("kernels run fft3d --machine vm7", "of another procedure, fft2d and not fft3d"),
        ("kernels run fft2d --machine vm9 --n1 32 --n2 32", "of another machine"),
        ("kernels run fft2d --machine vm7 --n1 32 --n2 64", "with other inputs or options"),
        (
            "kernels run fft2d --machine vm7 --n1 32 --n2 32 --seed 2",
            "with other inputs or options",
        ),
    ] {
        let text = folder.expect(3, &format!("{other} --resume run.chk"));
        assert!(text.contains(sentence), "{other}: {text}");
    }
    let mut bytes = std::fs::read(folder.path("run.chk")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("wrong.chk", &bytes);
    let text = folder.expect(3, &format!("{run} --resume wrong.chk"));
    assert!(text.contains("is damaged"), "{text}");
    folder.write("none.chk", "hello");
    let text = folder.expect(3, &format!("{run} --resume none.chk"));
    assert!(text.contains("not a checkpoint of cp2"), "{text}");
    folder.expect(2, &format!("kernels run fft64 {KEEP}"));
}

#[test]
fn arrays_of_two_and_three_dimensions_are_transformed_from_npy() {
    let folder = Folder::new();
    // A constant has one frequency.
    folder.write("x.npy", npy("(8, 16, 32)", 1.0, 4096));
    folder.write("y.npy", npy("(32, 64)", 0.5, 2048));
    folder.write("odd.npy", npy("(8, 12, 32)", 1.0, 3072));
    let text = folder.expect(0, "kernels run fft3d --machine vm7 --input x=x.npy --output o.npy");
    assert!(text.contains("fft3d on vm7: 8x16x32 points"), "{text}");
    let out = std::fs::read(folder.path("o.npy")).unwrap();
    let data = &out[out.len() - 8 * 4096..];
    let float = |i: usize| f32::from_le_bytes(data[4 * i..4 * i + 4].try_into().unwrap());
    assert_eq!((float(0), float(1)), (4096.0, 4096.0));
    assert!((2..8192).all(|i| float(i).abs() < 1e-2));
    folder.expect(
        0,
        "kernels run fft3d --machine vm9 --input x=o.npy --inverse --scale --output b.npy",
    );
    folder.expect(0, "kernels run fft2d --machine vm9 --input y.npy --output o.npy");
    for (arguments, sentence) in [
        ("fft3d --machine vm7 --input odd.npy", "points along the axis before the last is 12"),
        ("fft3d --machine vm7 --input y.npy", "fft3d takes x of (n3, n2, n1)"),
        ("fft2d --machine vm7 --input x.npy", "dimensions"),
    ] {
        let text = folder.expect(3, &format!("kernels run {arguments}"));
        assert!(text.contains(sentence), "{arguments}: {text}");
    }
}
