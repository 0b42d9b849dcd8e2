//! Convolution of vectors in system memory: against the definition and the double-precision reference,
//! at the edges of every scheme, in its errors and its cycles.

use cp2_emu::MachineConfig;
use cp2_evidence::bounds::RateBounds;
use cp2_procedures::convolution::{
    self, Check, Options, Report, Scheme, reference, transform_points,
};
use cp2_session::numbers::Flushed;
use cp2_session::{Execution, random};
use num_complex::{Complex32, Complex64};

/// Returns the usual options, with programs that tests share.
fn usual() -> Options {
    Options { execution: crate::on_cp2(), ..Options::default() }
}

fn preset(name: &str) -> MachineConfig {
    MachineConfig::preset(name).unwrap()
}

fn run(
    config: MachineConfig,
    filter: &[Complex32],
    points: usize,
    input: &[Complex32],
) -> Result<Report, String> {
    convolution::run(config, filter, points, input, &usual(), &mut |_, _| {})
        .map_err(|e| e.to_string())
}

/// Convolves random vectors with a random filter and checks the result.
fn convolve(machine: &str, points: usize, taps: usize, vectors: usize) -> Report {
    let seed = (points * 100 + taps) as u64;
    let (filter, input) = (random::complex(seed, taps), random::complex(!seed, points * vectors));
    let report = run(preset(machine), &filter, points, &input).unwrap();
    assert_eq!(report.output.len(), vectors * (points + taps - 1));
    let check = convolution::check(&report, &filter, &input);
    assert_eq!(check.vectors, vectors.min(64));
    assert!(check.is_passed(), "{points} points, {taps} taps: {check:?}");
    report
}

fn wide(x: Complex32) -> Complex64 {
    Complex64::new(x.re.into(), x.im.into())
}

#[test]
fn the_reference_is_the_definition() {
    for (points, taps) in [(1, 1), (5, 3), (3, 5), (16, 17), (100, 29)] {
        let (filter, input) = (random::complex(1, taps), random::complex(2, 2 * points));
        let found = reference(&filter, points, &input);
        let results = points + taps - 1;
        assert_eq!(found.len(), 2 * results);
        for (x, y) in input.chunks(points).zip(found.chunks(results)) {
            for (n, y) in y.iter().enumerate() {
                let term = |(k, h): (usize, &Complex32)| {
                    n.checked_sub(k)
                        .and_then(|i| x.get(i))
                        .map_or(Complex64::ZERO, |&x| wide(*h) * wide(x))
                };
                let exact: Complex64 = filter.iter().enumerate().map(term).sum();
                assert!((exact - y).norm() < 1e-13, "{points}, {taps}: result {n}");
            }
        }
    }
}

#[test]
fn every_scheme_agrees_with_double_precision_at_its_edges() {
    // The shortest and the longest result of every scheme, by the longest vector and the longest filter.
    for (points, taps) in [
        (1, 1),
        (64, 1),
        (1, 64),
        (33, 32),
        (64, 65),
        (65, 64),
        (128, 1),
        (1, 129),
        (1024, 1025),
        (2048, 1),
        (1, 2048),
        (2048, 2),
        (1, 2049),
        (2048, 2049),
        (4096, 1),
        (1, 4097),
        (4097, 4096),
        (8192, 1),
    ] {
        let report = convolve("vm7", points, taps, 3);
        assert_eq!(report.transform, (points + taps - 1).next_power_of_two().max(64));
    }
}

#[test]
fn every_length_of_passes_agrees_with_double_precision() {
    for (points, taps, transform) in [
        (8193, 1, 16384),
        (16384, 1, 16384),
        (10001, 7000, 32768),
        (30000, 30001, 65536),
        (1, 65536, 65536),
        (65536, 1, 65536),
    ] {
        let report = convolve("vm9", points, taps, 1);
        assert_eq!((report.transform, report.scheme), (transform, Scheme::Passes));
    }
}

