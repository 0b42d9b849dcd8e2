//! Files that are no recordings any more: cut off, with other bytes, newer. They are refused with a
//! sentence, or what they still tell is right.

use crate::played::{self, Played};
use cp2_emu::Difference;
use cp2_fast::Translator;
use cp2_isa::{Bytes, MemoryAddress};
use cp2_recording::{Recording, RecordingError, VERSION};
use cp2_tests::SplitMix64;
use std::io::Cursor;

fn open(file: Vec<u8>) -> Result<Recording, RecordingError> {
    Recording::open(Cursor::new(file), Box::new(Translator::default()))
}

/// Looks at everything in a recording; the error is that of what is damaged first.
fn look(file: Vec<u8>, played: &Played) -> Result<usize, RecordingError> {
    let mut recording = open(file)?;
    let mut seen = 0;
    for expected in played.watched.settled.iter().step_by(3) {
        if recording.cycles().contains(&expected.cycle()) {
            recording.seek(expected.cycle())?;
            assert_eq!(Difference::first(&expected.cp2.state, recording.state()), None);
            let mut bytes = vec![0; 1 << 16];
            if expected.memory.size() > Bytes(0) {
                recording.memory(MemoryAddress(0), &mut bytes)?;
                let mut there = vec![0; 1 << 16];
                expected.memory.read(MemoryAddress(0), &mut there).expect("memory");
                assert!(bytes == there);
            }
            seen += 1;
        }
    }
    recording.summary()?;
    Ok(seen)
}

#[test]
fn a_recording_that_was_cut_off_is_read_up_to_its_last_checkpoint() {
    let played = played::play(3);
    let whole = open(played.file.clone()).expect("a recording");
    let checkpoints: Vec<_> = whole.checkpoints().collect();
    let mut s = SplitMix64(5);
    let (mut ends, mut refused) = (Vec::new(), 0);
    let size = played.file.len() as u64;
    for k in 0..60 {
        // The state at the begin may be most of the file; what comes behind is cut off more often.
        let length = if k % 2 == 0 { s.below(size) } else { size - 1 - s.below(size / 8) } as usize;
        let file = played.file[..length].to_vec();
        match open(file.clone()) {
            Ok(recording) => {
                assert!(!recording.is_whole());
                let end = *recording.cycles().end();
                assert!(checkpoints.contains(&end), "{end}");
                ends.push(end);
                assert!(look(file, &played).expect("what is there") > 0);
            }
            Err(e) => {
                assert!(e.to_string().contains("recording"), "{e}");
                refused += 1;
            }
        }
    }
    ends.sort_unstable();
    ends.dedup();
    assert!(ends.len() > 2 && refused > 0, "{ends:?}, {refused} refused");
}

#[test]
fn a_byte_that_was_changed_is_found_or_changes_nothing() {
    let (mut refused, mut right) = (0, 0);
    for seed in 0..4 {
        let played = played::play(20 + seed);
        let mut s = SplitMix64(seed);
        for _ in 0..60 {
            let mut file = played.file.clone();
            let at = s.below(file.len() as u64) as usize;
            file[at] ^= 1 << s.below(8);
            match look(file, &played) {
                Ok(_) => right += 1,
                Err(e) => {
                    refused += 1;
                    assert!(e.to_string().contains("recording"), "{e}");
                }
            }
        }
    }
    assert!(refused > 100 && right > 0, "{refused} refused, {right} right");
}

#[test]
fn what_is_no_recording_and_what_is_newer_is_told_apart() {
    let file = played::play(1).file;
    let told = |file: Vec<u8>| open(file).expect_err("an error").to_string();
    assert_eq!(told(Vec::new()), "not a recording of cp2");
    assert_eq!(told(b"PAR1 and so on, more than a few bytes".to_vec()), "not a recording of cp2");
    let mut newer = file.clone();
    newer[8] += 1;
    let version = VERSION + 1;
    assert_eq!(
        told(newer),
        format!(
            "this recording has version {version} of the format, and this cp2 reads version {VERSION}; use the cp2 that wrote it, or record again"
        )
    );
    let mut text = file.clone();
    text[6] = b'\r';
    assert_eq!(told(text), "not a recording of cp2");
    let empty = file[..12].to_vec();
    assert_eq!(
        told(empty),
        "this recording is damaged: the bytes of its end have changed; copy it again, or record again"
    );
}
