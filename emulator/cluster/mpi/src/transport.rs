//! Exchanges of bytes between the processes of MPI's world.

use crate::watch::{self, LostProcess, Watch};
use cp2_cluster::{Transport, TransportError};
use mpi::Threading;
use mpi::environment::Universe;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};
use std::fmt;
use std::net::SocketAddr;

/// Most bytes of one message of MPI, whose counts have 31 bits.
const CHUNK: usize = 1 << 30;

/// Way of this process to the others of MPI's world. While it lives, the death of another process ends this one, and the first
/// one that lives tells which it was.
pub struct MpiTransport {
    process: usize,
    processes: usize,
    watch: Option<Watch>,
    /// Ends MPI when it is dropped, after the watch.
    _universe: Universe,
}

impl fmt::Debug for MpiTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MpiTransport").field("process", &self.process).finish_non_exhaustive()
    }
}

/// Returns the communicator of all processes.
fn world() -> SimpleCommunicator {
    SimpleCommunicator::world()
}

fn error(told: impl Into<String>) -> TransportError {
    TransportError(told.into())
}

impl MpiTransport {
    /// Joins the processes that were started together. `command` is what all of them were asked to do. `lost` is called before this
    /// process ends because of others: with the process that has died, if this one is to tell of it. `refused` is called in the
    /// first process, while the others wait, if the processes were asked for different things.
    ///
    /// # Errors
    /// MPI was begun before, serves no threads, or the processes were asked for different things: `None` for these, which the first
    /// process has told.
    pub fn join(
        command: &[u8],
        lost: impl Fn(Option<LostProcess>) + Send + Sync + 'static,
        refused: impl FnOnce(&TransportError),
    ) -> Result<Self, Option<TransportError>> {
        let begun = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, threading) = begun.ok_or_else(|| error("MPI was begun before"))?;
        if threading < Threading::Funneled {
            return Err(Some(error("this MPI serves no processes with threads")));
        }
        let number = |n: i32| usize::try_from(n).map_err(|_| error("MPI has numbered nothing"));
        let (process, processes) = (number(world().rank())?, number(world().size())?);
        let mut joined = Self { process, processes, watch: None, _universe: universe };
        if let Err(error) = joined.agree(command) {
            if process == 0 {
                refused(&error);
            }
            world().barrier();
            return Err(None);
        }
        if processes > 1 {
            joined.watch = joined.begin_watch(Box::new(lost))?;
        }
        Ok(joined)
    }

    /// Ends all processes because of an error that this one alone has.
    fn fail(&self, told: &str) -> ! {
        eprintln!("error: process {}: {told}", self.process);
        world().abort(1)
    }

    /// Refuses processes that were started with different commands.
    fn agree(&self, command: &[u8]) -> Result<(), TransportError> {
        let given = self.exchange(vec![command.to_vec(); self.processes])?;
        match given.iter().position(|other| *other != given[0]) {
            Some(other) => Err(error(format!(
                "process {other} was started with another command, or another build, than process 0; start all of them by one `mpirun` or `srun`"
            ))),
            None => Ok(()),
        }
    }

    /// Connects all processes with the first one. Returns `None`, on all of them, if one cannot be reached.
    fn begin_watch(&self, lost: watch::Lost) -> Result<Option<Watch>, TransportError> {
        let (listener, offered) = match self.process {
            0 => watch::offer(&processor_name())
                .map_or((None, Vec::new()), |(listener, addresses, word)| {
                    (Some((listener, word)), encoded(&addresses, word))
                }),
            _ => (None, Vec::new()),
        };
        let taken = self.exchange(vec![offered; self.processes])?;
        let begun = match listener {
            Some((listener, word)) => watch::begin_first(&listener, word, self.processes, lost),
            None => decoded(&taken[0]).and_then(|(addresses, word)| {
                watch::begin([self.process, self.processes], &addresses, word, lost)
            }),
        };
        let all = self.exchange(vec![vec![u8::from(begun.is_some())]; self.processes])?;
        let is_whole = all.iter().all(|row| row == &[1]);
        if !is_whole && self.process == 0 {
            eprintln!(
                "warning: the processes cannot connect to each other by TCP; if one dies, only MPI tells"
            );
        }
        Ok(begun.filter(|_| is_whole))
    }
}

fn processor_name() -> String {
    mpi::environment::processor_name().unwrap_or_default()
}

fn encoded(addresses: &[SocketAddr], word: u64) -> Vec<u8> {
    let all = addresses.iter().map(ToString::to_string);
    let words: Vec<String> = std::iter::once(word.to_string()).chain(all).collect();
    words.join(" ").into_bytes()
}

fn decoded(offered: &[u8]) -> Option<(Vec<SocketAddr>, u64)> {
    let text = std::str::from_utf8(offered).ok()?;
    let mut words = text.split(' ');
    let word = words.next()?.parse().ok()?;
    Some((words.filter_map(|address| address.parse().ok()).collect(), word))
}

impl Transport for MpiTransport {
    fn process(&self) -> usize {
        self.process
    }

    fn processes(&self) -> usize {
        self.processes
    }

    fn exchange(&self, mut rows: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, TransportError> {
        let sizes: Vec<u64> = rows.iter().map(|row| row.len() as u64).collect();
        let mut taken_sizes = vec![0u64; self.processes];
        world().all_to_all_into(&sizes[..], &mut taken_sizes[..]);
        let room = |&size: &u64| {
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let mut row = Vec::new();
            if row.try_reserve_exact(size).is_err() {
                self.fail(&format!("no memory for {size} bytes from another process"));
            }
            row.resize(size, 0);
            row
        };
        let mut taken: Vec<Vec<u8>> = taken_sizes.iter().map(room).collect();
        taken[self.process] = std::mem::take(&mut rows[self.process]);
        self.move_rows(&rows, &mut taken);
        Ok(taken)
    }
}

impl MpiTransport {
    /// Sends the rows to the other processes and receives theirs, all at once.
    fn move_rows(&self, rows: &[Vec<u8>], taken: &mut [Vec<u8>]) {
        let world = world();
        let parts: usize = rows.iter().chain(&*taken).map(|row| row.len().div_ceil(CHUNK)).sum();
        request::multiple_scope(parts, |scope, requests: &mut _| {
            let others = |(from, _): &(usize, &mut Vec<u8>)| *from != self.process;
            for (from, row) in taken.iter_mut().enumerate().filter(others) {
                for part in row.chunks_mut(CHUNK) {
                    let process = world.process_at_rank(from as i32);
                    requests.add(process.immediate_receive_into(scope, part));
                }
            }
            for (to, row) in rows.iter().enumerate().filter(|(to, _)| *to != self.process) {
                for part in row.chunks(CHUNK) {
                    let process = world.process_at_rank(to as i32);
                    requests.add(process.immediate_send(scope, part));
                }
            }
            requests.wait_all(&mut Vec::new());
        });
    }
}

/// Tells the other processes that this one ends as it should. One that panics ends all.
impl Drop for MpiTransport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.fail("the program has a fault");
        }
        if let Some(watch) = self.watch.take() {
            watch.end();
        }
    }
}
