//! `cp2 dma`.

use crate::args::{ChainForm, ChainFormat, Dma, MachineChoice};
use crate::input::arrays::{self, Wanted};
use crate::input::target::Target;
use crate::input::{machine, program, trace_file};
use crate::process::exit::{Exit, Failure, Outcome, bad_input, complain};
use crate::process::progress::Progress;
use crate::process::signals::{self, Finishing};
use crate::storage::files;
use crate::storage::files::Output;
use cp2_asm::diagnostic::{Diagnostic, Severity, Sources, Span};
use cp2_descriptors::{
    self as chain, Chain, ChainEnd, ChainSource, Piece, Releases, Report, Script, codes,
};
use cp2_emu::dma::{Beat, DmaFaultKind};
use cp2_emu::{Machine, MachineConfig};
use cp2_isa::{Cycle, MemoryAddress};
use cp2_session::arrays::{FileTransfer, load_memory, store_memory};
use cp2_session::npy;
use cp2_trace::{BeatTable, TraceFormat};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Most beats that are kept for pictures.
const DRAWN: usize = 1 << 18;

pub(crate) fn dma(arguments: &Dma) -> Outcome {
    let memory = arguments.memory.iter().map(|text| memory_argument(text));
    let memory: Vec<(PathBuf, u64)> = memory.collect::<Outcome<_>>()?;
    let wanted = arguments.memory_out.iter().map(|text| memory_out_argument(text));
    let wanted: Vec<MemoryOut> = wanted.collect::<Outcome<_>>()?;
    let arrays = Wanted::of_memory(&arguments.load, &arguments.store)?;
    check_files(arguments, &memory, &wanted, &arrays)?;
    let (mut source, sources) = read(arguments)?;
    for setting in &arguments.register {
        source.chain.registers.push(register_argument(setting)?);
    }
    if let Some(form) = arguments.emit {
        return emit(arguments, &source.chain, form);
    }
    for (register, value, kept) in source.chain.cut_registers() {
        let name = register.name();
        complain(format!(
            "cp2: note: {name} = {value:#x} is kept as {kept:#x}: a write drops its lowest bits"
        ));
    }
    let choice =
        MachineChoice { machine: arguments.machine.clone(), changes: arguments.changes.clone() };
    let Some(config) = machine::config(&choice)? else { return Ok(Exit::Usage) };
    let mut machine = loaded(arguments, &config, &source.chain, (&memory, &arrays))?;
    // From here on a signal ends the run, not the command: it still writes what it promised.
    let finishing = Finishing::begin();
    let outputs = Outputs::open(arguments, wanted, &arrays, &machine)?;
    let run = (arguments, &finishing);
    let report = outputs.run(run, &mut machine, &config, &source.chain)?;
    complain_of_end(&report, &source, &sources);
    Ok(match report.end {
        ChainEnd::Stopped | ChainEnd::Asked => Exit::Success,
        ChainEnd::Fault(_) => Exit::Guest,
        ChainEnd::Waiting { .. } | ChainEnd::Limit(_) => Exit::Limit,
        ChainEnd::Interrupted => finishing.came().map_or(Exit::Success, signals::exit),
    })
}

fn usage(message: impl std::fmt::Display) -> Failure {
    Failure { exit: Exit::Usage, message: format!("cp2: error: {message}") }
}

