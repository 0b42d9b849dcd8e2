//! Places at which a run stops that are easily passed over: lines of macro calls, breakpoints within steps of many cycles, faults,
//! limits.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod kit;

use cp2_debug::{BreakPlace, Console, Debugger, StepUnit, StopReason, TimeDirection};
use cp2_isa::Cycle;
use cp2_session::Setup;
use kit::{FAULT, answer, recorded, recorded_with};

/// A macro that is called twice, once within another one, and a repetition.
const MACROS: &str = "\
        .macro  count r
        updaddr (\\r)+1
        updaddr (\\r)+2
        .endm
        .macro  both
        count   r3
        nop
        .endm
        .kernel macros
        nop
        count   r1
        nop
        both
        .rept   3
        updaddr (r2)+1
        .endr
        stopi   0
";

fn stops(debugger: &mut Debugger, direction: TimeDirection) -> Vec<u64> {
    let mut found = Vec::new();
    loop {
        let stop = debugger.run_to_stop(direction).unwrap();
        match stop.reason {
            StopReason::Breakpoints(_) | StopReason::Written(..) => found.push(stop.place.cycle.0),
            _ => return found,
        }
    }
}

#[test]
fn lines_of_macro_calls_and_of_macro_bodies_stop() {
    for (line, at, cycles) in [
        (2, 2, &[1, 4][..]),
        (3, 3, &[2, 5]),
        (6, 6, &[4, 5]),
        (11, 11, &[1, 2]),
        (13, 13, &[4, 5, 6]),
        (14, 15, &[7, 8, 9]),
        (15, 15, &[7, 8, 9]),
    ] {
        let mut debugger = Debugger::new(recorded("macros.s", MACROS)).unwrap();
        let (place, found) = debugger.line(Some("macros.s"), line).unwrap();
        assert_eq!(found, at);
        debugger.set(place, None).unwrap();
        assert_eq!(stops(&mut debugger, TimeDirection::Forward), cycles, "line {line}");
        let mut back = stops(&mut debugger, TimeDirection::Back);
        back.reverse();
        assert_eq!(back, cycles, "line {line} back");
        debugger.go_to(Cycle(cycles[0])).unwrap();
        let lines = debugger.place().unwrap().lines;
        assert!(lines.contains(&("macros.s".to_owned(), at)), "{lines:?}");
    }
}

#[test]
fn the_first_bundle_of_a_run_is_one_even_if_it_is_empty() {
    let mut debugger = Debugger::new(recorded("macros.s", MACROS)).unwrap();
    let place = debugger.place().unwrap();
    assert!(place.lines.contains(&("macros.s".to_owned(), 10)), "{:?}", place.lines);
    let (place, _) = debugger.line(Some("macros.s"), 10).unwrap();
    debugger.set(place, None).unwrap();
    assert!(stops(&mut debugger, TimeDirection::Forward).is_empty());
    assert_eq!(stops(&mut debugger, TimeDirection::Back), [0]);
}

#[test]
fn steps_of_many_bundles_stop_at_what_is_in_between() {
    let mut debugger = Debugger::new(recorded("macros.s", MACROS)).unwrap();
    let console = &mut Console::default();
    answer(&mut debugger, console, "b 15 if a2 == 1");
    answer(&mut debugger, console, "watch a3");
    for (command, expected) in [
        ("step 20", "breakpoint 2: 1 written in cycle 4"),
        ("step", "breakpoint 2: 3 written in cycle 5"),
        ("step 20", "breakpoint 1: line 15 if a2 == 1\ncycle 8"),
        ("op 20", "the run ends here; the run stopped with code 0"),
        ("back 20", "breakpoint 1: line 15 if a2 == 1\ncycle 8"),
        ("back-op 20", "breakpoint 2: 3 written in cycle 5"),
        ("back 2", "breakpoint 2: 1 written in cycle 4"),
        ("back 20", "the run begins here"),
        ("step 2", "cycle 2 "),
    ] {
        let told = answer(&mut debugger, console, command);
        assert!(told.contains(expected), "{command}: {told}");
    }
}

#[test]
fn turns_stop_at_breakpoints_within_them() {
    const LOOP: &str = "
        .kernel turns
        seti    g1, 10
        nop
        nop
        do      g1, last
        nop
        updaddr (r1)+1
here:   updaddr (r2)+1
last:   nop
        nop
        nop
        stopi   0
";
    let mut debugger = Debugger::new(recorded("turns.s", LOOP)).unwrap();
    let console = &mut Console::default();
    answer(&mut debugger, console, "b here");
    answer(&mut debugger, console, "continue");
    answer(&mut debugger, console, "d 1");
    answer(&mut debugger, console, "b here if a2 == 4");
    let told = answer(&mut debugger, console, "turn 9");
    assert!(told.starts_with("breakpoint 2: here if a2 == 4"), "{told}");
    let stop = debugger.steps(StepUnit::Iteration, TimeDirection::Forward, 2).unwrap();
    assert_eq!(stop.reason, StopReason::Step);
}

