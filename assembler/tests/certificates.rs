//! Certificates of schedules: written and read again, damaged, for another loop, on another core, and as the begin of a search.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "shared/crowded.rs"]
mod crowded;

use cp2_asm::check::check;
use cp2_asm::sched::{
    Certificate, KnownSchedules, answers, certificates, difference, mismatch, read_certificates,
    schedule_as, schedule_knowing,
};
use cp2_asm::{Options, Scheduled, Sources, assemble_regions, linear_regions};
use cp2_isa::{Core, CoreNumbers};
use crowded::crowded;

fn schedule(lines: &str) -> Scheduled {
    let text = format!(".linear\n.scratch g15\n{lines}\n.endlinear\n stopi 0\n");
    let mut regions = linear_regions("test.s", &text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    regions.remove(0)
}

fn text_of(count: &str, groups: usize) -> String {
    format!(".disjoint r0, r1, r2\n.loop {count}\n{}.endloop", crowded(groups))
}

/// Returns a region, and a certificate of a better schedule of its loop than the heuristics find.
fn solved(groups: usize) -> (Scheduled, Certificate) {
    let scheduled = schedule(&text_of("6", groups));
    let Scheduled { region, report, .. } = &scheduled;
    let known = KnownSchedules::default();
    let answer = answers(&Core::CP2, region, report, (&known, 20_000)).unwrap().remove(0);
    let better = answer.better.expect("the solver finds a better schedule");
    let (_, report) = schedule_as(&Core::CP2, region, &[better]).unwrap();
    let made = certificates(&Core::CP2, region, &report, &[answer.effort]).unwrap().remove(0);
    (scheduled, made)
}

/// Returns groups for which there is a better schedule.
fn groups() -> usize {
    let is_better = |&groups: &usize| {
        let Scheduled { region, report, .. } = schedule(&text_of("6", groups));
        let known = KnownSchedules::default();
        let answer = answers(&Core::CP2, &region, &report, (&known, 20_000)).unwrap().remove(0);
        answer.better.is_some()
    };
    [9, 16, 23, 30].into_iter().find(is_better).expect("a loop with a better schedule")
}

fn cycles(region: &cp2_asm::linear::Region, core: &Core, known: &KnownSchedules) -> (i64, i64) {
    let (bundles, report) = schedule_knowing(core, region, known).unwrap();
    assert_eq!(check(core, region, &bundles), Ok(()));
    let ii = report.blocks.iter().find_map(|block| block.ii).unwrap();
    (report.cost.cycles(&[0; 16]), ii)
}

#[test]
fn a_certificate_is_read_as_it_was_written_and_takes_the_place_of_a_search() {
    let (scheduled, made) = solved(groups());
    let text = made.text();
    assert_eq!(read_certificates(&text).unwrap(), std::slice::from_ref(&made));
    let two = format!("; a comment\n\n{text}\n; another\n{text}");
    assert_eq!(read_certificates(&two).unwrap().len(), 2);
    let region = &scheduled.region;
    assert_eq!(mismatch(&Core::CP2, region, &made).unwrap(), None);
    let before = cycles(region, &Core::CP2, &KnownSchedules::default());
    let after = cycles(region, &Core::CP2, &KnownSchedules::new(vec![made.clone()]));
    assert!(after.0 < before.0 && after.1 == made.ii(), "{after:?}, {before:?}");
    let (_, report) =
        schedule_knowing(&Core::CP2, region, &KnownSchedules::new(vec![made.clone()])).unwrap();
    let again = certificates(&Core::CP2, region, &report, &[made.effort]).unwrap();
    assert_eq!(again, std::slice::from_ref(&made));
    assert!(difference(&made, &again[0]).unwrap().moved.is_empty());
    let searched = certificates(&Core::CP2, region, &scheduled.report, &[]).unwrap().remove(0);
    let found = difference(&searched, &made).unwrap();
    assert!(!found.moved.is_empty() && found.ii[1] <= found.ii[0], "{found:?}");
}

#[test]
fn a_damaged_certificate_is_refused_with_line_and_reason() {
    let (_, made) = solved(groups());
    let text = made.text();
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let with = |line: Option<String>| {
            let before = lines[..at].iter().map(|l| (*l).to_owned());
            let after = lines[at + 1..].iter().map(|l| (*l).to_owned());
            before.chain(line).chain(after).collect::<Vec<_>>().join("\n")
        };
        let other = lines[at].replace(['1', '2', '3', '4', '5'], "6");
        let mut damaged = vec![with(None), lines[..at].join("\n")];
        damaged.extend((other != lines[at]).then(|| with(Some(other))));
        damaged.push(with(Some(format!("{} 7", lines[at]))));
        for text in damaged.iter().filter(|text| !text.is_empty()) {
            let error = read_certificates(text).unwrap_err();
            assert!(error.line >= at.min(1) && error.line <= lines.len() + 1, "{error}");
            assert!(!error.message.is_empty());
        }
    }
    let wrong = text.replace("interval ", "interval x");
    let told = read_certificates(&wrong).unwrap_err().to_string();
    assert!(told.contains("`interval`"), "{told}");
    let zero = read_certificates(&text.replace(&format!("interval {}", made.ii()), "interval 0"));
    assert!(zero.unwrap_err().to_string().contains("at least 1"));
    let moved = text.replacen("\n0 ", "\n1 ", 1);
    assert!(moved == text || read_certificates(&moved).unwrap_err().to_string().contains("digest"));
}

