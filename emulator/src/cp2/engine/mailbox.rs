//! Accesses of the host to COMM, the mailbox between host and kernel. Those of a kernel are operations (`exchange`).

use super::Cp2;
use crate::state::status;

impl Cp2 {
    /// Writes the mailbox register COMM for the host and sets STATUS.COMMK64 (written by the host, not yet read by CP2)
    /// from this cycle on. A `move` of a kernel that issued before and read the older value does not clear the bit any
    /// more, even if its own change of the bit is still under way.
    pub fn write_comm(&mut self, value: u64) {
        self.state.comm = value;
        self.state.status |= status::COMM_K64;
        self.pipeline.overrule_mailbox(status::COMM_K64);
    }

    /// Returns the mailbox register COMM for the host and clears STATUS.COMMCP2 (written by CP2, not yet read by the
    /// host) from this cycle on. A `move` of a kernel that issued before wrote the value that is read here, so it does
    /// not set the bit any more.
    pub fn read_comm(&mut self) -> u64 {
        self.state.status &= !status::COMM_CP2;
        self.pipeline.overrule_mailbox(status::COMM_CP2);
        self.state.comm
    }
}
