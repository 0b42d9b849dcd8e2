//! Host procedures: FFTs of vectors in system memory, against the definition and in their cycles.

use cp2_emu::MachineConfig;
use cp2_evidence::bounds::RateBounds;
use cp2_kernels::fft::relative_rms_error;
use cp2_procedures::fft::{
    LENGTHS, Options, Report, Scheme, Split, TransformPlan, reference, run, run_on,
};
use cp2_procedures::host::Host;
use cp2_session::cost::Cost;
use cp2_session::{Engine, Execution, random};
use num_complex::Complex32;

/// Returns the usual options, with programs that tests share.
fn usual() -> Options {
    Options { execution: crate::on_cp2(), ..Options::default() }
}

/// Returns the plan of two passes with the published split.
fn in_passes(points: usize, scheme: Scheme) -> TransformPlan {
    TransformPlan::Passes(Split::of(points).unwrap(), scheme)
}

/// Returns the plan that transforms of so many points have on CP2.
fn usual_plan(points: usize) -> TransformPlan {
    match Split::of(points).filter(|_| points > 4096) {
        Some(split) => TransformPlan::Passes(split, Scheme::Turning),
        None => TransformPlan::Whole,
    }
}

const SCHEMES: [Scheme; 3] = [Scheme::Turning, Scheme::Banks, Scheme::Streamed];

fn preset(name: &str) -> MachineConfig {
    MachineConfig::preset(name).unwrap()
}

/// Returns the machine with a host that costs almost nothing, which shows what the pages alone reach.
fn with_a_quick_host(machine: &str) -> MachineConfig {
    let mut config = preset(machine);
    for setting in ["host.call_cycles=0", "host.page_cycles=40"] {
        config.apply_set(setting).unwrap();
    }
    config
}

fn transform(machine: &str, points: usize, input: &[Complex32], options: &Options) -> Report {
    run(preset(machine), points, input, options, &mut |_, _| {}).unwrap()
}

#[test]
fn the_reference_by_halves_is_the_definition() {
    for (points, inverse) in [(64, false), (64, true), (1024, false)] {
        let input = random::complex(3, points);
        let (halves, definition) =
            (reference(points, &input, inverse), cp2_kernels::fft::reference(&input, inverse));
        let largest =
            halves.iter().zip(&definition).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(largest < 1e-10, "{points} points: {largest:e}");
    }
}

#[test]
fn every_length_agrees_with_the_definition_forward_and_inverse() {
    for points in LENGTHS {
        // More than one page, and a last page that is not full.
        let vectors = if points > 4096 { 2 } else { 16384 / points + 5 };
        let input = random::complex(7, points * vectors);
        for inverse in [false, true] {
            let options = Options { inverse, ..usual() };
            let report = transform("vm7", points, &input, &options);
            let exact = reference(points, &input, inverse);
            let error = relative_rms_error(&report.output, &exact);
            assert!(error < 3e-7, "{points} points, inverse {inverse}: {error:e}");
        }
    }
}

#[test]
fn every_scheme_gives_the_same_bytes_on_both_processors() {
    let input = random::complex(8, 16384 * 3);
    let plan = Some(in_passes(16384, SCHEMES[0]));
    let expected = transform("vm7", 16384, &input, &Options { plan, ..usual() }).output;
    for scheme in SCHEMES {
        for machine in ["vm7", "vm9"] {
            let plan = Some(in_passes(16384, scheme));
            let options = Options { plan, ..usual() };
            assert!(transform(machine, 16384, &input, &options).output == expected, "{scheme:?}");
        }
    }
}

#[test]
fn scaled_and_inverse_give_the_input_back() {
    let input = random::complex(9, 8192 * 2);
    let forward = transform("vm9", 8192, &input, &usual());
    let options = Options { inverse: true, scale: true, ..usual() };
    let back = transform("vm9", 8192, &forward.output, &options).output;
    let wide = |x: &Complex32| num_complex::Complex64::new(x.re.into(), x.im.into());
    let error = relative_rms_error(&back, &input.iter().map(wide).collect::<Vec<_>>());
    assert!(error < 5e-7, "{error:e}");
}

