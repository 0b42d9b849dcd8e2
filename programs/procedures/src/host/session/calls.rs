//! The calls of a host, one for each thing that a control processor does: commands, waits, its own work. All of them
//! take time, which the timeline records.

use super::{Call, Host, Queue, channel, command};
use cp2_emu::cp2::FifoEntry;
use cp2_emu::dma::{DmaRegister, Phase, ctrl};
use cp2_emu::machine::{Action, Key};
use cp2_emu::memory::PortRest;
use cp2_emu::state::CONTROL_INVERSE;
use cp2_emu::trace::NoObserver;
use cp2_emu::{End, Goal, Machine, State};
use cp2_isa::{BundleBits, Cycle, Exch};
use cp2_session::cost::Traffic;
use cp2_session::cost::timeline::{Cp2Activity, DmaActivity, HostActivity};
use cp2_session::error::KernelError;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

impl Host {
    /// Writes the register CONTROL of CP2, so that kernels compute the inverse transform (`inverse`) or the forward
    /// one. The write takes `host.register_cycles` of the machine file; no kernel may be running.
    ///
    /// # Errors
    /// The machine has a fault.
    pub fn change_direction(&mut self, inverse: bool) -> Result<(), KernelError> {
        if self.is_past("change_direction", |digest| digest.write_u8(inverse.into()))? {
            return Ok(());
        }
        self.spend(Key::HostRegister, HostActivity::Command)?;
        self.write_inverse(inverse);
        Ok(())
    }

    /// Chooses the inverse transform (`inverse`) or the forward one for kernels as [`Self::change_direction`] does, but
    /// takes no cycles.
    pub fn set_inverse(&mut self, inverse: bool) {
        let argument = |digest: &mut XxHash64| digest.write_u8(inverse.into());
        let mut replay = self.replay.as_mut();
        if !replay.as_mut().is_some_and(|replay| replay.count("set_inverse", argument)) {
            self.write_inverse(inverse);
        }
    }

    fn write_inverse(&mut self, inverse: bool) {
        let control = self.machine.cp2.state.control & !CONTROL_INVERSE;
        let control = control | if inverse { CONTROL_INVERSE } else { 0 };
        // The machine never refuses this action.
        let _ = self.machine.act(Action::WriteControl(control));
    }

    /// Makes a queue that was written before the one that [`Self::start_queue`] starts.
    pub(crate) fn choose_queue(&mut self, queue: &Queue) {
        self.queue = queue.clone();
    }

    /// Returns the traffic of the queues that were started.
    pub(crate) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Starts the DMA channel at the first descriptor of the queue that [`Self::set_queue`] wrote last. Four writes of
    /// channel registers do it, each of which takes `host.register_cycles` of the machine file.
    ///
    /// # Errors
    /// The channel refuses a write, or the machine has a fault.
    pub fn start_queue(&mut self) -> Result<(), KernelError> {
        self.start_queue_at(0)
    }

    /// Starts the channel as [`Self::start_queue`] does, at the descriptor of this number.
    pub(crate) fn start_queue_at(&mut self, descriptor: usize) -> Result<(), KernelError> {
        self.traffic.add(&self.queue.traffic);
        let at = self.queue.at;
        if self.is_past("start_queue", |digest| digest.write_u64(at.0))? {
            return Ok(());
        }
        let writes = [
            (DmaRegister::Baseaddr, self.queue.at.0 as u32),
            (DmaRegister::Daddr, 0),
            (DmaRegister::Curdsc, descriptor as u32),
            (DmaRegister::Ctrl, ctrl::START),
        ];
        for (register, value) in writes {
            self.spend(Key::HostRegister, HostActivity::Command)?;
            self.machine.act(Action::WriteRegister(register, value)).map_err(channel)?;
        }
        Ok(())
    }

    /// Releases the DMA channel from a wait for the operation `start_dma`, by a bundle with this operation through the
    /// host FIFO, which takes cycles. No kernel may be running.
    ///
    /// # Errors
    /// The machine has a fault.
    pub fn release_dma(&mut self) -> Result<(), KernelError> {
        if self.is_past("release_dma", |_| ())? {
            return Ok(());
        }
        self.send_bundle(command(Exch::StartDma, &[]))
    }

