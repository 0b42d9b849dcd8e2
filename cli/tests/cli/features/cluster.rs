//! `cp2 cluster`.

use crate::kit::Folder;
use serde_json::Value;

#[test]
fn class_s_on_four_processors_has_the_bits_of_one() {
    let folder = Folder::new();
    let text = folder
        .expect(0, "cluster run mg --class S --processors 4 --topology vm9-torus.toml --compare");
    assert!(
        text.starts_with("mg S plain on 4 processors (1 x 2 x 2) of vm9, topology vm9-torus\n"),
        "{text}"
    );
    assert!(text.contains("; the same bits\n") && text.contains(": verified\n"), "{text}");
    assert!(text.contains("with the norm ") && text.contains("times of processors and links"));
    assert!(text.contains("busiest link") && text.contains("link.latency_ns: 1 us"), "{text}");
}

#[test]
fn the_report_has_the_form_of_its_schema() {
    let folder = Folder::new();
    let run = "cluster run mg --processors 8 --topology vm9-chips --gathered 16 --json";
    let one = folder.expect(0, &format!("{run} --threads 1"));
    // Threads of the computer change no byte.
    assert_eq!(one, folder.expect(0, &format!("{run} --threads 3")));
    let report: Value = serde_json::from_str(&one).unwrap();
    let schema: Value = serde_json::from_str(&folder.expect(0, "schema cluster")).unwrap();
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let properties = names(&schema["properties"]);
    assert!(names(&report).iter().all(|name| properties.contains(name)), "{report}");
    let ranks = report["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 8);
    for rank in ranks {
        let causes =
            ["computing", "packing", "overhead", "wire", "latency", "contention", "late_neighbour"];
        let of = |cause: &str| rank[format!("{cause}_us")].as_f64().unwrap();
        let sum: f64 = causes.iter().map(|cause| of(cause)).sum();
        assert!((sum - rank["us"].as_f64().unwrap()).abs() < 1e-6, "{rank}");
    }
    // The time of the report ends before the norm, those of the processors behind it.
    let ends = ranks.iter().map(|r| r["us"].as_f64().unwrap() - r["norm_us"].as_f64().unwrap());
    let end = ends.fold(0.0, f64::max);
    assert!((end - 1e3 * report["ms"].as_f64().unwrap()).abs() < 1e-6, "{end}");
    assert!(ranks.iter().all(|rank| rank["norm_us"].as_f64().unwrap() > 0.0));
    assert_eq!((&report["gathered"], &report["one_processor"]), (&16.into(), &Value::Null));
}

#[test]
fn topologies_are_listed_and_printed_as_files() {
    let folder = Folder::new();
    let list = folder.expect(0, "cluster topology");
    assert!(list.contains("vm9-chips\n    Chips of VM9 of which both cores work"), "{list}");
    let file = folder.expect(0, "cluster topology vm7-pair");
    folder.write("mine.toml", file.replace("vm7-pair", "mine"));
    let text = folder.expect(0, "cluster run mg --processors 2 --topology mine.toml");
    assert!(text.contains("of vm7, topology mine\n"), "{text}");
}

#[test]
fn an_error_of_a_topology_file_names_the_file_and_the_key() {
    let folder = Folder::new();
    let file = folder.expect(0, "cluster topology vm7-pair");
    let refused = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        folder.write("mine.toml", file.replace(from, to));
        folder.expect(3, "cluster run mg --processors 2 --topology mine.toml")
    };
    let none = refused("machine = \"vm7\"", "machine = \"vm99\"");
    assert!(none.contains("mine.toml: machine is \"vm99\": there is neither"), "{none}");
    let none = refused("machine = \"vm7\"", "machine = \"absent.toml\"");
    let text = "mine.toml: machine is \"absent.toml\": there is no machine file absent.toml";
    assert!(none.contains(text), "{none}");
    // The machine of the command is in place of that of the file.
    let text = folder
        .expect(0, "cluster run mg --processors 2 --topology mine.toml --gathered 8 --machine vm9");
    assert!(text.contains(" of vm9, topology vm7-pair"), "{text}");
}

#[test]
fn the_slowest_links_of_a_file_come_to_an_end() {
    let folder = Folder::new();
    let file = folder.expect(0, "cluster topology vm9-torus");
    let line = |line: &str| match line.split(' ').next() {
        Some("bytes_per_second") => "bytes_per_second = 1000\n".to_owned(),
        Some("packet_bytes") => "packet_bytes = 1\n".to_owned(),
        Some("header_bytes") => "header_bytes = 65536\n".to_owned(),
        _ => format!("{line}\n"),
    };
    folder.write("slow.toml", file.lines().map(line).collect::<String>());
    // Some 97 days, which is not beyond the last tick.
    let text = folder.expect(0, "cluster run mg --topology slow.toml --gathered 8");
    assert!(text.contains("time              8334340292.675 ms\n"), "{text}");
    assert!(text.contains(": verified\n"), "{text}");
}

