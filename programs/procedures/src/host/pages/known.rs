//! Times of chains without their data: the cycles of a step are measured once for each state of the clocks and of the memory port
//! with which it begins, and then known. The cycles of kernels do not depend on data, so a run whose steps are known takes the same
//! time as one that computes.
//!
//! A step begins when CP2 and the channel stand still: the channel is idle, or waits before the descriptor of the step, whose row
//! is open. So the row with which a transfer begins has to be opened, whatever its address is, and steps whose transfers
//! begin at other rows, but at the same places of them, take as long.

use super::{Chain, Command, Host};
use crate::host::session::ARRAY_ALIGNMENT;
use cp2_emu::dma::{Descriptor, DescriptorAction, MemoryWalk};
use cp2_emu::memory::{MemoryPort, PortRest};
use cp2_isa::{Cycle, MemoryAddress};
use cp2_session::error::KernelError;
use std::collections::HashMap;

/// Moment between two chains: the cycle, and what the memory port leaves to later transactions.
#[derive(Clone, Debug)]
pub(crate) struct ChainMoment {
    pub(crate) cycle: Cycle,
    pub(crate) port: MemoryPort,
}

/// All on which the cycles of a step depend, but for clocks and memory port.
#[derive(Debug, PartialEq, Eq, Hash)]
struct StepForm {
    is_first: bool,
    is_last: bool,
    commands: Vec<Command>,
    pages: usize,
    /// Descriptors of the step, whose walks begin at places of a row.
    descriptors: Vec<[u64; 8]>,
    /// For each descriptor that is fetched in the step, whether it lies in another row than the one before.
    row_ends: Vec<bool>,
}

/// Number of a form, of a state of the port, and cycles past a common moment of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Begin {
    of: u32,
    rest: u32,
    phase: u32,
}

/// Cycles from the begin to the end of something, and the number of the state in which it leaves the port.
#[derive(Clone, Copy, Debug)]
struct Passed {
    cycles: u64,
    rest: u32,
}

/// Times of chains of one host, measured when they are asked for the first time.
#[derive(Debug, Default)]
pub(crate) struct KnownTimes {
    forms: HashMap<StepForm, u32>,
    /// Numbers of the forms of the steps of each chain.
    of_chains: HashMap<usize, Vec<u32>>,
    rests: Vec<PortRest>,
    rest_numbers: HashMap<PortRest, u32>,
    steps: HashMap<Begin, Passed>,
    chains: HashMap<Begin, Passed>,
}

impl KnownTimes {
    /// Takes a moment behind a chain, the one with this number of all that the host has.
    ///
    /// # Errors
    /// A step that is run for the first time has a fault, or its cycles depend on data or on rows of memory across arrays.
    pub(crate) fn pass(
        &mut self,
        host: &mut Host,
        (number, chain): (usize, &Chain),
        moment: &mut ChainMoment,
    ) -> Result<(), KernelError> {
        let period = moment.port.period();
        let phase = |cycle: Cycle| (cycle.0 % period) as u32;
        let mut rest = self.number_of(moment.port.rest(moment.cycle));
        let begin = Begin { of: number as u32, rest, phase: phase(moment.cycle) };
        let passed = match self.chains.get(&begin) {
            Some(passed) => *passed,
            None => {
                let forms = self.forms_of(host, (number, chain))?;
                let mut cycle = moment.cycle;
                for (k, &form) in forms.iter().enumerate() {
                    let begin = Begin { of: form, rest, phase: phase(cycle) };
                    let passed = match self.steps.get(&begin) {
                        Some(passed) => *passed,
                        None => self.measured(host, (chain, k), begin)?,
                    };
                    (cycle, rest) = (cycle + passed.cycles, passed.rest);
                }
                let passed = Passed { cycles: cycle - moment.cycle, rest };
                self.of_chains.insert(number, forms);
                self.chains.insert(begin, passed);
                passed
            }
        };
        moment.cycle += passed.cycles;
        let rest = self.rests.get(passed.rest as usize);
        rest.into_iter().for_each(|rest| moment.port.rest_as(rest, moment.cycle, false));
        Ok(())
    }

    /// Returns the number of a state of the port.
    fn number_of(&mut self, rest: PortRest) -> u32 {
        if let Some(&number) = self.rest_numbers.get(&rest) {
            return number;
        }
        let number = self.rests.len() as u32;
        self.rests.push(rest.clone());
        self.rest_numbers.insert(rest, number);
        number
    }

