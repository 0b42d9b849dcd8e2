//! Ends of runs: a `stop`, a fault with its place, a limit.

use super::{Debugger, StopReason};
use crate::error::DebugError;
use crate::place::lines_of;
use cp2_asm::sites::{BundleNames, short};
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::RecordedEnd;

/// Exit codes of a run as `cp2 run` has them: a fault, and an end before the `stop`.
const FAULT: i64 = 4;
const CUT: i64 = 5;
/// Word for a cycle in which a bundle without meaning would have issued.
pub(crate) const FAULT_WORD: &str = "fault";

impl Debugger {
    /// Returns how the run ended.
    fn ending(&mut self) -> Result<RecordedEnd, DebugError> {
        if let Some(known) = &self.ending {
            return Ok(known.clone());
        }
        let found = self.run.recording.ending()?;
        self.ending = Some(found.clone());
        Ok(found)
    }

    /// Returns the bundle that does not issue in the cycle at which the run stands, because the run ends there, and a word for that;
    /// `None` in any other cycle.
    pub(super) fn unissued(
        &mut self,
    ) -> Result<Option<(Option<BundleAddress>, &'static str)>, DebugError> {
        let here = self.cycle();
        Ok(match self.ending()? {
            RecordedEnd::Fault(at, fault) if at == here => Some((fault.address, FAULT_WORD)),
            RecordedEnd::Running(at) if at == here => Some((Some(self.state().pc), "ended here")),
            _ => None,
        })
    }

    /// Returns the cycle at which a run that goes on ends, and why.
    pub(super) fn end_ahead(&mut self) -> Result<(Cycle, StopReason), DebugError> {
        let [begin, end] = self.ends();
        let here = self.cycle();
        Ok(match self.ending()? {
            RecordedEnd::Fault(cycle, fault) if here < cycle => {
                let place =
                    fault.address.map_or(String::new(), |address| self.named(cycle, address));
                (cycle, StopReason::Fault(format!("fault in cycle {cycle}{place}: {}", fault.kind)))
            }
            RecordedEnd::Running(cycle) if here < cycle => {
                let by = match self.run.recording.is_whole() {
                    true => "by its limit (--max-cycles) or its host",
                    false => "for its recording was cut off",
                };
                let cycles = cycle.saturating_since(begin);
                let told = format!("the run was ended after {cycles} cycles before a `stop`, {by}");
                (cycle, StopReason::Cut(told))
            }
            _ => (end, StopReason::End),
        })
    }

    /// Returns the name of a bundle behind the cycle of its fault.
    fn named(&self, cycle: Cycle, address: BundleAddress) -> String {
        let Some(image) = self.image_in(cycle) else { return format!(", bundle {address}") };
        let names = BundleNames::new(image, &self.core);
        let label = names.site(address).label_text();
        let lines = lines_of(image, address);
        let lines: Vec<String> =
            lines.iter().map(|(file, line)| format!("{}:{line}", short(file))).collect();
        let parts = [format!("bundle {address}"), label, lines.join(", ")];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        parts.map(|part| format!(", {part}")).collect()
    }

    /// Returns how the run ended as an exit code, as `cp2 run` has it, and as a sentence.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn outcome(&mut self) -> Result<(i64, String), DebugError> {
        Ok(match self.ending()? {
            RecordedEnd::Stopped(code) => (0, format!("the run stopped with code {code}")),
            RecordedEnd::Fault(cycle, fault) => {
                let place =
                    fault.address.map_or(String::new(), |address| self.named(cycle, address));
                (
                    FAULT,
                    format!("the run ended with a fault in cycle {cycle}{place}: {}", fault.kind),
                )
            }
            RecordedEnd::Running(cycle) => {
                (CUT, format!("the run was ended before a `stop`, in cycle {cycle}"))
            }
        })
    }
}
