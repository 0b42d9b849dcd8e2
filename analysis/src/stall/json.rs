//! An explained cycle as JSON, with its schema.

use super::text::{need_text, reason_text, slot_name};
use super::{
    Constraint, ConstraintKind, CycleExplanation, Hold, KernelGap, Link, OperandSource, Reason,
    SlotExplanation,
};
use crate::history::Issued;
use crate::program::{LoopUse, NamedProgram, OperationNames};
use crate::words::{NamedPosition, action_text, beat_text};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::dma::{Beat, Visit};
use serde_json::{Value, json};

const SCHEMA: &str = "cp2-why-1";

/// An operation with the names of its program.
struct Operation {
    issued: Issued,
    place: NamedPosition,
    /// Name of the words of local memory that it accessed.
    name: Option<String>,
}

const OPERATION: [Field<Operation>; 9] = [
    Field::new("cycle", ValueKind::Integer, "cycles since reset", "of its issue", |o| {
        o.issued.cycle.into()
    }),
    Field::new("slot", ValueKind::Text, "", "arithmetic or exchange", |o| {
        slot_name(o.issued.slot).into()
    }),
    Field::new("operation", ValueKind::Text, "", "as the assembler writes it", |o| {
        o.issued.text().into()
    }),
    Field::new("address", ValueKind::Integer, "bundles", "of its bundle", |o| {
        o.issued.address.into()
    }),
    Field::or_null(
        "word",
        ValueKind::Integer,
        "words",
        "first word of local memory accessed; of section 0 where each has its own",
        |o| o.issued.access.map(|access| access.word).into(),
    ),
    Field::or_null(
        "name",
        ValueKind::Text,
        "",
        "of the words: elements of an array, or the label before them and the distance",
        |o| o.name.clone().into(),
    ),
    Field::or_null(
        "label",
        ValueKind::Text,
        "",
        "label before the bundle, and the distance",
        |o| o.place.label.clone().into(),
    ),
    Field::or_null("file", ValueKind::Text, "", "source file", |o| o.place.file.clone().into()),
    Field::or_null("line", ValueKind::Integer, "", "in the file, from 1", |o| o.place.line.into()),
];

fn operation_schema() -> Value {
    document::schema(&OPERATION, &[])
}

fn operation(program: &NamedProgram<'_>, issued: &Issued) -> Value {
    let place = NamedPosition::of_operation(program, issued);
    let words = program.words_in(issued.cycle);
    let name = issued.access.and_then(|access| words?.access_name(&access));
    document::object(&OPERATION, &Operation { issued: issued.clone(), place, name })
}

/// A part of the report whose values are made already, in the order of the rows that tell of it.
struct Made(Vec<Value>);

macro_rules! made {
    ($($number:literal $new:ident $name:literal $kind:expr, $unit:literal, $text:literal;)*) => {
        [$(Field::$new($name, $kind, $unit, $text, |made: &Made| {
            made.0.get($number).cloned().unwrap_or_default()
        }),)*]
    };
}

const CONSTRAINT: [Field<Made>; 6] = made! {
    0 new "kind" ValueKind::Text, "", "operand, beat (an operand that came by DMA), order (of results) or reader (of what is replaced)";
    1 new "ready" ValueKind::Integer, "cycles since reset", "the first cycle in which this did not keep the operation";
    2 new "of" ValueKind::Text, "", "register or word";
    3 or_null "by" ValueKind::Object(operation_schema), "", "the other operation";
    4 new "step" ValueKind::Flag, "", "an address or an angle that the operation before in the same slot stepped";
    5 new "text" ValueKind::Text, "", "the same as a sentence";
};

fn constraint_schema() -> Value {
    document::schema(&CONSTRAINT, &[])
}