    /// Returns the numbers of the forms of the steps of a chain.
    fn forms_of(
        &mut self,
        host: &Host,
        (number, chain): (usize, &Chain),
    ) -> Result<Vec<u32>, KernelError> {
        if let Some(forms) = self.of_chains.remove(&number) {
            return Ok(forms);
        }
        let row = u64::from(host.machine().dma.port().timing().row_bytes);
        if !ARRAY_ALIGNMENT.is_multiple_of(row) {
            let limit = format!("a divisor of {ARRAY_ALIGNMENT} in a replay");
            let what = "memory.page_bytes";
            return Err(KernelError::Parameter { what, value: row as usize, limit });
        }
        let mut forms = Vec::with_capacity(chain.steps.len());
        for number in 0..chain.steps.len() {
            let form = chain.form(host, number, row)?;
            let next = self.forms.len() as u32;
            forms.push(*self.forms.entry(form).or_insert(next));
        }
        Ok(forms)
    }

    /// Runs a step on the host, whose clocks and port begin as those of the step, and remembers what passed.
    fn measured(
        &mut self,
        host: &mut Host,
        (chain, number): (&Chain, usize),
        begin: Begin,
    ) -> Result<Passed, KernelError> {
        let first = chain.steps.get(number).map_or(0, |step| step.descriptors.start);
        let waits = number > 0 && first < chain.queue.len();
        host.choose_queue(&chain.queue);
        if waits {
            host.start_queue_at(first)?;
            host.wait_for_dma()?;
        }
        let period = host.machine().dma.port().period();
        let now = host.machine().cycle();
        let left = (u64::from(begin.phase) + period - now.0 % period) % period;
        host.pass_until(now + left)?;
        let rest = self.rests.get(begin.rest as usize);
        rest.into_iter().for_each(|rest| host.rest_port_as(rest, waits));
        let now = host.machine().cycle();
        chain.run_step(host, number)?;
        let end = host.machine().cycle();
        if number + 1 == chain.steps.len() {
            chain.check_end(host)?;
        }
        let rest = self.number_of(host.machine().dma.port().rest(end));
        let passed = Passed { cycles: end - now, rest };
        self.steps.insert(begin, passed);
        Ok(passed)
    }
}

impl Chain {
    /// Returns the form of a step.
    fn form(&self, host: &Host, number: usize, row: u64) -> Result<StepForm, KernelError> {
        let step = self.steps.get(number).ok_or(KernelError::Internal("no such step"))?;
        let range = step.descriptors.clone();
        let words = host.read_words(self.queue.descriptor(range.start), 8 * range.len())?;
        let descriptors = words.as_chunks().0.iter().map(|words| placed(words, row));
        let descriptors = descriptors.collect::<Result<_, _>>()?;
        // The one behind the step is fetched in it, and the first one before it, but for that of the first step.
        let row_of = |number: usize| self.queue.descriptor(number).0 / row;
        let fetched = range.start + 1..(range.end + 1).min(self.queue.len());
        let row_ends = match range.is_empty() {
            true => Vec::new(),
            false => fetched.map(|number| row_of(number) != row_of(number - 1)).collect(),
        };
        let is_last = number + 1 == self.steps.len();
        let (commands, pages) = (step.commands.clone(), step.pages);
        Ok(StepForm { is_first: number == 0, is_last, commands, pages, descriptors, row_ends })
    }

    /// Checks that a queue has ended with a transfer: its last row is none of descriptors.
    fn check_end(&self, host: &Host) -> Result<(), KernelError> {
        let port = host.machine().dma.port();
        match (0..self.queue.len()).any(|number| port.is_open(self.queue.descriptor(number))) {
            true => Err(KernelError::Internal("a queue in a replay ends without a transfer")),
            false => Ok(()),
        }
    }
}

/// Returns a descriptor whose walks begin in the first row of memory, at the same places of it.
fn placed(words: &[u64; 8], row: u64) -> Result<[u64; 8], KernelError> {
    let mut descriptor = Descriptor::decode(words);
    let in_row = |walk: &mut MemoryWalk| walk.base = MemoryAddress(walk.base.0 % row);
    match &mut descriptor.action {
        DescriptorAction::Get(get) => in_row(&mut get.memory),
        DescriptorAction::Put(put) => in_row(&mut put.memory),
        DescriptorAction::GetWords(get) => in_row(&mut get.memory),
        DescriptorAction::PutWords(put) => in_row(&mut put.memory),
        // Reads and writes take turns, so it matters how far their rows are apart.
        DescriptorAction::Copy(copy) => {
            let lower = copy.from.base.0.min(copy.to.base.0) / row * row;
            copy.from.base = MemoryAddress(copy.from.base.0 - lower);
            copy.to.base = MemoryAddress(copy.to.base.0 - lower);
        }
        DescriptorAction::Gather(_) => {
            return Err(KernelError::Internal("the cycles of a gather depend on data"));
        }
        DescriptorAction::Jump(_) => {}
    }
    descriptor.encode().map_err(|_| KernelError::Internal("a descriptor without an encoding"))
}
