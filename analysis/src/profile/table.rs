//! The profile as tables: labels in the order of the program, the lines that cost most first.

use super::{ProfilePart, ProfileReport};
use crate::attribution::AttributedCost;
use crate::words::heading;
use cp2_document::width::{ColumnSide, TextTable};
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::sites::short;

/// Number of lines that are shown at most; JSON has all of them.
const LINES: usize = 25;
/// The least share of the cycles that a line is shown for.
const LEAST: f64 = 0.002;
/// Number of characters of the longest bar.
const BAR: usize = 8;

pub(super) fn text(report: &ProfileReport, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
    let used: Vec<Cause> =
        Cause::ALL.into_iter().filter(|c| report.total.causes[*c as usize] > 0).collect();
    let mut labels = table(&used, report, "label");
    for part in &report.labels {
        labels.row(row(&used, part), label(part));
    }
    labels.row(total(&used, &report.total), "all");
    let mut text = "\nprofile by label\n".to_owned() + &labels.text();
    if report.loops.iter().any(|part| part.within.is_some()) {
        let mut loops = table(&used, report, "loop");
        for part in &report.loops {
            loops.row(row(&used, part), loop_name(part));
        }
        text += "\nprofile by hardware loop, inner loops apart from outer ones\n";
        text += &loops.text();
    }
    if !report.stages.is_empty() {
        let mut stages = table(&used, report, "stage");
        for part in &report.stages {
            stages.row(row(&used, part), stage(part));
        }
        stages.row(total(&used, &report.total), "all");
        text += "\nprofile by stage, as notes of the source name it\n";
        text += &stages.text();
    }
    text += "\nprofile by source line, the most expensive first\n";
    text + &lines(&used, report, source)
}

fn label(part: &ProfilePart) -> String {
    match (&part.name, &part.kernel) {
        (Some(label), Some(kernel)) if label != kernel => format!("{kernel}: {label}"),
        (Some(name), _) => name.clone(),
        (None, _) => "(no label)".to_owned(),
    }
}

fn stage(part: &ProfilePart) -> String {
    let name = part.name.as_deref().unwrap_or("(no stage)");
    part.kernel.as_ref().map_or(name.to_owned(), |kernel| format!("{kernel}: {name}"))
}

pub(crate) fn loop_name(part: &ProfilePart) -> String {
    let place = part.name.as_deref().unwrap_or_default();
    match part.within {
        None => "(in no loop)".to_owned(),
        Some((_, depth)) => format!("{:1$}loop at {place}", "", 2 * depth as usize),
    }
}

/// Returns the table of the lines that cost most, each with its source.
fn lines(
    used: &[Cause],
    report: &ProfileReport,
    source: &dyn Fn(&str, u32) -> Option<String>,
) -> String {
    let mut lines: Vec<&ProfilePart> = report.lines.iter().collect();
    lines.sort_by_key(|part| std::cmp::Reverse(part.cost.cycles()));
    let n_shown = lines.iter().take(LINES).take_while(|part| part.share() >= LEAST).count();
    let (shown, rest) = lines.split_at(n_shown);
    let width = shown.iter().map(|part| place(part).chars().count()).max().unwrap_or(0);
    let mut table = table(used, report, "line");
    for part in shown {
        let code = part.name.as_deref().and_then(|file| source(file, part.line));
        let code = code.map_or(String::new(), |code| format!("  {}", short_code(&code)));
        table.row(row(used, part), format!("{:<width$}{code}", place(part)));
    }
    let (n, most) = (rest.len(), rest.first().map_or(0, |part| part.cost.cycles()));
    if n > 0 {
        let cycles: u64 = rest.iter().map(|part| part.cost.cycles()).sum();
        let plural = if n == 1 { "" } else { "s" };
        let what =
            format!("cycles in {n} more line{plural}, at most {most} in each; --json lists all");
        table.note(cycles.to_string(), what);
    }
    if report.shared > 0 {
        let what = "cycles of bundles that two lines share, counted for both";
        table.note(report.shared.to_string(), what);
    }
    table.text()
}

fn place(part: &ProfilePart) -> String {
    match &part.name {
        Some(file) => format!("{}:{}", short(file), part.line),
        None => "(no line)".to_owned(),
    }
}

/// Returns the begin of a line of source.
fn short_code(code: &str) -> String {
    const MOST: usize = 60;
    let code = code.trim();
    match code.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", code[..end].trim_end()),
        None => code.to_owned(),
    }
}

/// Returns an empty table with the columns of all tables of a profile.
fn table(used: &[Cause], report: &ProfileReport, last: &str) -> TextTable {
    use ColumnSide::{Left, Right};
    let mut columns = vec![("cycles", Right), ("share", Right), ("", Left)];
    columns.extend(used.iter().map(|cause| (heading(*cause), Right)));
    columns.extend([("flops", Right), ("issues", Right)]);
    let mut table = TextTable::new(&columns, last);
    let mut widest = total(used, &report.total);
    widest[2] = bar(1.0);
    table.reserve(widest);
    table
}

fn row(used: &[Cause], part: &ProfilePart) -> Vec<String> {
    let percent = format!("{:.1} %", 100.0 * part.share());
    let mut row = vec![part.cost.cycles().to_string(), percent, bar(part.share())];
    row.extend(counts(used, &part.cost, part.issues));
    row
}

fn total(used: &[Cause], cost: &BundleCost) -> Vec<String> {
    let mut row = vec![cost.cycles().to_string(), String::new(), String::new()];
    row.extend(counts(used, cost, AttributedCost::of(cost).issues));
    row
}

fn counts(used: &[Cause], cost: &BundleCost, issues: u64) -> Vec<String> {
    let causes = used.iter().map(|cause| cost.causes[*cause as usize]);
    let number = |n: u64| if n == 0 { "-".to_owned() } else { n.to_string() };
    causes.chain([cost.flops, issues]).map(number).collect()
}

/// Returns a bar in eighths of a character.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (8 * BAR) as f64).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}
