//! What `stats`, `diff` and `why` tell of programs and recordings.

mod debug;
mod path;
mod steps;

use super::kit::{Folder, twelve};
use serde_json::Value;

fn json(folder: &Folder, code: i32, arguments: &str) -> Value {
    serde_json::from_str(&folder.expect(code, arguments)).expect("JSON")
}

#[test]
fn an_account_has_every_cycle_once() {
    let folder = twelve();
    let account = json(&folder, 0, "stats twelve.s --json");
    assert_eq!(account["schema"], "cp2-account-1");
    let sum = |of: &Value, key: &str| -> u64 {
        let parts = of[key].as_array().expect("a list").iter();
        parts.map(|part| part["cycles"].as_u64().expect("cycles")).sum()
    };
    let (all, kernels) = (account["cycles"].as_u64(), account["kernel_cycles"].as_u64());
    // Behind the last bundle everything lands.
    assert_eq!((kernels, account["without_kernel"].as_u64()), (Some(30), Some(7)));
    assert_eq!(all, Some(37));
    for key in ["lines", "labels", "loops", "bundles"] {
        assert_eq!(Some(sum(&account["profile"], key)), kernels, "{key}");
    }
    let points = account["roofline"]["points"].as_array().expect("points");
    assert_eq!(points[0]["arithmetic"], 5);
    assert_eq!(points[0]["flops"], account["profile"]["flops"]);
    let text = folder.expect(0, "stats twelve.s");
    assert!(text.contains("roofline") && text.contains("clear   f4, f5"), "{text}");
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let recorded = json(&folder, 0, "stats r.cp2rec --json");
    assert_eq!(recorded["profile"], account["profile"]);
    let short = folder.expect(0, "stats r.cp2rec --summary");
    assert!(!short.contains("roofline"), "{short}");
}

#[test]
fn an_account_of_a_procedure_has_pauses_and_the_channel() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft8192 --machine vm7 --vectors 2 --record r.cp2rec");
    let account = json(&folder, 0, "stats r.cp2rec --json");
    let number = |value: &Value| value.as_u64().expect("a number");
    let channel: u64 = account["channel"].as_object().expect("causes").values().map(number).sum();
    assert_eq!(channel, number(&account["cycles"]));
    assert!(number(&account["without_kernel"]) > 0);
    let ceilings = account["roofline"]["ceilings"].as_array().expect("ceilings");
    assert_eq!(ceilings.len(), 4);
    assert!(ceilings[3]["of_run"].as_f64().expect("a rate") > 1.0);
    let pause = folder.expect(0, "why r.cp2rec --cycle 9000");
    assert!(pause.contains("no kernel ran") && pause.contains("descriptor"), "{pause}");
}

#[test]
fn identical_runs_say_so_and_others_tell_where_they_part() {
    let folder = twelve();
    assert!(folder.expect(0, "diff twelve.s twelve.s").contains("identical: 37 cycles"));
    let text = std::fs::read_to_string(folder.path("twelve.s")).unwrap();
    let longer = text.replace("doi   3, last", "doi   5, last");
    folder.write("longer.s", &longer);
    let found = folder.expect(1, "diff twelve.s longer.s");
    // Two more passes of three bundles.
    assert!(found.contains("A takes 37 cycles, B 43: +6"), "{found}");
    let report = json(&folder, 1, "diff twelve.s longer.s --json");
    assert_eq!(report["first_flow"]["cycle"], 2, "the `doi` is another");
    let own = "        nop\n        nop\n        cmul f6, f2, f1";
    folder.write("held.s", text.replace("        cmul    f6, f2, f1", own));
    let report = json(&folder, 1, "diff twelve.s held.s --json");
    assert_eq!(report["first_flow"]["cycle"], 12);
    let first = &report["lines"][0];
    assert_eq!((&first["difference"], &first["because"]), (&1.into(), &"code".into()));
}

