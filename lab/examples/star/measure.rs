//! Runs on the emulator: kernels by rows and columns, closures on a whole machine, shortest paths by elementary operations.

use crate::rows::print;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_kernels::star::{PathOrder, SliceLayout, SliceOperation};
use cp2_procedures::star::paths::{PathsProblem, PathsReport, WeightedArc, find_paths};
use cp2_session::cost::timeline::{Cp2Activity, HostActivity};
use cp2_session::execution::{Execution, KernelRunner};
use cp2_session::workload::{Listener, OptionValue, OptionValues, Platform, Request, Workload};
use cp2_star::cp2::Cp2Backend;
use cp2_star::graph::{Graph, RmatGenerator};
use cp2_star::language::{CheckedProgram, check, parse};
use cp2_star::machine::{ElementaryOperation, HostBackend, LibraryForm, StarBackend, StarMachine};
use cp2_star::run::{Insertion, RunOutcome, RunRequest, StarValue, run};
use cp2_workloads::catalogue::{find, workloads};
use cp2_workloads::workload::with_extensions;

/// Rows of the tables of kernels.
const ROWS: [u64; 6] = [256, 512, 1024, 2048, 4096, 8192];
/// Columns where the rows are [`USUAL_ROWS`].
const COLUMNS: [u64; 4] = [8, 16, 24, 48];
const USUAL_ROWS: u64 = 1024;
const USUAL_COLUMNS: u64 = 32;
/// Vertices of closures.
const VERTICES: [u64; 7] = [256, 512, 768, 1024, 1365, 1536, 2048];
/// Bits of a weight.
pub(crate) const BITS: usize = 32;