fn constraint(program: &NamedProgram<'_>, constraint: &Constraint) -> Value {
    let (kind, of, by) = match &constraint.kind {
        ConstraintKind::Operand(location, by) => ("operand", location.to_string(), Some(by)),
        ConstraintKind::Beat(location, ..) => ("beat", location.to_string(), None),
        ConstraintKind::Order(resource, by) => ("order", resource.to_string(), Some(by)),
        ConstraintKind::Reader(resource, by) => ("reader", resource.to_string(), Some(by)),
    };
    let by = by.map_or(Value::Null, |by| operation(program, by));
    let text = need_text(program, constraint);
    let (ready, step) = (constraint.ready.into(), constraint.is_step.into());
    let made = Made(vec![kind.into(), ready, of.into(), by, step, text.into()]);
    document::object(&CONSTRAINT, &made)
}

const SLOT: [Field<Made>; 6] = made! {
    0 new "slot" ValueKind::Text, "", "arithmetic or exchange";
    1 or_null "issued" ValueKind::Object(operation_schema), "", "what issued in it";
    2 or_null "next" ValueKind::Object(operation_schema), "", "the operation that took an empty slot next; null if none did for a long time";
    3 or_null "reason" ValueKind::Text, "", "why that did not take it: waits, misplaced, next_pass, flow, held or free";
    4 or_null "text" ValueKind::Text, "", "the reason as a sentence";
    5 new "constraints" ValueKind::Objects(constraint_schema), "", "what kept the operation, the latest first";
};

fn slot_schema() -> Value {
    document::schema(&SLOT, &[])
}

fn reason_name(reason: &Reason) -> &'static str {
    match reason {
        Reason::Waits(_) => "waits",
        Reason::Misplaced(_) => "misplaced",
        Reason::NextPass(_) => "next_pass",
        Reason::Flow(..) => "flow",
        Reason::Held(..) => "held",
        Reason::Free(_) => "free",
    }
}

fn slot(program: &NamedProgram<'_>, story: &SlotExplanation) -> Value {
    let of = |issued: Option<&Issued>| issued.map_or(Value::Null, |i| operation(program, i));
    let reason = story.next.as_ref().map(|next| &next.reason);
    let constraints = story.constraints.iter().map(|c| constraint(program, c)).collect();
    let made = Made(vec![
        slot_name(story.slot).into(),
        of(story.issued.as_ref()),
        of(story.next.as_ref().map(|next| &next.issued)),
        reason.map(reason_name).into(),
        reason.map(|reason| reason_text(program, reason)).into(),
        constraints,
    ]);
    document::object(&SLOT, &made)
}

const HOLD: [Field<Made>; 5] = made! {
    0 new "first" ValueKind::Integer, "cycles since reset", "the first cycle of the hold";
    1 new "behind" ValueKind::Integer, "cycles since reset", "the first cycle after it";
    2 or_null "by" ValueKind::Object(operation_schema), "", "the operation that holds";
    3 new "under_way" ValueKind::Objects(operation_schema), "", "operations whose results had not landed in the cycle, the latest first";
    4 new "not_needed" ValueKind::Integer, "cycles", "of the hold that no operand of the bundle after it needed";
};

fn hold_schema() -> Value {
    document::schema(&HOLD, &[])
}

fn hold(program: &NamedProgram<'_>, hold: &Hold) -> Value {
    let under_way = hold.under_way.iter().map(|l| operation(program, &l.issued)).collect();
    let by = hold.by.as_ref().map_or(Value::Null, |by| operation(program, by));
    let (first, behind) = hold.cycles;
    let made =
        Made(vec![first.into(), behind.into(), by, under_way, hold.unneeded_cycles().into()]);
    document::object(&HOLD, &made)
}

const ACT: [Field<Made>; 2] = made! {
    0 new "cycle" ValueKind::Integer, "cycles since reset", "before which it was done";
    1 new "text" ValueKind::Text, "", "what the host did";
};

fn act_schema() -> Value {
    document::schema(&ACT, &[])
}

