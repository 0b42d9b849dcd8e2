//! Which words are bundles: the list of what is undefined in the reference (isa, section 2), from the bits.

use super::exchange::exchange_code;
use super::times::Times;
use cp2_isa::{BundleBits, Core, Extensions, control};

fn bits(word: u64, high: u32, low: u32) -> u64 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

/// The bits of a bundle: its words, the upper one 0 where there is none.
#[derive(Clone, Copy)]
struct Words {
    low: u64,
    upper: u64,
}

impl Words {
    /// Returns the number of a register: its low bits, and bits 7:6 from `place` in the upper word.
    fn register(self, high: u32, low: u32, place: u32) -> u64 {
        bits(self.low, high, low) | (self.upper >> place & 3) << 6
    }

    fn arithmetic_registers(self) -> [u64; 4] {
        let places = [(55, 50, 0), (49, 44, 2), (43, 38, 4), (37, 32, 6)];
        places.map(|(high, low, place)| self.register(high, low, place))
    }

    fn exchange_register(self) -> u64 {
        self.register(22, 17, 8)
    }
}

/// Whether bits are a bundle of a core.
pub(crate) fn is_defined(bits: BundleBits, core: &Core) -> bool {
    let times = Times::of(core);
    let words = Words { low: bits as u64, upper: (bits >> 64) as u64 };
    arithmetic(words, times.last_fpr)
        && has_registers(words, times.last_fpr)
        && exchange(words, &times)
        && has_addresses(words.low, &times)
        || own(words, core, &times)
}

/// Whether the words are a bundle with operations of section addressing or shared memory, on a core that has them.
fn own(words: Words, core: &Core, times: &Times) -> bool {
    let last = times.last_fpr;
    let (word, register) = (words.low, words.exchange_register());
    let counters = core.extensions().contains(Extensions::SECTION_COUNTERS);
    let is_own = match exchange_code(word) {
        0x34 | 0x35 | 0x39 => register <= last,
        0x36 | 0x37 => register < last,
        0x2a | 0x3d => counters && register <= last,
        0x3c | 0x3e => counters && register < last,
        0x3f => counters && register <= last,
        0x38 => true,
        0x3a => register <= last && words.register(16, 11, 10) <= last,
        _ => false,
    };
    let is_shared = match exchange_code(word) {
        0x3b => true,
        0x40..=0x47 => register <= last,
        _ => false,
    };
    let has = |extension| core.extensions().contains(extension);
    if is_shared && !has(Extensions::SHARED_MEMORY) {
        return false;
    }
    let is_own = is_own && has(Extensions::SECTION_ADDRESSING);
    let writes_own = has(Extensions::SECTION_ADDRESSING)
        && bits(word, 62, 56) == 0x35
        && words.register(49, 44, 2) <= last;
    let arith = writes_own || arithmetic(words, last) && has_registers(words, last);
    let exch = is_own || is_shared || exchange(words, times) && has_addresses(word, times);
    arith && exch
}

/// Whether the core has the FPRs of the arithmetic half (isa, section 3: the columns D, S, T, Q).
fn has_registers(words: Words, last: u64) -> bool {
    let [d, s, t, q] = words.arithmetic_registers();
    let used: &[u64] = match bits(words.low, 62, 56) {
        0x00 => &[],
        0x07..=0x0b | 0x0e | 0x0f | 0x34 | 0x46 | 0x47 | 0x5d..=0x5f => &[d],
        0x02 => &[s, t],
        0x12 | 0x22 | 0x28 | 0x29 | 0x2e => &[d, s, t, q],
        0x7b => &[d, s, q],
        0x10 | 0x11 | 0x14..=0x16 | 0x1b..=0x1e | 0x20 | 0x21 | 0x24..=0x26 => &[d, s, t],
        0x2a..=0x2d | 0x2f | 0x30 | 0x33 | 0x40 | 0x41 | 0x48..=0x4a => &[d, s, t],
        0x4c | 0x4e | 0x63 => &[d, s, t],
        _ => &[d, s],
    };
    used.iter().all(|&register| register <= last)
}

/// Whether the core has the word or bundle that an immediate address names.
fn has_addresses(word: u64, times: &Times) -> bool {
    let (address, word_address) = (bits(word, 12, 0), word & times.immediate);
    match exchange_code(word) {
        0x10 | 0x14 | 0x18 | 0x1c | 0x50 | 0x54 | 0x58 | 0x5c => word_address <= times.address,
        0x60..=0x63 | 0x70..=0x73 => word_address <= times.address,
        0x0a | 0x24..=0x26 | 0x28 => address < times.bundles,
        _ => true,
    }
}

fn arithmetic(words: Words, last: u64) -> bool {
    let (word, [d, s, t, q]) = (words.low, words.arithmetic_registers());
    match bits(word, 62, 56) {
        // A comparison of pairs writes the next condition code, too.
        0x02 => bits(word, 54, 54) == 0 || bits(word, 52, 50) < 7,
        // Both D and S are destinations.
        0x03 | 0x06 | 0x1a | 0x1b | 0x63 => d != s,
        // Both D and Q.
        0x12 | 0x22 | 0x2e | 0x7b => d != q,
        0x0e | 0x0f => bits(word, 35, 32) <= 1,
        // The next register after S, or after S and T.
        0x2a..=0x2d => s < last,
        0x2f => s < last && t < last,
        0x00 | 0x04 | 0x05 | 0x07..=0x0b => true,
        0x10..=0x1e | 0x20..=0x34 | 0x40..=0x4f => true,
        0x58..=0x62 | 0x70..=0x75 | 0x78..=0x7a => true,
        _ => false,
    }
}

fn exchange(words: Words, times: &Times) -> bool {
    let last = times.last_fpr;
    let (word, register) = (words.low, words.exchange_register());
    let destination = words.register(16, 12, 10);
    match exchange_code(word) {
        0x01 => {
            let (to, from) = (bits(word, 20, 17), bits(word, 16, 13));
            let (to_type, from_type) = (bits(word, 5, 3), bits(word, 2, 0));
            let exists = |kind, number| match kind {
                0 | 3..=6 => true,
                2 => number < u64::from(control::COUNT),
                _ => false,
            };
            let to_stopcode = to_type == 2 && to == u64::from(control::STOPCODE);
            exists(to_type, to) && exists(from_type, from) && !to_stopcode
        }
        // Double accesses.
        0x10..=0x17 => register <= last,
        0x18..=0x1f => register < last,
        0x30 => register <= last && bits(word, 2, 0) <= 4,
        0x31 => register <= last && bits(word, 2, 0) <= 3,
        0x32 => register < last && destination < last,
        0x33 => register < last && destination + 32 < last,
        // Word access, conditional memory.
        0x48..=0x4f | 0x60..=0x7f => times.has_words && register <= last,
        0x50..=0x57 => times.has_conditional_memory && register <= last,
        0x58..=0x5f => times.has_conditional_memory && register < last,
        0x00 | 0x02..=0x05 | 0x08..=0x0b => true,
        0x20..=0x29 | 0x2e | 0x2f => true,
        _ => false,
    }
}
