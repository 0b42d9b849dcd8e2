//! Pairs of a random region: for a core and for a better one, or with fewer and with more promises. What the better schedule must not
//! be longer by.

use crate::core::{random, regions};
use crate::dice::Dice;
use crate::generate;
use cp2_asm::Scheduled;
use cp2_asm::sched::{BlockReport, takes_over};
use cp2_isa::{Core, CoreNumbers};

/// Advantage of the second of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gain {
    /// Latencies that are shorter, one or several.
    Latencies,
    Registers,
    Even,
    Disjoint,
    Min,
    Multiple,
    Expected,
}

impl Gain {
    const ALL: [Self; 7] = [
        Self::Latencies,
        Self::Registers,
        Self::Even,
        Self::Disjoint,
        Self::Min,
        Self::Multiple,
        Self::Expected,
    ];
}

/// A text for a core.
struct Side {
    core: Core,
    text: String,
}

/// Outcome of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Pairs that are the same, or of which one is refused.
    Nothing,
    NotLonger,
    /// Pairs with a longer block, though the better core cannot take over the schedule of the worse one.
    NotTaken,
}

/// Compares the schedules of a pair; an error tells what is longer.
pub(crate) fn compare(number: u64) -> Result<(Gain, Outcome), String> {
    let mut dice = Dice::new(!number);
    let gain = if dice.percent(50) { Gain::Latencies } else { dice.pick(&Gain::ALL) };
    let (mut worse, mut better) = pair(number, gain, &mut dice);
    let count = dice.between(LEAST_EXPECTED, 200) as i64;
    let expected = (gain == Gain::Expected || dice.percent(30)).then_some(count);
    if let Some(count) = expected {
        better.text = with_expected(&better.text, count);
        if gain != Gain::Expected {
            worse.text = with_expected(&worse.text, count);
        }
    }
    if (worse.core, &worse.text) == (better.core, &better.text) {
        return Ok((gain, Outcome::Nothing));
    }
    let made = [&worse, &better].map(|side| regions(side.core, &side.text));
    let [Ok(before), Ok(after)] = made else { return Ok((gain, Outcome::Nothing)) };
    let mut outcome = Outcome::NotLonger;
    for (before, after) in before.iter().zip(&after) {
        let Some(longer) = longer(before, after, expected) else { continue };
        let is_taken = || takes_over(&better.core, &worse.core, &before.region);
        if gain == Gain::Latencies && !is_taken().map_err(|error| error.message)? {
            outcome = Outcome::NotTaken;
            continue;
        }
        let cores = [worse.core, better.core].map(|core| *core.numbers());
        return Err(format!("pair {number}, {gain:?}: {longer}\n{cores:?}\n{}", better.text));
    }
    Ok((gain, outcome))
}

/// Returns the worse and the better side.
fn pair(number: u64, gain: Gain, dice: &mut Dice) -> (Side, Side) {
    let core = random(number);
    let text = generate::program_with(number, core.extensions());
    let mut pick = |low: u32, high: u32| dice.between(low as usize, high as usize) as u32;
    // The latencies up to which specs/src/linear.md promises something.
    let worse = CoreNumbers {
        load_latency: pick(2, 5),
        arithmetic_latency: pick(2, 8),
        psprmsgn_latency: pick(1, 5),
        mtfpr_latency: pick(1, 5),
        ..*core.numbers()
    };
    let better = match gain {
        Gain::Latencies => CoreNumbers {
            load_latency: pick(2, worse.load_latency),
            arithmetic_latency: pick(2, worse.arithmetic_latency),
            psprmsgn_latency: pick(1, worse.psprmsgn_latency),
            mtfpr_latency: pick(1, worse.mtfpr_latency),
            ..worse
        },
        // More than 64 are another encoding.
        Gain::Registers if worse.fprs <= 64 => CoreNumbers { fprs: pick(worse.fprs, 64), ..worse },
        Gain::Registers => CoreNumbers { fprs: 256, ..worse },
        _ => worse,
    };
    let fewer = match gain {
        Gain::Latencies | Gain::Registers | Gain::Expected => text.clone(),
        Gain::Even => without_lines(&text, ".even"),
        Gain::Disjoint => without_lines(&text, ".disjoint"),
        Gain::Min => lowered(&text, "min=", |min| u64::from(pick(1, min as u32))),
        Gain::Multiple => lowered(&text, "multiple=", |multiple| multiple / 2),
    };
    let [worse, better] = [worse, better].map(|numbers| Core::new(numbers).unwrap_or(core));
    (Side { core: worse, text: fewer }, Side { core: better, text })
}

/// Least count that is expected, no less than any that the texts promise.
const LEAST_EXPECTED: usize = 16;

/// Returns a text whose loops with their count in a register are expected to run so often.
fn with_expected(text: &str, count: i64) -> String {
    let line = |line: &str| {
        let is_counted = line.trim_start().starts_with(".loop g");
        let expected = if is_counted { format!(", expected={count}") } else { String::new() };
        format!("{line}{expected}\n")
    };
    text.lines().map(line).collect()
}

fn without_lines(text: &str, begin: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(begin));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Returns a text with the numbers behind a key replaced; those that become 0 are taken out.
fn lowered(text: &str, key: &str, mut number: impl FnMut(u64) -> u64) -> String {
    let mut line = |line: &str| {
        let Some((before, rest)) = line.split_once(key) else { return format!("{line}\n") };
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (value, behind) = rest.split_at(digits);
        match value.parse().map_or(0, &mut number) {
            0 => format!("{}{behind}\n", before.trim_end_matches(", ")),
            lower => format!("{before}{key}{lower}{behind}\n"),
        }
    };
    text.lines().map(&mut line).collect()
}

/// Tells which block of a region is longer than before.
fn longer(before: &Scheduled, after: &Scheduled, expected: Option<i64>) -> Option<String> {
    let pairs = before.report.blocks.iter().zip(&after.report.blocks);
    // Straight code may have got operations for the count of a loop that has more stages than before.
    let of_same = |(old, new): &(&BlockReport, &BlockReport)| {
        old.ii.is_some() || old.operations == new.operations
    };
    let mut pairs = pairs.filter(of_same).enumerate();
    pairs.find_map(|(k, (old, new))| {
        let is_longer = measure(new, expected) > measure(old, expected);
        is_longer.then(|| {
            format!(
                "block {k}: {} + {}, before {} + {}",
                new.cost, new.around, old.cost, old.around
            )
        })
    })
}

/// Returns the measure by which two schedules of a block are compared: cycles of an iteration, if the count is in a register, and then
/// cycles beside these; for a loop with those that it takes around its bundles. Where a count is expected, all cycles for that count.
fn measure(block: &BlockReport, expected: Option<i64>) -> (i64, i64) {
    let fixed = block.cost.0.get(&Vec::new()).copied().unwrap_or(0);
    let fixed = fixed + block.ii.map_or(0, |_| block.around);
    let each = block.cost.0.iter().filter(|(key, _)| !key.is_empty());
    let each = each.map(|(_, cycles)| cycles).sum();
    expected.map_or((each, fixed), |count| (0, fixed + each * count))
}
