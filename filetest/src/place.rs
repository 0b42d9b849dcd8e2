//! Places of a machine's state as directives name them: `g3`, `f2.s1`, `f2.hi`, `[table+4].s0`, `status`.

use crate::cursor::{Cursor, Number};
use cp2_asm::Image;
use cp2_emu::Cp2;
use cp2_emu::state::{CONTROL_MASK, FCSR_MASK, Quad, status};
use cp2_isa::{SECTIONS, WordAddress};
use std::fmt;

/// A register or a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Home {
    Numbered(File, usize),
    /// A word of local memory: a label, if there is one, and what is added to it.
    Word(Option<String>, i64),
    Single(Single),
}

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum File {
    Fpr,
    Gpr,
    A,
    N,
    M,
    Ireg,
}

/// Files by the letter before their numbers.
const FILES: [(&str, File); 6] = [
    ("f", File::Fpr),
    ("g", File::Gpr),
    ("a", File::A),
    ("n", File::N),
    ("m", File::M),
    ("i", File::Ireg),
];

/// A register that is the only one of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Single {
    Fccr,
    Fcsr,
    Comm,
    Control,
    Status,
    Rind,
    Rstep,
    Rmask,
    Stopcode,
    Pc,
    Lsp,
    Psp,
    Dma,
}

/// Single registers with their widths in bits.
const SINGLES: [(&str, Single, u32); 13] = [
    ("fccr", Single::Fccr, 8),
    ("fcsr", Single::Fcsr, 32),
    ("comm", Single::Comm, 64),
    ("control", Single::Control, 32),
    ("status", Single::Status, 32),
    ("rind", Single::Rind, 16),
    ("rstep", Single::Rstep, 16),
    ("rmask", Single::Rmask, 16),
    ("stopcode", Single::Stopcode, 64),
    ("pc", Single::Pc, 16),
    ("lsp", Single::Lsp, 8),
    ("psp", Single::Psp, 8),
    ("dma", Single::Dma, 64),
];

/// Half of a register or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Bits 63:32.
    Hi,
    /// Bits 31:0.
    Lo,
}

/// A place that holds a number, or one in each section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    home: Home,
    /// One section of a place that has one in each.
    pub(crate) section: Option<usize>,
    /// One half of 64 bits.
    pub(crate) half: Option<Half>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.home {
            Home::Numbered(file, number) => {
                let letter = FILES.iter().find(|(_, f)| f == file).map_or("", |(name, _)| name);
                write!(f, "{letter}{number}")?;
            }
            Home::Word(None, address) => write!(f, "[{address}]")?,
            Home::Word(Some(label), 0) => write!(f, "[{label}]")?,
            Home::Word(Some(label), offset) => write!(f, "[{label}{offset:+}]")?,
            Home::Single(single) => {
                let found = SINGLES.iter().find(|(_, s, _)| s == single);
                f.write_str(found.map_or("", |(name, ..)| name))?;
            }
        }
        if let Some(section) = self.section {
            write!(f, ".s{section}")?;
        }
        match self.half {
            Some(Half::Hi) => f.write_str(".hi"),
            Some(Half::Lo) => f.write_str(".lo"),
            None => Ok(()),
        }
    }
}

