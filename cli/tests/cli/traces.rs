//! `cp2 trace` as a user calls it: programs and recordings, every form, and what is refused.

use super::kit::{Folder, twelve};
use std::io::Read as _;
use std::process::{Command, Stdio};

const ENDINGS: [&str; 7] = ["txt", "csv", "parquet", "kanata", "pftrace", "vcd", "fst"];

#[test]
fn a_program_and_its_recording_give_the_same_files() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    for window in ["", "--cycles 12..21", "--cycles ..3", "--cycles 20.. --sections 1"] {
        for ending in ENDINGS {
            let file = |name: &str| std::fs::read(folder.path(name)).unwrap();
            let told = folder.expect(0, &format!("trace twelve.s {window} --values -o a.{ending}"));
            assert_eq!(told, "", "{window} {ending}");
            folder.expect(0, &format!("trace r.cp2rec {window} --values -o b.{ending}"));
            let (a, b) = (file(&format!("a.{ending}")), file(&format!("b.{ending}")));
            assert!(a == b && !a.is_empty(), "{window} {ending}");
        }
    }
    // The form may be named, and text goes to standard output.
    let text = folder.expect(0, "trace r.cp2rec --cycles 3..4");
    assert!(text.contains("twelve.s:6   lwo f2, (r0)+1"), "{text}");
    assert_eq!(folder.expect(0, "trace twelve.s --cycles 3..4 --format text -o x.fst"), "");
    assert_eq!(std::fs::read_to_string(folder.path("x.fst")).unwrap(), text);
    assert!(folder.expect(0, "trace twelve.s --format kanata").starts_with("Kanata\t0004\n"));
}

#[test]
fn a_run_is_traced_in_every_form_too() {
    let folder = twelve();
    for ending in ["kanata", "pftrace", "vcd", "fst"] {
        folder.expect(0, &format!("run twelve.s --trace a.{ending}"));
        folder.expect(0, &format!("trace twelve.s -o b.{ending}"));
        let file = |name: &str| std::fs::read(folder.path(&format!("{name}.{ending}"))).unwrap();
        assert!(file("a") == file("b"), "{ending}");
    }
}

#[test]
fn a_procedure_shows_its_channel_and_its_host() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft8192 --machine vm7 --vectors 1 --record r.cp2rec");
    let text = folder.expect(0, "trace r.cp2rec --cycles 4300..5000");
    assert!(text.contains("(host: write register, CTRL"), "{text}");
    assert!(text.contains("(DMA get 0: 0x"), "{text}");
    folder.expect(0, "trace r.cp2rec --cycles 4300..19000 -o r.csv");
    let rows = std::fs::read_to_string(folder.path("r.csv")).unwrap();
    for kind in ["operation,", "cycle,", "beat,", "descriptor,", "host,"] {
        assert!(rows.lines().any(|line| line.starts_with(kind)), "{kind}");
    }
    // The recording has the kernels that the host sends, here the first, with the texts of their lines.
    assert!(rows.contains(",fft64_32x1_1x64_table.s,") && !rows.contains(",fft128_16x1_16x1.s,"));
    let refused = folder.expect(3, "trace r.cp2rec --lines 3");
    let files = "fft64_32x1_1x64_table.s, fft128_16x1_16x1.s";
    let message = format!("no bundle comes from these lines of {files}");
    assert!(refused.contains(&message), "{refused}");
}

#[test]
fn what_is_wrong_with_a_trace_is_told_before_anything_is_written() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let names = folder.names();
    for (code, arguments, said) in [
        (2, "trace twelve.s --cycles 5..3", "A has to be less than B"),
        (2, "trace twelve.s --cycles x", "A..B"),
        (
            3,
            "trace twelve.s --cycles 100.. -o t.csv",
            "after the end of the run, which has cycles 0 to 30",
        ),
        (
            3,
            "trace r.cp2rec --cycles 100.. -o t.csv",
            "no cycle 100: the recording has cycles 0 to",
        ),
        (2, "trace twelve.s -o t.xyz", "the endings are .txt, .csv, .parquet"),
        (2, "trace twelve.s -o t", "--format"),
        (2, "trace twelve.s -o twelve.s", "would replace"),
        (2, "trace r.cp2rec -o r.cp2rec", "would replace"),
        (3, "trace twelve.s -o missing/t.csv", "there is no folder missing"),
        (2, "trace twelve.s --format fst", "give a file with -o"),
        (2, "trace twelve.s --format xyz", "possible values"),
        (3, "trace none.s", "none.s"),
        (3, "trace none.cp2rec", "none.cp2rec"),
        (2, "trace twelve.s --lines x", "12..20"),
        (3, "trace twelve.s --lines 500", "no bundle comes from these lines of twelve.s"),
        (2, "trace twelve.s --registers f64", "has 64 floating-point registers"),
        (2, "trace twelve.s --registers [9000]", "has 8192 words of local memory"),
        (2, "trace twelve.s --sections 4", "sections are 0 to 3"),
        (2, "trace r.cp2rec --machine vm7", "a recording has its own machine"),
        (2, "trace r.cp2rec --arg g1=3", "a recording has its own machine"),
        (2, "trace twelve.s --limit 3GB -o t.csv", "64MiB"),
    ] {
        let text = folder.expect(code, arguments);
        assert!(text.contains(said), "cp2 {arguments}: {text}");
    }
    let written: Vec<_> = folder.names().into_iter().filter(|n| !names.contains(n)).collect();
    assert!(written.is_empty() || written == ["t.csv"], "{written:?}");
}

#[test]
fn a_trace_that_is_cut_short_says_where() {
    let folder = twelve();
    for ending in ENDINGS {
        let text = folder.expect(0, &format!("trace twelve.s --limit 700 -o t.{ending}"));
        assert!(text.contains(&format!("t.{ending} is complete up to cycle ")), "{text}");
        assert!(text.contains("700 bytes (--limit)"), "{text}");
    }
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let text = folder.expect(0, "trace r.cp2rec --cycles 3..5000 -o t.txt");
    assert!(text.contains("the run ends before cycle"), "{text}");
    // Whatever the program does, what happened before is there.
    folder.write("ever.s", "l: jumpi l\nnop\n");
    let text = folder.expect(5, "trace ever.s --max-cycles 40 -o t.csv");
    assert!(text.contains("did not stop within 40 cycles"), "{text}");
    let rows = std::fs::read_to_string(folder.path("t.csv")).unwrap();
    assert_eq!(rows.lines().filter(|line| line.starts_with("cycle,")).count(), 40);
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_ends_the_trace() {
    let folder = Folder::new();
    folder.write("ever.s", "l: jumpi l\nnop\n");
    folder.expect(5, "run ever.s --max-cycles 300000 --record r.cp2rec");
    for arguments in ["trace ever.s --max-cycles 1000000000000 --limit none", "trace r.cp2rec"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
            .args(arguments.split(' '))
            .current_dir(folder.path("ever.s").parent().unwrap())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 1000]).unwrap();
        drop(out);
        assert_eq!(child.wait().unwrap().code(), Some(141), "{arguments}");
    }
}
