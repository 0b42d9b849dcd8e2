//! Random lines with any operation that linear code may hold, from the table: sources that nothing in the
//! region has written, results that nothing reads, every kind of operand.

use super::{BY_N, LINEAR, MOVED, Writer};
use cp2_isa::{
    AddressForm, Arith, Exch, Extensions, Operand, OperandKind, Row, Slot, Unit, condition_name,
    format_name,
};

/// The set that any operation may change in any way.
const FREE: u8 = 6;

/// The rows of the operations that linear code may hold; the two of `psprmsgn` have one name.
fn rows(extensions: Extensions) -> Vec<&'static Row> {
    let arith = Arith::ALL.iter().map(|op| op.row());
    let exch = Exch::ALL.iter().filter(|op| **op != Exch::Psprmsgn1).map(|op| op.row());
    let is_held = |row: &&Row| {
        use Unit::{Dma, Jump, Loop, Nop, Stop, Sync};
        let is_there = extensions.contains(row.extension);
        is_there && !matches!(row.unit, Nop | Loop | Jump | Stop | Sync | Dma)
    };
    arith.chain(exch).filter(is_held).collect()
}

fn section_name(section: usize) -> String {
    if section == 4 { "all".into() } else { format!("s{section}") }
}

/// The operands of a line as they are being chosen.
#[derive(Default)]
struct Line {
    texts: Vec<String>,
    suffixes: String,
    /// Registers that the operation writes: they must differ.
    written: Vec<String>,
    /// Registers that have a value from now on, for some of which it will be used.
    made: Vec<String>,
    pairs: Vec<(String, String)>,
    /// Some of what it writes keeps its value.
    is_partial: bool,
    /// The section that it names, if it names one.
    section: String,
}

impl Writer {
    /// A line with any operation.
    pub(super) fn any(&mut self) {
        let rows = rows(self.extensions);
        let row = self.dice.pick(&rows);
        // What is merged in memory and by loads is rarer than arithmetic.
        let share = if row.slot == Slot::Exchange { 60 } else { 12 };
        let predicate = row.obeys(1) && self.dice.percent(share);
        let named = row.operands.iter().find_map(|o| match o.kind {
            OperandKind::Section(_, last) => Some(last as usize),
            _ => None,
        });
        let section = named.map(|last| self.dice.below(last + 1));
        let mut line = Line {
            is_partial: predicate || section.is_some_and(|s| s < 4),
            section: section.map_or_else(String::new, section_name),
            ..Line::default()
        };
        for operand in row.operands {
            self.operand(operand, &mut line);
        }
        let cc =
            if predicate { format!("if(cc{}) ", self.dice.between(1, 3)) } else { String::new() };
        let name = if row.name == "psprmsgn0" { "psprmsgn" } else { row.name };
        let text = format!("{cc}{name}{} {}", line.suffixes, line.texts.join(", "));
        self.line(text.trim_end().into());
        for made in line.made {
            if self.dice.percent(50) {
                self.has(&made);
            }
        }
        self.pairs.extend(line.pairs);
    }

    /// A register to read: one with a value, or one that the region may never write.
    fn source(&mut self) -> String {
        if self.dice.percent(20) { format!("f{}", self.dice.below(16)) } else { self.value() }
    }

    /// A register to write that the line does not write already; what it keeps must have a value.
    fn destination(&mut self, keeps: bool, line: &mut Line) -> String {
        let found = (0..8).map(|_| match keeps {
            true => self.source(),
            false if self.dice.percent(12) => format!("f{}", self.dice.below(16)),
            false => self.target(),
        });
        let found: Vec<String> = found.collect();
        let free = found.into_iter().find(|name| !line.written.contains(name));
        let name = free.unwrap_or_else(|| format!("f{}", 8 + line.written.len()));
        line.written.push(name.clone());
        if !keeps {
            line.made.push(name.clone());
        }
        name
    }

    fn new_pair(&mut self, line: &mut Line) -> String {
        let (a, b) = (self.fresh(), self.fresh());
        let text = format!("{a}:{b}");
        line.made.extend([a.clone(), b.clone()]);
        line.pairs.push((a, b));
        text
    }

    /// Returns a pair of registers that hold values.
    fn old_pair(&mut self) -> String {
        let (a, b) = self.pair();
        format!("{a}:{b}")
    }

