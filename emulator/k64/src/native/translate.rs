//! Translation of a block to instructions of the native machine.
//!
//! The rest of a block stands in a row; what seldom happens stands behind it: exits by branches that are taken, and
//! calls of the handlers of operations that need more than their instructions here.

use super::assembler::{Assembler, Label, guest, low};
use super::known::KnownTimes;
use super::leaving::Leaving;
use super::links::{Exit, Links};
use super::mode::NativeMode;
use super::reach::{Reach, SecondPage};
use super::state::held;
use crate::engine::block::{DecodedBlock, Role};
use crate::engine::flow::Condition;
use crate::engine::operation::Operation;
use crate::timing::StallCause;
use iced_x86::{Code, MemoryOperand, Register};

/// Place that a value is read from.
pub(super) enum Source {
    Register(Register),
    Memory(MemoryOperand),
    Zero,
}

/// Code that stands behind the block.
pub(super) enum Rare {
    /// Calls the handler of an operation, and goes back.
    Handler { label: Label, back: Label, index: usize },
    /// Leaves the block for an address, after so many instructions.
    Exit { label: Label, n: u8, target: u64 },
    /// Has the rest of the block done by its handlers, from an operation on.
    Rest { label: Label, index: usize },
    /// Goes back if the number in RAX is a product of zero, else goes on to other rare code.
    Zero(ZeroProduct),
    /// Looks at the second page of accesses that are looked at together.
    SecondPage(SecondPage),
    /// Has the time of a line of instructions charged by its handler, and goes back.
    Line { label: Label, back: Label, index: usize },
    /// Looks for the line of an access in the second place of its set.
    SecondLine { label: Label, found: Label, rare: Label },
    /// Waits for the time in RAX for a cause, or for operands, and goes back.
    Wait { label: Label, back: Label, cause: Option<StallCause> },
}

/// Question whether the number in RAX is 0 because a factor is 0.
pub(super) struct ZeroProduct {
    pub(super) label: Label,
    pub(super) back: Label,
    /// Code for all other numbers.
    pub(super) other: Label,
    pub(super) factors: [u8; 2],
    pub(super) is_double: bool,
}

/// Translation of a block at work.
pub(super) struct Translation<'a> {
    pub(super) out: Assembler,
    pub(super) block: &'a DecodedBlock,
    number: u32,
    pub(super) links: &'a Links,
    pub(super) mode: NativeMode,
    pub(super) rare: Vec<Rare>,
    /// Exits, with the offset of the distance of the jump of each.
    pub(super) exits: Vec<(Exit, usize)>,
    /// Whether the code before has seen that the native machine may compute with numbers.
    pub(super) is_plain: bool,
    /// Bytes whose pages the code before has looked at.
    pub(super) reaches: Vec<Reach>,
    /// Registers whose times the code before has looked at.
    pub(super) times: KnownTimes,
    pub(super) head: Label,
}

/// Code of a block, and its exits.
pub(super) struct Translated {
    pub(super) bytes: Vec<u8>,
    pub(super) exits: Vec<(Exit, usize)>,
}

/// Conditions of the native machine's jumps, after a comparison of `a` with `b`: the jump, and `set`.
pub(super) fn jump_if(condition: Condition) -> (Code, Code) {
    match condition {
        Condition::Equal => (Code::Je_rel32_64, Code::Sete_rm8),
        Condition::Unequal => (Code::Jne_rel32_64, Code::Setne_rm8),
        Condition::NotPositive => (Code::Jle_rel32_64, Code::Setle_rm8),
        Condition::Positive => (Code::Jg_rel32_64, Code::Setg_rm8),
        Condition::Negative => (Code::Jl_rel32_64, Code::Setl_rm8),
        Condition::NotNegative => (Code::Jge_rel32_64, Code::Setge_rm8),
    }
}

