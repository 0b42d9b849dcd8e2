//! Steps and searches in both directions, held against a plain walk over all cycles of the run.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod kit;

use cp2_analysis::history::{History, SegmentCycle};
use cp2_analysis::location::Location;
use cp2_debug::{BreakPlace, Console, DebugError, Debugger, StepUnit, StopReason, TimeDirection};
use cp2_emu::stats::Cause;
use cp2_isa::{BundleAddress, Cycle};
use kit::{answer, example, recorded};

/// Nested loops, one that is skipped, and a `sync`.
const NEST: &str = "\
        .kernel nest
        seti    g1, 3
        seti    g2, 4
        seti    g3, 0
        nop
        do      g1, outer
        updaddr (r3)+1
        do      g2, inner
inner:  updaddr (r1)+1
        updaddr (r2)+10
        psadd   f1, f1, f2 | updaddr (r4)+1
        nop
        nop
outer:  updaddr (r5)+1
        updaddr (r6)+1
        do      g3, never
never:  updaddr (r7)+1
        updaddr (r7)+2
        sync
        psadd   f2, f1, f1
        stopi   0
";

/// Runs a source and returns its debugger.
fn debugger(name: &str, text: &str) -> Debugger {
    Debugger::new(recorded(name, text)).unwrap()
}

/// Returns all cycles of a run in which a bundle issues, with the bundle and whether it has an operation.
fn issued(debugger: &mut Debugger) -> Vec<(Cycle, BundleAddress, bool)> {
    let [begin, end] = debugger.ends();
    let mut history = History::default();
    let recording = &mut debugger.run_mut().recording;
    let mut found = Vec::new();
    let mut cycle = begin;
    while cycle < end {
        if let Some(SegmentCycle { cause: Some(cause), address: Some(address), .. }) =
            history.cycle(recording, cycle).unwrap()
            && !matches!(cause, Cause::SyncHold | Cause::Nullified)
        {
            found.push((cycle, address, cause != Cause::Empty));
        }
        cycle += 1;
    }
    found
}

/// Goes on in a direction until the run ends, and returns the cycles at which it stopped before.
fn stops(debugger: &mut Debugger, direction: TimeDirection) -> Vec<Cycle> {
    let mut found = Vec::new();
    loop {
        let stop = debugger.run_to_stop(direction).unwrap();
        match stop.reason {
            StopReason::Begin | StopReason::End => return found,
            _ => found.push(stop.place.cycle),
        }
    }
}

#[test]
fn every_issue_of_a_line_or_label_is_a_stop_in_both_directions() {
    for (name, text, lines) in
        [("nest.s", NEST.to_owned(), 1..=20), ("axpy.s", example("axpy.s"), 12..=19)]
    {
        let mut debugger = debugger(name, &text);
        let issued = issued(&mut debugger);
        let begin = debugger.ends()[0];
        for line in lines {
            let Ok((place, _)) = debugger.line(Some(name), line) else { continue };
            let BreakPlace::Bundles(bundles, _) = &place else { panic!("{place}") };
            let at = |(cycle, address, _): &(Cycle, BundleAddress, bool)| {
                (bundles.contains(address) && *cycle > begin).then_some(*cycle)
            };
            let expected: Vec<Cycle> = issued.iter().filter_map(at).collect();
            let number = debugger.set(place.clone(), None).unwrap().number;
            debugger.go_to(begin).unwrap();
            assert_eq!(stops(&mut debugger, TimeDirection::Forward), expected, "{name}:{line}");
            let mut back = stops(&mut debugger, TimeDirection::Back);
            back.reverse();
            back.retain(|cycle| *cycle > begin);
            assert_eq!(back, expected, "{name}:{line} back");
            assert!(debugger.remove(number));
        }
    }
}

#[test]
fn steps_go_through_all_bundles_and_operations_and_back() {
    let mut debugger = debugger("nest.s", NEST);
    let issued = issued(&mut debugger);
    for unit in [StepUnit::Bundle, StepUnit::Operation] {
        let wanted = issued.iter().filter(|(_, _, has)| *has || unit == StepUnit::Bundle);
        let wanted: Vec<Cycle> = wanted.map(|(cycle, ..)| *cycle).collect();
        let walk = |debugger: &mut Debugger, direction| {
            let mut found = vec![debugger.cycle()];
            loop {
                let stop = debugger.step(unit, direction).unwrap();
                if stop.reason != StopReason::Step {
                    return found;
                }
                found.push(stop.place.cycle);
            }
        };
        debugger.go_to(wanted[0]).unwrap();
        assert_eq!(walk(&mut debugger, TimeDirection::Forward), wanted, "{unit:?}");
        let mut back = walk(&mut debugger, TimeDirection::Back);
        back.reverse();
        assert_eq!(back[..wanted.len()], wanted[..], "{unit:?} back");
    }
}