impl Place {
    /// Reads a place.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, String> {
        let before = cursor.place();
        let home = if cursor.eat('[') { word(cursor)? } else { register(cursor.word(), &before)? };
        let mut place = Self { home, section: None, half: None };
        while cursor.rest().starts_with('.') {
            cursor.eat('.');
            let part = cursor.word();
            let section = part.strip_prefix('s').and_then(|n| n.parse::<usize>().ok());
            match (part, section) {
                (_, Some(s)) if s < SECTIONS && place.section.is_none() && place.has_sections() => {
                    place.section = Some(s);
                }
                ("hi", _) if place.is_wide() && place.half.is_none() => place.half = Some(Half::Hi),
                ("lo", _) if place.is_wide() && place.half.is_none() => place.half = Some(Half::Lo),
                _ => return Err(format!("`{place}` has no part `.{part}`")),
            }
        }
        Ok(place)
    }

    /// Whether it holds a number in each section.
    pub(crate) fn has_sections(&self) -> bool {
        matches!(
            self.home,
            Home::Numbered(File::Fpr, _)
                | Home::Word(..)
                | Home::Single(Single::Fccr | Single::Fcsr)
        )
    }

    /// Whether it holds two floats, one in each half.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self.home, Home::Numbered(File::Fpr, _) | Home::Word(..))
    }

    /// Bits that it holds.
    pub(crate) fn bits(&self) -> u32 {
        match (&self.home, self.half) {
            (_, Some(_)) => 32,
            (Home::Numbered(File::A | File::N | File::M, _), _) => 16,
            (Home::Single(single), _) => {
                SINGLES.iter().find(|(_, s, _)| s == single).map_or(64, |(.., bits)| *bits)
            }
            _ => 64,
        }
    }

    /// The place `k` behind it: the next register, the next word.
    pub(crate) fn after(&self, k: usize) -> Result<Self, String> {
        let home = match &self.home {
            Home::Numbered(file, number) => Home::Numbered(*file, number + k),
            Home::Word(label, offset) => Home::Word(label.clone(), offset + k as i64),
            single if k == 0 => single.clone(),
            Home::Single(_) => return Err(format!("`{self}` is one register, not several")),
        };
        Ok(Self { home, ..self.clone() })
    }

    /// The address of a word of local memory.
    fn address(
        &self,
        label: Option<&str>,
        offset: i64,
        image: &Image,
        words: usize,
    ) -> Result<usize, String> {
        let base = match label {
            None => 0,
            Some(name) => {
                image.symbol(name).ok_or_else(|| format!("there is no label `{name}`"))?
            }
        };
        usize::try_from(base.saturating_add(offset))
            .ok()
            .filter(|&address| address < words)
            .ok_or_else(|| format!("`{self}` is outside local memory: {words} words"))
    }

    /// What it holds, in every section; without sections four times the same.
    pub(crate) fn get(&self, cp2: &Cp2, image: &Image) -> Result<Quad, String> {
        let state = &cp2.state;
        let none = || format!("there is no `{self}`");
        let all = |value: u64| [value; SECTIONS];
        let quad = match &self.home {
            Home::Numbered(file, n) => match file {
                File::Fpr => *state.fpr.get(*n).ok_or_else(none)?,
                File::Gpr => all(*state.gpr.get(*n).ok_or_else(none)?),
                File::A => all((*state.a.get(*n).ok_or_else(none)?).into()),
                File::N => all((*state.n.get(*n).ok_or_else(none)?).into()),
                File::M => all((*state.m.get(*n).ok_or_else(none)?).into()),
                File::Ireg => all(*state.ireg.get(*n).ok_or_else(none)?),
            },
            Home::Word(label, offset) => {
                state.lmem[self.address(label.as_deref(), *offset, image, state.lmem.len())?]
            }
            Home::Single(single) => match single {
                Single::Fccr => state.fccr.map(u64::from),
                Single::Fcsr => state.fcsr.map(u64::from),
                Single::Comm => all(state.comm),
                Single::Control => all(state.control),
                Single::Status => all(cp2.status()),
                Single::Rind => all(state.rind.into()),
                Single::Rstep => all(state.rstep.into()),
                Single::Rmask => all(state.rmask.into()),
                Single::Stopcode => all(state.stopcode),
                Single::Pc => all(state.pc.into()),
                Single::Lsp => all(state.loops.len() as u64),
                Single::Psp => all(state.calls.len() as u64),
                Single::Dma => all(cp2.dma_state),
            },
        };
        Ok(match self.half {
            Some(Half::Hi) => quad.map(|word| word >> 32),
            Some(Half::Lo) => quad.map(|word| word & 0xffff_ffff),
            None => quad,
        })
    }

    /// Sets it, in its section or all of them, as the host could before a run.
    pub(crate) fn set(&self, cp2: &mut Cp2, image: &Image, values: Quad) -> Result<(), String> {
        let mut quad = self.get(cp2, image)?;
        if let Some(half) = self.half {
            let whole = Self { half: None, ..self.clone() };
            quad = whole.get(cp2, image)?;
            for (word, value) in quad.iter_mut().zip(values) {
                *word = match half {
                    Half::Hi => value << 32 | *word & 0xffff_ffff,
                    Half::Lo => *word >> 32 << 32 | value,
                };
            }
        } else {
            quad = match self.section {
                None => values,
                Some(s) => std::array::from_fn(|k| if k == s { values[k] } else { quad[k] }),
            };
        }
        self.store(cp2, image, quad)
    }

    fn store(&self, cp2: &mut Cp2, image: &Image, quad: Quad) -> Result<(), String> {
        let words = cp2.state.lmem.len();
        let state = &mut cp2.state;
        let [value, ..] = quad;
        match &self.home {
            Home::Numbered(file, n) => match file {
                File::Fpr => state.fpr[*n] = quad,
                File::Gpr => state.gpr[*n] = value,
                File::Ireg => state.ireg[*n] = value,
                File::A | File::N | File::M if value >= words as u64 => {
                    return Err(format!("{value} does not fit into `{self}`"));
                }
                File::A => state.a[*n] = WordAddress(value as u16),
                File::N => state.n[*n] = value as u16,
                File::M => state.m[*n] = value as u16,
            },
            Home::Word(label, offset) => {
                let address = self.address(label.as_deref(), *offset, image, words)?;
                state.lmem[address] = quad;
            }
            Home::Single(single) => match single {
                Single::Fccr => state.fccr = quad.map(|v| v as u8 | 1),
                Single::Fcsr => state.fcsr = quad.map(|v| v as u32 & FCSR_MASK),
                Single::Comm => state.comm = value,
                Single::Control => state.control = value & CONTROL_MASK,
                Single::Status => state.status = value & status::STORED,
                Single::Rind => state.rind = value as u16,
                Single::Rstep => state.rstep = value as u16,
                Single::Rmask => state.rmask = value as u16,
                Single::Stopcode => state.stopcode = value,
                Single::Dma => cp2.dma_state = value,
                Single::Pc | Single::Lsp | Single::Psp => {
                    return Err(format!("`{self}` cannot be set before a run"));
                }
            },
        }
        Ok(())
    }
}

