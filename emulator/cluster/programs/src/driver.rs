//! A rank: runs its board until the program asks for a message, carries that out, and lets the time of it pass.

use crate::call::{last_call, place_of, text_at};
use crate::console::RankConsole;
use crate::error::{ProgramFailure, ProgramStop};
use crate::problem::ProgramEnd;
use cp2_cluster::{Endpoint, MessageOverheads, Tick, TimeCause};
use cp2_isa::{Bytes, MemoryAddress};
use cp2_k64::machine::{MachineEnd, Processor};
use cp2_system::{Board, MessageRequest};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The call in which a rank waits, for the sentence about a deadlock.
pub(crate) type WaitingCall = Arc<Mutex<Option<String>>>;

/// Stage of a program, by its calls of MPI_Init and MPI_Finalize.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Running,
    Over,
}

/// A rank with its board.
pub(crate) struct RankDriver<'p> {
    pub(crate) elf: &'p [u8],
    /// Arguments of the program behind its name.
    pub(crate) arguments: &'p [String],
    pub(crate) processor: Processor,
    pub(crate) endpoint: Endpoint,
    pub(crate) overheads: MessageOverheads,
    /// Ticks of a cycle.
    pub(crate) period: Tick,
    pub(crate) max_cycles: u64,
    pub(crate) console: RankConsole,
    pub(crate) waiting: WaitingCall,
}

/// State of a rank while its program runs.
struct Progress {
    stage: Stage,
    /// Messages of the rank to itself, by tags.
    own: BTreeMap<u32, VecDeque<Vec<u8>>>,
    end: ProgramEnd,
}

