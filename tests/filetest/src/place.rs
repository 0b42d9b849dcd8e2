//! Places of a machine's state as directives name them: `g3`, `f2.s1`, `f2.hi`, `[table+4].s0`, `status`.
//! Registers are those of the table; what the machine shows besides has names here.

use crate::cursor::{Cursor, Number};
use cp2_asm::Image;
use cp2_emu::Cp2;
use cp2_emu::state::Quad;
use cp2_isa::{self as isa, Core, SECTIONS, Section, Storage};
use std::fmt;

/// Register or word that a place names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Home {
    /// A register of the table by its number, 0 if it is the only one.
    Register(Storage, usize),
    /// A word of local memory: a label, if there is one, and what is added to it.
    Word(Option<String>, i64),
    Shown(Shown),
}

/// Value that a machine shows besides its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Number of active loops.
    Lsp,
    /// Number of calls that have not returned.
    Psp,
    /// Value that `check_dma` reads.
    Dma,
}

/// Values besides registers, with their names and widths in bits.
const SHOWN: [(&str, Shown, u32); 3] =
    [("lsp", Shown::Lsp, 8), ("psp", Shown::Psp, 8), ("dma", Shown::Dma, 64)];

/// Returns the kinds of registers that have a name: all but memories and stacks.
fn registers() -> impl Iterator<Item = Storage> {
    let is_memory = |s: &Storage| {
        matches!(
            s,
            Storage::Lmem
                | Storage::Shared
                | Storage::Iram
                | Storage::IramUpper
                | Storage::Loops
                | Storage::Calls
        )
    };
    Storage::ALL.into_iter().filter(move |s| !is_memory(s))
}

/// Half of a register or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// Bits 63:32.
    Hi,
    /// Bits 31:0.
    Lo,
}

/// Place that holds a number, or one in each section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CasePlace {
    home: Home,
    /// Section, if the place is one section of what has a number in each.
    pub(crate) section: Option<usize>,
    /// Half, if the place is one half of 64 bits.
    pub(crate) half: Option<Half>,
}

