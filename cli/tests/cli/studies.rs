//! `whatif` beside its neighbours: extensions with values, what a program does not use, one denominator of rates.

use super::kit::{Folder, unwrapped};
use serde_json::Value;

fn json(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&folder.expect(0, arguments)).expect("JSON")
}

#[test]
fn extensions_with_a_value_are_changes_of_a_study() {
    let folder = Folder::new();
    let study =
        "whatif axpy --enable larger-local-memory=16384 --enable more-fprs=128,word-access --json";
    let found = json(&folder, study);
    let names = found["gains"].as_array().unwrap().iter().map(|gain| gain["change"].clone());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["larger-local-memory=16384", "more-fprs=128,word-access"]
    );
    for (arguments, message) in [
        ("whatif axpy --enable more-fprs=64", "more-fprs takes a value, `more-fprs=N`"),
        ("whatif axpy --enable more-fprs", "a whole number from 8 to 256, at least 65"),
        ("whatif axpy --enable word-access=1", "word-access takes no value"),
        ("whatif axpy --enable wordaccess", "the nearest is word-access"),
        ("run x.s --enable more-fprs=5", "at least 65"),
        ("asm x.s --enable larger-local-memory=20000", "at least 16384"),
        ("run x.s --enable ,", "`` is not an extension"),
    ] {
        let text = folder.expect(2, arguments);
        assert!(text.contains(message), "{arguments}: {text}");
    }
}

#[test]
fn a_change_that_a_program_does_not_use_has_no_gain() {
    let folder = Folder::new();
    let study = "whatif axpy --enable word-access --set core.banks=4";
    let found = json(&folder, &format!("{study} --json"));
    let gain = |k: usize| &found["gains"][k];
    assert!(
        gain(0)["alone"].is_null() && gain(0)["last"].is_null() && gain(0)["shapley"].is_null()
    );
    assert_eq!(found["variants"][1]["is_used"], false, "word-access: {found}");
    assert_eq!(found["variants"][0]["is_used"], false, "nothing is changed in the baseline");
    let text = folder.expect(0, study);
    for change in ["word-access", "core.banks=4"] {
        assert!(text.contains(&format!("{change}: not used by this program\n")), "{text}");
    }
    // What a channel and a host do shows in no program.
    let machine =
        "whatif fft64 --machine vm9 --vectors 64 --enable word-access --set memory.outstanding=1";
    let text = folder.expect(0, machine);
    assert!(text.contains("word-access: not used by this program\n"), "{text}");
    assert!(text.contains("memory.outstanding=1\n"), "{text}");
}

/// A kernel alone ends with its last bundle: what lands behind it is in no rate.
#[test]
fn rates_of_kernels_have_the_cycles_that_bench_counts() {
    let folder = Folder::new();
    let counted = json(&folder, "bench axpy --json")["kernels"][0]["cycles"].clone();
    let run = json(&folder, "kernels run axpy --record r.cp2rec --json");
    assert_eq!(run["cycles"], counted);
    let variant = &json(&folder, "whatif axpy --set core.banks=4 --json")["variants"][0];
    let account = json(&folder, "stats r.cp2rec --json");
    let roofline = json(&folder, "roofline --machine vm7 axpy --json");
    let flops = account["profile"]["flops"].as_f64().unwrap();
    let rate = flops / counted.as_f64().unwrap();
    for (of, point) in [
        ("whatif", variant),
        ("stats", &account["roofline"]["points"][0]),
        ("roofline", &roofline["roofline"]["points"][0]),
    ] {
        assert_eq!(point["cycles"], counted, "{of}");
        let found = point["flops_per_cycle"].as_f64().unwrap();
        assert!((found - rate).abs() < 1e-12, "{of}: {found} in place of {rate}");
    }
    let text = folder.expect(0, "stats r.cp2rec");
    assert!(text.contains(&format!("{rate:.2} per cycle")), "{text}");
}

#[test]
fn lines_of_a_study_have_names_for_people() {
    let text = Folder::new().expect(0, "whatif ft --machine vm9 --enable memory-controller");
    for debug in ["Pass {", "Work {", "words:", "Natural", "[64, 64"] {
        assert!(!text.contains(debug), "{debug}: {text}");
    }
    let name = "fft 64x64x64 (planes xy 4096, columns z 4096, evolved columns z 2048):";
    assert!(unwrapped(&text).contains(name), "{text}");
}

#[test]
fn what_a_study_has_not_is_in_no_help_and_refused() {
    let folder = Folder::new();
    let help = folder.expect(0, "whatif --help");
    assert!(help.contains("--vectors"), "{help}");
    for option in ["--output", "--timeline", "--timeline-json"] {
        assert!(!help.contains(&format!(" {option}")), "{option}: {help}");
    }
    let study = "whatif fft8192 --machine vm9 --vectors 1 --enable memory-controller";
    for option in ["--output y.npy", "--timeline", "--timeline-json t.json"] {
        let text = folder.expect(2, &format!("{study} {option}"));
        assert!(text.contains("is not possible: a study runs fft8192 several times"), "{text}");
    }
}
