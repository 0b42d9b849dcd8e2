//! Kernels and procedures that extensions make faster, beside the best form without them: results and exact cycles.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::fft;
use cp2_kernels::multigrid::{GridBlock, GridKernel, Operator, Paired, run};
use cp2_procedures::convolution::{self, Options};
use cp2_procedures::fft as transform;
use cp2_session::{Engine, Execution, random};
use cp2_workloads::bench::counted;
use num_complex::Complex64;

fn word_access() -> Core {
    let numbers = CoreNumbers { extensions: Extensions::WORD_ACCESS, ..*Core::CP2.numbers() };
    Core::new(numbers).unwrap()
}

/// A changed count is a reviewed difference: cycles and bound, as CP2 is and with 32-bit accesses.
#[test]
fn cycle_counts_are_exact() {
    let sides = [("resid_paired", Core::CP2), ("resid_word_access", word_access())];
    let found = sides.map(|(name, core)| {
        let row = counted(&[name.to_owned()]).unwrap()[0].count(&core).unwrap();
        assert!(row.verdict.is_right() == Some(true), "{name}");
        (row.cycles, row.bound)
    });
    assert_eq!(found, [(7256, 6976.0), (7293, 6787.0)]);
}

/// A convolution whose kernels change the direction gives bit for bit what the host's changing it does, in fewer
/// cycles.
#[test]
fn convolutions_go_there_and_back_in_one_call() {
    let mut saved = Vec::new();
    for (machine, points, vectors) in
        [("vm7", 32, 512), ("vm9", 32, 512), ("vm7", 512, 64), ("vm9", 512, 64)]
    {
        let (filter, input) = (random::complex(1, points), random::complex(2, points * vectors));
        let [off, on] = [None, Some("fft-direction")].map(|extension| {
            let mut config = MachineConfig::preset(machine).unwrap();
            extension.into_iter().for_each(|name| config.enable(name).unwrap());
            let execution = sharing().execution(*config.core());
            let options = Options { execution, ..Options::default() };
            convolution::run(config, &filter, points, &input, &options, &mut |_, _| {}).unwrap()
        });
        assert_eq!(off.output, on.output, "{machine} {points}");
        saved.push([off.cost.cycles(), on.cost.cycles()]);
    }
    assert_eq!(saved, [[88105, 86842], [100506, 99137], [249735, 247152], [261146, 255480]]);
}

fn larger(local_memory_words: u32) -> Core {
    Core::new(CoreNumbers { local_memory_words, ..*Core::CP2.numbers() }).unwrap()
}

/// A vector of 8192 points fills the local memory of CP2; where there is more, its addresses go in circles.
#[test]
fn transforms_go_around_in_a_part_of_a_larger_memory() {
    let input = random::complex(3, 3 * 8192);
    let transform = |core: Core, inverse: bool, scale: bool, input: &[_]| {
        let execution = sharing().execution(core);
        let options = fft::Options { inverse, scale, execution, ..Default::default() };
        fft::run(8192, input, &options).unwrap()
    };
    let known = transform(Core::CP2, false, false, &input);
    let exact = transform::reference(8192, &input, false);
    assert!(fft::relative_rms_error(&known.output, &exact) < 3e-7);
    let mut cycles = vec![known.cycles()];
    for core in [larger(16384), larger(32768)] {
        let report = transform(core, false, false, &input);
        assert_eq!(report.output, known.output);
        cycles.push(report.cycles());
        let back = transform(core, true, true, &report.output).output;
        let exact: Vec<_> =
            input.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        assert!(fft::relative_rms_error(&back, &exact) < 3e-7);
    }
    assert_eq!(cycles, [53430, 53442, 53442]);
    let is_bundle = |line: &&str| line.starts_with("        ") && !line.trim().starts_with('.');
    let bundles = fft::source(&Core::CP2, 8192).unwrap().lines().filter(is_bundle).count();
    assert_eq!(bundles, 7042);
    for points in fft::LENGTHS {
        let input = random::complex(5, points);
        let [small, large] = [Core::CP2, larger(16384)].map(|core| {
            let options =
                fft::Options { execution: sharing().execution(core), ..Default::default() };
            fft::run(points, &input, &options).unwrap().output
        });
        assert_eq!(small, large, "{points} points");
    }
}

