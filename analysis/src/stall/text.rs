//! An explained cycle as text for people.

use super::{
    Conflict, Constraint, ConstraintKind, CycleExplanation, Hold, KernelGap, Link, NextOperation,
    OperandSource, Reason, SlotExplanation,
};
use crate::history::Issued;
use crate::location::Location;
use crate::program::{LoopUse, NamedProgram, OperationNames};
use crate::words::{
    action_text, beat_text, location_text, loop_place_text, named_operation_text,
    operation_place_text, place_text,
};
use cp2_document::width::ColumnSide::{Left, Right};
use cp2_document::width::{TextTable, wrapped};
use cp2_emu::stats::Cause;
use cp2_isa::rules::flow::MisplacedControl;
use cp2_isa::{Cycle, Slot};
use std::fmt::Write as _;

/// Number of acts and of descriptors of a pause that are told.
const TOLD: usize = 8;

/// Returns the name of a slot.
pub(super) fn slot_name(slot: Slot) -> &'static str {
    match slot {
        Slot::Arithmetic => "arithmetic",
        Slot::Exchange => "exchange",
    }
}

/// Returns the text of an operation, its cycle and its place.
fn issued_text(program: &NamedProgram<'_>, issued: &Issued) -> String {
    let place = operation_place_text(program, issued);
    format!("`{}` of cycle {}, {place}", named_operation_text(program, issued), issued.cycle)
}

fn cycles(n: u64) -> String {
    if n == 1 { "1 cycle".into() } else { format!("{n} cycles") }
}

/// Returns the text of a constraint, as a sentence without an end.
pub(super) fn need_text(program: &NamedProgram<'_>, constraint: &Constraint) -> String {
    let ready = constraint.ready;
    match &constraint.kind {
        ConstraintKind::Operand(location, giver) => {
            let latency = ready - giver.cycle;
            format!(
                "{} is there from cycle {ready} on, {} after {}",
                without_section(program, *location, giver.cycle),
                cycles(latency),
                issued_text(program, giver)
            )
        }
        ConstraintKind::Beat(location, beat, visit) => format!(
            "{} is there from cycle {ready} on, after the {} in cycle {}",
            location_text(program, *location, ready),
            beat_text(program.words_in(beat.cycle), beat, visit.as_deref()),
            beat.cycle
        ),
        ConstraintKind::Order(resource, other) => format!(
            "its {resource} has to land after that of {}, so it issues in cycle {ready} at the earliest",
            issued_text(program, other)
        ),
        ConstraintKind::Reader(resource, other) => format!(
            "{} still reads the {resource} that it replaces, so it issues in cycle {ready} at the earliest",
            issued_text(program, other)
        ),
    }
}

/// Returns the text of a location without its section, for all sections as a rule get an operand at once.
fn without_section(program: &NamedProgram<'_>, location: Location, cycle: Cycle) -> String {
    let text = location.to_string();
    let text = text.rsplit_once(".s").map_or(text.clone(), |(name, _)| name.to_owned());
    let Location::Word(word, _) = location else { return text };
    let names = program.words_in(cycle);
    let name = names.and_then(|names| names.name(word.index()..word.index() + 1, None));
    name.map_or(text.clone(), |name| format!("{text} ({name})"))
}

fn loop_text(program: &NamedProgram<'_>, within: &LoopUse) -> String {
    let LoopUse { at, bundles, arithmetic, exchange, .. } = *within;
    let place = loop_place_text(&program.places, at);
    format!(
        "the loop of {place} has {bundles} bundles, {arithmetic} with an arithmetic and {exchange} with an exchange operation"
    )
}

impl CycleExplanation {
    /// Returns the explanation of the cycle as text for people: its cause, why a slot stayed empty or the issue was
    /// held, what the DMA channel did, and the chain of dependences. Labels and source lines are those of `program`.
    pub fn text(&self, program: &NamedProgram<'_>) -> String {
        let mut text = String::new();
        let place = self.address.map(|address| place_text(&program.places, address));
        let place = place.map_or(String::new(), |place| format!(", {place}"));
        let what = self.cause.map_or("no kernel ran", headline);
        let _ = writeln!(text, "cycle {}{place}: {what}", self.cycle);
        for story in &self.slots {
            text += &slot_text(program, self.cycle, story);
        }
        if let Some(hold) = &self.hold {
            text += &hold_text(program, hold);
        }
        if let Some(at) = self.skipped_by {
            let place = loop_place_text(&program.places, at);
            let _ = writeln!(
                text,
                "  a loop with count 0 begins before it ({place}): its first bundle takes a cycle and does nothing"
            );
        }
        if let Some(pause) = &self.pause {
            text += &pause_text(pause);
        }
        if let Some(within) = &self.within {
            let _ = writeln!(text, "  {}", loop_text(program, within));
        }
        text += &self.channel_text(program);
        wrapped(&text) + &chain_text(program, &self.chain)
    }

