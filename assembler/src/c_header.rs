//! Programs as C: a header with the bundles of kernels, the words that the source gives to local memory, and declarations
//! of entries, arguments and arrays, for `libcp2/program.h` of the control processor.

use crate::image::{Chunk, Image, Kernel, SymbolKind};
use crate::interface::{ArgumentRegister, ArrayBase, Interface, Promise};
use cp2_isa::{Bundle, BundleBits, Core, Exch, Storage, decode, encode};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Number of bundles by which a program is moved to find out what depends on its place.
pub const SHIFT: u16 = 37;

/// Returns the text of a source with [`SHIFT`] bundles: in front of the sources of a program it moves them.
pub fn source_before() -> String {
    format!("        .kernel cp2_before\n        .rept {SHIFT}\n        nop\n        .endr\n")
}

/// Bundle with the address of a bundle in it: its number among all of the program, and the lowest bit of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Move {
    bundle: usize,
    bit: u32,
}

/// Returns the bundles that change when a program is moved; `None` if it cannot be moved, because something other than
/// addresses depends on its place. `elsewhere` is the same program behind [`source_before`].
fn moves(image: &Image, elsewhere: &Image, core: &Core) -> Option<Vec<Move>> {
    let moved = elsewhere.kernels.get(1..)?;
    if image.data != elsewhere.data || image.kernels.len() != moved.len() {
        return None;
    }
    let mut all = Vec::new();
    let mut first = 0;
    for (kernel, moved) in image.kernels.iter().zip(moved) {
        let is_same = kernel.name == moved.name && kernel.words.len() == moved.words.len();
        if !is_same || kernel.start.0.checked_add(SHIFT) != Some(moved.start.0) {
            return None;
        }
        for (number, (&word, &there)) in kernel.words.iter().zip(&moved.words).enumerate() {
            let distance = there.wrapping_sub(word);
            if distance == 0 {
                // An address that the source gives as a number.
                if decode(word, core).is_ok_and(|bundle| bundle.exch.target().is_some()) {
                    return None;
                }
                continue;
            }
            let bit = distance.trailing_zeros();
            if distance >> bit != BundleBits::from(SHIFT) {
                return None;
            }
            all.push(Move { bundle: first + number, bit });
        }
        first += kernel.words.len();
    }
    Some(all)
}

/// Returns a name as an identifier of C, or a part of one.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Names of C that a header defines, with what each stands for.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    /// Takes a name for something.
    ///
    /// # Errors
    /// Something else has the name.
    fn take(&mut self, name: String, of: &str) -> Result<String, String> {
        match self.0.insert(name.clone(), of.to_owned()) {
            Some(other) if other != of => Err(format!(
                "{other} and {of} would both be `{name}` in C; give one of them another name"
            )),
            _ => Ok(name),
        }
    }
}

/// Returns the header of a program that was assembled for a core. `name` begins the names of C. `elsewhere` is the same
/// program behind [`source_before`], if there is room for it: it tells whether and how the program can be loaded to other
/// addresses.
///
/// # Errors
/// A bundle has 128 bits, which the control processor cannot send, or two names are the same in C.
pub fn write(
    name: &str,
    image: &Image,
    elsewhere: Option<&Image>,
    core: &Core,
) -> Result<String, String> {
    if image.kernels.iter().flat_map(|kernel| &kernel.words).any(|word| word >> 64 != 0) {
        return Err("the program has bundles of 128 bits, and the control processor sends 64; \
                    use FPRs below f64, and assemble it without --enable more-fprs"
            .to_owned());
    }
    let Some(first) = image.kernels.first() else {
        return Err("the program has no bundle".to_owned());
    };
    let (name, mut names) = (identifier(name), Names::default());
    let moves = elsewhere.and_then(|elsewhere| moves(image, elsewhere, core));
    let mut text = format!(
        "/* {}: kernels for CP2, by `cp2 asm --emit c`. libcp2 loads and starts them (program.h).\n",
        image.files.join(", ").replace("*/", "* /")
    );
    for kernel in &image.kernels {
        text += &about(kernel, image.interfaces.get(&kernel.name));
    }
    text += " */\n#pragma once\n#include \"program.h\"\n";
    text += &program(&name, image, moves.as_deref(), core);
    text += &constants(&name, image, first, &mut names)?;
    for kernel in &image.kernels {
        let interface = image.interfaces.get(&kernel.name).cloned().unwrap_or_default();
        text += &start_function(&name, kernel, &interface, &mut names)?;
    }
    Ok(text)
}

