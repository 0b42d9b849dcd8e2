//! Traces of random runs: a window of a recording gives the same bytes in every form as the same cycles of a run
//! that is traced while it happens.
//!
//! `CP2_PROGRAMS=500 CP2_BEGIN=100 cargo test --release -p cp2-tests --test recordings traced` compares more.

use crate::played::{self, Played};
use cp2_asm::image::Image;
use cp2_asm::sites::BundleNames;
use cp2_fast::Translator;
use cp2_isa::{Core, Cycle};
use cp2_recording::{Follower, Recording};
use cp2_tests::{SplitMix64, program_numbers};
use cp2_trace::{Clock, Content, Selection, TraceFormat, TraceSetup, Tracer, exporter};
use std::io::Cursor;
use std::ops::Range;

/// Returns the trace of a window in a format; `go` takes its follower through the window, however that is done.
fn traced(
    (core, image): (&Core, &Image),
    (format, window): (TraceFormat, &Range<Cycle>),
    go: impl FnOnce(&mut dyn Follower),
) -> Vec<u8> {
    let selection = Selection::default();
    let setup = TraceSetup {
        format,
        content: Content::Everything,
        values: true,
        selection: &selection,
        clock: Clock::of_mhz(700),
        limit: u64::MAX,
    };
    let places = || BundleNames::new(image, core);
    let exporter = exporter(&setup, &places().into(), core, Cursor::default()).expect("memory");
    let mut tracer = Tracer::new(exporter, places(), selection.clone(), window.end);
    go(&mut tracer);
    tracer.finish().expect("memory").0.into_inner()
}

/// Compares windows of a random run; returns how many bytes they have.
fn compare(seed: u64) -> usize {
    let Played { file, watched } = played::play(seed);
    let (mut s, image, mut bytes) = (SplitMix64(seed ^ 0x7ace), Image::default(), 0);
    for k in 0..4 {
        let from = watched.cycles[s.below(watched.cycles.len() as u64) as usize].number;
        let to = if k == 0 { Cycle::NEVER } else { from + 1 + s.below([30, 3000][k % 2]) };
        let window = from..to;
        for format in TraceFormat::ALL {
            let source = Cursor::new(file.clone());
            let mut recording =
                Recording::open(source, Box::new(Translator::default())).expect("a recording");
            let core = *recording.core();
            let asked = (format, &window);
            let again = traced((&core, &image), asked, |follower| {
                recording.follow(window.clone(), follower).expect("a window");
            });
            let live = traced((&core, &image), asked, |follower| {
                played::follow(seed, window.clone(), follower);
            });
            assert!(live == again, "seed {seed}, {from} to {to} as {}", format.name());
            bytes += live.len();
        }
    }
    bytes
}

#[test]
fn a_window_of_a_recording_gives_the_bytes_of_a_traced_run() {
    let bytes: usize = program_numbers(5).map(compare).sum();
    assert!(bytes > 1_000_000, "{bytes} bytes are too few to show anything");
}
