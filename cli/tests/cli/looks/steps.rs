//! What `stats --steps`, `stats --cycles` and `diff --steps` tell of recordings: every cycle and operation once.

use super::json;
use crate::kit::{Folder, twelve, unwrapped};
use serde_json::Value;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the names of the steps of a level of a report.
fn names(level: &Value) -> Vec<&str> {
    list(&level["steps"]).iter().filter_map(|step| step["name"].as_str()).collect()
}

/// A folder with recordings of class S of multigrid on two machines.
fn mg() -> Folder {
    let folder = Folder::new();
    folder.expect(0, "kernels run mg --class S --machine vm7 --record vm7.cp2rec");
    folder.expect(0, "kernels run mg --class S --machine vm9 --record vm9.cp2rec");
    folder
}

#[test]
fn steps_of_a_procedure_add_up_to_the_run() {
    let folder = mg();
    let account = json(&folder, 0, "stats vm7.cp2rec --json");
    let report = json(&folder, 0, "stats vm7.cp2rec --steps --json");
    assert_eq!((&report["schema"], &report["cycles"]), (&"cp2-steps-1".into(), &account["cycles"]));
    let levels = list(&report["levels"]);
    let kinds: Vec<&Value> = levels.iter().map(|level| &level["level"]).collect();
    assert_eq!(kinds, ["iteration", "stage"]);
    for level in levels {
        let sum =
            |key: &str| list(&level["steps"]).iter().map(|step| number(&step[key])).sum::<u64>();
        assert_eq!(sum("cycles") + number(&level["between_steps"]), number(&report["cycles"]));
        assert_eq!(sum("flops"), number(&account["profile"]["flops"]));
        for (cause, cycles) in account["profile"]["causes"].as_object().expect("causes") {
            let steps = list(&level["steps"]).iter();
            let sum: u64 = steps.map(|step| number(&step["causes"][cause])).sum();
            assert_eq!(sum, number(cycles), "{cause}");
        }
    }
    let cycles = ["first residual", "V-cycle 1", "V-cycle 2", "V-cycle 3", "V-cycle 4"];
    assert_eq!(names(&levels[0]), cycles);
    let stages = names(&levels[1]);
    assert!(stages.contains(&"send kernels") && stages.contains(&"proj 8"), "{stages:?}");
    let text = folder.expect(0, "stats vm7.cp2rec --steps");
    assert!(text.contains("V-cycle 4") && text.contains("between steps"), "{text}");
    let pages = folder.expect(0, "stats vm7.cp2rec --steps page");
    assert!(pages.contains("first load") && !pages.contains("V-cycle"), "{pages}");
    let others = unwrapped(&folder.expect(3, "stats vm7.cp2rec --steps inner"));
    assert!(others.contains("it has these: iteration, stage, page"), "{others}");
}

#[test]
fn a_run_without_named_steps_says_who_names_them() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    for command in ["stats r.cp2rec --steps", "diff r.cp2rec r.cp2rec --steps"] {
        let refused = unwrapped(&folder.expect(3, command));
        assert!(refused.contains("r.cp2rec has no named steps"), "{refused}");
        assert!(refused.contains("cp2 kernels run NAME"), "{refused}");
    }
}

