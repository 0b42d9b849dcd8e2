//! The commands as a user calls them: output, files, exit codes.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod arrays;
mod checkpoints;
mod checks;
mod control;
mod data;
mod dma;
mod ends;
mod features;
#[cfg(feature = "gpu")]
mod gpu;
mod hostile;
mod kernels;
mod kit;
mod linear;
mod looks;
mod machines;
mod own;
mod recordings;
mod star;
mod studies;
mod sweeps;
mod texts;
mod traces;
mod trust;
mod watch;

use kit::{Folder, twelve};
use std::path::Path;
use std::process::Command;

#[test]
fn run_reports_where_the_cycles_went() {
    insta::assert_snapshot!(twelve().expect(0, "run twelve.s"));
}

#[test]
fn run_prints_json_with_units() {
    insta::assert_snapshot!(twelve().expect(0, "run twelve.s --json"));
}

#[test]
fn run_traces_as_text() {
    insta::assert_snapshot!(twelve().expect(0, "run twelve.s --trace - --trace-values"));
}

#[test]
fn traces_have_one_row_per_operation_in_every_form() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --trace t.csv --trace-values");
    folder.expect(0, "run twelve.s --trace t.txt");
    folder.expect(0, "run twelve.s --trace t.parquet");
    let rows = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap().lines().count();
    assert_eq!((rows("t.csv"), rows("t.txt")), (17, 17));
    let parquet = std::fs::read(folder.path("t.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    insta::assert_snapshot!(std::fs::read_to_string(folder.path("t.csv")).unwrap());
}

#[test]
fn source_object_and_hex_run_alike() {
    let folder = twelve();
    let text = std::fs::read_to_string(folder.path("twelve.s")).unwrap();
    folder.expect(0, "asm twelve.s -o twelve.o");
    folder.expect(0, "run twelve.s --dump a.json");
    folder.expect(0, "run twelve.o --dump b.json");
    assert_eq!(folder.json("a.json"), folder.json("b.json"));
    folder.write("code.s", text.split(".lmem").next().unwrap());
    folder.expect(0, "asm code.s -o code.hex --emit hex");
    let hex = std::fs::read_to_string(folder.path("code.hex")).unwrap();
    assert!(hex.lines().count() == 12 && hex.lines().all(|l| l.len() == 16), "{hex}");
    let one = "\"3f80000000000000\"";
    let lmem = format!("{{\"4\": {one}}}");
    folder.write("init.json", format!("{{\"lmem\": [{lmem},{lmem},{lmem},{lmem}]}}"));
    folder.expect(0, "run code.hex --init init.json --dump c.json");
    folder.expect(0, "run code.s --init init.json --dump d.json");
    assert_eq!(folder.json("c.json"), folder.json("d.json"));
}

#[test]
fn a_dump_can_be_loaded_again_and_has_every_key() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --dump a.json");
    let dump = folder.json("a.json");
    for key in "fpr lmem gpr a n m ireg control rind rstep rmask status stopcode fccr fcsr cycles"
        .split(' ')
    {
        assert!(dump.get(key).is_some(), "{key}");
    }
    assert_eq!(dump["cycles"], 30);
    assert_eq!(dump["stopcode"], "000000000000002a");
    assert_eq!(dump["lmem"][3]["101"], "c140000041200000");
    folder.write("nop.hex", "0000000004000000\n");
    folder.expect(0, "run nop.hex --init a.json --dump b.json");
    let mut again = folder.json("b.json");
    again["cycles"] = 30.into();
    again["stopcode"] = dump["stopcode"].clone();
    assert_eq!(again, dump);
}

#[test]
fn the_limit_and_errors_of_the_program_have_their_exit_codes_and_a_dump() {
    let folder = Folder::new();
    folder.write("loop.s", "inci f1, 1\nl: jumpi l\n nop\n");
    let text = folder.expect(5, "run loop.s --max-cycles 50 --dump a.json");
    assert!(text.contains("did not stop within 50 cycles"), "{text}");
    assert_eq!(folder.json("a.json")["cycles"], 50);
    assert_eq!(folder.json("a.json")["fpr"][0][1], "0000000100000001");
    folder.write("bad.hex", "4600000000000000\n; comment\n0100000000000000\n");
    let text = folder.expect(4, "run bad.hex --dump b.json");
    assert!(text.contains("bundle 1 (0x0100000000000000), cycle 1: undefined operation"), "{text}");
    assert_eq!(folder.json("b.json")["cycles"], 1);
    let text = folder.expect(4, "run bad.hex --json");
    assert!(text.contains("\"kind\": \"fault\""), "{text}");
}

