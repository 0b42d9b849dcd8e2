//! An assembly program of random instructions: `random_program SEED BLOCKS`. Each block loads all registers, does
//! forty operations of the table, and keeps registers, HI, LO, FCSR; at the end the program writes what was kept.

use cp2_k64::isa::{Operand, Operation, Row, rows};

/// Number of the general register that holds the base address of loads and stores.
const BASE: u32 = 16;
/// Registers that the frame around the blocks needs.
const TAKEN: [u32; 4] = [BASE, 26, 27, 31];
const OPERATIONS: usize = 40;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 3 ^ self.0
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 20) % n
    }
    fn register(&mut self) -> u32 {
        loop {
            let register = self.below(32) as u32;
            if !TAKEN.contains(&register) {
                return register;
            }
        }
    }
    /// Returns a random doubleword; corner cases are frequent.
    fn integer(&mut self) -> u64 {
        let word: [u32; 9] =
            [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x8000, 0xffff_8000, 255];
        match self.below(6) {
            0 => word[self.below(9) as usize] as i32 as u64,
            1 => 1 << self.below(64),
            2 => (1u64 << self.below(64)).wrapping_neg(),
            3 => u64::MAX >> self.below(64),
            4 => self.next() as i32 as u64,
            _ => self.next(),
        }
    }
    fn double(&mut self) -> u64 {
        let sign = self.next() & 1 << 63;
        let fraction = self.next() & ((1 << 52) - 1);
        let near = [0, 1, (1 << 52) - 1, 1 << 51, 1 << 29, 3 << 28, fraction];
        let near = near[self.below(7) as usize];
        let exponent = match self.below(8) {
            0 => 0,
            1 => 0x7ff,
            2 => [1, 2, 0x7fe, 0x36a, 0x380, 0x381, 0x47e, 0x47f][self.below(8) as usize],
            3 => self.below(0x800),
            4 => 0x3ff + self.below(66),
            _ => 0x3f0 + self.below(32),
        };
        sign | exponent << 52 | near
    }
    fn single(&mut self) -> u64 {
        let sign = self.next() & 1 << 31;
        let fraction = self.next() & 0x7f_ffff;
        let near = [0, 1, 0x7f_ffff, 1 << 22, fraction][self.below(5) as usize];
        let exponent = match self.below(7) {
            0 => 0,
            1 => 0xff,
            2 => [1, 2, 0xfe][self.below(3) as usize],
            3 => self.below(256),
            4 => 127 + self.below(66),
            _ => 0x78 + self.below(16),
        };
        sign | exponent << 23 | near
    }
    fn float(&mut self) -> u64 {
        match self.below(5) {
            0 | 1 => self.single() | self.next() << 32,
            2 => self.integer(),
            _ => self.double(),
        }
    }
}

/// Whether an operation can stand in a block: it must stay there.
fn is_wanted(row: &Row) -> bool {
    use Operation as O;
    let is_system = row.pattern.starts_with("010000") || row.pattern.starts_with("010010");
    let left_out = matches!(
        row.operation,
        O::Ctc1
            | O::Cfc1
            | O::Rdhwr
            | O::Cache
            | O::Synci
            | O::Lwc2
            | O::Ldc2
            | O::Ll
            | O::Lld
            | O::Sc
            | O::Scd
            | O::Add
            | O::Sub
            | O::Dadd
            | O::Dsub
            | O::Addi
            | O::Daddi
            | O::J
            | O::Jal
            | O::Jr
            | O::JrHb
            | O::Jalr
            | O::JalrHb
            | O::Luxc1
            | O::Suxc1
    );
    let is_trap =
        row.doc.starts_with("exception if") || row.name == "syscall" || row.name == "break";
    let is_indexed = row.operands.contains(&Operand::Indexed);
    !is_system && !left_out && !is_trap && !is_indexed
}

/// Whether an operation works on words (32 bits), so that its operands must be words.
fn wants_words(row: &Row) -> bool {
    row.doc.contains("32 bits") || row.doc.contains("[31:0]") || row.doc.contains("bit 31")
}

fn put(word: u32, from: u32, bits: u32, value: u32) -> u32 {
    let mask = ((1 << bits) - 1) << from;
    word & !mask | value << from & mask
}

/// Returns a random word of an operation; none if its fields have no meaning.
fn word(row: &Row, random: &mut Random) -> Option<u32> {
    let mut word = random.next() as u32;
    for operand in row.operands {
        let register = random.register();
        word = match operand {
            Operand::Rs => put(word, 21, 5, register),
            Operand::Rt => put(word, 16, 5, register),
            Operand::Rd => put(word, 11, 5, register),
            Operand::Memory => {
                let offset = (random.below(256) as u32).wrapping_sub(128);
                let is_free =
                    ["l", "r"].iter().any(|e| row.name.ends_with(e)) || row.name.ends_with('b');
                let is_part = row.name.len() == 3 && is_free && row.name != "lbu";
                let offset = if is_part || row.name.contains('b') { offset } else { offset & !7 };
                put(put(word, 21, 5, BASE), 0, 16, offset)
            }
            Operand::Branch => put(word, 0, 16, 2 + random.below(2) as u32),
            _ => word,
        };
    }
    let word = word & !row.fixed.mask | row.fixed.value;
    let word =
        if row.pattern.contains("----- ddddd") { put(word, 16, 5, word >> 11) } else { word };
    let (upper, lower) = (word >> 11 & 31, word >> 6 & 31);
    let is_fine = match row.operation {
        Operation::Ext => upper + lower < 32,
        Operation::Dextm => upper + lower < 32,
        Operation::Dextu => upper + lower < 32,
        Operation::Ins | Operation::Dins | Operation::Dinsu => upper >= lower,
        _ => true,
    };
    is_fine.then_some(word)
}

