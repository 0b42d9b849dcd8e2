//! The ways in which a run of a program on several processors fails.

use cp2_cluster::ClusterError;
use std::error::Error;
use std::fmt;

/// Reason why the program of a rank stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramStop {
    /// The program did what has no meaning.
    Guest,
    /// The program did not end within the limit of cycles, or waits for what cannot come.
    Limit,
    /// The program does not fit the machine.
    Input,
}

/// Failure of the program of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFailure {
    /// Kind of the failure.
    pub stop: ProgramStop,
    /// Sentence that says what happened, and where.
    pub text: String,
}

impl ProgramFailure {
    pub(crate) fn guest(text: impl Into<String>) -> Self {
        Self { stop: ProgramStop::Guest, text: text.into() }
    }
}

impl fmt::Display for ProgramFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for ProgramFailure {}

/// Error of a run of a program on several processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterProgramError {
    /// The file is no program for the processors.
    Program(String),
    /// The period of the clock is no whole number of ticks.
    Clock {
        /// Clock in MHz.
        mhz: u64,
    },
    /// Every rank that has not ended waits for a message that nobody sends.
    Deadlock {
        /// A sentence for each that waits: the call, the rank and the tag.
        waiting: Vec<String>,
    },
    /// The run failed in another way.
    Cluster(Box<ClusterError<ProgramFailure>>),
}

/// Most ranks that a message names one by one.
const NAMED: usize = 16;

impl fmt::Display for ClusterProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(text) => f.write_str(text),
            Self::Clock { mhz } => write!(
                f,
                "cpu.clock_mhz is {mhz}: its period is no whole number of ticks of 1/84 ns, in which the network counts; 200, 600, 700, 800, 1000 and 1200 are"
            ),
            Self::Deadlock { waiting } => {
                let named = &waiting[..waiting.len().min(NAMED)];
                write!(f, "deadlock: nobody sends what the ranks wait for: {}", named.join("; "))?;
                match waiting.len() - named.len() {
                    0 => Ok(()),
                    more => write!(f, "; and {more} more"),
                }
            }
            Self::Cluster(error) => write!(f, "{error}"),
        }
    }
}

impl Error for ClusterProgramError {}