impl fmt::Display for CasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.home {
            Home::Register(storage, number) => {
                let info = storage.info();
                f.write_str(info.name)?;
                if info.layout.is_numbered() {
                    write!(f, "{number}")?;
                }
            }
            Home::Word(None, address) => write!(f, "[{address}]")?,
            Home::Word(Some(label), 0) => write!(f, "[{label}]")?,
            Home::Word(Some(label), offset) => write!(f, "[{label}{offset:+}]")?,
            Home::Shown(shown) => {
                let found = SHOWN.iter().find(|(_, s, _)| s == shown);
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

impl CasePlace {
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

    /// Whether the place holds a number in each section.
    pub(crate) fn has_sections(&self) -> bool {
        match self.home {
            Home::Register(storage, _) => storage.info().layout.is_per_section(),
            Home::Word(..) => true,
            Home::Shown(_) => false,
        }
    }

    /// Whether the place holds two floats, one in each half.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self.home, Home::Register(Storage::Fpr, _) | Home::Word(..))
    }

    /// Returns the number of bits that the place holds, on the core where it has the most.
    pub(crate) fn bits(&self) -> u32 {
        match (&self.home, self.half) {
            (_, Some(_)) => 32,
            (Home::Register(storage, _), _) => (storage.info().bits)(&Core::WIDEST),
            (Home::Word(..), _) => 64,
            (Home::Shown(shown), _) => {
                SHOWN.iter().find(|(_, s, _)| s == shown).map_or(64, |(.., bits)| *bits)
            }
        }
    }

    /// Returns the place `k` behind this one: the next register, the next word.
    pub(crate) fn after(&self, k: usize) -> Result<Self, String> {
        let home = match &self.home {
            Home::Word(label, offset) => Home::Word(label.clone(), offset + k as i64),
            Home::Register(storage, number) if storage.info().layout.is_numbered() => {
                Home::Register(*storage, number + k)
            }
            single if k == 0 => single.clone(),
            _ => return Err(format!("`{self}` is one register, not several")),
        };
        Ok(Self { home, ..self.clone() })
    }

    /// Returns the address of a word of local memory.
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

    /// Returns the register or word that the place names, for what has to know what was set; `None` for what the
    /// machine only shows.
    pub(crate) fn home(&self, image: &Image, words: usize) -> Option<(Storage, usize)> {
        match &self.home {
            Home::Register(storage, number) => Some((*storage, *number)),
            Home::Word(label, offset) => {
                let word = self.address(label.as_deref(), *offset, image, words).ok()?;
                Some((Storage::Lmem, word))
            }
            Home::Shown(_) => None,
        }
    }

    /// Returns what the place holds, in every section; without sections four times the same.
    pub(crate) fn get(&self, cp2: &Cp2, image: &Image) -> Result<Quad, String> {
        let state = &cp2.state;
        let all = |value: u64| [value; SECTIONS];
        let quad = match &self.home {
            // Of STATUS the machine around it knows the rest.
            Home::Register(Storage::Status, _) => all(cp2.status()),
            &Home::Register(storage, number) => {
                let at = |section| state.get(isa::StorageCell { storage, number, section });
                let first = at(Section::FIRST).ok_or_else(|| format!("there is no `{self}`"))?;
                Section::ALL.map(|section| at(section).unwrap_or(first))
            }
            Home::Word(label, offset) => {
                state.lmem[self.address(label.as_deref(), *offset, image, state.lmem.len())?]
            }
            Home::Shown(Shown::Lsp) => all(state.loops.len() as u64),
            Home::Shown(Shown::Psp) => all(state.calls.len() as u64),
            Home::Shown(Shown::Dma) => all(cp2.dma_state),
        };
        Ok(match self.half {
            Some(Half::Hi) => quad.map(|word| word >> 32),
            Some(Half::Lo) => quad.map(|word| word & 0xffff_ffff),
            None => quad,
        })
    }

    /// Sets the place, in its section or all of them, as the host could before a run.
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
        let (core, words) = (*cp2.core(), cp2.state.lmem.len());
        let [value, ..] = quad;
        match &self.home {
            Home::Register(Storage::Pc, _) | Home::Shown(Shown::Lsp | Shown::Psp) => {
                return Err(format!("`{self}` cannot be set before a run"));
            }
            &Home::Register(storage, number) => {
                let bits = (storage.info().bits)(&core);
                if let Some(value) = quad.iter().find(|&&value| value > u64::MAX >> (64 - bits)) {
                    return Err(format!("{value} does not fit into `{self}`: {bits} bits"));
                }
                for (section, value) in Section::ALL.into_iter().zip(quad) {
                    // What the sections share is there once.
                    cp2.state.set(&core, isa::StorageCell { storage, number, section }, value);
                }
            }
            Home::Word(label, offset) => {
                let address = self.address(label.as_deref(), *offset, image, words)?;
                cp2.state.lmem[address] = quad;
            }
            Home::Shown(Shown::Dma) => cp2.dma_state = value,
        }
        Ok(())
    }
}

fn register(name: &str, before: &str) -> Result<Home, String> {
    if let Some((_, shown, _)) = SHOWN.iter().find(|(known, ..)| *known == name) {
        return Ok(Home::Shown(*shown));
    }
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &name[..name.len() - digits.len()];
    let found = registers().find(|s| s.info().name == letters);
    match (found, digits.parse::<usize>()) {
        (Some(s), Ok(number)) if s.info().layout.is_numbered() => Ok(Home::Register(s, number)),
        (Some(s), _) if digits.is_empty() && !s.info().layout.is_numbered() => {
            Ok(Home::Register(s, 0))
        }
        _ if name.is_empty() => Err(format!("expected a register or `[word]` {before}")),
        _ => Err(format!("there is no register `{name}`: {}", names())),
    }
}

/// Lists the names of places, for messages.
fn names() -> String {
    let (numbered, single): (Vec<Storage>, Vec<Storage>) =
        registers().partition(|s| s.info().layout.is_numbered());
    let numbered: Vec<String> = numbered.iter().map(|s| format!("{}0", s.info().name)).collect();
    let single = single.iter().map(|s| s.info().name);
    let single: Vec<&str> = single.chain(SHOWN.iter().map(|(name, ..)| *name)).collect();
    format!(
        "there are {} and so on, {}, and words of local memory `[ADDRESS]`",
        numbered.join(", "),
        single.join(", ")
    )
}

/// Reads the address of a word of local memory behind its `[`.
fn word(cursor: &mut Cursor<'_>) -> Result<Home, String> {
    let whole = |cursor: &mut Cursor<'_>| match cursor.number()? {
        Number::Whole(n, _) => i64::try_from(n).map_err(|_| format!("{n} is not an address")),
        Number::Float(x) => Err(format!("{x} is not an address")),
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
