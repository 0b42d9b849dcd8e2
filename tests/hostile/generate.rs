//! Inputs from grammars: right in form more often than a mutated file, wrong in any value.

use super::mutate::NUMBERS;
use crate::SplitMix64;
use cp2_emu::machine::Key;
use cp2_isa::{Arith, Exch};
use std::fmt::Write as _;

pub(super) const SOURCE_WORDS: [&str; 34] = [
    ".kernel k",
    ".macro m x",
    ".endm",
    ".rept 3",
    ".endr",
    ".if 1",
    ".else",
    ".endif",
    ".equ a, b",
    ".linear",
    ".endlinear",
    ".loop g2, min=8",
    ".loop 5",
    ".endloop",
    ".scratch g15",
    ".lmem all",
    ".lmem 2",
    ".org 8191",
    ".float 1.5",
    ".quad -1",
    ".include \"ab\"",
    ".include \"abc\"",
    ".global a",
    "\\x",
    "\\@",
    "| ",
    "label: ",
    "(r0)+2",
    "%v0",
    "%v0:%v1",
    "'",
    "\"",
    "f63",
    "{",
];

pub(super) const STATE_WORDS: [&str; 16] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"fpr\"",
    "\"lmem\"",
    "\"gpr\"",
    "null",
    "1e999",
    "\"\"",
    "\"-1\"",
    "\"\\u0000\"",
    "true",
    "\"ffffffffffffffff\"",
];

pub(super) const ARRAY_WORDS: [&str; 16] = [
    "'<c8'",
    "'>c8'",
    "'|O'",
    "'<f8'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "True",
    "'shape': ",
    "'descr': ",
    "'fortran_order': ",
    "\\x00",
    ", ",
];

pub(super) const CHAIN_WORDS: [&str; 20] = [
    "[[descriptor]]\n",
    "[registers]\n",
    "[index]\n",
    "kind = \"get\"\n",
    "kind = \"jump\"\n",
    "pattern = \"broadcast\"\n",
    "pattern = { dealt = 3 }\n",
    "next = 1\n",
    "stop = true\n",
    "mask = 5\n",
    "target = \"relative\"\n",
    "row_end_mask = 1\n",
    "{ base = 0 }",
    "{",
    "}",
    "=",
    "[",
    "]",
    "\"",
    "i0.low",
];

fn number(sequence: &mut SplitMix64) -> String {
    match sequence.below(3) {
        0 => sequence.of(&NUMBERS).to_owned(),
        1 => sequence.below(70).to_string(),
        _ => (sequence.bits() >> sequence.below(64)).to_string(),
    }
}

/// Returns lines of a text, up to `most` of them.
fn lines(
    sequence: &mut SplitMix64,
    most: u64,
    mut line: impl FnMut(&mut SplitMix64) -> String,
) -> Vec<u8> {
    let count = sequence.below(most + 1);
    let all: Vec<String> = (0..count).map(|_| line(sequence)).collect();
    all.join("\n").into_bytes()
}

fn operand(sequence: &mut SplitMix64) -> String {
    let n = sequence.below(70);
    match sequence.below(12) {
        0..=3 => format!("f{n}"),
        4 => format!("g{}", n % 20),
        5 => format!("(r{}){:+}", n % 18, n as i64 - 35),
        6 => format!("a{}", n % 18),
        7 => format!("%v{}", n % 6),
        8 => format!("f{n}:f{}", n + 1),
        9 => sequence
            .of(&["label", "k", "s0", "rind", "status", "fccr", "cc1", "hi", "m"])
            .to_owned(),
        10 => format!("{} + {} * ({})", number(sequence), number(sequence), number(sequence)),
        _ => number(sequence),
    }
}

