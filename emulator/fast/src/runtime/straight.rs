//! Loops of straight vector code, made by the fast engine's back end, on memory of their own: registers, loads, stores
//! and arithmetic, without anything of a coprocessor around them. They show how fast the native machine is at best.

use super::executor::Executor;
use crate::abi::context::{FPR, FPRS, vector_at};
use crate::analysis::contract::Contract;
use crate::back_end::assemble::{Steps, assemble};
use crate::back_end::code::MachineCode;
use crate::back_end::encoding::NativeIsa;
use crate::ir::builder::Builder;
use crate::ir::instruction::{Base, Value};
use crate::ir::scalar::EAX;
use cp2_emu::state::Quad;
use cp2_isa::Core;
use iced_x86::Register;

/// Number of words of the memory that is read, and of the memory that is written.
const WORDS: usize = Core::WIDEST.lmem_words() / 2;
const WORD: i32 = size_of::<Quad>() as i32;
/// Size in bytes of either memory; a power of 2.
const HALF: i32 = WORDS as i32 * WORD;
/// Register with the offset of the pass at hand; else it holds the angle.
const OFFSET: Register = Register::R8D;

/// A value in the code of a [`VectorLoopBuilder`], 256 bits: two single-precision numbers in each of four sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorValue(Value);

/// Builder of the code of one pass, once through the code, of a [`StraightLoop`]. There are two memories: a pass loads
/// from some words of the first and stores to as many of the second. The next pass uses the words after them, and the
/// first words again after the end of memory.
#[derive(Debug)]
pub struct VectorLoopBuilder {
    b: Builder,
    words: usize,
}

/// A loop of vector code of the native machine that is ready to run, with registers and two memories of its own, and
/// nothing of CP2. Benchmarks measure with it how fast the native machine is at best. [`VectorLoopBuilder::finish`]
/// makes it.
#[derive(Debug)]
pub struct StraightLoop {
    executor: Executor,
    code: MachineCode,
    memory: Box<[Quad]>,
}

impl VectorLoopBuilder {
    /// Creates a builder for passes each of which goes through `words` words, of 64 bits in every section, of either
    /// memory. `None` if `words` is not a power of two or larger than a memory, which has 16384 words.
    pub fn new(words: usize) -> Option<Self> {
        let mut b = Builder::default();
        b.copy32(EAX, OFFSET);
        (words.is_power_of_two() && words <= WORDS).then_some(Self { b, words })
    }

    /// Adds code that reads register `k`, 0 to 255, and returns its value as the pass before has left it; in the first
    /// pass it is the one that [`StraightLoop::run`] sets.
    ///
    /// # Panics
    /// There is no register `k`.
    pub fn register(&mut self, k: usize) -> VectorValue {
        assert!(k < FPRS, "there are {FPRS} registers");
        VectorValue(self.b.load(Base::Context, vector_at(FPR, k)))
    }

    /// Adds code that writes a value to register `k`, 0 to 255, for the next pass.
    ///
    /// # Panics
    /// There is no register `k`.
    pub fn set_register(&mut self, k: usize, value: VectorValue) {
        assert!(k < FPRS, "there are {FPRS} registers");
        self.b.store(value.0, Base::Context, vector_at(FPR, k));
    }

    fn place(&self, word: usize) -> i32 {
        assert!(word < self.words, "a pass goes through {} words", self.words);
        word as i32 * WORD
    }

    /// Adds code that loads a word of the first memory, and returns the loaded value; `word` is counted from 0 in the
    /// words of the pass.
    ///
    /// # Panics
    /// The pass has fewer words.
    pub fn load(&mut self, word: usize) -> VectorValue {
        let place = self.place(word);
        VectorValue(self.b.load(Base::Word, place))
    }

    /// Adds code that stores a value to a word of the second memory; `word` is counted from 0 in the words of the pass.
    ///
    /// # Panics
    /// The pass has fewer words.
    pub fn store(&mut self, value: VectorValue, word: usize) {
        let place = self.place(word) + HALF;
        self.b.store(value.0, Base::Word, place);
    }

    /// Returns a constant for the code of the pass: the same 64 bits, two single-precision numbers, in every section.
    pub fn constant(&mut self, bits: u64) -> VectorValue {
        VectorValue(self.b.constant(bits))
    }

