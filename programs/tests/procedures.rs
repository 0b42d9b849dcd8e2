//! Host procedures: FFTs of vectors in system memory, against the definition and in their cycles.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::MachineConfig;
use cp2_emu::machine::PRESETS;
use cp2_programs::fft::relative_rms_error;
use cp2_programs::host::fft::{LENGTHS, Options, Report, Scheme, run};
use cp2_programs::random;
use num_complex::{Complex32, Complex64};

const SCHEMES: [Scheme; 3] = [Scheme::Turning, Scheme::Banks, Scheme::Streamed];

fn preset(name: &str) -> MachineConfig {
    MachineConfig::preset(name).unwrap()
}

fn transform(machine: &str, points: usize, input: &[Complex32], options: &Options) -> Report {
    run(preset(machine), points, input, options, &mut |_, _| {}).unwrap()
}

/// The transform in double precision by halves.
fn exact(input: &[Complex64], sign: f64) -> Vec<Complex64> {
    let n = input.len();
    if n == 1 {
        return input.to_vec();
    }
    let part = |odd| exact(&input.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>(), sign);
    let (even, odd) = (part(0), part(1));
    let turned = |k: usize| {
        Complex64::from_polar(1.0, sign * std::f64::consts::TAU * k as f64 / n as f64) * odd[k]
    };
    let sums = (0..n / 2).map(|k| even[k] + turned(k));
    sums.chain((0..n / 2).map(|k| even[k] - turned(k))).collect()
}

fn exact_of(points: usize, input: &[Complex32], sign: f64) -> Vec<Complex64> {
    let wide = |x: &Complex32| Complex64::new(x.re.into(), x.im.into());
    input
        .chunks(points)
        .flat_map(|v| exact(&v.iter().map(wide).collect::<Vec<_>>(), sign))
        .collect()
}

#[test]
fn every_length_agrees_with_the_definition_forward_and_inverse() {
    for points in LENGTHS {
        // More than one page, and a last page that is not full.
        let vectors = if points > 4096 { 2 } else { 16384 / points + 5 };
        let input = random::complex(7, points * vectors);
        for (inverse, sign) in [(false, -1.0), (true, 1.0)] {
            let options = Options { inverse, ..Options::default() };
            let report = transform("vm7", points, &input, &options);
            let error = relative_rms_error(&report.output, &exact_of(points, &input, sign));
            assert!(error < 3e-7, "{points} points, inverse {inverse}: {error:e}");
        }
    }
}

#[test]
fn every_scheme_gives_the_same_bytes_on_every_machine() {
    let input = random::complex(8, 16384 * 3);
    let expected = transform("vm7", 16384, &input, &Options::default()).output;
    for scheme in SCHEMES {
        for (machine, _) in PRESETS {
            let options = Options { scheme, ..Options::default() };
            assert!(transform(machine, 16384, &input, &options).output == expected, "{scheme:?}");
        }
    }
}
