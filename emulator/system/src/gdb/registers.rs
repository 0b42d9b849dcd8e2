//! The registers as gdb numbers and names them: those of the core, then a feature of our own with those of CP2.

use gdbstub::arch::{Arch, Registers};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Numbers of the registers of the core that gdb knows: general ones, then these, then those of the FPU.
pub(super) mod number {
    pub(in crate::gdb) const STATUS: usize = 32;
    pub(in crate::gdb) const LO: usize = 33;
    pub(in crate::gdb) const HI: usize = 34;
    pub(in crate::gdb) const BAD_VADDR: usize = 35;
    pub(in crate::gdb) const CAUSE: usize = 36;
    pub(in crate::gdb) const PC: usize = 37;
    pub(in crate::gdb) const FLOAT: usize = 38;
    pub(in crate::gdb) const FCSR: usize = 70;
    pub(in crate::gdb) const FIR: usize = 71;
    /// Number of the first register of CP2.
    pub(in crate::gdb) const CP2: usize = 72;
}

/// Names of the registers of CP2 in the order of their numbers, without its general ones, which follow.
pub(super) const CP2_NAMES: [&str; 5] =
    ["cp2_comm", "cp2_control", "cp2_status", "cp2_stopcode", "cp2_pc"];
/// Number of general registers of CP2.
pub(super) const CP2_GENERAL: usize = 16;
/// Number of all registers.
const COUNT: usize = number::CP2 + CP2_NAMES.len() + CP2_GENERAL;

/// Values of all registers, by gdb's numbers; and whether there is a CP2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct All(pub(super) [u64; COUNT], pub(super) bool);

impl Default for All {
    fn default() -> Self {
        Self([0; COUNT], false)
    }
}

impl Registers for All {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        self.0[number::PC]
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        let values = self.0.iter().take(if self.1 { COUNT } else { number::CP2 });
        values.flat_map(|value| value.to_be_bytes()).for_each(|byte| write_byte(Some(byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (values, rest) = bytes.as_chunks();
        if ![COUNT, number::CP2].contains(&values.len()) || !rest.is_empty() {
            return Err(());
        }
        for (to, bytes) in self.0.iter_mut().zip(values) {
            *to = u64::from_be_bytes(*bytes);
        }
        Ok(())
    }
}

/// Architecture for gdb: big-endian MIPS64, with CP2.
#[derive(Debug)]
pub(super) enum Mips64 {}

impl Arch for Mips64 {
    type Usize = u64;
    type Registers = All;
    type BreakpointKind = usize;
    type RegId = ();
}

/// Returns the description of the registers for gdb: of a program on the bare machine with CP2, of a Linux program
/// without. The architectures are those for which such programs are compiled, since gdb warns of any other.
pub(super) fn description(has_cp2: bool) -> &'static str {
    static DESCRIPTIONS: LazyLock<[String; 2]> = LazyLock::new(|| [false, true].map(describe));
    &DESCRIPTIONS[usize::from(has_cp2)]
}

fn describe(has_cp2: bool) -> String {
    let architecture = if has_cp2 { "mips:isa64" } else { "mips:isa64r2" };
    let mut text = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>\
         <architecture>{architecture}</architecture>"
    );
    let mut feature = |name: &str, registers: &[(String, usize, &str)]| {
        let _ = write!(text, "<feature name=\"{name}\">");
        for (name, number, kind) in registers {
            let _ = write!(
                text,
                "<reg name=\"{name}\" bitsize=\"64\" type=\"{kind}\" regnum=\"{number}\"/>"
            );
        }
        text.push_str("</feature>");
    };
    let named = |name: &str, number| (name.to_owned(), number, "int64");
    let many = |prefix: &str, first: usize, n: usize, kind: &'static str| -> Vec<_> {
        (0..n).map(|i| (format!("{prefix}{i}"), first + i, kind)).collect()
    };
    let mut core = many("r", 0, 32, "int64");
    core.extend([named("lo", number::LO), named("hi", number::HI), named("pc", number::PC)]);
    feature("org.gnu.gdb.mips.cpu", &core);
    let cp0 = [
        named("status", number::STATUS),
        named("badvaddr", number::BAD_VADDR),
        named("cause", number::CAUSE),
    ];
    feature("org.gnu.gdb.mips.cp0", &cp0);
    let mut float = many("f", number::FLOAT, 32, "ieee_double");
    float.extend([named("fcsr", number::FCSR), named("fir", number::FIR)]);
    feature("org.gnu.gdb.mips.fpu", &float);
    if !has_cp2 {
        text.push_str("</target>");
        return text;
    }
    let names = CP2_NAMES.iter().enumerate();
    let mut cp2: Vec<_> = names.map(|(i, name)| named(name, number::CP2 + i)).collect();
    cp2.extend(many("cp2_g", number::CP2 + CP2_NAMES.len(), CP2_GENERAL, "int64"));
    feature("cp2.cp2", &cp2);
    text.push_str("</target>");
    text
}
