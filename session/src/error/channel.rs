//! Errors of the DMA channel in a procedure.

use cp2_emu::dma::{DmaFault, FieldError};
use cp2_emu::machine::ActionError;
use cp2_emu::memory::OutsideMemory;
use std::fmt;

/// The reason why the DMA channel of a machine did not do what the host of a procedure asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChannelError {
    /// The machine refused an action of the host.
    Refused(ActionError),
    /// An array reaches beyond system memory.
    Outside(OutsideMemory),
    /// A field of a descriptor cannot hold the value that the procedure puts there.
    Field(FieldError),
    /// The channel stopped, because it met something that it cannot do.
    Fault(DmaFault),
}

impl fmt::Display for ChannelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Outside(error) => error.fmt(f),
            Self::Field(error) => error.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for ChannelError {}

impl From<ActionError> for ChannelError {
    fn from(error: ActionError) -> Self {
        Self::Refused(error)
    }
}

impl From<OutsideMemory> for ChannelError {
    fn from(error: OutsideMemory) -> Self {
        Self::Outside(error)
    }
}

impl From<FieldError> for ChannelError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}

impl From<DmaFault> for ChannelError {
    fn from(fault: DmaFault) -> Self {
        Self::Fault(fault)
    }
}
