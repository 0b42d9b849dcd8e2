//! Schedules from a cache, or from certificates, that hold something else: an entry is taken only if it is a right schedule of its region, and a
//! program computes the same with it.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use crate::SplitMix64;
use cp2_asm::sched::{KnownSchedules, Store, certificates as certificates_of, read_certificates};
use cp2_asm::{Assembled, Options, Scheduled, Sources, assemble_regions};
use cp2_emu::Cp2;
use cp2_isa::{BundleAddress, Core};
use std::borrow::Cow;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// A region with a pipelined loop and one with a straight block.
const TEXT: &str = ".linear
.disjoint r0, r1
.scratch g15
.loop g2, min=8
 lwo %x, (r0)+1
 psmul %y, %x, f0
 psadd %z, %y, f1
 swo %z, (r1)+1
.endloop
 lwo %v, (r0)
 psadd %w, %v, f0
 swo %w, (r1)
.endlinear
 stopi 0
";
/// Cycles after which a program that goes round for ever is given up.
const LIMIT: u64 = 2000;

/// A store that has one entry for every key, and keeps what it is given.
#[derive(Default)]
struct One {
    entry: Option<Vec<u8>>,
    given: Vec<Vec<u8>>,
}

impl Store for One {
    fn get(&mut self, _: &str) -> Option<Vec<u8>> {
        self.entry.clone()
    }

    fn put(&mut self, _: &str, entry: &[u8]) {
        self.given.push(entry.to_vec());
    }
}

fn assembled(store: &mut One) -> Result<Assembled, String> {
    assembled_with(Options { store: Some(store), ..Options::default() })
}

fn assembled_with(options: Options<'_>) -> Result<Assembled, String> {
    let mut sources = Sources::default();
    let root = sources.add("kept.s", TEXT);
    let mut none = |_: &str, _: &str| Err(String::new());
    assemble_regions(&mut sources, &[root], &mut none, options)
        .map_err(|e| format!("it does not assemble: {e:?}"))
}

/// Runs a program; returns what it leaves in local memory, and the cycles that it takes.
fn result(assembled: &Assembled, limit: u64) -> (Vec<[u64; 4]>, u64) {
    let mut cp2 = Cp2::new(Core::CP2);
    cp2_session::load::load(&assembled.image, &mut cp2);
    cp2.state.gpr[2] = 20;
    cp2.state.a[1] = cp2_isa::WordAddress(100);
    let number = |k: usize| u64::from((k as f32).to_bits()) * 0x1_0000_0001;
    for k in 0..64 {
        cp2.state.lmem[k] = [number(k); 4];
    }
    (cp2.state.fpr[0], cp2.state.fpr[1]) = ([number(3); 4], [number(5); 4]);
    let run = cp2.run_untraced(BundleAddress(0), limit);
    (cp2.state.lmem[..200].to_vec(), run.stats.cycles)
}

/// Returns the entries that the assembler keeps of the text.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut store = One::default();
    assembled(&mut store).unwrap_or_else(|e| panic!("{e}"));
    store.given
}

/// Returns a real entry with other numbers.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut entry = seeds[sequence.below(seeds.len() as u64) as usize].clone();
    for _ in 0..=sequence.below(3) {
        let at = sequence.below(entry.len() as u64) as usize;
        mutate::number(&mut entry, at, sequence);
    }
    entry
}

/// Assembles with an entry as the commands do with their cache.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let fresh = assembled(&mut One::default())?;
    let mut store = One { entry: Some(bytes.to_vec()), given: Vec::new() };
    let with = assembled(&mut store)?;
    if result(&with, LIMIT).0 != result(&fresh, LIMIT).0 {
        return Err("with this schedule the program computes something else".to_owned());
    }
    let is_taken = store.given.len() < with.regions.len();
    Ok(if is_taken { Verdict::Accepted } else { Verdict::Refused })
}

/// Returns the text of a certificate of the loop.
pub(super) fn certificates() -> Vec<Vec<u8>> {
    let made = assembled(&mut One::default()).unwrap_or_else(|e| panic!("{e}"));
    let Scheduled { region, report, .. } = &made.regions[0];
    let made = certificates_of(&Core::CP2, region, report, &[]);
    let made = made.unwrap_or_else(|e| panic!("{}", e.message));
    made.iter().map(|certificate| certificate.text().into_bytes()).collect()
}

/// Returns a real certificate with other numbers, and the digest of its lines.
pub(super) fn sealed(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = generate(sequence, seeds);
    let end = text.windows(5).rposition(|bytes| bytes == b"\nend ").map_or(text.len(), |at| at + 1);
    text.truncate(end);
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(&text);
    text.extend(format!("end {:016x}\n", hasher.finish()).bytes());
    text
}

/// Assembles with certificates as the commands do with those that a user names.
pub(super) fn read_certificate(bytes: &[u8]) -> Judgement {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(Verdict::NoText) };
    let Ok(known) = read_certificates(text) else { return Ok(Verdict::Refused) };
    let fresh = assembled(&mut One::default())?;
    // A right schedule may have a long interval; the loop runs 20 times.
    let longest = known.iter().map(|certificate| certificate.ii()).max().unwrap_or(0);
    let limit = LIMIT + 64 * longest.unsigned_abs();
    let known = Cow::Owned(KnownSchedules::new(known));
    let with = match assembled_with(Options { known, ..Options::default() }) {
        // A schedule that is right may be too long for instruction memory.
        Err(error) if error.contains("C0413") => return Ok(Verdict::Refused),
        with => with?,
    };
    if result(&with, limit).0 != result(&fresh, LIMIT).0 {
        return Err("with this certificate the program computes something else".to_owned());
    }
    Ok(Verdict::Accepted)
}
