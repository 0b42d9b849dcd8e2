//! Speed of the engines on this host: cycles of CP2 per second of the fast engine beside the
//! reference engine, on the FFT kernel and on a loop of mixed operations.

use crate::error::KernelError;
use crate::{fft, load, random};
use cp2_emu::{Cp2, End};
use cp2_fast::Fast;
use cp2_isa::BANK_WORDS;
use std::fmt;
use std::time::{Duration, Instant};

/// Time that one measurement takes at least.
const SHARE: Duration = Duration::from_millis(40);
/// Measurements, of which the median counts.
const REPEATS: usize = 7;
const LIMIT: u64 = 100_000_000;

/// What one program reached, in millions of CP2 cycles per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Name of the program.
    pub program: &'static str,
    /// Cycles of one run.
    pub cycles: u64,
    /// Share of the cycles that translated code did.
    pub translated: f64,
    /// The reference engine.
    pub reference: f64,
    /// The fast engine.
    pub fast: f64,
    /// What the host could do at best with butterflies ([`cp2_fast::register_limit`]), if it runs
    /// translated code; only beside the FFT.
    pub limit: Option<f64>,
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<10} {:>8} cycles, {:>5.1} % translated: reference {:>6.2} M/s, fast {:>7.1} M/s, {:>5.1} times as fast, {:.2} ns per cycle",
            self.program,
            self.cycles,
            100.0 * self.translated,
            self.reference,
            self.fast,
            self.fast / self.reference,
            1e3 / self.fast
        )?;
        match self.limit {
            Some(limit) => {
                write!(f, "; limit {limit:.0} M/s, {:.0} % of it", 100.0 * self.fast / limit)
            }
            None => Ok(()),
        }
    }
}

/// A machine with 16 random vectors of 256 points in every section, and the entry of the kernel.
fn fft256() -> Result<(Cp2, u16), KernelError> {
    const POINTS: usize = 256;
    let (mut cp2, entry) = load::machine_with("fft256.s", &fft::source(POINTS)?)?;
    for (quad, x) in cp2.state.lmem.iter_mut().zip(random::complex(1, 16 * POINTS)) {
        *quad = [u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits()); 4];
    }
    cp2.state.gpr[1] = BANK_WORDS as u64;
    cp2.state.gpr[2] = 15;
    Ok((cp2, entry))
}

/// A loop of operations of every kind on numbers near 1.
fn mixed() -> Result<(Cp2, u16), KernelError> {
    let (mut cp2, entry) = load::machine_with("mixed.s", include_str!("mixed.s"))?;
    let numbers = random::complex(2, cp2.state.lmem.len() + 64);
    let words = numbers.iter().map(|x| {
        let near = |x: f32| u64::from((1.0 + 0.25 * x).to_bits());
        near(x.re) << 32 | near(x.im)
    });
    let places = cp2.state.fpr.iter_mut().chain(cp2.state.lmem.iter_mut());
    places.zip(words).for_each(|(quad, word)| *quad = [word; 4]);
    Ok((cp2, entry))
}

/// Runs a program until the measurement is long enough; gives cycles per microsecond.
fn measured(mut run: impl FnMut() -> u64) -> f64 {
    let (begin, mut cycles) = (Instant::now(), 0);
    while begin.elapsed() < SHARE {
        cycles += run();
    }
    cycles as f64 / begin.elapsed().as_secs_f64() / 1e6
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn speed_of(
    program: &'static str,
    (cp2, entry): (Cp2, u16),
    has_limit: bool,
) -> Result<Speed, KernelError> {
    let mut reference = cp2.clone();
    let mut fast = Fast::new(cp2);
    let run = fast.run_untraced(entry, LIMIT);
    let End::Stopped(_) = run.end else { return Err(KernelError::Run(Box::new(run.end))) };
    let translated = fast.translated_cycles() as f64 / run.stats.cycles as f64;
    let (mut slow, mut quick, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        slow.push(measured(|| reference.run_untraced(entry, LIMIT).stats.cycles));
        quick.push(measured(|| fast.run_untraced(entry, LIMIT).stats.cycles));
        if has_limit {
            limits.extend(cp2_fast::register_limit(SHARE.as_secs_f64()));
        }
    }
    let (reference, fast) = (median(slow), median(quick));
    let limit = (!limits.is_empty()).then(|| median(limits) / 1e6);
    Ok(Speed { program, cycles: run.stats.cycles, translated, reference, fast, limit })
}

/// Measures every program on both engines, in turns.
pub fn speeds() -> Result<Vec<Speed>, KernelError> {
    Ok(vec![speed_of("fft256", fft256()?, true)?, speed_of("mixed", mixed()?, false)?])
}