#[test]
fn wrong_choices_are_refused_in_a_sentence() {
    let folder = Folder::new();
    let refused =
        |code: i32, arguments: &str| folder.expect(code, &format!("cluster run mg {arguments}"));
    assert!(
        refused(2, "--processors 3").contains("it takes a power of two; the nearest are 2 and 4")
    );
    assert!(refused(2, "--processors 512").contains("it takes 256 at most"));
    assert!(refused(2, "--class E").contains("mg has the classes S, W, A, B, C"));
    assert!(
        refused(2, "--gathered 32")
            .contains("cannot be gathered; with these processors it takes 8, 16")
    );
    assert!(refused(3, "--topology absent").contains("there are formula, vm9-torus"));
    assert!(refused(3, "--topology vm7-pair").contains("give --processors 2 or another file"));
    assert!(refused(3, "--set cpu.clock_mhz=999").contains("no whole number of ticks of 1/84 ns"));
    assert!(refused(3, "--class W --set memory.size_mib=1").contains("memory"));
    assert!(refused(2, "--latency-us 0").contains("give microseconds from 0.000012"));
}

#[test]
fn a_run_goes_on_from_its_last_checkpoint() {
    let folder = Folder::new();
    let run = "cluster run mg --class S --processors 4 --gathered 8 --json";
    let whole = folder.expect(0, run);
    let kept = format!("{run} --checkpoint kept --interval 0");
    assert_eq!(folder.expect(0, &kept), whole);
    assert_eq!(folder.expect(0, &format!("{run} --checkpoint kept --resume --threads 1")), whole);
    let parts = std::fs::read_dir(folder.path("kept")).unwrap().count();
    assert_eq!(parts, 2, "the last checkpoint alone, and its number");
    let refused = |arguments: &str| {
        folder.expect(3, &format!("cluster run mg --processors 4 {arguments} --resume"))
    };
    assert!(refused("--gathered 8 --class W --checkpoint kept").contains("is of another run"));
    assert!(refused("--checkpoint none").contains("none/last"));
    let told = folder.expect(2, "cluster run mg --resume");
    assert!(told.contains("--checkpoint"), "{told}");
    #[cfg(not(feature = "mpi"))]
    assert!(folder.expect(2, "cluster run mg --mpi").contains("build it with `--features mpi`"));
}

#[test]
fn a_replay_takes_the_times_of_a_run_and_tells_its_mode() {
    let folder = Folder::new();
    let run = "cluster run mg --class S --processors 8 --topology vm9-chips";
    let text = folder.expect(0, &format!("{run} --replay --compare"));
    assert!(text.contains("\nmode                    replay: times alone, no values\n"), "{text}");
    assert!(!text.contains("from NPB") && !text.contains("bits"), "{text}");
    let of = |arguments: &str| -> Value {
        serde_json::from_str(&folder.expect(0, &format!("{run} --json {arguments}"))).unwrap()
    };
    let (mut exact, mut replay) = (of(""), of("--replay --threads 3"));
    assert_eq!((&exact["mode"], &replay["mode"]), (&"exact".into(), &"replay".into()));
    for name in ["mode", "norm", "deviation", "is_verified"] {
        assert!(name == "mode" || replay[name].is_null(), "{name}");
        exact[name] = Value::Null;
        replay[name] = Value::Null;
    }
    assert_eq!(exact, replay);
}

#[test]
fn conjugate_gradients_on_several_processors_have_the_bits_of_one() {
    let folder = Folder::new();
    let run = "cluster run cg --class S --processors 8";
    let text = folder.expect(0, &format!("{run} --topology vm9-chips --compare"));
    assert!(text.starts_with("cg S on 8 processors of vm9, topology vm9-chips\n"), "{text}");
    assert!(text.contains("; the same bits\n") && text.contains(": verified\n"), "{text}");
    let one = folder.expect(0, &format!("{run} --json --threads 1"));
    let report: Value = serde_json::from_str(&one).unwrap();
    let schema: Value = serde_json::from_str(&folder.expect(0, "schema cluster-cg")).unwrap();
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let properties = names(&schema["properties"]);
    assert!(names(&report).iter().all(|name| properties.contains(name)), "{report}");
    assert_eq!(report["zetas"].as_array().unwrap().len(), 15);
    assert_eq!(one, folder.expect(0, &format!("{run} --json --threads 3")));
    let kept = format!("{run} --json --checkpoint kept");
    assert_eq!(folder.expect(0, &format!("{kept} --interval 0")), one);
    assert_eq!(folder.expect(0, &format!("{kept} --resume")), one);
    let refused =
        |code: i32, arguments: &str| folder.expect(code, &format!("cluster run cg {arguments}"));
    assert!(refused(2, "--class B").contains("cg has the classes S, W, A"));
    assert!(refused(2, "--processors 6").contains("it takes a power of two"));
    let told = refused(2, "--processors 32");
    assert!(told.contains("a vector of cg has 16 segments; it takes that many at most"), "{told}");
    assert!(refused(3, "--class W --set memory.size_mib=1").contains("memory"));
    assert!(refused(3, "--topology vm7-pair").contains("give --processors 2 or another file"));
    assert!(refused(3, "--set cpu.clock_mhz=999").contains("no whole number of ticks of 1/84 ns"));
    let told =
        folder.expect(3, "cluster run mg --class S --processors 4 --checkpoint kept --resume");
    assert!(told.contains("is of another run"), "{told}");
}