/// A vector of 16384 points lies in two circles of 8192 words, and touches no other word.
#[test]
fn the_longest_transform_takes_two_circles() {
    let points = fft::LONGEST;
    let input = random::complex(8, 5 * points);
    let mut cycles = Vec::new();
    for (core, engine) in [
        (larger(16384), Engine::Reference),
        (larger(32768), Engine::Fast),
        (larger(32768), Engine::Portable),
    ] {
        let execution = Execution { engine, ..sharing().execution(core) };
        let transform = |inverse: bool, scale: bool, input: &[_]| {
            let execution = execution.clone();
            let options = fft::Options { inverse, scale, execution, ..Default::default() };
            fft::run(points, input, &options).unwrap()
        };
        let report = transform(false, false, &input);
        let exact = transform::reference(points, &input, false);
        assert!(fft::relative_rms_error(&report.output, &exact) < 3e-7, "{engine:?}");
        assert!(report.runs.iter().all(|run| run.stats.collisions == [0; 4]));
        let back = transform(true, true, &report.output).output;
        let exact: Vec<_> =
            input.iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect();
        assert!(fft::relative_rms_error(&back, &exact) < 3e-7, "{engine:?}");
        cycles.push(report.runs[0].stats.cycles);
    }
    let text = fft::source(&larger(32768), points).unwrap();
    let is_bundle = |line: &&str| line.starts_with("        ") && !line.trim().starts_with('.');
    assert_eq!((cycles, text.lines().filter(is_bundle).count()), (vec![114_920; 3], 7386));
    let (mut cp2, entry) = cp2_session::load::machine_with(
        &cp2_session::Environment::new(),
        &larger(32768),
        "fft.s",
        &text,
    )
    .unwrap();
    cp2.state.lmem.fill([0x3f80_0000_4000_0000; 4]);
    cp2.state.gpr[..3].copy_from_slice(&[16384, 16384, 0]);
    assert_eq!(cp2.run_untraced(entry, 200_000).end, cp2_emu::End::Stopped(0));
    assert!(cp2.state.lmem[..points].iter().all(|word| *word == [0x3f80_0000_4000_0000; 4]));
}

/// On machines whose local memory holds two vectors, one page takes whole ones and nothing goes through memory in between.
#[test]
fn machines_with_room_for_two_long_vectors_take_them_whole() {
    let mut found = Vec::new();
    let sizes = [(8192, "larger-local-memory=16384"), (16384, "larger-local-memory=32768")];
    for ((points, larger), machine) in
        sizes.into_iter().flat_map(|size| ["vm7", "vm9"].map(|machine| (size, machine)))
    {
        let input = random::complex(4, 16 * points);
        let exact = transform::reference(points, &input, true);
        let [off, on] = [None, Some(larger)].map(|extension| {
            let mut config = MachineConfig::preset(machine).unwrap();
            extension.into_iter().for_each(|name| config.enable(name).unwrap());
            let options = transform::Options {
                inverse: true,
                execution: sharing().execution(*config.core()),
                ..Default::default()
            };
            let run = |config, input| {
                transform::run(config, points, input, &options, &mut |_, _| {}).unwrap()
            };
            let one = run(config.clone(), &input[..4 * points]).cost;
            let report = run(config, &input);
            assert!(fft::relative_rms_error(&report.output, &exact) < 3e-7, "{machine}");
            [one, report.cost]
        });
        assert_eq!([off[1].pages, on[1].pages], [points / 256, 4], "{machine}");
        found.push([off[1].cycles(), on[1].cycles(), on[0].cycles()]);
    }
    // Of 16 vectors by parts, of 16 whole ones, and of the page of four alone.
    let expected = [
        [483_999, 299_417, 132_106],
        [780_814, 379_882, 164_113],
        [959_284, 592_405, 240_669],
        [1_518_125, 737_022, 304_532],
    ];
    assert_eq!(found, expected);
}

