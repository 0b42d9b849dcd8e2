//! Random programs: loops of random instructions.

use cp2_k64::isa::{Operation, Release, decode, rows};

/// Registers that loops and addresses need: turns left, bases of accesses, and two values for tests.
const KEPT: [u32; 7] = [20, 21, 16, 17, 29, 22, 23];
/// Register with the address of data that nothing changes but stores that go astray.
pub(crate) const STEADY: u32 = 21;
/// Registers that are bases of accesses.
const BASES: [u32; 3] = [16, 17, 29];

/// Numbers by xorshift64*, for one word at a time of a program.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 33) % n
    }
    /// Returns a value for a register: whole numbers, corner cases, and bits of floating-point numbers.
    pub(crate) fn value(&mut self) -> u64 {
        let small = self.below(64) as i64 - 32;
        match self.below(8) {
            0 => small as u64,
            1 => 1 << self.below(64),
            2 => u64::from(self.next() as u32),
            3 => self.next() as i32 as u64,
            4 => (small as f64 * 0.37).to_bits(),
            5 => {
                let scale = [1e-300, 1e-155, 1e300, 1e160, 1e-20][self.below(5) as usize];
                (small as f64 * scale).to_bits() & !0xffff_ffff
                    | u64::from((small as f32 * scale.sqrt().sqrt() as f32).to_bits())
            }
            6 => [0, 1 << 63, f64::INFINITY.to_bits(), f64::NAN.to_bits(), 1, 0x7f80_0000]
                [self.below(6) as usize],
            _ => self.next(),
        }
    }
}

/// Whether an operation may stand anywhere in a program here.
fn is_free(operation: Operation) -> bool {
    let row = operation.row();
    let name = row.name;
    let leaves = ["Branches", "Jumps", "Coprocessor", "Privileged", "System"];
    let is_leaving = leaves.iter().any(|word| row.section.contains(word))
        || name.starts_with('b')
        || name.starts_with('j');
    let is_other = ["syscall", "eret", "wait", "cache", "rdhwr", "di", "ei"].contains(&name)
        || ["tlb", "mfc0", "dmfc0", "mtc0", "dmtc0"].iter().any(|n| name.starts_with(n))
        || name.ends_with("c2");
    !is_leaving && !is_other
}

/// Whether an operation accesses memory, by a base and a displacement or an index.
fn access(operation: Operation) -> Option<bool> {
    use Operation as Op;
    Some(match operation {
        Op::Lwxc1 | Op::Ldxc1 | Op::Luxc1 | Op::Swxc1 | Op::Sdxc1 | Op::Suxc1 => true,
        Op::Lb | Op::Lbu | Op::Lh | Op::Lhu | Op::Lw | Op::Lwu | Op::Ld => false,
        Op::Sb | Op::Sh | Op::Sw | Op::Sd | Op::Lwc1 | Op::Ldc1 | Op::Swc1 | Op::Sdc1 => false,
        Op::Lwl | Op::Lwr | Op::Ldl | Op::Ldr | Op::Swl | Op::Swr | Op::Sdl | Op::Sdr => false,
        Op::Ll | Op::Lld | Op::Sc | Op::Scd => false,
        _ => return None,
    })
}

/// Accesses of a program.
#[derive(Clone, Copy)]
pub(crate) struct Accesses {
    /// Displacements are smaller.
    pub(crate) reach: u64,
    /// Whether some are not aligned.
    pub(crate) is_loose: bool,
}

