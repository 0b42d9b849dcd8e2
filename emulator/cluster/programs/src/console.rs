//! What the programs of the ranks print: lines by the moments at which each rank next gave way, so that what one rank prints before it
//! sends a message stands before what another prints behind its receive.

use cp2_cluster::Tick;
use std::io::Write;
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes that a rank can print.
const MOST_BYTES: usize = 1 << 26;

/// Output of one rank.
#[derive(Debug, Default)]
struct RankOutput {
    /// Bytes since the rank gave way last, with the begin of the line.
    open: Vec<u8>,
    /// Whole lines with the moments behind them.
    lines: Vec<(Tick, Vec<u8>)>,
    bytes: usize,
}

/// Console of one rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankConsole(Arc<Mutex<RankOutput>>);

impl RankConsole {
    fn lock(&self) -> MutexGuard<'_, RankOutput> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the lines that were printed since the last call a moment.
    pub(crate) fn stamp(&self, moment: Tick) {
        let mut output = self.lock();
        let Some(end) = output.open.iter().rposition(|byte| *byte == b'\n') else { return };
        let rest = output.open.split_off(end + 1);
        let whole = std::mem::replace(&mut output.open, rest);
        output
            .lines
            .extend(whole.split_inclusive(|byte| *byte == b'\n').map(|l| (moment, l.to_vec())));
    }

    /// Whether the rank has printed more than it can.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().bytes > MOST_BYTES
    }
}

impl Write for RankConsole {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut output = self.lock();
        output.bytes += bytes.len();
        if output.bytes <= MOST_BYTES {
            output.open.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Consoles of all ranks of a run, which stay when the run fails.
#[derive(Debug, Default)]
pub struct Consoles {
    ranks: Vec<RankConsole>,
}

impl Consoles {
    /// Creates the consoles of so many ranks.
    #[must_use]
    pub fn new(ranks: usize) -> Self {
        Self { ranks: (0..ranks).map(|_| RankConsole::default()).collect() }
    }

    /// Returns the console of a rank; one that nobody reads if there is no such rank.
    pub(crate) fn of(&self, rank: usize) -> RankConsole {
        self.ranks.get(rank).cloned().unwrap_or_default()
    }

    /// Takes what was printed: lines by their moments, those of one moment by ranks. A line that has not ended is ended.
    #[must_use]
    pub fn take(&self) -> Vec<u8> {
        let mut lines: Vec<(Tick, usize, Vec<u8>)> = Vec::new();
        for (rank, console) in self.ranks.iter().enumerate() {
            let mut output = console.lock();
            lines.extend(take(&mut output.lines).into_iter().map(|(at, line)| (at, rank, line)));
            let mut open = take(&mut output.open);
            if !open.is_empty() {
                open.push(b'\n');
                lines.push((Tick::LAST, rank, open));
            }
        }
        lines.sort_by_key(|(at, rank, _)| (*at, *rank));
        lines.into_iter().flat_map(|(.., line)| line).collect()
    }
}
