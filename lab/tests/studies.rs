//! Rooflines and what-if studies on small workloads.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_lab::estimate::{Estimate, EstimatedWork};
use cp2_lab::inputs::Inputs;
use cp2_lab::recorded::Subject;
use cp2_lab::roofline::RooflineReport;
use cp2_lab::simulated::{ObservedRates, RateOrigin};
use cp2_lab::whatif::{Change, Sensitivity, WhatIf};
use cp2_session::npy::ComplexMatrix;
use cp2_session::workload::OptionValue;

fn kernel(name: &str) -> Subject {
    Subject::named(name, None, Core::CP2).unwrap()
}

fn procedure(name: &str, vectors: u64) -> Subject {
    let config = MachineConfig::preset("vm9").unwrap();
    let core = *config.core();
    let mut subject = Subject::named(name, Some(config), core).unwrap();
    subject.values.set("vectors", OptionValue::Number(vectors));
    subject
}

/// Makes a study of changes. Keys have a point, names of extensions have none.
fn study(subject: &Subject, changes: &[&str]) -> Result<WhatIf, String> {
    let read =
        |text: &&str| if text.contains('.') { Change::set(text) } else { Change::enable(text) };
    let changes =
        changes.iter().map(read).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    WhatIf::new(subject, &changes, "cp2".to_owned(), &mut |_, _| {}).map_err(|e| e.to_string())
}

#[test]
fn a_change_of_the_core_makes_another_program_and_tells_its_lines() {
    let found = study(&kernel("axpy"), &["core.arithmetic_latency=12"]).unwrap();
    let [before, after] = &found.combinations[..] else { panic!("two variants") };
    assert!(after.cycles > before.cycles && after.program != before.program);
    assert!(
        before.is_right == Some(true) && after.is_right == Some(true) && before.bound.is_some()
    );
    // The lines that differ most come first; of two that share a bundle each has its cycles.
    let differences = after.lines.iter().map(|l| l.after.abs_diff(l.before));
    assert!(differences.is_sorted_by(|a, b| a >= b), "{:?}", after.lines);
    assert!(after.lines[0].after > after.lines[0].before, "{:?}", after.lines);
    assert!(after.lines[0].name.starts_with("axpy.s:"), "{:?}", after.lines);
    assert!(found.gains[0].alone < Some(0.0) && found.gains[0].alone == found.gains[0].shapley);
    assert!(after.is_used);
}

