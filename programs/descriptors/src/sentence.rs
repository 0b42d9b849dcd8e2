//! Descriptors as sentences: what each one does.

use cp2_emu::dma::{
    Descriptor, DescriptorAction, Gather, Get, GetWords, Jump, JumpKind, LocalStride, LocalWalk,
    MemoryWalk, NextDescriptor, Pattern, Put, PutWords,
};
use cp2_emu::memory::BEAT_BYTES;
use cp2_isa::SECTIONS;

/// Unit that the patterns of a descriptor count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Beats, by the numbers of their first words.
    Beats,
    /// 32-bit words.
    Words,
}

impl Unit {
    pub(super) fn broadcast(self) -> [Pattern; SECTIONS] {
        match self {
            Self::Beats => [Pattern::ALL; SECTIONS],
            Self::Words => [Pattern::ALL_WORDS; SECTIONS],
        }
    }

    pub(super) fn dealt(self, share: u16) -> [Pattern; SECTIONS] {
        match self {
            Self::Beats => Pattern::dealt(share),
            Self::Words => Pattern::dealt_words(share),
        }
    }

    pub(super) fn only(self, section: usize) -> [Pattern; SECTIONS] {
        match self {
            Self::Beats => Pattern::only(section),
            Self::Words => Pattern::only_words(section),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Beats => "beat",
            Self::Words => "word",
        }
    }
}

/// Sharing of the beats of a get among the sections, by its name if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Every section takes every beat.
    Broadcast,
    /// Each section in turn takes this number of beats.
    Dealt(u16),
    /// A single section takes all beats.
    Only(usize),
    /// Patterns without a name.
    Other,
}

impl Sharing {
    pub(super) fn of(sections: &[Pattern; SECTIONS], unit: Unit) -> Self {
        let beats = sections[0].run;
        if *sections == unit.broadcast() {
            return Self::Broadcast;
        }
        if beats > 0 && *sections == unit.dealt(beats) {
            return Self::Dealt(beats);
        }
        let only = (0..SECTIONS).find(|&s| *sections == unit.only(s));
        only.map_or(Self::Other, Self::Only)
    }
}

/// Returns the name of an index half-register in a file of descriptors: 4 is `i2.high`.
pub(super) fn half_register(number: u8) -> String {
    let half = if number.is_multiple_of(2) { "high" } else { "low" };
    format!("i{}.{half}", number / 2)
}