/// Returns the cycles of a run of a workload; `None` where the workload refuses the size.
fn cycles(workload: &dyn Workload, sizes: &[(&'static str, u64)]) -> Result<Option<u64>, String> {
    let name = workload.about().name;
    let mut values = OptionValues::default();
    for &(option, value) in sizes {
        values.set(option, OptionValue::Number(value));
    }
    let options = workload.option_list();
    values.check(&name, &options)?;
    values.add_defaults(&options);
    let is_procedure = workload.about().platform == Platform::Machine;
    let machine = match is_procedure {
        true => Some(MachineConfig::preset("vm9").ok_or("there is no machine vm9")?),
        false => None,
    };
    let core = with_extensions(&Core::CP2, &workload.needs());
    let request = Request { values, core, machine, ..Request::default() };
    let Ok(tally) = workload.tally(request) else { return Ok(None) };
    match tally.verdict.is_right() {
        Some(true) => Ok(Some(tally.cycles)),
        _ => Err(format!("{name}: the results are wrong")),
    }
}

/// Prints cycles of all kernels but closures.
pub(crate) fn kernels() -> Result<(), String> {
    let of_family = |workload: &std::sync::Arc<dyn Workload>| {
        let about = workload.about();
        about.family == "star" && !about.name.starts_with("star_closure")
    };
    for workload in workloads(Platform::Cp2).into_iter().filter(of_family) {
        let name = workload.about().name;
        let has_columns =
            workload.option_list().iter().any(|option| option.name == "table-columns");
        for rows in ROWS {
            let mut sizes = vec![("table-rows", rows)];
            let columns = if has_columns { USUAL_COLUMNS } else { 0 };
            if has_columns {
                sizes.push(("table-columns", columns));
            }
            if let Some(cycles) = cycles(workload.as_ref(), &sizes)? {
                print("kernel", &name, (rows, columns), "cycles", cycles);
            }
        }
        for columns in COLUMNS.into_iter().filter(|_| has_columns) {
            let sizes = [("table-rows", USUAL_ROWS), ("table-columns", columns)];
            if let Some(cycles) = cycles(workload.as_ref(), &sizes)? {
                print("kernel", &name, (USUAL_ROWS, columns), "cycles", cycles);
            }
        }
    }
    let on = Execution::on(Core::CP2);
    for (operation, rows) in
        SliceOperation::ALL.into_iter().flat_map(|o| ROWS.map(|rows| (o, rows)))
    {
        let layout = SliceLayout::new(rows as usize);
        let (mut cp2, entry) = KernelRunner::with(operation.name(), &operation.source(layout), &on)
            .map_err(|e| e.to_string())?;
        let w = layout.words();
        let stats = cp2.call(entry, &[0, w, 2 * w]).map_err(|e| e.to_string())?;
        print("kernel", operation.name(), (rows, 0), "cycles", stats.cycles);
    }
    Ok(())
}

/// Prints cycles of closures on VM9, from system memory and back.
pub(crate) fn closures() -> Result<(), String> {
    for name in ["star_closure", "star_closure4", "star_closure8", "star_closure_pages"] {
        let workload = find(Platform::Machine, name).ok_or("there is no closure")?;
        for n in VERTICES {
            if let Some(cycles) = cycles(workload.as_ref(), &[("table-rows", n)])? {
                print("closure", name, (n, 0), "cycles", cycles);
            }
        }
    }
    Ok(())
}

/// Returns the graph of a level, with the numbers of the generator that all its users have.
pub(crate) fn graph(levels: u32) -> Graph {
    RmatGenerator { levels, degree: 32, greatest_weight: 255, seed: 1 }.generate().0
}

/// Returns a program that comes with the STAR machine.
fn program(name: &str) -> Result<CheckedProgram, String> {
    let text = cp2_star::shipped(name).ok_or("there is no such program")?.text;
    let mut sources = cp2_asm::diagnostic::Sources::default();
    sources.add(name, text);
    let told = |_| format!("{name} is refused");
    check(&parse(&sources, 0).map_err(told)?, 0).map_err(told)
}

/// Runs a program on a graph from vertex 1.
pub(crate) fn ran<B: StarBackend>(
    machine: &mut StarMachine<B>,
    name: &str,
    graph: &Graph,
    insertions: Vec<Insertion>,
) -> Result<RunOutcome, String> {
    let program = program(name)?;
    let inputs = graph.inputs(&program, BITS, Some(1));
    let request = RunRequest { weight_bits: BITS, inputs, insertions, max_statements: 0 };
    run(&program, machine, &request, None).map_err(|stopped| stopped.message)
}

/// Returns the number of passes that a program counted.
pub(crate) fn passes(outcome: &RunOutcome) -> u64 {
    match outcome.output("passes") {
        Some(StarValue::Int(passes)) => *passes as u64,
        _ => 0,
    }
}

/// Prints counts of shortest paths, and cycles on CP2 where the run is not too long.
pub(crate) fn paths() -> Result<(), String> {
    for levels in [11, 12, 13] {
        let graph = graph(levels);
        let size = (1 << levels, BITS as u64);
        for name in ["paths", "paths-numbered"] {
            let print = |key, value: u64| print("paths", name, size, key, value);
            let n = graph.vertices();
            let mut host = StarMachine::new(HostBackend, n, LibraryForm::Cheap);
            let expected = ran(&mut host, name, &graph, Vec::new())?;
            let counts = expected.counts;
            print("arcs", graph.arcs().len() as u64);
            print("passes", passes(&expected));
            print("column_reads", counts[ElementaryOperation::ColumnRead]);
            print("column_writes", counts[ElementaryOperation::ColumnWrite]);
            print("logic", counts.of(ElementaryOperation::is_logic));
            print("critical", counts.of(ElementaryOperation::is_critical));
            // The tree of ones takes n columns in each pass: too many operations, as larger graphs do.
            if name == "paths" || levels > 12 {
                continue;
            }
            let backend = Cp2Backend::new(Execution::on(Core::CP2));
            let mut cp2 = StarMachine::new(backend, n, LibraryForm::Cheap);
            let found = ran(&mut cp2, name, &graph, Vec::new())?;
            if let Some(fault) = cp2.backend().fault() {
                return Err(fault.to_string());
            }
            if found != expected {
                return Err(format!("{name} on CP2 differs"));
            }
            let work = cp2.backend().work();
            print("cp2_cycles", work.cycles);
            print("cp2_kernels", work.kernels);
            print("cp2_moved_words", work.moved_words);
        }
    }
    Ok(())
}

/// Listener that tells nothing.
struct Silent;

impl Listener for Silent {
    fn progress(&mut self, _: usize, _: usize) {}
}

/// Finds paths from vertex 1 on VM9, with insertions behind them.
pub(crate) fn on_machine(
    graph: &Graph,
    bits: usize,
    (insertions, order): (&[Insertion], PathOrder),
) -> Result<PathsReport, String> {
    let arc = |(tail, head, weight)| WeightedArc { tail, head, weight };
    let problem = PathsProblem {
        vertices: graph.vertices(),
        bits,
        arcs: graph.arcs().iter().map(|a| arc((a.tail, a.head, a.weight))).collect(),
        source: 1,
        insertions: insertions.iter().map(|i| arc((i.tail, i.head, i.weight))).collect(),
        order,
    };
    let config = MachineConfig::preset("vm9").ok_or("there is no machine vm9")?;
    let on = Execution::on(*config.core());
    find_paths(config, &problem, &on, &mut Silent).map_err(|error| error.to_string())
}

/// Prints cycles of shortest paths on VM9, of which the distances are those of plain code.
pub(crate) fn machine() -> Result<(), String> {
    for levels in [7, 8, 9, 10, 11, 12, 13] {
        let graph = graph(levels);
        let expected = crate::insertions::distances(&graph);
        for bits in [16, BITS] {
            let report = on_machine(&graph, bits, (&[], PathOrder::Nearest))?;
            let infinity = u64::MAX >> (64 - bits);
            let is_right = expected.iter().map(|&distance| distance.min(infinity));
            if !is_right.eq(report.distances.iter().copied()) {
                return Err(format!("{levels} levels, {bits} bits: wrong distances"));
            }
            let (cost, size) = (&report.cost, (1 << levels, bits as u64));
            let print = |key, value: u64| print("machine", "paths", size, key, value);
            print("passes", report.passes as u64);
            print("stay", report.is_resident.into());
            print("cycles", cost.cycles());
            print("kernel_cycles", cost.kernels.cycles);
            print("least_cycles", cost.least_compute_cycles as u64);
            print("channel_cycles", cost.timeline.transfer_cycles());
            let alone = cost.timeline.transfer_cycles() - cost.timeline.overlapped;
            print("channel_alone", alone);
            print("host_alone", cost.timeline.idle_while(HostActivity::Program));
            print("idle", cost.timeline.cp2.cycles(Cp2Activity::Idle));
        }
    }
    Ok(())
}
