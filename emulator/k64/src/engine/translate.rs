//! The shape and handler of each operation: a row for each row of the table of operations, and no catch-all.

use super::flow::Condition as C;
use super::shape::{self, BranchTarget, Translated, Where};
use super::{coprocessor, float, flow, integer, memory, privileged};
use crate::isa::{Instruction, Operation as Op};
use crate::registers::{CONDITION, FPR, HI, LO, SINK, target};

macro_rules! meanings {
    (|$i:ident| $($shape:ident { $($($row:ident)|+ => $($argument:expr),+;)* })*) => {
        /// Translates an instruction.
        pub(super) fn translate($i: Instruction) -> Translated {
            match $i.operation {
                $($($(Op::$row)|+ => shape::$shape($i, $($argument),+),)*)*
            }
        }
    };
}

meanings! {
    |i|
    three {
        Add => integer::add;
        Sub => integer::sub;
        Dadd => integer::dadd;
        Dsub => integer::dsub;
        Addu => integer::addu;
        Subu => integer::subu;
        Daddu => integer::daddu;
        Dsubu => integer::dsubu;
        And => integer::and;
        Or => integer::or;
        Xor => integer::xor;
        Nor => integer::nor;
        Slt => integer::slt;
        Sltu => integer::sltu;
        Mul => integer::mul;
        Movz => integer::movz;
        Movn => integer::movn;
        Mult => integer::mult;
        Multu => integer::multu;
        Dmult => integer::dmult;
        Dmultu => integer::dmultu;
        Div => integer::div;
        Divu => integer::divu;
        Ddiv => integer::ddiv;
        Ddivu => integer::ddivu;
        Madd => integer::madd;
        Maddu => integer::maddu;
        Msub => integer::msub;
        Msubu => integer::msubu;
    }
    shift_variable {
        Sllv => integer::sllv;
        Srlv => integer::srlv;
        Srav => integer::srav;
        Dsllv => integer::dsllv;
        Dsrlv => integer::dsrlv;
        Dsrav => integer::dsrav;
        Rotrv => integer::rotrv;
        Drotrv => integer::drotrv;
    }
    signed {
        Addi => integer::add;
        Daddi => integer::dadd;
        Addiu => integer::addiu;
        Daddiu => integer::daddiu;
        Slti => integer::slti;
        Sltiu => integer::sltiu;
    }
    unsigned {
        Andi => integer::andi;
        Ori => integer::ori;
        Xori => integer::xori;
    }
    operation {
        Lui => integer::constant, [0, 0, 0, target(i.rt())], i32::from(i.imm()) << 16;
        Movf => integer::movz, [i.rs(), CONDITION + i.cc(), 0, target(i.rd())], 0;
        Movt => integer::movn, [i.rs(), CONDITION + i.cc(), 0, target(i.rd())], 0;
        Mthi => integer::copy, [i.rs(), 0, 0, HI], 0;
        Mtlo => integer::copy, [i.rs(), 0, 0, LO], 0;
        Rdhwr => flow::rdhwr, [0, 0, 0, target(i.rt())], i.word as i32;
        Mfc1 => float::mfc1, [FPR + i.rd(), 0, 0, target(i.rt())], 0;
        Mfhc1 => float::mfhc1, [FPR + i.rd(), 0, 0, target(i.rt())], 0;
        Dmfc1 => integer::copy, [FPR + i.rd(), 0, 0, target(i.rt())], 0;
        Mtc1 => float::mov_s, [i.rt(), 0, 0, FPR + i.rd()], 0;
        Dmtc1 => integer::copy, [i.rt(), 0, 0, FPR + i.rd()], 0;
        Mthc1 => float::mthc1, [i.rt(), 0, 0, FPR + i.rd()], 0;
        Cfc1 => float::cfc1, [0, 0, 0, target(i.rt())], i32::from(i.rd());
        Ctc1 => float::ctc1, [i.rt(), 0, 0, SINK], i32::from(i.rd());
    }
    one {
        Clz => integer::clz, i.rs();
        Clo => integer::clo, i.rs();
        Dclz => integer::dclz, i.rs();
        Dclo => integer::dclo, i.rs();
        Wsbh => integer::wsbh, i.rt();
        Dsbh => integer::dsbh, i.rt();
        Dshd => integer::dshd, i.rt();
        Seb => integer::seb, i.rt();
        Seh => integer::seh, i.rt();
        Mfhi => integer::copy, HI;
        Mflo => integer::copy, LO;
    }
    shift {
        Sll => integer::sll, 0;
        Srl => integer::srl, 0;
        Sra => integer::sra, 0;
        Dsll => integer::dsll, 0;
        Dsrl => integer::dsrl, 0;
        Dsra => integer::dsra, 0;
        Rotr => integer::rotr, 0;
        Drotr => integer::drotr, 0;
        Dsll32 => integer::dsll, 32;
        Dsrl32 => integer::dsrl, 32;
        Dsra32 => integer::dsra, 32;
        Drotr32 => integer::drotr, 32;
    }
    field {
        Ext => integer::extract_word, i.sa(), i32::from(i.rd()) + 1;
        Dext => integer::extract, i.sa(), i32::from(i.rd()) + 1;
        Dextm => integer::extract, i.sa(), i32::from(i.rd()) + 33;
        Dextu => integer::extract, i.sa() + 32, i32::from(i.rd()) + 1;
        Ins => integer::insert_word, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 1;
        Dins => integer::insert, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 1;
        Dinsm => integer::insert, i.sa(), i32::from(i.rd()) - i32::from(i.sa()) + 33;
        Dinsu => integer::insert, i.sa() + 32, i32::from(i.rd()) - i32::from(i.sa()) + 1;
    }
    branch {
        Beq => C::Equal;
        Bne => C::Unequal;
        Blez => C::NotPositive;
        Bgtz => C::Positive;
        Bltz => C::Negative;
        Bgez => C::NotNegative;
    }
    likely {
        BeqLikely => C::Equal;
        BneLikely => C::Unequal;
        BlezLikely => C::NotPositive;
        BgtzLikely => C::Positive;
        BltzLikely => C::Negative;
        BgezLikely => C::NotNegative;
    }
    branch_linking {
        Bltzal => C::Negative;
        Bgezal => C::NotNegative;
    }
    likely_linking {
        BltzalLikely => C::Negative;
        BgezalLikely => C::NotNegative;
    }
    jump {
        J => BranchTarget::Always(Where::Jump), SINK;
        Jal => BranchTarget::Always(Where::Jump), 31;
        Jr | JrHb => BranchTarget::Register(i.rs()), SINK;
        Jalr | JalrHb => BranchTarget::Register(i.rs()), target(i.rd());
    }
    load {
        Lb => memory::lb;
        Lh => memory::lh;
        Lwl => memory::lwl;
        Lw => memory::lw;
        Lbu => memory::lbu;
        Lhu => memory::lhu;
        Lwr => memory::lwr;
        Lwu => memory::lwu;
        Ldl => memory::ldl;
        Ldr => memory::ldr;
        Ld => memory::ld;
        Ll => memory::ll;
        Lld => memory::lld;
        Sc => memory::sc;
        Scd => memory::scd;
    }
    store {
        Sb => memory::sb;
        Sh => memory::sh;
        Swl => memory::swl;
        Sw => memory::sw;
        Sdl => memory::sdl;
        Sdr => memory::sdr;
        Swr => memory::swr;
        Sd => memory::sd;
    }
    nothing {
        Pref | Prefx | Sync | Synci => "nothing that a program could see";
    }
    trap {
        Tge => flow::tge;
        Tgeu => flow::tgeu;
        Tlt => flow::tlt;
        Tltu => flow::tltu;
        Teq => flow::teq;
        Tne => flow::tne;
    }
    trap_immediate {
        Tgei => flow::tge;
        Tgeiu => flow::tgeu;
        Tlti => flow::tlt;
        Tltiu => flow::tltu;
        Teqi => flow::teq;
        Tnei => flow::tne;
    }
    last {
        Syscall => flow::syscall, 0;
        Break => flow::break_, (i.word >> 6 & 0xf_ffff) as i32;
    }
    alone {
        Mtc0 => privileged::mtc0;
        Dmtc0 => privileged::dmtc0;
        Tlbr => privileged::tlbr;
        Tlbwi => privileged::tlbwi;
        Tlbwr => privileged::tlbwr;
        Tlbp => privileged::tlbp;
        Eret => privileged::eret;
        Wait => privileged::wait;
        Cache => privileged::cache;
        Mtc2 => coprocessor::mtc2;
        Dmtc2 => coprocessor::dmtc2;
        Lwc2 => coprocessor::lwc2;
        Ldc2 => coprocessor::ldc2;
    }
    alone_to {
        Mfc0 => privileged::mfc0;
        Dmfc0 => privileged::dmfc0;
        Di => privileged::di;
        Ei => privileged::ei;
        Mfc2 => coprocessor::mfc2;
        Dmfc2 => coprocessor::dmfc2;
    }
    on_coprocessor {
        Bc2f => coprocessor::condition, C::Equal;
        Bc2t => coprocessor::condition, C::Unequal;
    }
    float_load {
        Lwc1 => memory::lwc1;
        Ldc1 => memory::ld;
    }
    float_store {
        Swc1 => memory::sw;
        Sdc1 => memory::sd;
    }
    indexed_load {
        Lwxc1 => memory::lwxc1;
        Ldxc1 => memory::ldxc1;
        Luxc1 => memory::luxc1;
    }
    indexed_store {
        Swxc1 => memory::swxc1;
        Sdxc1 => memory::sdxc1;
        Suxc1 => memory::suxc1;
    }
    on_condition {
        Bc1f => C::Equal, false;
        Bc1t => C::Unequal, false;
        Bc1fLikely => C::Equal, true;
        Bc1tLikely => C::Unequal, true;
    }
    float3 {
        AddS => float::add_s;
        SubS => float::sub_s;
        MulS => float::mul_s;
        DivS => float::div_s;
        AddD => float::add_d;
        SubD => float::sub_d;
        MulD => float::mul_d;
        DivD => float::div_d;
    }
    float2 {
        SqrtS => float::sqrt_s;
        RecipS => float::recip_s;
        RsqrtS => float::rsqrt_s;
        AbsS => float::abs_s;
        NegS => float::neg_s;
        RoundLS => float::round_l_s;
        RoundWS => float::round_w_s;
        TruncLS => float::trunc_l_s;
        TruncWS => float::trunc_w_s;
        CeilLS => float::ceil_l_s;
        CeilWS => float::ceil_w_s;
        FloorLS => float::floor_l_s;
        FloorWS => float::floor_w_s;
        CvtLS => float::cvt_l_s;
        CvtWS => float::cvt_w_s;
        MovS => float::mov_s;
        SqrtD => float::sqrt_d;
        RecipD => float::recip_d;
        RsqrtD => float::rsqrt_d;
        AbsD => float::abs_d;
        NegD => float::neg_d;
        RoundLD => float::round_l_d;
        RoundWD => float::round_w_d;
        TruncLD => float::trunc_l_d;
        TruncWD => float::trunc_w_d;
        CeilLD => float::ceil_l_d;
        CeilWD => float::ceil_w_d;
        FloorLD => float::floor_l_d;
        FloorWD => float::floor_w_d;
        CvtLD => float::cvt_l_d;
        CvtWD => float::cvt_w_d;
        MovD => integer::copy;
        CvtSD => float::cvt_s_d;
        CvtSW => float::cvt_s_w;
        CvtSL => float::cvt_s_l;
        CvtDS => float::cvt_d_s;
        CvtDW => float::cvt_d_w;
        CvtDL => float::cvt_d_l;
    }
    float_move {
        MovzS => float::movz_s, i.rt();
        MovnS => float::movn_s, i.rt();
        MovfS => float::movz_s, CONDITION + i.cc();
        MovtS => float::movn_s, CONDITION + i.cc();
        MovzD => integer::movz, i.rt();
        MovnD => integer::movn, i.rt();
        MovfD => integer::movz, CONDITION + i.cc();
        MovtD => integer::movn, CONDITION + i.cc();
    }
    compare {
        CS => float::compare_s;
        CD => float::compare_d;
    }
    float4 {
        MaddS => float::madd_s;
        MsubS => float::msub_s;
        NmaddS => float::nmadd_s;
        NmsubS => float::nmsub_s;
        MaddD => float::madd_d;
        MsubD => float::msub_d;
        NmaddD => float::nmadd_d;
        NmsubD => float::nmsub_d;
    }
}