/// Returns a number with the name of what it counts, in the plural but for 1.
fn count(n: impl Into<u64>, thing: &str) -> String {
    match n.into() {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}

/// Returns a sentence without a subject that says what a descriptor does, such as `gets 16 beats at 0x00180000 into
/// words 4096 to 4127 of all sections`.
pub fn sentence(descriptor: &Descriptor) -> String {
    let mut text = match &descriptor.action {
        DescriptorAction::Get(get) => sentence_of_get(get),
        DescriptorAction::Put(put) => sentence_of_put(put),
        DescriptorAction::Copy(copy) => {
            format!("copies {} to {}", memory(&copy.from), memory(&copy.to))
        }
        DescriptorAction::GetWords(get) => sentence_of_get_words(get),
        DescriptorAction::PutWords(put) => sentence_of_put_words(put),
        DescriptorAction::Gather(gather) => sentence_of_gather(gather),
        DescriptorAction::Jump(jump) => sentence_of_jump(jump),
    };
    let waits = match (descriptor.sync_before, descriptor.sync_after) {
        (false, false) => "",
        (true, false) => "; waits for start_dma before",
        (false, true) => "; waits for start_dma after",
        (true, true) => "; waits for start_dma before and after",
    };
    text += waits;
    text += match &descriptor.action {
        _ if !descriptor.valid => "; not valid",
        _ if descriptor.stop => "; stops",
        _ => "",
    };
    let next = match &descriptor.action {
        DescriptorAction::Get(t) => Some(t.next),
        DescriptorAction::Put(t) => Some(t.next),
        DescriptorAction::Copy(t) => Some(t.next),
        DescriptorAction::GetWords(t) => Some(t.next),
        DescriptorAction::PutWords(t) => Some(t.next),
        DescriptorAction::Gather(t) => Some(t.next),
        DescriptorAction::Jump(_) => None,
    };
    match next {
        Some(NextDescriptor::By(step)) if step != 1 && !descriptor.stop => {
            text += &format!("; next {step:+}");
        }
        Some(NextDescriptor::Index(half)) if !descriptor.stop => {
            text += &format!("; next by {}", half_register(half));
        }
        _ => {}
    }
    text
}

fn sentence_of_get(get: &Get) -> String {
    let takers = takers(&get.sections, Unit::Beats);
    let single = if get.single_words { " as single words" } else { "" };
    let memory = memory(&get.memory);
    let comma = if memory.contains(',') { "," } else { "" };
    format!("gets {memory}{single}{comma} into {} of {takers}", local(&get.local))
}

fn takers(sections: &[Pattern; SECTIONS], unit: Unit) -> String {
    let name = unit.name();
    match Sharing::of(sections, unit) {
        Sharing::Broadcast => "all sections".to_owned(),
        Sharing::Dealt(1) => format!("the sections in turn, {name} by {name}"),
        Sharing::Dealt(share) => format!("the sections in turn, {share} {name}s each"),
        Sharing::Only(section) => format!("section {section}"),
        Sharing::Other => "the sections that take them by their patterns".to_owned(),
    }
}

fn sentence_of_get_words(get: &GetWords) -> String {
    let takers = takers(&get.sections, Unit::Words);
    format!("gets {} into {} of {takers}", memory_words(&get.memory), halves(&get.local))
}

fn sentence_of_put_words(put: &PutWords) -> String {
    let order = match put.flow {
        0 => "one section after the other".to_owned(),
        flow => format!("the sections in turn, {} each,", count(flow, "word")),
    };
    format!("puts {} of {order} into {}", halves(&put.local), memory_words(&put.memory))
}

fn sentence_of_gather(gather: &Gather) -> String {
    let base = gather.base.map_or("0".to_owned(), half_register);
    let (list, takers) = (memory_words(&gather.list), takers(&gather.sections, Unit::Words));
    format!("gathers from {base} on what {list} name, into {} of {takers}", halves(&gather.local))
}

/// Returns a walk that counts 32-bit words, in words.
fn memory_words(walk: &MemoryWalk) -> String {
    let base = match walk.index {
        Some(half) => format!("0x{:08x} + {}", walk.base, half_register(half)),
        None => format!("0x{:08x}", walk.base),
    };
    let [x, y] = [walk.x, walk.y].map(|stride| (stride.count.max(1), stride.step));
    let row = count(walk.burst.max(1), "32-bit word");
    match (x, y) {
        ((1, _), (1, _)) => format!("{row} at {base}"),
        ((n, step), (1, _)) | ((1, _), (n, step)) => {
            format!("{n} rows of {row} at {base}, {step} bytes apart")
        }
        ((n, step), (planes, apart)) => {
            let rows = format!("{planes} planes of {n} rows of {row}");
            format!("{rows} at {base}, rows {step} and planes {apart} bytes apart")
        }
    }
}

/// Returns a walk that counts halves of words, in words.
fn halves(walk: &LocalWalk) -> String {
    let LocalWalk { x, y, .. } = walk;
    let is_plain = !x.reversed && !y.reversed && walk.index.is_none();
    let last = u32::from(walk.base.0) + u32::from(x.count.max(1)) - 1;
    if is_plain && x.step == 1 && y.count <= 1 && last <= u16::MAX.into() {
        return format!("halves {} to {last}", walk.base);
    }
    local(walk).replacen("words", "halves", 1)
}

fn sentence_of_put(put: &Put) -> String {
    let order = match put.flow {
        0 => "one section after the other".to_owned(),
        flow => format!("the sections in turn, {} each,", count(flow, "beat")),
    };
    let mask = match (put.mask, put.row_end_mask) {
        (0, 0) => String::new(),
        (mask, end) => format!(", without the parts 0b{mask:04b}, at row ends 0b{end:04b}"),
    };
    format!("puts {} of {order} into {}{mask}", local(&put.local), memory(&put.memory))
}

fn sentence_of_jump(jump: &Jump) -> String {
    let index = half_register(jump.index);
    match &jump.kind {
        JumpKind::Relative => format!("jumps by {index}"),
        JumpKind::Absolute => format!("jumps to the number in {index}"),
        JumpKind::Table(_) => format!("jumps by the entry of its table that {index} names"),
        JumpKind::Compare { value, equal, other } => {
            let value = *value as i32;
            format!("jumps by {equal} if {index} is {value}, else by {other}")
        }
    }
}

fn memory(walk: &MemoryWalk) -> String {
    let base = match walk.index {
        Some(half) => format!("0x{:08x} + {}", walk.base, half_register(half)),
        None => format!("0x{:08x}", walk.base),
    };
    let MemoryWalk { x, y, .. } = walk;
    if walk.burst == 0 || x.count == 0 || y.count == 0 {
        return format!("{} at {base}, with a count of 0", count(walk.beats(), "beat"));
    }
    let burst = u32::from(walk.burst);
    if x.count == 1 || x.step == (burst * BEAT_BYTES) as i32 {
        let beats = count(burst * x.count, "beat");
        return match y.count {
            1 => format!("{beats} at {base}"),
            rows => format!("{rows} rows of {beats} at {base}, {} bytes apart", y.step),
        };
    }
    let runs = format!("{} runs of {}", x.count, count(burst, "beat"));
    match y.count {
        1 => format!("{runs} at {base}, {} bytes apart", x.step),
        rows => {
            let apart = format!("runs {} and rows {} bytes apart", x.step, y.step);
            format!("{rows} rows of {runs} at {base}, {apart}")
        }
    }
}

fn local(walk: &LocalWalk) -> String {
    let base = match walk.index {
        Some(half) => format!("{} + {}", walk.base, half_register(half)),
        None => walk.base.to_string(),
    };
    let LocalWalk { x, y, .. } = walk;
    let is_plain = !x.reversed && !y.reversed && walk.index.is_none();
    let last = u32::from(walk.base.0) + 2 * u32::from(x.count.max(1)) - 1;
    if is_plain && x.step == 2 && y.count == 1 && last <= u16::MAX.into() {
        return format!("words {base} to {last}");
    }
    let part = |s: &LocalStride| {
        let reversed = if s.reversed { " with reversed bits" } else { "" };
        let steps = if s.count == 1 { "time" } else { "times" };
        format!("{} {steps} {:+}{reversed}", s.count, s.step as i16)
    };
    match (x.count, y.count) {
        (1, 1) => format!("words from {base} on"),
        (_, 1) => format!("words from {base} on ({})", part(x)),
        _ => format!("words from {base} on ({}, {})", part(x), part(y)),
    }
}