#[test]
fn bad_input_is_refused_with_value_and_limit() {
    let refused = |points, input: &[Complex32], settings: &[&str]| {
        let mut config = preset("vm7");
        settings.iter().for_each(|s| config.apply_set(s).unwrap());
        let error = run(config, points, input, &usual(), &mut |_, _| {}).unwrap_err();
        error.to_string()
    };
    let mut input = random::complex(1, 8192);
    assert_eq!(
        refused(131_072, &input, &[]),
        "there is no FFT kernel for 131072 points; the kernels are for the powers of two from 64 to 65536"
    );
    assert_eq!(
        refused(96, &input, &[]),
        "there is no FFT kernel for 96 points; the kernels are for the powers of two from 64 to 65536"
    );
    assert_eq!(
        refused(8192, &input[1..], &[]),
        "8191 values are not a whole, positive number of vectors of 8192 points"
    );
    assert_eq!(
        refused(8192, &[], &[]),
        "0 values are not a whole, positive number of vectors of 8192 points"
    );
    input[70].im = f32::NAN;
    assert_eq!(
        refused(64, &input, &[]),
        format!(
            "vector 1, element 6 is {}; the input must be finite; --non-finite lets it through",
            input[70]
        )
    );
    let large = random::complex(1, 1 << 17);
    assert_eq!(
        refused(8192, &large, &["memory.size_mib=1"]),
        "the arrays need 2097152 bytes of system memory and the machine has 1048576; give fewer \
         vectors, or more with memory.size_mib"
    );
}

#[test]
fn a_host_without_delay_and_a_slow_one_get_the_same_results() {
    let hosts = [
        [
            "host.register_cycles=1",
            "host.status_cycles=0",
            "host.bundle_cycles=0",
            "host.page_cycles=0",
        ],
        [
            "host.register_cycles=1",
            "host.status_cycles=3",
            "host.bundle_cycles=5",
            "host.page_cycles=0",
        ],
        [
            "host.register_cycles=900",
            "host.status_cycles=0",
            "host.bundle_cycles=7",
            "host.page_cycles=5000",
        ],
    ];
    for points in [1024, 4096, 8192] {
        let input = random::complex(4, 3 * 8192);
        // Plans that differ order their sums differently.
        let options = Options { plan: Some(usual_plan(points)), ..usual() };
        let expected = transform("vm7", points, &input, &options).output;
        for settings in hosts {
            let mut config = preset("vm7");
            settings.iter().for_each(|s| config.apply_set(s).unwrap());
            let report = run(config, points, &input, &options, &mut |_, _| {}).unwrap();
            assert!(report.output == expected, "{points} points, {settings:?}");
        }
    }
    // A read of a register in no time would see the channel still waiting that was just released.
    let error = preset("vm7").apply_set("host.register_cycles=0").unwrap_err().to_string();
    assert!(error.contains("a whole number from 1 to 100000"), "{error}");
}

#[test]
fn a_limit_of_cycles_ends_a_wait() {
    let execution = Execution { max_cycles: Some(1000), ..crate::on_cp2() };
    let options = Options { execution, ..usual() };
    let input = random::complex(1, 8192);
    let error = run(preset("vm7"), 4096, &input, &options, &mut |_, _| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the DMA channel was not done within 1000 cycles; raise --max-cycles"
    );
}

/// Counts of today: a changed count is a reviewed change.
#[test]
fn cycles_are_those_of_today() {
    let cycles = |machine, points: usize, vectors: usize| {
        let input = random::complex(1, points * vectors);
        let report = transform(machine, points, &input, &usual());
        (report.cost.cycles(), report.cost.kernels.cycles, report.cost.timeline.overlapped)
    };
    let counts = [cycles("vm7", 256, 128), cycles("vm7", 8192, 8), cycles("vm9", 65536, 2)];
    assert_eq!(counts, [(70969, 33048, 27570), (256555, 124320, 116059), (915817, 298016, 293731)]);
}

