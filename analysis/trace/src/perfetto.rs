//! Perfetto's protobuf: tracks for the causes of cycles, both slots, every bank, the channel and the host,
//! counters, and flows from a descriptor that fills a page of local memory to the first load from it. A
//! nanosecond of the trace is a cycle.

use crate::error::TraceError;
use crate::host;
use crate::proto::{
    CounterDescriptor, DebugAnnotation, EXPLICIT, InternedData, Name, Packet, Trace,
    TrackDescriptor, TrackEvent, flags, kind,
};
use crate::step::{BeatRecord, TracedCycle, TracedOperation, TracedVisit, WindowBegin, WindowEnd};
use crate::stream::Form;
use cp2_emu::dma::{ChannelCause, Descriptor, Visit};
use cp2_emu::memory::{Direction, PAGE};
use cp2_emu::trace::Destination;
use cp2_isa::{Bank, Core, Cycle, SECTIONS, Slot, WordAddress};
use prost::Message as _;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of words of a page of local memory, all sections together 4 KiB.
const PAGE_WORDS: u16 = (PAGE / (8 * SECTIONS)) as u16;

/// Identifiers of tracks.
mod track {
    pub(super) const ROOT: u64 = 1;
    pub(super) const CYCLES: u64 = 2;
    pub(super) const ARITHMETIC: u64 = 3;
    pub(super) const EXCHANGE: u64 = 4;
    pub(super) const DMA: u64 = 5;
    pub(super) const HOST: u64 = 6;
    pub(super) const FLOPS: u64 = 8;
    pub(super) const UNDER_WAY: u64 = 9;
    pub(super) const DMA_BYTES: u64 = 10;
    pub(super) const CONFLICTS: u64 = 11;
    /// Track of the first bank; those of the other banks follow it.
    pub(super) const BANKS: u64 = 16;
}

/// Names with their numbers, each of which is told once.
#[derive(Debug, Default)]
struct Names {
    known: HashMap<String, u64>,
    new: Vec<Name>,
}

impl Names {
    fn of(&mut self, name: &str) -> u64 {
        if let Some(&iid) = self.known.get(name) {
            return iid;
        }
        let iid = self.known.len() as u64 + 1;
        self.known.insert(name.to_owned(), iid);
        self.new.push(Name { iid: Some(iid), name: Some(name.to_owned()) });
        iid
    }
}

/// A run of cycles in which a track shows the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TrackSpan {
    name: &'static str,
    begin: Cycle,
    end: Cycle,
}

/// The value of an argument.
enum Argument {
    Number(u64),
    Text(String),
}