    fn channel_text(&self, program: &NamedProgram<'_>) -> String {
        let mut text = String::new();
        for (beat, visit) in &self.channel.beats {
            let _ = writeln!(
                text,
                "  {}",
                beat_text(program.words_in(beat.cycle), beat, visit.as_ref())
            );
        }
        if let Some(Conflict { beat, visit, access }) = &self.channel.conflict {
            let by = access
                .as_ref()
                .map_or("the kernel".to_owned(), |access| issued_text(program, access));
            let bank = beat.local.map(|word| program.core.bank_of(word));
            let bank = bank.map_or(String::new(), |bank| format!(" {bank}"));
            let _ = writeln!(
                text,
                "  bank{bank} is used by {by}; so the {} waits, {} in all, until cycle {}",
                beat_text(program.words_in(beat.cycle), beat, visit.as_ref()),
                cycles(beat.conflicts),
                beat.cycle
            );
        }
        if let (Some(visit), true, true) = (
            &self.channel.descriptor,
            self.channel.beats.is_empty(),
            self.channel.conflict.is_none(),
        ) {
            let waits = visit.waits.iter().flatten().any(|since| *since <= self.cycle);
            let what = if waits { "waits for start_dma" } else { "moves no beat in this cycle" };
            let _ = writeln!(
                text,
                "  the DMA channel is at descriptor {} since cycle {} and {what}",
                visit.number, visit.begin
            );
        }
        text
    }
}

fn headline(cause: Cause) -> &'static str {
    match cause {
        Cause::Both => "both slots were used",
        Cause::Arithmetic => "the exchange slot stayed empty",
        Cause::Exchange => "the arithmetic slot stayed empty",
        Cause::Empty => "nothing issued: the bundle is empty",
        Cause::Nullified => "nothing issued: the bundle was skipped",
        Cause::SyncHold => "nothing issued: the issue was held",
    }
}

fn slot_text(program: &NamedProgram<'_>, cycle: Cycle, story: &SlotExplanation) -> String {
    let slot = slot_name(story.slot);
    if let Some(issued) = &story.issued {
        let why = match story.constraints.first() {
            None => "it waits for nothing that the run wrote".to_owned(),
            Some(first) if first.is_step => {
                "it waits only for the result of the operation before it in this slot".to_owned()
            }
            Some(first) => {
                let spare = cycle.saturating_since(first.ready);
                let spare = if spare == 0 {
                    "not a cycle earlier".to_owned()
                } else {
                    format!("{} to spare", cycles(spare))
                };
                format!("{} ({spare})", need_text(program, first))
            }
        };
        return format!(
            "  {slot} slot: `{}`\n      {why}\n",
            named_operation_text(program, issued)
        );
    }
    let Some(NextOperation { issued, reason }) = &story.next else {
        return format!(
            "  {slot} slot: empty; no operation takes it before the kernel ends or for a long time\n"
        );
    };
    let n = issued.cycle - cycle;
    let mut text = format!(
        "  {slot} slot: empty; the next is {} ({} later)\n",
        issued_text(program, issued),
        cycles(n)
    );
    let _ = writeln!(text, "      {}", reason_text(program, reason));
    text
}

pub(super) fn reason_text(program: &NamedProgram<'_>, reason: &Reason) -> String {
    match reason {
        Reason::Waits(constraint) => need_text(program, constraint),
        Reason::Misplaced(how) => format!(
            "no control operation may be here: {}",
            match how {
                MisplacedControl::InDelaySlot => "it is the delay slot of a jump",
                MisplacedControl::AtLoopEnd => "these are the last two bundles of a loop",
                MisplacedControl::BeforeLoopEnd => "its delay slot would be the end of a loop",
            }
        ),
        Reason::NextPass(within) => {
            let LoopUse { bundles, arithmetic, exchange, .. } = *within;
            let full = match (arithmetic == bundles, exchange == bundles) {
                (true, false) => "; the arithmetic slot is full and bounds the loop",
                (false, true) => "; the exchange slot is full and bounds the loop",
                _ => "",
            };
            format!(
                "no operand delays it, but it is in the next pass of the loop of {bundles} bundles{full}"
            )
        }
        Reason::Flow(from, to, cycle) => format!(
            "no operand delays it, but the program went from {} to {} in cycle {cycle} before it",
            place_text(&program.places, *from),
            place_text(&program.places, *to)
        ),
        Reason::Held(by, until) => format!(
            "no operand delays it, but it comes after the hold of {}, which ends before cycle {until}",
            place_text(&program.places, *by)
        ),
        Reason::Free(n) => {
            format!(
                "nothing delays it: it could issue here, {} earlier than the program places it",
                cycles(*n)
            )
        }
    }
}

