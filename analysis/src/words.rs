//! Texts that all reports share: for values, places of bundles and sources of values.

use crate::arrays::WordNames;
use crate::history::{Issued, ValueSource};
use crate::location::Location;
use crate::program::OperationNames;
use cp2_emu::dma::{Beat, Visit};
use cp2_emu::machine::Action;
use cp2_emu::memory::Direction;
use cp2_emu::stats::Cause;
use cp2_ir::sites::{BundleNames, Site};
use cp2_isa::{BundleAddress, Cycle, Effects, Resource, SectionMask, Slot};

/// Returns the heading of the column of a cause.
pub(crate) fn heading(cause: Cause) -> &'static str {
    match cause {
        Cause::Both => "both",
        Cause::Arithmetic => "arith",
        Cause::Exchange => "exch",
        Cause::Empty => "empty",
        Cause::Nullified => "skipped",
        Cause::SyncHold => "held",
    }
}

/// Returns a name in brackets behind a space; nothing without a name.
fn in_brackets(name: Option<String>) -> String {
    name.map_or(String::new(), |name| format!(" ({name})"))
}

/// Returns the name of a word of local memory in a cycle; `None` for any other location, and for a word without a name.
pub fn location_name(
    names: &dyn OperationNames,
    location: Location,
    cycle: Cycle,
) -> Option<String> {
    let Location::Word(word, section) = location else { return None };
    names.words_in(cycle)?.name(word.index()..word.index() + 1, Some(section))
}

/// Returns a location with the name that it has in a cycle in brackets, such as `[100].s2 (x[7])`.
pub fn location_text(names: &dyn OperationNames, location: Location, cycle: Cycle) -> String {
    format!("{location}{}", in_brackets(location_name(names, location, cycle)))
}

/// Returns a number with its noun, in the plural unless the number is 1.
fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Returns the text of the value at a location. For a whole FPR and for words of memory it is 16 hexadecimal digits,
/// then in brackets the floats in the high and in the low half; for a half of an FPR the 8 digits and the float of this
/// half, which `value` has in its place: the high half in bits 63:32. Any other register is a decimal number.
pub fn value_text(location: Location, value: u64) -> String {
    let float = |half: u64| {
        let x = f32::from_bits(half as u32);
        if x == 0.0 || (1e-4..1e7).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
    };
    let (high, low) = (value >> 32, value & 0xffff_ffff);
    match location {
        Location::Register(Resource::Fpr(_, halves), _) => match halves.bits() {
            1 => format!("{low:08x} ({})", float(low)),
            2 => format!("{high:08x} ({})", float(high)),
            _ => format!("{value:016x} ({}:{})", float(high), float(low)),
        },
        Location::Word(..) | Location::Memory(_) => {
            format!("{value:016x} ({}:{})", float(high), float(low))
        }
        Location::Register(..) => format!("{value}"),
    }
}

/// The place of a bundle or an operation in the source: label, file and line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPosition {
    /// Label and the number of bundles behind it, such as `loop+3`; `None` if there is no label.
    pub label: Option<String>,
    /// Name of the source file; `None` if it is not known.
    pub file: Option<String>,
    /// Line in the file, from 1; `None` if it is not known.
    pub line: Option<u32>,
}

impl NamedPosition {
    /// Returns the place of the bundle at an address; `places` is the index of the program.
    pub fn of(places: &BundleNames<'_>, address: BundleAddress) -> Self {
        Self::of_site(&places.site(address))
    }

    /// Returns the place of an operation, whose line may differ from that of the other operation of its bundle.
    pub fn of_operation(names: &dyn OperationNames, issued: &Issued) -> Self {
        Self::of_site(&names.site_of_operation(issued))
    }

    fn of_site(site: &Site<'_>) -> Self {
        Self {
            label: Some(site.label_text()).filter(|label| !label.is_empty()),
            file: site.file.map(str::to_owned),
            line: site.file.map(|_| site.line),
        }
    }
}

/// Returns the place of the bundle at an address as text for people: line and label, such as `fir.s:12 (loop+3)`, or
/// the line alone if there is no label. If the line is not known, the bundle address stands in its place: `loop+3
/// (bundle 40)`, or `bundle 40` without a label.
pub fn place_text(places: &BundleNames<'_>, address: BundleAddress) -> String {
    site_text(&places.site(address), address)
}

/// Returns the place of an operation as text for people, as [`place_text`] does, with the operation's own line.
pub fn operation_place_text(names: &dyn OperationNames, issued: &Issued) -> String {
    site_text(&names.site_of_operation(issued), issued.address)
}

/// Returns the place of the `do` at an address as text: the line of its `.loop`, if it has one.
pub(crate) fn loop_place_text(places: &BundleNames<'_>, at: BundleAddress) -> String {
    site_text(&places.site_of(at, Slot::Exchange), at)
}

