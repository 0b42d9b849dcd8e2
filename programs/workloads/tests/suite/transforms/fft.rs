//! The FFT kernels against the definition in double precision, and their exact cycle counts.

use crate::sharing;
use cp2_isa::{Core, CoreNumbers};
use cp2_kernels::fft::{self, Options, reference, relative_rms_error};
use cp2_session::engine::Engine;
use cp2_session::{Execution, load, random};
use num_complex::Complex32;

/// Returns the usual options, with programs that tests share.
fn usual() -> Options {
    Options { execution: crate::on_cp2(), ..Options::default() }
}

fn transform(points: usize, input: &[Complex32], inverse: bool) -> Vec<Complex32> {
    let options = Options { inverse, ..usual() };
    fft::run(points, input, &options).unwrap().output
}

/// Returns the reference of every vector of the input.
fn references(points: usize, input: &[Complex32], inverse: bool) -> Vec<num_complex::Complex64> {
    input.chunks(points).flat_map(|x| reference(x, inverse)).collect()
}

#[test]
fn random_vectors_agree_with_the_definition() {
    for points in fft::LENGTHS {
        for inverse in [false, true] {
            // Neither a multiple of the sections nor of a batch.
            let vectors = match points {
                0..=256 => 37,
                257..=4096 => 9,
                _ => 5,
            };
            let input = random::complex(points as u64, vectors * points);
            let error = relative_rms_error(
                &transform(points, &input, inverse),
                &references(points, &input, inverse),
            );
            assert!(error < 3e-7, "{points} points, inverse {inverse}: {error:e}");
        }
    }
}

#[test]
fn an_impulse_at_zero_gives_exactly_ones() {
    for points in fft::LENGTHS {
        let mut input = vec![Complex32::new(0.0, 0.0); points];
        input[0] = Complex32::new(1.0, 0.0);
        assert!(transform(points, &input, false).iter().all(|&x| x == Complex32::new(1.0, 0.0)));
    }
}

/// An impulse at j gives the coefficients themselves: each output is a product of few rounded
/// factors of magnitude 1, at most log2 N roundings away from the exact value.
#[test]
fn impulses_are_exact_within_rounding() {
    for points in fft::LENGTHS {
        let stages = points.trailing_zeros() as f64;
        for inverse in [false, true] {
            // Every impulse of the short lengths; of the long ones, whose definition costs N^2,
            // some that differ in every bit.
            let step = if points > 256 { points / 5 - 1 } else { 1 };
            let places: Vec<_> = (0..points).step_by(step).collect();
            let mut input = vec![Complex32::new(0.0, 0.0); points * places.len()];
            for (vector, at) in input.chunks_mut(points).zip(&places) {
                vector[*at] = Complex32::new(1.0, 0.0);
            }
            let exact = references(points, &input, inverse);
            let found = transform(points, &input, inverse);
            for (k, (x, e)) in found.iter().zip(&exact).enumerate() {
                let off = (f64::from(x.re) - e.re).hypot(f64::from(x.im) - e.im);
                let at = places[k / points];
                assert!(off <= stages * f64::from(f32::EPSILON), "impulse {at}: {x} for {e}");
            }
        }
    }
}

/// A single tone gives N at its frequency and rounding noise elsewhere.
#[test]
fn single_tones_are_exact_within_rounding() {
    for points in fft::LENGTHS {
        for frequency in [0, 1, points / 4, points / 2, points - 3] {
            let tone: Vec<Complex32> = (0..points)
                .map(|j| {
                    let turn = (j * frequency % points) as f64 / points as f64;
                    let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
                    Complex32::new(cos as f32, sin as f32)
                })
                .collect();
            let output = transform(points, &tone, false);
            // Each of log2 N stages rounds values of at most N to half a unit; the short lengths
            // stay within one unit in all.
            let units = if points > 256 { f64::from(points.trailing_zeros()) / 2.0 } else { 1.0 };
            let bound = units * points as f64 * f64::from(f32::EPSILON);
            for (k, x) in output.iter().enumerate() {
                let expected = if k == frequency { points as f64 } else { 0.0 };
                let off = (f64::from(x.re) - expected).hypot(f64::from(x.im));
                assert!(off <= bound, "tone {frequency}, bin {k}: {x}");
            }
        }
    }
}

#[test]
fn forward_then_inverse_gives_the_input_back() {
    for points in fft::LENGTHS {
        let input = random::complex(7, 8 * points);
        let there = transform(points, &input, false);
        let options = Options { inverse: true, scale: true, ..usual() };
        let back = fft::run(points, &there, &options).unwrap().output;
        let exact: Vec<_> =
            input.iter().map(|x| num_complex::Complex64::new(x.re.into(), x.im.into())).collect();
        assert!(relative_rms_error(&back, &exact) < 3e-7);
    }
}

