//! The plan that a procedure chooses takes no more cycles than any other that it could be made to take.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_session::workload::{OptionValue, OptionValues, Platform, Request};
use cp2_workloads::catalogue;

/// Returns the cycles of multigrid with the finest grid in a form, and those that were predicted if there was a choice.
fn cycles(machine: &MachineConfig, class: &str, form: &str) -> (u64, Option<f64>) {
    let workload = catalogue::find(Platform::Machine, "mg").unwrap();
    let mut values = OptionValues::default();
    for (option, name) in [("class", class), ("sweep", form)] {
        values.set(option, OptionValue::Choice(name.to_owned()));
    }
    values.add_defaults(&workload.option_list());
    let (machine, environment) = (Some(machine.clone()), sharing());
    let request = Request { values, machine, environment, ..Request::default() };
    let tally = workload.tally(request).unwrap();
    (tally.cycles, tally.cost.unwrap().plan.predicted_cycles)
}

/// On VM7 wide columns take fewer cycles, on VM9 square ones, by one and a half percent.
#[test]
fn multigrid_takes_the_form_with_the_fewest_cycles() {
    // Of a faster machine the next best form alone, for the others take more by far.
    for (machine, forms) in [("vm7", &["fused", "wide", "plain"][..]), ("vm9", &["wide"])] {
        let config = MachineConfig::preset(machine).unwrap();
        let (best, predicted) = cycles(&config, "W", "best");
        for form in forms {
            assert!(best <= cycles(&config, "W", form).0, "{form} on {machine}");
        }
        let error = predicted.unwrap() / best as f64 - 1.0;
        assert!(error.abs() < 0.002, "{error:e} on {machine}");
    }
}

/// On a faster core a loop of the residual was unrolled to save three cycles an iteration, took more cycles in all, and the
/// kernels did not fit instruction memory together.
#[test]
fn a_faster_core_makes_multigrid_no_slower() {
    let with = |latency: u32| {
        let mut config = MachineConfig::preset("vm9").unwrap();
        config.apply_set(&format!("core.arithmetic_latency={latency}")).unwrap();
        cycles(&config, "S", "best").0
    };
    let (usual, fast) = (with(8), with(4));
    assert!(fast <= usual, "{fast} with 4, {usual} with 8");
}
