//! Speed of the reference engine in bundles per second on the FFT kernels, without and with a trace.
//! `cargo bench -p cp2-kernels`.

use cp2_emu::trace::Event;
use cp2_emu::{Cp2, End};
use cp2_isa::{BundleAddress, Core};
use cp2_kernels::fft;
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// Returns a machine with 16 random vectors in every section, and the entry of the kernel.
fn loaded(points: usize) -> (Cp2, BundleAddress) {
    fft::loaded(&Core::CP2, points, 16).expect("a length from LENGTHS")
}

fn cycles(points: usize) -> u64 {
    let (mut cp2, entry) = loaded(points);
    let run = cp2.run_untraced(entry, 1_000_000);
    assert_eq!(run.end, End::Stopped(0));
    run.stats.cycles
}

#[divan::bench(args = fft::LENGTHS)]
fn untraced(bencher: Bencher<'_, '_>, points: usize) {
    let count = ItemsCount::new(cycles(points));
    bencher
        .counter(count)
        .with_inputs(|| loaded(points))
        .bench_local_values(|(mut cp2, entry)| cp2.run_untraced(entry, 1_000_000));
}

/// Measures runs in which every event is made and dropped: the cost of tracing without that of writing.
#[divan::bench(args = fft::LENGTHS)]
fn traced(bencher: Bencher<'_, '_>, points: usize) {
    let count = ItemsCount::new(cycles(points));
    bencher.counter(count).with_inputs(|| loaded(points)).bench_local_values(|(mut cp2, entry)| {
        cp2.run(entry, 1_000_000, &mut |event: &Event| {
            divan::black_box(event);
        })
    });
}

/// Measures runs in which every event becomes a line of text with values.
#[divan::bench(args = fft::LENGTHS)]
fn traced_as_text(bencher: Bencher<'_, '_>, points: usize) {
    let count = ItemsCount::new(cycles(points));
    bencher.counter(count).with_inputs(|| loaded(points)).bench_local_values(|(mut cp2, entry)| {
        cp2.run(entry, 1_000_000, &mut |event: &Event| {
            divan::black_box(event.line("", true));
        })
    });
}
