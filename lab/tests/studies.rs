//! Rooflines and what-if studies on small workloads.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_lab::recorded::Subject;
use cp2_lab::roofline::Report;
use cp2_lab::whatif::{Change, Sensitivity, WhatIf};
use cp2_programs::workload::Given;

fn kernel(name: &str) -> Subject {
    Subject::usual(name, None, Core::CP2).unwrap()
}

fn procedure(name: &str, vectors: u64) -> Subject {
    let config = MachineConfig::preset("vm9").unwrap();
    let core = *config.core();
    let mut subject = Subject::usual(name, Some(config), core).unwrap();
    subject.values.set("vectors", Given::Number(vectors));
    subject
}

fn study(subject: &Subject, changes: &[&str]) -> Result<WhatIf, String> {
    let changes: Vec<_> = changes.iter().map(|text| Change::read(text)).collect();
    WhatIf::new(subject, &changes, "cp2".to_owned(), &mut |_, _| {}).map_err(|e| e.to_string())
}

#[test]
fn a_change_of_the_core_makes_another_program_and_tells_its_lines() {
    let found = study(&kernel("axpy"), &["core.arithmetic_latency=12"]).unwrap();
    let [before, after] = &found.variants[..] else { panic!("two variants") };
    assert!(after.cycles > before.cycles && after.program != before.program);
    assert!(before.is_right && after.is_right && before.bound.is_some());
    let more: i64 = after.lines.iter().map(|l| l.after as i64 - l.before as i64).sum();
    assert_eq!(more, after.cycles as i64 - before.cycles as i64, "{:?}", after.lines);
    assert!(after.lines[0].name.starts_with("axpy.s:"), "{:?}", after.lines);
    assert!(found.gains[0].alone < 0.0 && found.gains[0].alone == found.gains[0].shapley);
}

#[test]
fn shares_of_changes_add_up() {
    let changes = ["memory.outstanding=8", "host.page_cycles=0"];
    let found = study(&procedure("fft64", 256), &changes).unwrap();
    assert_eq!(found.variants.len(), 4);
    let saved = 100.0 * (1.0 - 1.0 / found.speed_up(&found.variants[3]));
    let shares: f64 = found.gains.iter().map(|gain| gain.shapley).sum();
    assert!((saved - shares).abs() < 1e-9 && saved > 1.0, "{saved} {shares}");
    let programs: Vec<_> = found.variants.iter().map(|v| &v.program).collect();
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
    let none = Subject::usual("axpi", None, Core::CP2).unwrap_err().to_string();
    assert!(none.contains("the nearest is axpy"), "{none}");
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
    assert!(found.bars().svg().unwrap().contains("host.page_cycles: 0 to 4837"));
    let refused = Sensitivity::new(&kernel("axpy"), String::new(), &mut |_, _| {}).unwrap_err();
    assert!(refused.to_string().contains("with --machine"));
}

#[test]
fn points_lie_below_the_ceilings() {
    let config = MachineConfig::preset("vm7").unwrap();
    let names = ["fft64".to_owned(), "axpy".to_owned()];
    let report = Report::new(&config, &names).unwrap();
    // fft64 is a kernel and a procedure, axpy a kernel.
    assert_eq!(report.roofline.points.len(), 3);
    for point in &report.roofline.points {
        let (_, most) = point.bound.unwrap();
        assert!(point.flops_per_cycle() <= most, "{point:?}");
    }
    let svg = report.chart().svg().unwrap();
    assert!(svg.contains("DMA channel") && svg.contains("\nfft64\n"), "{svg}");
    let none = Report::new(&config, &["ftt64".to_owned()]).unwrap_err().to_string();
    assert!(none.contains("the nearest is fft64"), "{none}");
}