    fn operand(&mut self, operand: &Operand, line: &mut Line) {
        let keeps = line.is_partial || operand.is_read();
        let text = match operand.kind {
            OperandKind::Fpr(_) if operand.write => self.destination(keeps, line),
            OperandKind::Fpr(_) => self.source(),
            OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
                let is_new = operand.write && !line.is_partial;
                if is_new { self.new_pair(line) } else { self.old_pair() }
            }
            OperandKind::FprHalf(..) => {
                let half = self.dice.pick(&["hi", "lo"]);
                let name = if operand.write { self.destination(true, line) } else { self.source() };
                format!("{name}.{half}")
            }
            OperandKind::Condition => {
                return line.suffixes.push_str(&self.suffix_of(condition_name, 8));
            }
            OperandKind::Format => return line.suffixes.push_str(&self.suffix_of(format_name, 4)),
            OperandKind::Signed(_) | OperandKind::Unsigned(_) => {
                let (low, high) = (*operand.kind.range().start(), *operand.kind.range().end());
                let within = low + self.dice.below((high - low + 1) as usize) as i32;
                self.dice.pick(&[low, high, within, within]).to_string()
            }
            OperandKind::Cc(_) => format!("cc{}", self.dice.between(1, 4)),
            OperandKind::Creg => "fccr".into(),
            OperandKind::WordAddress => self.dice.between(24, 31).to_string(),
            OperandKind::SharedWord => self.dice.pick(&["0", "1", "4", "6", "1022"]).into(),
            OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
                format!("r{}", self.dice.pick(&[MOVED, FREE]))
            }
            OperandKind::SectionAddress | OperandKind::SharedAddress => {
                let set = self.dice.pick(&[MOVED, FREE]);
                format!("(r{set}){}", self.dice.pick(&["+0", "+1", "-2"]))
            }
            OperandKind::Address(form) => self.addressed(form),
            OperandKind::MoveReg(..) if operand.write => self.moved_to(),
            OperandKind::MoveReg(..) => self.moved_from(),
            OperandKind::SetReg => {
                self.dice.pick(&["a5", "a6", "n6", "m6", "g4", "g5", "g6", "g7"]).into()
            }
            OperandKind::GprOrIreg if operand.write => {
                self.dice.pick(&["g4", "g5", "g6", "g7", "i0", "i1"]).into()
            }
            OperandKind::Gpr(_) if operand.write => {
                self.dice.pick(&["g4", "g5", "g6", "g7"]).into()
            }
            OperandKind::Gpr(_) => self.dice.pick(&["g4", "g5", "g6", "g7", "g0", "g2"]).into(),
            OperandKind::GprOrIreg => {
                self.dice.pick(&["g4", "g5", "g6", "g7", "g0", "g2", "i0", "i1", "i9"]).into()
            }
            OperandKind::Section(..) => line.section.clone(),
            OperandKind::Select(_) => {
                format!("{}{}", self.dice.pick(&["", "", "-"]), self.dice.below(4))
            }
            OperandKind::Target => "0".into(),
        };
        line.texts.push(text);
    }

    fn suffix_of(&mut self, name: fn(u8) -> &'static str, n: usize) -> String {
        format!(".{}", name(self.dice.below(n) as u8))
    }

    fn addressed(&mut self, form: AddressForm) -> String {
        let set = match form {
            AddressForm::Offset if self.dice.percent(85) => self.dice.pick(&LINEAR),
            AddressForm::Offset => self.dice.pick(&[MOVED, FREE]),
            _ => self.dice.pick(&[BY_N, BY_N, FREE]),
        };
        match form {
            AddressForm::Offset => {
                format!("(r{set}){}", self.dice.pick(&["+1", "+2", "+0", "-1", "+4", "-3"]))
            }
            AddressForm::PlusN => format!("(r{set})+n{set}"),
            AddressForm::MinusN => format!("(r{set})-n{set}"),
        }
    }

    fn moved_to(&mut self) -> String {
        self.dice
            .pick(&["g4", "g5", "g6", "g7", "a5", "a6", "n6", "m6", "i0", "i1", "rind", "rstep"])
            .into()
    }

    fn moved_from(&mut self) -> String {
        self.dice
            .pick(&[
                "g4", "g7", "g2", "g0", "a0", "a5", "a6", "n4", "m6", "i0", "i7", "rind", "rmask",
            ])
            .into()
    }
}