/// A changed count is a reviewed difference. Batches of 1 vector (the loops run zero times), of 2,
/// and of 16, the size that the published counts are compared at.
#[test]
fn cycle_counts_are_exact() {
    let cycles = |points: usize, batch: usize| {
        let input = random::complex(3, 4 * batch * points);
        let options = Options { batch, ..usual() };
        let report = fft::run(points, &input, &options).unwrap();
        assert_eq!(report.runs.len(), 1);
        assert_eq!(report.runs[0].stats.collisions, [0; 4]);
        report.cycles()
    };
    let counts: Vec<[u64; 3]> =
        [64, 128, 256].iter().map(|&n| [1, 2, 16].map(|batch| cycles(n, batch))).collect();
    let long = [512, 1024, 2048, 4096, 8192].map(|n| cycles(n, 1));
    assert_eq!(long, [2408, 5229, 11373, 24679, 53430]);
    assert_eq!(counts, [[264, 454, 3142], [520, 966, 7238], [1096, 2118, 16454]]);
}

/// Returns a core with at least so many registers.
fn with_fprs(fprs: usize) -> Core {
    Core::new(CoreNumbers { fprs: fprs as u32, ..*Core::CP2.numbers() }).unwrap()
}

/// The kernels with a vector in the registers: [D] table B.2 has 247 cycles for 64 points, 579 for 128, 1218 for 256.
#[test]
fn a_single_vector_takes_its_butterflies_and_what_must_be_before_and_behind() {
    for (points, cycles) in [(64, 207), (128, 463), (256, 1039)] {
        // The address, two loads, 2 cycles until the second is seen; butterflies; 7 until the last is seen, two
        // stores, and the stop.
        assert_eq!(cycles, 1 + 2 + 2 + fft::butterflies(points) as u64 + 7 + 2 + 1);
        for engine in Engine::ALL {
            let execution = Execution { engine, ..sharing().execution(with_fprs(points)) };
            for inverse in [false, true] {
                let execution = execution.clone();
                let options = Options { is_single: true, inverse, execution, ..usual() };
                let input = random::complex(11, 5 * points);
                let report = fft::run(points, &input, &options).unwrap();
                let error =
                    relative_rms_error(&report.output, &references(points, &input, inverse));
                assert!(error < 3e-7, "{points} points, inverse {inverse}: {error:e}");
                assert_eq!(report.runs.len(), 2);
                for run in &report.runs {
                    assert_eq!((run.stats.cycles, run.stats.collisions), (cycles, [0; 4]));
                }
            }
        }
    }
    let refused = fft::run(128, &[Complex32::ZERO; 128], &Options { is_single: true, ..usual() });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "fft128_single needs 128 floating-point registers; this core has 64"
    );
}

/// All points are loaded before the first result is stored.
#[test]
fn a_single_vector_can_be_transformed_in_place() {
    let input = random::complex(12, 64);
    let (mut cp2, entry) = load::machine_with(
        &cp2_session::Environment::new(),
        &Core::CP2,
        "fft.s",
        &fft::single_source(&Core::CP2, 64).unwrap(),
    )
    .unwrap();
    for (quad, x) in cp2.state.lmem[100..].iter_mut().zip(&input) {
        *quad = [load::word(*x); 4];
    }
    cp2.state.gpr[..2].copy_from_slice(&[100, 100]);
    assert_eq!(cp2.run_untraced(entry, 1000).end, cp2_emu::End::Stopped(0));
    let output: Vec<_> =
        cp2.state.lmem[100..164].iter().map(|quad| load::complex(quad[3])).collect();
    assert!(relative_rms_error(&output, &reference(&input, false)) < 3e-7);
}

/// Numbers that are not finite stay in their vector.
#[test]
fn numbers_that_are_not_finite_are_let_through_on_request() {
    let mut input = random::complex(13, 8 * 64);
    input[70].im = f32::NAN;
    input[200].re = f32::INFINITY;
    let options = Options { takes_any: true, ..usual() };
    let report = fft::run(64, &input, &options).unwrap();
    let whole = |v: usize| report.output[64 * v..][..64].iter().all(|x| x.is_finite());
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6, 7].map(whole),
        [true, false, true, false, true, true, true, true]
    );
    let check = fft::check_against_definition(&report, &input, &options);
    assert_eq!(check.vectors, 6);
    assert!(check.is_passed());
}