const VISIT: [Field<Made>; 4] = made! {
    0 new "descriptor" ValueKind::Integer, "", "its number";
    1 new "begin" ValueKind::Integer, "cycles since reset", "in which the channel turned to it, or in which the pause began";
    2 or_null "end" ValueKind::Integer, "cycles since reset", "the cycle after its last; null while it is under way";
    3 new "bytes" ValueKind::Integer, "bytes", "moved in the pause";
};

fn visit_schema() -> Value {
    document::schema(&VISIT, &[])
}

const PAUSE: [Field<Made>; 4] = made! {
    0 or_null "since" ValueKind::Integer, "cycles since reset", "the last cycle of the kernel before";
    1 or_null "until" ValueKind::Integer, "cycles since reset", "the first cycle of the next kernel";
    2 new "acts" ValueKind::Objects(act_schema), "", "of the host in the pause; of runs of entries for the FIFO the last";
    3 new "descriptors" ValueKind::Objects(visit_schema), "", "that the channel was at in the pause";
};

fn pause_schema() -> Value {
    document::schema(&PAUSE, &[])
}

fn pause(pause: &KernelGap) -> Value {
    let act = |act: &cp2_emu::machine::Act| {
        let made = Made(vec![act.cycle.into(), action_text(&act.action).into()]);
        document::object(&ACT, &made)
    };
    let visit = |visit: &Visit| {
        let bytes = visit.stats.bytes_get + visit.stats.bytes_put;
        let made =
            Made(vec![visit.number.into(), visit.begin.into(), visit.end.into(), bytes.into()]);
        document::object(&VISIT, &made)
    };
    let made = Made(vec![
        pause.since.into(),
        pause.until.into(),
        pause.acts.iter().map(act).collect(),
        pause.visits.iter().map(visit).collect(),
    ]);
    document::object(&PAUSE, &made)
}

const BEAT: [Field<Made>; 3] = made! {
    0 new "cycle" ValueKind::Integer, "cycles since reset", "in which it moved";
    1 new "conflicts" ValueKind::Integer, "cycles", "that it waited because the kernel used its bank";
    2 new "text" ValueKind::Text, "", "from where to where";
};

fn beat_schema() -> Value {
    document::schema(&BEAT, &[])
}

fn beat(program: &NamedProgram<'_>, (beat, visit): (&Beat, Option<&Visit>)) -> Value {
    let text = beat_text(program.words_in(beat.cycle), beat, visit);
    document::object(&BEAT, &Made(vec![beat.cycle.into(), beat.conflicts.into(), text.into()]))
}

const LINK: [Field<Made>; 5] = made! {
    0 new "operation" ValueKind::Object(operation_schema), "", "an operation of the chain";
    1 or_null "waited_for" ValueKind::Text, "", "the operand that came last";
    2 or_null "ready" ValueKind::Integer, "cycles since reset", "the first cycle in which it was there";
    3 or_null "spare" ValueKind::Integer, "cycles", "between that and the issue";
    4 or_null "beat" ValueKind::Object(beat_schema), "", "the beat that brought it, if one did; else the next of the chain gave it";
};

fn link_schema() -> Value {
    document::schema(&LINK, &[])
}

fn link(program: &NamedProgram<'_>, link: &Link) -> Value {
    let last = link.last.as_ref();
    let by = match last {
        Some((_, _, OperandSource::Beat(of, visit))) => beat(program, (of, visit.as_deref())),
        _ => Value::Null,
    };
    let made = Made(vec![
        operation(program, &link.issued),
        last.map(|(location, ..)| location.to_string()).into(),
        last.map(|(_, ready, _)| *ready).into(),
        link.spare().into(),
        by,
    ]);
    document::object(&LINK, &made)
}

