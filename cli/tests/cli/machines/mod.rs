//! Programs, kernels and procedures on whole machines and other cores.

mod kept;

use crate::kit::{Folder, npy, twelve};
use std::path::Path;

/// Numbers of the core without a machine: they change the run, and others are refused.
#[test]
fn a_program_runs_on_another_core() {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/twelve.s");
    folder.write("twelve.s", std::fs::read_to_string(source).unwrap());
    let text = folder.expect(0, "run twelve.s --set core.arithmetic_latency=4");
    assert!(text.contains("core: core.arithmetic_latency = 4 (CP2: 8)\n"), "{text}");
    // Each of the two `sync` holds 4 cycles less.
    assert!(text.contains("          22 cycles, and 3 until everything had landed\n"), "{text}");
    folder.expect(2, "run twelve.s --set memory.clock_mhz=800");
    folder.expect(2, "run twelve.s --enable word_access");
    folder.expect(2, "run twelve.s --enable memory-controller");
    folder.expect(0, "run twelve.s --enable word-access,fft-direction");
    folder.expect(2, "run twelve.s --set core.arithmetic_latency=1");
    folder.expect(0, "kernels run fft64 --set core.arithmetic_latency=4");
    let counted = folder.expect(0, "bench fft64 axpy --set core.load_latency=6");
    assert!(counted.starts_with("core: core.load_latency = 6 (CP2: 3)\n"), "{counted}");
}

#[test]
fn both_engines_give_the_same_state_and_summary_on_a_machine() {
    let folder = twelve();
    folder.expect(0, "kernels run fft256 --vectors 4");
    let source = folder.expect(0, "kernels source fft256");
    folder.write("fft256.s", source);
    for program in ["twelve.s", "fft256.s", "twelve.s --max-cycles 20"] {
        let code = if program.contains("--max-cycles") { 5 } else { 0 };
        let texts = ["reference", "fast"].map(|engine| {
            let rest = format!("--machine vm7 --engine {engine} --dump {engine}.json");
            folder.expect(code, &format!("run {program} {rest}"))
        });
        assert_eq!(texts[0], texts[1], "{program}");
        assert_eq!(folder.json("reference.json"), folder.json("fast.json"), "{program}");
    }
}

#[test]
fn procedures_give_the_same_bytes_on_every_engine() {
    let folder = Folder::new();
    let run = |engine: &str| {
        let name = format!("kernels run fft8192 --machine vm9 --vectors 2 --engine {engine}");
        let files = format!("--output {engine}.npy --timeline-json {engine}.json");
        let text = folder.expect(0, &format!("{name} {files} --json"));
        (text, std::fs::read(folder.path(&format!("{engine}.npy"))).unwrap())
    };
    let expected = run("reference");
    for engine in ["portable", "fast"] {
        assert!(run(engine) == expected, "{engine}");
        assert_eq!(folder.json("reference.json"), folder.json(&format!("{engine}.json")));
    }
}

#[test]
fn speeds_are_reported_as_json() {
    let folder = Folder::new();
    let text = folder.expect(0, "bench --speed --repeats 1 --json");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["schema"], "cp2-speed-4");
    let numbers = |value: &serde_json::Value, keys: &[&str]| {
        for key in keys {
            assert!(value[key].as_f64().is_some_and(|x| x > 0.0), "{key} of {value}");
        }
    };
    let speeds = [
        "reference_mcycles_per_s",
        "portable_mcycles_per_s",
        "fast_mcycles_per_s",
        "ratio",
        "cycles",
    ];
    let programs = report["programs"].as_array().unwrap();
    let names: Vec<_> = programs.iter().map(|p| p["program"].as_str().unwrap()).collect();
    assert_eq!(names, ["fft256", "resid", "mixed", "functions", "closure"]);
    programs.iter().for_each(|program| numbers(program, &speeds));
    assert_eq!(report["procedure"]["procedure"], "fft16384");
    assert_eq!(report["procedure"]["machine"], "vm7");
    numbers(&report["procedure"], &speeds);
    numbers(&report["procedure"], &["vectors", "fast_first_run_ms"]);
    let benchmark = &report["benchmark"];
    assert_eq!(
        [&benchmark["benchmark"], &benchmark["class"], &benchmark["machine"]],
        ["mg", "W", "vm7"]
    );
    numbers(benchmark, &["cycles", "fast_mcycles_per_s", "of_machine", "fast_first_run_ms"]);
    let keys = ["machines", "threads", "one_thread_mcycles_per_s", "all_threads_mcycles_per_s"];
    numbers(&report["machines"], &keys);
    numbers(&report["machines"], &["ratio"]);
    assert_eq!(report["load_before_and_after"].as_array().map(Vec::len), Some(2));
    assert!(report["limits"].is_array());
}