/// Returns the structure of a program, with all tables that it names; without `moves` it cannot be moved.
fn program(name: &str, image: &Image, moves: Option<&[Move]>, core: &Core) -> String {
    let mut text = String::new();
    for (number, kernel) in image.kernels.iter().enumerate() {
        text += &format!("\nstatic const uint64_t {name}_bundles_{number}[] = {{\n");
        text += &numbers(kernel.words.iter().map(|&word| word as u64));
        text += "};";
    }
    let parts = image.kernels.iter().enumerate().map(|(number, kernel)| {
        format!("{{{}, {}, {name}_bundles_{number}}}", kernel.start, kernel.words.len())
    });
    text += &table(name, ["part", "parts"], parts);
    let rows = moves.into_iter().flatten();
    text += &table(name, ["move", "moves"], rows.map(|m| format!("{{{}, {}}}", m.bundle, m.bit)));
    for (number, Chunk { words, .. }) in image.data.iter().enumerate() {
        text += &format!(
            "\nstatic const uint64_t {name}_words_{number}[] __attribute__((aligned(16))) = {{\n"
        );
        // The channel brings two words at a time.
        let padding = (words.len() % 2 == 1).then_some(0);
        text += &numbers(words.iter().copied().chain(padding));
        text += "};";
    }
    let words = image.data.iter().enumerate().map(|(number, chunk)| {
        let section = chunk.section.map_or(-1, i32::from);
        format!("{{{section}, {}, {}, {name}_words_{number}}}", chunk.start, chunk.words.len())
    });
    text += &table(name, ["words", "words"], words);
    let list = |n: usize, list: &str| match n {
        0 => "0, 0".to_owned(),
        _ => format!("{name}_{list}, {n}"),
    };
    let (parts, words) = (list(image.kernels.len(), "parts"), list(image.data.len(), "words"));
    let is_fixed = u8::from(moves.is_none());
    let (moves, bundles) = (list(moves.map_or(0, <[Move]>::len), "moves"), core.iram_bundles());
    text += &format!("\nstatic const struct cp2_program {name}_program = {{\n");
    text += &format!("  \"{name}\", {parts}, {moves}, {words}, {bundles}, {is_fixed}}};\n");
    text
}

/// Returns lines of a comment about a kernel: its size, arguments and arrays, as the source declares them.
fn about(kernel: &Kernel, interface: Option<&Interface>) -> String {
    let plural = if kernel.words.len() == 1 { "" } else { "s" };
    let mut text =
        format!(" *\n * kernel {}, {} bundle{plural}\n", kernel.name, kernel.words.len());
    let lines = interface.map(Interface::to_string).unwrap_or_default();
    for line in lines.lines() {
        let _ = writeln!(text, " *   {}", line.trim().replace("*/", "* /"));
    }
    let arguments = interface.map(|interface| &interface.arguments[..]).unwrap_or_default();
    let unset = arguments.iter().filter(|argument| file_of(&argument.register).is_none());
    let unset: Vec<String> = unset.map(|argument| argument.register.to_string()).collect();
    if !unset.is_empty() {
        let registers = unset.join(", ");
        let _ = writeln!(
            text,
            " *   No function starts it: the control processor cannot set {registers}; let the kernel load them from local memory."
        );
    }
    text
}

/// Returns numbers of 64 bits, four a line, in C.
fn numbers(all: impl Iterator<Item = u64>) -> String {
    let all: Vec<String> = all.map(|number| format!("{number:#018x}")).collect();
    all.chunks(4).map(|line| format!("  {},\n", line.join(", "))).collect()
}

/// Returns a table of C with a structure of libcp2 a line; nothing if it is empty.
fn table(name: &str, [kind, list]: [&str; 2], rows: impl Iterator<Item = String>) -> String {
    let rows: Vec<String> = rows.map(|row| format!("  {row},\n")).collect();
    match rows.is_empty() {
        true => String::new(),
        false => {
            format!("\nstatic const struct cp2_{kind} {name}_{list}[] = {{\n{}}};", rows.concat())
        }
    }
}