fn register(name: &str, before: &str) -> Result<Home, String> {
    if let Some((_, single, _)) = SINGLES.iter().find(|(known, ..)| *known == name) {
        return Ok(Home::Single(*single));
    }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &name[..name.len() - digits.len()];
    match (FILES.iter().find(|(known, _)| *known == letters), digits.parse::<usize>()) {
        (Some((_, file)), Ok(number)) => Ok(Home::Numbered(*file, number)),
        _ if name.is_empty() => Err(format!("expected a register or `[word]` {before}")),
        _ => {
            let names: Vec<&str> = SINGLES.iter().map(|(name, ..)| *name).collect();
            Err(format!(
                "there is no register `{name}`: there are f0, g0, a0, n0, m0, i0 and so on, {}, and words \
                 of local memory `[ADDRESS]`",
                names.join(", ")
            ))
        }
    }
}

/// A word of local memory behind its `[`.
fn word(cursor: &mut Cursor<'_>) -> Result<Home, String> {
    let whole = |cursor: &mut Cursor<'_>| match cursor.number()? {
        Number::Whole(n, _) => i64::try_from(n).map_err(|_| format!("{n} is no address")),
        Number::Float(x) => Err(format!("{x} is no address")),
    };
    cursor.skip_blanks();
    let home = if cursor.rest().starts_with(|c: char| c.is_ascii_digit()) {
        Home::Word(None, whole(cursor)?)
    } else {
        let label = cursor.word().to_owned();
        if label.is_empty() {
            return Err(format!("expected a label or an address {}", cursor.place()));
        }
        let offset = if cursor.eat('+') || cursor.rest().trim_start().starts_with('-') {
            whole(cursor)?
        } else {
            0
        };
        Home::Word(Some(label), offset)
    };
    cursor.expect(']')?;
    Ok(home)
}