fn site_text(site: &Site<'_>, address: BundleAddress) -> String {
    let (line, label) = (site.line_text(), site.label_text());
    match (line.is_empty(), label.is_empty()) {
        (false, false) => format!("{line} ({label})"),
        (false, true) => line,
        (true, false) => format!("{label} (bundle {address})"),
        (true, true) => format!("bundle {address}"),
    }
}

/// Returns an operation as the assembler writes it, with the words of local memory that it accessed and the angle of
/// its coefficient, if it has them.
pub fn operation_text(issued: &Issued) -> String {
    operation_text_with(issued, None)
}

/// Returns an operation as [`operation_text`] does, with the names of the words in brackets behind them.
pub fn named_operation_text(names: &dyn OperationNames, issued: &Issued) -> String {
    operation_text_with(issued, names.words_in(issued.cycle))
}

/// Returns an operation as [`operation_text`] does, with names of words if they are known.
pub(crate) fn operation_text_with(issued: &Issued, words: Option<&WordNames>) -> String {
    let access = issued.access.map_or(String::new(), |access| {
        let name = words.and_then(|words| words.access_name(&access));
        format!("  {access}{}", in_brackets(name))
    });
    let angle = match issued.row().effects.contains(Effects::COEFFICIENT) {
        true => format!("  rind {}", issued.angle.rind),
        false => String::new(),
    };
    format!("{}{access}{angle}", issued.text())
}

/// Returns a text for people about a beat of the DMA channel, at most 16 bytes that moved in one cycle: descriptor,
/// address in system memory, word of local memory with its name, and sections. `visit` is the visit to its descriptor, if it is
/// known, `words` the names of words in its cycle.
pub fn beat_text(words: Option<&WordNames>, beat: &Beat, visit: Option<&Visit>) -> String {
    let descriptor =
        visit.map_or(String::new(), |visit| format!(" of descriptor {}", visit.number));
    let local = beat.local.map_or("memory".to_owned(), |word| {
        let name = words.and_then(|words| words.beat_name(beat));
        let sections = SectionMask::from_bits(beat.sections).iter();
        let sections: Vec<String> = sections.map(|section| section.to_string()).collect();
        format!("[{word}] of section {}{}", sections.join(", "), in_brackets(name))
    });
    let memory = format!("memory[0x{:x}]", beat.address);
    match beat.direction {
        Direction::Get => format!("DMA beat{descriptor}: {memory} to {local}"),
        Direction::Put => format!("DMA beat{descriptor}: {local} to {memory}"),
    }
}

/// Returns a sentence for people about an action of the host, such as "the host read COMM".
pub fn action_text(action: &Action) -> String {
    match action {
        Action::Send(_) => "the host sent an entry to the FIFO".into(),
        Action::WriteRegister(register, value) => {
            format!("the host wrote 0x{value:x} to DMA register {}", register.name())
        }
        Action::ReadRegister(register) => format!("the host read DMA register {}", register.name()),
        Action::WriteMemory(address, bytes) => {
            format!("the host wrote {} to memory[0x{address:x}]", plural(bytes.len(), "byte"))
        }
        Action::WriteBundles(first, words) => {
            format!("the host wrote {} from {first} on", plural(words.len(), "bundle"))
        }
        Action::WriteWords(first, _, words) => {
            format!("the host wrote {} from [{first}] on", plural(words.len(), "word"))
        }
        Action::WriteControl(value) => format!("the host wrote 0x{value:x} to CONTROL"),
        Action::WriteComm(value) => format!("the host wrote 0x{value:x} to COMM"),
        Action::ReadComm => "the host read COMM".into(),
        Action::Start(at) => format!("the host started the kernel at bundle {at}"),
        Action::Finish => "the host ended the run".into(),
    }
}

/// Returns a text for people about the source of a value: cycle, operation, beat or action, and its place in the
/// program.
pub fn source_text(names: &dyn OperationNames, source: &ValueSource) -> String {
    match source {
        ValueSource::Operation(issued) => format!(
            "cycle {}  {}  {}",
            issued.cycle,
            named_operation_text(names, issued),
            operation_place_text(names, issued)
        ),
        ValueSource::Beat(beat, visit) => {
            format!(
                "cycle {}  {}",
                beat.cycle,
                beat_text(names.words_in(beat.cycle), beat, visit.as_deref())
            )
        }
        ValueSource::Act(act) => format!("cycle {}  {}", act.cycle, action_text(&act.action)),
        ValueSource::Host(cycle) => {
            format!("cycle {cycle}  changed by the host, directly or by an operation that it sent")
        }
        ValueSource::Begin => "an input: there when the recording began".into(),
        ValueSource::Unsearched(cycle) => {
            format!("written before cycle {cycle}, where the search ended; raise --reach")
        }
    }
}