#[test]
fn the_timeline_has_every_cycle_and_a_picture() {
    let input = random::complex(1, 1024 * 64);
    let config = with_a_quick_host("vm7");
    let report = run(config, 1024, &input, &usual(), &mut |_, _| {}).unwrap();
    let timeline = &report.cost.timeline;
    let json = timeline.to_json();
    for unit in ["cp2", "dma", "host"] {
        let cycles = json[unit]["cycles"].as_object().unwrap();
        let sum: u64 = cycles.values().map(|c| c.as_u64().unwrap()).sum();
        assert_eq!(sum, report.cost.cycles(), "{unit}");
        let spans = json[unit]["spans"].as_array().unwrap();
        let mut at = 0;
        for span in spans {
            assert_eq!(span[1], at);
            at = span[2].as_u64().unwrap();
        }
        assert_eq!(at, report.cost.cycles());
    }
    assert_eq!(json["cp2"]["cycles"]["kernel"], report.cost.kernels.cycles);
    let text = timeline.to_text();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[1].starts_with("CP2  ....") && lines[1].len() <= 105, "{text}");
    assert!(lines[1].contains("KKKK.KKKK"), "{text}");
    assert!(lines[2].starts_with("DMA  ") && lines[2].contains("UULL"), "{text}");
    assert!(timeline.overlap_percent() > 80.0);
}

#[test]
fn no_rate_is_above_the_bound_and_many_vectors_come_near_it() {
    for (points, least) in [(64, 0.9), (1024, 0.8), (8192, 0.85), (65536, 0.75)] {
        let input = random::complex(1, (1 << 18).max(4 * points));
        for machine in ["vm7", "vm9"] {
            let config = with_a_quick_host(machine);
            let report = run(config, points, &input, &usual(), &mut |_, _| {}).unwrap();
            let share = report.cost.rate_mops() / RateBounds::of(&report.cost).channel_mops();
            assert!((least..1.0).contains(&share), "{machine}, {points} points: {share}");
        }
    }
}

/// Returns all bytes of a report: counts, timeline, results.
fn bytes(report: &Report) -> (String, Vec<[u32; 2]>) {
    let results = report.output.iter().map(|x| [x.re.to_bits(), x.im.to_bits()]);
    let Cost { pages, kernels, dma, timeline, .. } = &report.cost;
    let counts = format!("{pages} {kernels:?} {} {}", dma.to_json(), timeline.to_json());
    (counts, results.collect())
}

#[test]
fn both_engines_give_the_same_bytes() {
    let long = SCHEMES.map(|scheme| {
        let plan = Some(in_passes(16384, scheme));
        (16384, 3, Options { plan, ..usual() })
    });
    let inverse = Options { inverse: true, scale: true, ..usual() };
    let others = [(64, 530), (256, 70), (4096, 9), (8192, 2)]
        .map(|(points, vectors)| (points, vectors, inverse.clone()));
    for (points, vectors, fast) in long.into_iter().chain(others) {
        let input = random::complex(11, points * vectors);
        for machine in ["vm7", "vm9"] {
            let execution = Execution { engine: Engine::Reference, ..fast.execution.clone() };
            let reference = Options { execution, ..fast.clone() };
            let [a, b] =
                [fast.clone(), reference].map(|o| bytes(&transform(machine, points, &input, &o)));
            assert!(a == b, "{points} points on {machine}, {fast:?}");
        }
    }
}

#[test]
fn a_host_that_begins_anew_gives_the_same_bytes() {
    let input = random::complex(12, 8192 * 2);
    let options = usual();
    let mut host = Host::new(preset("vm7"), &options.execution);
    let reports: Vec<_> = [8192, 64, 8192]
        .into_iter()
        .map(|points| {
            host.reset();
            bytes(&run_on(&mut host, points, &input, &options, &mut |_, _| {}).unwrap())
        })
        .collect();
    assert!(reports[0] == reports[2] && reports[0] != reports[1]);
    assert!(reports[0] == bytes(&transform("vm7", 8192, &input, &options)));
}

#[test]
fn both_engines_stop_waits_at_the_same_limit() {
    let input = random::complex(13, 4096 * 4);
    for max_cycles in [1, 100, 5000, 25_000] {
        let stopped = [Engine::Fast, Engine::Reference].map(|engine| {
            let execution = Execution { engine, max_cycles: Some(max_cycles), ..crate::on_cp2() };
            let mut host = Host::new(preset("vm7"), &execution);
            let options = Options { execution, ..usual() };
            let error = run_on(&mut host, 4096, &input, &options, &mut |_, _| {}).err();
            let error = error.map(|e| e.to_string());
            (error, host.machine().cycle(), host.timeline().to_json())
        });
        assert!(stopped[0] == stopped[1], "{stopped:?}");
    }
}