fn operation(sequence: &mut SplitMix64) -> String {
    let name = if sequence.one_in(2) {
        Arith::ALL[sequence.below(Arith::ALL.len() as u64) as usize].row().name
    } else {
        Exch::ALL[sequence.below(Exch::ALL.len() as u64) as usize].row().name
    };
    let operands: Vec<String> = (0..sequence.below(5)).map(|_| operand(sequence)).collect();
    format!("{name} {}", operands.join(", "))
}

/// Returns assembly source: operations with operands of any kind, directives anywhere.
pub(super) fn source(sequence: &mut SplitMix64) -> Vec<u8> {
    lines(sequence, 30, |sequence| match sequence.below(10) {
        0 => format!("label{}:", sequence.below(9)),
        1..=3 => sequence.of(&SOURCE_WORDS).to_owned(),
        4 => format!("{} {}", sequence.of(&SOURCE_WORDS), operand(sequence)),
        5 => format!("{} | {}", operation(sequence), operation(sequence)),
        6 => format!("| {}", operation(sequence)),
        _ => operation(sequence),
    })
}

/// Returns bundles in hexadecimal, most of them of operations that exist.
pub(super) fn hex(sequence: &mut SplitMix64) -> Vec<u8> {
    lines(sequence, 60, |sequence| {
        let mut word = sequence.bits();
        if !sequence.one_in(4) {
            let arith = Arith::ALL[sequence.below(Arith::ALL.len() as u64) as usize];
            word = word & !(0xff << 56) | u64::from(arith.row().code) << 56;
        }
        if sequence.one_in(2) {
            word &= !(0x3f << 23);
        }
        match sequence.below(40) {
            0 => format!("{word:x}"),
            1 => format!("{word:016x} ; {word}"),
            2 => "#".to_owned(),
            _ => format!("{word:016x}"),
        }
    })
}

/// Returns an ELF header with any numbers, and bytes behind it.
pub(super) fn object(sequence: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0".to_vec();
    // Kind, machine, version, entry, program headers, section headers, flags, sizes and counts.
    let halves = [2u16, 0xc2c2];
    halves.iter().for_each(|half| bytes.extend(half.to_be_bytes()));
    bytes.extend(1u32.to_be_bytes());
    let places = [0u64, 0, 64 + 8 * sequence.below(9)];
    places.iter().for_each(|place| bytes.extend(place.to_be_bytes()));
    bytes.extend(0u32.to_be_bytes());
    for half in [64, 56, 0, 64, sequence.below(6) as u16, sequence.below(6) as u16] {
        bytes.extend(half.to_be_bytes());
    }
    for _ in 0..sequence.below(60) {
        let field = match sequence.below(4) {
            0 => sequence.bits(),
            1 => 1 << sequence.below(64),
            _ => sequence.below(100),
        };
        bytes.extend(field.to_be_bytes());
    }
    bytes
}