#[test]
fn bad_input_is_refused_with_place_and_limit() {
    let folder = twelve();
    for (name, json, message) in [
        ("a", "{\"gpr\": [\"1\"]}", "at `gpr`: expected 16 values, found 1"),
        (
            "b",
            "{\"rind\": \"10000\"}",
            "at `rind`: 0x10000 does not fit into the 16 bits of the register",
        ),
        (
            "c",
            "{\"lmem\": [{\"8192\": \"0\"},{},{},{}]}",
            "at `lmem[0][8192]`: word addresses are decimal numbers from 0 to 8191",
        ),
        ("d", "{\"fp\": []}", "at `fp`: unknown key; the keys are fpr, lmem"),
        ("e", "{\"control\": 3}", "at `control`: expected a string of hexadecimal digits, found 3"),
        (
            "f",
            "{\"control\": \"xyz\"}",
            "at `control`: expected 1 to 16 hexadecimal digits, found \"xyz\"",
        ),
        ("g", "{", "EOF while parsing"),
    ] {
        folder.write(&format!("{name}.json"), json);
        let text = folder.expect(3, &format!("run twelve.s --init {name}.json"));
        assert!(text.contains(message), "{text}");
    }
    assert!(folder.expect(3, "run missing.s").contains("cannot read missing.s"));
    assert!(folder.expect(3, "run twelve.s --entry nowhere").contains("the kernels are: twelve"));
    assert!(folder.expect(3, "run twelve.s --dump no/such/folder.json").contains("cannot write"));
    folder.write("empty.o", b"\x7fELF");
    folder.expect(3, "run empty.o");
    folder.write("latin.s", b"nop ; \xff");
    assert!(folder.expect(3, "run latin.s").contains("byte 6 is not UTF-8"));
    folder.expect(2, "run");
    folder.expect(2, "run twelve.s --engine warp");
}

#[test]
fn an_error_leaves_no_output_file_behind() {
    let folder = Folder::new();
    folder.write("bad.s", "cadd f1, f2\n");
    let text = folder.expect(3, "asm bad.s -o bad.o");
    assert!(text.starts_with("bad.s:1:"), "{text}");
    assert_eq!(folder.names(), ["bad.s"]);
}

/// Renaming onto a device would replace the device.
#[cfg(unix)]
#[test]
fn devices_and_links_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt as _;
    let folder = twelve();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
    };
    folder.expect(0, "run twelve.s --dump pipe");
    assert!(reader.join().unwrap().contains("\"cycles\": 30"));
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    folder.write("real.json", "");
    std::os::unix::fs::symlink("real.json", folder.path("link.json")).unwrap();
    folder.expect(0, "run twelve.s --dump link.json");
    assert!(folder.path("link.json").is_symlink());
    assert_eq!(folder.json("real.json")["cycles"], 30);
    assert!(folder.expect(3, "run twelve.s --dump .").contains("it is a folder"));
}

#[test]
fn lint_finds_hazards_and_is_silent_about_marked_ones() {
    let folder = Folder::new();
    folder.write("early.s", "cadd f1, f2, f3\ncadd f4, f1, f3\nstopi 0\n");
    let text = folder.expect(1, "lint early.s");
    assert!(text.contains("early.s:2:") && text.contains("[C0501]"), "{text}");
    folder.expect(1, "lint early.s --sarif early.sarif");
    assert_eq!(folder.json("early.sarif")["runs"][0]["results"][0]["ruleId"], "C0501");
    folder.write("marked.s", "cadd f1, f2, f3\ncadd f4, f1, f3 @allow(C0501)\nstopi 0\n");
    assert!(folder.expect(0, "lint marked.s").contains("0 findings"));
}