type Arguments = Vec<(&'static str, Argument)>;

/// A writer of Perfetto's protobuf.
#[derive(Debug)]
pub(crate) struct Perfetto {
    values: bool,
    core: Core,
    events: Names,
    arguments: Names,
    is_begun: bool,
    /// Runs under way, by the track that joins their cycles.
    runs: BTreeMap<u64, TrackSpan>,
    /// Latest values of the counters, by track.
    counters: BTreeMap<u64, i64>,
    /// Floating-point operations of the kernel up to now.
    flops: u64,
    /// Cycles in which the results under way are written.
    writes: Vec<Cycle>,
    /// Pages that the channel has written and nobody has read yet, with the flow that leads from there.
    filled: BTreeMap<u16, u64>,
    /// The flows of every visit that is not over.
    flows: BTreeMap<u64, BTreeSet<u64>>,
}

impl Perfetto {
    pub(crate) fn new(core: &Core, values: bool) -> Self {
        Self {
            values,
            core: *core,
            events: Names::default(),
            arguments: Names::default(),
            is_begun: false,
            runs: BTreeMap::new(),
            counters: BTreeMap::new(),
            flops: 0,
            writes: Vec::new(),
            filled: BTreeMap::new(),
            flows: BTreeMap::new(),
        }
    }

    fn packet(&mut self, packet: Packet, out: &mut Vec<u8>) {
        let first = if self.is_begun { 0 } else { flags::INCREMENTAL_STATE_CLEARED };
        self.is_begun = true;
        let event_names = std::mem::take(&mut self.events.new);
        let debug_annotation_names = std::mem::take(&mut self.arguments.new);
        let is_known = event_names.is_empty() && debug_annotation_names.is_empty();
        let names = InternedData { event_names, debug_annotation_names };
        let packet = Packet {
            trusted_packet_sequence_id: Some(1),
            interned_data: (!is_known).then_some(names),
            sequence_flags: Some(first | flags::NEEDS_INCREMENTAL_STATE),
            ..packet
        };
        // A vector has room for everything.
        let _ = Trace { packet: vec![packet] }.encode(out);
    }

    fn track(&mut self, uuid: u64, name: String, unit: Option<&str>, out: &mut Vec<u8>) {
        let is_root = uuid == track::ROOT;
        let unit = unit.map(|unit| CounterDescriptor { unit_name: Some(unit.to_owned()) });
        let descriptor = TrackDescriptor {
            uuid: Some(uuid),
            name: Some(name),
            parent_uuid: (!is_root).then_some(track::ROOT),
            counter: unit,
            child_ordering: is_root.then_some(EXPLICIT),
            sibling_order_rank: (!is_root).then_some(uuid as i32),
        };
        self.packet(Packet { track_descriptor: Some(descriptor), ..Packet::default() }, out);
    }

    fn event(&mut self, cycle: Cycle, event: TrackEvent, out: &mut Vec<u8>) {
        let packet =
            Packet { timestamp: Some(cycle.0), track_event: Some(event), ..Packet::default() };
        self.packet(packet, out);
    }

    /// Writes a slice with its arguments.
    fn slice(
        &mut self,
        (track, name): (u64, &str),
        (begin, end): (Cycle, Cycle),
        (arguments, flow_ids, terminating_flow_ids): (Arguments, Vec<u64>, Vec<u64>),
        out: &mut Vec<u8>,
    ) {
        let event = TrackEvent {
            r#type: Some(kind::SLICE_BEGIN),
            track_uuid: Some(track),
            name_iid: Some(self.events.of(name)),
            debug_annotations: self.annotations(arguments),
            flow_ids,
            terminating_flow_ids,
            ..TrackEvent::default()
        };
        self.event(begin, event, out);
        let end_event = TrackEvent {
            r#type: Some(kind::SLICE_END),
            track_uuid: Some(track),
            ..TrackEvent::default()
        };
        self.event(end.max(begin), end_event, out);
    }

    fn annotations(&mut self, arguments: Arguments) -> Vec<DebugAnnotation> {
        let annotation = |(name, argument)| {
            let name_iid = Some(self.arguments.of(name));
            match argument {
                Argument::Number(n) => {
                    DebugAnnotation { name_iid, uint_value: Some(n), string_value: None }
                }
                Argument::Text(text) => {
                    DebugAnnotation { name_iid, uint_value: None, string_value: Some(text) }
                }
            }
        };
        arguments.into_iter().map(annotation).collect()
    }

    fn counter(&mut self, track: u64, cycle: Cycle, value: i64, out: &mut Vec<u8>) {
        if self.counters.insert(track, value) == Some(value) {
            return;
        }
        let event = TrackEvent {
            r#type: Some(kind::COUNTER),
            track_uuid: Some(track),
            counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(cycle, event, out);
    }

    /// Shows a name on a track in a cycle, or nothing; neighbours that show the same are one slice.
    fn show(&mut self, track: u64, cycle: Cycle, name: Option<&'static str>, out: &mut Vec<u8>) {
        if let Some(run) = self.runs.get_mut(&track) {
            if name == Some(run.name) && run.end == cycle {
                run.end += 1;
                return;
            }
            // The cycle has been shown already: two beats used the bank.
            if run.end > cycle {
                return;
            }
        }
        self.close(track, out);
        if let Some(name) = name {
            self.runs.insert(track, TrackSpan { name, begin: cycle, end: cycle + 1 });
        }
    }

    fn close(&mut self, track: u64, out: &mut Vec<u8>) {
        if let Some(TrackSpan { name, begin, end }) = self.runs.remove(&track) {
            self.slice((track, name), (begin, end), Default::default(), out);
        }
    }

    fn bank_track(&self, word: WordAddress) -> u64 {
        bank_track(self.core.bank_of(word))
    }

    /// Writes the slice of an operation: one cycle on the track of its slot.
    fn operation(&mut self, operation: &TracedOperation<'_>, out: &mut Vec<u8>) {
        let TracedOperation { event, site } = operation;
        let track = match event.slot {
            Slot::Arithmetic => track::ARITHMETIC,
            Slot::Exchange => track::EXCHANGE,
        };
        let text = |text: &str| Argument::Text(text.to_owned());
        let mut arguments: Arguments = vec![
            ("text", text(&event.text)),
            ("address", Argument::Number(event.address.into())),
            ("sections", Argument::Number(event.enabled.into())),
        ];
        if site.label.is_some() {
            arguments.push(("label", Argument::Text(site.label_text())));
        }
        if site.file.is_some() {
            arguments.push(("line", Argument::Text(site.line_text())));
        }
        if let Some(write) = event.write_cycle {
            arguments.push(("write_cycle", Argument::Number(write.0)));
        }
        if let Some(access) = event.access {
            arguments.push(("words", Argument::Text(access.to_string())));
        }
        if self.values {
            for written in event.written.iter().flatten() {
                let values = written.value[..written.destination.sections()].iter();
                let values: Vec<_> = values.map(|value| format!("{value:016x}")).collect();
                let value = format!("{} = {}", written.destination, values.join(" "));
                arguments.push(("value", Argument::Text(value)));
            }
        }
        let mut written = event.written.iter().flatten();
        let is_store = written.any(|w| !matches!(w.destination, Destination::Register(_)));
        let loaded = event.access.filter(|_| !is_store).into_iter().flat_map(|access| access.all());
        let ended = loaded.filter_map(|word| self.filled.remove(&page(word))).collect();
        let cycles = (event.cycle, event.cycle + 1);
        self.slice((track, event.name), cycles, (arguments, Vec::new(), ended), out);
    }

    fn beat(&mut self, BeatRecord { beat, .. }: &BeatRecord, out: &mut Vec<u8>) {
        let Some(word) = beat.local else { return };
        let name = match beat.direction {
            Direction::Get => "DMA get",
            Direction::Put => "DMA put",
        };
        self.show(self.bank_track(word), beat.cycle, Some(name), out);
        if beat.direction == Direction::Get {
            let flow = (beat.visit << 16) | (u64::from(page(word)) + 1);
            if self.flows.entry(beat.visit).or_default().insert(flow) {
                self.filled.insert(page(word), flow);
            }
        }
    }

    /// Writes the slice of a descriptor.
    fn visit(&mut self, traced: &TracedVisit<'_>, end: Cycle, out: &mut Vec<u8>) {
        let Visit { number, address, words, begin, waits, ref stats, .. } = *traced.visit;
        let kind = words.map_or("descriptor", |words| Descriptor::decode(&words).action.name());
        let mut arguments: Arguments = vec![
            ("descriptor", Argument::Number(number.into())),
            ("table_address", Argument::Text(format!("0x{address:08x}"))),
            ("bytes_get", Argument::Number(stats.bytes_get)),
            ("bytes_put", Argument::Number(stats.bytes_put)),
        ];
        for (cause, &cycles) in ChannelCause::ALL.into_iter().zip(&stats.causes) {
            if cycles > 0 {
                arguments.push((cause.name(), Argument::Number(cycles)));
            }
        }
        for (wait, name) in waits.into_iter().zip(["waits_before_from", "waits_behind_from"]) {
            arguments.extend(wait.map(|cycle| (name, Argument::Number(cycle.0))));
        }
        let flows = self.flows.remove(&traced.index).unwrap_or_default();
        let name = format!("{kind} {number}");
        let flows = (arguments, flows.into_iter().collect(), Vec::new());
        self.slice((track::DMA, &name), (begin, end), flows, out);
    }

    fn counters(&mut self, step: &TracedCycle<'_>, out: &mut Vec<u8>) {
        let cycle = step.cycle;
        let flops = step.machine.cp2.stats().total_flops();
        // A kernel that has begun counts from 0.
        let grown = if flops < self.flops { flops } else { flops - self.flops };
        self.flops = flops;
        self.counter(track::FLOPS, cycle, grown as i64, out);
        let writes = step.operations.iter().filter_map(|operation| operation.event.write_cycle);
        self.writes.extend(writes);
        self.writes.retain(|&write| write > cycle);
        self.counter(track::UNDER_WAY, cycle, self.writes.len() as i64, out);
        let here = step.beats.iter().filter(|moved| moved.beat.cycle == step.cycle);
        let bytes: u64 = here.map(|moved| u64::from(moved.beat.bytes)).sum();
        self.counter(track::DMA_BYTES, cycle, bytes as i64, out);
        let waited: u64 = step.beats.iter().map(|moved| moved.beat.conflicts).sum();
        let before = self.counters.get(&track::CONFLICTS).copied().unwrap_or_default();
        self.counter(track::CONFLICTS, cycle, before + waited as i64, out);
    }
}

fn bank_track(bank: Bank) -> u64 {
    track::BANKS + bank.index() as u64
}

fn page(word: WordAddress) -> u16 {
    word.0 / PAGE_WORDS
}

impl Form for Perfetto {
    fn begin(&mut self, begin: &WindowBegin<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        self.flops = begin.machine.cp2.stats().total_flops();
        self.track(track::ROOT, "CP2".to_owned(), None, out);
        for (uuid, name) in [
            (track::CYCLES, "cycles"),
            (track::ARITHMETIC, "arithmetic slot"),
            (track::EXCHANGE, "exchange slot"),
            (track::DMA, "DMA"),
            (track::HOST, "host"),
        ] {
            self.track(uuid, name.to_owned(), None, out);
        }
        for (uuid, name, unit) in [
            (track::FLOPS, "flops per cycle", "operations"),
            (track::UNDER_WAY, "results under way", "operations"),
            (track::DMA_BYTES, "DMA per cycle", "bytes"),
            (track::CONFLICTS, "bank conflicts", "cycles"),
        ] {
            self.track(uuid, name.to_owned(), Some(unit), out);
        }
        for bank in Bank::first(self.core.banks()) {
            self.track(bank_track(bank), format!("bank {bank}"), None, out);
        }
        Ok(())
    }

    fn step(&mut self, step: &TracedCycle<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        for act in step.acts {
            let detail = ("what", Argument::Text(host::detail(&act.action)));
            let event = TrackEvent {
                r#type: Some(kind::INSTANT),
                track_uuid: Some(track::HOST),
                name_iid: Some(self.events.of(host::name(&act.action))),
                debug_annotations: self.annotations(vec![detail]),
                ..TrackEvent::default()
            };
            self.event(act.cycle, event, out);
        }
        let cycle = step.cycle;
        // Beats that moved in a drain come before the cycle behind it.
        let (earlier, now): (Vec<_>, Vec<_>) =
            step.beats.iter().partition(|moved| moved.beat.cycle < step.cycle);
        earlier.into_iter().for_each(|moved| self.beat(moved, out));
        if let Some(usage) = step.usage {
            self.show(track::CYCLES, cycle, usage.cause.map(|cause| cause.name()), out);
            step.operations.iter().for_each(|operation| self.operation(operation, out));
            for bank in usage.banks.iter() {
                self.show(bank_track(bank), cycle, Some("CP2"), out);
            }
            self.counters(step, out);
        }
        now.into_iter().for_each(|moved| self.beat(moved, out));
        for traced in step.ended_visits {
            self.visit(traced, traced.visit.end.unwrap_or(step.cycle), out);
        }
        Ok(())
    }

    fn end(&mut self, end: &WindowEnd<'_>, out: &mut Vec<u8>) -> Result<(), TraceError> {
        let tracks: Vec<u64> = self.runs.keys().copied().collect();
        tracks.into_iter().for_each(|track| self.close(track, out));
        if let Some(traced) = &end.visit {
            self.visit(traced, end.cycle, out);
        }
        Ok(())
    }
}
