//! What the host could do at best: butterflies on values that stay in its registers, with loads and
//! stores as often as an FFT has them, and nothing of a coprocessor around it. The engine is measured
//! against this.

use crate::assemble::assemble;
use crate::builder::{Builder, Constants};
use crate::code::Code;
use crate::context::{Context, FPR, vector_at};
use crate::engine::is_supported;
use crate::ir::{Base, Value};
use crate::scalar::EAX;
use crate::sprint::Sprinter;
use cp2_emu::state::Quad;
use std::time::Instant;

/// Pairs of values in registers; the others are for the coefficient and what is between.
const PAIRS: usize = 5;
/// Butterflies in one pass: as many as a pass of `fft256` has, so that the code, which then is longer
/// than the first cache of the host, has to come from the second one just as that of the engine.
const BUTTERFLIES: usize = 512;
/// Passes of one call.
const PASSES: u64 = 200;

/// `(d + s w, d - s w)` as an engine without any bookkeeping would do it.
fn butterfly(b: &mut Builder<'_>, [d, s]: [Value; 2], place: i32) -> [Value; 2] {
    let real = b.broadcast(Base::Context, place);
    let imaginary = b.broadcast(Base::Context, place + 8);
    let straight = b.mul(s, real);
    let crossed = b.swapped(s);
    let crosswise = b.mul(crossed, imaginary);
    let product = b.add(straight, crosswise);
    [b.add(d, product), b.sub(d, product)]
}

/// One pass: a double load and a double store in every fourth bundle.
fn pass(b: &mut Builder<'_>) {
    let mut pairs: [[Value; 2]; PAIRS] =
        std::array::from_fn(|k| [0, 1].map(|i| b.load(Base::Context, vector_at(FPR, 2 * k + i))));
    for k in 0..BUTTERFLIES {
        let pair = pairs[k % PAIRS];
        pairs[k % PAIRS] = butterfly(b, pair, vector_at(FPR, 32 + k % 32));
        b.set32(EAX, (k % 64 * 64) as u32);
        let [first, second] = &mut pairs[(k + 2) % PAIRS];
        match k % 4 {
            1 => (*first, *second) = (b.load(Base::Word, 0), b.load(Base::Word, 32)),
            3 => {
                b.store(*first, Base::Word, 8192);
                b.store(*second, Base::Word, 8192 + 32);
            }
            _ => {}
        }
    }
    for (k, [first, second]) in pairs.into_iter().enumerate() {
        b.store(first, Base::Context, vector_at(FPR, 2 * k));
        b.store(second, Base::Context, vector_at(FPR, 2 * k + 1));
    }
}

/// Bundles (butterflies) per second that translated code could reach if registers and pipelines of
/// the coprocessor cost nothing, measured for about `seconds`. `None` where nothing is translated.
pub fn register_limit(seconds: f64) -> Option<f64> {
    if !is_supported() {
        return None;
    }
    let mut constants = Constants::default();
    let mut b = Builder::new(&mut constants);
    pass(&mut b);
    let code = Code::new(&assemble(&b.ins, b.homes, true).ok()?).ok()?;
    let mut context = Sprinter::default().into_context();
    let mut memory: Vec<Quad> = vec![[0x3f80_0000_3f80_0000; 4]; cp2_isa::LMEM_WORDS];
    let mut calls = 0;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < seconds {
        for word in &mut context.live.fpr {
            word.0 = [0x3f00_0000_3f00_0000; 4];
        }
        context.passes = PASSES;
        context.lmem = memory.as_mut_ptr();
        call(&code, &mut context);
        calls += 1;
    }
    let bundles = (calls * PASSES) as f64 * BUTTERFLIES as f64;
    Some(bundles / begin.elapsed().as_secs_f64())
}

#[allow(unsafe_code, reason = "the loop that is measured is machine code")]
fn call(code: &Code, context: &mut Context) {
    // SAFETY: the host has AVX2 and BMI1, the code comes from `assemble` and touches only the
    // context's registers and the first 16 KiB of the memory that `lmem` points to, which is 256 KiB
    // long and used by nothing else.
    unsafe { code.call(context) }
}