#[test]
fn lint_names_what_depends_on_open_rules_on_request() {
    let folder = Folder::new();
    folder.write("open.s", "seti m1, 0\nlwo f1, (r1)-1\nstopi 0\n");
    assert!(folder.expect(0, "lint open.s").contains("0 findings"));
    let text = folder.expect(1, "lint open.s --undefined");
    assert!(text.contains("open.s:2:") && text.contains("[C0520]"), "{text}");
    folder.expect(1, "lint open.s --undefined --sarif open.sarif");
    assert_eq!(folder.json("open.sarif")["runs"][0]["results"][0]["ruleId"], "C0520");
    assert!(folder.expect(1, "lint open.s --undefined --json").contains("\"C0520\""));
    assert!(folder.expect(0, "explain C0520").contains("bit-reversed"));
    folder.write("marked.s", "seti m1, 0\nlwo f1, (r1)-1 @allow(C0520)\nstopi 0\n");
    folder.expect(0, "lint marked.s --undefined");
    // Words that the assembler refuses come as `.hex`: `mtfpr` to section 5, then `stopi 0`.
    folder.write("word.hex", "0000000018000005\n0000000004000000\n");
    assert!(folder.expect(1, "lint word.hex --undefined").contains("[C0536]"));
}

#[test]
fn the_kernels_have_no_findings() {
    let folder = Folder::new();
    for name in [
        "fft64",
        "fft128",
        "fft256",
        "fft512",
        "fft1024",
        "fft2048",
        "fft4096",
        "fft64_single",
        "cmul",
        "chmul",
        "cscale",
    ] {
        let source = folder.expect(0, &format!("kernels source {name}"));
        folder.write("kernel.s", source);
        folder.expect(0, "lint kernel.s");
    }
}

#[test]
fn disassembly_assembles_back() {
    let folder = Folder::new();
    folder.write("k.s", folder.expect(0, "kernels source fft64"));
    folder.expect(0, "asm k.s -o a.hex --emit hex");
    folder.expect(0, "asm k.s -o k.o");
    folder.expect(0, "dis k.o -o again.s");
    folder.expect(0, "asm again.s -o b.hex --emit hex");
    let read = |name| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(read("a.hex"), read("b.hex"));
}

/// The files of `specs/schemas/` are what `cp2 schema` prints: `cp2 schema NAME > FILE` renews one.
#[test]
fn the_schemas_of_the_specification_are_current() {
    let folder = Folder::new();
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/schemas");
    let mut files: Vec<_> = std::fs::read_dir(&place)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".schema.json").unwrap().to_owned())
        .collect();
    files.sort();
    let list = folder.expect(0, "schema");
    // Those of `cp2 gpu` and `cp2 cluster` stand with the procedures of these commands, which not every build has.
    let known = list.lines().map(|l| l.split(' ').next().unwrap());
    let known: Vec<_> =
        known.filter(|name| !name.starts_with("gpu") && !name.starts_with("cluster")).collect();
    assert_eq!(known, files);
    for name in files {
        let file = std::fs::read_to_string(place.join(format!("{name}.schema.json"))).unwrap();
        assert!(file == folder.expect(0, &format!("schema {name}")), "{name}");
    }
    assert!(folder.expect(3, "schema none").contains("there is no schema `none`"));
}

#[test]
fn explain_knows_the_codes() {
    let folder = Folder::new();
    assert!(folder.expect(0, "explain C0501").contains("C0501"));
    assert!(folder.expect(0, "explain").contains("C0501"));
    assert!(
        folder
            .expect(3, "explain C9999")
            .contains("there is neither a code nor an operation `C9999`")
    );
}

/// `cp2 isa` and `cp2 explain` tell the same of an operation; a name that there is not is told with the nearest.
#[test]
fn operations_are_told_with_their_examples() {
    let folder = Folder::new();
    let entry = folder.expect(0, "isa psmadd");
    insta::assert_snapshot!(entry);
    assert_eq!(folder.expect(0, "explain PSMADD"), entry);
    let both = folder.expect(0, "isa psprmsgn");
    assert!(both.contains("\npsprmsgn1 ") && both.contains("0 F.lo, 1 F.hi, 2 next.lo, 3 next.hi"));
    assert!(both.contains("after    f4 = -10.0:13.0  f5 = 12.0:11.0"), "{both}");
    assert!(folder.expect(0, "isa c.lt.ps").starts_with("c.relation.format cc, S, T"));
    assert_eq!(folder.expect(0, "isa nop").matches("opcode 0x00").count(), 2);
    assert!(folder.expect(3, "isa psmad").contains("did you mean `psmadd`?"));
    assert!(folder.expect(3, "explain psmad").contains("did you mean `psmadd`?"));
    assert!(folder.expect(3, "explain C05O1").contains("did you mean `C0501`?"));
    let early = folder.expect(0, "isa lwo --set core.load_latency=5");
    assert!(early.contains(" 5  FPR to any reader but `psprmsgn`"), "{early}");
    let page = folder.expect(0, "isa");
    assert!(page == include_str!("../../../specs/src/isa.md"), "cp2 isa > specs/src/isa.md");
    let json: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "isa lwsa --json")).unwrap();
    assert_eq!(json["operations"][0]["extensions"], serde_json::json!(["section-addressing"]));
    let all: serde_json::Value = serde_json::from_str(&folder.expect(0, "isa --json")).unwrap();
    let all = all["operations"].as_array().unwrap();
    assert!(all.len() > 180 && all.iter().all(|operation| operation["example"].is_object()));
}

