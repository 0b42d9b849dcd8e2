//! Interfaces as text: the lines of `.arg` and `.array` that a source has, and the section of an object.

use super::{Argument, Array, Base, Direction, Element, Extent, Interface, Layout, Packing};
use super::{Promise, Register, Spread};
use cp2_isa::{Core, Storage};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// The version of the section's text. A reader refuses another.
pub const VERSION: u32 = 1;

impl fmt::Display for Promise {
    /// `, min=16, multiple=4`: what follows the register.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, number) in Self::WORDS.into_iter().zip(self.numbers()) {
            if let Some(number) = number {
                write!(f, ", {word}={number}")?;
            }
        }
        Ok(())
    }
}

impl Argument {
    /// Whether its type is the one that nobody has to write.
    fn has_usual_type(&self) -> bool {
        let is_fpr = self.register.storage == Storage::Fpr;
        self.element == if is_fpr { Element::Float32 } else { Element::Int64 }
    }
}

impl fmt::Display for Argument {
    /// Its directive.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".arg {}, {}", self.name, self.register)?;
        if !self.has_usual_type() {
            write!(f, ", {}", self.element.name())?;
        }
        self.promise.fmt(f)
    }
}

impl fmt::Display for Array {
    /// Its directive; `at=` tells where it is, whether that is a label or not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".array {}, {}, {}", self.name, self.direction.name(), self.element.name())?;
        for extent in &self.shape {
            write!(f, ", {extent}")?;
        }
        if self.layout.spread != Spread::All {
            write!(f, ", layout={}", self.layout.spread)?;
        }
        if self.layout.packing != Packing::Pairs {
            write!(f, ", pack={}", self.layout.packing.name())?;
        }
        write!(f, ", at={}", self.base)
    }
}

impl fmt::Display for Interface {
    /// Its directives, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.arguments.iter().try_for_each(|argument| writeln!(f, "        {argument}"))?;
        self.arrays.iter().try_for_each(|array| writeln!(f, "        {array}"))
    }
}

/// The text that an object has of interfaces by kernel; empty if there are none.
pub fn to_object(interfaces: &BTreeMap<String, Interface>) -> String {
    if interfaces.values().all(Interface::is_empty) {
        return String::new();
    }
    let mut out = format!("version {VERSION}\n");
    for (kernel, interface) in interfaces {
        for Argument { name, register, element, promise } in &interface.arguments {
            let _ = write!(out, "arg {kernel} {name} {register} {}", element.name());
            for (word, number) in Promise::WORDS.into_iter().zip(promise.numbers()) {
                if let Some(number) = number {
                    let _ = write!(out, " {word}={number}");
                }
            }
            out.push('\n');
        }
        for Array { name, direction, element, shape, layout, base } in &interface.arrays {
            let (direction, element) = (direction.name(), element.name());
            let (spread, packing) = (layout.spread, layout.packing.name());
            let _ = write!(
                out,
                "array {kernel} {name} {direction} {element} {spread} {packing} {base}"
            );
            for extent in shape {
                let _ = write!(out, " {}", extent.to_postfix());
            }
            out.push('\n');
        }
    }
    out
}

/// What [`to_object`] wrote, for a core.
///
/// # Errors
/// The first line that is malformed.
pub fn from_object(bytes: &[u8], core: &Core) -> Result<BTreeMap<String, Interface>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the interfaces are not UTF-8".to_owned())?;
    let mut lines = text.lines().zip(1..);
    let mut interfaces: BTreeMap<String, Interface> = BTreeMap::new();
    match lines.next() {
        Some((line, _)) if line == format!("version {VERSION}") => {}
        Some((line, _)) if line.starts_with("version ") => {
            return Err(format!(
                "the interfaces have {line}; this program reads version {VERSION}"
            ));
        }
        _ => return Err("the interfaces have no version".to_owned()),
    }
    for (line, number) in lines {
        read_line(line, core, &mut interfaces)
            .ok_or_else(|| format!("line {number} of the interfaces is malformed"))?;
    }
    Ok(interfaces)
}

fn read_line(line: &str, core: &Core, all: &mut BTreeMap<String, Interface>) -> Option<()> {
    let words: Vec<&str> = line.split(' ').collect();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match words[..] {
        ["arg", kernel, name, register, element, ref promises @ ..] if is_name(name) => {
            let interface = all.entry(kernel.to_owned()).or_default();
            let register = Register::from_name(register, core)?;
            let mut promise = Promise::default();
            for text in promises {
                let (word, number) = text.split_once('=')?;
                *promise.number_mut(word)? = Some(number.parse().ok()?);
            }
            let (name, element) = (name.to_owned(), Element::from_name(element)?);
            interface.arguments.push(Argument { name, register, element, promise });
        }
        ["array", kernel, name, direction, element, spread, packing, base, ref shape @ ..]
            if is_name(name) && !shape.is_empty() =>
        {
            let interface = all.entry(kernel.to_owned()).or_default();
            let is_argument = |name: &str| interface.argument(name).is_some();
            let extents = shape.iter().map(|text| Extent::from_postfix(text, is_argument));
            let base = match base.parse::<u16>() {
                Ok(word) if usize::from(word) < core.lmem_words() => Base::Word(word),
                Ok(_) => return None,
                Err(_) => Base::Register(Register::from_name(base, core)?),
            };
            let array = Array {
                name: name.to_owned(),
                direction: Direction::from_name(direction)?,
                element: Element::from_name(element)?,
                shape: extents.collect::<Option<_>>()?,
                layout: Layout {
                    spread: Spread::from_name(spread)?,
                    packing: Packing::from_name(packing)?,
                },
                base,
            };
            interface.arrays.push(array);
        }
        _ => return None,
    }
    Some(())
}
