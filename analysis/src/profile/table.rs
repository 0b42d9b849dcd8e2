//! The profile as tables: labels in the order of the program, the lines that cost most first.

use super::{ProfilePart, ProfileReport};
use crate::attribution::AttributedCost;
use crate::words::heading;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::sites::short;
use std::fmt::Write as _;

/// Number of lines that are shown at most; JSON has all of them.
const LINES: usize = 25;
/// The least share of the cycles that a line is shown for.
const LEAST: f64 = 0.002;
/// Number of characters of the longest bar.
const BAR: usize = 12;

pub(super) fn text(report: &ProfileReport, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
    let used: Vec<Cause> =
        Cause::ALL.into_iter().filter(|c| report.total.causes[*c as usize] > 0).collect();
    let mut text = String::from("\nprofile by label\n");
    text += &head(&used, "label");
    for part in &report.labels {
        text += &row(&used, part, &label(part));
    }
    text += &total(&used, &report.total);
    if report.loops.iter().any(|part| part.within.is_some()) {
        text += "\nprofile by hardware loop, inner loops apart from outer ones\n";
        text += &head(&used, "loop");
        for part in &report.loops {
            text += &row(&used, part, &loop_name(part));
        }
    }
    text += "\nprofile by source line, the most expensive first\n";
    text += &lines(&used, report, source);
    if report.shared > 0 {
        let _ = writeln!(
            text,
            "{:>12} cycles of bundles that two lines share, counted for both",
            report.shared
        );
    }
    text
}

fn label(part: &ProfilePart) -> String {
    match (&part.name, &part.kernel) {
        (Some(label), Some(kernel)) if label != kernel => format!("{kernel}: {label}"),
        (Some(name), _) => name.clone(),
        (None, _) => "(no label)".to_owned(),
    }
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
    let mut text = if shown.is_empty() { String::new() } else { head(used, "line") };
    for part in shown {
        let code = part.name.as_deref().and_then(|file| source(file, part.line));
        let code = code.map_or(String::new(), |code| format!("  {}", short_code(&code)));
        text += &row(used, part, format!("{:<width$}{code}", place(part)).trim_end());
    }
    let (n, most) = (rest.len(), rest.first().map_or(0, |part| part.cost.cycles()));
    if n > 0 {
        let cycles: u64 = rest.iter().map(|part| part.cost.cycles()).sum();
        let plural = if n == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "{cycles:>12} cycles in {n} more line{plural}, at most {most} in each; --json lists all"
        );
    }
    text
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

fn head(used: &[Cause], last: &str) -> String {
    let mut text = format!("{:>12} {:>7} {:<BAR$}", "cycles", "share", "");
    for cause in used {
        let _ = write!(text, " {:>10}", heading(*cause));
    }
    let _ = writeln!(text, " {:>12} {:>12}  {last}", "flops", "issues");
    text
}

fn row(used: &[Cause], part: &ProfilePart, name: &str) -> String {
    let percent = format!("{:.1} %", 100.0 * part.share());
    let mut text = format!("{:>12} {percent:>7} {:<BAR$}", part.cost.cycles(), bar(part.share()));
    text += &counts(used, &part.cost, part.issues);
    let _ = writeln!(text, "  {name}");
    text
}

fn total(used: &[Cause], cost: &BundleCost) -> String {
    let mut text = format!("{:>12} {:>7} {:<BAR$}", cost.cycles(), "", "");
    text += &counts(used, cost, AttributedCost::of(cost).issues);
    text += "  all\n";
    text
}

fn counts(used: &[Cause], cost: &BundleCost, issues: u64) -> String {
    let number = |n: u64| if n == 0 { "-".to_owned() } else { n.to_string() };
    let mut text = String::new();
    for cause in used {
        let _ = write!(text, " {:>10}", number(cost.causes[*cause as usize]));
    }
    let _ = write!(text, " {:>12} {:>12}", number(cost.flops), number(issues));
    text
}

/// Returns a bar in eighths of a character.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share * (8 * BAR) as f64).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}
