//! Instructions of the native machine, x86-64, with labels: what `translate` and its parts write with.

use super::state::{CPU, REGISTERS};
use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

/// Place in the code that is written, which jumps can have as their target before it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

/// Writer of instructions, from an offset of the memory of code on.
pub(super) struct Assembler {
    encoder: Encoder,
    start: usize,
    /// Number of bytes written.
    length: usize,
    labels: Vec<Option<usize>>,
    /// Places of distances to labels, of four bytes.
    distances: Vec<(usize, Label)>,
    failed: Option<IcedError>,
}

/// Returns the lower half of a general register.
pub(super) fn low(register: Register) -> Register {
    Register::EAX + (register as u32 - Register::RAX as u32)
}

/// Whether a register is the lower half of a general register.
pub(super) fn is_low(register: Register) -> bool {
    (register as u32) < Register::RAX as u32
}

/// Returns the place of a register of the guest in the core.
pub(super) fn guest(register: u8) -> MemoryOperand {
    of_core(REGISTERS + 8 * i64::from(register))
}

/// Returns a place in the core.
pub(super) fn of_core(offset: i64) -> MemoryOperand {
    MemoryOperand::with_base_displ(CPU, offset)
}

impl Assembler {
    pub(super) fn new(start: usize) -> Self {
        Self {
            encoder: Encoder::new(64),
            start,
            length: 0,
            labels: Vec::new(),
            distances: Vec::new(),
            failed: None,
        }
    }

    /// Returns the offset of the next instruction in the memory of code.
    pub(super) fn at(&self) -> usize {
        self.start + self.length
    }

    fn emit(&mut self, instruction: Result<Instruction, IcedError>) {
        let encoded = instruction.and_then(|i| self.encoder.encode(&i, self.at() as u64));
        match encoded {
            Ok(length) => self.length += length,
            Err(error) => self.failed = Some(error),
        }
    }

    pub(super) fn plain(&mut self, code: Code) {
        self.emit(Ok(Instruction::with(code)));
    }

    pub(super) fn one(&mut self, code: Code, a: Register) {
        self.emit(Instruction::with1(code, a));
    }

    pub(super) fn one_memory(&mut self, code: Code, a: MemoryOperand) {
        self.emit(Instruction::with1(code, a));
    }

    pub(super) fn two(&mut self, code: Code, a: Register, b: Register) {
        self.emit(Instruction::with2(code, a, b));
    }

    pub(super) fn load(&mut self, code: Code, a: Register, b: MemoryOperand) {
        self.emit(Instruction::with2(code, a, b));
    }

    pub(super) fn store(&mut self, code: Code, a: MemoryOperand, b: Register) {
        self.emit(Instruction::with2(code, a, b));
    }

    pub(super) fn immediate(&mut self, code: Code, a: Register, b: i32) {
        self.emit(Instruction::with2(code, a, b));
    }

    /// Writes a shift or a rotation by a constant.
    pub(super) fn two_shift(&mut self, code: Code, a: Register, by: u32) {
        self.emit(Instruction::with2(code, a, by));
    }

    pub(super) fn store_immediate(&mut self, code: Code, a: MemoryOperand, b: i32) {
        self.emit(Instruction::with2(code, a, b));
    }

    pub(super) fn three(&mut self, code: Code, [a, b, c]: [Register; 3]) {
        self.emit(Instruction::with3(code, a, b, c));
    }

    pub(super) fn three_memory(&mut self, code: Code, [a, b]: [Register; 2], c: MemoryOperand) {
        self.emit(Instruction::with3(code, a, b, c));
    }

    pub(super) fn two_immediate(&mut self, code: Code, [a, b]: [Register; 2], c: u32) {
        self.emit(Instruction::with3(code, a, b, c));
    }

    /// Writes a constant to a register, by the shortest instruction.
    pub(super) fn constant(&mut self, a: Register, value: u64) {
        if value == 0 {
            self.two(Code::Xor_r32_rm32, low(a), low(a));
        } else if let Ok(value) = u32::try_from(value) {
            self.emit(Instruction::with2(Code::Mov_r32_imm32, low(a), value));
        } else if let Ok(value) = i32::try_from(value as i64) {
            self.immediate(Code::Mov_rm64_imm32, a, value);
        } else {
            self.emit(Instruction::with2(Code::Mov_r64_imm64, a, value));
        }
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Gives a label the place of the next instruction.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.length);
    }

    /// Writes a jump or a call, with a distance of four bytes, to a label.
    pub(super) fn jump(&mut self, code: Code, label: Label) {
        let here = self.at();
        self.jump_to(code, here);
        self.distances.push((self.length - 4, label));
    }

    /// Writes a jump or a call, with a distance of four bytes, to an offset in the memory of code. Returns the offset of
    /// the distance.
    pub(super) fn jump_to(&mut self, code: Code, target: usize) -> usize {
        self.emit(Instruction::with_branch(code, target as u64));
        self.at() - 4
    }

    /// Returns the bytes; `None` if an instruction could not be encoded.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        let mut bytes = self.encoder.take_buffer();
        for (place, label) in self.distances {
            let distance = self.labels[label.0]? as i64 - (place as i64 + 4);
            let distance = i32::try_from(distance).ok()?;
            bytes[place..place + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.failed.is_none().then_some(bytes)
    }
}
