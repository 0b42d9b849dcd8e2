//! An explained cycle as JSON, with its schema.

use super::text::{need_text, reason_text, slot_name};
use super::{Constraint, Giver, Hold, Link, Need, Pause, Reason, SlotStory, Why};
use crate::history::Issued;
use crate::program::{LoopUse, Program};
use crate::words::{Place, action_text, beat_text};
use cp2_document::{self as document, Field, Kind};
use cp2_emu::dma::{Beat, Visit};
use serde_json::{Value, json};

const SCHEMA: &str = "cp2-why-1";

/// An operation with the names of its program.
struct Operation {
    issued: Issued,
    place: Place,
}

const OPERATION: [Field<Operation>; 8] = [
    Field::new("cycle", Kind::Integer, "cycles since reset", "of its issue", |o| {
        o.issued.cycle.into()
    }),
    Field::new("slot", Kind::Text, "", "arithmetic or exchange", |o| {
        slot_name(o.issued.slot).into()
    }),
    Field::new("operation", Kind::Text, "", "as the assembler writes it", |o| {
        o.issued.text().into()
    }),
    Field::new("address", Kind::Integer, "bundles", "of its bundle", |o| o.issued.address.into()),
    Field::or_null(
        "word",
        Kind::Integer,
        "words",
        "first word of local memory accessed; of section 0 where each has its own",
        |o| o.issued.access.map(|access| access.word).into(),
    ),
    Field::or_null("label", Kind::Text, "", "label before the bundle, and the distance", |o| {
        o.place.label.clone().into()
    }),
    Field::or_null("file", Kind::Text, "", "source file", |o| o.place.file.clone().into()),
    Field::or_null("line", Kind::Integer, "", "in the file, from 1", |o| o.place.line.into()),
];

fn operation_schema() -> Value {
    document::schema(&OPERATION, &[])
}

fn operation(program: &Program<'_>, issued: &Issued) -> Value {
    let place = Place::of_operation(&program.places, issued);
    document::object(&OPERATION, &Operation { issued: issued.clone(), place })
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
    0 new "kind" Kind::Text, "", "operand, beat (an operand that came by DMA), order (of results) or reader (of what is replaced)";
    1 new "ready" Kind::Integer, "cycles since reset", "the first cycle in which this did not keep the operation";
    2 new "of" Kind::Text, "", "register or word";
    3 or_null "by" Kind::Object(operation_schema), "", "the other operation";
    4 new "step" Kind::Flag, "", "an address or an angle that the operation before in the same slot left behind";
    5 new "text" Kind::Text, "", "the same as a sentence";
};

fn constraint_schema() -> Value {
    document::schema(&CONSTRAINT, &[])
}

fn constraint(program: &Program<'_>, constraint: &Constraint) -> Value {
    let (kind, of, by) = match &constraint.need {
        Need::Operand(location, by) => ("operand", location.to_string(), Some(by)),
        Need::Beat(location, ..) => ("beat", location.to_string(), None),
        Need::Order(resource, by) => ("order", resource.to_string(), Some(by)),
        Need::Reader(resource, by) => ("reader", resource.to_string(), Some(by)),
    };
    let by = by.map_or(Value::Null, |by| operation(program, by));
    let text = need_text(program, constraint);
    let (ready, step) = (constraint.ready.into(), constraint.is_step.into());
    let made = Made(vec![kind.into(), ready, of.into(), by, step, text.into()]);
    document::object(&CONSTRAINT, &made)
}

