//! Disassembler: from a word to text, in the syntax of the GNU assembler.

use super::decode::{Instruction, decode};
use super::operand::Operand;
use super::table::Release;

/// Names of the 32 general registers of the control processor by the conventions n32 and n64 (ABIs), indexed by the
/// number of the register.
pub const GPR_NAMES: [&str; 32] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t0", "t1", "t2",
    "t3", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "s8",
    "ra",
];

/// Names of the sixteen relations of floating-point comparisons (`c.eq.d` has the relation `eq`), indexed by bits 3:0
/// of the instruction word.
pub const RELATIONS: [&str; 16] = [
    "f", "un", "eq", "ueq", "olt", "ult", "ole", "ule", "sf", "ngle", "seq", "ngl", "lt", "nge",
    "le", "ngt",
];

/// Returns the text of an instruction word at the virtual address `pc` in the syntax of the GNU assembler, such as
/// `addiu v0,zero,1`. Targets of branches and jumps are addresses. A word that is no operation of `release` becomes
/// `.word` with the word in hexadecimal.
#[must_use]
pub fn disassemble(word: u32, pc: u64, release: Release) -> String {
    let Some(instruction) = decode(word, release) else { return format!(".word 0x{word:08x}") };
    let row = instruction.operation.row();
    let name = row.name.replace('?', RELATIONS[usize::from(instruction.relation())]);
    let operands: Vec<String> =
        row.operands.iter().filter_map(|o| text(*o, instruction, pc)).collect();
    if operands.is_empty() { name } else { format!("{name} {}", operands.join(",")) }
}

fn gpr(number: u8) -> String {
    GPR_NAMES[usize::from(number & 31)].to_owned()
}

fn unless_zero(number: u32) -> Option<String> {
    (number != 0).then(|| format!("{number:#x}"))
}

/// Returns the text of an operand; `None` if it is not written.
fn text(operand: Operand, i: Instruction, pc: u64) -> Option<String> {
    use Operand as O;
    let (upper, lower) = (u32::from(i.rd()), u32::from(i.sa()));
    Some(match operand {
        O::Rs => gpr(i.rs()),
        O::Rt => gpr(i.rt()),
        O::Rd => gpr(i.rd()),
        O::Sa | O::Lsb => format!("{lower:#x}"),
        O::LsbUpper => format!("{:#x}", lower + 32),
        O::Size => format!("{:#x}", upper + 1),
        O::SizeUpper => format!("{:#x}", upper + 33),
        O::Msb | O::MsbBoth => format!("{:#x}", upper.wrapping_sub(lower).wrapping_add(1)),
        O::MsbUpper => format!("{:#x}", upper.wrapping_sub(lower).wrapping_add(33)),
        O::Imm => format!("{}", i.imm()),
        O::UImm => format!("{:#x}", i.imm() as u16),
        O::Branch => format!("{:#x}", i.branch_target(pc)),
        O::Jump => format!("{:#x}", i.jump_target(pc)),
        O::Memory => format!("{}({})", i.imm(), gpr(i.rs())),
        O::Indexed => format!("{}({})", gpr(i.rt()), gpr(i.rs())),
        O::CacheOp | O::Hint => format!("{:#x}", i.rt()),
        O::HintX => format!("{upper:#x}"),
        O::Code => {
            let code = i.word >> 6 & 0xf_ffff;
            return match (code >> 10, code & 0x3ff) {
                (0, 0) => None,
                (upper, 0) => Some(format!("{upper:#x}")),
                (upper, lower) => Some(format!("{upper:#x},{lower:#x}")),
            };
        }
        O::SyscallCode => return unless_zero(i.word >> 6 & 0xf_ffff),
        O::WaitCode => return unless_zero(i.word >> 6 & 0x7_ffff),
        O::TrapCode => return unless_zero(i.word >> 6 & 0x3ff),
        O::Fd => format!("$f{lower}"),
        O::Fs => format!("$f{upper}"),
        O::Ft => format!("$f{}", i.rt()),
        O::Fr => format!("$f{}", i.rs()),
        O::Cc => format!("$fcc{}", i.cc()),
        O::CcOrNone => return (i.cc() != 0).then(|| format!("$fcc{}", i.cc())),
        O::Cc2 => return (i.cc() != 0).then(|| format!("$cc{}", i.cc())),
        O::CcOut => return (i.cc_out() != 0).then(|| format!("$fcc{}", i.cc_out())),
        O::Fcr | O::C2 | O::Hwr => format!("${upper}"),
        O::C2t => format!("${}", i.rt()),
        O::C0 if i.select() == 0 => format!("${upper}"),
        O::C0 => format!("${upper},{}", i.select()),
        O::Stype => return unless_zero(lower),
    })
}
