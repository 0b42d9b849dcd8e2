//! Counts as text for people.

use crate::counts::{Counts, Leaf};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use std::fmt::Write as _;

fn percent(n: u64, of: u64) -> f64 {
    100.0 * n as f64 / of.max(1) as f64
}

impl Counts {
    /// Returns the counts as a table for people: cycles of kernels by cause, cycles with an access to each bank, cycles
    /// of the channel by cause, floating-point operations, bytes moved, and how often each operation issued. Shares are
    /// percent of `cycles`, the number of all cycles counted; rates are per cycle of `rated_cycles`
    /// ([`Counts::rated_cycles`]).
    pub fn to_text(&self, cycles: u64, rated_cycles: u64) -> String {
        let mut text = String::new();
        let mut row = |n: u64, what: &str| {
            if n > 0 {
                let _ = writeln!(text, "{n:>14} {:>5.1} %  {what}", percent(n, cycles));
            }
        };
        for cause in Cause::ALL {
            row(self.causes[cause as usize], cause.description());
        }
        row(cycles.saturating_sub(self.kernel_cycles()), "cycles in which no kernel ran");
        for (bank, &accesses) in self.banks.iter().enumerate() {
            row(accesses, &format!("cycles with an access of a kernel to bank {bank}"));
        }
        for cause in ChannelCause::ALL.into_iter().filter(|&cause| cause != ChannelCause::Idle) {
            row(self.dma.causes[cause as usize], &format!("DMA: {}", cause.description()));
        }
        let flops = self.total_flops();
        let rate = flops as f64 / rated_cycles.max(1) as f64;
        let _ = writeln!(text, "{flops:>14} floating-point operations, {rate:.2} per cycle");
        if self.dma.bytes_get + self.dma.bytes_put > 0 {
            let (get, put) = (self.dma.bytes_get, self.dma.bytes_put);
            let _ = writeln!(text, "{get:>14} bytes from memory, {put} to memory");
        }
        let mut operations: Vec<_> = self.operations().collect();
        operations.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
        for (name, count) in operations {
            let _ = writeln!(text, "{count:>14} {name}");
        }
        text
    }
}

/// Returns stretches of a run as a table: a line for each, with its first cycle and the first behind it, the shares of
/// causes in percent of its cycles, floating-point operations per cycle, and percent of cycles in which a beat of the
/// channel (16 bytes) moved.
pub fn leaves_text(stretches: &[Leaf]) -> String {
    let mut text = format!(
        "{:>14} {:>14} {:>7} {:>7} {:>7} {:>7} {:>9} {:>7}\n",
        "from", "before", "both %", "arith %", "exch %", "other %", "flops/cyc", "DMA %"
    );
    for Leaf { begin, end, counts } in stretches {
        let cycles = *end - *begin;
        let [both, arithmetic, exchange, ..] = counts.causes.map(|n| percent(n, cycles));
        let other = 100.0 - both - arithmetic - exchange;
        let flops = counts.total_flops() as f64 / cycles.max(1) as f64;
        let dma = percent(counts.dma.causes[ChannelCause::Beat as usize], cycles);
        let _ = writeln!(
            text,
            "{:>14} {:>14} {both:>7.1} {arithmetic:>7.1} {exchange:>7.1} {other:>7.1} {flops:>9.2} {dma:>7.1}",
            begin.0, end.0
        );
    }
    text
}