const SLOT: [Field<Made>; 6] = made! {
    0 new "slot" Kind::Text, "", "arithmetic or exchange";
    1 or_null "issued" Kind::Object(operation_schema), "", "what issued in it";
    2 or_null "next" Kind::Object(operation_schema), "", "what took an empty slot next; null if nothing did for long";
    3 or_null "reason" Kind::Text, "", "why that did not take it: waits, misplaced, next_pass, flow, held or free";
    4 or_null "text" Kind::Text, "", "the reason as a sentence";
    5 new "constraints" Kind::Objects(constraint_schema), "", "what kept the operation, the latest first";
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

fn slot(program: &Program<'_>, story: &SlotStory) -> Value {
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
    0 new "first" Kind::Integer, "cycles since reset", "the first cycle of the hold";
    1 new "behind" Kind::Integer, "cycles since reset", "the first cycle behind it";
    2 or_null "by" Kind::Object(operation_schema), "", "the operation that holds";
    3 new "under_way" Kind::Objects(operation_schema), "", "operations whose results had not landed in the cycle, the latest first";
    4 new "not_needed" Kind::Integer, "cycles", "of the hold that no operand of the bundle behind it needed";
};

fn hold_schema() -> Value {
    document::schema(&HOLD, &[])
}

fn hold(program: &Program<'_>, hold: &Hold) -> Value {
    let under_way = hold.under_way.iter().map(|l| operation(program, &l.issued)).collect();
    let by = hold.by.as_ref().map_or(Value::Null, |by| operation(program, by));
    let (first, behind) = hold.cycles;
    let made = Made(vec![first.into(), behind.into(), by, under_way, hold.not_needed().into()]);
    document::object(&HOLD, &made)
}

const ACT: [Field<Made>; 2] = made! {
    0 new "cycle" Kind::Integer, "cycles since reset", "before which it was done";
    1 new "text" Kind::Text, "", "what the host did";
};

fn act_schema() -> Value {
    document::schema(&ACT, &[])
}

const VISIT: [Field<Made>; 4] = made! {
    0 new "descriptor" Kind::Integer, "", "its number";
    1 new "begin" Kind::Integer, "cycles since reset", "in which the channel turned to it, or in which the pause began";
    2 or_null "end" Kind::Integer, "cycles since reset", "the cycle behind its last; null while it is under way";
    3 new "bytes" Kind::Integer, "bytes", "moved in the pause";
};

fn visit_schema() -> Value {
    document::schema(&VISIT, &[])
}

const PAUSE: [Field<Made>; 4] = made! {
    0 or_null "since" Kind::Integer, "cycles since reset", "the last cycle of the kernel before";
    1 or_null "until" Kind::Integer, "cycles since reset", "the first cycle of the kernel behind";
    2 new "acts" Kind::Objects(act_schema), "", "of the host in the pause; of runs of entries for the FIFO the last";
    3 new "descriptors" Kind::Objects(visit_schema), "", "that the channel was at in the pause";
};

fn pause_schema() -> Value {
    document::schema(&PAUSE, &[])
}

fn pause(pause: &Pause) -> Value {
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
    0 new "cycle" Kind::Integer, "cycles since reset", "in which it moved";
    1 new "conflicts" Kind::Integer, "cycles", "that it waited because the kernel used its bank";
    2 new "text" Kind::Text, "", "from where to where";
};

fn beat_schema() -> Value {
    document::schema(&BEAT, &[])
}

fn beat((beat, visit): (&Beat, Option<&Visit>)) -> Value {
    let text = beat_text(beat, visit);
    document::object(&BEAT, &Made(vec![beat.cycle.into(), beat.conflicts.into(), text.into()]))
}

const LINK: [Field<Made>; 5] = made! {
    0 new "operation" Kind::Object(operation_schema), "", "an operation of the chain";
    1 or_null "waited_for" Kind::Text, "", "the operand that came last";
    2 or_null "ready" Kind::Integer, "cycles since reset", "the first cycle in which it was there";
    3 or_null "spare" Kind::Integer, "cycles", "between that and the issue";
    4 or_null "beat" Kind::Object(beat_schema), "", "the beat that brought it, if one did; else the next of the chain gave it";
};

fn link_schema() -> Value {
    document::schema(&LINK, &[])
}

fn link(program: &Program<'_>, link: &Link) -> Value {
    let last = link.last.as_ref();
    let by = match last {
        Some((_, _, Giver::Beat(of, visit))) => beat((of, visit.as_deref())),
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
    Field::new("do", Kind::Integer, "bundles", "address of the `do`", |l| l.at.into()),
    Field::new("bundles", Kind::Integer, "bundles", "of its body", |l| l.bundles.into()),
    Field::new("arithmetic", Kind::Integer, "bundles", "with an arithmetic operation", |l| {
        l.arithmetic.into()
    }),
    Field::new("exchange", Kind::Integer, "bundles", "with an exchange operation", |l| {
        l.exchange.into()
    }),
];

fn loop_schema() -> Value {
    document::schema(&LOOP, &[])
}

const WHY: [Field<Made>; 16] = made! {
    0 new "cycle" Kind::Integer, "cycles since reset", "which one";
    1 or_null "cause" Kind::Text, "", "what it was for, as in cp2 stats; null while no kernel ran";
    2 or_null "address" Kind::Integer, "bundles", "of the bundle that issued, was skipped or held the issue";
    3 or_null "label" Kind::Text, "", "label before the bundle, and the distance";
    4 or_null "file" Kind::Text, "", "source file";
    5 or_null "line" Kind::Integer, "", "in the file, from 1";
    6 new "banks" Kind::Numbers, "", "banks of local memory that the kernel accessed; more than one only where sections have addresses of their own";
    7 or_null "loop" Kind::Object(loop_schema), "", "the innermost hardware loop that the bundle is in";
    8 new "slots" Kind::Objects(slot_schema), "", "both slots, if a bundle issued";
    9 or_null "hold" Kind::Object(hold_schema), "", "what held the issue";
    10 or_null "skipped_by" Kind::Integer, "bundles", "address of the `do` whose count was 0";
    11 or_null "pause" Kind::Object(pause_schema), "", "what there was between two kernels";
    12 new "beats" Kind::Objects(beat_schema), "", "beats of the DMA channel that moved";
    13 or_null "conflict" Kind::Object(beat_schema), "", "the beat that waited because the kernel used its bank";
    14 or_null "descriptor" Kind::Integer, "", "the DMA descriptor that the channel was at";
    15 new "chain" Kind::Objects(link_schema), "", "the operation that explains the cycle, then what it waited for, and so on";
};

impl Why {
    /// Returns the explanation as JSON; every value has its unit and a description in [`schema`].
    pub fn to_json(&self, program: &Program<'_>) -> Value {
        let place = self.address.map(|address| Place::of(&program.places, address));
        let place = place.unwrap_or_default();
        let conflict = self.channel.conflict.as_ref();
        let conflict = conflict.map_or(Value::Null, |c| beat((&c.beat, c.visit.as_ref())));
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
            self.channel.beats.iter().map(|(b, visit)| beat((b, visit.as_ref()))).collect(),
            conflict,
            self.channel.descriptor.as_ref().map_or(Value::Null, |visit| json!(visit.number)),
            self.chain.iter().map(|of| link(program, of)).collect(),
        ]);
        document::document(SCHEMA, &WHY, &made)
    }
}

/// Returns the JSON Schema of [`Why::to_json`].
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &WHY, &[]);
    document::whole("Report of `cp2 why R --cycle C --json`", &[shape])
}
