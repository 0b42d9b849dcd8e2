//! The pages of the extensions of the memory side, with figures that are measured as the pages are made.

use cp2_descriptors::{self as chain, Chain, Piece, Releases, Script};
use cp2_emu::dma::{
    Descriptor, DescriptorAction, Gather, GetWords, LocalStride, LocalWalk, MemoryWalk,
    NextDescriptor, Pattern, Stride,
};
use cp2_emu::{Machine, MachineConfig};
use cp2_isa::{MemoryAddress, WordAddress};
use cp2_kernels::sparse::matrices;
use cp2_lab::experiments::of_each;
use cp2_lab::experiments::work::{OptionConstant, Work, WorkOptions, machine};
use cp2_lab::inputs::LabError;
use cp2_procedures::{gathered, sparse};
use cp2_session::Execution;
use cp2_session::cost::Cost;
use cp2_session::sparse::Csr;

const MACHINES: [&str; 2] = ["vm7", "vm9"];

/// Procedures that the page of the memory controller measures, with options: some are bound by memory and some are not.
const PROCEDURES: [(&str, WorkOptions); 9] = [
    ("fft16384", &[("vectors", OptionConstant::Number(16))]),
    (
        "convolution",
        &[("points", OptionConstant::Number(4096)), ("vectors", OptionConstant::Number(16))],
    ),
    ("resid", &[("grid", OptionConstant::Number(64))]),
    ("smooth", &[("grid", OptionConstant::Number(64))]),
    ("mg", &[("class", OptionConstant::Word("S"))]),
    ("ft", &[("class", OptionConstant::Word("S"))]),
    ("spmv", &[("class", OptionConstant::Word("S"))]),
    ("spmv", &[("rows", OptionConstant::Number(2048))]),
    ("cg", &[("class", OptionConstant::Word("S"))]),
];

/// Returns the text for what binds a procedure: the larger of its kernels and of its rows, in microseconds and in percent of
/// the time.
fn held(cost: &Cost) -> String {
    let (what, us) = cost.row_bound().binding();
    format!("{what}, {us:.0} us ({:.0} %)", 100.0 * us / cost.microseconds())
}

