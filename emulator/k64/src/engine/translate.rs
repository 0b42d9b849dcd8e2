//! From an instruction to a decoded operation: one arm for each row of the table, and no catch-all.

use super::flow::Condition;
use super::operation::{Handler, Operation};
use super::{float, flow, integer, memory};
use crate::isa::{Instruction, Operation as Op};
use crate::registers::{CONDITION, FPR, HI, LO, SINK, target};

/// What an instruction becomes.
pub(super) enum Translated {
    /// Nothing that a program could see.
    Nothing,
    /// An operation.
    Operation(Operation),
    /// An operation behind which the block ends.
    Last(Operation),
    /// A branch or jump, which has a delay slot.
    Branch(Branch),
}

/// How a target is encoded.
#[derive(Clone, Copy)]
pub(super) enum Where {
    /// Relative to the delay slot.
    Branch,
    /// Within the region of the delay slot.
    Jump,
}

/// Where a branch goes, and when.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// To a register.
    Register(u8),
    /// Always.
    Always(Where),
    /// If the condition holds.
    If(Condition, Where),
}

/// A branch or jump.
pub(super) struct Branch {
    pub(super) place: Place,
    pub(super) a: u8,
    pub(super) b: u8,
    /// Register for the address behind the delay slot, or the sink.
    pub(super) link: u8,
    pub(super) is_likely: bool,
}

/// Registers and immediate that an operation works on.
fn operation(run: Handler, [a, b, c, d]: [u8; 4], imm: i32) -> Translated {
    Translated::Operation(Operation { run, a, b, c, d, imm })
}

/// rd of rs and rt.
fn three(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), i.rt(), 0, target(i.rd())], 0)
}

/// rt of rs and a signed immediate.
fn signed(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm()))
}

/// rt of rs and an unsigned immediate.
fn unsigned(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), 0, 0, target(i.rt())], i32::from(i.imm() as u16))
}

/// rd of rt and an amount.
fn shift(i: Instruction, run: Handler, more: i32) -> Translated {
    if i.rd() == 0 {
        return Translated::Nothing;
    }
    operation(run, [i.rt(), 0, 0, target(i.rd())], i32::from(i.sa()) + more)
}

/// rd of one register.
fn one(i: Instruction, run: Handler, a: u8) -> Translated {
    operation(run, [a, 0, 0, target(i.rd())], 0)
}

/// rt and a field: `lsb` and size.
fn field(i: Instruction, run: Handler, lsb: u8, size: i32) -> Translated {
    // Sizes that no encoding of the architecture has are unpredictable; these keep shifts in range.
    let size = size.clamp(1, 64 - i32::from(lsb));
    operation(run, [i.rs(), i.rt(), lsb, target(i.rt())], size)
}

/// rt of memory; parts of unaligned values read it too.
fn load(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), i.rt(), 0, target(i.rt())], i32::from(i.imm()))
}

/// Memory of rt.
fn store(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), i.rt(), 0, SINK], i32::from(i.imm()))
}

fn trap(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), i.rt(), (i.word >> 6) as u8, SINK], 0)
}

fn trap_immediate(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), 0, 0, SINK], i32::from(i.imm()))
}

/// A branch that compares rs with rt, or with 0 where rt is part of the code.
fn branch(i: Instruction, condition: Condition) -> Translated {
    let b = if matches!(condition, Condition::Equal | Condition::Unequal) { i.rt() } else { 0 };
    if condition == Condition::Equal && i.rs() == b {
        return jump(Place::Always(Where::Branch), SINK);
    }
    let place = Place::If(condition, Where::Branch);
    Translated::Branch(Branch { place, a: i.rs(), b, link: SINK, is_likely: false })
}

fn likely(i: Instruction, condition: Condition) -> Translated {
    match branch(i, condition) {
        Translated::Branch(branch) => Translated::Branch(Branch { is_likely: true, ..branch }),
        other => other,
    }
}

fn linking(translated: Translated) -> Translated {
    match translated {
        Translated::Branch(branch) => Translated::Branch(Branch { link: 31, ..branch }),
        other => other,
    }
}

/// A branch on a condition of the FPU.
fn on_condition(i: Instruction, condition: Condition, is_likely: bool) -> Translated {
    let place = Place::If(condition, Where::Branch);
    Translated::Branch(Branch { place, a: CONDITION + i.cc(), b: 0, link: SINK, is_likely })
}