#[test]
fn an_fft_on_several_processors_has_the_bits_of_one() {
    let folder = Folder::new();
    let run = "cluster run fft --sizes 32x32x32 --processors 8";
    let text = folder.expect(0, &format!("{run} --topology vm9-chips --compare"));
    assert!(
        text.starts_with("fft 32 x 32 x 32 on 8 processors of vm9, topology vm9-chips\n"),
        "{text}"
    );
    assert!(text.contains("; the same bits\n") && text.contains("MB of a processor"), "{text}");
    let one = folder.expect(0, &format!("{run} --inverse --json --threads 1"));
    let report: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((&report["inverse"], &report["processors"]), (&true.into(), &8.into()));
    let schema: Value = serde_json::from_str(&folder.expect(0, "schema cluster-fft")).unwrap();
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&report), names(&schema["properties"]));
    let kept = format!("{run} --inverse --json --checkpoint kept --interval 0");
    assert_eq!(folder.expect(0, &kept), one);
    assert_eq!(folder.expect(0, &format!("{kept} --resume")), one);
    let refused = |arguments: &str| folder.expect(3, &format!("cluster run fft {arguments}"));
    assert!(refused("--sizes 32x12x16").contains("power of two from 8 to 256"));
    assert!(refused("--sizes 32x8x16 --processors 16").contains("power of two up to 8"));
    let told = folder.expect(2, "cluster run fft --sizes 32x32");
    assert!(told.contains("give three numbers, such as 64x64x64"), "{told}");
    assert!(folder.expect(2, "cluster run fft --processors 6").contains("the nearest are 4 and 8"));
}

/// What no procedure takes is refused by each of them with the same sentence.
#[test]
fn every_procedure_refuses_what_none_takes() {
    let folder = Folder::new();
    let pair = folder.expect(0, "cluster topology vm7-pair");
    let link = &pair[pair.find("[[link]]").unwrap()..];
    let chips = pair.replace("[\"a\", \"b\"]\nports", "[\"a\", \"b\", \"c\", \"d\"]\nports");
    folder.write("apart.toml", chips + &link.replace("[\"a\", \"b\"]", "[\"c\", \"d\"]"));
    folder.write(
        "at-once.toml",
        pair.replace("latency_ns = { value = 1000", "latency_ns = { value = 0"),
    );
    for run in ["mg --class W", "mg --class W --replay", "fft --sizes 128x128x128", "cg --class W"]
    {
        let refused = |code: i32, arguments: &str, sentence: &str| {
            let told = folder.expect(code, &format!("cluster run {run} {arguments}"));
            assert!(told.contains(sentence), "{run} {arguments}: {told}");
            assert_eq!(told.matches("error: ").count(), 1, "{told}");
        };
        refused(2, "--processors 3", "it takes a power of two; the nearest are 2 and 4");
        refused(3, "--topology absent", "there are formula, vm9-torus");
        refused(3, "--topology vm7-pair", "give --processors 2 or another file");
        let apart = "the topology is not connected: no links lead from";
        refused(3, "--processors 4 --topology apart.toml", apart);
        refused(3, "--processors 1 --topology vm9-chips", "do not fill chips of 2");
        refused(3, "--set cpu.clock_mhz=999", "no whole number of ticks of 1/84 ns");
        refused(3, "--set memory.size_mib=1", "memory");
        let at_once =
            folder.expect(3, &format!("cluster run {run} --processors 2 --topology at-once.toml"));
        assert!(at_once.contains("latency_ns") && at_once.contains("at-once.toml"), "{at_once}");
        let told = folder.expect(2, &format!("cluster run {run} --latency-us 0"));
        assert!(told.contains("give microseconds from"), "{told}");
    }
}