const LOOP: [Field<LoopUse>; 4] = [
    Field::new("do", ValueKind::Integer, "bundles", "address of the `do`", |l| l.at.into()),
    Field::new("bundles", ValueKind::Integer, "bundles", "of its body", |l| l.bundles.into()),
    Field::new("arithmetic", ValueKind::Integer, "bundles", "with an arithmetic operation", |l| {
        l.arithmetic.into()
    }),
    Field::new("exchange", ValueKind::Integer, "bundles", "with an exchange operation", |l| {
        l.exchange.into()
    }),
];

fn loop_schema() -> Value {
    document::schema(&LOOP, &[])
}

const WHY: [Field<Made>; 16] = made! {
    0 new "cycle" ValueKind::Integer, "cycles since reset", "which one";
    1 or_null "cause" ValueKind::Text, "", "what it was for, as in cp2 stats; null while no kernel ran";
    2 or_null "address" ValueKind::Integer, "bundles", "of the bundle that issued, was skipped or held the issue";
    3 or_null "label" ValueKind::Text, "", "label before the bundle, and the distance";
    4 or_null "file" ValueKind::Text, "", "source file";
    5 or_null "line" ValueKind::Integer, "", "in the file, from 1";
    6 new "banks" ValueKind::Numbers, "", "banks of local memory that the kernel accessed; more than one only where sections have addresses of their own";
    7 or_null "loop" ValueKind::Object(loop_schema), "", "the innermost hardware loop that the bundle is in";
    8 new "slots" ValueKind::Objects(slot_schema), "", "both slots, if a bundle issued";
    9 or_null "hold" ValueKind::Object(hold_schema), "", "what held the issue";
    10 or_null "skipped_by" ValueKind::Integer, "bundles", "address of the `do` whose count was 0";
    11 or_null "pause" ValueKind::Object(pause_schema), "", "what there was between two kernels";
    12 new "beats" ValueKind::Objects(beat_schema), "", "beats of the DMA channel that moved";
    13 or_null "conflict" ValueKind::Object(beat_schema), "", "the beat that waited because the kernel used its bank";
    14 or_null "descriptor" ValueKind::Integer, "", "the DMA descriptor that the channel was at";
    15 new "chain" ValueKind::Objects(link_schema), "", "the operation that explains the cycle, then what it waited for, and so on";
};

impl CycleExplanation {
    /// Returns the explanation of the cycle as a JSON object, whose values [`schema`] describes: cause, slots or hold,
    /// DMA channel and chain of dependences. Labels and source lines are those of `program`.
    pub fn to_json(&self, program: &NamedProgram<'_>) -> Value {
        let place = self.address.map(|address| NamedPosition::of(&program.places, address));
        let place = place.unwrap_or_default();
        let conflict = self.channel.conflict.as_ref();
        let conflict = conflict.map_or(Value::Null, |c| beat(program, (&c.beat, c.visit.as_ref())));
        let of_loop = |within: &LoopUse| document::object(&LOOP, within);
        let made = Made(vec![
            self.cycle.into(),
            self.cause.map(|cause| cause.name()).into(),
            self.address.into(),
            place.label.into(),
            place.file.into(),
            place.line.into(),
            self.banks.iter().map(|bank| bank.0).collect(),
            self.within.as_ref().map_or(Value::Null, of_loop),
            self.slots.iter().map(|story| slot(program, story)).collect(),
            self.hold.as_ref().map_or(Value::Null, |h| hold(program, h)),
            self.skipped_by.into(),
            self.pause.as_ref().map_or(Value::Null, pause),
            self.channel
                .beats
                .iter()
                .map(|(b, visit)| beat(program, (b, visit.as_ref())))
                .collect(),
            conflict,
            self.channel.descriptor.as_ref().map_or(Value::Null, |visit| json!(visit.number)),
            self.chain.iter().map(|of| link(program, of)).collect(),
        ]);
        document::document(SCHEMA, &WHY, &made)
    }
}

/// Returns the JSON Schema of [`CycleExplanation::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &WHY, &[]);
    document::whole("Report of `cp2 why R --cycle C --json`", &[shape])
}
