//! `cp2 star`.

#[cfg(feature = "gpu")]
mod gpu;
mod machine;
mod values;

use crate::args::star::StarBackendChoice;
use crate::args::{GraphFormatChoice, Star};
use crate::input::program::{refused, text};
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::storage::files::{self, Output};
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_session::execution::Execution;
use cp2_star::cp2::{Cp2Backend, Cp2Work};
use cp2_star::graph::{
    Graph, GraphFormat, ReadingLedger, RmatGenerator, check_lengths, read_graph, read_insertions,
};
use cp2_star::language::{CheckedProgram, InputSource, check, format, parse};
use cp2_star::library::{LibraryGroup, LibraryProcedure};
use cp2_star::machine::{HostBackend, LibraryForm, StarBackend, StarMachine, greatest_number};
#[cfg(feature = "gpu")]
use cp2_star::report::DeviceWork;
use cp2_star::report::{MachineWork, StarReport, to_json, to_text};
use cp2_star::run::{RunObserver, RunOutcome, RunRequest, run};
use cp2_star::values::Dimensions;
use cp2_star::view::{StepRecorder, page, steps_text};
use std::path::Path;
use values::{Given, Stored};

/// Graph with what reading it has changed.
type ReadGraph = (Graph, ReadingLedger);

pub(crate) fn star(arguments: &Star) -> Outcome {
    if arguments.task.list || arguments.task.procedures {
        let text = if arguments.task.list { programs() } else { procedures() };
        files::print(text.as_bytes())?;
        return Ok(Exit::Success);
    }
    let Some(path) = &arguments.program else { return Ok(Exit::Usage) };
    let stored = Stored::read(&arguments.values.store)?;
    let given = Given::read(&arguments.values)?;
    check_files(arguments, path, &given, &stored)?;
    let mut sources = Sources::default();
    let name = add_program(path, &mut sources)?;
    let tree = parse(&sources, 0).map_err(|problems| refused(&problems, &sources))?;
    if arguments.task.fmt {
        files::print(format(&tree).as_bytes())?;
        return Ok(Exit::Success);
    }
    let program = check(&tree, 0).map_err(|problems| refused(&problems, &sources))?;
    stored.check(&program)?;
    if arguments.task.check {
        return Ok(Exit::Success);
    }
    run_program(arguments, (&name, &program), &mut sources, (&given, &stored))
}

fn programs() -> String {
    let line = |p: &cp2_star::ShippedProgram| format!("{:<22} {}\n", p.name, p.summary);
    cp2_star::SHIPPED.iter().map(line).collect()
}

fn procedures() -> String {
    let line = |procedure: LibraryProcedure| {
        let group = match procedure.group() {
            LibraryGroup::CriticalSearch => "I",
            LibraryGroup::Search => "II",
            LibraryGroup::Arithmetic => "III",
            LibraryGroup::Copying => "IV",
        };
        format!("{group:<4} {:<22} {}\n", procedure.call(), procedure.summary())
    };
    LibraryProcedure::all().map(line).collect()
}

fn check_files(arguments: &Star, path: &Path, given: &Given, stored: &Stored) -> Outcome<()> {
    let mut inputs =
        vec![Some(path), arguments.graph.graph.as_deref(), arguments.graph.insert.as_deref()];
    inputs.extend(given.files().map(Some));
    let text = arguments.task.json.then_some(Path::new("-"));
    let mut outputs = vec![arguments.run.steps.as_deref(), text];
    outputs.extend(stored.files().map(Some));
    files::check(&inputs, &outputs)
}

/// Adds the text of a program to the sources: a program that comes with `cp2`, or a file.
fn add_program(path: &Path, sources: &mut Sources) -> Outcome<String> {
    if let Some(program) = path.to_str().and_then(cp2_star::shipped) {
        let name = program.name;
        if path.exists() {
            return Err(usage(format!(
                "`{name}` is a program that comes with cp2, and a file here; write ./{name} for the file, or give it another name"
            )));
        }
        sources.add(format!("{}.star", program.name), program.text);
        return Ok(program.name.to_owned());
    }
    let is_name = |path: &str| path.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if let Some(name) = path.to_str().filter(|name| is_name(name) && *name != "-" && !path.exists())
    {
        let names = cp2_star::SHIPPED.iter().map(|program| program.name);
        let near = cp2_asm::nearest(name, names);
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let message = format!(
            "there is no program `{name}`, and no such file; {near}`cp2 star --list` has all programs"
        );
        return Err(bad_input(message));
    }
    let (name, text) = text(path)?;
    sources.add(name.clone(), text);
    Ok(name)
}

