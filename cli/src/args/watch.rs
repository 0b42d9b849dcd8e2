//! What a run shows of its way: traces and profiles.

use clap::Args;
use std::path::PathBuf;

/// Longest trace if nothing else is said, bytes.
pub(super) const TRACE_LIMIT: &str = "1GiB";

/// Trace of every operation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trace")]
pub(crate) struct TraceChoice {
    /// Write one row per operation: `.parquet`, `.csv`, or text for any other name; `-` is text on
    /// standard output. `.kanata`, `.pftrace`, `.vcd` and `.fst` are as `cp2 trace` writes them
    ///
    /// A row has cycles, bundle address, label, source line, operation, registers written, and the words of
    /// local memory that are loaded or stored. The page "Traces" of the book lists all columns.
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Add the written values to the trace; the values of a load are those at its issue
    #[arg(long, requires = "trace")]
    pub(crate) trace_values: bool,
    /// Trace these cycles only, counted from reset, from A on and before B; either may be left out. All others run on
    /// the chosen engine. Example: `--trace-cycles 1000..1200`
    #[arg(long, value_name = "A..B", requires = "trace", value_parser = cycles)]
    pub(crate) trace_cycles: Option<Cycles>,
    /// Largest size of the trace: bytes, or a number with KiB, MiB or GiB, or `none`. A larger trace ends with the last
    /// cycle that fits, which the last line on standard error names; the run goes on. For Parquet the size is that of
    /// the values before they are encoded
    #[arg(long, value_name = "SIZE", requires = "trace", value_parser = size, default_value = TRACE_LIMIT)]
    pub(crate) trace_limit: Size,
}

/// Profile of every part of the program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Profile")]
pub(crate) struct ProfileChoice {
    /// Print the cycles of every label and source line, with their causes and floating-point operations; with `--json`
    /// they are the field `profile` of the report
    ///
    /// All engines count the same. With this option the fast engine leaves predicated operations to the reference engine.
    #[arg(long)]
    pub(crate) profile: bool,
    /// Write the cycles as folded stacks, `kernel;loops;label;line cycles`, for a flame graph: `inferno-flamegraph
    /// FILE > run.svg`, or speedscope.app; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) profile_folded: Option<PathBuf>,
}

/// Cycles of a run, from the first on and before the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cycles {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Cycles {
    /// All of them.
    pub(crate) const ALL: Self = Self { start: 0, end: u64::MAX };
}

/// Most bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(bytes) = self;
        match UNITS.into_iter().find(|(_, shift)| *bytes > 0 && bytes % (1 << shift) == 0) {
            Some((name, shift)) => write!(f, "{} {name}", bytes >> shift),
            None => write!(f, "{bytes} bytes"),
        }
    }
}

const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];

pub(super) fn cycles(text: &str) -> Result<Cycles, String> {
    let wrong =
        || "write the cycles as A..B, from A on and before B, such as 1000..1200".to_owned();
    let (start, end) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str, absent| match text {
        "" => Ok(absent),
        digits => digits.parse::<u64>().map_err(|_| wrong()),
    };
    let (start, end) = (number(start, Cycles::ALL.start)?, number(end, Cycles::ALL.end)?);
    if start >= end {
        return Err("A..B has no cycle; A has to be less than B".to_owned());
    }
    Ok(Cycles { start, end })
}

pub(super) fn size(text: &str) -> Result<Size, String> {
    if text == "none" {
        return Ok(Size(u64::MAX));
    }
    let (digits, shift) = UNITS
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?.trim_end(), shift)))
        .unwrap_or((text, 0));
    let number = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    number.map(Size).ok_or_else(|| {
        "write the size as a number of bytes, or a number with KiB, MiB or GiB, such as 64MiB, or as `none`"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_half_open_with_open_ends() {
        let of = |start, end| Ok(Cycles { start, end });
        assert_eq!(cycles("3..5"), of(3, 5));
        assert_eq!(cycles("..5"), of(0, 5));
        assert_eq!(cycles("3.."), of(3, u64::MAX));
        assert_eq!(cycles(".."), Ok(Cycles::ALL));
        for wrong in ["", "3", "5..3", "3..3", "..0", "a..b", "-1..3", "1..2..3", "1...3"] {
            assert!(cycles(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("17"), Ok(Size(17)));
        assert_eq!(size("64KiB"), Ok(Size(1 << 16)));
        assert_eq!(size("1 GiB"), Ok(Size(1 << 30)));
        assert_eq!(size("none"), Ok(Size(u64::MAX)));
        for wrong in ["", "GiB", "1GB", "-1", "99999999999GiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Size(1 << 30).to_string(), "1 GiB");
        assert_eq!(Size(1025).to_string(), "1025 bytes");
    }
}