fn jump(place: Place, link: u8) -> Translated {
    Translated::Branch(Branch { place, a: 0, b: 0, link, is_likely: false })
}

/// fd of fs and ft.
fn float3(i: Instruction, run: Handler) -> Translated {
    operation(run, [FPR + i.rd(), FPR + i.rt(), 0, FPR + i.sa()], 0)
}

/// fd of fs.
fn float2(i: Instruction, run: Handler) -> Translated {
    operation(run, [FPR + i.rd(), 0, 0, FPR + i.sa()], 0)
}

/// fd of fs, ft and fr.
fn float4(i: Instruction, run: Handler) -> Translated {
    operation(run, [FPR + i.rd(), FPR + i.rt(), FPR + i.rs(), FPR + i.sa()], 0)
}

/// fd of fs, if a register is right.
fn float_move(i: Instruction, run: Handler, b: u8) -> Translated {
    operation(run, [FPR + i.rd(), b, 0, FPR + i.sa()], 0)
}

fn compare(i: Instruction, run: Handler) -> Translated {
    let d = CONDITION + i.cc_out();
    operation(run, [FPR + i.rd(), FPR + i.rt(), 0, d], i32::from(i.relation()))
}

fn float_load(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), 0, 0, FPR + i.rt()], i32::from(i.imm()))
}

fn float_store(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), FPR + i.rt(), 0, SINK], i32::from(i.imm()))
}

fn indexed_load(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), 0, i.rt(), FPR + i.sa()], 0)
}

fn indexed_store(i: Instruction, run: Handler) -> Translated {
    operation(run, [i.rs(), FPR + i.rd(), i.rt(), SINK], 0)
}

/// An operation of a coprocessor that is not there.
fn coprocessor(number: u8) -> Translated {
    let run = flow::coprocessor;
    Translated::Last(Operation { run, a: 0, b: 0, c: number, d: SINK, imm: 0 })
}

fn last(run: Handler, imm: i32) -> Translated {
    Translated::Last(Operation { run, a: 0, b: 0, c: 0, d: SINK, imm })
}

