//! Sweeps as a user runs them: bad files, real kills, tables, fronts, the cheapest machine.

use super::kit::{Folder, twelve};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

/// 1000 points of a procedure over numbers of the memory and of the host.
pub(crate) const SPEC: &str = "procedure = 'fft64'\nmachine = 'vm9'\noptions.vectors = 4\n[set]\n\
                    memory.outstanding = { from = 1, to = 10 }\nmemory.turn_clocks = { from = 0, to = 9 }\n\
                    host.page_cycles = { from = 0, to = 900, step = 100 }\n";

fn status(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.expect(0, &format!("sweep status {name} --json"))).unwrap()
}

/// SIGKILL at many moments, among them the begin, the end, and while files are being made.
#[test]
fn a_sweep_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing() {
    let folder = Folder::new();
    folder.write("spec.toml", SPEC);
    let (mut done, mut kills) = (0, 0);
    while done < 1000 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cp2"))
            .current_dir(folder.path(""))
            .args(["sweep", "spec.toml", "-o", "killed", "--threads", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // After many kills it is let to its end, however slow the computer is.
        if kills < 12 {
            std::thread::sleep(Duration::from_millis(50 + 60 * kills));
            child.kill().unwrap();
        }
        child.wait().unwrap();
        kills += 1;
        if folder.path("killed/sweep.toml").exists() {
            let now = status(&folder, "killed");
            assert_eq!(now["repeated"], 0, "{now}");
            let now = now["done"].as_u64().unwrap();
            assert!(now >= done, "{now} of {done} rows are left");
            done = now;
        }
    }
    folder.expect(0, "sweep spec.toml -o whole --threads 2");
    folder.expect(0, "sweep merge killed -o killed.parquet");
    folder.expect(0, "sweep merge whole -o whole.parquet");
    let tables =
        ["killed.parquet", "whole.parquet"].map(|n| std::fs::read(folder.path(n)).unwrap());
    assert!(tables[0] == tables[1]);
    let again: Value =
        serde_json::from_str(&folder.expect(0, "sweep spec.toml -o killed --json")).unwrap();
    assert_eq!((&again["run"]["before"], &again["run"]["run"]), (&1000.into(), &0.into()));
}

#[test]
fn rows_are_looked_at_verified_and_compared() {
    let folder = Folder::new();
    let spec = SPEC.replace("to = 10", "to = 2").replace("to = 9 }", "to = 1 }");
    folder.write("spec.toml", spec.replace("to = 900", "to = 100"));
    assert!(folder.expect(0, "sweep spec.toml --shard 1/2").contains("share 1/2: 4 points"));
    assert!(folder.expect(1, "sweep merge spec.sweep -o a.parquet").contains("4 of 8 points"));
    assert!(folder.expect(3, "sweep verify spec.sweep --row 1").contains("is not done"));
    folder.expect(0, "sweep spec.toml --shard 2/2");
    let told = folder.expect(0, "sweep verify spec.sweep --row 7");
    assert!(told.contains("the same") && told.contains("memory.outstanding=2"), "{told}");
    let best = "sweep best spec.sweep --least us --least memory.outstanding -o front.svg";
    assert!(folder.expect(0, best).contains("2 of 8 points are not beaten by any other"));
    let svg = std::fs::read_to_string(folder.path("front.svg")).unwrap();
    assert!(svg.contains(">us (less is better)<"), "{svg}");
    assert!(folder.expect(3, "sweep best spec.sweep --least uz").contains("the nearest is us"));
    folder.expect(2, "sweep best spec.sweep");
    assert!(folder.expect(3, "sweep status nowhere").contains("is this a folder of `cp2 sweep`?"));
}

#[test]
fn bad_files_are_refused_before_anything_is_made() {
    let folder = Folder::new();
    for (text, why) in [
        ("kernel = 'axpy'\nset.core.load_latncy = 4", "the nearest is core.load_latency"),
        ("procedure = 'fft64'\nmachine = 'vm9'\nset.memory.outstanding = []", "the list is empty"),
        ("procedure = 'fft64'\nmachine = 'vm9'\nset.memory.outstanding = 65", "it takes"),
        ("procedure = 'fft64'\nmachine = 'nil'", "the machines are vm7"),
        ("kernel = 'axpy'\nsample.method = 'latin'", "the nearest is latin-hypercube"),
    ] {
        folder.write("bad.toml", text);
        let told = folder.expect(3, "sweep bad.toml");
        assert!(told.starts_with("cp2: error: bad.toml: ") && told.contains(why), "{told}");
    }
    folder.expect(2, "sweep bad.toml --shard 3/2");
    folder.expect(2, "sweep");
    assert_eq!(folder.names(), ["bad.toml"]);
    folder.write("good.toml", "kernel = 'axpy'");
    folder.write("file", "");
    assert!(folder.expect(3, "sweep good.toml -o file/folder").contains("file/folder"));
}

#[test]
fn the_cheapest_machine_is_told_with_its_proof() {
    let folder = Folder::new();
    let prices =
        "[prices]\nmemory.outstanding = 10\nmemory.turn_clocks = 0\nhost.page_cycles = 0\n[goal]\n";
    folder.write("search.toml", format!("{SPEC}{prices}us = 1000"));
    let found: Value =
        serde_json::from_str(&folder.expect(0, "optimize search.toml --json")).unwrap();
    assert_eq!((&found["certainty"], &found["machine"]["price"]), (&"proved".into(), &10.0.into()));
    folder.write("search.toml", format!("{SPEC}{prices}cycles = 10"));
    assert!(folder.expect(0, "optimize search.toml --runs 8").contains("no machine that was run"));
    folder.write("search.toml", format!("{SPEC}[goal]\ncycles = 10"));
    assert!(folder.expect(3, "optimize search.toml").contains("[prices] is missing"));
}

const STUDY: &str = "machine = 'vm9'\nextensions = ['section-addressing', 'memory-controller']\n\
                     [[workload]]\nname = 'fft64'\noptions = { vectors = 4 }\n";

#[test]
fn a_study_gives_text_page_and_a_bundle_that_runs_again() {
    let folder = Folder::new();
    folder.write("study.toml", STUDY);
    let told = folder.expect(0, "optimize study.toml -o study.html --bundle study.json");
    assert!(told.contains("1 workload on 4 machines") && told.contains("proved"), "{told}");
    let page = std::fs::read_to_string(folder.path("study.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("memory-controller") && !page.contains("{{"));
    assert_eq!(folder.expect(0, "optimize study.json"), told);
    let text = std::fs::read_to_string(folder.path("study.json")).unwrap();
    folder.write("other.json", text.replace("\"runs\": ", "\"runs\": 1"));
    assert!(folder.expect(1, "optimize other.json").contains("is another one in: runs"));
    folder.write("costs.toml", "[own.section-addressing]\narea_um2 = 500000\n");
    let dear = folder.expect(0, "optimize study.toml --costs costs.toml --json");
    let dear: Value = serde_json::from_str(&dear).unwrap();
    assert_eq!(dear["best"]["point"]["name"], "memory-controller");
}

#[test]
fn bad_studies_and_costs_are_refused() {
    let folder = Folder::new();
    folder.write(
        "study.toml",
        format!("{STUDY}[constraints]\nmost_extra_area = 0.1\nleast_speed_up = 1.1\n"),
    );
    let told = folder.expect(3, "optimize study.toml");
    assert!(told.contains("contradict each other") && told.contains("study.toml: "), "{told}");
    folder.write("costs.toml", "[area]\ngate = 1\n");
    assert!(folder.expect(3, "costs --costs costs.toml").contains("the nearest is area.gate_um2"));
    folder.write("costs.toml", "[area]\ngate_um2 = -1\n");
    assert!(folder.expect(3, "costs --costs costs.toml").contains("a cost is a number from 0"));
    assert!(folder.expect(0, "costs --enable word-access").contains("word access"));
    folder.write("bad.json", "{ \"schema\": 3 }");
    assert!(folder.expect(3, "optimize bad.json").contains("a bundle has cp2-study-bundle-1"));
    folder.write("search.toml", format!("{SPEC}[prices]\n[goal]\nus = 3"));
    assert!(folder.expect(2, "optimize search.toml --bundle x.json").contains("is of a study"));
}

#[test]
fn energy_of_a_run_comes_out_by_line() {
    let folder = twelve();
    folder.expect(0, "kernels run fft64 --machine vm9 --vectors 4 --record run.cp2rec");
    let text = folder.expect(0, "stats run.cp2rec --energy");
    for part in ["by kind of events", "of no line: bytes of system memory", "whole run"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let json =
        |arguments: &str| -> Value { serde_json::from_str(&folder.expect(0, arguments)).unwrap() };
    let told = json("stats run.cp2rec --energy --json");
    let sum = |list: &str| -> f64 {
        let rows = told[list].as_array().unwrap().iter();
        rows.map(|row| row["nj"]["value"].as_f64().unwrap()).sum()
    };
    let whole = told["nj"]["value"].as_f64().unwrap();
    assert!((sum("lines") + sum("no_line") - whole).abs() < 1e-9 * whole);
    folder.write("costs.toml", "[energy]\nmemory_pj_per_byte = 0\n");
    let cheap = json("stats run.cp2rec --energy --costs costs.toml --json");
    assert!(cheap["nj"]["value"].as_f64().unwrap() < whole);
    assert_eq!(cheap["lines"], told["lines"]);
    folder.write("bad.toml", "[energy]\nmemory = 0\n");
    assert!(folder.expect(3, "stats run.cp2rec --energy --costs bad.toml").contains("the nearest"));
    assert!(folder.expect(2, "stats run.cp2rec --costs costs.toml").contains("--energy"));
    let alone = folder.expect(3, "stats twelve.s --energy");
    assert!(alone.contains("a run of CP2 alone") && alone.contains("--machine vm9"), "{alone}");
    let quick = folder.expect(0, "costs --enable memory-controller");
    assert!(quick.contains("Not counted: a quicker opening of rows"), "{quick}");
}