#[test]
fn shares_of_changes_add_up() {
    let changes = ["memory.outstanding=8", "host.page_cycles=0"];
    let found = study(&procedure("fft64", 256), &changes).unwrap();
    assert_eq!(found.combinations.len(), 4);
    let saved = 100.0 * (1.0 - 1.0 / found.speed_up(&found.combinations[3]));
    let shares: f64 = found.gains.iter().filter_map(|gain| gain.shapley).sum();
    assert!((saved - shares).abs() < 1e-9 && saved > 1.0, "{saved} {shares}");
    let programs: Vec<_> = found.combinations.iter().map(|v| &v.program).collect();
    assert!(programs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn impossible_changes_are_refused_before_anything_runs() {
    let refused = |subject: &Subject, changes: &[&str]| study(subject, changes).unwrap_err();
    let machine = procedure("fft64", 1);
    let near = refused(&machine, &["memory.outstandin=8"]);
    assert!(near.contains("the nearest is memory.outstanding"), "{near}");
    assert!(refused(&machine, &["memory.outstanding=0"]).contains("it takes a whole number"));
    assert!(refused(&kernel("axpy"), &["memory.outstanding=8"]).contains("--machine"));
    assert!(refused(&machine, &[]).contains("from 1 to 6"));
    let none = Subject::named("axpi", None, Core::CP2).unwrap_err().to_string();
    assert!(none.contains("the nearest is axpy"), "{none}");
}

#[test]
fn extensions_are_changes_beside_numbers() {
    let subject = procedure("fft64", 256);
    let found = study(&subject, &["memory-controller", "host.page_cycles=0"]).unwrap();
    let by_hand = "memory.clock_mhz=800,memory.outstanding=8,memory.get_row_opening_clocks=6,memory.put_row_opening_clocks=20";
    let same = study(&subject, &[by_hand]).unwrap();
    assert_eq!(found.combinations[1].cycles, same.combinations[1].cycles);
    assert!(found.combinations[1].cycles < found.combinations[0].cycles);
    let saved = 100.0 * (1.0 - 1.0 / found.speed_up(&found.combinations[3]));
    let shares: f64 = found.gains.iter().filter_map(|gain| gain.shapley).sum();
    assert!((saved - shares).abs() < 1e-9, "{saved} {shares}");
    // One of them in two changes is switched on once.
    let twice = ["memory-controller", "memory-controller,fft-direction"];
    let twice = study(&subject, &twice).unwrap();
    assert_eq!(twice.combinations[3].cycles, twice.combinations[2].cycles);
    let near = study(&subject, &["memory-control"]).unwrap_err();
    assert!(near.contains("the nearest is memory-controller"), "{near}");
    let alone = study(&kernel("axpy"), &["memory-controller"]).unwrap_err();
    assert!(alone.contains("more than the core"), "{alone}");
    let near = study(&subject, &["more-fprs=64"]).unwrap_err();
    assert!(near.contains("at least 65"), "{near}");
}

/// A kernel that uses nothing of an extension has the same program with it, and no gain, not one of 0.
#[test]
fn what_a_program_does_not_use_has_no_gain() {
    let found = study(&kernel("axpy"), &["word-access", "core.arithmetic_latency=12"]).unwrap();
    let [base, unused, slower, both] = &found.combinations[..] else { panic!("four variants") };
    assert_eq!((&base.program, base.cycles), (&unused.program, unused.cycles));
    assert!(!unused.is_used && slower.is_used && both.is_used);
    let none = &found.gains[0];
    assert_eq!((none.alone, none.last, none.shapley), (None, None, None));
    assert!(found.gains[1].alone < Some(0.0), "{:?}", found.gains);
    let text = found.text();
    assert!(text.contains("word-access: not used by this program\n"), "{text}");
    // Of a machine the program tells nothing: an effect of 0 is a number.
    let found = study(&procedure("fft64", 1), &["word-access", "memory.size_mib=512"]).unwrap();
    assert_eq!(found.gains.iter().map(|gain| gain.alone).collect::<Vec<_>>(), [None, Some(0.0)]);
}

/// Call and page costs of VM9 were fitted; its clocks are documented and stay.
#[test]
fn what_rests_on_fits_is_moved_and_nothing_else() {
    let found =
        Sensitivity::new(&procedure("fft64", 64), "cp2".to_owned(), &mut |_, _| {}).unwrap();
    let key = |name: &str| found.bars.iter().find(|bar| bar.key.to_string() == name);
    let page = key("host.page_cycles").unwrap();
    assert_eq!((page.range, page.is_stated, page.is_joint), ([0, 4837], true, false));
    assert!(page.us[0] < found.us && found.us < page.us[1]);
    assert!(key("cpu.clock_mhz").is_none() && key("host.bundle_cycles").unwrap().is_joint);
    assert!(found.together[0] <= page.us[0] && page.us[1] <= found.together[1]);
    assert!(found.bars().svg().unwrap().contains("host.page_cycles: 0\u{a0}to\u{a0}4837"));
    let refused = Sensitivity::new(&kernel("axpy"), String::new(), &mut |_, _| {}).unwrap_err();
    assert!(refused.to_string().contains("with --machine"));
}

#[test]
fn points_lie_below_the_ceilings() {
    let config = MachineConfig::preset("vm7").unwrap();
    let names = ["fft64".to_owned(), "axpy".to_owned()];
    let report = RooflineReport::new(&config, &names, &mut |_, _| None).unwrap();
    // fft64 is a kernel and a procedure, axpy a kernel.
    assert_eq!(report.roofline.points.len(), 3);
    for point in &report.roofline.points {
        let (_, most) = point.bound.unwrap();
        assert!(point.flops_per_cycle() <= most, "{point:?}");
    }
    let svg = report.chart().svg().unwrap();
    assert!(svg.contains("DMA channel") && svg.contains(">fft64<"), "{svg}");
    let none = RooflineReport::new(&config, &["ftt64".to_owned()], &mut |_, _| None)
        .unwrap_err()
        .to_string();
    assert!(none.contains("the nearest is fft64"), "{none}");
}

/// Returns a subject with numbers of the input near the largest that there is: sums overflow, and the check of the result
/// fails.
fn wrong(name: &str, machine: Option<&str>) -> Subject {
    let config = machine.and_then(MachineConfig::preset);
    let core = config.as_ref().map_or(Core::CP2, |config| *config.core());
    let mut subject = Subject::named(name, config, core).unwrap();
    let values = vec![num_complex::Complex32::new(3e38, 3e38); 64];
    let (rows, columns, is_vector) = (1, 64, false);
    subject
        .values
        .set("input", OptionValue::Array(ComplexMatrix { rows, columns, is_vector, values }));
    subject.values.set("non-finite", OptionValue::Switch);
    subject
}

#[test]
fn a_result_that_is_wrong_is_no_number_of_a_study() {
    for machine in [None, Some("vm9")] {
        let subject = wrong("fft64", machine);
        let done = subject.run().unwrap();
        assert!(done.verdict.complaint.is_some());
        for refused in [subject.run_verified().unwrap_err(), subject.record_right().unwrap_err()] {
            assert!(refused.to_string().contains("the result differs"), "{refused}");
        }
    }
    let study = Sensitivity::new(&wrong("fft64", Some("vm9")), String::new(), &mut |_, _| {});
    assert!(study.unwrap_err().to_string().contains("the result differs"));
}

/// Returns the rates beside the estimate of a procedure on a system with changes.
fn beside(name: &str, system: &str, sets: &[&str]) -> ObservedRates {
    let mut inputs = Inputs::system(system).unwrap();
    sets.iter().for_each(|set| inputs.apply_set(set).unwrap());
    ObservedRates::new(&Estimate::new(&EstimatedWork::procedure(name), &inputs).unwrap()).unwrap()
}

/// The matrix and grid of the estimate, or no ratio.
#[test]
fn only_the_matrix_and_grid_of_the_estimate_are_compared_with_it() {
    let same = |of: &ObservedRates| -> Vec<(RateOrigin, bool)> {
        of.rates.iter().map(|rate| (rate.origin, rate.is_same)).collect()
    };
    use RateOrigin::{Calibrated, Estimate as Own, Measurement, Simulation};
    let product = beside("spmv", "vm9-1000-700", &[]);
    let all = [(Own, true), (Calibrated, true), (Simulation, true), (Measurement, true)];
    assert_eq!(same(&product), all);
    assert_eq!(product.rates[3].mops, 248.0, "table 3.7, class S");
    let random = beside("spmv", "vm9-1000-700", &["work.rows=64", "work.nonzeros=256"]);
    assert_eq!(random.rates[3].mops, 50.0, "table 3.7, 64 rows");
    let other = beside("spmv", "vm9-1000-700", &["work.rows=65"]);
    assert!(other.rates.len() == 1 && other.missing[0].contains("no matrix of 65 rows"));
    let grid = beside("resid", "vm9", &["work.n=32"]);
    assert!(grid.rates[1].is_same && grid.rates[1].what.contains("32^3"));
    let text = beside("resid", "vm9", &["work.n=512"]).text();
    assert!(text.contains("        -  our procedure, a grid of 64^3 points"), "{text}");
}

/// Classes A and B have the 256 points of the plan; what is simulated is class S.
#[test]
fn only_the_class_of_the_estimate_is_compared_with_it() {
    let whole = beside("mg", "vm7", &[]);
    let compared: Vec<_> = whole.rates.iter().filter(|r| r.is_same).map(|r| &*r.what).collect();
    let classes = ["class A, [D] table 3.5", "class B, [D] table 3.5"];
    assert_eq!(compared, [&["of the whole, in NPB's count"], &classes[..]].concat());
    let small = beside("mg", "vm7", &["work.n=32"]);
    let compared = small.rates.iter().filter(|r| r.is_same).count();
    assert_eq!((compared, small.rates[1].origin), (4, RateOrigin::Calibrated));
}

/// Figures of the README come from the page that is made of runs.
#[test]
fn times_of_the_readme_are_those_of_the_experiments() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (readme, page) = (read("README.md"), read("specs/src/experiments.md"));
    let rows: Vec<_> = readme.lines().filter(|line| line.contains(" us | ")).collect();
    assert!(rows.len() >= 12, "{rows:?}");
    let old: Vec<_> = rows.iter().filter(|row| !page.lines().any(|line| line == **row)).collect();
    assert!(old.is_empty(), "{old:#?}");
}
