//! Interfaces as text: the lines of `.arg` and `.array` that a source has, and the section of an object.

use super::{
    Argument, ArrayBase, ArrayDirection, DeclaredArray, ElementType, Extent, Interface, Layout,
    Packing,
};
use super::{ArgumentRegister, Promise, Spread};
use cp2_isa::{Core, Storage};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// The version number in the first line of the text that [`to_object`] writes. [`from_object`] refuses any other.
pub const VERSION: u32 = 1;

impl fmt::Display for Promise {
    /// Writes what follows the register: `, min=16, multiple=4`.
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
    /// Whether the type is the one that nobody has to write.
    fn has_usual_type(&self) -> bool {
        let is_fpr = self.register.storage == Storage::Fpr;
        self.element == if is_fpr { ElementType::Float32 } else { ElementType::Int64 }
    }
}

impl fmt::Display for Argument {
    /// Writes the directive of the argument.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".arg {}, {}", self.name, self.register)?;
        if !self.has_usual_type() {
            write!(f, ", {}", self.element.name())?;
        }
        self.promise.fmt(f)
    }
}

impl fmt::Display for DeclaredArray {
    /// Writes the directive of the array; `at=` tells where the array is, whether that is a label or not.
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
    /// Writes the directives of the kernel, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.arguments.iter().try_for_each(|argument| writeln!(f, "        {argument}"))?;
        self.arrays.iter().try_for_each(|array| writeln!(f, "        {array}"))
    }
}

/// Returns the interfaces of an image's kernels, by name, as the text that object files hold; an empty text if no
/// kernel declares anything.
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
        for DeclaredArray { name, direction, element, shape, layout, base } in &interface.arrays {
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

/// Reads the interfaces of kernels, by name, from `bytes`, the content of the ELF section with the text that
/// [`to_object`] wrote, not the whole object file. Registers and addresses have to exist on `core`.
///
/// # Errors
/// Returns a message if the text is not UTF-8, has another version, or has a malformed line; the message tells the
/// number of the first such line.
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
    let [kind, kernel, name, ref rest @ ..] = words[..] else { return None };
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let interface = all.entry(kernel.to_owned()).or_default();
    let is_known = interface.argument(name).is_some() || interface.array(name).is_some();
    if !is_name || is_known {
        return None;
    }
    match kind {
        "arg" => {
            let argument = read_argument(name, rest, core)?;
            let is_free = |other: &Argument| !other.register.meets(&argument.register);
            interface.arguments.iter().all(is_free).then(|| interface.arguments.push(argument))
        }
        "array" => {
            let array = read_array(name, rest, core, interface)?;
            interface.arrays.push(array);
            Some(())
        }
        _ => None,
    }
}

/// Reads an argument from the words that follow its name.
fn read_argument(name: &str, words: &[&str], core: &Core) -> Option<Argument> {
    let [register, element, ref promises @ ..] = words[..] else { return None };
    let (register, element) =
        (ArgumentRegister::from_name(register, core)?, ElementType::from_name(element)?);
    let mut promise = Promise::default();
    for text in promises {
        let (word, number) = text.split_once('=')?;
        let place = promise.number_mut(word).filter(|place| place.is_none())?;
        *place = Some(number.parse().ok()?);
    }
    let is_step = promise.multiple.is_none_or(|multiple| multiple > 0);
    let is_good = register.takes(element) && is_step && (element.is_whole() || promises.is_empty());
    is_good.then(|| Argument { name: name.to_owned(), register, element, promise })
}

/// Reads an array from the words that follow its name, for a kernel with these arguments.
fn read_array(
    name: &str,
    words: &[&str],
    core: &Core,
    interface: &Interface,
) -> Option<DeclaredArray> {
    let [direction, element, spread, packing, base, ref shape @ ..] = words[..] else {
        return None;
    };
    let is_whole = |name: &str| interface.argument(name).is_some_and(|a| a.element.is_whole());
    let extents = shape.iter().map(|text| {
        let extent = Extent::from_postfix(text, is_whole)?;
        extent.is_size().then_some(extent)
    });
    let shape: Vec<Extent> = extents.collect::<Option<_>>()?;
    let base = match base.parse::<u16>() {
        Ok(word) if usize::from(word) < core.lmem_words() => ArrayBase::Word(word),
        Ok(_) => return None,
        Err(_) => {
            let register =
                ArgumentRegister::from_name(base, core).filter(ArgumentRegister::holds_address)?;
            let is_free = interface.arguments.iter().all(|a| a.register != register);
            is_free.then_some(ArrayBase::Register(register))?
        }
    };
    let layout =
        Layout { spread: Spread::from_name(spread)?, packing: Packing::from_name(packing)? };
    let (direction, element) =
        (ArrayDirection::from_name(direction)?, ElementType::from_name(element)?);
    let name = name.to_owned();
    (!shape.is_empty()).then_some(DeclaredArray { name, direction, element, shape, layout, base })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the declarations of a kernel with these lines.
    fn read(lines: &[&str]) -> Result<String, String> {
        let text = format!("version {VERSION}\n{}\n", lines.join("\n"));
        let all = from_object(text.as_bytes(), &Core::CP2)?;
        assert_eq!(to_object(&all), text);
        Ok(all["k"].to_string())
    }

    const N: &str = "arg k n g2 int64 min=1";

    #[test]
    fn what_an_object_declares_is_what_a_source_can() {
        read(&[N, "arg k a f0 complex64", "array k x in float32 all pairs g0 n,2,*"]).unwrap();
        for line in [
            "arg k m g2 int64",
            "arg k n g3 int64",
            "arg k m g3 int32",
            "arg k m g3 int64 multiple=0",
            "arg k m g3 int64 min=1 min=2",
            "arg k m f0 float32 min=1",
            "arg k m f0.hi complex64",
            "arg k m g99 int64",
            "arg k 1m g3 int64",
            "array k n in float32 all pairs g0 4",
            "array k x in float32 all pairs g2 4",
            "array k x in float32 all pairs f0 4",
            "array k x in float32 all pairs 65535 4",
            "array k x in float32 all pairs 0",
            "array k x in float32 all pairs 0 0",
            "array k x in float32 all pairs 0 16777217",
            "array k x in float32 all pairs 0 1,0,/",
            "array k x in float32 all pairs 0 n,-9223372036854775808,+",
            "array k x in float32 all pairs 0 m",
        ] {
            assert!(read(&[N, line]).unwrap_err().starts_with("line 3 of"), "{line}");
        }
        // A size of a number that is no whole one.
        let lines = ["arg k a f0 float32", "array k x in float32 all pairs 0 a"];
        assert!(read(&lines).unwrap_err().starts_with("line 3 of"));
    }
}