    /// Starts a kernel and returns while it runs: bundles through the host FIFO, which take cycles, set its arguments
    /// and run it. No other kernel may be running.
    ///
    /// # Errors
    /// The arguments break a promise of the kernel, or the machine has a fault.
    pub fn start_kernel(&mut self, call: &Call) -> Result<(), KernelError> {
        let all = |digest: &mut XxHash64| {
            digest.write_u32(call.entry.0.into());
            call.arguments.iter().for_each(|&value| digest.write_u16(value));
            digest.write_u64(call.least_cycles);
            call.setup.iter().for_each(|&bundle| digest.write(&bundle.to_le_bytes()));
        };
        if self.is_past("start_kernel", all)? {
            return Ok(());
        }
        let State { mut gpr, a, .. } = self.machine.cp2.state;
        for (register, &value) in gpr.iter_mut().zip(&call.arguments) {
            *register = value.into();
        }
        let promises = self.programs.promises();
        if let Some(broken) = promises.and_then(|(_, p)| p.broken(call.entry, &gpr, &a)) {
            return Err(KernelError::Promise(Box::new(broken)));
        }
        self.spend(Key::HostCall, HostActivity::Program)?;
        for bundle in call.bundles() {
            self.send_bundle(bundle)?;
        }
        self.state.least_cycles = call.least_cycles;
        self.state.is_kernel_counted = false;
        Ok(())
    }

    fn send_bundle(&mut self, bundle: BundleBits) -> Result<(), KernelError> {
        let entry = FifoEntry::Execute(bundle);
        self.spend(Key::HostBundle, HostActivity::Command)?;
        while self.machine.act(Action::Send(entry)).is_err() {
            let next = self.machine.cycle() + 1;
            self.spend_until(next, HostActivity::Command)?;
        }
        Ok(())
    }

    /// Advances the machine until no kernel runs: the host reads the register STATUS of CP2 again and again, each time
    /// in `host.status_cycles` of the machine file.
    ///
    /// # Errors
    /// The kernel or the channel has a fault, or the wait exceeds the limit of cycles.
    pub fn wait_for_cp2(&mut self) -> Result<(), KernelError> {
        if self.is_past("wait_for_cp2", |_| ())? {
            return Ok(());
        }
        self.poll(Key::HostStatus, HostActivity::WaitCp2, |host| {
            let machine = host.machine();
            Ok(machine.cp2.is_done() && machine.cycle() >= host.state.busy_until)
        })
    }

    /// Advances the machine until the DMA channel is idle or waits for `start_dma`: the host reads the channel's
    /// register STATUS again and again, each time in `host.register_cycles` of the machine file. While a release is in
    /// the host FIFO, the channel still waits for that release, which does not count.
    ///
    /// # Errors
    /// The channel or a kernel has a fault, or the wait exceeds the limit of cycles.
    pub fn wait_for_dma(&mut self) -> Result<(), KernelError> {
        if self.is_past("wait_for_dma", |_| ())? {
            return Ok(());
        }
        self.poll(Key::HostRegister, HostActivity::WaitDma, |host| {
            let Machine { cp2, dma, .. } = host.machine();
            match dma.fault() {
                Some(fault) => Err(channel(*fault)),
                None => Ok(cp2.fifo.is_empty() && (!dma.is_busy() || dma.is_waiting())),
            }
        })
    }

    /// Reads a status, which takes the cycles of `key`, and again after one more cycle, until `is_done`. Readings that cannot
    /// find it done are passed over.
    fn poll(
        &mut self,
        key: Key,
        activity: HostActivity,
        is_done: impl Fn(&Self) -> Result<bool, KernelError>,
    ) -> Result<(), KernelError> {
        self.state.wait_since = self.machine.cycle();
        let period = 1 + u64::from(self.config.value(key));
        self.spend(key, activity)?;
        while !is_done(self)? {
            let first = self.machine.cycle();
            loop {
                self.advance(Cycle::NEVER, activity)?;
                if !matches!(is_done(self), Ok(false)) {
                    break;
                }
            }
            let passed = self.machine.cycle() - first;
            self.spend_until(first + passed.next_multiple_of(period), activity)?;
        }
        Ok(())
    }

    /// Advances the machine by the cycles of the host's own work between two pages (each the data that lie in one part
    /// of local memory at once), `host.page_cycles` of the machine file.
    ///
    /// # Errors
    /// The machine has a fault.
    pub fn turn_page(&mut self) -> Result<(), KernelError> {
        if self.is_past("turn_page", |_| ())? {
            return Ok(());
        }
        self.spend(Key::HostPage, HostActivity::Program)
    }

    /// Advances the machine to a cycle while the host is busy with what is no part of the machine, such as messages to other
    /// processors; the cycles count as those of its program. Does nothing if the machine is past it.
    ///
    /// # Errors
    /// The machine has a fault.
    pub fn pass_until(&mut self, cycle: Cycle) -> Result<(), KernelError> {
        if self.is_past("pass_until", |digest| digest.write_u64(cycle.0))? {
            return Ok(());
        }
        self.spend_until(cycle, HostActivity::Program)
    }

    /// Puts the memory port of a channel that moves nothing into the state of another time.
    pub(crate) fn rest_port_as(&mut self, rest: &PortRest, keeps_row: bool) {
        let now = self.machine.cycle();
        self.machine.dma.port_mut().rest_as(rest, now, keeps_row);
    }

