//! What Konata takes: a reader of Kanata 0004 of its own, after the description of the form and the rules of
//! Konata's reader, which warns where these fail.

use std::collections::{BTreeMap, BTreeSet};

/// An instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instruction {
    /// The number that the simulator gave it: here its cycle of issue.
    pub(crate) cycle: u64,
    pub(crate) label: String,
    pub(crate) retire: u64,
    pub(crate) is_flushed: bool,
    /// Identifiers of those whose values it takes.
    pub(crate) producers: Vec<u64>,
    /// Stages by lane: name, begin, end.
    pub(crate) stages: BTreeMap<u64, Vec<(String, u64, Option<u64>)>>,
    is_over: bool,
}

/// Reads a trace, or panics with the line that breaks a rule. The instructions in the order of their
/// identifiers.
pub(crate) fn check(text: &str) -> Vec<Instruction> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    let mut now = None;
    let mut all: BTreeMap<u64, Instruction> = BTreeMap::new();
    let mut retired = BTreeSet::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |k: usize| -> u64 { fields[k].parse().unwrap_or_else(|_| panic!("{line}")) };
        let count = match fields[0] {
            "C" | "C=" => 2,
            "I" | "L" | "S" | "E" | "R" | "W" => 4,
            _ => panic!("no command: {line}"),
        };
        assert_eq!(fields.len(), count, "{line}");
        match fields[0] {
            "C=" => assert_eq!(now.replace(number(1)), None, "{line}"),
            "C" => {
                assert!(number(1) > 0, "{line}");
                now = now.map(|now| now + number(1));
            }
            "I" => {
                let id = number(1);
                assert_eq!(id, all.len() as u64, "{line}");
                let new = Instruction { cycle: number(2), ..Instruction::default() };
                assert_eq!(Some(new.cycle), now, "{line}");
                all.insert(id, new);
            }
            command => {
                let cycle = now.unwrap_or_else(|| panic!("no cycle yet: {line}"));
                let is_known = |id: u64| all.contains_key(&id);
                if command == "W" {
                    assert!(number(2) < number(1) && is_known(number(2)), "{line}");
                }
                let one = all.get_mut(&number(1)).unwrap_or_else(|| panic!("unknown: {line}"));
                assert!(!one.is_over, "behind its end: {line}");
                apply(one, command, &fields, cycle);
                if command == "R" && !one.is_flushed {
                    assert!(retired.insert(one.retire), "twice: {line}");
                }
            }
        }
    }
    assert!(all.values().all(|one| one.is_over && !one.label.is_empty()), "not all are over");
    all.into_values().collect()
}

fn apply(one: &mut Instruction, command: &str, fields: &[&str], cycle: u64) {
    let number = |k: usize| -> u64 { fields[k].parse().unwrap_or_else(|_| panic!("{fields:?}")) };
    match command {
        "L" => match number(2) {
            0 => one.label += fields[3],
            1 => {}
            2 => assert!(!one.stages.is_empty(), "{fields:?}"),
            _ => panic!("no kind of label: {fields:?}"),
        },
        "S" => {
            let lane = one.stages.entry(number(2)).or_default();
            if let Some((_, begin, end @ None)) = lane.last_mut() {
                assert!(*begin < cycle, "a stage of no cycle: {fields:?}");
                *end = Some(cycle);
            }
            lane.push((fields[3].to_owned(), cycle, None));
        }
        "E" => {
            let lane = one.stages.get_mut(&number(2)).unwrap_or_else(|| panic!("{fields:?}"));
            let open = lane.last_mut().filter(|(name, _, end)| name == fields[3] && end.is_none());
            let (_, begin, end) = open.unwrap_or_else(|| panic!("no such stage: {fields:?}"));
            assert!(*begin < cycle, "a stage of no cycle: {fields:?}");
            *end = Some(cycle);
        }
        "R" => {
            (one.retire, one.is_over, one.is_flushed) = (number(2), true, number(3) == 1);
            assert!(number(3) <= 1 && one.stages.contains_key(&0), "{fields:?}");
        }
        _ => one.producers.push(number(2)),
    }
}