/// Translates a block, which is to stand at an offset of the memory of code; `None` if something in it cannot be encoded.
pub(super) fn translate(
    block: &DecodedBlock,
    number: u32,
    (links, mode): (&Links, NativeMode),
    start: usize,
) -> Option<Translated> {
    let mut out = Assembler::new(start);
    let head = out.label();
    out.bind(head);
    let mut t = Translation {
        out,
        block,
        number,
        links,
        mode,
        rare: Vec::new(),
        exits: Vec::new(),
        is_plain: false,
        reaches: Vec::new(),
        times: KnownTimes::default(),
        head,
    };
    let (mut is_open, mut index) = (true, 0);
    while is_open && let Some(operation) = block.operations.get(index) {
        let first = index;
        if t.pair(index) {
            index += 2;
        } else {
            is_open = t.operation(index, operation, block.origins[index].role);
            index += 1;
        }
        block.operations[first..index].iter().for_each(|done| t.forget_reaches(done));
    }
    if is_open {
        let n = block.n_instructions;
        t.exit(n as u8, block.pc.wrapping_add(4 * u64::from(n)), false);
    }
    t.rare();
    Some(Translated { bytes: t.out.finish()?, exits: t.exits })
}

impl Translation<'_> {
    /// Translates an operation together with the next; false if they are nothing in common.
    fn pair(&mut self, index: usize) -> bool {
        self.unaligned_pair(index) || self.swap(index)
    }

    /// Translates an operation; false if the block ends with it.
    fn operation(&mut self, index: usize, op: &Operation, role: Role) -> bool {
        match role {
            Role::Effect(kind) => {
                let is_done = self.integer(index, op, kind)
                    || self.access(index, op, kind)
                    || self.float(index, op, kind);
                if !is_done {
                    self.handler(index);
                    self.is_plain = false;
                }
            }
            Role::Link => {
                let value = self.address(op);
                self.set_constant(op.d, value);
            }
            Role::KeepCondition(condition) => {
                self.compare(op.a, op.b);
                self.set_if(op.d, jump_if(condition).1);
            }
            Role::KeepTarget => self.copy(op.d, op.a),
            Role::Branch(condition) if self.address(op) == self.block.pc => {
                self.compare(op.a, op.b);
                let over = self.out.label();
                self.out.jump(jump_if(condition.opposite()).0, over);
                self.exit(op.c, self.block.pc, true);
                self.out.bind(over);
            }
            Role::Branch(condition) => {
                self.compare(op.a, op.b);
                let label = self.out.label();
                self.out.jump(jump_if(condition).0, label);
                self.rare.push(Rare::Exit { label, n: op.c, target: self.address(op) });
            }
            Role::Jump => {
                self.exit(op.c, self.address(op), true);
                return false;
            }
            Role::JumpRegister => {
                self.jump_register(op);
                return false;
            }
            Role::Line => self.line(index, op),
            Role::Time(class) => self.time(index, op, class),
            Role::Handler => {
                let leaving = self.leaving(Leaving::Rest, index);
                self.leave_with(leaving);
                return false;
            }
        }
        true
    }

    /// Returns the address that an immediate gives, relative to the begin of the block.
    fn address(&self, op: &Operation) -> u64 {
        self.block.pc.wrapping_add(op.imm())
    }

    pub(super) fn leaving(&self, kind: Leaving, index: usize) -> u64 {
        kind.with(self.number, index as u32)
    }

    /// Has an operation done by its handler.
    pub(super) fn handler(&mut self, index: usize) {
        let id = self.leaving(Leaving::Stopped, index);
        let operation = std::ptr::from_ref(&self.block.operations[index]).expose_provenance();
        self.out.constant(Register::RAX, id);
        self.out.constant(Register::RDX, operation as u64);
        self.out.jump_to(Code::Call_rel32_64, self.links.call);
    }

    /// Returns the label of code that has an operation done by its handler and goes on at `back`.
    pub(super) fn by_handler(&mut self, index: usize, back: Label) -> Label {
        let label = self.out.label();
        self.rare.push(Rare::Handler { label, back, index });
        label
    }

    /// Returns the label of code that has the rest of the block done by handlers, from an operation on.
    pub(super) fn rest_by_handlers(&mut self, index: usize) -> Label {
        let label = self.out.label();
        self.rare.push(Rare::Rest { label, index });
        label
    }

    /// Puts a question behind the block.
    pub(super) fn ask(&mut self, question: ZeroProduct) {
        self.rare.push(Rare::Zero(question));
    }

    /// Puts the look at a second page behind the block.
    pub(super) fn ask_second(&mut self, second: SecondPage) {
        self.rare.push(Rare::SecondPage(second));
    }

    fn zero_product(&mut self, question: &ZeroProduct) {
        let (add, load, register) = if question.is_double {
            (Code::Add_r64_rm64, Code::Mov_r64_rm64, Register::RCX)
        } else {
            (Code::Add_r32_rm32, Code::Mov_r32_rm32, Register::ECX)
        };
        let rax = if question.is_double { Register::RAX } else { Register::EAX };
        let [first, second] = question.factors.map(guest);
        self.out.bind(question.label);
        self.out.two(load, register, rax);
        self.out.two(add, register, register);
        self.out.jump(Code::Jne_rel32_64, question.other);
        for (factor, jump, label) in [
            (first, Code::Je_rel32_64, question.back),
            (second, Code::Jne_rel32_64, question.other),
        ] {
            self.out.load(load, register, factor);
            self.out.two(add, register, register);
            self.out.jump(jump, label);
        }
        self.out.jump(Code::Jmp_rel32_64, question.back);
    }

    /// Writes what stands behind the block.
    fn rare(&mut self) {
        for rare in std::mem::take(&mut self.rare) {
            match rare {
                Rare::Handler { label, back, index } => {
                    self.out.bind(label);
                    self.handler(index);
                    self.out.jump(Code::Jmp_rel32_64, back);
                }
                Rare::Exit { label, n, target } => {
                    self.out.bind(label);
                    self.exit(n, target, true);
                }
                Rare::Line { label, back, index } => {
                    self.out.bind(label);
                    self.rare_line(index, back);
                    self.out.jump(Code::Jmp_rel32_64, back);
                }
                Rare::SecondLine { label, found, rare } => {
                    self.out.bind(label);
                    self.rare_second_line(found, rare);
                }
                Rare::Wait { label, back, cause } => {
                    self.out.bind(label);
                    self.rare_wait(cause);
                    self.out.jump(Code::Jmp_rel32_64, back);
                }
                Rare::Zero(question) => self.zero_product(&question),
                Rare::SecondPage(second) => self.second_page(&second),
                Rare::Rest { label, index } => {
                    self.out.bind(label);
                    let leaving = self.leaving(Leaving::Rest, index);
                    self.leave_with(leaving);
                }
            }
        }
    }

    /// Returns where the value of a register of the guest is.
    pub(super) fn source(register: u8) -> Source {
        match (register, held(register)) {
            (0, _) => Source::Zero,
            (_, Some(native)) => Source::Register(native),
            (_, None) => Source::Memory(guest(register)),
        }
    }

    /// Returns a register of the native machine with the value of a register of the guest: its own, or `scratch`.
    pub(super) fn read(&mut self, register: u8, scratch: Register) -> Register {
        match Self::source(register) {
            Source::Register(native) => native,
            _ => {
                self.read_to(scratch, register);
                scratch
            }
        }
    }

    /// Reads a register of the guest into a register of the native machine.
    pub(super) fn read_to(&mut self, to: Register, register: u8) {
        match Self::source(register) {
            Source::Register(native) if native == to => {}
            Source::Register(native) => self.out.two(Code::Mov_r64_rm64, to, native),
            Source::Memory(place) => self.out.load(Code::Mov_r64_rm64, to, place),
            Source::Zero => self.out.constant(to, 0),
        }
    }

    /// Reads the lower half of a register of the guest into a register of the native machine.
    pub(super) fn read_low_to(&mut self, to: Register, register: u8) {
        match Self::source(register) {
            Source::Register(native) => self.out.two(Code::Mov_r32_rm32, low(to), low(native)),
            Source::Memory(place) => self.out.load(Code::Mov_r32_rm32, low(to), place),
            Source::Zero => self.out.constant(to, 0),
        }
    }

    /// Writes a register of the guest from one of the native machine.
    pub(super) fn write(&mut self, register: u8, from: Register) {
        match held(register) {
            Some(native) if native == from => {}
            Some(native) => self.out.two(Code::Mov_r64_rm64, native, from),
            None => self.out.store(Code::Mov_rm64_r64, guest(register), from),
        }
    }

    /// Writes the sign-extended lower half of a register of the native machine to a register of the guest.
    pub(super) fn write_word(&mut self, register: u8, from: Register) {
        match held(register) {
            Some(native) => self.out.two(Code::Movsxd_r64_rm32, native, low(from)),
            None => {
                self.out.two(Code::Movsxd_r64_rm32, from, low(from));
                self.out.store(Code::Mov_rm64_r64, guest(register), from);
            }
        }
    }

    /// Copies a register of the guest.
    pub(super) fn copy(&mut self, to: u8, from: u8) {
        if let (None, Source::Zero) = (held(to), Self::source(from)) {
            self.out.store_immediate(Code::Mov_rm64_imm32, guest(to), 0);
            return;
        }
        match held(to) {
            Some(native) => self.read_to(native, from),
            None => {
                let from = self.read(from, Register::RAX);
                self.write(to, from);
            }
        }
    }

    /// Writes a constant to a register of the guest.
    pub(super) fn set_constant(&mut self, to: u8, value: u64) {
        match (held(to), i32::try_from(value as i64)) {
            (Some(native), _) => self.out.constant(native, value),
            (None, Ok(value)) => {
                self.out.store_immediate(Code::Mov_rm64_imm32, guest(to), value);
            }
            (None, Err(_)) => {
                self.out.constant(Register::RAX, value);
                self.write(to, Register::RAX);
            }
        }
    }

    /// Compares two registers of the guest.
    pub(super) fn compare(&mut self, a: u8, b: u8) {
        match (Self::source(a), Self::source(b)) {
            (Source::Register(a), Source::Zero) => self.out.two(Code::Test_rm64_r64, a, a),
            (Source::Memory(a), Source::Zero) => {
                self.out.store_immediate(Code::Cmp_rm64_imm8, a, 0);
            }
            (Source::Register(a), Source::Register(b)) => {
                self.out.two(Code::Cmp_r64_rm64, a, b);
            }
            (Source::Memory(a), Source::Register(b)) => self.out.store(Code::Cmp_rm64_r64, a, b),
            (_, b) => {
                let a = self.read(a, Register::RAX);
                match b {
                    Source::Register(b) => self.out.two(Code::Cmp_r64_rm64, a, b),
                    Source::Memory(b) => self.out.load(Code::Cmp_r64_rm64, a, b),
                    Source::Zero => self.out.two(Code::Test_rm64_r64, a, a),
                }
            }
        }
    }

    /// Writes 0 or 1 to a register of the guest, by the flags of the native machine.
    pub(super) fn set_if(&mut self, to: u8, set: Code) {
        self.out.one(set, Register::AL);
        match held(to) {
            Some(native) => self.out.two(Code::Movzx_r32_rm8, low(native), Register::AL),
            None => {
                self.out.two(Code::Movzx_r32_rm8, Register::EAX, Register::AL);
                self.write(to, Register::RAX);
            }
        }
    }
}
