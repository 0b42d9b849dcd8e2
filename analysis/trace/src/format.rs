//! The forms of traces: their names, the endings of their files, the settings of a trace.

use crate::clock::Clock;
use crate::select::Selection;
use crate::table::Form;

/// A form in which a trace is written: text, table, or the format of a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Aligned lines.
    Text,
    /// Rows with commas between their values.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Kanata 0004, for Konata.
    Kanata,
    /// Perfetto's protobuf, for ui.perfetto.dev.
    Perfetto,
    /// Value change dump.
    Vcd,
    /// Fast signal trace, for Surfer and GTKWave.
    Fst,
}

impl TraceFormat {
    /// All forms, in the order in which they are listed.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Csv, Self::Parquet, Self::Kanata, Self::Perfetto, Self::Vcd, Self::Fst];

    /// Returns the name of the form on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Kanata => "kanata",
            Self::Perfetto => "perfetto",
            Self::Vcd => "vcd",
            Self::Fst => "fst",
        }
    }

    /// Returns the description of the form, one line for people.
    pub fn description(self) -> &'static str {
        match self {
            Self::Text => {
                "aligned lines: operations, empty cycles, beats, what the host did (.txt)"
            }
            Self::Csv => "the same as rows, with commas (.csv)",
            Self::Parquet => "the same rows for DuckDB, Polars, pandas (.parquet)",
            Self::Kanata => "the pipeline, bundle by bundle, for Konata (.kanata, .log)",
            Self::Perfetto => {
                "tracks, counters and flows for ui.perfetto.dev (.pftrace, .perfetto-trace)"
            }
            Self::Vcd => "registers, banks and channel as signals (.vcd)",
            Self::Fst => "the same signals, smaller, for Surfer and GTKWave (.fst)",
        }
    }

    /// Returns the endings of the files of the form, the usual one first.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["txt"],
            Self::Csv => &["csv"],
            Self::Parquet => &["parquet"],
            Self::Kanata => &["kanata", "log"],
            Self::Perfetto => &["pftrace", "perfetto-trace"],
            Self::Vcd => &["vcd"],
            Self::Fst => &["fst"],
        }
    }

    /// Returns the form that files with this ending have.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.endings().contains(&ending))
    }

    /// Whether files of the form are written from begin to end, so that a pipe can take them too.
    pub fn is_stream(self) -> bool {
        self != Self::Fst
    }

    /// Returns the form of the table, if the trace is one.
    pub(crate) fn table(self) -> Option<Form> {
        match self {
            Self::Text => Some(Form::Text),
            Self::Csv => Some(Form::Csv),
            Self::Parquet => Some(Form::Parquet),
            Self::Kanata | Self::Perfetto | Self::Vcd | Self::Fst => None,
        }
    }
}

/// The events that the rows of a trace tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Operations alone.
    Operations,
    /// Operations, cycles, beats, descriptors, acts of the host.
    Everything,
}

/// The settings of a trace: its form, what it tells, and how large it may become.
#[derive(Clone, Debug)]
pub struct TraceSetup<'a> {
    /// Form in which the trace is written.
    pub format: TraceFormat,
    /// Events that rows tell.
    pub content: Content,
    /// Whether the trace has the written values, where the form leaves the choice.
    pub values: bool,
    /// Selection of registers and sections, of which signals are.
    pub selection: &'a Selection,
    /// Clock of CP2, by which signals have times.
    pub clock: Clock,
    /// Bytes that the trace has at most; for Parquet and FST those of the values before they are encoded.
    pub limit: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_belongs_to_one_form() {
        for format in TraceFormat::ALL {
            for ending in format.endings() {
                assert_eq!(TraceFormat::of_ending(ending), Some(format));
            }
        }
        assert_eq!(TraceFormat::of_ending("xyz"), None);
    }
}