#[test]
fn turns_of_a_loop_are_stepped_by_its_first_bundle() {
    let mut debugger = debugger("nest.s", NEST);
    let inner = debugger.label("inner").unwrap();
    debugger.set(inner, None).unwrap();
    debugger.run_to_stop(TimeDirection::Forward).unwrap();
    debugger.remove(1);
    let mut turns = Vec::new();
    for _ in 0..4 {
        turns.push(debugger.step(StepUnit::Iteration, TimeDirection::Forward).unwrap().place);
    }
    let labels: Vec<&str> = turns.iter().map(|place| &*place.label).collect();
    assert_eq!(labels, ["inner", "inner", "inner", "inner+2"]);
    let back = debugger.step(StepUnit::Iteration, TimeDirection::Back).unwrap();
    assert_eq!(back.place.operations, "| updaddr (r3)+1");
    let [begin, _] = debugger.ends();
    debugger.go_to(begin).unwrap();
    let refused = debugger.step(StepUnit::Iteration, TimeDirection::Forward);
    assert!(matches!(refused, Err(DebugError::Refused(text)) if text.contains("no hardware loop")));
}

/// A routine that the body calls is part of the turn.
#[test]
fn a_turn_goes_over_what_the_body_calls() {
    const CALLS: &str = "
        .kernel calls
        | seti    g2, 5
        nop
        nop
        | do      g2, last
        nop
first:  nop
        | calli routine
        nop
        nop
mid:    nop
last:   nop
        nop
        nop
        | stopi   0
routine:    inci f1, 1
        nop
        | ret
        nop
        nop
        nop
";
    let mut debugger = debugger("calls.s", CALLS);
    let first = debugger.label("first").unwrap();
    debugger.set(first, None).unwrap();
    debugger.run_to_stop(TimeDirection::Forward).unwrap();
    debugger.remove(1);
    // The bundle before the label is the first of the body.
    let [begin, behind] = ["calls+4", "last+2"];
    let mut turn = |direction| debugger.step(StepUnit::Iteration, direction).unwrap().place.label;
    use TimeDirection::{Back, Forward};
    let labels = [Forward, Forward, Back, Forward, Forward, Forward, Forward].map(&mut turn);
    assert_eq!(labels, [begin, begin, begin, begin, begin, begin, behind]);
}

#[test]
fn writes_are_stops_behind_the_cycle_and_back_before_it() {
    let mut debugger = debugger("nest.s", NEST);
    let begin = debugger.ends()[0];
    debugger.set(BreakPlace::Write("f1.s2".parse().unwrap()), None).unwrap();
    let forward = stops(&mut debugger, TimeDirection::Forward);
    assert_eq!(forward.len(), 3);
    let mut back = stops(&mut debugger, TimeDirection::Back);
    back.reverse();
    let before: Vec<Cycle> = back.iter().map(|cycle| *cycle + 1).collect();
    assert_eq!(before, forward);
    // With a condition only the writes behind which it holds are stops: r3 has stepped three times before the second one.
    debugger.remove(1);
    debugger.go_to(begin).unwrap();
    let condition = Some("a3 >= 3".parse().unwrap());
    debugger.set(BreakPlace::Write("f1.s2".parse().unwrap()), condition).unwrap();
    assert_eq!(stops(&mut debugger, TimeDirection::Forward), forward[1..]);
}

#[test]
fn a_write_that_lands_after_the_last_bundle_is_found() {
    let text = "        .kernel late\n        nop\n        li0     f1, 7\n        li0     f1, 9\n        stopi   0\n";
    let mut debugger = debugger("late.s", text);
    let [begin, end] = debugger.ends();
    let cell = "f1".parse::<Location>().unwrap().cell().unwrap();
    let recording = &mut debugger.run_mut().recording;
    recording.seek(begin).unwrap();
    let write = recording.next_write(cell).unwrap().unwrap();
    assert!(write.operation.as_ref().unwrap().text.starts_with("li0"), "{write:?}");
    let mut low = |cycle| {
        recording.seek(cycle).unwrap();
        recording.state().get(cell).unwrap() as u16
    };
    assert_eq!([low(write.cycle), low(write.cycle + 1), write.value as u16], [0, 9, 9]);
    recording.seek(end).unwrap();
    assert_eq!(recording.last_write(cell).unwrap(), Some(write.clone()));
    recording.seek(write.cycle).unwrap();
    assert_eq!(recording.last_write(cell).unwrap(), None);
    debugger.set(BreakPlace::Write("f1".parse().unwrap()), None).unwrap();
    debugger.go_to(begin).unwrap();
    assert_eq!(stops(&mut debugger, TimeDirection::Forward).len(), 1);
    assert_eq!(stops(&mut debugger, TimeDirection::Back), [write.cycle]);
}