/// In the loop a vector costs its butterflies and nothing else.
#[test]
fn one_more_vector_costs_the_butterfly_bound() {
    let overhead: Vec<u64> = fft::LENGTHS
        .into_iter()
        .map(|points| {
            let run = |batch: usize| {
                let input = random::complex(5, 4 * batch * points);
                fft::run(points, &input, &usual()).unwrap().cycles()
            };
            let (largest, bound) =
                (fft::largest_batch(&Core::CP2, points), fft::butterflies(points) as u64);
            let overhead = run(largest) - largest as u64 * bound;
            // a + n b for every batch of more than one vector.
            for batch in 2..largest.min(9) {
                assert_eq!(run(batch), overhead + batch as u64 * bound, "{batch} x {points}");
            }
            overhead
        })
        .collect();
    assert_eq!(overhead, [70, 70, 70, 102, 106, 106, 103, 182]);
}

/// The hand-made kernels of [D], table B.2.
#[test]
fn batches_of_16_beat_the_published_counts() {
    for (points, published) in [(64, 247.0), (128, 579.0), (256, 1218.0)] {
        let input = random::complex(3, 4 * 16 * points);
        let report = fft::run(points, &input, &usual()).unwrap();
        assert!(report.runs[0].cycles_per_vector() < published);
    }
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let zero = Complex32::new(0.0, 0.0);
    let message = |points, input: &[Complex32], options: &Options| {
        fft::run(points, input, options).unwrap_err().to_string()
    };
    let plain = usual();
    assert_eq!(
        message(100, &[zero; 100], &plain),
        "there is no FFT kernel for 100 points; the kernels are for 64, 128, 256, 512, 1024, 2048, 4096, 8192 or 16384"
    );
    assert_eq!(
        message(64, &[zero; 65], &plain),
        "65 values are not a whole, positive number of vectors of 64 points"
    );
    assert_eq!(
        message(64, &[], &plain),
        "0 values are not a whole, positive number of vectors of 64 points"
    );
    let mut input = vec![zero; 128];
    input[70].im = f32::NAN;
    assert_eq!(
        message(64, &input, &plain),
        "vector 1, element 6 is 0+NaNi; the input must be finite; --non-finite lets it through"
    );
    let large = Options { batch: 65, ..plain };
    assert_eq!(
        message(64, &vec![zero; 64 * 4 * 65], &large),
        "65 vectors per run do not fit: one bank of local memory holds at most 64"
    );
    let short =
        Options { execution: Execution { max_cycles: Some(10), ..crate::on_cp2() }, ..plain };
    assert_eq!(
        message(64, &[zero; 64], &short),
        "the kernel did not stop within 10 cycles; raise --max-cycles"
    );
}

/// Memory outside the documented regions keeps its bits; a vector of 4096 points stays in its bank, one of 8192 in its half
/// of a memory that is twice as large.
#[test]
fn memory_outside_the_regions_is_untouched() {
    let larger = CoreNumbers { local_memory_words: 16384, ..*Core::CP2.numbers() };
    for (points, input, output) in [
        (64, 128, 640),
        (1024, 0, 2048),
        (2048, 4096, 6144),
        (4096, 4096, 4096),
        (8192, 0, 0),
        (8192, 8192, 8192),
    ] {
        let core = if points == 8192 { Core::new(larger).unwrap() } else { Core::CP2 };
        let text = fft::source(&core, points).unwrap();
        let (mut cp2, entry) =
            load::machine_with(&cp2_session::Environment::new(), &core, "fft.s", &text).unwrap();
        cp2.state.lmem.fill([0x3f80_0000_4000_0000; 4]);
        let vectors = if points < 2048 { 2 } else { 1 };
        cp2.state.gpr[..3].copy_from_slice(&[input, output, vectors - 1]);
        let run = cp2.run_untraced(entry, 100_000);
        assert_eq!(run.end, cp2_emu::End::Stopped(0));
        let written = output as usize..output as usize + points * vectors as usize;
        for (at, word) in cp2.state.lmem.iter().enumerate() {
            let is_old = *word == [0x3f80_0000_4000_0000; 4];
            assert!(is_old || written.contains(&at), "{points} points: word {at}");
        }
    }
}

/// The transform of a sum is the sum of the transforms, within rounding.
#[test]
fn the_transform_is_linear() {
    for points in fft::LENGTHS {
        let (x, y) = (random::complex(1, points), random::complex(2, points));
        let sum: Vec<Complex32> = x.iter().zip(&y).map(|(x, y)| x + y * 0.5).collect();
        let (x, y) = (transform(points, &x, false), transform(points, &y, false));
        let wide = |z: &Complex32| num_complex::Complex64::new(z.re.into(), z.im.into());
        let expected: Vec<_> = x.iter().zip(&y).map(|(x, y)| wide(x) + wide(y) * 0.5).collect();
        assert!(relative_rms_error(&transform(points, &sum, false), &expected) < 3e-7);
    }
}