/// Returns a random instruction that is no branch; those that write a register that is kept are not among them.
pub(crate) fn instruction(numbers: &mut Numbers, accesses: Accesses) -> u32 {
    // One kind of operation for each third of the program: all, accesses, floating-point arithmetic.
    let kind = numbers.below(3);
    if kind == 1 && numbers.below(8) == 0 {
        // A base goes there and comes back, or does not.
        let (base, step) = (BASES[numbers.below(3) as usize], [8, 0xfff8, 256, 0xff00]);
        return 0x6400_0000 | base << 21 | base << 16 | step[numbers.below(4) as usize];
    }
    loop {
        let row = &rows()[numbers.below(rows().len() as u64) as usize];
        if !is_free(row.operation) || row.name.starts_with("pref") {
            continue;
        }
        let is_wanted = match kind {
            0 => true,
            1 => access(row.operation).is_some(),
            _ => row.name.ends_with(".d") || row.name.ends_with(".s") || row.name.starts_with("c."),
        };
        if !is_wanted {
            continue;
        }
        let mut word = row.fixed.value | numbers.next() as u32 & !row.fixed.mask;
        if kind == 2 {
            // Operands among the numbers that are loaded anew, the result among the others.
            word = (word & !(24 << 16 | 24 << 11) | 8 << 6) & !row.fixed.mask | row.fixed.value;
        }
        let word = match access(row.operation) {
            None => word,
            Some(is_indexed) => {
                let base = BASES[numbers.below(3) as usize];
                let word = word & !(31 << 21) | base << 21;
                if is_indexed {
                    // Register 0 as the index.
                    word & !(31 << 16)
                } else {
                    let unit = if accesses.is_loose && numbers.below(8) == 0 { 1 } else { 8 };
                    let displacement = (numbers.below(accesses.reach) / unit * unit) as u32;
                    let ends = [0, 0, 0, 7, 3];
                    let is_part = matches!(row.name, "lwl" | "lwr" | "ldl" | "ldr")
                        || matches!(row.name, "swl" | "swr" | "sdl" | "sdr");
                    let more = if is_part { ends[numbers.below(5) as usize] } else { 0 };
                    word & !0xffff | (displacement + more)
                }
            }
        };
        let fields = [word >> 16 & 31, word >> 11 & 31];
        let is_kept = fields.iter().any(|field| KEPT.contains(field));
        let is_float = row.name.contains('.') || row.name.ends_with("c1");
        // Traps would end most programs at once.
        let is_trap = row.name.starts_with('t') && numbers.below(40) > 0;
        let is_control = row.name == "ctc1" && numbers.below(8) > 0;
        let is_known = decode(word, Release::R2).is_some_and(|i| i.operation == row.operation);
        let is_written = is_kept && (!is_float || row.name.starts_with(['m', 'c']));
        if is_known && !is_trap && !is_control && !is_written {
            return word;
        }
    }
}

/// Returns a branch or jump, which stands at an address, over so many instructions, its delay slot the first.
fn branch(numbers: &mut Numbers, at: u64, over: u32) -> Vec<u32> {
    let (a, b) = (numbers.below(32) as u32, numbers.below(32) as u32);
    match numbers.below(5) {
        // beq, bne, blez, bgtz, and likely.
        0 | 1 => {
            let opcode = [4, 5, 6, 7, 0x14, 0x15, 0x16, 0x17][numbers.below(8) as usize];
            let b = if opcode & 3 < 2 { b } else { 0 };
            vec![opcode << 26 | a << 21 | b << 16 | over]
        }
        // bltz, bgez, and likely, and linking.
        2 => {
            let kind = [0, 1, 2, 3, 16, 17, 18, 19][numbers.below(8) as usize];
            vec![1 << 26 | a << 21 | kind << 16 | over]
        }
        // j, jal.
        3 => {
            let target = (at >> 2) as u32 + 1 + over;
            vec![(2 + numbers.below(2) as u32) << 26 | target & 0x3ff_ffff]
        }
        // bal to the next but one; daddiu $31, $31, distance; jr or jalr $31.
        _ => {
            let distance = 4 * (2 + over);
            let jump = [0x03e0_0008, 0x03e0_0009 | 30 << 11][numbers.below(2) as usize];
            vec![0x0411_0001, 0, 0x67ff_0000 | distance, jump]
        }
    }
}

/// Writes a loop of random instructions, with branches and jumps forwards, that begins at an address.
pub(crate) fn program(
    numbers: &mut Numbers,
    (begin, turns): (u64, u32),
    accesses: Accesses,
) -> Vec<u32> {
    const TURNS: u32 = 20;
    let mut words = vec![0x3400_0000 | TURNS << 16 | turns];
    let first = words.len();
    // A base may go on, so that accesses come to other pages and other alignments when the loop has been translated.
    let base = BASES[numbers.below(3) as usize];
    let step = [0, 8, 8, 8, 16, 4, 1][numbers.below(7) as usize];
    words.push(0x6400_0000 | base << 21 | base << 16 | step);
    // Numbers anew, since most turn into NaNs sooner or later.
    for register in 0..8 {
        let displacement = 8 * numbers.below(500) as u32;
        words.push(0xd400_0000 | STEADY << 21 | register << 16 | displacement);
    }
    for _ in 0..2 + numbers.below(6) {
        for _ in 0..numbers.below(12) {
            words.push(instruction(numbers, accesses));
        }
        let over = 2 + numbers.below(4) as u32;
        words.extend(branch(numbers, begin + 4 * words.len() as u64, over));
        (0..over).for_each(|_| words.push(instruction(numbers, accesses)));
    }
    // bc1t or bc1f over one instruction.
    words.push(0x4500_0002 | (numbers.below(2) as u32) << 16);
    (0..3).for_each(|_| words.push(instruction(numbers, accesses)));
    // daddiu $20, $20, -1; bne $20, $0, first; a delay slot; break.
    words.push(0x6400_0000 | TURNS << 21 | TURNS << 16 | 0xffff);
    let back = (first as i32 - words.len() as i32 - 1) as u32 & 0xffff;
    words.push(0x1400_0000 | TURNS << 21 | back);
    words.push(instruction(numbers, accesses));
    words.push(13);
    words
}