    /// Adds code for a sum to the pass, and returns its value `x + y`: eight sums of single-precision numbers, each of
    /// a number of `x` and the one at the same place in `y`.
    pub fn add(&mut self, x: VectorValue, y: VectorValue) -> VectorValue {
        VectorValue(self.b.add(x.0, y.0))
    }

    /// Adds code for a difference to the pass, and returns its value `x - y`: eight differences of single-precision
    /// numbers, each of a number of `x` and the one at the same place in `y`.
    pub fn sub(&mut self, x: VectorValue, y: VectorValue) -> VectorValue {
        VectorValue(self.b.sub(x.0, y.0))
    }

    /// Adds code for a product to the pass, and returns its value `x * y`: eight products of single-precision numbers,
    /// each of a number of `x` and the one at the same place in `y`.
    pub fn mul(&mut self, x: VectorValue, y: VectorValue) -> VectorValue {
        VectorValue(self.b.mul(x.0, y.0))
    }

    /// Adds code for a permutation to the pass, and returns its value: `x` with its two 32-bit numbers exchanged in
    /// every section.
    pub fn swapped(&mut self, x: VectorValue) -> VectorValue {
        VectorValue(self.b.swapped(x.0))
    }

    /// Finishes the code of a pass and returns the loop that repeats it. `None` on a native machine that runs no
    /// translated code, and if the code has more values at once than the engine can keep.
    pub fn finish(mut self) -> Option<StraightLoop> {
        let native_isa = NativeIsa::detect()?;
        self.b.add32(OFFSET, self.words as i32 * WORD);
        self.b.and32(OFFSET, HALF as u32 - 1);
        let contract = Contract { lmem_words: 2 * WORDS, repeats: true, ..Contract::default() };
        self.b.end_part(1, Vec::new());
        let steps = Steps { parts: &self.b.parts, constants: &self.b.constants, contract };
        let code = MachineCode::new(assemble(steps, native_isa).ok()?).ok()?;
        let mut executor = Executor::new(native_isa);
        executor.turn_to(&Core::WIDEST, 0);
        let memory = vec![[0; 4]; 2 * WORDS].into_boxed_slice();
        Some(StraightLoop { executor, code, memory })
    }
}

impl StraightLoop {
    /// Sets all words of both memories of the loop to the 64 bits of `word`, in every section.
    pub fn fill(&mut self, word: u64) {
        self.memory.fill([word; 4]);
    }

    /// Sets all registers to the word `register`, 64 bits, in every section, and runs the code of the loop `passes`
    /// times, the first time on the first words of the memories.
    pub fn run(&mut self, register: u64, passes: u64) {
        let (live, _) = self.executor.load();
        live.fpr.iter_mut().for_each(|vector| vector.0 = [register; 4]);
        live.rind = 0;
        if self.executor.check()
            && let Some(fit) = self.executor.fit(&self.code)
        {
            let admission = self.executor.admit(&self.code, fit, passes);
            self.executor.run(&self.code, admission, &mut self.memory, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that go on from pass to pass, and words that go from the one memory to the other.
    #[test]
    fn passes_go_through_memory_and_round_its_end() {
        let one = u64::from(1.0_f32.to_bits());
        let mut vectors = VectorLoopBuilder::new(WORDS / 2).expect("a power of two");
        let (sum, word) = (vectors.register(3), vectors.load(7));
        let sum = vectors.add(sum, word);
        vectors.set_register(3, sum);
        vectors.store(sum, 9);
        let Some(mut straight) = vectors.finish() else {
            return assert!(NativeIsa::detect().is_none());
        };
        straight.fill(one);
        straight.run(0, 5);
        let float = |x: f32| [u64::from(x.to_bits()); 4];
        assert_eq!(straight.executor.live().fpr[3].0, float(5.0));
        let stored = [WORDS + 9, WORDS + WORDS / 2 + 9].map(|word| straight.memory[word]);
        assert_eq!(stored, [float(5.0), float(4.0)]);
        assert_eq!(straight.memory.iter().filter(|&&quad| quad != float(1.0)).count(), 2);
        assert!(VectorLoopBuilder::new(3).is_none() && VectorLoopBuilder::new(2 * WORDS).is_none());
    }
}