#[test]
fn random_lengths_agree_with_double_precision() {
    let dice = random::complex(77, 24);
    let roll = |x: f32, most: usize| 1 + ((x + 1.0) / 2.0 * most as f32) as usize;
    for (k, z) in dice.into_iter().enumerate() {
        let (points, taps) = match k % 3 {
            0 => (roll(z.re, 100), roll(z.im, 60)),
            1 => (roll(z.re, 1000), roll(z.im, 900)),
            _ => (roll(z.re, 3000), roll(z.im, 6000)),
        };
        convolve(if k % 2 == 0 { "vm7" } else { "vm9" }, points, taps, 1 + k % 5);
    }
}

#[test]
fn many_pages_and_a_last_one_that_is_not_full() {
    // 64 and 32 vectors in a page, 16, 4, 4; by predicted cycles.
    for (points, taps, vectors, pages) in
        [(30, 30, 150, 3), (60, 60, 70, 3), (200, 33, 70, 5), (1500, 300, 9, 3), (3000, 600, 9, 3)]
    {
        assert_eq!(convolve("vm7", points, taps, vectors).cost.pages, pages, "{points} points");
    }
    // Columns of five vectors and the filter, rows of the filter, rows and columns of the vectors.
    let (blocks, groups) = (1, 2);
    assert_eq!(
        convolve("vm7", 5000, 100, 5).cost.pages,
        blocks * 6 + groups + groups * 5 + blocks * 5
    );
}

#[test]
fn an_impulse_gives_the_vector_back_and_both_processors_the_same_bytes() {
    for points in [20, 500, 3000, 6000] {
        let mut filter = vec![Complex32::ZERO; 9];
        filter[2] = Complex32::new(0.0, 2.0);
        let input = random::complex(5, points);
        let report = run(preset("vm7"), &filter, points, &input).unwrap();
        let check = convolution::check(&report, &filter, &input);
        assert!(check.is_passed() && check.relative_error > 0.0, "{check:?}");
        let largest = (0..points)
            .map(|n| (report.output[n + 2] - input[n] * Complex32::new(0.0, 2.0)).norm())
            .fold(0.0, f32::max);
        assert!(largest < 4e-6, "{points} points: {largest:e}");
        assert!(run(preset("vm9"), &filter, points, &input).unwrap().output == report.output);
    }
}

#[test]
fn a_wrong_result_does_not_pass_the_check() {
    let (filter, input) = (random::complex(1, 8), random::complex(2, 100));
    let mut report = run(preset("vm7"), &filter, 100, &input).unwrap();
    report.output[50].re += 1e-4;
    assert!(!convolution::check(&report, &filter, &input).is_passed());
    report.output[50].re = f32::NAN;
    assert!(!convolution::check(&report, &filter, &input).is_passed());
    let check = |relative_error| Check { vectors: 1, relative_error, flushed: Flushed::default() };
    assert!(check(1e-7).is_passed());
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let refused = |taps: &[Complex32], points, input: &[Complex32]| {
        run(preset("vm7"), taps, points, input).unwrap_err()
    };
    let values = random::complex(1, 65536);
    assert_eq!(
        refused(&[], 8, &values[..8]),
        "length of the filter is 0; it must be from 1 to 65536"
    );
    assert_eq!(
        refused(&values[..8], 0, &values[..8]),
        "length of the vectors is 0; it must be from 1 to 65536"
    );
    assert_eq!(
        refused(&values[..8], 8, &[]),
        "0 values are not a whole, positive number of vectors of 8 points"
    );
    assert_eq!(
        refused(&values[..8], 8, &values[..9]),
        "9 values are not a whole, positive number of vectors of 8 points"
    );
    assert_eq!(
        refused(&values[..2], 65536, &values),
        "length of the result is 65537; it must be at most 65536: vectors of 65536 and a filter of 2 points"
    );
    assert!(transform_points(usize::MAX, 2).is_err(), "no sum that wraps");
    let mut wrong = values[..20].to_vec();
    wrong[13].re = f32::INFINITY;
    let value = wrong[13];
    assert_eq!(
        refused(&values[..2], 10, &wrong),
        format!(
            "vector 1, element 3 is {value}; the input must be finite; --non-finite lets it through"
        )
    );
    assert_eq!(
        refused(&wrong, 10, &values[..20]),
        format!(
            "filter, element 13 is {value}; the filter must be finite; --non-finite lets it through"
        )
    );
    let mut small = preset("vm7");
    small.apply_set("memory.size_mib=1").unwrap();
    let message = run(small, &values[..100], 4096, &values).unwrap_err();
    assert!(message.contains("of system memory and the machine has 1048576"), "{message}");
}

