//! The formats of traces: their names, the endings of their files, and the settings of a trace.

use crate::clock::Clock;
use crate::select::Selection;
use crate::table::Form;

/// A format in which a trace is written: text, a table, or the format of a viewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Rows of text in aligned columns, for people.
    Text,
    /// A table with commas between the values of a row.
    Csv,
    /// A table in the format Apache Parquet.
    Parquet,
    /// The pipeline as a Kanata log, version 0004, for the viewer Konata.
    Kanata,
    /// Tracks, counters and flows in Perfetto's protobuf format, for ui.perfetto.dev.
    Perfetto,
    /// Signals as a value change dump (VCD).
    Vcd,
    /// Signals in the format FST, for the viewers Surfer and GTKWave.
    Fst,
}

impl TraceFormat {
    /// All formats, in the order in which help texts list them.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Csv, Self::Parquet, Self::Kanata, Self::Perfetto, Self::Vcd, Self::Fst];

    /// Returns the name of the format on the command line, such as `parquet`.
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

    /// Returns a line for people about what the format holds and for which tool it is, with the endings of its files.
    pub fn description(self) -> &'static str {
        match self {
            Self::Text => "aligned lines: operations, empty cycles, beats, acts of the host (.txt)",
            Self::Csv => "the same as rows, separated by commas (.csv)",
            Self::Parquet => "the same rows for DuckDB, Polars, pandas (.parquet)",
            Self::Kanata => "the pipeline, bundle by bundle, for Konata (.kanata, .log)",
            Self::Perfetto => {
                "tracks, counters and flows for ui.perfetto.dev (.pftrace, .perfetto-trace)"
            }
            Self::Vcd => "registers, banks and channel as signals (.vcd)",
            Self::Fst => "the same signals, smaller, for Surfer and GTKWave (.fst)",
        }
    }

    /// Returns the endings of file names for the format, without the dot, the usual one first.
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

    /// Returns the format of files whose name has this ending, given without the dot; `None` for an unknown ending.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.endings().contains(&ending))
    }

    /// Returns true if a file of the format is written from begin to end without going back, so that it can go to a
    /// pipe. Only FST is not.
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

/// The content of a trace in rows (text, CSV, Parquet): only operations, or all kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Rows for operations that issued, and for nothing else.
    Operations,
    /// Rows for operations, cycles without one, beats and descriptors of the DMA channel, and actions of the host.
    Everything,
}

/// The settings of a trace: its format, its content, and how large it may become.
#[derive(Clone, Debug)]
pub struct TraceSetup<'a> {
    /// Format in which the trace is written.
    pub format: TraceFormat,
    /// Kinds of events that have rows, in the formats with rows.
    pub content: Content,
    /// True to write the values that operations and beats write, in the formats that can leave them out.
    pub values: bool,
    /// Selection of the registers and sections that become signals, in VCD and FST.
    pub selection: &'a Selection,
    /// Clock of CP2, by which VCD and FST convert cycles to times.
    pub clock: Clock,
    /// Greatest length of the trace in bytes; for Parquet and FST, of its values before they are encoded.
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