#[test]
fn other_data_part_in_a_value_and_not_in_the_flow() {
    let folder = twelve();
    folder.write("other.json", r#"{"lmem": [{"2": "7"}, {}, {}, {}]}"#);
    let report = json(&folder, 1, "diff twelve.s twelve.s --init-b other.json --json");
    assert_eq!(report["input"]["place"], "word 2 of section 0");
    assert_eq!(report["first_value"]["cycle"], 9, "the third load");
    assert!(report["first_flow"].is_null());
    assert_eq!(report["result"]["place"], "f2 of section 0");
    let text = folder.expect(1, "diff twelve.s twelve.s --init-b other.json");
    assert!(text.starts_with("A takes 37 cycles, B 37: equal\n"), "{text}");
}

#[test]
fn another_machine_parts_where_its_hold_ends() {
    let folder = twelve();
    let report =
        json(&folder, 1, "diff twelve.s twelve.s --set-b core.arithmetic_latency=6 --json");
    // `sync` in cycle 13 holds two cycles less.
    assert_eq!(report["first_flow"]["cycle"], 18);
    assert_eq!(report["lines"][0]["because"], "holds");
    assert!(report["machine"][0].as_str().expect("text").contains("arithmetic_latency"));
}

#[test]
fn an_empty_slot_is_told_with_what_keeps_it() {
    let folder = twelve();
    let why = json(&folder, 0, "why twelve.s --cycle 11 --json");
    let arithmetic = &why["slots"][0];
    assert_eq!(arithmetic["reason"], "waits");
    assert_eq!(arithmetic["next"]["operation"], "cmul f6, f2, f1");
    let kept = &arithmetic["constraints"][0];
    assert_eq!((&kept["ready"], &kept["by"]["cycle"]), (&12.into(), &9.into()));
    assert_eq!(why["slots"][1]["reason"], "misplaced");
    let held = json(&folder, 0, "why twelve.s --cycle 15 --json");
    assert_eq!(held["hold"]["by"]["operation"], "sync");
    assert_eq!(held["hold"]["not_needed"], 0);
    assert_eq!((&held["hold"]["first"], &held["hold"]["behind"]), (&14.into(), &20.into()));
}

#[test]
fn a_value_is_followed_to_its_inputs() {
    let folder = twelve();
    let text = folder.expect(0, "why twelve.s --value f7.s2@28");
    for part in ["cadd f7, f6, f6", "cmul f6, f2, f1", "[2].s2", "[4].s2", "an input"] {
        assert!(text.contains(part), "{text}");
    }
    let slice = json(&folder, 0, "why twelve.s --value [101]@29 --depth 2 --json");
    assert_eq!((&slice["cut"], &slice["nodes"][0]["location"]), (&true.into(), &"[101].s0".into()));
    let dot = folder.expect(0, "why twelve.s --value f7@28 --dot");
    assert!(dot.starts_with("digraph") && dot.contains("->"), "{dot}");
}

#[test]
fn what_there_is_not_is_refused_with_what_there_is() {
    let folder = twelve();
    assert!(folder.expect(3, "why twelve.s --cycle 100").contains("the run has cycles 0 to 37"));
    assert!(folder.expect(3, "why twelve.s --value f64@3").contains("no such register or word"));
    assert!(folder.expect(2, "why twelve.s --value x9@3").contains("f12.s2"));
    assert!(folder.expect(2, "why twelve.s --value f1.s4@3").contains("0 to 3"));
    assert!(folder.expect(2, "why twelve.s").contains("--cycle"));
    folder.expect(0, "run twelve.s --record r.cp2rec");
    assert!(folder.expect(2, "why r.cp2rec --cycle 1 --machine vm7").contains("for programs"));
}

/// A loop of the scheduler whose bundles are shared by lines, and the same on a core with other latencies.
#[test]
fn lines_are_charged_by_slot_and_waits_to_what_waits() {
    let folder = Folder::new();
    let axpy = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/axpy.s");
    std::fs::copy(axpy, folder.path("axpy.s")).unwrap();
    let account = json(&folder, 0, "stats axpy.s --json");
    let profile = &account["profile"];
    let line = |n: u64| {
        let lines = profile["lines"].as_array().expect("lines").iter();
        lines.into_iter().find(|line| line["line"] == n).cloned()
    };
    // Five operations of the loop, each of them 512 times.
    for n in 12..=16 {
        let line = line(n).expect("a line");
        assert_eq!(line["issues"], 512, "{line}");
    }
    // Nothing is booked on the line that only opens the region.
    assert_eq!(line(7), None, "{profile}");
    let sum = |key: &str| -> u64 {
        let parts = profile[key].as_array().expect("parts").iter();
        parts.map(|part| part["cycles"].as_u64().expect("cycles")).sum()
    };
    let (all, shared) = (profile["cycles"].as_u64().unwrap(), profile["shared"].as_u64().unwrap());
    assert_eq!(sum("lines"), all + shared);
    assert_eq!((sum("labels"), sum("loops")), (all, all));
    let text = folder.expect(0, "stats axpy.s");
    assert!(text.contains("loop at axpy.s:11") && !text.contains("loop at axpy.s:15"), "{text}");
    let text = folder.expect(0, "run axpy.s --profile --profile-folded folded");
    assert!(text.contains("loop at axpy.s:11"), "{text}");
    let folded = std::fs::read_to_string(folder.path("folded")).unwrap();
    assert!(folded.contains("axpy;loop axpy.s:11;"), "{folded}");
    // Objects and recordings have the lines of both slots too.
    folder.expect(0, "asm axpy.s -o axpy.o");
    folder.expect(0, "run axpy.s --record r.cp2rec");
    for other in ["axpy.o", "r.cp2rec"] {
        let other = json(&folder, 0, &format!("stats {other} --json"));
        assert_eq!(other["profile"], *profile);
    }
}

#[test]
fn lines_that_share_bundles_otherwise_do_not_differ() {
    let folder = Folder::new();
    let axpy = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/axpy.s");
    std::fs::copy(axpy, folder.path("axpy.s")).unwrap();
    let run = "diff axpy.s axpy.s --set-b core.arithmetic_latency=4 --json";
    let report = json(&folder, 1, run);
    let number = |of: &Value| of.as_i64().expect("a number");
    let all = number(&report["kernel_cycles_b"]) - number(&report["kernel_cycles_a"]);
    let shared = number(&report["shared_b"]) - number(&report["shared_a"]);
    let text = folder.expect(1, run.trim_end_matches(" --json"));
    assert!(text.contains("source line, and why") && !text.contains("511"), "{text}");
    let mut sum = 0;
    for row in report["lines"].as_array().expect("rows") {
        let difference = number(&row["difference"]);
        assert!(difference.abs() <= 15, "{row}");
        assert!((number(&row["issues_b"]) - number(&row["issues_a"])).abs() <= 15, "{row}");
        sum += difference;
    }
    assert_eq!(sum - shared, all);
    assert!(report["loops"][1]["a"] == "loop at axpy.s:11", "{}", report["loops"]);
}

#[test]
fn an_empty_bundle_costs_the_operation_that_waits() {
    let folder = Folder::new();
    let text = "        .kernel k
        cmul f2, f1, f1
        .rept 9
        nop
        .endr
        cadd f3, f2, f2
        | sync
        | stopi 0
";
    folder.write("k.s", text);
    let account = json(&folder, 0, "stats k.s --json");
    let lines = account["profile"]["lines"].as_array().expect("lines");
    let cycles = |n: u64, cause: &str| {
        let line = lines.iter().find(|line| line["line"] == n);
        line.map_or(0, |line| line["causes"][cause].as_u64().expect("cycles"))
    };
    // Latency 8: seven of nine bundles keep the sum, two are there for nothing.
    assert_eq!((cycles(6, "empty"), cycles(4, "empty")), (7, 2), "{lines:?}");
    assert!(cycles(7, "sync_hold") > 0, "{lines:?}");
}
