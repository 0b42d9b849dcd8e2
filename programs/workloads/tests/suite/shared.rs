//! Kernels for shared memory: right, the same on all engines, and in the cycles that the page on the extension
//! tells.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::multigrid::{self, GridKernel, OperatorSequence, shared_error};
use cp2_kernels::vector::{VectorOperation, run, run_shared};
use cp2_procedures::multigrid::apply;
use cp2_session::workload::Platform;
use cp2_session::{Engine, Execution, random};
use cp2_workloads::catalogue::find;

fn core() -> Core {
    let extensions = Extensions::SHARED_MEMORY;
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap()
}

fn grids(seed: u64) -> (Vec<f32>, Vec<f32>) {
    random::complex(seed, 512).iter().map(|z| (z.re, z.im)).unzip()
}

#[test]
fn operators_on_a_small_grid_are_right_on_all_engines_in_the_cycles_told() {
    let (u, v) = grids(1);
    let counts = [(3149, 2496.0), (4868, 3856.0)];
    for (sequence, (cycles, least)) in OperatorSequence::ALL.into_iter().zip(counts) {
        let runs = Engine::ALL.map(|engine| {
            let on = Execution { engine, ..sharing().execution(core()) };
            multigrid::run_shared(sequence, [&u, &v], &on).unwrap()
        });
        assert_eq!(runs[0], runs[2]);
        assert_eq!(runs[1], runs[2]);
        let error = shared_error(sequence, [&u, &v], [&runs[0].u, &runs[0].r]);
        assert!(error < 1.0, "{}: {error}", sequence.name());
        assert_eq!(runs[0].collisions, 0);
        assert_eq!((runs[0].cycles, runs[0].bundles), (cycles, cycles as usize));
        let bound = find(Platform::Cp2, sequence.name()).unwrap().bound(&core()).unwrap();
        assert_eq!(bound.cycles, Some(least));
    }
}

/// Cycles of the same operators page by page, of the whole machine with DMA and host: residual twice and smoother once; the
/// V-cycle.
#[test]
fn pages_of_a_small_grid_take_the_cycles_that_the_page_tells() {
    let (u, v) = grids(1);
    let cycles = ["vm7", "vm9"].map(|name| {
        let config = MachineConfig::preset(name).unwrap();
        let on = sharing().execution(*config.core());
        let cost = |(kernel, n): (GridKernel, usize)| {
            let operands = (n, &u[..n * n * n], &v[..]);
            let done = apply(config.clone(), kernel, operands, &on, &mut |_, _| {}).unwrap();
            done.cost.cycles()
        };
        let [resid, smooth] = [(GridKernel::Resid, 8), (GridKernel::Smooth, 8)].map(cost);
        let others =
            [(GridKernel::Proj, 8), (GridKernel::Smooth0, 4), (GridKernel::Interp, 4)].map(cost);
        let smoother = 2 * resid + smooth;
        [smoother, smoother + resid + others.iter().sum::<u64>()]
    });
    assert_eq!(cycles, [[26_341, 62_807], [40_045, 90_506]]);
}

#[test]
fn a_wrong_point_is_found() {
    let (u, v) = grids(2);
    for sequence in OperatorSequence::ALL {
        let mut run =
            multigrid::run_shared(sequence, [&u, &v], &sharing().execution(core())).unwrap();
        run.r[77] += 1e-2;
        assert!(shared_error(sequence, [&u, &v], [&run.u, &run.r]) > 1.0);
    }
}

/// Cycles of each reduction of 512 numbers, without shared memory and with it.
#[test]
fn reductions_take_the_cycles_that_the_page_tells() {
    let (x, y) = grids(3);
    let operations = [VectorOperation::Dot, VectorOperation::SumOfSquares, VectorOperation::MaxAbs];
    let cycles = operations.map(|operation| {
        let without = run(operation, 0.0, &x, &y, &sharing().execution(core())).unwrap();
        let with = run_shared(operation, 0.0, &x, &y, &sharing().execution(core())).unwrap();
        assert_eq!(without.value, with.value, "{}", operation.name());
        assert_eq!(with.collisions, 0);
        (without.cycles, with.cycles)
    });
    assert_eq!(cycles, [(153, 149), (135, 131), (549, 546)]);
}

#[test]
fn they_are_in_the_catalogue_with_what_they_need() {
    let names = ["dot_shared", "sum_of_squares_shared", "max_abs_shared"];
    for name in names.into_iter().chain(OperatorSequence::ALL.map(OperatorSequence::name)) {
        let needs = find(Platform::Cp2, name).unwrap().needs();
        assert_eq!(needs, ["shared-memory".parse().unwrap()], "{name}");
    }
}
