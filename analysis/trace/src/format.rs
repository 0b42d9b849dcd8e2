//! The forms of traces: their names, the endings of their files, what a trace is asked for.

use crate::clock::Clock;
use crate::select::Selection;
use crate::table::Form;

/// A form of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
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

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Text, Self::Csv, Self::Parquet, Self::Kanata, Self::Perfetto, Self::Vcd, Self::Fst];

    /// Its name on the command line.
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

    /// One line for people.
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

    /// The endings of its files, the usual one first.
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

    /// The form that files with this ending have.
    pub fn of_ending(ending: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.endings().contains(&ending))
    }

    /// Whether its files are written from begin to end: into a pipe too.
    pub fn is_stream(self) -> bool {
        self != Self::Fst
    }

    /// The form of its table, if it is one.
    pub(crate) fn table(self) -> Option<Form> {
        match self {
            Self::Text => Some(Form::Text),
            Self::Csv => Some(Form::Csv),
            Self::Parquet => Some(Form::Parquet),
            Self::Kanata | Self::Perfetto | Self::Vcd | Self::Fst => None,
        }
    }
}

/// What rows tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Operations.
    Operations,
    /// Operations, cycles, beats, descriptors, what the host did.
    Everything,
}

/// How a trace is written.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// Its form.
    pub format: Format,
    /// What rows tell of.
    pub content: Content,
    /// Whether it has the written values, where the form leaves the choice.
    pub values: bool,
    /// Which registers and sections signals are of.
    pub selection: &'a Selection,
    /// The clock, for signals.
    pub clock: Clock,
    /// Bytes that it has at most; for Parquet and FST those of the values before they are encoded.
    pub limit: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_belongs_to_one_form() {
        for format in Format::ALL {
            for ending in format.endings() {
                assert_eq!(Format::of_ending(ending), Some(format));
            }
        }
        assert_eq!(Format::of_ending("xyz"), None);
    }
}
