//! Recordings that nobody wrote: small real ones, and ones of which a part is another value with the checksum
//! that belongs to it. What is under way in a machine is held by checksums alone, so checkpoints stay as they
//! are or fail theirs.

use super::kinds::{Judgement, Verdict};
use super::mutate;
use super::readers::message;
use crate::SplitMix64;
use cp2_emu::machine::Action;
use cp2_emu::trace::{NoObserver, PastCycle};
use cp2_emu::{Cp2, Goal, Machine, MachineConfig, ReferenceEngine};
use cp2_isa::{Core, Cycle, MemoryAddress, Section, Storage, StorageCell};
use cp2_recording::{
    CountedCondition, Header, Recorder, Recording, RecordingError, RecordingInMemory, Spacing,
    StepLevel,
};
use std::io::Cursor;

/// Bytes before the first chunk, and those of a chunk before its content.
const BEGIN: usize = 12;
const HEAD: usize = 16;

const PROGRAM: &str = "        .kernel steps
        | seti a0, 0
        | seti a1, 0
        | seti g1, 90
        | lwi f20, 0
        | nop
again:  | do g1, last
        cmul f8, f6, f20 | ldo f6, (r0)+2
last:   cmul f9, f7, f20 | sdo f8, (r1)+2
        | nop
        | nop
        | jumpi again
        | nop
";

/// Records a run of 2,500 cycles, on CP2 alone or on a machine.
fn recorded(config: Option<&MachineConfig>) -> Vec<u8> {
    let (cp2, entry) = cp2_session::load::machine_with(
        &cp2_session::Environment::new(),
        &Core::CP2,
        "steps.s",
        PROGRAM,
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let mut machine = config.map_or_else(|| Machine::alone(Cp2::default()), Machine::new);
    machine.cp2 = cp2;
    let header = Header {
        cp2: "test".to_owned(),
        command: "cp2 run steps.s".to_owned(),
        machine: config.map(MachineConfig::dump),
        core: *Core::CP2.numbers(),
        inputs: vec!["a file".to_owned()],
    };
    let shared = RecordingInMemory::default();
    let spacing = Spacing { leaf_bits: 7, nearest: 300, farthest: 500 };
    let recorder = Recorder::spaced(Box::new(shared.clone()), &header, spacing).expect("memory");
    let mut engine = recorder.around(Box::new(ReferenceEngine));
    machine.start_kernel(entry);
    for k in 1..=5 {
        recorder.begin_step(StepLevel::Iteration, format!("pass {k}"), machine.cycle());
        recorder.begin_step(StepLevel::Page, "page 1".to_owned(), machine.cycle());
        if config.is_some() {
            let bytes = vec![k as u8; 5000];
            machine
                .act(Action::WriteMemory(MemoryAddress(3000 * k), bytes.into()))
                .expect("memory");
        }
        let goal = Goal::cycle(Cycle(500 * k));
        while machine.cycle() < goal.cycle {
            engine.advance(&mut machine, goal, &mut NoObserver).expect("a run");
        }
    }
    engine.release(&mut machine);
    recorder.finish().expect("memory");
    shared.take()
}

/// Returns real recordings.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let mut config = MachineConfig::preset("vm7").expect("a preset");
    config.apply_set("memory.size_mib=1").expect("a size");
    vec![recorded(None), recorded(Some(&config))]
}

/// Returns the places at which chunks begin, and the end of the last one.
fn chunks(file: &[u8]) -> Vec<usize> {
    let (mut all, mut at) = (Vec::new(), BEGIN);
    while let Some(head) = file.get(at..at + HEAD)
        && head[..4].iter().all(u8::is_ascii_uppercase)
    {
        all.push(at);
        let length = head[8..].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
        at += HEAD + length;
    }
    all.push(at);
    all
}

/// Returns a real recording with a part that says something else.
pub(super) fn generate(sequence: &mut SplitMix64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let file = &seeds[sequence.below(seeds.len() as u64) as usize];
    let chunks = chunks(file);
    let which = sequence.below(chunks.len() as u64 - 1) as usize;
    let (begin, end) = (chunks[which], chunks[which + 1]);
    let tag = &file[begin..begin + 4];
    let mut content = file[begin + HEAD..end].to_vec();
    let is_value = matches!(tag, b"HEAD" | b"LEAF" | b"STEP" | b"INDX");
    if is_value {
        content = lz4_flex::decompress_size_prepended(&content).expect("a value");
    }
    mutate::content(sequence, &mut content);
    if is_value {
        content = lz4_flex::compress_prepend_size(&content);
    }
    let mut head = file[begin..begin + HEAD].to_vec();
    if tag != b"CHKP" {
        let length = (content.len() as u64).to_le_bytes();
        let sum = crc32fast::hash(&[tag, &length[..], &content[..]].concat());
        head[4..8].copy_from_slice(&sum.to_le_bytes());
        head[8..].copy_from_slice(&length);
    }
    let is_index = tag == b"INDX";
    // Behind another part the places in the index are no longer right: without it all is gone through.
    let rest = if is_index { &file[end..] } else { &file[end..chunks[chunks.len() - 2].max(end)] };
    [&file[..begin], &head[..], &content[..], rest].concat()
}

/// Looks at everything in a recording, for so many cycles.
fn look(bytes: &[u8]) -> Result<(), RecordingError> {
    const MOST: u64 = 3000;
    let mut recording = Recording::open(Cursor::new(bytes.to_vec()), Box::new(ReferenceEngine))?;
    let (begin, end) = recording.cycles().into_inner();
    let last = end.min(begin.saturating_add(MOST));
    let total = recording.summary()?.total();
    total.to_text(end.saturating_since(begin), total.kernel_cycles());
    let steps = recording.steps()?;
    assert!(steps.iter().all(|step| begin <= step.cycles.start && step.cycles.end <= end));
    let word = StorageCell { storage: Storage::Lmem, number: 3, section: Section::ALL[1] };
    for cycle in [begin, last, begin.saturating_add(700).min(last)] {
        recording.seek(cycle)?;
        let size = recording.memory_size().index().min(1 << 14);
        recording.memory(MemoryAddress::FIRST, &mut vec![0; size])?;
        recording.window(cycle..cycle.saturating_add(50))?;
        recording.counts(cycle..cycle.saturating_add(300), 7)?;
        recording.last_write(word)?;
        recording.last_time(|_: &PastCycle<'_>| false)?;
        recording.last_time(CountedCondition::Cause(None))?;
        recording.back(1)?;
    }
    if end.saturating_since(begin) <= MOST { recording.verify() } else { Ok(()) }
}

/// Reads a recording as the commands do.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    look(bytes).map_or_else(message, |()| Ok(Verdict::Accepted))
}