#[test]
fn a_fault_and_a_limit_end_a_run_where_they_are() {
    let mut debugger = Debugger::new(recorded("fault.s", FAULT)).unwrap();
    let console = &mut Console::default();
    for (command, expected) in [
        ("continue", "fault in cycle 2, bundle 2, fault+2, fault.s:6: undefined operation"),
        ("where", "cycle 2  @2  fault+2  fault.s:6  fault"),
        ("print a1", "a1 = 1"),
        ("back 2", "cycle 0"),
        ("step 9", "fault in cycle 2"),
        ("step", "the run ends here; the run ended with a fault in cycle 2"),
    ] {
        let told = answer(&mut debugger, console, command);
        assert!(told.contains(expected), "{command}: {told}");
    }
    let setup = Setup { max_cycles: 5, ..Setup::default() };
    let mut debugger = Debugger::new(recorded_with("macros.s", MACROS, setup)).unwrap();
    let told = answer(&mut debugger, console, "continue");
    assert!(told.contains("the run was ended after 5 cycles before a `stop`"), "{told}");
    assert!(
        told.contains("cycle 5  @5  macros+5  macros.s:3, macros.s:13, macros.s:6  ended here"),
        "{told}"
    );
    assert_eq!(debugger.outcome().unwrap().0, 5);
    assert_eq!(debugger.cycle(), Cycle(5));
}

/// Conditional breakpoints and watches find what a plain look at every stop finds.
#[test]
fn conditions_are_those_of_the_state_at_the_stop() {
    const NEST: &str = "
        .kernel nest
        seti    g1, 9
        seti    g2, 7
        nop
        do      g1, outer
        updaddr (r3)+1
        do      g2, inner
        updaddr (r1)+1
        psadd   f1, f1, f2 | updaddr (r4)+3
inner:  nop
        nop
outer:  nop
        nop
        nop
        nop
        stopi   0
";
    let all = |place: &str, condition: Option<&str>, direction| {
        let mut debugger = Debugger::new(recorded("nest.s", NEST)).unwrap();
        let place = match place.strip_prefix("watch ") {
            Some(name) => BreakPlace::Write(name.parse().unwrap()),
            None => debugger.label(place).unwrap(),
        };
        let condition = condition.map(|text| debugger.condition(text).unwrap());
        let end = debugger.ends()[1];
        if direction == TimeDirection::Back {
            debugger.go_to(end).unwrap();
        }
        debugger.set(place, condition).unwrap();
        stops(&mut debugger, direction)
    };
    for place in ["watch a4", "watch f1.s1", "inner", "nest", "watch a1"] {
        for text in ["a4 > 50", "a1 == 12", "a3 < 4", "g9 == 1"] {
            for direction in [TimeDirection::Forward, TimeDirection::Back] {
                let mut debugger = Debugger::new(recorded("nest.s", NEST)).unwrap();
                let condition = debugger.condition(text).unwrap();
                let mut expected = all(place, None, direction);
                expected.retain(|cycle| {
                    debugger.go_to(Cycle(*cycle)).unwrap();
                    condition.holds(debugger.state())
                });
                assert_eq!(all(place, Some(text), direction), expected, "{place} {text}");
            }
        }
    }
}

/// Stretches that are passed over by their counts hide nothing.
#[test]
fn stops_deep_in_a_long_run_are_found_from_both_ends() {
    const LONG: &str = "
        .kernel long
        seti    g1, 30000
        nop
        nop
        do      g1, first
        nop
        updaddr (r1)+1
        nop
first:  nop
        nop
        nop
mid:    updaddr (r3)+1
        nop
        do      g1, second
        nop
        updaddr (r2)+1
        nop
second: nop
        nop
        nop
late:   updaddr (r4)+1
        stopi   0
";
    let mut debugger = Debugger::new(recorded("long.s", LONG)).unwrap();
    let console = &mut Console::default();
    let [begin, end] = debugger.ends();
    assert!(end.0 > 250_000, "{end}");
    for (breakpoint, shown) in [
        ("b mid", "mid  long.s:13"),
        ("b late", "late  long.s:22"),
        ("b first if a1 == 7000", "first  long.s:10"),
        ("b second if a2 == 7000", "second  long.s:19"),
        ("watch a3", "1 written in cycle"),
        ("watch a4", "1 written in cycle"),
        ("watch a2 if a2 == 8000", "8000 written in cycle"),
    ] {
        let set = answer(&mut debugger, console, breakpoint);
        let number = set.split(':').next().unwrap().to_owned();
        debugger.go_to(begin).unwrap();
        let forward = answer(&mut debugger, console, "continue");
        assert!(forward.contains(shown), "{breakpoint}: {forward}");
        let at = debugger.cycle();
        debugger.go_to(end).unwrap();
        // Registers of addresses go round, so a condition may hold more than once.
        let mut found = Vec::new();
        loop {
            let stop = debugger.run_to_stop(TimeDirection::Back).unwrap();
            match stop.reason {
                StopReason::Begin => break,
                StopReason::Written(_, write) => found.push(write.cycle + 1),
                _ => found.push(stop.place.cycle),
            }
        }
        if !breakpoint.starts_with("watch a2") {
            assert_eq!(found.last(), Some(&at), "{breakpoint}");
        }
        answer(&mut debugger, console, &format!("delete {number}"));
    }
}

#[test]
fn a_line_whose_operation_another_one_does_stops_at_that() {
    let text = "        .kernel k
.linear
        .even   r0
        .loop   64
        lwo     %a, (r0)+1
        lwo     %b, (r0)+1
        lwo     %c, (r0)+1
        lwo     %d, (r0)+1
        psmadd  f0, %a, %c
        psmadd  f1, %b, %d
        .endloop
.endlinear
        stopi   0
";
    let mut debugger = Debugger::new(recorded("merged.s", text)).unwrap();
    let [one, two] = [5, 6].map(|line| debugger.line(None, line).unwrap());
    assert_eq!((one.1, two.1), (5, 6), "both lines have bundles");
    let console = &mut Console::default();
    assert_eq!(answer(&mut debugger, console, "break 6"), "1: line 6\n");
    let told = answer(&mut debugger, console, "continue");
    assert!(told.contains("merged.s:5, merged.s:6") && told.contains("ldo"), "{told}");
}
