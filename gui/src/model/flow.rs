//! Flow of values among the operations of some cycles: which operations made the operands of an operation, and which
//! take its results.

use cp2_emu::trace::{Destination, Event};
use cp2_isa::{Access, Cycle, Resource, WordsFrom};
use cp2_isa::{SectionMask, Slot};

/// An edge of the flow of values, as [`producers`] and [`consumers`] find it: a value that one operation has made and
/// another one reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the operation that made the value, in the list of operations that was given.
    pub from: usize,
    /// Index of the operation that reads the value, in the list of operations that was given.
    pub to: usize,
    /// Name of the register, or of the words of local memory, through which the value goes.
    pub place: String,
}

/// Returns the registers and the words of local memory that an operation reads, each once; `event` is the operation as
/// it issued.
pub fn operands(event: &Event<Cycle>) -> Vec<Resource> {
    let mut used = Vec::new();
    let mut visit = |access: Access| {
        if let Some(resource) = access.used()
            && !used.contains(&resource)
        {
            used.push(resource);
        }
    };
    match event.slot {
        Slot::Arithmetic => event.bundle.arith.footprint(event.bundle.cc, &mut visit),
        Slot::Exchange => event.bundle.exch.footprint(event.bundle.cc, &mut visit),
    }
    used
}

/// Whether a destination that is written is a resource that is read, or a part of it.
fn feeds(destination: Destination, resource: Resource, reader: &Event<Cycle>) -> bool {
    match (destination, resource) {
        (Destination::Register(written), Resource::Fpr(..)) => written.overlaps(resource),
        (Destination::Register(written), resource) => written == resource,
        (Destination::Word(word), Resource::Memory(words)) => {
            let first = match (reader.access, words.from) {
                (Some(access), _) => access.word,
                (None, WordsFrom::Word(word)) => word,
                (None, WordsFrom::Set(_) | WordsFrom::Sections) => return false,
            };
            (first.index()..first.index() + usize::from(words.count)).contains(&word.index())
        }
        // In some section the word may be another's; the line stands for all of them.
        (Destination::Words(words), Resource::Memory(_)) => {
            reader.access.is_some_and(|access| words.contains(&access.word))
        }
        (Destination::Word(_) | Destination::Words(_), _) => false,
    }
}

/// Whether a result is there when it is read. Only floating-point registers are written late; all else is
/// there for the next bundle.
fn is_there(writer: &Event<Cycle>, reader: &Event<Cycle>, resource: Resource) -> bool {
    match (resource, writer.write_cycle) {
        (Resource::Fpr(..) | Resource::Fccr(_), Some(landed)) => landed < reader.read_cycle,
        _ => writer.cycle < reader.cycle,
    }
}

/// Returns the edges from the operations that made the operands of the operation with index `of` in `events`, those
/// that wrote each operand last in some section. `events` are operations in the order of their issue; results that had
/// not been written yet when the operation read are passed over. Empty if there is no such index.
pub fn producers(events: &[&Event<Cycle>], of: usize) -> Vec<Edge> {
    let Some(reader) = events.get(of) else { return Vec::new() };
    let mut edges = Vec::new();
    for resource in operands(reader) {
        // In every section another operation may have been the last.
        let mut open = SectionMask::from_bits(reader.enabled);
        for from in (0..events.len()).rev() {
            let writer = events[from];
            let sections = SectionMask::from_bits(writer.enabled);
            let writes = writer.written.iter().flatten();
            let meets = sections.iter().any(|section| open.contains(section));
            let mut fed = writes.filter(|w| feeds(w.destination, resource, reader));
            if !meets || !is_there(writer, reader, resource) || fed.next().is_none() {
                continue;
            }
            edges.push(Edge { from, to: of, place: resource.to_string() });
            open = SectionMask::from_bits(open.bits() & !sections.bits());
            if open.bits() == 0 {
                break;
            }
        }
    }
    edges
}

/// Returns the edges from the operation with index `of` in `events` to later operations that read its results. `events`
/// are operations in the order of their issue.
pub fn consumers(events: &[&Event<Cycle>], of: usize) -> Vec<Edge> {
    let later = of + 1..events.len();
    let fed = later.flat_map(|to| producers(events, to));
    fed.filter(|edge| edge.from == of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_emu::{Cp2, Engine, Machine, ReferenceEngine};
    use cp2_isa::{BundleAddress, Core};
    use cp2_session::load;

    fn events(text: &str) -> Vec<Event<Cycle>> {
        let (cp2, entry): (Cp2, BundleAddress) =
            load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "t.s", text)
                .expect("a program");
        let mut all = Vec::new();
        let mut machine = Machine::alone(cp2);
        ReferenceEngine.run_kernel(&mut machine, entry, 1000, &mut |e: &Event| {
            all.push(e.clone().since_reset(Cycle(e.cycle.0)));
        });
        all
    }

    fn edges(text: &str, name: &str) -> Vec<(String, String)> {
        let events = events(text);
        let all: Vec<&Event<Cycle>> = events.iter().collect();
        let of = all.iter().rposition(|e| e.name == name).expect("the operation");
        let made = producers(&all, of);
        made.iter().map(|e| (all[e.from].text.clone(), e.place.clone())).collect()
    }

    const LOAD_AND_ADD: &str = "\
        .kernel t
        | lwi f1, 4
        | nop
        | nop
        cadd f2, f1, f1
        | sync
        | swi f2, 9
        | lwi f3, 9
        | stopi 0
";

    #[test]
    fn a_sum_comes_from_its_load_and_goes_to_its_store() {
        assert_eq!(edges(LOAD_AND_ADD, "cadd"), [("lwi f1, 4".to_owned(), "f1".to_owned())]);
        let events = events(LOAD_AND_ADD);
        let all: Vec<&Event<Cycle>> = events.iter().collect();
        let sum = all.iter().position(|e| e.name == "cadd").expect("a sum");
        let taken = consumers(&all, sum);
        assert_eq!(taken.len(), 1);
        assert_eq!(all[taken[0].to].text, "swi f2, 9");
    }

    #[test]
    fn a_load_comes_from_the_store_of_its_word() {
        let made = edges(LOAD_AND_ADD, "lwi");
        assert_eq!(made.len(), 1);
        assert_eq!(made[0].0, "swi f2, 9");
    }

    #[test]
    fn a_value_that_has_not_landed_feeds_nobody() {
        // One bundle too early, f1 still has its old value.
        let early = LOAD_AND_ADD.replacen("        | nop\n", "", 1);
        assert_eq!(edges(&early, "cadd"), []);
    }
}