fn hold_text(program: &NamedProgram<'_>, hold: &Hold) -> String {
    let (first, behind) = hold.cycles;
    let by = hold
        .by
        .as_ref()
        .map_or_else(|| place_text(&program.places, hold.address), |by| issued_text(program, by));
    let last = behind - 1;
    let mut text =
        format!("  {by} holds cycles {first} to {last}, until all that is under way has landed\n");
    for result in hold.under_way.iter().take(TOLD) {
        let place = issued_text(program, &result.issued);
        let _ = writeln!(
            text,
            "      the result of {place} is visible from cycle {} on",
            result.visible
        );
    }
    if hold.under_way.is_empty() {
        text += "      no result for a register is under way any more\n";
    }
    let spare = hold.unneeded_cycles();
    match hold.needed.first() {
        Some((issued, constraint)) => {
            let _ = writeln!(
                text,
                "  after it: {}\n      {}",
                issued_text(program, issued),
                need_text(program, constraint)
            );
        }
        None => text += "  the bundle after it waits for nothing\n",
    }
    if spare > 0 {
        let _ = writeln!(
            text,
            "  the bundle after it could issue {} earlier: {} would be enough in place of the hold of {}",
            cycles(spare),
            nops(behind.saturating_since(first).saturating_sub(spare)),
            cycles(behind - first)
        );
    }
    text
}

fn nops(n: u64) -> String {
    match n {
        0 => "nothing".to_owned(),
        1 => "1 nop".to_owned(),
        n => format!("{n} nops"),
    }
}

fn pause_text(pause: &KernelGap) -> String {
    let mut text = String::new();
    match pause.since {
        Some(cycle) => {
            let _ = writeln!(text, "  the kernel before it stopped in cycle {cycle}");
        }
        None => text += "  no kernel ran before it, or not for a long time\n",
    }
    match pause.until {
        Some(cycle) => {
            let _ = writeln!(text, "  the next kernel begins in cycle {cycle}");
        }
        None => text += "  no kernel runs after it, or not for a long time\n",
    }
    let told = pause.acts.len().saturating_sub(TOLD);
    if told > 0 {
        let _ = writeln!(text, "  {told} earlier acts of the host in the pause, then");
    }
    for act in pause.acts.iter().skip(told) {
        let _ = writeln!(text, "      cycle {}: {}", act.cycle, action_text(&act.action));
    }
    let visits = pause.visits.len().saturating_sub(TOLD);
    if visits > 0 {
        let _ =
            writeln!(text, "  {visits} earlier descriptors of the DMA channel in the pause, then");
    }
    for visit in pause.visits.iter().skip(visits) {
        let end = visit.end.map_or("on".to_owned(), |end| format!("to {end}"));
        let moved = visit.stats.bytes_get + visit.stats.bytes_put;
        let _ = writeln!(
            text,
            "      descriptor {}: from cycle {} {end}, {moved} bytes in the pause",
            visit.number, visit.begin
        );
    }
    text
}

fn chain_text(program: &NamedProgram<'_>, links: &[Link]) -> String {
    if links.is_empty() {
        return String::new();
    }
    let text = String::from(
        "\nthe chain of dependences before it, the operand that came last each time:\n",
    );
    let columns = [("cycle", Right), ("operation", Left)];
    let mut table = TextTable::new(&columns, "place, and what it waited for");
    for Link { issued, last } in links {
        let place = operation_place_text(program, issued);
        let wait = match last {
            None => "only the slot".to_owned(),
            Some((location, ready, giver)) => {
                let spare = issued.cycle.saturating_since(*ready);
                let spare = if spare == 0 {
                    "just in time".to_owned()
                } else {
                    format!("{} to spare", cycles(spare))
                };
                let by = match giver {
                    OperandSource::Operation => String::new(),
                    OperandSource::Beat(beat, visit) => {
                        format!(
                            ", by the {}",
                            beat_text(program.words_in(beat.cycle), beat, visit.as_deref())
                        )
                    }
                };
                format!("{}, {spare}{by}", without_section(program, *location, issued.cycle))
            }
        };
        let texts = vec![issued.cycle.to_string(), named_operation_text(program, issued)];
        table.row(texts, format!("{place}: {wait}"));
    }
    text + &table.text()
}