/// Measures procedures with options on both machines, without extensions and with some; results are held against their
/// references.
fn without_and_with(
    procedures: &[(&'static str, WorkOptions)],
    extensions: &str,
) -> Result<Vec<(Work, [Cost; 2])>, String> {
    let on_both = |&(name, options)| MACHINES.map(|machine| Work::on(machine, name, options));
    let works: Vec<Work> = procedures.iter().flat_map(on_both).collect();
    let found = of_each(&works, |environment, work| {
        let cost = |extensions| {
            let whole = work.cost(environment, extensions)?.whole;
            whole.ok_or_else(|| LabError::new(format!("{} is no procedure", work.title())))
        };
        Ok([cost("")?, cost(extensions)?])
    });
    Ok(works.into_iter().zip(found.map_err(|e| e.to_string())?).collect())
}

pub(crate) fn memory_controller() -> Result<(), String> {
    print!("{}", include_str!("memory_controller.md"));
    println!("\n| procedure | machine | cycles off | bound off | cycles on | bound on | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (work, [off, on]) in without_and_with(&PROCEDURES, "memory-controller")? {
        let ratio = off.cycles() as f64 / on.cycles() as f64;
        println!(
            "| {} | {} | {} | {} | {} | {} | {ratio:.2} |",
            work.title(),
            work.machine(),
            off.cycles(),
            held(&off),
            on.cycles(),
            held(&on)
        );
    }
    Ok(())
}

/// Byte address in memory at which the list of a gather stands.
const LIST: u32 = 0x40_0000;

/// Runs a chain of one descriptor, and returns its cycles and the number of 32-bit words that it moved.
fn cycles(config: &MachineConfig, one: Descriptor, list: &[u32]) -> Result<[u64; 2], String> {
    let mut machine = Machine::new(config);
    let chain = Chain { descriptors: vec![one.stopping()], ..Chain::default() };
    let bytes = list.iter().flat_map(|entry| entry.to_be_bytes()).collect();
    let pieces = [Piece { name: "the list".to_owned(), address: LIST.into(), bytes }];
    chain::load(&mut machine, &chain, &pieces).map_err(|e| e.join("; "))?;
    let script =
        Script { releases: Releases::In(Vec::new()), stop_at: None, max_cycles: 10_000_000 };
    let mut words = 0;
    let mut go_on = |_| true;
    let report = chain::run(&mut machine, config, &chain, &script, &mut go_on, |_, beat| {
        words += u64::from(beat.bytes / 4);
    });
    Ok([report.cycles, words])
}

fn stride(step: i32, count: u32) -> Stride {
    Stride { step, count }
}

fn local(step: u16, count: u16) -> LocalStride {
    LocalStride { step, count, reversed: false }
}

/// Returns a descriptor that gets a block of 32 x 8 x 8 points with its faces, one of four in a page, of a grid of 32 points
/// along an axis. `pitch`: bytes from row to row of the grid.
fn block_of_words(first: u32, pitch: i32) -> Descriptor {
    let memory = MemoryWalk {
        base: first.into(),
        index: None,
        burst: 34,
        x: stride(pitch, 10),
        y: stride(34 * pitch, 10),
    };
    let (x, y) = (local(1, 34), local(40, 100));
    let walk = LocalWalk { base: WordAddress(3), index: None, x, y };
    let (sections, next) = (Pattern::only_words(0), NextDescriptor::By(1));
    Descriptor::new(DescriptorAction::GetWords(GetWords { memory, local: walk, sections, next }))
}

fn block_of_beats() -> Descriptor {
    let memory = MemoryWalk {
        base: MemoryAddress(0),
        index: None,
        burst: 10,
        x: stride(160, 10),
        y: stride(34 * 160, 10),
    };
    let walk = LocalWalk { base: WordAddress(0), index: None, x: local(2, 10), y: local(20, 100) };
    Descriptor::get(memory, walk, Pattern::only(0))
}

const GATHERED: u32 = 2048;

/// Returns a gather of words that lie `apart` bytes apart, and its list.
fn gather(apart: u32) -> (Descriptor, Vec<u32>) {
    let list = MemoryWalk {
        base: LIST.into(),
        burst: 32,
        x: stride(128, GATHERED / 32),
        ..MemoryWalk::default()
    };
    let walk = LocalWalk { x: local(1, GATHERED as u16), ..LocalWalk::default() };
    let (sections, next) = ([Pattern::ALL_WORDS; 4], NextDescriptor::By(1));
    let action = DescriptorAction::Gather(Gather { list, base: None, local: walk, sections, next });
    // Around in 2 MiB, so that no word is its neighbour's.
    let entries = (0..GATHERED).map(|k| k * apart / 4 % 0x8_0000).collect();
    (Descriptor::new(action), entries)
}

/// Returns the machines with `dma-words` alone and with the memory controller.
fn with_words() -> Result<Vec<MachineConfig>, String> {
    let mut all = Vec::new();
    for name in MACHINES {
        for extensions in ["dma-words", "dma-words,memory-controller"] {
            all.push(machine(name, extensions).map_err(|e| e.to_string())?);
        }
    }
    Ok(all)
}

/// Returns the name of a machine, followed by `memory-controller` if its memory clock tells that it has that extension.
fn name_of(config: &MachineConfig) -> String {
    let plain = MachineConfig::preset(config.name());
    let is_plain = plain.is_some_and(|plain| {
        plain.value(cp2_emu::machine::Key::MemoryClock)
            == config.value(cp2_emu::machine::Key::MemoryClock)
    });
    if is_plain {
        config.name().to_owned()
    } else {
        format!("{}, memory-controller", config.name())
    }
}

fn print_blocks() -> Result<(), String> {
    let forms = [
        ("beats, rows of 40 points", block_of_beats()),
        ("words, the same rows", block_of_words(12, 160)),
        ("words, rows of 34 points without a gap", block_of_words(0, 136)),
    ];
    println!("\n| block of 32 x 8 x 8 with faces | machine | words | cycles | of the first |");
    println!("| --- | --- | --- | --- | --- |");
    for config in with_words()? {
        let mut first = None;
        for (form, descriptor) in &forms {
            let [cycles, words] = cycles(&config, descriptor.clone(), &[])?;
            let of = 100.0 * cycles as f64 / *first.get_or_insert(cycles) as f64;
            println!("| {form} | {} | {words} | {cycles} | {of:.1} % |", name_of(&config));
        }
    }
    Ok(())
}

/// Prints the operators whose blocks come with faces, in beats and in words.
fn print_operators() -> Result<(), String> {
    println!(
        "\n| operator | machine | bytes in beats | cycles | bytes in words | cycles | ratio |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let grid: WorkOptions = &[("grid", OptionConstant::Number(32))];
    for (work, [beats, words]) in
        without_and_with(&["resid", "smooth"].map(|name| (name, grid)), "dma-words")?
    {
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.3} |",
            work.title(),
            work.machine(),
            beats.dma.bytes_get + beats.dma.bytes_put,
            beats.cycles(),
            words.dma.bytes_get + words.dma.bytes_put,
            words.cycles(),
            beats.cycles() as f64 / words.cycles() as f64
        );
    }
    Ok(())
}

fn print_gathers() -> Result<(), String> {
    println!("\n| gather of {GATHERED} words | machine | cycles | for a word |");
    println!("| --- | --- | --- | --- |");
    for config in with_words()? {
        for (form, apart) in [
            ("neighbours", 4),
            ("one of each beat, in open rows", 16),
            ("each in a row of its own", 16400),
        ] {
            let (descriptor, list) = gather(apart);
            let [cycles, _] = cycles(&config, descriptor, &list)?;
            let each = cycles as f64 / f64::from(GATHERED);
            println!("| {form} | {} | {cycles} | {each:.2} |", name_of(&config));
        }
    }
    Ok(())
}

fn print_product(config: &MachineConfig, name: &str, matrix: &Csr) -> Result<(), String> {
    let x: Vec<f32> =
        (0..matrix.columns()).map(|i| ((i * 7919) % 1009) as f32 / 504.5 - 1.0).collect();
    let on = Execution::on(*config.core());
    let plan = sparse::ProductPlan::best(config, matrix, |_| true).map_err(|e| e.to_string())?;
    let best = sparse::multiply(config.clone(), matrix, &x, &plan, &on, &mut |_, _| {});
    let best = best.map_err(|e| e.to_string())?;
    let ours = gathered::multiply(config.clone(), matrix, &x, &on, &mut |_, _| {})
        .map_err(|e| e.to_string())?;
    let deviation = matrix.deviation(&x, &ours.y);
    if deviation > 1.0 {
        return Err(format!("{name}: {deviation} times what rounding allows"));
    }
    let each = |cost: &Cost| cost.cycles() as f64 / matrix.nonzeros() as f64;
    println!(
        "| {name} | {} | {} | {} | {:.2} | {} | {:.2} | {:.2} |",
        name_of(config),
        plan.form,
        best.cost.cycles(),
        each(&best.cost),
        ours.cost.cycles(),
        each(&ours.cost),
        best.cost.cycles() as f64 / ours.cost.cycles() as f64
    );
    Ok(())
}

fn print_products() -> Result<(), String> {
    let matrices = [
        ("NPB S, 1400 rows", matrices::npb_cg(matrices::CLASS_S).map_err(|e| e.to_string())?),
        (
            "random, 2048 rows, 1 in 16",
            matrices::random(2048, 2048, 262_144, 1).map_err(|e| e.to_string())?,
        ),
        ("five points, 128 x 128", matrices::five_point(128, 128).map_err(|e| e.to_string())?),
        (
            "random, 512 x 131072",
            matrices::random(512, 131_072, 32_768, 1).map_err(|e| e.to_string())?,
        ),
    ];
    println!(
        "\n| matrix | machine | best form without | cycles | for an entry | gathered | for an entry | ratio |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for config in with_words()? {
        for (name, matrix) in &matrices {
            print_product(&config, name, matrix)?;
        }
    }
    Ok(())
}

pub(crate) fn dma_words() -> Result<(), String> {
    print!("{}", include_str!("dma_words.md"));
    println!("\n## Measured");
    print_blocks()?;
    print_operators()?;
    print_gathers()?;
    print_products()
}