impl RankDriver<'_> {
    /// Runs the program to its end.
    pub(crate) async fn go_through(mut self) -> Result<ProgramEnd, ProgramFailure> {
        let end = ProgramEnd {
            code: 0,
            cycles: 0,
            instructions: 0,
            kernels: 0,
            moved: 0,
            sent: 0,
            sent_bytes: 0,
            received: 0,
            received_bytes: 0,
        };
        let mut progress = Progress { stage: Stage::Before, own: BTreeMap::new(), end };
        loop {
            let end = self.processor.run(self.max_cycles);
            let clock = self.processor.core.cycle() * self.period;
            self.endpoint.advance_to(clock, TimeCause::Computing);
            self.console.stamp(clock);
            if self.console.is_over() {
                return Err(ProgramFailure::guest("the program printed more than 64 MiB"));
            }
            match end {
                MachineEnd::Request => self.serve(&mut progress).await?,
                MachineEnd::Exit(code) => return self.ended(code, &mut progress),
                other => return Err(self.stopped(&other)),
            }
        }
    }

    /// Carries out the request of the program.
    async fn serve(&mut self, progress: &mut Progress) -> Result<(), ProgramFailure> {
        let unit = Board::of_mut(&mut self.processor).and_then(Board::messages);
        let Some(request) = unit.and_then(|unit| unit.request()) else { return Ok(()) };
        let size = match request {
            MessageRequest::Begin { place, room } => {
                progress.stage = Stage::Running;
                self.put_arguments(place, room)?
            }
            MessageRequest::End => {
                progress.stage = Stage::Over;
                0
            }
            MessageRequest::Send { to, tag, place, size } => {
                let bytes = self.bytes_of(place, size)?;
                self.send(to as usize, tag, bytes, progress)?;
                size
            }
            MessageRequest::Receive { from, tag, place, room } => {
                let bytes = self.receive(from as usize, tag, progress).await?;
                self.put(from, tag, (place, room), &bytes)?;
                bytes.len() as u32
            }
            MessageRequest::Refuse { text } => {
                let text = text_at(&mut self.processor, text);
                return Err(self.failure(text));
            }
            MessageRequest::Unknown(value) => {
                return Err(self.failure(format!("the message unit has no request {value}")));
            }
        };
        if let Some(unit) = Board::of_mut(&mut self.processor).and_then(Board::messages) {
            unit.answer(size);
        }
        Ok(())
    }

    /// Gives the program the arguments of the run; returns their bytes.
    fn put_arguments(&mut self, place: u32, room: u32) -> Result<u32, ProgramFailure> {
        let arguments = self.arguments.iter().flat_map(|text| text.bytes().chain([0]));
        let bytes: Vec<u8> = arguments.collect();
        let size = bytes.len() as u32;
        if size > room {
            return Err(self.failure(format!(
                "the arguments have {size} bytes, and the program has room for {room}"
            )));
        }
        self.put_bytes(place, &bytes)?;
        Ok(size)
    }

    async fn receive(
        &mut self,
        from: usize,
        tag: u32,
        progress: &mut Progress,
    ) -> Result<Vec<u8>, ProgramFailure> {
        let call = last_call(&mut self.processor, self.elf);
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = call;
        let bytes = if from == self.endpoint.rank() {
            let queue = progress.own.get_mut(&tag);
            let Some(bytes) = queue.and_then(VecDeque::pop_front) else {
                let text =
                    format!("it waits for {} from itself, and has not sent it", tag_name(tag));
                return Err(self.failure(text));
            };
            self.spend(self.overheads.recv);
            bytes
        } else {
            let received = self.endpoint.recv(from, tag).await;
            let bytes = received.map_err(|e| self.failure(e.to_string()))?.bytes;
            progress.end.received += 1;
            progress.end.received_bytes += bytes.len() as u64;
            bytes
        };
        self.catch_up();
        Ok(bytes)
    }

    fn send(
        &mut self,
        to: usize,
        tag: u32,
        bytes: Vec<u8>,
        progress: &mut Progress,
    ) -> Result<(), ProgramFailure> {
        if to == self.endpoint.rank() {
            progress.own.entry(tag).or_default().push_back(bytes);
            self.spend(self.overheads.send);
        } else {
            progress.end.sent += 1;
            progress.end.sent_bytes += bytes.len() as u64;
            let sent = self.endpoint.send(to, tag, bytes);
            sent.map_err(|e| self.failure(e.to_string()))?;
        }
        self.catch_up();
        Ok(())
    }

    /// Lets the processor be busy with a message to itself.
    fn spend(&mut self, time: Tick) {
        let moment = self.endpoint.clock() + time;
        self.endpoint.advance_to(moment, TimeCause::Overhead);
    }

    /// Lets the board pass the time of a message, up to its next whole cycle.
    fn catch_up(&mut self) {
        let cycle = self.endpoint.clock().0.div_ceil(self.period.0);
        self.processor.wait_until(cycle);
        self.endpoint.advance_to(cycle * self.period, TimeCause::Overhead);
    }

    /// Returns the bytes of a message.
    fn bytes_of(&mut self, place: u32, size: u32) -> Result<Vec<u8>, ProgramFailure> {
        self.check_memory(place, size)?;
        let mut bytes = vec![0; size as usize];
        if self.processor.core.copy_bytes(place.into(), &mut bytes) {
            Ok(bytes)
        } else {
            Err(self.failure(outside(place, size)))
        }
    }

    /// Puts a message into memory.
    fn put(
        &mut self,
        from: u32,
        tag: u32,
        (place, room): (u32, u32),
        bytes: &[u8],
    ) -> Result<(), ProgramFailure> {
        let size = bytes.len() as u32;
        if size > room {
            return Err(self.failure(format!(
                "the message with {} from rank {from} has {size} bytes, and the buffer has room for {room}",
                tag_name(tag)
            )));
        }
        self.put_bytes(place, bytes)
    }

    fn put_bytes(&mut self, place: u32, bytes: &[u8]) -> Result<(), ProgramFailure> {
        let size = bytes.len() as u32;
        self.check_memory(place, size)?;
        if self.processor.core.receive_bytes(place.into(), bytes) {
            Ok(())
        } else {
            Err(self.failure(outside(place, size)))
        }
    }

    /// Refuses places that are no memory.
    fn check_memory(&mut self, place: u32, size: u32) -> Result<(), ProgramFailure> {
        let board = Board::of(&self.processor);
        let (address, bytes) = (MemoryAddress(place.into()), Bytes(size.into()));
        if size == 0 || board.is_some_and(|board| board.is_memory(address, bytes)) {
            return Ok(());
        }
        Err(self.failure(outside(place, size)))
    }

    /// Returns the failure of a call of the program.
    fn failure(&mut self, text: impl Into<String>) -> ProgramFailure {
        let call = last_call(&mut self.processor, self.elf);
        let text = text.into();
        ProgramFailure::guest(match call {
            Some(call) => format!("{call}: {text}"),
            None => format!("at {}: {text}", place_of(self.elf, self.processor.core.pc)),
        })
    }

    /// Returns the results of a program that has ended.
    fn ended(&mut self, code: u8, progress: &mut Progress) -> Result<ProgramEnd, ProgramFailure> {
        if progress.stage != Stage::Over {
            let without = match progress.stage {
                Stage::Before => "MPI_Init",
                _ => "MPI_Finalize",
            };
            let call = last_call(&mut self.processor, self.elf);
            let last = call.map_or(String::new(), |call| format!("; its last call was {call}"));
            return Err(ProgramFailure::guest(format!(
                "the program ended with exit code {code} without {without}{last}"
            )));
        }
        if let Some((tag, queue)) = progress.own.iter().find(|(_, queue)| !queue.is_empty()) {
            return Err(ProgramFailure::guest(format!(
                "the program ended, and {} messages with {} to itself were not received",
                queue.len(),
                tag_name(*tag)
            )));
        }
        let core = &self.processor.core;
        let (cycles, instructions) = (core.cycle(), core.n_instructions);
        let board = Board::of(&self.processor);
        let kernels = board.map_or(0, Board::n_kernels);
        let stats = board.map(|board| board.machine().dma.stats());
        let moved = stats.map_or(0, |stats| stats.bytes_get + stats.bytes_put);
        Ok(ProgramEnd { code, cycles, instructions, kernels, moved, ..progress.end })
    }

    /// Returns the failure of a program that was stopped.
    fn stopped(&mut self, end: &MachineEnd) -> ProgramFailure {
        let place = place_of(self.elf, self.processor.core.pc);
        let call = last_call(&mut self.processor, self.elf);
        let last = call.map_or(String::new(), |call| format!("; its last call was {call}"));
        let (stop, what) = match end {
            MachineEnd::Fault(text) => (ProgramStop::Guest, text.clone()),
            MachineEnd::Exception { exception, .. } => (ProgramStop::Guest, exception.to_string()),
            MachineEnd::Limit => (
                ProgramStop::Limit,
                format!("did not end within {} cycles (--max-cycles)", self.max_cycles),
            ),
            MachineEnd::Hang => {
                (ProgramStop::Limit, "waits for an interrupt that can never come".to_owned())
            }
            other => (ProgramStop::Guest, format!("was stopped ({other:?})")),
        };
        ProgramFailure { stop, text: format!("at {place}: {what}{last}") }
    }
}

/// However the rank ends, a recording of it, for example, is completed.
impl Drop for RankDriver<'_> {
    fn drop(&mut self) {
        cp2_system::release(&mut self.processor);
    }
}

fn outside(place: u32, size: u32) -> String {
    format!("the {size} bytes at the physical address {place:#x} are not all memory")
}

/// Returns the name of a tag: that of a program, or of a collective call.
pub(crate) fn tag_name(tag: u32) -> String {
    const COLLECTIVE: u32 = 1 << 23;
    let kinds = ["barrier", "broadcast", "reduction", "gathering", "scattering", "exchange of all"];
    match tag.checked_sub(COLLECTIVE) {
        None => format!("tag {tag}"),
        Some(kind) => match kinds.get(kind as usize) {
            Some(kind) => format!("the tag of a {kind}"),
            None => format!("tag {tag}"),
        },
    }
}