#[test]
fn run_on_a_machine_counts_the_same_cycles_and_tells_the_time() {
    let folder = twelve();
    let alone = folder.expect(0, "run twelve.s");
    let text = folder.expect(0, "run twelve.s --machine vm7 --dump state.json");
    assert_eq!(text, alone.clone() + "       0.150 microseconds on vm7 at 200 MHz\n");
    folder.expect(0, "run twelve.s --dump alone.json");
    assert_eq!(folder.json("state.json"), folder.json("alone.json"));
    let text = folder.expect(0, "run twelve.s --machine vm9 --set cpu.clock_mhz=1200 --json");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["machine"]["cpu"]["clock_mhz"]["value"], 1200);
    assert_eq!(report["machine"]["cpu"]["clock_mhz"]["origin"], "set by hand");
    assert_eq!(report["machine"]["dma"]["memory_to_memory"]["value"], true);
    let plain: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "run twelve.s --json")).unwrap();
    assert_eq!(plain.get("machine"), None);
    assert_eq!(plain["stats"], report["stats"]);
}

#[test]
fn a_dumped_machine_can_be_run_on() {
    let folder = twelve();
    let text =
        folder.expect(0, "run --machine vm9-1000-600 --set memory.outstanding=4 --dump-config");
    assert!(text.contains("outstanding = { value = 4, origin = \"set by hand\" }"), "{text}");
    folder.write("mine.toml", text.replace("vm9-1000-600", "mine"));
    let report = folder.expect(0, "run twelve.s --machine mine.toml");
    assert!(report.ends_with("0.030 microseconds on mine at 1000 MHz\n"), "{report}");
    assert_eq!(
        folder.expect(0, "run --machine mine.toml --dump-config"),
        text.replace("vm9-1000-600", "mine")
    );
}

#[test]
fn wrong_machines_are_named() {
    let folder = twelve();
    let text = folder.expect(3, "run twelve.s --machine vm8");
    assert!(text.contains("the machines are vm7, vm9, vm9-1000-600"), "{text}");
    let text = folder.expect(3, "run twelve.s --machine none.toml");
    assert!(text.contains("cannot read none.toml"), "{text}");
    folder.write("bad.toml", "name = \"bad\"\n[cpu]\nspeed = 1\n");
    let text = folder.expect(3, "run twelve.s --machine bad.toml");
    assert!(text.contains("bad.toml: cpu.speed is not a key; [cpu] has clock_mhz"), "{text}");
    assert!(text.contains("error: bad.toml: memory.size_mib is missing"), "{text}");
    let text = folder.expect(2, "run twelve.s --machine vm7 --set cpu.clock_mhz=0");
    assert!(text.contains("cpu.clock_mhz is 0; it takes a whole number from 1 to 10000"), "{text}");
    for usage in [
        "run twelve.s --set cpu.clock_mhz=1",
        "run twelve.s --dump-config",
        "run",
        "run --machine vm7",
    ] {
        folder.expect(2, usage);
    }
}

#[test]
fn results_that_rounding_does_not_explain_fail_the_check() {
    let folder = Folder::new();
    folder.write("zero.npy", npy("(1, 64)", 0.0, 64));
    assert!(folder.expect(0, "kernels run fft64 --input zero.npy").contains("error 0.00e0"));
    folder.write("huge.npy", npy("(1, 64)", 3e38, 64));
    assert!(folder.expect(1, "kernels run fft64 --input huge.npy").contains("overflow"));
    folder.write("tiny.npy", npy("(1, 64)", 1e-40, 64));
    let text = folder.expect(0, "kernels run fft64 --input tiny.npy");
    assert!(text.contains("denormal, so zero to CP2 and to the reference: 128 numbers"), "{text}");
    folder.write("vector.npy", npy("(64,)", 1.0, 64));
    folder.expect(0, "kernels run fft64 --input vector.npy --output out.npy");
    let out = std::fs::read(folder.path("out.npy")).unwrap();
    assert!(String::from_utf8_lossy(&out).contains("'shape': (64"), "the shape is kept");
    folder.write("nan.npy", npy("(1, 64)", f32::NAN, 64));
    assert!(folder.expect(3, "kernels run fft64 --input nan.npy").contains("nan.npy: vector 0"));
    for shape in [
        "(4611686018427387904, 64)",
        "(9223372036854775807, 9223372036854775807)",
        "(99999999999999999999, 64)",
        "(2000000, 64)",
    ] {
        folder.write("shape.npy", npy(shape, 1.0, 64));
        let text = folder.expect(3, "kernels run fft64 --input shape.npy");
        assert!(text.contains("has more values than the file"), "{text}");
    }
    folder.expect(3, "kernels run fft064");
}