#[test]
fn a_certificate_of_another_loop_changes_nothing_and_the_difference_is_told() {
    let groups = groups();
    let (_, made) = solved(groups);
    let known = KnownSchedules::new(vec![made.clone()]);
    for (lines, words) in [
        (text_of("6", groups) + "\n", ""),
        (text_of("6", groups + 1), "operations"),
        (text_of("6", groups).replacen("pssub %e0, %c0, f2", "pssub %e0, f2, %c0", 1), ""),
        (text_of("6", groups).replacen(".disjoint r0, r1, r2\n", "", 1), "dependences"),
        (text_of("6", groups).replacen("psmul %f0, %d0, %b0", "psmul %f0, %d0, %d0", 1), "values"),
    ] {
        let other = schedule(&lines);
        let found = mismatch(&Core::CP2, &other.region, &made).unwrap();
        match words {
            "" => assert_eq!(found, None, "{lines}"),
            words => assert!(found.clone().unwrap().contains(words), "{found:?}"),
        }
        let same = schedule_knowing(&Core::CP2, &other.region, &known).unwrap();
        assert_eq!(check(&Core::CP2, &other.region, &same.0), Ok(()));
        let is_longer = same.1.cost.cycles(&[0; 16]) > other.report.cost.cycles(&[0; 16]);
        assert!(!is_longer, "{lines}");
    }
}

#[test]
fn a_certificate_serves_other_counts_and_better_cores_beside_the_search() {
    let groups = groups();
    let (scheduled, made) = solved(groups);
    let known = KnownSchedules::new(vec![made]);
    let (standard, _) = cycles(&scheduled.region, &Core::CP2, &known);
    for count in ["3", "5", "12"] {
        let other = schedule(&text_of(count, groups));
        let after = cycles(&other.region, &Core::CP2, &known).0;
        assert!(after <= other.report.cost.cycles(&[0; 16]), "{count}");
    }
    let numbers = *Core::CP2.numbers();
    for (load_latency, arithmetic_latency) in [(3, 7), (2, 8), (3, 6), (2, 7)] {
        let core = CoreNumbers { load_latency, arithmetic_latency, ..numbers };
        let core = Core::new(core).unwrap();
        let (with, _) = cycles(&scheduled.region, &core, &known);
        let (searched, _) = cycles(&scheduled.region, &core, &KnownSchedules::default());
        assert!(with <= searched, "{with}, searched {searched}");
        assert!(with <= standard, "{with} on the better core, {standard} on the standard one");
    }
    let slower = Core::new(CoreNumbers { arithmetic_latency: 9, ..numbers }).unwrap();
    let found = cycles(&scheduled.region, &slower, &known);
    assert_eq!(found, cycles(&scheduled.region, &slower, &KnownSchedules::default()));
}

#[test]
fn a_search_goes_on_from_a_certificate_and_adds_up_what_it_took() {
    let mut n_went_on = 0;
    for groups in [16, 40] {
        let scheduled = schedule(&text_of("6", groups));
        let Scheduled { region, report, .. } = &scheduled;
        let ask = |report, known: &KnownSchedules, conflicts| {
            answers(&Core::CP2, region, report, (known, conflicts)).unwrap().remove(0)
        };
        let first = ask(report, &KnownSchedules::default(), 30);
        let report = match first.better {
            Some(better) => schedule_as(&Core::CP2, region, &[better]).unwrap().1,
            None => report.clone(),
        };
        let made = certificates(&Core::CP2, region, &report, &[first.effort]).unwrap();
        assert_eq!(made[0].effort, first.effort);
        let known = KnownSchedules::new(made.clone());
        let (_, report) = schedule_knowing(&Core::CP2, region, &known).unwrap();
        let second = ask(&report, &known, 300);
        assert!(second.ii <= first.ii);
        assert_eq!(second.effort.conflicts, first.effort.conflicts + second.conflicts);
        assert!(second.better.is_some() || second.effort.trials >= first.effort.trials);
        // Without the certificate nobody knows of the first search.
        let unknown = ask(&report, &KnownSchedules::default(), 300);
        assert_eq!(unknown.effort.conflicts, unknown.conflicts);
        n_went_on += usize::from(second.conflicts > 0 && first.conflicts > 0);
    }
    assert!(n_went_on > 0);
}

#[test]
fn the_assembler_takes_certificates_and_keeps_its_store_apart_by_them() {
    let (_, made) = solved(groups());
    let text = format!(".linear\n.scratch g15\n{}\n.endlinear\n stopi 0\n", text_of("6", groups()));
    let intervals = |known: KnownSchedules| {
        let mut sources = Sources::default();
        let root = sources.add("test.s", text.clone());
        let mut none = |_: &str, _: &str| Err(String::new());
        let options = Options { known: std::borrow::Cow::Owned(known), ..Options::default() };
        let all = assemble_regions(&mut sources, &[root], &mut none, options).unwrap();
        all.regions[0].report.blocks.iter().find_map(|block| block.ii).unwrap()
    };
    let plain = KnownSchedules::default();
    let with = KnownSchedules::new(vec![made.clone()]);
    assert_ne!(plain.key(), with.key());
    assert_ne!(plain.key(), plain.clone().without_shipped().key());
    assert!(intervals(with) == made.ii() && intervals(plain) >= made.ii());
}
