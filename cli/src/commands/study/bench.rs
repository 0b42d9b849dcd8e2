//! `cp2 bench`.

use crate::args::{Bench, CacheChoice, Changes, CoreChoice};
use crate::input::workload;
use crate::input::{machine, program};
use crate::process::exit::{Exit, Outcome, bad_input, complain, usage};
use crate::process::progress::Progress;
use crate::storage::files;
use cp2_isa::Core;
use cp2_session::workload::Platform;
use cp2_workloads::bench::other::{CoreCount, CoreReport};
use cp2_workloads::bench::{self, CountRow, Counted};
use cp2_workloads::speed::{self, Repetitions};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn bench(arguments: &Bench) -> Outcome {
    if arguments.speed {
        return measure(arguments);
    }
    let core = machine::core(&arguments.core)?;
    let kernels = counted(arguments)?;
    let compares = arguments.check || arguments.bless || core != Core::CP2;
    if let (Some(_), false) = (&arguments.golden, compares) {
        return Err(usage(
            "--golden: no golden file is used; give --check, --bless or another core",
        ));
    }
    if core != Core::CP2 {
        return on_another(arguments, &core, &kernels);
    }
    let progress = Progress::new("kernels", kernels.len() as u64);
    let rows = bench::count(&kernels, &core, |done| progress.at(done));
    let rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
    drop(progress);
    let counts = bench::to_json(&rows);
    if arguments.json {
        files::print_json(&counts)?;
    } else {
        files::print(table(&rows).as_bytes())?;
    }
    let wrong = rows.iter().filter_map(|row| Some((&row.kernel, row.verdict.complaint.as_ref()?)));
    for (kernel, complaint) in wrong.clone() {
        complain(format!("cp2: {kernel}: {complaint}"));
    }
    if wrong.count() > 0 {
        return Ok(Exit::Check);
    }
    if arguments.bless {
        let path = arguments.golden.as_deref().unwrap_or(Path::new(GOLDEN));
        files::write(path, format!("{counts:#}\n").as_bytes())?;
    }
    if arguments.check {
        return check(arguments, &rows);
    }
    Ok(Exit::Success)
}

/// Returns the kernels and the workloads of files with these names, each once; all kernels if there are no names.
fn counted(arguments: &Bench) -> Outcome<Vec<Counted>> {
    let names = &arguments.kernels;
    let unknown = |name: String| {
        bad_input(format!(
            "`cp2 bench` counts no kernel `{name}`; without names it lists all that it counts"
        ))
    };
    if names.is_empty() {
        return bench::counted(names).map_err(unknown);
    }
    let mut all = Vec::new();
    for (k, name) in names.iter().enumerate().filter(|(k, name)| !names[..*k].contains(name)) {
        if workload::is_file(name) {
            let commands = arguments.commands.allow_commands.into();
            let file = workload::open(name, commands)?;
            workload::note_unchecked(name, &file, commands);
            let CoreChoice { machine, .. } = arguments.core.clone();
            let usual = CoreChoice { machine, changes: Changes::default() };
            let of = |core: &CoreChoice| -> Outcome<_> {
                Ok(machine::of_core(core)?.filter(|_| file.has_passes()))
            };
            let machines = [of(&arguments.core)?, of(&usual)?];
            let has_machine = machines[0].is_some();
            let platform = if has_machine { Platform::Machine } else { Platform::Cp2 };
            all.push(Counted::of(file.on(platform).map_err(usage)?, machines));
        } else {
            all.extend(bench::counted(&names[k..=k]).map_err(unknown)?);
        }
    }
    Ok(all)
}

/// Path of the golden file in the repository.
const GOLDEN: &str = "programs/golden/cycles.json";

fn measure(arguments: &Bench) -> Outcome {
    let environment = program::environment(CacheChoice { no_cache: false });
    let before = load();
    let repeats = usize::from(arguments.repeats);
    let progress = Progress::new("turns", (speed::MEASURED * repeats) as u64);
    let mut done = 0;
    let mut after_each = || {
        done += 1;
        progress.at(done);
    };
    let mut report =
        speed::report(&environment, Repetitions { repeats, after_each: &mut after_each })?;
    drop(progress);
    report.loads = [before, load()];
    if arguments.json {
        files::print_json(&report.to_json())?;
    } else {
        let show = |load: Option<f64>| load.map_or("?".to_owned(), |x| format!("{x:.1}"));
        let [before, after] = report.loads.map(show);
        let text = format!("{report}\nLoad of this machine: {before} before, {after} after.\n");
        files::print(text.as_bytes())?;
    }
    Ok(Exit::Success)
}

/// Returns the number of processes that wanted a core on average over the last minute, where the native machine tells. Other
/// work takes its share of every speed, and of the cores of many machines.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// Reads the golden file; returns its name and its content.
fn golden(arguments: &Bench) -> Outcome<(String, Value)> {
    let (name, bytes) = match &arguments.golden {
        Some(path) => (path.display().to_string(), files::read(path)?),
        None => ("the built-in golden file".to_owned(), cp2_evidence::golden::CYCLES.into()),
    };
    let golden = serde_json::from_slice(&bytes).map_err(|e| bad_input(format!("{name}: {e}")))?;
    Ok((name, golden))
}

