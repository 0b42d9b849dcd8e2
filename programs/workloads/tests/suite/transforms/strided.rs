//! Strided and interleaved transforms, with and without a table, and pointwise products.

use cp2_emu::{Cp2, End};
use cp2_isa::Core;
use cp2_kernels::cmul::{self, Product};
use cp2_kernels::fft::strided::{LENGTHS, Layout, StridedSpec};
use cp2_kernels::fft::{reference, relative_rms_error};
use cp2_session::load::{self, word};
use cp2_session::random;
use num_complex::{Complex32, Complex64};

const TABLE: usize = 6144;

fn value(word: u64) -> Complex32 {
    Complex32::new(f32::from_bits((word >> 32) as u32), f32::from_bits(word as u32))
}

/// Runs a kernel on `units` units at word 0, results at 4096, and returns the cycles.
fn run(spec: StridedSpec, units: usize, lmem: &[Complex32]) -> (Cp2, u64) {
    let (mut cp2, entry) = load::machine_with(
        &cp2_session::Environment::new(),
        &Core::CP2,
        "fft.s",
        &spec.source(&Core::CP2).unwrap(),
    )
    .unwrap();
    for (quad, &x) in cp2.state.lmem.iter_mut().zip(lmem) {
        *quad = [word(x); 4];
    }
    cp2.state.gpr[..4].copy_from_slice(&[0, 4096, units as u64 - 1, TABLE as u64]);
    let run = cp2.run_untraced(entry, 1_000_000);
    assert_eq!(run.end, End::Stopped(0));
    assert_eq!(run.stats.collisions, [0; 4]);
    (cp2, run.stats.cycles)
}

fn layouts(points: usize) -> [[Layout; 2]; 6] {
    let rows = |pitch| Layout { stride: 1, pitch };
    let columns = Layout::columns;
    [
        [rows(points), rows(points)],
        [rows(points + 2), rows(points + 6)],
        [columns(6), columns(6)],
        [columns(4), columns(8)],
        [columns(8), rows(points)],
        [columns(4), rows(points + 2)],
    ]
}

#[test]
fn every_layout_agrees_with_the_definition_and_costs_its_bound() {
    let lmem = random::complex(9, 8192);
    for points in LENGTHS {
        for ([input, output], has_table) in
            layouts(points).into_iter().flat_map(|l| [(l, false), (l, true)])
        {
            let spec = StridedSpec { points, input, output, has_table };
            let units = 4 / spec.vectors_per_unit();
            let (cp2, cycles) = run(spec, units, &lmem);
            let mut is_output = vec![false; 8192];
            for v in 0..4 {
                let x: Vec<_> =
                    (0..points).map(|j| lmem[j * input.stride + v * input.pitch]).collect();
                let mut exact = reference(&x, false);
                let places = (0..points).map(|k| k * output.stride + v * output.pitch);
                for (z, at) in exact.iter_mut().zip(places.clone()).filter(|_| has_table) {
                    let w = lmem[TABLE + at];
                    *z *= Complex64::new(w.re.into(), w.im.into());
                }
                let result: Vec<_> =
                    places.clone().map(|at| value(cp2.state.lmem[4096 + at][v])).collect();
                let error = relative_rms_error(&result, &exact);
                assert!(error < 3e-7, "{spec:?}, vector {v}: {error:e}");
                places.for_each(|at| is_output[4096 + at] = true);
            }
            for (at, &x) in lmem.iter().enumerate().filter(|(at, _)| !is_output[*at]) {
                assert_eq!(cp2.state.lmem[at], [word(x); 4], "{spec:?}: word {at} changed");
            }
            let more = run(spec, units + 1, &lmem).1 - cycles;
            assert_eq!(more, (spec.bound() * spec.vectors_per_unit()) as u64, "{spec:?}");
        }
    }
}

#[test]
fn bad_layouts_are_refused_with_value_and_limit() {
    let message = |points, input, output| {
        StridedSpec { points, input, output, has_table: false }
            .source(&Core::CP2)
            .unwrap_err()
            .to_string()
    };
    let rows = Layout::rows(64);
    assert_eq!(
        message(64, Layout { stride: 1, pitch: 62 }, rows),
        "input pitch is 62; it must be an even number from 64 to 4096"
    );
    assert_eq!(
        message(64, Layout::columns(3), rows),
        "input stride is 3; it must be an even number of at most 64"
    );
    assert_eq!(
        message(64, rows, Layout::columns(4)),
        "output stride is 4; it must be 1 where the input stride is 1"
    );
    assert_eq!(
        message(512, Layout::rows(512), Layout::rows(512)),
        "there is no FFT kernel for 512 points; the kernels are for 64, 128 or 256"
    );
}

/// A product is 4 roundings of multiplications and 2 of sums, all within 3 units of 6e-8.
#[test]
fn products_agree_with_double_precision() {
    for product in Product::ALL {
        for words in [1, 7, 64, 4096, 9000] {
            let (x, y) = (random::complex(1, words), random::complex(2, words));
            let (output, _) = cmul::run(product, &x, &y, &crate::on_cp2()).unwrap();
            assert_eq!(output.len(), words);
            assert!(cmul::relative_rms_error(&cmul::distance(product, &x, &y, &output)) < 2e-7);
        }
    }
}

#[test]
fn products_cost_their_exchange_slots() {
    for (product, overhead) in
        [(Product::Plain, 17), (Product::Conjugate, 17), (Product::Scale, 22)]
    {
        for words in [32, 48, 1024, 4096] {
            let x = random::complex(1, 4 * words);
            let runs = words.div_ceil(cmul::largest(&Core::CP2)) as u64;
            let (_, cycles) = cmul::run(product, &x, &x, &crate::on_cp2()).unwrap();
            assert_eq!(cycles, (words as f64 * product.bound()) as u64 + runs * overhead);
        }
    }
    assert_eq!(
        Product::Plain.count(&Core::CP2, 7).unwrap_err().to_string(),
        "number of words is 7; it must be a multiple of 8 from 8 to 8192"
    );
}