fn graph(arguments: &Star, sources: &mut Sources) -> Outcome<Option<ReadGraph>> {
    let choice = &arguments.graph;
    if let Some(levels) = choice.rmat {
        let most = greatest_number(choice.bits as usize) - 1;
        if choice.max_weight > most {
            return Err(usage(format!(
                "--max-weight {}: weights of {} bits are at most {most}, since all ones stand for no arc; give --bits",
                choice.max_weight, choice.bits
            )));
        }
        let (degree, greatest_weight, seed) = (choice.degree, choice.max_weight, choice.seed);
        return Ok(Some(RmatGenerator { levels, degree, greatest_weight, seed }.generate()));
    }
    let Some(path) = &choice.graph else { return Ok(None) };
    let (name, text) = text(path)?;
    let format = match choice.graph_format {
        GraphFormatChoice::Auto => GraphFormat::of(&name, &text),
        GraphFormatChoice::Gr => GraphFormat::Dimacs,
        GraphFormatChoice::Snap => GraphFormat::Snap,
        GraphFormatChoice::Mtx => GraphFormat::Market,
    };
    let file = sources.add(name, text);
    let graph = read_graph(sources, file, format, choice.bits as usize);
    graph.map(Some).map_err(|problems| refused(&problems, sources))
}

/// Returns what a run takes from the graph, with the number of rows.
fn request(
    arguments: &Star,
    program: &CheckedProgram,
    graph: Option<&Graph>,
    sources: &mut Sources,
) -> Outcome<RunRequest> {
    let choice = &arguments.graph;
    let weight_bits = choice.bits as usize;
    let mut request = RunRequest {
        weight_bits,
        max_statements: arguments.run.max_statements,
        ..RunRequest::default()
    };
    let takes = |source| program.inputs().any(|(.., known)| known == source);
    let Some(graph) = graph else {
        if let Some((_, variable, _)) =
            program.inputs().find(|(.., source)| *source != InputSource::Given)
        {
            return Err(usage(format!(
                "the input `{}` comes from a graph; give --graph or --rmat",
                variable.name
            )));
        }
        if choice.insert.is_some() {
            return Err(usage("--insert needs a graph; give --graph or --rmat"));
        }
        return Ok(request);
    };
    if choice.insert.is_some() && !program.takes_insertions() {
        return Err(usage("--insert: the program has no loop over insertions"));
    }
    if let Some(path) = &choice.insert {
        let (name, text) = text(path)?;
        let file = sources.add(name, text);
        let stream = read_insertions(sources, file, graph, weight_bits);
        request.insertions = stream.map_err(|problems| refused(&problems, sources))?;
    }
    let source = graph.vertex(choice.source);
    if takes(InputSource::Source) && source.is_none() {
        let message = format!(
            "--source {}: the graph has no such vertex; it has {}",
            choice.source,
            graph.vertices()
        );
        return Err(bad_input(message));
    }
    // Tables are made only if all variables fit.
    let machine = StarMachine::new(HostBackend, graph.vertices(), LibraryForm::Plain);
    let bits = program.memory_bits(graph.vertices(), weight_bits);
    machine.check_memory(bits).map_err(bad_input)?;
    request.inputs = graph.inputs(program, weight_bits, source);
    Ok(request)
}

/// Inputs of a run, whatever the machine under it.
struct Job<'j> {
    program: &'j CheckedProgram,
    request: &'j RunRequest,
    rows: usize,
    form: LibraryForm,
}

/// Outcome of a run, or the diagnostic that ended it.
type Ran = Result<RunOutcome, Box<Diagnostic>>;

/// Work of the machine under a program.
enum Work {
    Native,
    Cp2(Cp2Work),
    Machine(MachineWork),
    #[cfg(feature = "gpu")]
    Device(DeviceWork),
}

