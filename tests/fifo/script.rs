//! Random scripts: what the host pushes and how fast, and the kernels that it finds.

use super::model::{BUNDLES, Entry, Simple};
use cp2_tests::SplitMix64;

/// Bundles that stores may reach; every one of them ends a kernel unless something else is there.
const REGION: u16 = 600;
/// Addresses of the kernels, to which g1 to g3 point.
const KERNELS: [u16; 3] = [200, 240, 280];
/// Addresses at which programs are loaded, to one of which g4 points.
const LOADED: [u16; 4] = [300, 320, 340, 380];
/// Registers of `run` and `jump`; g5 to g7 hold data, g8 to g11 readings of STATUS.
const RUN_GPRS: u64 = 3;
const JUMP_GPR: u8 = 4;

/// Begin of a random test, and the entries that the host pushes.
pub(crate) struct Script {
    pub(crate) iram: Vec<Simple>,
    pub(crate) gpr: [u64; 16],
    pub(crate) entries: Vec<Entry>,
    /// Number of cycles of which the host pushes in one, on average.
    pub(crate) pace: u64,
}

pub(crate) fn script(s: &mut SplitMix64) -> Script {
    let mut iram = vec![Simple::Nop; BUNDLES];
    for (k, bundle) in iram[..usize::from(REGION)].iter_mut().enumerate() {
        *bundle = Simple::Stopi(k as u16);
    }
    for kernel in KERNELS {
        for bundle in &mut iram[usize::from(kernel)..][..s.below(14) as usize] {
            *bundle = plain(s);
        }
    }
    let mut gpr = [0; 16];
    for g in &mut gpr[1..4] {
        *g = address(s, &KERNELS).into();
    }
    gpr[usize::from(JUMP_GPR)] = address(s, &LOADED).into();
    let mut entries = Vec::new();
    while entries.len() < 40 {
        piece(s, &mut entries);
    }
    Script { iram, gpr, entries, pace: 1 + s.below(12) }
}

fn address(s: &mut SplitMix64, of: &[u16]) -> u16 {
    of[s.below(of.len() as u64) as usize]
}

fn data(s: &mut SplitMix64) -> u8 {
    5 + s.below(3) as u8
}

/// Returns a bundle that does not change the flow, or lets it rest.
fn plain(s: &mut SplitMix64) -> Simple {
    match s.below(12) {
        0..3 => Simple::Nop,
        3..6 => Simple::Seti(data(s), s.below(1 << 16) as u16),
        6..8 => Simple::Copy(data(s), data(s)),
        8..10 => Simple::ReadStatus(8 + s.below(4) as u8),
        10 => Simple::Seti(1 + s.below(RUN_GPRS) as u8, address(s, &KERNELS)),
        _ => Simple::Sync,
    }
}

/// Returns a bundle that is sure to do nothing to the flow.
fn quiet(s: &mut SplitMix64) -> Simple {
    match s.below(3) {
        0 => Simple::Nop,
        1 => Simple::Seti(data(s), s.below(1 << 16) as u16),
        _ => Simple::Copy(data(s), data(s)),
    }
}

fn piece(s: &mut SplitMix64, entries: &mut Vec<Entry>) {
    match s.below(10) {
        0..3 => entries.push(Entry::Execute(plain(s))),
        3..6 => start(s, entries),
        6 => {
            // Maybe too late for the `run`.
            let g = 1 + s.below(RUN_GPRS) as u8;
            entries.push(Entry::Execute(Simple::Seti(g, address(s, &KERNELS))));
            (0..s.below(4)).for_each(|_| entries.push(Entry::Execute(quiet(s))));
            entries.push(Entry::Execute(Simple::Run(g)));
            behind_run(s, entries);
        }
        7..9 => load(s, entries),
        _ => entries.push(Entry::Store(stored(s))),
    }
}

fn start(s: &mut SplitMix64, entries: &mut Vec<Entry>) {
    let run = match s.below(3) {
        0 => Simple::Run(1 + s.below(RUN_GPRS) as u8),
        1 => Simple::Runi(address(s, &LOADED)),
        _ => Simple::Runi(address(s, &KERNELS)),
    };
    entries.push(Entry::Execute(run));
    behind_run(s, entries);
}

/// Adds the entry that may still be taken before the kernel begins: no jump, `run` or `sync`.
fn behind_run(s: &mut SplitMix64, entries: &mut Vec<Entry>) {
    entries.push(match s.below(3) {
        0 => Entry::Store(stored(s)),
        _ => Entry::Execute(quiet(s)),
    });
}

fn load(s: &mut SplitMix64, entries: &mut Vec<Entry>) {
    let jump = if s.one_in(2) {
        let at = address(s, &LOADED);
        entries.push(Entry::Execute(Simple::Seti(JUMP_GPR, at)));
        (0..s.below(2)).for_each(|_| entries.push(Entry::Execute(quiet(s))));
        Simple::Jump(JUMP_GPR)
    } else {
        Simple::Jumpi(address(s, &LOADED))
    };
    entries.push(Entry::Execute(jump));
    // Mostly far enough from the jump for the first word to go there.
    if !s.one_in(4) {
        entries.push(Entry::Execute(quiet(s)));
    }
    (0..1 + s.below(6)).for_each(|_| entries.push(Entry::Store(stored(s))));
}

fn stored(s: &mut SplitMix64) -> Simple {
    match s.below(6) {
        0 => Simple::Stopi(s.below(8192) as u16),
        1 => Simple::Stop(data(s)),
        _ => plain(s),
    }
}
