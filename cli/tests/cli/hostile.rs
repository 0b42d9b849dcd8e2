//! Real processes on files and options that do not go together. Every pair of options of a command is given
//! once; whatever happens has one of the exit codes, and what is refused has written nothing. Inputs by the
//! thousand are in `tests/hostile.rs`, command lines in `cli/src/args/hostile.rs`.

use super::kit::Folder;
use std::path::Path;

/// A command on good inputs, and its options with good values. `OUT` is a name that is used once.
struct Walk {
    base: &'static str,
    options: &'static [&'static str],
}

const WALKS: [Walk; 13] = [
    Walk {
        base: "run twelve.s",
        options: &[
            "--format source",
            "--format hex",
            "--no-cache",
            "--machine vm9",
            "--set core.load_latency=4",
            "--set memory.clock_mhz=700",
            "--dump-config",
            "--init state.json",
            "--dump OUT",
            "--max-cycles 9",
            "--entry 3",
            "--engine reference",
            "--trace OUT.csv",
            "--trace -",
            "--trace-values",
            "--trace-cycles 3..5",
            "--trace-limit 1KiB",
            "--profile",
            "--profile-folded OUT",
            "--json",
            "--color never",
            "--interface",
            "--record OUT.cp2rec",
            "--arg g2=4",
        ],
    },
    Walk {
        base: "asm twelve.s",
        options: &[
            "-o OUT.o",
            "-o OUT.hex",
            "-o -",
            "--emit hex",
            "--emit object",
            "--machine vm9",
            "--no-cache",
            "--set core.load_latency=4",
            "--set memory.clock_mhz=700",
        ],
    },
    Walk {
        base: "star paths",
        options: &[
            "--rmat 3",
            "--graph pages.toml",
            "--bits 9",
            "--bits 3",
            "--source 2",
            "--source 900",
            "--insert state.json",
            "--rows 4",
            "--load Weight=x.npy",
            "--arg s=2",
            "--store Dist=OUT.npy",
            "--store SPT=OUT.csv:parents",
            "--store Dist=-:parents",
            "--steps OUT.html",
            "--steps -",
            "--step-limit 3",
            "--max-statements 9",
            "--backend cp2",
            "--machine vm9",
            "--cheap",
            "--check",
            "--fmt",
            "--json",
        ],
    },
    Walk {
        base: "dis twelve.s",
        options: &["--format hex", "-o OUT.s", "--machine vm9", "--set core.banks=4", "--no-cache"],
    },
    Walk {
        base: "lint twelve.s",
        options: &[
            "--json",
            "--sarif OUT",
            "--sarif -",
            "--undefined",
            "--machine vm9",
            "--set core.banks=4",
            "--format hex",
        ],
    },
    Walk {
        base: "sched axpy.s",
        options: &[
            "--json",
            "--bundles",
            "--exact",
            "--why",
            "--conflicts 10",
            "--machine vm9",
            "--no-cache",
        ],
    },
    Walk {
        base: "dma pages.toml",
        options: &[
            "--format hex",
            "--emit toml",
            "--emit hex",
            "-o OUT.toml",
            "--machine vm9",
            "--json",
            "--map",
            "--set memory.clock_mhz=700",
            "--register curdsc=2",
            "--memory state.json@0",
            "--local state.json",
            "--dump OUT",
            "--memory-out OUT@0+8",
            "--release 2000",
            "--release-after 5",
            "--stop-at 9",
            "--max-cycles 4000",
            "--beats OUT.csv",
            "--beat-values",
            "--picture OUT.svg",
        ],
    },
    Walk {
        base: "kernels run fft64",
        options: &[
            "--vectors 2",
            "--input x.npy",
            "--output OUT.npy",
            "--seed 3",
            "--engine fast",
            "--json",
            "--max-cycles 20",
            "--machine vm9",
            "--set memory.clock_mhz=700",
            "--inverse",
            "--timeline",
            "--timeline-json OUT",
        ],
    },
    Walk {
        base: "stats twelve.s",
        options: &[
            "--json",
            "--summary",
            "--stretches 3",
            "--verify",
            "--machine vm9",
            "--enable word-access",
            "--init state.json",
            "--max-cycles 9",
            "--entry 3",
            "--arg g2=4",
            "--load 100=x.npy",
            "--store 100=OUT.npy:complex64:shape=4",
            "--store 200=-:complex64:shape=4",
            "--no-cache",
        ],
    },
    Walk {
        base: "diff twelve.s twelve.s",
        options: &[
            "--json",
            "--reach 7",
            "--machine vm9",
            "--set-b core.load_latency=4",
            "--init-b state.json",
            "--load 100=x.npy",
            "--load-b 100=x.npy",
            "--arg g2=4",
            "--arg-b g2=5",
            "--entry-b 3",
            "--store-b 100=OUT.npy:complex64:shape=4",
        ],
    },
    Walk { base: "test tested.s", options: &["--bless", "--engine fast", "--json"] },
    Walk {
        base: "isa",
        options: &["psmadd", "--json", "--machine vm9", "--set core.load_latency=4"],
    },
    Walk { base: "explain", options: &["C0501", "--machine vm9", "--set core.load_latency=4"] },
];

fn folder() -> Folder {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for name in ["twelve.s", "axpy.s", "pages.toml", "tested.s"] {
        std::fs::copy(examples.join(name), folder.path(name)).unwrap();
    }
    folder.write("state.json", "{}");
    folder.write("x.npy", super::kit::npy("(2, 64)", 1.0, 128));
    folder
}