#[test]
fn a_half_is_written_by_operations_that_write_it() {
    let empty = "        nop\n".repeat(8);
    let text = format!(
        "        .kernel halves\n        nop\n        exp2    f1.hi, f2.hi\n        nop\n        exp2    f1.lo, f2.hi\n\
         {empty}        stopi   0\n"
    );
    let mut debugger = debugger("halves.s", &text);
    let begin = debugger.ends()[0];
    let mut lines = Vec::new();
    for name in ["f1.hi", "f1.lo", "f1"] {
        let place = BreakPlace::Write(name.parse().unwrap());
        let number = debugger.set(place, None).unwrap().number;
        debugger.go_to(begin).unwrap();
        let found = stops(&mut debugger, TimeDirection::Forward);
        assert_eq!(stops(&mut debugger, TimeDirection::Back).len(), found.len());
        lines.push(found);
        debugger.remove(number);
    }
    assert_eq!([lines[0].len(), lines[1].len()], [1, 1]);
    assert_eq!(lines[2], [lines[0][0], lines[1][0]]);
    let [_, end] = debugger.ends();
    debugger.go_to(end).unwrap();
    let write = debugger.last_write("f1.hi".parse().unwrap()).unwrap().unwrap();
    assert_eq!(write.cycle + 1, lines[0][0]);
    assert_eq!(debugger.cycle(), end);
}

#[test]
fn turns_that_end_with_the_loop_tell_where_the_run_stands() {
    let mut debugger = debugger("nest.s", NEST);
    let inner = debugger.label("inner").unwrap();
    debugger.set(inner, Some("a1 == 11".parse().unwrap())).unwrap();
    debugger.run_to_stop(TimeDirection::Forward).unwrap();
    let told = answer(&mut debugger, &mut Console::default(), "turn 50");
    assert!(told.starts_with("cycle "), "{told}");
}

#[test]
fn conditions_and_cycles_stop_where_they_hold() {
    let mut debugger = debugger("nest.s", NEST);
    let inner = debugger.label("inner").unwrap();
    debugger.set(inner, Some("a1 == 6".parse().unwrap())).unwrap();
    let found = stops(&mut debugger, TimeDirection::Forward);
    assert_eq!(found.len(), 1);
    assert_eq!(stops(&mut debugger, TimeDirection::Back), found);
    let cycle = found[0] + 3;
    debugger.set(BreakPlace::Cycle(cycle), None).unwrap();
    assert_eq!(stops(&mut debugger, TimeDirection::Forward), [found[0], cycle]);
}

#[test]
fn commands_of_the_terminal_answer() {
    let mut debugger = debugger("axpy.s", &example("axpy.s"));
    let console = &mut Console::default();
    for (command, expected) in [
        ("where", "cycle 0  @0  axpy  axpy.s:3  | lwi f0, 2048"),
        ("b 14 if a0 > 100", "1: line 14 if a0 > 100"),
        ("watch f1.s1", "2: a write of f1.s1"),
        ("breakpoints", "1: line 14 if a0 > 100\n2: a write of f1.s1\n"),
        ("d 2", ""),
        ("continue", "breakpoint 1: line 14 if a0 > 100\ncycle "),
        ("loops", "turns left, bundles "),
        ("turn", "cycle "),
        ("pipeline", "psmadd"),
        ("print a0 f0.s3 [2048].s0", "f0.s3 = 3f0000003f000000 (0.5:0.5)"),
        ("memory 2048 1", "[2048]  3f0000003f000000 (0.5:0.5)  "),
        ("print a0 >= 3", "a0 >= 3 = "),
        ("print f0.hi.s3:hex", "f0.hi.s3:hex = 0x3f000000"),
        ("arrays", "no kernel that has run declares arrays"),
        ("print x[3]", "error: `x` is no register, word or array; no kernel that has run"),
        ("registers s2", "f0  "),
        ("r", "g2   "),
        ("last-write f0.s3", "f0.s3 written in cycle"),
        ("go 1580", "cycle 1580  the end"),
        ("continue", "the run ends here; the run stopped with code 0"),
        ("reverse", "breakpoint 1"),
        ("help", "last-write  lw"),
        ("q", "quit"),
        ("stp", "error: there is no command `stp`; did you mean `step`?"),
        ("b 99", "error: line 99: neither this line nor one behind it"),
        ("b other.s:3", "error: other.s: no file of the program has this name"),
        ("b nowhere", "error: there is no label or kernel `nowhere`"),
        ("b @99999", "error: there is no cycle 99999; the run has cycles 0 to 1580"),
        ("b 14 if q", "error: `q` is no condition"),
        ("watch memory[8]", "writes of registers and words of local memory are watched"),
        ("watch f99", "the machine has no such register"),
        ("print", "error: print takes registers, words and elements"),
        ("go x", "error: go takes a cycle; `x` is none"),
        ("go 99999", "error: "),
        ("delete 7", "error: there is no breakpoint 7"),
        ("where now", "error: where takes nothing; `now` is too much"),
        ("memory x", "an address or one of the labels memory"),
        ("memory 99999", "local memory ends before word 99999"),
        ("memory 8191 3", "local memory ends with word 8191"),
        ("memory 0 9000", "9000 words: an answer has at most 4096; ask for parts"),
        ("registers 4", "a section, 0 to 3"),
        ("step 0", "error: a step takes a number"),
        ("last-write g14", "error: nothing has written g14 before"),
    ] {
        let told = answer(&mut debugger, console, command);
        assert!(told.contains(expected), "{command}: {told}");
    }
}
