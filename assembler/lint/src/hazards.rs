//! C0501, C0502, C0503: what is said about accesses that come too early.

use super::finding::{Distances, Finding};
use super::program::Program;
use super::walk::{Early, Meeting, Pairs, Via};
use cp2_isa::rules::landing::{SurvivingWrite, surviving_write};
use cp2_isa::{Bundle, BundleAddress, Resource, Unit};
use std::collections::BTreeMap;

/// Further first accesses that a finding lists.
const MOST_RELATED: usize = 4;

fn bundles(n: u32) -> String {
    if n == 1 { "1 bundle".into() } else { format!("{n} bundles") }
}

fn cycles(n: u32) -> String {
    if n == 1 { "1 cycle".into() } else { format!("{n} cycles") }
}

fn list(resources: &[Resource]) -> String {
    let names: Vec<String> = resources.iter().map(Resource::to_string).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 3 => format!("{first} to {last}"),
        _ => names.join(" and "),
    }
}

/// Replaces halves of one register that share a fate by the register.
fn merge_halves(resources: &[Resource]) -> Vec<Resource> {
    let mut merged: Vec<Resource> = Vec::new();
    for &resource in resources {
        match (merged.last_mut(), resource) {
            (Some(Resource::Fpr(n, x)), Resource::Fpr(m, y)) if *n == m => *x |= y,
            _ => merged.push(resource),
        }
    }
    merged
}

fn path(via: Via) -> &'static str {
    match via {
        Via::Straight => "",
        Via::Skip => " if the loop runs zero times",
        Via::Jump => " through the jump",
        Via::Call => " through the call",
        Via::Return => " through the return",
        Via::Back => " through the loop's back edge",
    }
}

/// Returns a later distance that is in order, in words.
fn fix(meeting: &Meeting) -> String {
    let lack = bundles(meeting.lack());
    match meeting.via {
        Via::Straight => format!("issue it {lack} later, at distance {}", meeting.needed),
        via => format!(
            "put {lack} more between them, for a distance of {} on the path{}",
            meeting.needed,
            path(via)
        ),
    }
}

fn read(at: BundleAddress, from: BundleAddress, what: &str, meeting: &Meeting) -> Finding {
    let Meeting { found, needed, via, .. } = *meeting;
    // Several registers are a list of names with blanks.
    let is_read = if what.contains(' ') { "are read before their" } else { "is read before its" };
    let message = format!(
        "{what} {is_read} value arrives: {} after the write{}, but it takes {needed}",
        cycles(found),
        path(via)
    );
    let written = if from == at { "written here an iteration before" } else { "written here" };
    Finding::new("C0501", at, message)
        .label(format!("reads the old value of {what}"))
        .related(from, written)
        .help(format!("{}, or mark it `@allow(C0501)` if the old value is meant", fix(meeting)))
}

fn collision(
    program: &Program<'_>,
    at: BundleAddress,
    from: BundleAddress,
    what: &str,
    meeting: &Meeting,
) -> Finding {
    let [older, younger] = meeting.units;
    let (stays, label, related) = if surviving_write(older, younger) == SurvivingWrite::Younger {
        let label = format!("replaces {what} in the cycle in which the other write lands");
        ("this one stays".to_owned(), label, "the other write; its result is lost")
    } else {
        let kind = if is_arithmetic(older) { "arithmetic result" } else { "permuted result" };
        let stays = match program.get(from).map_or(0, |d| predicate(&d.bundle, older)) {
            0 => format!("the older, {kind} stays"),
            cc => format!("the older, {kind} stays where cc{cc} is 1"),
        };
        let bypass = bundles(program.core.latencies().load_to_permute);
        let label = format!("what is loaded into {what} is lost, but for a `psprmsgn` {bypass} on");
        (stays, label, "the other write; its result stays")
    };
    let message = format!(
        "two writes land on {what} in one cycle: this one is issued {} after the other{}, and {stays}",
        cycles(meeting.found),
        path(meeting.via)
    );
    Finding::new("C0502", at, message).label(label).related(from, related).help(fix(meeting))
}

fn is_arithmetic(unit: Unit) -> bool {
    matches!(unit, Unit::Arithmetic | Unit::Creg)
}

/// Returns the predicate that a write of a bundle by a unit obeys; 0 if none.
fn predicate(bundle: &Bundle, unit: Unit) -> u8 {
    let row = if is_arithmetic(unit) { bundle.arith.op.row() } else { bundle.exch.op.row() };
    if row.obeys(bundle.cc) { bundle.cc } else { 0 }
}

/// Reports the write of the bundle `at`, which lands before the write of the bundle `from` although it was issued no earlier.
/// `late`: cycles from the landing of this write to that of the other.
fn overtaking(
    at: BundleAddress,
    from: BundleAddress,
    what: &str,
    meeting: &Meeting,
    late: u32,
) -> Finding {
    let issue = match meeting.found {
        0 => "the other half of the bundle".to_owned(),
        found => format!("an operation issued {} before{}", cycles(found), path(meeting.via)),
    };
    let message =
        format!("{what} is written out of order: {issue} writes it {} later", cycles(late));
    Finding::new("C0503", at, message)
        .label(format!("{what} keeps this result only for {}", cycles(late)))
        .related(from, "this write lands last")
        .help(fix(meeting))
}

/// Returns the findings of all pairs: one per later access and first access that is worst for it, with the registers that
/// share these.
pub(super) fn findings(program: &Program<'_>, pairs: &Pairs) -> Vec<Finding> {
    type Key = (BundleAddress, Early, BundleAddress, Meeting);
    let mut groups: BTreeMap<Key, (Vec<Resource>, Vec<BundleAddress>)> = BTreeMap::new();
    for (&(at, early, what), meetings) in pairs {
        let Some((&from, &worst)) = meetings.iter().max_by_key(|(_, meeting)| meeting.lack())
        else {
            continue;
        };
        let (resources, others) = groups.entry((at, early, from, worst)).or_default();
        resources.push(what);
        others.extend(meetings.keys().filter(|&&other| other != from));
    }
    let mut findings = Vec::new();
    for ((at, early, from, meeting), (resources, mut others)) in groups {
        let what = list(&merge_halves(&resources));
        let mut finding = match early {
            Early::Read => read(at, from, &what, &meeting),
            Early::Collision => collision(program, at, from, &what, &meeting),
            Early::Overtaking => {
                let together = u32::from(resources.first() != Some(&Resource::Fpe));
                overtaking(at, from, &what, &meeting, meeting.lack() - together)
            }
        };
        others.sort_unstable();
        others.dedup();
        for other in others.into_iter().take(MOST_RELATED) {
            finding = finding.related(other, "also too close");
        }
        finding.distances = Some(Distances { found: meeting.found, needed: meeting.needed });
        findings.push(finding);
    }
    findings
}