#[test]
fn steps_of_a_recording_that_was_cut_off_reach_its_last_checkpoint() {
    let folder = mg();
    let whole = std::fs::read(folder.path("vm7.cp2rec")).expect("a recording");
    let all = json(&folder, 0, "stats vm7.cp2rec --steps --json");
    folder.write("cut.cp2rec", &whole[..whole.len() - whole.len() / 20]);
    let said = folder.cp2("stats cut.cp2rec --steps --json");
    assert_eq!(said.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&said.stderr).contains("was interrupted"));
    let cut: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert!(number(&cut["cycles"]) < number(&all["cycles"]));
    let (levels, known) = (list(&cut["levels"]), list(&all["levels"]));
    assert_eq!(levels.len(), known.len());
    for (level, known) in levels.iter().zip(known) {
        // The steps that were under way are there too, and nothing passed between steps.
        assert_eq!(level["between_steps"], 0);
        for step in list(&level["steps"]) {
            let of = list(&known["steps"]).iter().find(|known| known["name"] == step["name"]);
            assert!(
                of.is_some_and(|of| number(&of["cycles"]) >= number(&step["cycles"])),
                "{step}"
            );
        }
    }
    folder.write("begun.cp2rec", &whole[..whole.len() / 3]);
    let refused = folder.expect(3, "stats begun.cp2rec --steps");
    assert!(refused.contains("has no named steps"), "{refused}");
}

/// Adds the numbers of a report that are sums over its cycles.
fn add(sum: &mut std::collections::BTreeMap<String, u64>, report: &Value) {
    let mut add = |key: String, value: &Value| *sum.entry(key).or_default() += number(value);
    for key in ["cycles", "kernel_cycles", "without_kernel", "bytes_get", "bytes_put"] {
        add(key.to_owned(), &report[key]);
    }
    add("flops".to_owned(), &report["profile"]["flops"]);
    for part in [&report["channel"], &report["profile"]["causes"]] {
        for (key, value) in part.as_object().expect("causes") {
            add(key.clone(), value);
        }
    }
    for bundle in list(&report["profile"]["bundles"]) {
        add(format!("bundle {}", bundle["address"]), &bundle["cycles"]);
    }
}

#[test]
fn accounts_of_the_parts_of_a_run_add_up_to_the_whole() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft8192 --machine vm7 --vectors 1 --record r.cp2rec");
    let whole = json(&folder, 0, "stats r.cp2rec --json");
    let end = number(&whole["cycles"]);
    let cuts = [0, 1, 512, 9000, end / 2, end - 777, end - 1, end];
    let (mut all, mut parts) = Default::default();
    add(&mut all, &whole);
    for cut in cuts.windows(2) {
        let part = format!("stats r.cp2rec --cycles {}..{} --json", cut[0], cut[1]);
        let part = json(&folder, 0, &part);
        assert_eq!((&part["begin"], &part["end"]), (&cut[0].into(), &cut[1].into()));
        add(&mut parts, &part);
    }
    assert_eq!(all, parts);
    let text = folder.expect(0, &format!("stats r.cp2rec --cycles 100..{}", 9 * end));
    assert!(text.starts_with(&format!("cycles 100 to {end}, the last excluded")), "{text}");
    let refused = unwrapped(&folder.expect(3, &format!("stats r.cp2rec --cycles {end}..")));
    assert!(refused.contains(&format!("has cycles 0 to {end}")), "{refused}");
    assert!(folder.expect(2, "stats r.cp2rec --cycles 9..9").contains("A has to be less than B"));
}

#[test]
fn steps_of_two_runs_are_charged_their_difference() {
    let folder = mg();
    let report = json(&folder, 1, "diff vm7.cp2rec vm9.cp2rec --steps all --json");
    assert_eq!(report["schema"], "cp2-steps-diff-1");
    let change = report["change"].as_i64();
    for level in list(&report["levels"]) {
        let between = &level["between_steps"];
        let steps = list(&level["steps"]).iter().filter_map(|step| step["change"].as_i64());
        let between = number(&between[1]) as i64 - number(&between[0]) as i64;
        assert_eq!(Some(steps.sum::<i64>() + between), change, "{}", level["level"]);
    }
    let stages = folder.expect(1, "diff vm7.cp2rec vm9.cp2rec --steps");
    assert!(stages.starts_with("stage\n") && stages.contains("between steps"), "{stages}");
    let same = folder.expect(0, "diff vm7.cp2rec vm7.cp2rec --steps iteration");
    assert!(same.contains("+0        1        1  V-cycle 3"), "{same}");
}