const BENCH: &str = "bench fft64_single fft64_one fft64 fft128_one fft128 fft256_one fft256 fft4096 \
                     resid_general smooth_general smooth0_general proj_general interp interp0 \
                     resid smooth smooth0 proj spmv_sliced_random32 spmv_sliced_random2048 \
                     spmv_direct_random axpy dot";

/// The README shows what the commands print.
#[test]
fn the_readme_shows_real_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let source = std::fs::read_to_string(root.join("examples/twelve.s")).unwrap();
    assert!(readme.contains(source.trim_end()), "examples/twelve.s");
    for arguments in [
        "kernels run fft256",
        BENCH,
        "run examples/twelve.s --trace -",
        "lint examples/early.s",
        "sched examples/axpy.s --exact",
        "bench fft256 fft4096 resid smooth axpy dot --set core.arithmetic_latency=12",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_cp2"))
            .current_dir(&root)
            .args(arguments.split(' '))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.lines().count() > 3 && readme.contains(text.trim_end()),
            "cp2 {arguments}\n{text}"
        );
    }
}

#[test]
fn schedules_are_told_and_compared_with_the_engine() {
    let folder = Folder::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/axpy.s");
    let source = std::fs::read_to_string(root).unwrap();
    folder.write("axpy.s", &source);
    let text = folder.expect(0, "sched axpy.s --exact --bundles");
    for line in
        ["ii                     3  100.0 % of the bound", "least ii               3  proved"]
    {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("g2 = 36, predicted 140, simulated 140: equal"), "{text}");
    assert!(text.contains("made  mtfpr") || text.contains("made  | mtfpr"), "{text}");
    folder.write("out.json", folder.expect(0, "sched axpy.s --json"));
    let report = folder.json("out.json");
    assert_eq!(report["regions"][0]["blocks"][1]["ii"], 3);
    assert_eq!(report["regions"][0]["cycles"], "32 + 3*g2");
    // As many cycles as predicted: 6 bundles before the region, the region, the stop.
    let run = folder.expect(0, "run axpy.s");
    let lead = 4;
    assert!(run.contains(&format!("{} cycles", lead + 32 + 3 * 512 + 1)), "{run}");

    folder.write("none.s", "    stopi 0\n");
    assert!(folder.expect(3, "sched none.s").contains("no linear region"));
    folder.write("tight.s", source.replace(".scratch g15", ".keep f1-f63"));
    assert!(folder.expect(3, "sched tight.s").contains("C060"));
}

/// A changed count is a reviewed difference of the golden file.
#[test]
fn cycle_counts_are_those_of_the_golden_file() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/golden/cycles.json");
    let folder = Folder::new();
    // Every kernel is counted once only: it takes long.
    folder.expect(0, "bench --bless --golden mine.json");
    assert_eq!(std::fs::read(&golden).unwrap(), std::fs::read(folder.path("mine.json")).unwrap());
    let changed = std::fs::read_to_string(&golden).unwrap().replace("3142", "3141");
    folder.write("mine.json", changed);
    let text = folder.expect(1, "bench fft64 --check --golden mine.json");
    assert!(text.contains("fft64: 3142 cycles for 16 vectors"), "{text}");
    // The folder is not the repository: the golden file is built in.
    folder.expect(0, "bench fft64 --check");
    folder.expect(3, "bench fft64 --check --golden missing.json");
}

