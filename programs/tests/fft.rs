//! The FFT kernels against the definition in double precision, and their exact cycle counts.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_programs::fft::{self, Options, reference, relative_rms_error};
use cp2_programs::random;
use num_complex::Complex32;

fn transform(points: usize, input: &[Complex32], inverse: bool) -> Vec<Complex32> {
    let options = Options { inverse, ..Options::default() };
    fft::run(points, input, &options).unwrap().output
}

/// Reference of every vector of the input.
fn references(points: usize, input: &[Complex32], inverse: bool) -> Vec<num_complex::Complex64> {
    input.chunks(points).flat_map(|x| reference(x, inverse)).collect()
}

#[test]
fn random_vectors_agree_with_the_definition() {
    for points in fft::LENGTHS {
        for inverse in [false, true] {
            // 37 vectors: neither a multiple of the sections nor of a batch.
            let input = random::complex(points as u64, 37 * points);
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
            for at in 0..points {
                let mut input = vec![Complex32::new(0.0, 0.0); points];
                input[at] = Complex32::new(1.0, 0.0);
                let exact = reference(&input, inverse);
                for (x, e) in transform(points, &input, inverse).iter().zip(&exact) {
                    let off = (f64::from(x.re) - e.re).hypot(f64::from(x.im) - e.im);
                    assert!(off <= stages * f64::from(f32::EPSILON), "impulse {at}: {x} for {e}");
                }
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
            let bound = points as f64 * f64::from(f32::EPSILON);
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
        let options = Options { inverse: true, scale: true, ..Options::default() };
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
        let options = Options { batch, ..Options::default() };
        let report = fft::run(points, &input, &options).unwrap();
        assert_eq!(report.runs.len(), 1);
        assert_eq!(report.runs[0].stats.collisions, [0; 4]);
        report.cycles()
    };
    let counts: Vec<[u64; 3]> =
        fft::LENGTHS.iter().map(|&n| [1, 2, 16].map(|batch| cycles(n, batch))).collect();
    assert_eq!(counts, [[264, 454, 3142], [520, 966, 7238], [1096, 2118, 16454]]);
}

/// In the loop a vector costs its butterflies and nothing else.
#[test]
fn one_more_vector_costs_the_butterfly_bound() {
    for points in fft::LENGTHS {
        let run = |batch: usize| {
            let input = random::complex(5, 4 * batch * points);
            fft::run(points, &input, &Options::default()).unwrap().cycles()
        };
        assert_eq!(run(9) - run(8), fft::butterflies(points) as u64);
    }
}

/// The hand-made kernels of [D], table B.2.
#[test]
fn batches_of_16_beat_the_published_counts() {
    for (points, published) in [(64, 247.0), (128, 579.0), (256, 1218.0)] {
        let input = random::complex(3, 4 * 16 * points);
        let report = fft::run(points, &input, &Options::default()).unwrap();
        assert!(report.runs[0].cycles_per_vector() < published);
    }
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let zero = Complex32::new(0.0, 0.0);
    let message = |points, input: &[Complex32], options: &Options| {
        fft::run(points, input, options).unwrap_err().to_string()
    };
    let plain = Options::default();
    assert_eq!(
        message(100, &[zero; 100], &plain),
        "no FFT kernel for 100 points; there are 64, 128 or 256"
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
        "vector 1, element 6 is 0+NaNi; the input must be finite"
    );
    let large = Options { batch: 65, ..plain };
    assert_eq!(
        message(64, &vec![zero; 64 * 4 * 65], &large),
        "65 vectors per run do not fit: one bank of local memory holds at most 64"
    );
    let short = Options { max_cycles: 10, ..plain };
    assert_eq!(
        message(64, &[zero; 64], &short),
        "the kernel did not stop within 10 cycles; raise --max-cycles"
    );
}
