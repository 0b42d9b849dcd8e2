//! A chain as TOML that `read` reads back. The `toml` crate writes no hexadecimal numbers and no
//! comments, so the text is put together here; all values are numbers and fixed words.

use crate::sentence::Unit;
use crate::{Chain, sentence};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Jump, JumpKind, LocalStride, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, Stride,
};
use cp2_isa::SECTIONS;
use std::fmt::Write as _;

/// Puts lines of `key = value` together.
struct Writer(String);

impl Writer {
    fn line(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn flag(&mut self, key: &str, value: bool, default: bool) {
        if value != default {
            self.line(key, value);
        }
    }
}

/// Writes a chain as the text of a TOML file that [`read_toml`](crate::read_toml) reads back. Keys whose value is that
/// of an absent key are left out; a comment before each descriptor says in a sentence what it does.
pub fn write(chain: &Chain) -> String {
    let mut out = Writer(String::new());
    if !chain.registers.is_empty() {
        out.0.push_str("[registers]\n");
        for register in Chain::REGISTERS {
            if let Some(value) = chain.register(register) {
                out.line(&register.name().to_ascii_lowercase(), format!("0x{value:08x}"));
            }
        }
        out.0.push('\n');
    }
    if !chain.halves.is_empty() {
        out.0.push_str("[index]\n");
        for (half, value) in &chain.halves {
            out.line(&sentence::half_register(*half), format!("0x{value:08x}"));
        }
        out.0.push('\n');
    }
    for (number, descriptor) in chain.descriptors.iter().enumerate() {
        if number > 0 {
            out.0.push('\n');
        }
        let _ = writeln!(out.0, "# {number}: {}", sentence::sentence(descriptor));
        out.0.push_str("[[descriptor]]\n");
        write_descriptor(&mut out, descriptor);
    }
    out.0
}

fn write_descriptor(out: &mut Writer, d: &Descriptor) {
    write_action(out, &d.action);
    let sync = match (d.sync_before, d.sync_after) {
        (false, false) => None,
        (true, false) => Some("\"before\""),
        (false, true) => Some("\"after\""),
        (true, true) => Some("\"both\""),
    };
    if let Some(sync) = sync {
        out.line("sync", sync);
    }
    out.flag("valid", d.valid, true);
    out.flag("interrupt", d.interrupt, false);
    out.flag("stop", d.stop, false);
}

/// Writes the action of a descriptor: the kind of the action, and the keys that this kind takes.
fn write_action(out: &mut Writer, action: &DescriptorAction) {
    match action {
        DescriptorAction::Get(get) => {
            out.line("kind", "\"get\"");
            out.line("memory", memory(&get.memory));
            out.line("local", local(&get.local));
            out.line("pattern", pattern(&get.sections, Unit::Beats));
            out.flag("single_words", get.single_words, false);
            next(out, get.next);
        }
        DescriptorAction::Put(put) => {
            out.line("kind", "\"put\"");
            out.line("memory", memory(&put.memory));
            out.line("local", local(&put.local));
            out.line("flow", put.flow);
            for (key, mask) in [("mask", put.mask), ("row_end_mask", put.row_end_mask)] {
                if mask != 0 {
                    out.line(key, format!("0b{mask:04b}"));
                }
            }
            next(out, put.next);
        }
        DescriptorAction::Copy(copy) => {
            out.line("kind", "\"copy\"");
            out.line("from", memory(&copy.from));
            out.line("to", memory(&copy.to));
            next(out, copy.next);
        }
        DescriptorAction::GetWords(get) => {
            out.line("kind", "\"get_words\"");
            out.line("memory", memory(&get.memory));
            out.line("local", local(&get.local));
            out.line("pattern", pattern(&get.sections, Unit::Words));
            next(out, get.next);
        }
        DescriptorAction::PutWords(put) => {
            out.line("kind", "\"put_words\"");
            out.line("memory", memory(&put.memory));
            out.line("local", local(&put.local));
            out.line("flow", put.flow);
            next(out, put.next);
        }
        DescriptorAction::Gather(gather) => {
            out.line("kind", "\"gather\"");
            out.line("list", memory(&gather.list));
            if let Some(half) = gather.base {
                out.line("base", quoted(half));
            }
            out.line("local", local(&gather.local));
            out.line("pattern", pattern(&gather.sections, Unit::Words));
            next(out, gather.next);
        }
        DescriptorAction::Jump(jump) => write_jump(out, jump),
    }
}

fn next(out: &mut Writer, next: NextDescriptor) {
    match next {
        NextDescriptor::By(1) => {}
        NextDescriptor::By(step) => out.line("next", step),
        NextDescriptor::Index(half) => out.line("next", quoted(half)),
    }
}

fn quoted(half: u8) -> String {
    format!("\"{}\"", sentence::half_register(half))
}

fn write_jump(out: &mut Writer, jump: &Jump) {
    out.line("kind", "\"jump\"");
    match &jump.kind {
        JumpKind::Relative => out.line("target", "\"relative\""),
        JumpKind::Absolute => out.line("target", "\"absolute\""),
        JumpKind::Table(steps) => out.line("target", format!("{{ table = {steps:?} }}")),
        JumpKind::Compare { value, equal, other } => {
            let value = *value as i32;
            let compare = format!("{{ value = {value}, equal = {equal}, other = {other} }}");
            out.line("target", compare);
        }
    }
    out.line("index", quoted(jump.index));
}

/// Returns an inline table of the parts that are there.
fn inline(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    format!("{{ {} }}", parts.join(", "))
}

fn memory(walk: &MemoryWalk) -> String {
    let stride = |key: &str, s: Stride| {
        let text = format!("{key} = {{ step = {}, count = {} }}", s.step, s.count);
        (s != Stride::default()).then_some(text)
    };
    inline([
        Some(format!("base = 0x{:08x}", walk.base)),
        walk.index.map(|half| format!("index = {}", quoted(half))),
        Some(format!("burst = {}", walk.burst)),
        stride("x", walk.x),
        stride("y", walk.y),
    ])
}

fn local(walk: &LocalWalk) -> String {
    let stride = |key: &str, s: LocalStride| {
        let reversed = if s.reversed { ", reversed = true" } else { "" };
        let text = format!("{key} = {{ step = {}, count = {}{reversed} }}", s.step, s.count);
        (s != LocalStride::default()).then_some(text)
    };
    inline([
        Some(format!("base = {}", walk.base)),
        walk.index.map(|half| format!("index = {}", quoted(half))),
        stride("x", walk.x),
        stride("y", walk.y),
    ])
}

fn pattern(sections: &[Pattern; SECTIONS], unit: Unit) -> String {
    match sentence::Sharing::of(sections, unit) {
        sentence::Sharing::Broadcast => "\"broadcast\"".to_owned(),
        sentence::Sharing::Dealt(1) => "\"interleaved\"".to_owned(),
        sentence::Sharing::Dealt(beats) => format!("{{ dealt = {beats} }}"),
        sentence::Sharing::Only(section) => format!("{{ only = {section} }}"),
        sentence::Sharing::Other => {
            let one = |p: &Pattern| {
                let Pattern { base, inner, run, outer } = p;
                format!("  {{ base = {base}, inner = {inner}, run = {run}, outer = {outer} }},\n")
            };
            format!("[\n{}]", sections.iter().map(one).collect::<String>())
        }
    }
}