#[test]
fn a_limit_of_cycles_ends_a_wait() {
    let values = random::complex(1, 5000);
    for points in [100, 3000, 5000] {
        let execution = Execution { max_cycles: Some(1000), ..crate::on_cp2() };
        let error = convolution::run(
            preset("vm7"),
            &values[..50],
            points,
            &values[..points],
            &Options { execution, ..usual() },
            &mut |_, _| {},
        );
        let message = error.unwrap_err().to_string();
        // The kernel or the channel, whichever the host waits for then.
        assert!(message.ends_with(" within 1000 cycles; raise --max-cycles"), "{message}");
    }
}

/// Counts of today: a changed count is a reviewed change.
#[test]
fn cycles_are_those_of_today() {
    let cycles = |machine, points, vectors| {
        let report = convolve(machine, points, points, vectors);
        (report.cost.cycles(), report.cost.kernels.cycles)
    };
    let counts = [
        cycles("vm7", 32, 256),
        cycles("vm9", 512, 16),
        cycles("vm7", 2048, 8),
        cycles("vm9", 4096, 2),
    ];
    assert_eq!(counts, [(53449, 29538), (102230, 51775), (206276, 135755), (265654, 82112)]);
}

/// With a memory that never binds: 10 P log2 P operations in P log2 P butterflies and P products, 3 P
/// products where factors are multiplied there and back, on four sections at 200 MHz.
#[test]
fn the_bound_counts_butterflies_and_products() {
    for (points, products) in [(32, 1.0), (256, 1.0), (2048, 1.0), (4096, 3.0)] {
        let mut config = preset("vm7");
        config.apply_set("memory.clock_mhz=10000").unwrap();
        let (filter, input) = (random::complex(1, points), random::complex(2, 64 * points));
        let report = run(config, &filter, points, &input).unwrap();
        let logarithm = f64::from((2 * points as u32).ilog2());
        let expected = 10.0 * logarithm * 4.0 * 200.0 / (logarithm + products);
        assert!(
            (RateBounds::of(&report.cost).channel_mops() - expected).abs() < 1e-6,
            "{points} points"
        );
    }
}

#[test]
fn rates_are_between_those_of_table_b4_and_the_bound() {
    for (machine, points, vectors, published) in [
        ("vm7", 32, 1024, 2412.0),
        ("vm7", 256, 256, 5145.0),
        ("vm7", 1024, 64, 5348.0),
        ("vm7", 2048, 16, 3620.0),
        ("vm7", 4096, 16, 3016.0),
        ("vm9", 32, 1024, 8506.0),
        ("vm9", 512, 128, 25028.0),
        ("vm9", 2048, 16, 16052.0),
        ("vm9", 8192, 8, 12164.0),
    ] {
        let report = convolve(machine, points, points, vectors);
        let (rate, bound) = (report.cost.rate_mops(), RateBounds::of(&report.cost).channel_mops());
        assert!(
            (published..bound).contains(&rate),
            "{machine}, {points} points: {rate:.0} of {bound:.0}"
        );
    }
}