impl Job<'_> {
    fn run<B: StarBackend>(
        &self,
        machine: &mut StarMachine<B>,
        observer: Option<&mut dyn RunObserver>,
    ) -> Ran {
        // The observer lives longer than the run.
        match observer {
            Some(observer) => run(self.program, machine, self.request, Some(observer)),
            None => run(self.program, machine, self.request, None),
        }
    }

    fn on_cp2(&self, core: Core, observer: Option<&mut dyn RunObserver>) -> Outcome<(Ran, Work)> {
        let backend = Cp2Backend::new(Execution::on(core));
        let mut machine = StarMachine::new(backend, self.rows, self.form);
        let outcome = self.run(&mut machine, observer);
        match machine.backend().fault() {
            Some(fault) => Err(bad_input(fault)),
            None => Ok((outcome, Work::Cp2(machine.backend().work()))),
        }
    }

    /// Runs a program on the native machine, which counts, and carries it out on a whole machine, which finds the same.
    fn on_machine(
        &self,
        name: &str,
        config: MachineConfig,
        observer: Option<&mut dyn RunObserver>,
    ) -> Outcome<(Ran, Work)> {
        machine::check(self, &config)?;
        let outcome = self.run(&mut StarMachine::new(HostBackend, self.rows, self.form), observer);
        let work = match &outcome {
            Ok(outcome) => Work::Machine(machine::run(self, name, config, outcome)?),
            Err(_) => Work::Native,
        };
        Ok((outcome, work))
    }
}

fn run_program(
    arguments: &Star,
    (name, program): (&str, &CheckedProgram),
    sources: &mut Sources,
    (given, stored): (&Given, &Stored),
) -> Outcome {
    #[cfg(feature = "gpu")]
    gpu::check(&arguments.run)?;
    let (config, core) = machine::chosen(&arguments.run, name)?;
    let graph = graph(arguments, sources)?;
    let mut request = request(arguments, program, graph.as_ref().map(|(graph, _)| graph), sources)?;
    let rows = match &graph {
        Some((graph, _)) => graph.vertices(),
        None => given.rows(program)?,
    };
    let dimensions = Dimensions { rows, weight_bits: request.weight_bits };
    given.add(program, dimensions, &mut request.inputs)?;
    if let Some((graph, _)) = &graph {
        check_lengths(program, graph, &request).map_err(bad_input)?;
    }
    let steps = arguments.run.steps.as_deref();
    let steps = steps.map(|path| Outcome::Ok((path, open(path)?))).transpose()?;
    let outputs = stored.open()?;
    let form = if arguments.run.cheap { LibraryForm::Cheap } else { LibraryForm::Plain };
    let mut recorder = StepRecorder::new(arguments.run.step_limit as usize);
    let observer = steps.is_some().then_some(&mut recorder as &mut dyn RunObserver);
    let job = Job { program, request: &request, rows, form };
    let (outcome, work) = match arguments.run.backend {
        StarBackendChoice::Native => {
            (job.run(&mut StarMachine::new(HostBackend, rows, form), observer), Work::Native)
        }
        StarBackendChoice::Cp2 => match config {
            Some(config) => job.on_machine(name, config, observer)?,
            None => job.on_cp2(core, observer)?,
        },
        #[cfg(feature = "gpu")]
        StarBackendChoice::Gpu => gpu::run(&job, arguments.run.device.unwrap_or(0), observer)?,
    };
    if let Some((path, output)) = steps {
        let text = pictures(path, &recorder, (name, program), sources, dimensions);
        files::finish(output, path, text.as_bytes())?;
    }
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(stopped) => return Ok(ended(&stopped, sources)),
    };
    outputs.write(program, dimensions, &outcome)?;
    let ledger = graph.map(|(_, ledger)| ledger);
    let mut report = StarReport::new((name, program), (dimensions, form), ledger, &outcome);
    report = match work {
        Work::Native => report,
        Work::Cp2(work) => report.on_cp2(work),
        Work::Machine(work) => report.on_machine(work),
        #[cfg(feature = "gpu")]
        Work::Device(work) => report.on_device(work),
    };
    let is_taken = stored.files().chain(arguments.run.steps.as_deref()).any(files::is_standard);
    if arguments.task.json {
        files::print_json(&to_json(&report))?;
    } else if !is_taken {
        files::print(to_text(&report).as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Opens a file before work is done for it; standard output is open already.
fn open(path: &Path) -> Outcome<Option<Output>> {
    if files::is_standard(path) { Ok(None) } else { Output::open(path).map(Some) }
}

fn pictures(
    path: &Path,
    recorder: &StepRecorder,
    (name, program): (&str, &CheckedProgram),
    sources: &Sources,
    dimensions: Dimensions,
) -> String {
    if path.extension().is_some_and(|ending| ending == "html") {
        let command = crate::input::recording::command_line();
        return page(recorder, program, (name, &command), sources, dimensions);
    }
    steps_text(recorder, program, sources, dimensions)
}

/// Tells why a run ended before its end.
fn ended(stopped: &Diagnostic, sources: &Sources) -> Exit {
    complain(refused(std::slice::from_ref(stopped), sources).message);
    match stopped.code {
        "C1012" => Exit::Check,
        "C1013" => Exit::Limit,
        _ => Exit::BadInput,
    }
}