/// Writes an operation, with what must stand before it.
fn operation(random: &mut Random, wanted: &[&Row], lines: &mut Vec<String>) {
    loop {
        let row = wanted[random.below(wanted.len() as u64) as usize];
        let Some(word) = word(row, random) else { continue };
        if wants_words(row) && word >> 26 != 17 && word >> 26 != 19 {
            for register in [word >> 21 & 31, word >> 16 & 31] {
                if !TAKEN.contains(&register) {
                    lines.push(format!("sll ${register}, ${register}, 0"));
                }
            }
        }
        lines.push(format!(".word 0x{word:08x} # {}", row.name));
        return;
    }
}

/// Returns code that puts the address of a place into `$26`, without another register.
fn place(symbol: &str, offset: u64) -> String {
    format!("lui $26, %hi({symbol} + {offset})\ndaddiu $26, $26, %lo({symbol} + {offset})")
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|a| a.parse::<u64>().ok());
    let (seed, blocks) = (arguments.next().unwrap_or(1), arguments.next().unwrap_or(100));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (branches, others): (Vec<&Row>, Vec<&Row>) =
        rows().iter().filter(|r| is_wanted(r)).partition(|r| r.operands.contains(&Operand::Branch));
    let mut lines: Vec<String> = Vec::new();
    let mut data = Vec::new();
    for block in 0..blocks {
        lines.push(place("input", block * 65 * 8));
        lines.push("jal fill\nnop".to_owned());
        for _ in 0..OPERATIONS {
            if random.below(8) == 0 {
                let row = branches[random.below(branches.len() as u64) as usize];
                if let Some(word) = word(row, &mut random) {
                    lines.push(format!(".word 0x{word:08x} # {}", row.name));
                    // Delay slot and what is jumped over: one word each.
                    for _ in 0..3 {
                        let mut one = vec![String::new(); 2];
                        while one.len() != 1 {
                            one.clear();
                            operation(&mut random, &others, &mut one);
                        }
                        lines.append(&mut one);
                    }
                }
            } else {
                operation(&mut random, &others, &mut lines);
            }
        }
        lines.push(place("output", block * 67 * 8));
        lines.push("jal keep\nnop".to_owned());
        data.extend((0..32).map(|_| random.integer()));
        data.extend((0..32).map(|_| random.float()));
        // Rounding mode, sticky flags and conditions.
        let sticky = if random.below(2) == 0 { 0x04 } else { random.next() & 0x7c };
        let mode = if random.below(2) == 0 { 0 } else { random.below(4) };
        data.push(mode | sticky | random.next() & 0xfe80_0000);
    }
    print_program(&lines, &data, blocks);
}

fn print_program(lines: &[String], data: &[u64], blocks: u64) {
    let free = |r: &u32| !TAKEN.contains(r) && *r != 0;
    println!(".set noreorder\n.set noat\n.set nomacro\n.text\n.globl __start\n__start:");
    println!(".set macro\ndla $16, scratch + 128");
    println!("{}", lines.join("\n"));
    println!("li $4, 1\ndla $5, output\nli $6, {}\nli $2, 5001\nsyscall", blocks * 67 * 8 + 512);
    println!("li $4, 0\nli $2, 5058\nsyscall");
    println!(
        "fill:\nld $27, 512($26)\nctc1 $27, $31\nld $27, 128($26)\nmthi $27\nld $27, 208($26)\nmtlo $27"
    );
    (0..32).for_each(|r| println!("ldc1 $f{r}, {}($26)", 256 + 8 * r));
    (0..32).filter(free).for_each(|r| println!("ld ${r}, {}($26)", 8 * r));
    println!("jr $31\nnop\nkeep:");
    (0..32).filter(free).for_each(|r| println!("sd ${r}, {}($26)", 8 * r));
    (0..32).for_each(|r| println!("sdc1 $f{r}, {}($26)", 256 + 8 * r));
    println!(
        "cfc1 $27, $31\nsd $27, 512($26)\nmfhi $27\nsd $27, 520($26)\nmflo $27\nsd $27, 528($26)\njr $31\nnop"
    );
    println!(".data\n.align 4\ninput:");
    data.iter().for_each(|word| println!(".dword 0x{word:016x}"));
    println!(".bss\n.align 4\noutput: .space {}\nscratch: .space 512", blocks * 67 * 8);
}