/// The walks that undo bit reversal fit the number of address bits.
#[test]
fn whole_vectors_come_out_in_order_of_a_larger_memory() {
    for words in [16384, 32768] {
        let mut config = MachineConfig::preset("vm7").unwrap();
        config.enable(&format!("larger-local-memory={words}")).unwrap();
        let execution = sharing().execution(*config.core());
        for points in [2048, 4096, 8192, 16384] {
            let input = random::complex(6, 8 * points);
            let execution = execution.clone();
            let options = transform::Options { execution, ..Default::default() };
            let report =
                transform::run(config.clone(), points, &input, &options, &mut |_, _| {}).unwrap();
            let exact = transform::reference(points, &input, false);
            let error = fft::relative_rms_error(&report.output, &exact);
            assert!(error < 3e-7, "{points} points, {words} words: {error:e}");
        }
        let (filter, input) = (random::complex(1, 2049), random::complex(2, 8 * 2048));
        let [small, large] = [MachineConfig::preset("vm7").unwrap(), config].map(|config| {
            let options =
                Options { execution: sharing().execution(*config.core()), ..Options::default() };
            convolution::run(config, &filter, 2048, &input, &options, &mut |_, _| {})
                .unwrap()
                .output
        });
        assert_eq!(small, large, "{words} words");
    }
}

fn floats(seed: u64, count: usize) -> Vec<f32> {
    random::complex(seed, count.div_ceil(2)).iter().flat_map(|z| [z.re, z.im]).take(count).collect()
}

/// Two groups of rows in one pass give, bit for bit, what one does: the sums have the same order.
#[test]
fn pairs_of_groups_compute_what_resid_does() {
    let core = word_access();
    for block in [GridBlock::new(8, 8, 1), GridBlock::new(12, 16, 2), GridBlock::new(32, 8, 4)] {
        let [faced, plain] = [block.faced_points(), block.points()].map(|n| floats(5, 4 * n));
        let operands = [&faced[..], &plain[..]];
        let known =
            run(GridKernel::Resid, block, &Operator::A, &faced, &plain, &crate::on_cp2()).unwrap();
        let shared = Paired::<false>::run(block, &Operator::A, operands, &crate::on_cp2()).unwrap();
        assert_eq!(shared.output, known.output, "{block}");
        let [fast, slow] = [Engine::Fast, Engine::Reference].map(|engine| {
            let on = Execution { engine, ..sharing().execution(core) };
            Paired::<true>::run(block, &Operator::A, operands, &on).unwrap()
        });
        assert_eq!(fast.output, known.output, "{block}");
        assert_eq!(fast, slow, "{block}");
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_sentence() {
    let block = GridBlock::new(32, 8, 8);
    let message = |error: cp2_session::KernelError| error.to_string();
    let error = message(Paired::<true>::source(&Core::CP2, block).unwrap_err());
    assert!(
        error.contains("resid_word_access") && error.contains("--enable word-access"),
        "{error}"
    );
    for block in [GridBlock::new(32, 4, 4), GridBlock::new(4, 8, 8), GridBlock::new(64, 8, 2)] {
        let error = message(Paired::<false>::source(&Core::CP2, block).unwrap_err());
        assert!(error.contains(&block.to_string()) && error.contains("multiple of 8"), "{error}");
    }
}

/// More registers are worth a vector that stays in them, and kernels whose schedules they bound. Kernels of CP2 stand before
/// those of 128 or 256 registers.
#[test]
fn more_registers_save_a_pass_of_short_transforms_and_little_else() {
    let sides = [
        ("fft128_one", "fft128_single", 128),
        ("fft256_one", "fft256_single", 256),
        ("resid_paired", "resid_paired", 128),
        ("proj", "proj", 128),
        ("spmv_direct_cg_s", "spmv_direct_cg_s", 256),
        ("spmv_merged_cg_s", "spmv_merged_cg_s", 128),
        ("spmv_conditional_cg_s", "spmv_conditional_cg_s", 256),
    ];
    let cycles = |name: &str, fprs| {
        let core = Core::new(CoreNumbers { fprs, ..*Core::CP2.numbers() }).unwrap();
        let row = counted(&[name.to_owned()]).unwrap()[0].count(&core).unwrap();
        assert!(row.verdict.is_right() == Some(true), "{name}");
        row.cycles
    };
    let found = sides.map(|(off, on, fprs)| [cycles(off, 64), cycles(on, fprs)]);
    let transforms_and_stencils = [[520, 463], [1096, 1039], [7256, 7256], [1654, 1632]];
    assert_eq!(found[..4], transforms_and_stencils);
    // Of 78148 entries in all three.
    assert_eq!(found[4..], [[69_267, 69_267], [55_711, 54_100], [54_221, 53_636]]);
}