/// Returns the constants of a program: where kernels begin behind the first one, words of local memory by label, and where
/// arrays lie.
fn constants(
    name: &str,
    image: &Image,
    first: &Kernel,
    names: &mut Names,
) -> Result<String, String> {
    let mut rows = Vec::new();
    for kernel in &image.kernels {
        let of = format!("kernel {}", kernel.name);
        let constant = names.take(format!("{name}_at_{}", identifier(&kernel.name)), &of)?;
        let distance = kernel.start - first.start;
        rows.push(format!(
            "  {constant} = {distance}, /* bundles from the first kernel to {of} */\n"
        ));
    }
    for symbol in image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Word) {
        let label = &symbol.name;
        let of = format!("word {label} at {}", symbol.value);
        let constant = names.take(format!("{name}_word_{}", identifier(label)), &of)?;
        rows.push(format!("  {constant} = {},\n", symbol.value));
    }
    for (kernel, interface) in &image.interfaces {
        for array in &interface.arrays {
            let ArrayBase::Word(address) = array.base else { continue };
            let of = format!("array {} of kernel {kernel}", array.name);
            let (kernel, array) = (identifier(kernel), identifier(&array.name));
            let constant = names.take(format!("{name}_{kernel}_{array}"), &of)?;
            rows.push(format!("  {constant} = {address}, /* first word of {of} */\n"));
        }
    }
    Ok(format!("\nenum {{\n{}}};\n", rows.concat()))
}

/// Returns the register file of a register as `seti` counts them; `None` if `seti` cannot set the register.
fn file_of(register: &ArgumentRegister) -> Option<usize> {
    let files = [Storage::Gpr, Storage::A, Storage::N, Storage::M];
    files.iter().position(|storage| *storage == register.storage)
}

/// Parameter of a function of C that starts a kernel: its name, the register that gets it, and its promise.
struct Parameter {
    name: String,
    register: ArgumentRegister,
    promise: Promise,
}

/// Returns the parameters of a kernel: its arguments, and the addresses of arrays that are in other registers.
fn parameters(interface: &Interface) -> Vec<Parameter> {
    let arguments = interface.arguments.iter().map(|argument| Parameter {
        name: identifier(&argument.name),
        register: argument.register,
        promise: argument.promise,
    });
    let mut all: Vec<Parameter> = arguments.collect();
    for array in &interface.arrays {
        let ArrayBase::Register(register) = array.base else { continue };
        // An argument or another array can have the same register.
        if all.iter().all(|other| other.register != register) {
            let name = format!("{}_at", identifier(&array.name));
            all.push(Parameter { name, register, promise: Promise::default() });
        }
    }
    all
}

/// Returns the function of C that starts a kernel with its parameters; nothing if one of them is in a register that the control
/// processor cannot set.
fn start_function(
    name: &str,
    kernel: &Kernel,
    interface: &Interface,
    names: &mut Names,
) -> Result<String, String> {
    let of = format!("kernel {}", kernel.name);
    let plain = identifier(&kernel.name);
    let (mut list, mut body) = (String::new(), String::new());
    for Parameter { name: parameter, register, promise } in parameters(interface) {
        let Some(file) = file_of(&register) else { return Ok(String::new()) };
        let mut bundle = Bundle::NOP;
        bundle.exch.op = Exch::Seti;
        bundle.exch.values[0] = (16 * file + register.number) as i32;
        let bits = encode(&bundle) as u64;
        let (min, max) = (promise.min.unwrap_or(0).max(0), promise.max.unwrap_or(i64::MAX));
        let (max, multiple) = (max.min(u16::MAX.into()), promise.multiple.unwrap_or(1));
        let _ = write!(list, ", int64_t {parameter}_");
        let _ = writeln!(
            body,
            "  cp2_execute({bits:#x} | cp2_argument(\"{}.{parameter}\", {parameter}_, {min}, {max}, {multiple}));",
            kernel.name
        );
    }
    let function = names.take(format!("{name}_start_{plain}"), &of)?;
    Ok(format!(
        "\n/* Starts {of} of the program that was loaded to an address. */\n\
         static inline void {function}(unsigned address{list}) {{\n{body}  \
         cp2_start(address + {name}_at_{plain}, 0, 0);\n}}\n"
    ))
}

#[cfg(test)]
mod tests;