/// Reports the counts on another core, beside those of CP2.
fn on_another(arguments: &Bench, core: &Core, kernels: &[Counted]) -> Outcome {
    if arguments.check || arguments.bless {
        return Err(usage(
            "the golden file is for the core of CP2; leave out --check and --bless, or the changes of the core",
        ));
    }
    let golden = golden(arguments)?.1;
    let progress = Progress::new("kernels", kernels.len() as u64);
    let report = CoreReport::new(core, kernels, &golden, |done| progress.at(done));
    drop(progress);
    if arguments.json {
        files::print_json(&report.to_json())?;
    } else {
        files::print(comparison(&report).as_bytes())?;
    }
    let wrong: Vec<_> = report.entries.iter().filter(|entry| entry.is_wrong()).collect();
    for CoreCount { kernel, row, .. } in &wrong {
        let complaint = match row {
            Ok(row) => row.verdict.complaint.clone().unwrap_or_default(),
            Err(error) => error.to_string(),
        };
        complain(format!("cp2: {kernel}: {complaint}"));
    }
    let exit = |entry: &&CoreCount| match &entry.row {
        Ok(_) => Exit::Check,
        Err(error) => error.kind().into(),
    };
    Ok(wrong.first().map_or(Exit::Success, exit))
}

/// Returns the table for another core.
fn comparison(report: &CoreReport) -> String {
    let mut text = format!("core: {}\n\n", report.core.changes().join(", "));
    let _ = writeln!(
        text,
        "{:<22} {:<15} {:>8} {:>9} {:>9} {:>8} {:>9} {:>9} {:>6}",
        "kernel",
        "per section",
        "cycles",
        "per unit",
        "bound",
        "percent",
        "CP2",
        "per unit",
        "ratio"
    );
    for entry in &report.entries {
        let row = match &entry.row {
            Ok(row) => row,
            Err(error) => {
                let _ = writeln!(text, "{:<22} {error}", entry.kernel);
                continue;
            }
        };
        let decimals = decimals(row);
        let dash = || "-".to_owned();
        let usual = entry.usual.map_or_else(dash, |n| n.to_string());
        let per_unit = entry.usual_per_unit.map_or_else(dash, |x| format!("{x:.decimals$}"));
        let ratio = entry.ratio().map_or_else(dash, |x| format!("{x:.2}"));
        let wrong = match row.verdict.is_right() {
            Some(true) => "",
            Some(false) => "  wrong result",
            None => "  not checked",
        };
        let _ =
            writeln!(text, "{} {usual:>9} {per_unit:>9} {ratio:>6}{wrong}", counts(row, decimals));
    }
    text
}

fn check(arguments: &Bench, rows: &[CountRow]) -> Outcome {
    let (name, golden) = golden(arguments)?;
    let differences = bench::differences(rows, &golden, arguments.kernels.is_empty());
    for line in &differences {
        complain(format!("cp2: {line}"));
    }
    if differences.is_empty() {
        return Ok(Exit::Success);
    }
    complain(format!("cp2: the counts differ from {name}; `cp2 bench --bless` accepts them"));
    Ok(Exit::Check)
}

/// Returns the number of decimals of a count: small numbers need them, large ones have none to tell.
fn decimals(row: &CountRow) -> usize {
    if row.per_unit() < 10.0 { 3 } else { 1 }
}

/// Returns the columns that every table begins with.
fn counts(row: &CountRow, decimals: usize) -> String {
    let plural = if row.count == 1 || row.unit.ends_with("psmadd") { "" } else { "s" };
    let work = format!("{} {}{plural}", row.count, row.unit);
    format!(
        "{:<22} {work:<15} {:>8} {:>9.decimals$} {:>9.decimals$} {:>7.1}%",
        row.kernel,
        row.cycles,
        row.per_unit(),
        row.bound,
        row.percent(),
    )
}

fn table(rows: &[CountRow]) -> String {
    let mut text = format!(
        "{:<22} {:<15} {:>8} {:>9} {:>9} {:>8} {:>12} {:>6}\n",
        "kernel", "per section", "cycles", "per unit", "bound", "percent", "dissertation", "ratio"
    );
    for row in rows {
        let dash = || "-".to_owned();
        let published = row.published.map_or_else(dash, |p| p.to_string());
        let ratio = row.ratio().map_or_else(dash, |r| format!("{r:.2}"));
        let _ = writeln!(text, "{} {published:>12} {ratio:>6}", counts(row, decimals(row)));
    }
    text + &notes("Ratios:", rows, |row| row.sides)
        + &notes("In local memory:", rows, |row| row.permuted)
        + &notes("With extensions:", rows, |row| row.needs)
        + &notes("Results:", rows, |row| {
            (!row.verdict.is_checked).then_some("nothing checked them")
        })
}

/// Returns the notes on rows, each remark once with the kernels that it is for.
fn notes(title: &str, rows: &[CountRow], of: fn(&CountRow) -> Option<&'static str>) -> String {
    let mut remarks: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(remark) = of(row) else { continue };
        match remarks.iter_mut().find(|(known, _)| *known == remark) {
            Some((_, kernels)) => kernels.push(&row.kernel),
            None => remarks.push((remark, vec![&row.kernel])),
        }
    }
    if remarks.is_empty() {
        return String::new();
    }
    let lines =
        remarks.iter().map(|(remark, kernels)| format!("  {}: {remark}\n", kernels.join(", ")));
    format!("\n{title}\n{}", lines.collect::<String>())
}
