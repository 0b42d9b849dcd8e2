//! Machines with more or less of a resource: more makes no procedure slower, and with less each still gives right results,
//! down to the minima of `specs/src/procedures.md`.

mod plans;

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_session::error::KernelError;
use cp2_session::workload::{OptionValue, OptionValues, Platform, Request};
use cp2_workloads::catalogue;
use proptest::prelude::{Strategy as _, any};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::cell::RefCell;

/// A procedure with options that make it short.
type Procedure = (&'static str, &'static [(&'static str, Given)]);

/// Value of an option.
#[derive(Clone, Copy, Debug)]
enum Given {
    Name(&'static str),
    Number(u64),
}

const CLASS_S: &[(&str, Given)] = &[("class", Given::Name("S"))];

const PROCEDURES: [Procedure; 14] = [
    ("resid", &[]),
    ("proj", &[]),
    ("interp", &[]),
    ("smooth0", &[]),
    ("mg", CLASS_S),
    ("fft256", &[]),
    ("fft4096", &[("vectors", Given::Number(16))]),
    ("fft8192", &[("vectors", Given::Number(8))]),
    ("fft16384", &[("vectors", Given::Number(8))]),
    ("convolution", &[("points", Given::Number(100)), ("taps", Given::Number(100))]),
    ("convolution", &[("points", Given::Number(3000)), ("taps", Given::Number(3000))]),
    ("ft", CLASS_S),
    ("spmv", &[]),
    ("cg", &[]),
];

/// Most by which a prediction may be from the run, as a part of it: predictions are made of trials, which are runs.
const TOLERANCE: f64 = 0.005;

/// Returns the cycles of a procedure on a machine; its results are right, and the prediction for its plan, if there is one, is
/// near.
fn cycles((name, options): Procedure, config: &MachineConfig) -> Result<u64, KernelError> {
    let workload = catalogue::find(Platform::Machine, name).unwrap();
    let mut values = OptionValues::default();
    for (option, value) in options {
        let value = match value {
            Given::Name(name) => OptionValue::Choice((*name).to_owned()),
            Given::Number(number) => OptionValue::Number(*number),
        };
        values.set(option, value);
    }
    values.add_defaults(&workload.option_list());
    let (machine, environment) = (Some(config.clone()), sharing());
    let request = Request { values, machine, environment, ..Request::default() };
    let tally = workload.tally(request)?;
    assert_eq!(tally.verdict.complaint, None, "{name} on {}", config.dump());
    let plan = tally.cost.as_ref().map(|cost| &cost.plan).unwrap();
    if let Some(predicted) = plan.predicted_cycles {
        let error = predicted / tally.cycles as f64 - 1.0;
        let what = format!("{name}, {}: {error:e} on {}", plan.name, config.dump());
        assert!(error.abs() < TOLERANCE, "{what}");
    }
    Ok(tally.cycles)
}

/// Returns a machine with other settings.
fn with(machine: &str, settings: &[String]) -> MachineConfig {
    let mut config = MachineConfig::preset(machine).unwrap();
    for setting in settings {
        config.apply_set(setting).unwrap();
    }
    config
}

/// Asserts that more of a resource costs a procedure no more than half a percent.
fn assert_no_slower(procedure: Procedure, few: u64, more: u64, what: &str) {
    assert!(more <= few + few / 200, "{procedure:?}: {more} with {what}, {few} before");
}

#[test]
fn more_local_memory_makes_no_procedure_slower() {
    for (k, procedure) in PROCEDURES.into_iter().enumerate() {
        let machine = ["vm7", "vm9"][k % 2];
        let mut fewest = u64::MAX / 2;
        for words in [4096, 16384] {
            let config = with(machine, &[format!("core.local_memory_words={words}")]);
            let now = cycles(procedure, &config).unwrap();
            assert_no_slower(procedure, fewest, now, &format!("{words} words on {machine}"));
            fewest = fewest.min(now);
        }
    }
}

#[test]
fn less_instruction_memory_still_runs() {
    for procedure in PROCEDURES {
        let few = with("vm7", &["core.instruction_memory_bundles=4096".to_owned()]);
        let [few, usual] = [few, with("vm7", &[])].map(|on| cycles(procedure, &on).unwrap());
        assert_no_slower(procedure, few, usual, "8192 bundles");
    }
}

const SLAB: &[(&str, Given)] =
    &[("n1", Given::Number(32)), ("n2", Given::Number(256)), ("n3", Given::Number(8))];

/// Procedures that need more than 4096 bundles, and how many they need, as `specs/src/procedures.md` has them.
const LONG: [(Procedure, u32); 8] = [
    (("fft32768", &[("vectors", Given::Number(1))]), 4219),
    (("fft2d", &[("n2", Given::Number(256)), ("n1", Given::Number(256))]), 4265),
    (("fft512", &[]), 4710),
    (("fft1024", &[]), 4909),
    (("fft65536", &[("vectors", Given::Number(1))]), 5191),
    (("convolution", &[("points", Given::Number(30_000)), ("taps", Given::Number(30_000))]), 5244),
    (("ft", &[("class", Given::Name("W"))]), 5401),
    (("fft3d", SLAB), 4265),
];

#[test]
fn procedures_with_long_kernels_need_as_many_bundles_as_the_specification_says() {
    for (procedure, bundles) in LONG {
        let [enough, few] = [bundles, bundles - 1]
            .map(|bundles| with("vm7", &[format!("core.instruction_memory_bundles={bundles}")]));
        cycles(procedure, &enough).unwrap();
        let error = cycles(procedure, &few).unwrap_err().to_string();
        let lack = format!("bundles of instruction memory; this core has {}", bundles - 1);
        assert!(error.contains(&lack), "{procedure:?}: {error}");
    }
}

/// Values of a resource, from the least to the most of it.
type Steps = (&'static str, &'static [u32]);

const STEPS: [Steps; 11] = [
    ("core.local_memory_words", &[4096, 8192, 16384]),
    ("core.banks", &[1, 2, 4, 8]),
    ("core.instruction_memory_bundles", &[4096, 6000, 8192]),
    ("core.arithmetic_latency", &[8, 6, 4]),
    ("core.load_latency", &[5, 4, 3, 2]),
    ("memory.clock_mhz", &[100, 200, 667, 1000]),
    ("memory.outstanding", &[1, 2, 4, 8]),
    ("dma.set_up_cycles", &[100, 20, 4]),
    ("host.page_cycles", &[4000, 2000, 200]),
    ("core.psprmsgn_latency", &[5, 3, 1]),
    ("core.mtfpr_latency", &[5, 3, 1]),
];

/// Resources of [`STEPS`] that are latencies of the core.
const LATENCIES: [usize; 4] = [3, 4, 9, 10];

/// Numbers by which a pair of machines and a procedure are chosen: the place of each resource in its steps, the procedure, the
/// preset, and the resource that grows.
type Choice = ([u8; 11], usize, usize, usize);

/// Returns how many machines are compared, of a test that compares so many by default.
fn cases(usual: u32) -> u32 {
    std::env::var("CP2_PROGRAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Compares the cycles of a procedure on a machine and on one with more of one resource; returns what is slower.
fn slower((at, procedure, machine, grown): Choice) -> Option<String> {
    let (procedure, machine) = (PROCEDURES[procedure], ["vm7", "vm9"][machine]);
    let value = |k: usize, more: usize| {
        let values = STEPS[k].1;
        // The resource that grows has room for it.
        let room = values.len() - usize::from(k == grown);
        values[at[k] as usize % room + if k == grown { more } else { 0 }]
    };
    let settings = |more: usize| -> Vec<String> {
        (0..STEPS.len()).map(|k| format!("{}={}", STEPS[k].0, value(k, more))).collect()
    };
    let [few, more] =
        [0, 1].map(|more| cycles(procedure, &with(machine, &settings(more))).unwrap());
    (more > few + few / 200).then(|| {
        let what = (procedure, machine, STEPS[grown].0, settings(1));
        format!("{more} cycles, {few} before: {what:?}")
    })
}

/// Asserts that no procedure is slower on so many random machines of which one of these resources grows.
fn assert_none_slower(usual: u32, seed: u64, resources: &'static [usize]) {
    let numbers = (any::<[u8; 11]>(), 0..PROCEDURES.len(), 0..2usize, 0..resources.len())
        .prop_map(|(at, procedure, machine, grown)| (at, procedure, machine, resources[grown]));
    let mut runner = TestRunner::new(Config {
        cases: cases(usual),
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 0,
        ..Config::default()
    });
    let found = RefCell::new(Vec::new());
    let outcome = runner.run(&numbers, |choice| {
        found.borrow_mut().extend(slower(choice));
        Ok(())
    });
    outcome.unwrap();
    let found = found.into_inner();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn more_of_several_resources_at_random_is_never_slower() {
    assert_none_slower(6, 37, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn lower_latencies_at_random_are_never_slower() {
    assert_none_slower(6, 41, &LATENCIES);
}
