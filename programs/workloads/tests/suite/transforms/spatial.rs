//! FFTs of two and three dimensions and NPB FT on whole machines.

use cp2_emu::MachineConfig;
use cp2_kernels::fft::relative_rms_error;
use cp2_procedures::spatial::npb::Class;
use cp2_procedures::spatial::{Options, Sizes, ft_reference, run, run_ft};
use cp2_session::random;
use cp2_session::workload::{OptionValues, Platform, Request};
use cp2_workloads::catalogue::find;
use num_complex::{Complex32, Complex64};
use proptest::prelude::*;

/// Returns the usual options, with programs that tests share.
fn usual() -> Options {
    Options { execution: crate::on_cp2(), ..Options::default() }
}

fn transformed(sizes: Sizes, input: &[Complex32], options: &Options) -> Vec<Complex32> {
    let config = MachineConfig::preset("vm9").unwrap();
    run(config, &sizes, input, options, &mut |_, _| {}).unwrap().output
}

fn error(sizes: Sizes, inverse: bool) -> f64 {
    let input = random::complex(3, sizes.points());
    let mut exact: Vec<_> =
        input.iter().map(|x| Complex64::new(x.re.into(), x.im.into())).collect();
    cp2_reference::spatial::transform(sizes.0, &mut exact, inverse);
    let options = Options { inverse, ..usual() };
    relative_rms_error(&transformed(sizes, &input, &options), &exact)
}

/// Returns sizes of at most 2^16 points.
fn sizes() -> impl Strategy<Value = Sizes> {
    let axis = |least: u32, most: u32| (least..=most).prop_map(|k| 1_usize << k);
    let depth = prop_oneof![Just(1_usize), axis(3, 8)];
    let small = |sizes: &Sizes| sizes.points() <= 1 << 16;
    (axis(5, 8), axis(3, 8), depth)
        .prop_map(|(x, y, z)| Sizes([x, y, z]))
        .prop_filter("at most 2^16 points", small)
}

#[test]
fn an_array_of_another_size_is_refused() {
    let sizes = Sizes([64, 64, 1]);
    for points in [0, 4095, 4097] {
        let input = random::complex(1, points);
        let config = MachineConfig::preset("vm7").unwrap();
        let error = run(config, &sizes, &input, &usual(), &mut |_, _| {}).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("number of input values is {points}; it must be 4096, the number of points")
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn arrays_of_any_shape_agree_with_double_precision(sizes in sizes(), inverse: bool) {
        let error = error(sizes, inverse);
        prop_assert!(error < 3e-7, "{sizes:?}: {error:e}");
    }

    #[test]
    fn the_inverse_undoes_the_transform(sizes in sizes(), seed: u64) {
        let input = random::complex(seed, sizes.points());
        let forward = transformed(sizes, &input, &usual());
        let back = Options { inverse: true, scale: true, ..usual() };
        let again = transformed(sizes, &forward, &back);
        let exact: Vec<_> =
            input.iter().map(|x| Complex64::new(x.re.into(), x.im.into())).collect();
        let error = relative_rms_error(&again, &exact);
        prop_assert!(error < 6e-7, "{sizes:?}: {error:e}");
    }
}

/// Each way to cut an array into passes, with rows of every length.
#[test]
fn every_scheme_agrees_with_double_precision() {
    for sizes in [
        [64, 64, 8],   // planes of x and y
        [128, 64, 8],  // planes of x and z
        [32, 256, 16], // the same, of short rows
        [256, 32, 32], // three passes
        [128, 128, 1], // two dimensions
        [256, 8, 8],   // planes of long rows
        [32, 8, 1],    // one page
    ] {
        for inverse in [false, true] {
            let error = error(Sizes(sizes), inverse);
            assert!(error < 3e-7, "{sizes:?}: {error:e}");
        }
    }
}

#[test]
fn sizes_that_no_pass_takes_are_refused_by_axis() {
    for (sizes, what) in [
        ([16, 64, 64], "points along the last axis is 16"),
        ([64, 4, 64], "points along the axis before the last is 4"),
        ([64, 64, 2], "points along the first axis is 2"),
        ([64, 48, 64], "points along the axis before the last is 48"),
        ([512, 64, 64], "points along the last axis is 512"),
    ] {
        let message = Sizes(sizes).check().unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
}

/// The checksums of NPB are those of double precision; ours are within 1e-6 of both. The times are at least
/// 90 % of what the words that move allow at the rates of their rows.
#[test]
fn ft_class_s_has_the_checksums_of_npb() {
    let exact = ft_reference(Class::S);
    let near = |a: Complex64, b: Complex64, limit: f64| (a - b).norm() < limit * b.norm();
    for (ours, npb) in exact.iter().zip(Class::S.checksums()) {
        assert!(near(*ours, npb, 1e-12), "{ours} {npb}");
    }
    for machine in ["vm7", "vm9"] {
        let config = MachineConfig::preset(machine).unwrap();
        let report = run_ft(config, Class::S, &Default::default(), &mut |_, _| {}).unwrap();
        for (ours, npb) in report.checksums.iter().zip(Class::S.checksums()) {
            assert!(near(*ours, npb, 1e-6), "{machine}: {ours} {npb}");
        }
        let share = report.cost.bound_cycles() / report.cost.cycles() as f64;
        assert!(share > 0.9, "{machine}: {share}");
    }
}

/// The cycles of CP2 beside waiting for the channel do not depend on how fast memory is.
#[test]
fn the_kernels_take_the_same_cycles_on_every_machine_but_for_waiting() {
    let own = |machine: &str| {
        let workload = find(Platform::Machine, "fft2d").unwrap();
        let mut values = OptionValues::default();
        values.add_defaults(&workload.option_list());
        let config = MachineConfig::preset(machine).unwrap();
        let core = *config.core();
        let request = Request { values, core, machine: Some(config), ..Request::default() };
        let json = workload.execute(request, &mut |_: usize, _: usize| {}).unwrap().json;
        let number = |name: &str| json[name].as_u64().unwrap();
        (number("kernel_cycles") - number("waiting_cycles"), number("waiting_cycles"))
    };
    let [vm7, vm9] = ["vm7", "vm9"].map(own);
    assert_eq!(vm7.0, vm9.0);
    assert!(vm9.1 > vm7.1 && vm7.1 > 0, "memory is slower beside the faster CP2: {vm7:?} {vm9:?}");
}
