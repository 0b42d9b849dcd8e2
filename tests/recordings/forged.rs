//! Recordings with the right checksums in which the machine at a checkpoint is another one: no engine comes to an end by a
//! bug of ours, whatever it makes of the machine.

use crate::played;
use cp2_emu::{Engine, ReferenceEngine};
use cp2_fast::Translator;
use cp2_recording::{Recording, RecordingError};
use cp2_tests::SplitMix64;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes before the first chunk, and those of a chunk before its content.
const BEGIN: usize = 12;
const HEAD: usize = 16;
/// Cycles behind the checkpoint that are looked at.
const LOOK: u64 = 2000;

/// Returns the places at which chunks begin, each with the kind of the chunk.
fn chunks(file: &[u8]) -> Vec<(usize, [u8; 4])> {
    let (mut all, mut at) = (Vec::new(), BEGIN);
    while let Some(head) = file.get(at..at + HEAD)
        && head[..4].iter().all(u8::is_ascii_uppercase)
    {
        all.push((at, [head[0], head[1], head[2], head[3]]));
        let length = head[8..].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte));
        at += HEAD + length;
    }
    all
}

/// Reads a number as postcard writes it; returns it and what is behind.
fn number(bytes: &[u8]) -> (u64, &[u8]) {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).expect("an end") + 1;
    let value = bytes[..length].iter().rev().fold(0, |n, byte| n << 7 | u64::from(byte & 0x7f));
    (value, &bytes[length..])
}

fn written(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Returns the content of a checkpoint in which some bytes of the machine are others.
fn changed(content: &[u8], s: &mut SplitMix64) -> Vec<u8> {
    let content = lz4_flex::decompress_size_prepended(content).expect("a checkpoint");
    let (_, rest) = number(&content);
    let begin = content.len() - rest.len() + 1;
    let (length, rest) = number(&content[begin..]);
    let (snapshot, rest) = rest.split_at(length as usize);
    let mut snapshot = lz4_flex::decompress_size_prepended(snapshot).expect("a snapshot");
    for _ in 0..1 + s.below(3) {
        let at = s.below(snapshot.len() as u64) as usize;
        snapshot[at] = match s.below(4) {
            0 => snapshot[at] ^ 1 << s.below(8),
            1 => s.bits() as u8 & 0x7f,
            2 => 0x7f,
            _ => s.below(4) as u8,
        };
    }
    let snapshot = lz4_flex::compress_prepend_size(&snapshot);
    let length = written(snapshot.len() as u64);
    lz4_flex::compress_prepend_size(&[&content[..begin], &length, &snapshot, rest].concat())
}

/// Returns the recording with another machine at one of its checkpoints, but the last, and without its index.
fn forged(file: &[u8], s: &mut SplitMix64) -> Vec<u8> {
    let all = chunks(file);
    let checkpoints: Vec<_> = all.iter().filter(|(_, kind)| kind == b"CHKP").collect();
    let (begin, kind) = *checkpoints[s.below(checkpoints.len() as u64 - 1) as usize];
    let index = all.iter().find(|(_, kind)| kind == b"INDX").expect("an index").0;
    let end = all.iter().map(|(at, _)| *at).find(|at| *at > begin).expect("an index");
    let content = changed(&file[begin + HEAD..end], s);
    let length = (content.len() as u64).to_le_bytes();
    let sum = crc32fast::hash(&[&kind[..], &length, &content].concat());
    [&file[..begin], &kind, &sum.to_le_bytes(), &length, &content, &file[end..index]].concat()
}

fn look(file: Vec<u8>, engine: Box<dyn Engine>) -> Result<(), RecordingError> {
    let mut recording = Recording::open(Cursor::new(file), engine)?;
    let checkpoints: Vec<_> = recording.checkpoints().collect();
    for cycle in checkpoints {
        recording.seek(cycle)?;
        recording.forward(LOOK)?;
    }
    recording.summary()?;
    Ok(())
}

#[test]
fn a_machine_that_no_run_comes_to_is_refused_or_runs() {
    let (mut refused, mut ran) = (0, 0);
    for seed in 0..6 {
        let played = played::play(40 + seed);
        let mut s = SplitMix64(seed);
        for k in 0..200 {
            let file = forged(&played.file, &mut s);
            let engine: Box<dyn Engine> = if k % 2 == 0 {
                Box::new(ReferenceEngine)
            } else {
                Box::new(Translator::default())
            };
            match catch_unwind(AssertUnwindSafe(|| look(file, engine))) {
                Ok(Ok(())) => ran += 1,
                Ok(Err(e)) => {
                    assert!(!e.to_string().is_empty());
                    refused += 1;
                }
                Err(_) => panic!("seed {seed}, recording {k}: an engine panicked"),
            }
        }
    }
    assert!(refused > 100 && ran > 100, "{refused} refused, {ran} ran");
}