fn json(sequence: &mut SplitMix64, depth: u32) -> String {
    let digits = format!("{:x}", sequence.bits() >> sequence.below(64));
    match sequence.below(if depth == 0 { 5 } else { 8 }) {
        0 => number(sequence).replace("nan", "null").replace("0x1p3", "{}"),
        1 => sequence.of(&["null", "true", "\"\"", "\"0x1\"", "\"g\"", "-0.0", "1e400"]).to_owned(),
        2..=4 => format!("\"{digits}\""),
        5 => {
            let count = if sequence.one_in(2) { 16 } else { sequence.below(70) };
            let items: Vec<String> = (0..count).map(|_| json(sequence, depth - 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let item = |sequence: &mut SplitMix64| {
                format!("\"{}\":{}", number(sequence), json(sequence, depth - 1))
            };
            let items: Vec<String> = (0..sequence.below(6)).map(|_| item(sequence)).collect();
            format!("{{{}}}", items.join(","))
        }
    }
}

/// Returns a state: keys that exist, values of any shape.
pub(super) fn state(sequence: &mut SplitMix64) -> Vec<u8> {
    const KEYS: [&str; 19] = [
        "fpr", "lmem", "gpr", "a", "n", "m", "ireg", "control", "rind", "rstep", "rmask", "status",
        "stopcode", "fccr", "fcsr", "cycles", "pc", "", "loops",
    ];
    if sequence.one_in(50) {
        let depth = 1 + sequence.below(20_000) as usize;
        return sequence.of(&["[", "{\"a\":"]).repeat(depth).into_bytes();
    }
    let mut text = "{".to_owned();
    for k in 0..sequence.below(6) {
        let (key, value) = (sequence.of(&KEYS), json(sequence, 3));
        let _ = write!(text, "{}\"{key}\": {value}", if k > 0 { "," } else { "" });
    }
    (text + "}").into_bytes()
}

/// Returns a machine file with every key, some of them with other values, twice, or elsewhere.
pub(super) fn machine(sequence: &mut SplitMix64) -> Vec<u8> {
    let mut text = "name = \"made up\"\n".to_owned();
    let mut section = "";
    let odd = 1 + sequence.below(60);
    for key in Key::ALL {
        let info = key.info();
        if info.section != section {
            section = info.section;
            let _ = writeln!(text, "[{section}]");
        }
        let preset = cp2_emu::MachineConfig::preset("vm9").map(|config| config.value(key));
        let usual = preset.unwrap_or_default().to_string();
        let value = if sequence.one_in(odd) { number(sequence) } else { usual };
        let _ = match sequence.below(8 * odd) {
            0 => writeln!(text, "{} = {{ value = {value} }}", info.name),
            1 => writeln!(text, "{}x = {value}", info.name),
            2 => writeln!(text, "{0} = {value}\n{0} = {value}", info.name),
            3 => writeln!(text, "{} = \"{value}\"", info.name),
            4 => writeln!(text, "{} = {{ value = {value}, origin = \"a\\nb\" }}", info.name),
            _ => writeln!(text, "{} = {value}", info.name),
        };
    }
    text.into_bytes()
}

/// Returns a setting of a machine.
pub(super) fn setting(sequence: &mut SplitMix64) -> Vec<u8> {
    let info = Key::ALL[sequence.below(Key::ALL.len() as u64) as usize].info();
    let (equal, value) = (sequence.of(&["=", "=", " = ", "==", ""]), number(sequence));
    format!("{}.{}{equal}{value}", info.section, info.name).into_bytes()
}

/// Returns an array: a header from words, then some bytes.
pub(super) fn array(sequence: &mut SplitMix64) -> Vec<u8> {
    let dimensions: Vec<String> = (0..sequence.below(4)).map(|_| number(sequence)).collect();
    let shape = match sequence.below(12) {
        0 => "[".repeat(1 + sequence.below(3000) as usize),
        1 => "(".repeat(1 + sequence.below(40) as usize),
        2 => number(sequence),
        _ => format!("({},)", dimensions.join(", ")),
    };
    let descr = sequence.of(&[
        "<c8",
        ">c8",
        "<f4",
        "<i8",
        "|O",
        "<c16",
        "|S99999999",
        "=c8",
        "<U3",
        "<m8[ns]",
    ]);
    let order = sequence.of(&["False", "True", "0", "None"]);
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY".to_vec();
    let version = [1, 1, 1, 2, 3, 4, 0][sequence.below(7) as usize];
    bytes.extend([version, 0]);
    let length = match sequence.below(8) {
        0 => (sequence.bits() >> sequence.below(64)) as usize,
        _ => header.len(),
    };
    match version {
        1 => bytes.extend((length as u16).to_le_bytes()),
        _ => bytes.extend((length as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    let values = sequence.below(300);
    bytes.extend((0..values).map(|_| sequence.bits() as u8));
    bytes
}

/// Returns a sparse matrix with its sizes and entries, most of them within the sizes.
pub(super) fn matrix(sequence: &mut SplitMix64) -> Vec<u8> {
    let field = sequence.of(&["real", "integer", "pattern", "complex", "double", "REAL"]);
    let symmetry = sequence.of(&["general", "symmetric", "skew-symmetric", "hermitian"]);
    let rows = 1 + sequence.below(8);
    let columns = if sequence.one_in(2) { rows } else { 1 + sequence.below(8) };
    let entries = sequence.below(9);
    let odd = 2 + sequence.below(40);
    let maybe = |sequence: &mut SplitMix64, usual: u64| {
        if sequence.one_in(odd) { number(sequence) } else { usual.to_string() }
    };
    let mut text = format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n");
    let sizes = [rows, columns, entries].map(|n| maybe(sequence, n));
    let _ = writeln!(text, "{}", sizes.join(" "));
    for _ in 0..entries {
        let (row, column) = (1 + sequence.below(rows), 1 + sequence.below(columns));
        let (row, column) = (maybe(sequence, row), maybe(sequence, column));
        let value = if field == "pattern" { String::new() } else { number(sequence) };
        let _ = writeln!(text, "{row} {column} {value}");
    }
    text.into_bytes()
}

fn walk(sequence: &mut SplitMix64) -> String {
    let mut parts = vec![format!("base = {}", number(sequence))];
    for axis in ["x", "y"] {
        if sequence.one_in(2) {
            let (step, count) = (number(sequence), number(sequence));
            parts.push(format!("{axis} = {{ step = {step}, count = {count} }}"));
        }
    }
    if sequence.one_in(3) {
        parts.push(format!("burst = {}", number(sequence)));
    }
    if sequence.one_in(5) {
        parts.push("index = \"i3.low\"".to_owned());
    }
    format!("{{ {} }}", parts.join(", "))
}

/// Returns descriptors with keys that exist and any numbers.
pub(super) fn chain(sequence: &mut SplitMix64) -> Vec<u8> {
    let mut text = String::new();
    if sequence.one_in(2) {
        let register = sequence.of(&["baseaddr", "daddr", "curdsc", "config", "status", "intmask"]);
        let _ = writeln!(text, "[registers]\n{register} = {}", number(sequence));
    }
    for _ in 0..sequence.below(5) {
        let kinds = ["get", "put", "copy", "jump", "got", "get_words", "put_words", "gather"];
        let kind = sequence.of(&kinds);
        let _ = writeln!(text, "[[descriptor]]\nkind = \"{kind}\"");
        for _ in 0..sequence.below(6) {
            let key = sequence.of(&[
                "memory",
                "list",
                "base",
                "local",
                "from",
                "to",
                "next",
                "flow",
                "mask",
                "row_end_mask",
                "pattern",
                "single_words",
                "target",
                "index",
                "sync",
                "stop",
            ]);
            let value = match key {
                "memory" | "list" | "local" | "from" | "to" if !sequence.one_in(6) => {
                    walk(sequence)
                }
                "pattern" => format!("{{ only = {} }}", number(sequence)),
                "target" => sequence
                    .of(&[
                        "\"relative\"",
                        "\"absolute\"",
                        "{ table = [1, 2] }",
                        "{ value = 1, equal = 2 }",
                    ])
                    .to_owned(),
                "sync" => "\"before\"".to_owned(),
                "stop" | "single_words" => "true".to_owned(),
                _ => number(sequence),
            };
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    text.into_bytes()
}

/// Returns descriptors as words.
pub(super) fn hex_chain(sequence: &mut SplitMix64) -> Vec<u8> {
    let words = 8 * sequence.below(4) + if sequence.one_in(6) { sequence.below(8) } else { 0 };
    let mut text = String::new();
    for _ in 0..words {
        let word = match sequence.below(4) {
            0 => sequence.bits(),
            1 => sequence.bits() >> sequence.below(64),
            _ => sequence.below(20),
        };
        let _ = writeln!(text, "{word:016x}");
    }
    text.into_bytes()
}