    pub(super) fn spend(&mut self, key: Key, activity: HostActivity) -> Result<(), KernelError> {
        let cycles = u64::from(self.config.value(key));
        self.spend_until(self.machine.cycle() + cycles, activity)
    }

    pub(super) fn spend_until(
        &mut self,
        cycle: Cycle,
        activity: HostActivity,
    ) -> Result<(), KernelError> {
        while self.machine.cycle() < cycle {
            self.advance(cycle, activity)?;
        }
        Ok(())
    }

    /// Runs the whole machine for one cycle or more, to cycle `limit` at most. No state for which a wait may look changes
    /// before the last of these cycles.
    fn advance(&mut self, limit: Cycle, host: HostActivity) -> Result<(), KernelError> {
        let cycle = self.machine.cycle();
        let mut limit = limit;
        if matches!(host, HostActivity::WaitCp2 | HostActivity::WaitDma) {
            let last = self.state.wait_since.saturating_add(self.limit);
            if cycle >= last {
                return Err(match host {
                    HostActivity::WaitDma => KernelError::ChannelLimit(self.limit),
                    _ => KernelError::Run(Box::new(End::CycleLimit(self.limit))),
                });
            }
            limit = limit.min(last);
        }
        if cycle < self.state.busy_until {
            limit = limit.min(self.state.busy_until);
        }
        let ran = self.machine.cp2.is_running();
        let until_still = host == HostActivity::WaitDma && self.dma_is_moving();
        let stepped = if self.by_cycles {
            self.machine.step(&mut NoObserver)
        } else {
            let goal = Goal { until_still, ..Goal::cycle(limit) };
            self.engine.advance(&mut self.machine, goal, &mut NoObserver).map(|_| ())
        };
        if let Err(fault) = stepped {
            return Err(KernelError::Run(Box::new(End::Fault(fault))));
        }
        let now = self.machine.cycle();
        let runs = self.machine.cp2.is_running();
        // A kernel of one bundle begins and ends in one cycle.
        let is_one = !ran && !runs && !self.state.is_kernel_counted && self.machine.cp2.is_done();
        if !ran && runs || is_one {
            self.state.busy_until = now - 1 + self.state.least_cycles;
        }
        if (ran && !runs || is_one) && !self.state.is_kernel_counted {
            self.state.kernels.add(self.machine.cp2.stats());
            self.state.is_kernel_counted = true;
        }
        let computes = ran || runs || is_one || cycle < self.state.busy_until;
        let cp2 = if computes { Cp2Activity::Kernel } else { Cp2Activity::Idle };
        for stretch in self.machine.dma.take_history() {
            let queued = self.queue.activities.get(stretch.descriptor as usize);
            let dma = match stretch.phase {
                Phase::Idle => DmaActivity::Idle,
                Phase::SetUp => DmaActivity::SetUp,
                Phase::Sync => DmaActivity::Sync,
                Phase::Data => queued.copied().unwrap_or(DmaActivity::SetUp),
            };
            self.state.timeline.record(cp2, dma, host, stretch.cycles);
        }
        Ok(())
    }

    fn dma_is_moving(&self) -> bool {
        self.machine.dma.next_event().is_some()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::MachineConfig;
    use cp2_session::engine::Engine as Kind;
    use cp2_session::execution::Execution;

    /// Returns the kernels that ran, their cycles, and those of the timeline, of calls with these fewest cycles.
    fn called(bundles: &str, least_cycles: u64, engine: Kind) -> [u64; 3] {
        let config = MachineConfig::preset("vm7").unwrap();
        let on = Execution { engine, ..Execution::default() };
        let mut host = Host::new(config, &on);
        let entry = host.install("few.s", || Ok(format!(".kernel few\n{bundles}"))).unwrap();
        for _ in 0..2 {
            let call = Call { least_cycles, ..Call::new(entry, vec![7]) };
            host.start_kernel(&call).unwrap();
            host.wait_for_cp2().unwrap();
        }
        let kernels = host.kernels();
        [kernels.runs, kernels.cycles, host.timeline().cp2.cycles(Cp2Activity::Kernel)]
    }

    #[test]
    fn a_kernel_of_one_bundle_is_counted_as_the_others() {
        for engine in Kind::ALL {
            assert_eq!(called("nop\nstopi 0\n", 0, engine), [2, 4, 4], "{engine:?}");
            assert_eq!(called("stopi 0\n", 0, engine), [2, 2, 2], "{engine:?}");
            assert_eq!(called("nop\nstopi 0\n", 100, engine), [2, 4, 200], "{engine:?}");
            assert_eq!(called("stopi 0\n", 100, engine), [2, 2, 200], "{engine:?}");
        }
    }
}
