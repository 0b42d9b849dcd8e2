//! Bodies of hardware loops whose addresses can be followed without the machine: no flow inside, and no address that
//! comes from FPRs.

use cp2_isa::{
    Address, Arith, Bundle, Exch, Inst, MoveReg, RegFile, Step as Stride, Unit, control,
};

/// Move of a body: what an operation of it does to scalar registers or memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// A load or store at an address of a set.
    Access {
        access: Access,
        step: Option<(u8, Stride)>,
    },
    Step {
        set: u8,
        step: Stride,
    },
    Set {
        to: MoveReg,
        value: u16,
    },
    Copy {
        to: MoveReg,
        from: MoveReg,
    },
    Clear {
        set: u8,
    },
}

/// A load or a store of whole words in all sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) address: Address,
    pub(super) words: u8,
    pub(super) is_store: bool,
}

/// Returns the moves of a body, in the order of its bundles, if its addresses can be followed.
pub(super) fn moves(bundles: &[Bundle]) -> Option<Vec<Move>> {
    let mut moves = Vec::new();
    for bundle in bundles {
        if matches!(bundle.arith.op, Arith::Mfc | Arith::Mtc | Arith::Amtsa) {
            return None;
        }
        moves.extend(of_exchange(&bundle.exch)?);
    }
    Some(moves)
}

fn of_exchange(inst: &Inst<Exch>) -> Option<Option<Move>> {
    let row = inst.op.row();
    Some(match inst.op {
        Exch::Nop | Exch::Psprmsgn0 | Exch::Psprmsgn1 => None,
        Exch::Move => {
            let (to, from) = inst.moved()?;
            (is_followed(to) && from.file != RegFile::Control).then_some(())?;
            Some(Move::Copy { to, from })
        }
        Exch::Seti => {
            let (to, value) = inst.set_immediate()?;
            Some(Move::Set { to, value })
        }
        Exch::Clr => Some(Move::Clear { set: inst.cleared_set()? }),
        Exch::Updaddr | Exch::Updaddrnp | Exch::Updaddrnm => match inst.address()? {
            Address::Set { set, step } => Some(Move::Step { set, step }),
            _ => return None,
        },
        _ if matches!(row.unit, Unit::Load | Unit::Store) && row.extension.is_empty() => {
            Some(access(inst)?)
        }
        _ => return None,
    })
}

fn access(inst: &Inst<Exch>) -> Option<Move> {
    let of = inst.memory_access()?;
    let step = match of.address {
        Address::Word(_) => None,
        Address::Set { set, step } => Some((set, step)),
        Address::Sections { .. } | Address::Fpr { .. } => return None,
    };
    let access = Access { address: of.address, words: of.words, is_store: of.is_store };
    Some(Move::Access { access, step })
}

/// Whether a register may be written: one that is followed, or one of the angle, from which no address comes.
fn is_followed(to: MoveReg) -> bool {
    let angle = [control::RIND, control::RSTEP, control::RMASK];
    to.file != RegFile::Control || angle.contains(&to.number)
}
