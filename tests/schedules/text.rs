//! Regions and schedules from text, by the assembler of plain bundles alone: each line of linear code
//! is assembled with physical registers in place of its virtual ones. So the tests have a reading of
//! linear code that does not come from the linear front end.

use cp2_asm::linear::{ABSOLUTE, Block, LinearInst, Loop, Op, Reg, Region, TripCount};
use cp2_asm::sched::{ScheduledBundle, SlotOrigin};
use cp2_isa::{Arith, Bundle, Core, Exch, decode};
use std::collections::BTreeMap;

/// The bundle of a line.
///
/// # Panics
/// If the line does not assemble.
fn bundle(line: &str) -> Bundle {
    let image = match cp2_asm::assemble_str("line.s", &format!("{line}\n")) {
        Ok(image) => image,
        Err(_) => panic!("`{line}` does not assemble"),
    };
    decode(image.kernels[0].words[0], &Core::CP2).expect("a bundle")
}

/// Bundles with their sources: in each line `A X: BUNDLE`, A and X the source of either half: the
/// number of an operation, `m` for made, `-` for nothing. `N * LINE` repeats a line.
pub(crate) fn schedule(text: &str) -> Vec<ScheduledBundle> {
    let mut placed = Vec::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let (n, line) = match line.split_once(" * ") {
            Some((n, line)) if n.bytes().all(|b| b.is_ascii_digit()) => {
                (n.parse().expect("a number"), line)
            }
            _ => (1, line),
        };
        let (sources, code) = line.split_once(':').expect("sources before a colon");
        let mut sources = sources.split_whitespace().map(|source| match source {
            "-" => SlotOrigin::Nothing,
            "m" => SlotOrigin::Made,
            number => SlotOrigin::Op(number.parse().expect("the number of an operation")),
        });
        let (arith, exch) =
            (sources.next().expect("a source"), sources.next().expect("two sources"));
        placed.extend(vec![ScheduledBundle { bundle: bundle(code), arith, exch }; n]);
    }
    placed
}

#[derive(Default)]
struct Reader {
    region: Region,
    numbers: BTreeMap<String, usize>,
}

/// The region between `.linear` and `.endlinear`; lines before and after are passed over.
pub(crate) fn region(text: &str) -> Region {
    let mut reader = Reader::default();
    let mut open: Vec<(Option<TripCount>, Vec<Block>)> = vec![(None, Vec::new())];
    let lines = text.lines().map(|l| l.split(';').next().unwrap_or_default().trim());
    let inside = lines.skip_while(|l| *l != ".linear").skip(1).take_while(|l| *l != ".endlinear");
    for line in inside.filter(|l| !l.is_empty()) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            ".loop" => open.push((Some(reader.count(rest)), Vec::new())),
            ".endloop" => {
                let (count, body) = open.pop().expect("a loop");
                let inner = Loop { count: count.expect("a loop"), body, span: None };
                open.last_mut().expect("the region").1.push(Block::Loop(inner));
            }
            _ if word.starts_with('.') => reader.directive(word, rest),
            _ => {
                let index = reader.region.ops.len();
                let op = reader.operation(line);
                reader.region.ops.push(op);
                let blocks = &mut open.last_mut().expect("the region").1;
                match blocks.last_mut() {
                    Some(Block::Straight(range)) => range.end = index + 1,
                    _ => blocks.push(Block::Straight(index..index + 1)),
                }
            }
        }
    }
    reader.region.blocks = open.pop().expect("the region").1;
    reader.region
}

fn number_after(text: &str, prefix: char) -> u8 {
    let text = text.trim();
    text.strip_prefix(prefix).and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("`{text}`"))
}

impl Reader {
    fn count(&self, text: &str) -> TripCount {
        let mut parts = text.split(',').map(str::trim);
        let first = parts.next().expect("a count");
        if let Ok(fixed) = first.parse() {
            return TripCount::Fixed(fixed);
        }
        let (mut min, mut multiple, mut expected) = (1, 1, None);
        for part in parts {
            match part.split_once('=').expect("min=, multiple= or expected=") {
                ("min", n) => min = n.parse().expect("a number"),
                ("expected", n) => expected = Some(n.parse().expect("a number")),
                (_, n) => multiple = n.parse().expect("a number"),
            }
        }
        TripCount::Register { gpr: number_after(first, 'g'), min, multiple, expected }
    }

    fn directive(&mut self, word: &str, rest: &str) {
        let list = rest.split(',').map(str::trim);
        match word {
            ".disjoint" => self.region.disjoint.push(
                list.map(|s| if s == "abs" { ABSOLUTE } else { number_after(s, 'r') }).collect(),
            ),
            ".even" => self.region.even.extend(list.map(|s| number_after(s, 'r'))),
            ".scratch" => self.region.scratch.extend(list.map(|s| number_after(s, 'g'))),
            ".keep" => {
                for part in list {
                    let (first, last) = part.split_once('-').unwrap_or((part, part));
                    self.region.kept.extend(number_after(first, 'f')..=number_after(last, 'f'));
                }
            }
            ".assign" => {
                let (name, reg) = rest.split_once(',').expect("%x, fN");
                let v = self.virtual_index(name.trim().trim_start_matches('%'));
                self.region.assigned.insert(v, number_after(reg, 'f'));
            }
            _ => panic!("`{word}` is no directive of linear code"),
        }
    }

    fn virtual_index(&mut self, name: &str) -> usize {
        let region = &mut self.region;
        *self.numbers.entry(name.into()).or_insert_with(|| {
            region.names.push(name.into());
            region.names.len() - 1
        })
    }

    /// Replaces every register by a stand-in, assembles the line, and puts the registers back.
    fn operation(&mut self, line: &str) -> Op {
        let mut stand_ins: Vec<(u8, Reg)> = Vec::new();
        let mut text = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(['%', 'f']) {
            let (before, tail) = rest.split_at(at);
            text.push_str(before);
            let boundary = before.chars().last().is_none_or(|c| " ,:(".contains(c));
            let name_length = tail[1..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .map_or(tail.len(), |n| n + 1);
            let name = &tail[1..name_length];
            let physical = tail.starts_with('f') && name.parse::<u8>().is_ok();
            if !boundary || !(physical || tail.starts_with('%')) {
                text.push_str(&tail[..1]);
                rest = &tail[1..];
                continue;
            }
            let reg = match physical {
                true => Reg(name.parse().expect("a number")),
                false => Reg::from_virtual(self.virtual_index(name)),
            };
            rest = &tail[name_length..];
            if text.ends_with(':') {
                text.pop();
                let (_, first) = *stand_ins.last().expect("a register before the colon");
                if first.physical().is_none() || reg.physical().is_none() {
                    self.region.next.insert(first, reg);
                }
                continue;
            }
            let known = stand_ins.iter().find(|&&(_, r)| r == reg).map(|&(n, _)| n);
            let number = known.unwrap_or(2 * stand_ins.len() as u8);
            stand_ins.push((number, reg));
            text.push_str(&format!("f{number}"));
        }
        text.push_str(rest);
        let bundle = bundle(&text);
        let code = match (bundle.arith.op, bundle.exch.op) {
            (Arith::Nop, Exch::Nop) => panic!("`{line}` is no operation"),
            (Arith::Nop, _) => LinearInst::Exch(bundle.exch),
            _ => LinearInst::Arith(bundle.arith),
        };
        let back = |reg: Reg| {
            let found = stand_ins.iter().find(|&&(n, _)| u32::from(n) == reg.0);
            found.map_or(reg, |&(_, original)| original)
        };
        Op { cc: bundle.cc, code: code.with_registers(back), span: None }
    }
}