/// Runs a line and judges its end: a known exit code, a message if it failed, nothing written if it was
/// refused.
fn judge(folder: &Folder, line: &str) -> i32 {
    let before = folder.names();
    let output = folder.cp2(line);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or(-1);
    assert!((0..=5).contains(&code), "cp2 {line}: exit code {code}\n{message}");
    assert!(
        code < 2 || !message.trim().is_empty(),
        "cp2 {line}: exit code {code} without a message"
    );
    if code == 2 || code == 3 {
        assert_eq!(folder.names(), before, "cp2 {line}: refused, but something was written");
        // `test` tells of the files that it could read, beside those that it could not.
        let shown = output.stdout.is_empty() || line.starts_with("test ");
        assert!(shown, "cp2 {line}: refused, but something was printed");
    }
    code
}

#[test]
fn every_pair_of_options_ends_well() {
    let (mut n, mut refused) = (0, 0);
    for Walk { base, options } in WALKS {
        for (k, first) in options.iter().enumerate() {
            let folder = folder();
            for second in &options[k + 1..] {
                n += 1;
                let line = format!("{base} {first} {second}");
                let line: Vec<String> = line
                    .split(' ')
                    .enumerate()
                    .map(|(place, word)| word.replace("OUT", &format!("out{n}_{place}")))
                    .collect();
                refused += u32::from(judge(&folder, &line.join(" ")) == 2);
            }
        }
    }
    println!("{n} pairs, {refused} refused as wrong usage");
    assert!(refused > 50, "{refused} of {n}");
}

#[test]
fn options_that_would_have_no_effect_are_wrong_usage() {
    let folder = folder();
    for line in [
        "run twelve.s --machine vm9 --dump-config",
        "run --machine vm9 --dump-config --json",
        "run --machine vm9 --dump-config --max-cycles 5",
        "run --machine vm9 --dump-config --trace t",
        "run --machine vm9 --dump-config --trace-values",
        "run --machine vm9 --dump-config --arg g2=3",
        "run twelve.s --interface --max-cycles 5",
        "run twelve.s --interface --profile",
        "run twelve.s --trace-values",
        "run twelve.s --trace-cycles 3..5",
        "run twelve.s --trace-limit 1KiB",
        "run twelve.s --trace t --trace-cycles 5..3",
        "run twelve.s --trace t --trace-limit 3MB",
        "run twelve.s --profile --dump -",
        "run twelve.s --profile --trace -",
        "run twelve.s --profile-folded - --json",
        "run twelve.s --set memory.clock_mhz=700",
        "dma pages.toml --emit toml --max-cycles 5",
        "dma pages.toml --emit toml --json",
        "dma pages.toml --emit toml -o pages.toml",
        "dma pages.toml --machine vm9 -o x.toml",
        "dma pages.toml --machine vm9 --beat-values",
        "dma pages.toml --emit toml --set memory.clock_mhz=700",
        "dma pages.toml --emit toml --beat-values",
        "bench --golden x.json",
        "bench --speed --golden x.json",
        "bench --speed --check",
        "explain --machine vm9",
        "explain --set core.load_latency=4",
        "sched axpy.s --bundles --json",
        "test - --bless",
        "kernels run fft64 --input x.npy --seed 3",
        "kernels run fft64 --timeline",
        "--color sometimes isa",
    ] {
        let message = folder.expect(2, line);
        assert!(message.contains("error: "), "{line}: {message}");
    }
    assert_eq!(folder.names().len(), 6);
}

/// Files that are cut off, of another kind, empty, or full of one byte, in the place of every input.
#[test]
fn inputs_of_another_kind_are_bad_input() {
    let folder = folder();
    let bytes = std::fs::read(folder.path("twelve.s")).unwrap();
    folder.write("half.s", &bytes[..bytes.len() / 2 - 3]);
    folder.write("empty", "");
    folder.write("zeros", [0_u8; 5000]);
    folder.write("elf", b"\x7fELF\x02\x02\x01");
    folder.write("high", [0xff_u8; 100]);
    for input in [
        "half.s",
        "empty",
        "zeros",
        "elf",
        "high",
        "x.npy",
        "pages.toml",
        "twelve.s",
        "missing",
        ".",
    ] {
        for line in [
            format!("run {input} --max-cycles 1000"),
            format!("run {input} --format hex --max-cycles 1000"),
            format!("run {input} --format object --max-cycles 1000"),
            format!("run twelve.s --init {input}"),
            format!("run twelve.s --machine ./{input}"),
            format!("asm {input} -o out.o"),
            format!("dis {input}"),
            format!("lint {input}"),
            format!("sched {input}"),
            format!("dma {input} --machine vm9 --max-cycles 1000"),
            format!("dma {input} --format hex --machine vm9 --max-cycles 1000"),
            format!("dma pages.toml --machine vm9 --local {input} --max-cycles 1000"),
            format!("dma pages.toml --machine vm9 --memory {input}@0 --max-cycles 1000"),
            format!("kernels run fft64 --input {input}"),
            format!("kernels run spmv_direct --matrix {input}"),
            format!("test {input}"),
            format!("trace {input}"),
            format!("stats {input}"),
            format!("run twelve.s --load x={input}"),
        ] {
            judge(&folder, &line);
        }
    }
}