/// Reads a number as arguments write it: decimal, or hexadecimal after `0x`.
fn number(text: &str) -> Option<u64> {
    let digits = text.replace('_', "");
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// Reads `FILE` or `FILE@ADDRESS`; a file may have `@` in its name.
fn memory_argument(text: &str) -> Outcome<(PathBuf, u64)> {
    match text.rsplit_once('@') {
        None => Ok((text.into(), 0)),
        Some((file, address)) => match number(address) {
            Some(address) if !file.is_empty() => Ok((file.into(), address)),
            _ if Path::new(text).exists() => Ok((text.into(), 0)),
            _ => Err(usage(format!(
                "--memory {text}: `{address}` is not an address; write FILE@ADDRESS, such as in.bin@0x1000"
            ))),
        },
    }
}

/// Bytes of memory that are written to a file.
struct MemoryOut {
    path: PathBuf,
    address: MemoryAddress,
    bytes: u64,
}

fn memory_out_argument(text: &str) -> Outcome<MemoryOut> {
    let parts = text.rsplit_once('@').and_then(|(file, range)| {
        let (address, bytes) = range.split_once('+')?;
        Some((file, MemoryAddress(number(address)?), number(bytes)?))
    });
    match parts {
        Some((file, address, bytes)) if !file.is_empty() => {
            Ok(MemoryOut { path: file.into(), address, bytes })
        }
        _ => Err(usage(format!(
            "--memory-out {text}: write FILE@ADDRESS+BYTES, such as out.bin@0x1000+4096"
        ))),
    }
}

fn register_argument(text: &str) -> Outcome<(cp2_emu::dma::DmaRegister, u32)> {
    let names = Chain::REGISTERS.map(|r| r.name().to_ascii_lowercase()).join(", ");
    let parts = text.split_once('=').and_then(|(name, value)| {
        let known = |r: &cp2_emu::dma::DmaRegister| r.name().eq_ignore_ascii_case(name.trim());
        let register = Chain::REGISTERS.into_iter().find(known)?;
        Some((register, value.trim()))
    });
    let Some((register, value)) = parts else {
        return Err(usage(format!("--register {text}: write NAME=VALUE; the names are {names}")));
    };
    let limit = chain::register_limit(register);
    match number(value).and_then(|value| i64::try_from(value).ok()) {
        Some(value) if limit.takes(value) => Ok((register, value as u32)),
        _ => Err(usage(format!("--register {text}: {} takes {limit}", register.name()))),
    }
}

fn check_files(
    arguments: &Dma,
    memory: &[(PathBuf, u64)],
    wanted: &[MemoryOut],
    arrays: &Wanted,
) -> Outcome<()> {
    let machine = arguments.machine.as_deref().map(Path::new);
    let mut inputs =
        vec![Some(arguments.descriptors.as_path()), arguments.local.as_deref(), machine];
    inputs.extend(memory.iter().map(|(path, _)| Some(path.as_path())));
    inputs.extend(arrays.inputs().map(Some));
    let text = (arguments.json || arguments.map).then_some(Path::new("-"));
    let mut outputs = vec![
        arguments.dump.as_deref(),
        arguments.beats.as_deref(),
        arguments.picture.as_deref(),
        arguments.output.as_deref(),
        text,
    ];
    outputs.extend(wanted.iter().map(|out| Some(out.path.as_path())));
    outputs.extend(arrays.outputs().map(Some));
    files::check(&inputs, &outputs)
}

fn read(arguments: &Dma) -> Outcome<(ChainSource, Sources)> {
    let path = &arguments.descriptors;
    let (name, text) = program::text(path)?;
    let mut sources = Sources::default();
    let file = sources.add(name, text);
    let is_hex = match arguments.format {
        ChainFormat::Auto => path.extension().is_some_and(|e| e == "hex"),
        given => given == ChainFormat::Hex,
    };
    let read = if is_hex { chain::read_hex } else { chain::read_toml };
    match read(&sources, file) {
        Ok(source) => Ok((source, sources)),
        Err(problems) => Err(program::refused(&problems, &sources)),
    }
}

fn emit(arguments: &Dma, chain: &Chain, form: ChainForm) -> Outcome {
    let text = match form {
        ChainForm::Toml => chain::write_toml(chain),
        ChainForm::Hex => chain::write_hex(chain).map_err(bad_input)?,
    };
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    files::write(path, text.as_bytes())?;
    Ok(Exit::Success)
}

/// Returns a machine after reset with the chain, memory and local memory.
fn loaded(
    arguments: &Dma,
    config: &MachineConfig,
    chain: &Chain,
    (memory, arrays): (&[(PathBuf, u64)], &Wanted),
) -> Outcome<Machine> {
    let mut machine = Machine::new(config);
    let mut pieces = Vec::new();
    for (path, address) in memory {
        let name = program::name_of(path);
        let bytes = files::read(path)?;
        let bytes = match path.extension() {
            Some(e) if e == "npy" => {
                npy::big_endian_bytes(&bytes).map_err(|e| bad_input(format!("{name}: {e}")))?
            }
            _ => bytes,
        };
        pieces.push(Piece { name, address: MemoryAddress(*address), bytes });
    }
    for (transfer, array) in arrays.loads()? {
        let (address, bytes) = load_memory(&machine, &transfer, &array)?;
        pieces.push(Piece { name: transfer.path.clone(), address, bytes });
    }
    chain::load(&mut machine, chain, &pieces)
        .map_err(|problems| bad_input(problems.join("\ncp2: error: ")))?;
    if let Some(path) = &arguments.local {
        let place = |e: &dyn std::fmt::Display| bad_input(format!("{}: {e}", path.display()));
        let value: Value = serde_json::from_slice(&files::read(path)?).map_err(|e| place(&e))?;
        machine.cp2.state.load_json(config.core(), &value).map_err(|e| place(&e))?;
    }
    Ok(machine)
}

/// Outputs of a run. Files are opened before the run, so that a place that cannot be written costs no work.
struct Outputs<'a> {
    beats: Option<(&'a Path, BeatTable<Target>)>,
    dump: Option<Output>,
    picture: Option<Output>,
    memory: Vec<(MemoryOut, Option<Output>)>,
    arrays: Vec<(FileTransfer, Option<Output>)>,
    /// Whether standard output is taken, so that no report goes there.
    is_quiet: bool,
}

fn open(path: Option<&Path>) -> Outcome<Option<Output>> {
    path.filter(|path| !files::is_standard(path)).map(Output::open).transpose()
}

impl<'a> Outputs<'a> {
    fn open(
        arguments: &'a Dma,
        wanted: Vec<MemoryOut>,
        arrays: &Wanted,
        machine: &Machine,
    ) -> Outcome<Self> {
        let core = machine.cp2.core();
        let beats = arguments.beats.as_deref();
        let beats = beats.map(|path| {
            let format = trace_file::format_of(path).unwrap_or(TraceFormat::Text);
            let rows = BeatTable::begin(Target::open(path)?, format, core, arguments.beat_values);
            Outcome::Ok((path, rows.map_err(|e| files::cannot_write(path, e))?))
        });
        let mut memory = Vec::new();
        for out in wanted {
            let bytes = usize::try_from(out.bytes).unwrap_or(usize::MAX);
            machine
                .memory
                .check(out.address, bytes)
                .map_err(|e| bad_input(format!("--memory-out {}: {e}", out.path.display())))?;
            let file = open(Some(&out.path))?;
            memory.push((out, file));
        }
        let others = [&arguments.dump, &arguments.beats, &arguments.picture];
        let is_quiet = arrays.takes_standard_output()
            || others.into_iter().flatten().any(|path| files::is_standard(path));
        let array = |transfer: &FileTransfer| {
            // Once now, so that what cannot be stored costs no work.
            store_memory(machine, transfer)?;
            Ok((transfer.clone(), arrays.open(transfer)?))
        };
        Ok(Self {
            beats: beats.transpose()?,
            dump: open(arguments.dump.as_deref())?,
            picture: open(arguments.picture.as_deref())?,
            memory,
            arrays: arrays.stores().iter().map(array).collect::<Outcome<_>>()?,
            is_quiet,
        })
    }

    /// Runs the chain and writes the outputs.
    fn run(
        mut self,
        (arguments, finishing): (&Dma, &Finishing),
        machine: &mut Machine,
        config: &MachineConfig,
        chain: &Chain,
    ) -> Outcome<Report> {
        let releases = match arguments.release_after {
            Some(cycles) => Releases::After(cycles),
            None => {
                let mut cycles = arguments.release.clone();
                cycles.sort_unstable();
                Releases::In(cycles.into_iter().map(Cycle).collect())
            }
        };
        let stop_at = arguments.stop_at.map(Cycle);
        let script = Script { releases, stop_at, max_cycles: arguments.max_cycles };
        let is_drawn = arguments.map || arguments.picture.is_some();
        let mut drawn: Vec<Beat> = Vec::new();
        let mut sink = |descriptor: u32, beat: &Beat| {
            if let Some((_, rows)) = &mut self.beats {
                rows.add(descriptor, beat);
            }
            if is_drawn && drawn.len() < DRAWN {
                drawn.push(*beat);
            }
        };
        let progress = Progress::counting("cycles");
        let mut go_on = |cycles| {
            progress.at(cycles);
            finishing.came().is_none()
        };
        let report = chain::run(machine, config, chain, &script, &mut go_on, &mut sink);
        drop(progress);
        let is_quiet = self.is_quiet;
        self.write(arguments, machine, &report, &drawn)?;
        if arguments.json || !is_quiet {
            print(arguments, &report, &drawn, machine)?;
        }
        Ok(report)
    }

    fn write(
        self,
        arguments: &Dma,
        machine: &mut Machine,
        report: &Report,
        beats: &[Beat],
    ) -> Outcome<()> {
        if let Some((path, rows)) = self.beats {
            trace_file::commit(path, rows.finish())?;
        }
        if let Some(path) = &arguments.dump {
            let cp2 = &machine.cp2;
            let state = cp2.state.to_json(cp2.status(), report.cycles);
            files::finish(self.dump, path, format!("{state:#}\n").as_bytes())?;
        }
        for (out, file) in self.memory {
            let mut bytes = vec![0; out.bytes as usize];
            machine.memory.read(out.address, &mut bytes).map_err(bad_input)?;
            files::finish(file, &out.path, &bytes)?;
        }
        for (transfer, file) in self.arrays {
            arrays::write(&transfer, file, &store_memory(machine, &transfer)?)?;
        }
        if let Some(path) = &arguments.picture {
            let name = arguments.descriptors.file_name().unwrap_or_default().to_string_lossy();
            let core = machine.cp2.core();
            let picture = chain::picture(&name, report, beats, core);
            files::finish(self.picture, path, picture.as_bytes())?;
        }
        Ok(())
    }
}

fn print(arguments: &Dma, report: &Report, beats: &[Beat], machine: &Machine) -> Outcome<()> {
    if arguments.json {
        return files::print_json(&chain::to_json(report));
    }
    let mut text = chain::to_text(report);
    if arguments.map {
        text.push('\n');
        text += &chain::map(report, beats, machine.cp2.core().lmem_words());
    }
    files::print(text.as_bytes())
}

/// Returns the place of a field of a descriptor in the file, if the field is still what the file says.
fn place(report: &Report, source: &ChainSource, descriptor: u32, field: &str) -> Option<Span> {
    let place = source.places.get(descriptor as usize)?;
    let of_file = source.chain.descriptors.get(descriptor as usize)?.encode().ok()?;
    let visit = report.visits.iter().rev().find(|visit| visit.number == descriptor);
    let is_same = visit.is_none_or(|visit| visit.words.is_none_or(|words| words == of_file));
    is_same.then(|| place.of(field).clone())
}

/// Tells why a chain is not at its end.
fn complain_of_end(report: &Report, source: &ChainSource, sources: &Sources) {
    let error = |code, descriptor: u32, field: &str, message: String| {
        let span = place(report, source, descriptor, field);
        Diagnostic::new(code, Severity::Error, span, message)
    };
    let problem = match &report.end {
        ChainEnd::Stopped | ChainEnd::Asked => return,
        ChainEnd::Fault(fault) => {
            let field = match &fault.kind {
                DmaFaultKind::Invalid => "valid",
                DmaFaultKind::AddressLimit(..) | DmaFaultKind::OutsideMemory(_) => "memory",
                DmaFaultKind::Unaligned(field, ..) => field.name(),
                DmaFaultKind::CopyAbsent | DmaFaultKind::WordsAbsent => "kind",
                DmaFaultKind::CopyLengths(..) => "to",
            };
            error(codes::FAULT, fault.descriptor, field, fault.to_string())
        }
        ChainEnd::Waiting { descriptor, is_behind, since } => {
            let side = if *is_behind { "after" } else { "before" };
            let message = format!(
                "descriptor {descriptor} waits for start_dma {side} its data since cycle {since}, and none comes"
            );
            error(codes::ENDLESS, *descriptor, "sync", message).help(format!(
                "give it in a cycle: --release {since} or later; or in every wait: --release-after 0"
            ))
        }
        ChainEnd::Interrupted => {
            return complain(format!("cp2: interrupted after {} cycles", report.cycles));
        }
        ChainEnd::Limit(limit) => {
            let most = report
                .visits_by_descriptor
                .iter()
                .max_by_key(|(number, times)| (**times, u32::MAX - **number));
            let (descriptor, times) = most.map_or((0, 0), |(number, times)| (*number, *times));
            let message = format!("the chain did not end within {limit} cycles");
            let help = if times > 1 {
                format!(
                    "the channel fetched descriptor {descriptor} {times} times; end the chain with `stop = true`, or raise --max-cycles"
                )
            } else {
                "raise --max-cycles".to_owned()
            };
            error(codes::ENDLESS, descriptor, "", message).help(help)
        }
    };
    complain(program::rendered(&[problem], sources));
}
