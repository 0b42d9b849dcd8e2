//! What a run costs by label, loop and line, on a program whose cycles can be counted by hand.

use super::*;
use cp2_emu::{Cp2, End};
use cp2_isa::BundleAddress;

/// Two loops, one in the other, a loop that is skipped, and a `sync`.
const TEXT: &str = "\
        .kernel outer
        | doi 3, out_end
        psadd f1, f1, f1
        | doi 4, in_end
in_end: psadd f2, f3, f3
        nop
out_end: nop
        nop
tail:   | doi 0, none
        nop
none:   nop
        nop
        | sync
        | stopi 0
";

fn profiled(text: &str) -> (Image, Cp2, u64) {
    let image = cp2_asm::assemble_str("two.s", text).expect("it assembles");
    let mut cp2 = Cp2::default();
    cp2_session::load::load(&image, &mut cp2);
    cp2.keep_profile();
    let run = cp2.run_untraced(BundleAddress(0), 1000);
    assert_eq!(run.end, End::Stopped(0));
    (image, cp2, run.stats.cycles)
}

fn report(text: &str) -> (ProfileReport, u64) {
    let (image, cp2, cycles) = profiled(text);
    (ProfileReport::new(&image, &Core::CP2, cp2.profile().expect("it was kept")), cycles)
}

fn folded_of((image, cp2, _): &(Image, Cp2, u64)) -> String {
    folded(image, &Core::CP2, cp2.profile().expect("it was kept"))
}

#[test]
fn every_table_has_every_cycle() {
    let (report, cycles) = report(TEXT);
    let sum = |parts: &[ProfilePart]| parts.iter().map(|part| part.cost.cycles()).sum::<u64>();
    assert_eq!(sum(&report.labels), cycles);
    assert_eq!(sum(&report.loops), cycles);
    assert_eq!(sum(&report.lines), cycles);
    assert_eq!(report.bundles.iter().map(|b| b.cost.cycles()).sum::<u64>(), cycles);
    let folded: u64 = folded_of(&profiled(TEXT))
        .lines()
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum();
    assert_eq!(folded, cycles);
}

#[test]
fn bundles_belong_to_their_label_loop_and_line() {
    let (report, _) = report(TEXT);
    let names = |parts: &[ProfilePart]| -> Vec<Option<String>> {
        parts.iter().map(|part| part.name.clone()).collect()
    };
    let labels = ["outer", "in_end", "out_end", "tail", "none"].map(|name| Some(name.to_owned()));
    assert_eq!(names(&report.labels), labels);
    let inner = report
        .loops
        .iter()
        .find(|part| part.within == Some((BundleAddress(2), 1)))
        .expect("a loop");
    // 3 times 4 passes of two bundles.
    assert_eq!((inner.cost.cycles(), inner.name.as_deref()), (24, Some("two.s:4")));
    let folded = folded_of(&profiled(TEXT));
    assert!(folded.contains("outer;loop two.s:2;loop two.s:4;in_end;two.s:5 12\n"), "{folded}");
    let sync = report.lines.iter().find(|part| part.line == 13).expect("the line of sync");
    assert_eq!(sync.cost.causes[Cause::SyncHold as usize], 6);
    let skipped: u64 =
        report.lines.iter().map(|part| part.cost.causes[Cause::Nullified as usize]).sum();
    assert_eq!(skipped, report.total.causes[Cause::Nullified as usize]);
    assert!(skipped > 0);
}

#[test]
fn the_text_shows_causes_loops_and_sources() {
    let (report, cycles) = report(TEXT);
    let source = |_: &str, line: u32| TEXT.lines().nth(line as usize - 1).map(str::to_owned);
    let text = report.text(&source);
    for part in ["both", "skipped", "held", "loop at two.s:4", "outer: tail", "psadd f2, f3, f3"] {
        // A column that no cycle has is left out.
        assert_eq!(text.contains(part), part != "both", "{part}\n{text}");
    }
    assert!(text.contains(&format!("{cycles:>6} ")), "{text}");
}

/// A program of no source has bundles all the same.
#[test]
fn a_program_without_names_is_profiled_too() {
    let (mut image, cp2, cycles) = profiled(TEXT);
    (image.symbols, image.lines, image.files) = Default::default();
    image.kernels[0].name = "hex".to_owned();
    let report = ProfileReport::new(&image, &Core::CP2, cp2.profile().expect("it was kept"));
    let json = report.to_json();
    assert_eq!(json["cycles"], cycles);
    assert_eq!(json["labels"][0]["label"], "hex");
    assert_eq!(json["lines"][0]["file"], Value::Null);
    let folded = folded_of(&(image, cp2, cycles));
    assert!(folded.starts_with("hex;bundle 0 1\n"), "{folded}");
}