#[test]
fn programs_come_through_standard_input_in_every_form() {
    let folder = twelve();
    folder.expect(0, "asm twelve.s -o twelve.o");
    folder.write("early.s", "cadd f1, f2, f3\ncadd f4, f1, f3\nstopi 0\n");
    for (form, file) in [("auto", "twelve.s"), ("source", "twelve.s"), ("auto", "twelve.o")] {
        let bytes = std::fs::read(folder.path(file)).unwrap();
        let (code, text) = folder.piped(&format!("run - --format {form}"), &bytes);
        assert!(code == Some(0) && text.contains("30 cycles"), "{text}");
        let (code, text) = folder.piped("dis -", &bytes);
        assert!(code == Some(0) && text.contains("cmul f6, f2, f1"), "{text}");
    }
    let early = std::fs::read(folder.path("early.s")).unwrap();
    let (code, text) = folder.piped("lint -", &early);
    assert!(code == Some(1) && text.contains("<stdin>:2:1"), "{text}");
    let (code, text) = folder.piped("run - --format hex", b"0000000004000007\n");
    assert!(code == Some(0) && text.contains("stopped with code 7"), "{text}");
}

#[test]
fn a_program_without_bundles_is_bad_input() {
    let folder = Folder::new();
    folder.write("empty.s", "; nothing\n");
    for command in ["run", "lint", "dis"] {
        assert!(folder.expect(3, &format!("{command} empty.s")).contains("no bundle"));
    }
}

#[test]
fn streams_are_not_shared() {
    let folder = twelve();
    for arguments in [
        "run - --init -",
        "run twelve.s --dump - --json",
        "run twelve.s --dump - --trace -",
        "run twelve.s --dump x --trace x",
        "lint twelve.s --sarif - --json",
        "kernels run fft64 --output - --json",
    ] {
        folder.expect(2, arguments);
    }
    assert_eq!(folder.names(), ["twelve.s"]);
}

#[test]
fn errors_of_all_files_are_told() {
    let folder = Folder::new();
    folder.write("a.s", "foo\n");
    let text = folder.expect(3, "asm a.s missing.s -o x.o");
    assert!(text.contains("a.s:1:1: error") && text.contains("cannot read missing.s"), "{text}");
    let text = folder.expect(3, "asm a.s -o no/x.o");
    assert!(!text.contains(".cp2-"), "{text}");
}

#[test]
fn file_tests_are_run_told_and_blessed() {
    let folder = Folder::new();
    let right = "        seti g1, 5\n        stopi 0\n; run:\n; cycles: 2\n; state: g1 = 5\n";
    folder.write("right.s", right);
    assert_eq!(folder.expect(0, "test right.s"), "1 file, 1 case, 3 checks: 0 failed\n");
    for engine in ["reference", "fast"] {
        folder.expect(0, &format!("test right.s --engine {engine}"));
    }
    std::fs::create_dir(folder.path("more")).unwrap();
    folder.write("more/wrong.s", right.replace("cycles: 2", "cycles: 3"));
    let text = folder.expect(1, "test right.s more");
    assert!(text.starts_with("more/wrong.s:4: cycles is 2, expected 3\n"), "{text}");
    assert!(text.ends_with("2 files, 2 cases, 6 checks: 1 failed\n"), "{text}");
    folder.write("report.json", folder.expect(1, "test more --json"));
    assert_eq!(folder.json("report.json")["results"][0]["failures"][0]["line"], 4);
    folder.expect(0, "test more --bless");
    assert_eq!(std::fs::read_to_string(folder.path("more/wrong.s")).unwrap(), right);
    folder.write(
        "include.s",
        ".include \"more/five.inc\"\n        stopi five\n; run:\n; end: stop 5\n",
    );
    folder.write("more/five.inc", ".equ five, 5\n");
    folder.expect(0, "test include.s");
    folder.write("typo.s", "        stopi 0\n; rum:\n");
    let text = folder.expect(3, "test typo.s right.s");
    assert!(
        text.contains("typo.s:2: error: there is no directive `rum:`; do you mean `run:`?"),
        "{text}"
    );
    assert!(text.contains("1 directive cannot be understood"), "{text}");
    folder.write("nothing.s", "        stopi 0\n");
    let text = folder.expect(3, "test nothing.s");
    assert!(text.contains("the file checks nothing"), "{text}");
    assert!(text.contains("cp2: error: 1 case checks nothing\n"), "{text}");
    let text = folder.expect(3, "test nothing.s typo.s");
    let both = "1 directive cannot be understood, and 1 case checks nothing\n";
    assert!(text.contains(both), "{text}");
    folder.expect(3, "test none.s");
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert!(folder.expect(3, "test empty").contains("no source"));
    folder.expect(2, "test");
    folder.expect(2, "test - --bless");
    let (code, text) = folder.piped("test -", right.as_bytes());
    assert!(code == Some(0) && text.contains("3 checks"), "{text}");
    assert!(folder.expect(0, "test --help").contains("--bless"));
}