/// What an instruction becomes.
pub(super) fn translate(i: Instruction) -> Translated {
    use Condition as C;
    match i.operation {
        Op::Add => three(i, integer::add),
        Op::Sub => three(i, integer::sub),
        Op::Dadd => three(i, integer::dadd),
        Op::Dsub => three(i, integer::dsub),
        Op::Addu => three(i, integer::addu),
        Op::Subu => three(i, integer::subu),
        Op::Daddu => three(i, integer::daddu),
        Op::Dsubu => three(i, integer::dsubu),
        Op::And => three(i, integer::and),
        Op::Or => three(i, integer::or),
        Op::Xor => three(i, integer::xor),
        Op::Nor => three(i, integer::nor),
        Op::Slt => three(i, integer::slt),
        Op::Sltu => three(i, integer::sltu),
        Op::Mul => three(i, integer::mul),
        Op::Sllv => three(i, integer::sllv),
        Op::Srlv => three(i, integer::srlv),
        Op::Srav => three(i, integer::srav),
        Op::Dsllv => three(i, integer::dsllv),
        Op::Dsrlv => three(i, integer::dsrlv),
        Op::Dsrav => three(i, integer::dsrav),
        Op::Rotrv => three(i, integer::rotrv),
        Op::Drotrv => three(i, integer::drotrv),
        Op::Movz => three(i, integer::movz),
        Op::Movn => three(i, integer::movn),
        Op::Addi => signed(i, integer::add),
        Op::Daddi => signed(i, integer::dadd),
        Op::Addiu => signed(i, integer::addiu),
        Op::Daddiu => signed(i, integer::daddiu),
        Op::Slti => signed(i, integer::slti),
        Op::Sltiu => signed(i, integer::sltiu),
        Op::Andi => unsigned(i, integer::andi),
        Op::Ori => unsigned(i, integer::ori),
        Op::Xori => unsigned(i, integer::xori),
        Op::Lui => {
            operation(integer::constant, [0, 0, 0, target(i.rt())], i32::from(i.imm()) << 16)
        }
        Op::Clz => one(i, integer::clz, i.rs()),
        Op::Clo => one(i, integer::clo, i.rs()),
        Op::Dclz => one(i, integer::dclz, i.rs()),
        Op::Dclo => one(i, integer::dclo, i.rs()),
        Op::Wsbh => one(i, integer::wsbh, i.rt()),
        Op::Dsbh => one(i, integer::dsbh, i.rt()),
        Op::Dshd => one(i, integer::dshd, i.rt()),
        Op::Seb => one(i, integer::seb, i.rt()),
        Op::Seh => one(i, integer::seh, i.rt()),
        Op::Movf => operation(integer::movz, [i.rs(), CONDITION + i.cc(), 0, target(i.rd())], 0),
        Op::Movt => operation(integer::movn, [i.rs(), CONDITION + i.cc(), 0, target(i.rd())], 0),
        Op::Mult => three(i, integer::mult),
        Op::Multu => three(i, integer::multu),
        Op::Dmult => three(i, integer::dmult),
        Op::Dmultu => three(i, integer::dmultu),
        Op::Div => three(i, integer::div),
        Op::Divu => three(i, integer::divu),
        Op::Ddiv => three(i, integer::ddiv),
        Op::Ddivu => three(i, integer::ddivu),
        Op::Madd => three(i, integer::madd),
        Op::Maddu => three(i, integer::maddu),
        Op::Msub => three(i, integer::msub),
        Op::Msubu => three(i, integer::msubu),
        Op::Mfhi => one(i, integer::copy, HI),
        Op::Mflo => one(i, integer::copy, LO),
        Op::Mthi => operation(integer::copy, [i.rs(), 0, 0, HI], 0),
        Op::Mtlo => operation(integer::copy, [i.rs(), 0, 0, LO], 0),
        Op::Sll => shift(i, integer::sll, 0),
        Op::Srl => shift(i, integer::srl, 0),
        Op::Sra => shift(i, integer::sra, 0),
        Op::Dsll => shift(i, integer::dsll, 0),
        Op::Dsrl => shift(i, integer::dsrl, 0),
        Op::Dsra => shift(i, integer::dsra, 0),
        Op::Rotr => shift(i, integer::rotr, 0),
        Op::Drotr => shift(i, integer::drotr, 0),
        Op::Dsll32 => shift(i, integer::dsll, 32),
        Op::Dsrl32 => shift(i, integer::dsrl, 32),
        Op::Dsra32 => shift(i, integer::dsra, 32),
        Op::Drotr32 => shift(i, integer::drotr, 32),
        Op::Ext => field(i, integer::extract_word, i.sa(), i32::from(i.rd()) + 1),
        Op::Dext => field(i, integer::extract, i.sa(), i32::from(i.rd()) + 1),
        Op::Dextm => field(i, integer::extract, i.sa(), i32::from(i.rd()) + 33),
        Op::Dextu => field(i, integer::extract, i.sa() + 32, i32::from(i.rd()) + 1),
        Op::Ins => {
            field(i, integer::insert_word, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 1)
        }
        Op::Dins => field(i, integer::insert, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 1),
        Op::Dinsm => field(i, integer::insert, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 33),
        Op::Dinsu => {
            field(i, integer::insert, i.sa() + 32, i32::from(i.rd()) - i32::from(i.sa()) + 1)
        }
        Op::Beq => branch(i, C::Equal),
        Op::BeqLikely => likely(i, C::Equal),
        Op::Bne => branch(i, C::Unequal),
        Op::BneLikely => likely(i, C::Unequal),
        Op::Blez => branch(i, C::NotPositive),
        Op::BlezLikely => likely(i, C::NotPositive),
        Op::Bgtz => branch(i, C::Positive),
        Op::BgtzLikely => likely(i, C::Positive),
        Op::Bltz => branch(i, C::Negative),
        Op::BltzLikely => likely(i, C::Negative),
        Op::Bgez => branch(i, C::NotNegative),
        Op::BgezLikely => likely(i, C::NotNegative),
        Op::Bltzal => linking(branch(i, C::Negative)),
        Op::BltzalLikely => linking(likely(i, C::Negative)),
        Op::Bgezal => linking(branch(i, C::NotNegative)),
        Op::BgezalLikely => linking(likely(i, C::NotNegative)),
        Op::J => jump(Place::Always(Where::Jump), SINK),
        Op::Jal => jump(Place::Always(Where::Jump), 31),
        Op::Jr | Op::JrHb => jump(Place::Register(i.rs()), SINK),
        Op::Jalr | Op::JalrHb => jump(Place::Register(i.rs()), target(i.rd())),
        Op::Lb => load(i, memory::lb),
        Op::Lh => load(i, memory::lh),
        Op::Lwl => load(i, memory::lwl),
        Op::Lw => load(i, memory::lw),
        Op::Lbu => load(i, memory::lbu),
        Op::Lhu => load(i, memory::lhu),
        Op::Lwr => load(i, memory::lwr),
        Op::Lwu => load(i, memory::lwu),
        Op::Ldl => load(i, memory::ldl),
        Op::Ldr => load(i, memory::ldr),
        Op::Ld => load(i, memory::ld),
        Op::Ll => load(i, memory::ll),
        Op::Lld => load(i, memory::lld),
        Op::Sb => store(i, memory::sb),
        Op::Sh => store(i, memory::sh),
        Op::Swl => store(i, memory::swl),
        Op::Sw => store(i, memory::sw),
        Op::Sdl => store(i, memory::sdl),
        Op::Sdr => store(i, memory::sdr),
        Op::Swr => store(i, memory::swr),
        Op::Sd => store(i, memory::sd),
        Op::Sc => load(i, memory::sc),
        Op::Scd => load(i, memory::scd),
        Op::Pref | Op::Prefx | Op::Sync | Op::Synci => Translated::Nothing,
        Op::Tge => trap(i, flow::tge),
        Op::Tgeu => trap(i, flow::tgeu),
        Op::Tlt => trap(i, flow::tlt),
        Op::Tltu => trap(i, flow::tltu),
        Op::Teq => trap(i, flow::teq),
        Op::Tne => trap(i, flow::tne),
        Op::Tgei => trap_immediate(i, flow::tge),
        Op::Tgeiu => trap_immediate(i, flow::tgeu),
        Op::Tlti => trap_immediate(i, flow::tlt),
        Op::Tltiu => trap_immediate(i, flow::tltu),
        Op::Teqi => trap_immediate(i, flow::teq),
        Op::Tnei => trap_immediate(i, flow::tne),
        Op::Syscall => last(flow::syscall, 0),
        Op::Break => last(flow::break_, (i.word >> 6 & 0xf_ffff) as i32),
        Op::Rdhwr => operation(flow::rdhwr, [0, 0, 0, target(i.rt())], i32::from(i.rd())),
        Op::Mfc0 | Op::Dmfc0 | Op::Mtc0 | Op::Dmtc0 | Op::Di | Op::Ei | Op::Cache => coprocessor(0),
        Op::Tlbr | Op::Tlbwi | Op::Tlbwr | Op::Tlbp | Op::Eret | Op::Wait => coprocessor(0),
        Op::Lwc1 => float_load(i, memory::lwc1),
        Op::Ldc1 => float_load(i, memory::ld),
        Op::Swc1 => float_store(i, memory::sw),
        Op::Sdc1 => float_store(i, memory::sd),
        Op::Lwxc1 => indexed_load(i, memory::lwxc1),
        Op::Ldxc1 => indexed_load(i, memory::ldxc1),
        Op::Luxc1 => indexed_load(i, memory::luxc1),
        Op::Swxc1 => indexed_store(i, memory::swxc1),
        Op::Sdxc1 => indexed_store(i, memory::sdxc1),
        Op::Suxc1 => indexed_store(i, memory::suxc1),
        Op::Mfc1 => operation(float::mfc1, [FPR + i.rd(), 0, 0, target(i.rt())], 0),
        Op::Mfhc1 => operation(float::mfhc1, [FPR + i.rd(), 0, 0, target(i.rt())], 0),
        Op::Dmfc1 => operation(integer::copy, [FPR + i.rd(), 0, 0, target(i.rt())], 0),
        Op::Mtc1 => operation(float::mov_s, [i.rt(), 0, 0, FPR + i.rd()], 0),
        Op::Dmtc1 => operation(integer::copy, [i.rt(), 0, 0, FPR + i.rd()], 0),
        Op::Mthc1 => operation(float::mthc1, [i.rt(), 0, 0, FPR + i.rd()], 0),
        Op::Cfc1 => operation(float::cfc1, [0, 0, 0, target(i.rt())], i32::from(i.rd())),
        Op::Ctc1 => operation(float::ctc1, [i.rt(), 0, 0, SINK], i32::from(i.rd())),
        Op::Bc1f => on_condition(i, C::Equal, false),
        Op::Bc1t => on_condition(i, C::Unequal, false),
        Op::Bc1fLikely => on_condition(i, C::Equal, true),
        Op::Bc1tLikely => on_condition(i, C::Unequal, true),
        Op::AddS => float3(i, float::add_s),
        Op::SubS => float3(i, float::sub_s),
        Op::MulS => float3(i, float::mul_s),
        Op::DivS => float3(i, float::div_s),
        Op::SqrtS => float2(i, float::sqrt_s),
        Op::RecipS => float2(i, float::recip_s),
        Op::RsqrtS => float2(i, float::rsqrt_s),
        Op::AbsS => float2(i, float::abs_s),
        Op::NegS => float2(i, float::neg_s),
        Op::RoundLS => float2(i, float::round_l_s),
        Op::RoundWS => float2(i, float::round_w_s),
        Op::TruncLS => float2(i, float::trunc_l_s),
        Op::TruncWS => float2(i, float::trunc_w_s),
        Op::CeilLS => float2(i, float::ceil_l_s),
        Op::CeilWS => float2(i, float::ceil_w_s),
        Op::FloorLS => float2(i, float::floor_l_s),
        Op::FloorWS => float2(i, float::floor_w_s),
        Op::CvtLS => float2(i, float::cvt_l_s),
        Op::CvtWS => float2(i, float::cvt_w_s),
        Op::MovS => float2(i, float::mov_s),
        Op::MovzS => float_move(i, float::movz_s, i.rt()),
        Op::MovnS => float_move(i, float::movn_s, i.rt()),
        Op::MovfS => float_move(i, float::movz_s, CONDITION + i.cc()),
        Op::MovtS => float_move(i, float::movn_s, CONDITION + i.cc()),
        Op::CS => compare(i, float::compare_s),
        Op::MaddS => float4(i, float::madd_s),
        Op::MsubS => float4(i, float::msub_s),
        Op::NmaddS => float4(i, float::nmadd_s),
        Op::NmsubS => float4(i, float::nmsub_s),
        Op::AddD => float3(i, float::add_d),
        Op::SubD => float3(i, float::sub_d),
        Op::MulD => float3(i, float::mul_d),
        Op::DivD => float3(i, float::div_d),
        Op::SqrtD => float2(i, float::sqrt_d),
        Op::RecipD => float2(i, float::recip_d),
        Op::RsqrtD => float2(i, float::rsqrt_d),
        Op::AbsD => float2(i, float::abs_d),
        Op::NegD => float2(i, float::neg_d),
        Op::RoundLD => float2(i, float::round_l_d),
        Op::RoundWD => float2(i, float::round_w_d),
        Op::TruncLD => float2(i, float::trunc_l_d),
        Op::TruncWD => float2(i, float::trunc_w_d),
        Op::CeilLD => float2(i, float::ceil_l_d),
        Op::CeilWD => float2(i, float::ceil_w_d),
        Op::FloorLD => float2(i, float::floor_l_d),
        Op::FloorWD => float2(i, float::floor_w_d),
        Op::CvtLD => float2(i, float::cvt_l_d),
        Op::CvtWD => float2(i, float::cvt_w_d),
        Op::MovD => float2(i, integer::copy),
        Op::MovzD => float_move(i, integer::movz, i.rt()),
        Op::MovnD => float_move(i, integer::movn, i.rt()),
        Op::MovfD => float_move(i, integer::movz, CONDITION + i.cc()),
        Op::MovtD => float_move(i, integer::movn, CONDITION + i.cc()),
        Op::CD => compare(i, float::compare_d),
        Op::MaddD => float4(i, float::madd_d),
        Op::MsubD => float4(i, float::msub_d),
        Op::NmaddD => float4(i, float::nmadd_d),
        Op::NmsubD => float4(i, float::nmsub_d),
        Op::CvtSD => float2(i, float::cvt_s_d),
        Op::CvtSW => float2(i, float::cvt_s_w),
        Op::CvtSL => float2(i, float::cvt_s_l),
        Op::CvtDS => float2(i, float::cvt_d_s),
        Op::CvtDW => float2(i, float::cvt_d_w),
        Op::CvtDL => float2(i, float::cvt_d_l),
        Op::Mfc2 | Op::Dmfc2 | Op::Mtc2 | Op::Dmtc2 | Op::Bc2f | Op::Bc2t | Op::Lwc2 | Op::Ldc2 => {
            coprocessor(2)
        }
    }
}
