//! Keys of the numbers that an estimate takes: one table, from which files of systems, `--set`, help and reports
//! derive. Also the reading of names of extensions, and the nearest of several names.

use crate::error::LabError;
use cp2_isa::machine::{Switch, SwitchError, TOGGLES};
use std::fmt;

/// Properties of a key of an estimate: name, unit, the numbers that it takes, and a description. [`EstimateKey::info`]
/// gives them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateKeyInfo {
    /// Section of the key: `system` for numbers of the machine that is estimated, `work` for sizes and rates of what it
    /// does.
    pub section: &'static str,
    /// Name of the key within its section: `clock_mhz` for the key `system.clock_mhz`.
    pub name: &'static str,
    /// Unit of the number; empty if it has none.
    pub unit: &'static str,
    /// Least number that the key takes, itself included, in the unit of the key.
    pub least: f64,
    /// Greatest number that the key takes, itself included, in the unit of the key.
    pub most: f64,
    /// Whether the key takes whole numbers only.
    pub is_whole: bool,
    /// Description of the number in one line, for help and messages.
    pub description: &'static str,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $id:ident $section:ident . $name:ident $unit:literal $kind:ident $least:literal to $most:literal, $description:literal;)*) => {
        /// Key of a number that an estimate takes, such as `system.clock_mhz`, the clock of the machine, or `work.n`,
        /// the points of a vector. Each has a unit and a range ([`EstimateKey::info`]).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum EstimateKey {
            $($(#[$doc])* $id,)*
        }

        impl EstimateKey {
            /// All keys of numbers that an estimate takes, in the order of the variants: those of the section `system`
            /// (the machine: coprocessors, clocks, bandwidth), then those of `work` (sizes and rates of the procedure).
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the properties of the key: name, unit, the numbers that it takes, and a description.
            pub const fn info(self) -> EstimateKeyInfo {
                match self {
                    $(Self::$id => EstimateKeyInfo {
                        section: stringify!($section),
                        name: stringify!($name),
                        unit: $unit,
                        least: $least,
                        most: $most,
                        is_whole: keys!(@ $kind),
                        description: $description,
                    },)*
                }
            }
        }
    };
    (@ whole) => { true };
    (@ real) => { false };
}

keys! {
    /// Key `system.coprocessors`: K, number of the coprocessors that share the channel, which are sections of CP2 or
    /// graphics processors.
    Coprocessors system.coprocessors "" whole 1.0 to 65536.0, "K, coprocessors that share the channel: sections of CP2, or graphics processors";
    /// Key `system.clock_mhz`: F, clock of the coprocessors in MHz.
    Clock system.clock_mhz "MHz" real 1.0 to 100000.0, "F, clock of the coprocessors";
    /// Key `system.bw_mb_s`: BW, bandwidth of the shared channel in MB/s, at the memory clock of
    /// [`Self::BandwidthClock`] if that is given.
    Bandwidth system.bw_mb_s "MB/s" real 1.0 to 100000000.0, "BW, bandwidth of the shared channel, at the memory clock system.bw_memory_clock_mhz if that is given";
    /// Key `system.bw_memory_clock_mhz`: memory clock in MHz for which `system.bw_mb_s` holds, 667 standing for 2000/3.
    /// BW is scaled from it to `system.memory_clock_mhz`.
    BandwidthClock system.bw_memory_clock_mhz "MHz" real 1.0 to 100000.0, "memory clock at which system.bw_mb_s holds, 667 for 2000/3; BW scales with system.memory_clock_mhz";
    /// Key `system.memory_clock_mhz`: clock of the memory in MHz, 667 standing for 2000/3.
    MemoryClock system.memory_clock_mhz "MHz" real 1.0 to 100000.0, "clock of the memory, as its name has it";
    /// Key `system.word_bytes`: bytes of a real number, 4 or 8.
    WordBytes system.word_bytes "bytes" whole 4.0 to 8.0, "bytes of a real number, 4 or 8";
    /// Key `system.local_bytes`: DMEM, bytes of the memory of one coprocessor.
    LocalBytes system.local_bytes "bytes" whole 1024.0 to 1000000000000.0, "DMEM, memory of one coprocessor";
    /// Key `system.link_mb_s`: BW_RIO, bandwidth of a link between processors in MB/s, each way.
    Link system.link_mb_s "MB/s" real 1.0 to 100000000.0, "BW_RIO, a link between processors, each way";
    /// Key `work.n`: points of a vector, or of a grid along each axis.
    N work.n "points" whole 2.0 to 1048576.0, "points of a vector, or of a grid along an axis";
    /// Key `work.n1`: rows of a long transform, or points of a block or box along x.
    N1 work.n1 "points" whole 2.0 to 1048576.0, "first size: rows of a long transform, block or box along x";
    /// Key `work.n2`: points of a block or box along y.
    N2 work.n2 "points" whole 2.0 to 1048576.0, "second size";
    /// Key `work.n3`: points of a block or box along z.
    N3 work.n3 "points" whole 2.0 to 1048576.0, "third size";
    /// Key `work.vectors`: M, number of vectors that are transformed or convolved.
    Vectors work.vectors "vectors" whole 1.0 to 1000000000.0, "M, vectors that are transformed or convolved";
    /// Key `work.processors`: M, number of processors, each of which has a block of the grid.
    Processors work.processors "" whole 1.0 to 65536.0, "M, processors with a block of the grid each";
    /// Key `work.rows`: N, rows of a sparse matrix.
    Rows work.rows "rows" whole 1.0 to 10000000000.0, "N, rows of a sparse matrix";
    /// Key `work.nonzeros`: NZ, elements of a sparse matrix that are not zero.
    Nonzeros work.nonzeros "elements" whole 1.0 to 1000000000000.0, "NZ, nonzeros of a sparse matrix";
    /// Key `work.slice_rows`: H, rows of a slice of a sparse matrix in the sliced format.
    SliceRows work.slice_rows "rows" whole 1.0 to 1000000.0, "H, rows of a slice of a sparse matrix";
    /// Key `work.element_bytes`: bytes of a complex number in transfers, if they are not twice `system.word_bytes`.
    ElementBytes work.element_bytes "bytes" whole 1.0 to 64.0, "bytes of a complex element in transfers; if absent, twice system.word_bytes";
    /// Key `work.perf_mops`: Perf_kern, rate of the kernel on one coprocessor in 10^6 operations per second, in place
    /// of the known one.
    Perf work.perf_mops "MOPS" real 0.001 to 1000000000.0, "Perf_kern, rate of the kernel on one coprocessor, in place of the known one";
    /// Key `work.operations`: operations of a kernel, from which with `work.cycles` Perf_kern is computed.
    Operations work.operations "operations" real 1.0 to 1e15, "operations of a kernel, to compute Perf_kern from a count of cycles";
    /// Key `work.cycles`: cycles in which a coprocessor does `work.operations`.
    Cycles work.cycles "cycles" real 1.0 to 1e15, "cycles in which a coprocessor does work.operations";
    /// Key `work.resid_mops`: rate of the multigrid residual on one processor, transfers included, in 10^6 operations
    /// per second, in place of the estimated one.
    Resid work.resid_mops "MOPS" real 0.001 to 1000000000.0, "rate of the residual on one processor with its transfers, in place of the estimate";
    /// Key `work.measured_mops`: a measured rate in 10^6 operations per second, with which the estimate is compared as
    /// efficiency.
    Measured work.measured_mops "MOPS" real 0.001 to 1000000000.0, "a measured rate, for the efficiency";
}

impl EstimateKeyInfo {
    /// Returns the numbers that the key takes as text, such as "a whole number from 2 to 1048576 points".
    pub fn takes(&self) -> String {
        let kind = if self.is_whole { "a whole number" } else { "a number" };
        let space = if self.unit.is_empty() { "" } else { " " };
        format!("{kind} from {} to {}{space}{}", self.least, self.most, self.unit)
    }
}

impl fmt::Display for EstimateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.info();
        write!(f, "{}.{}", info.section, info.name)
    }
}

impl EstimateKey {
    /// Returns the key whose section and name are `name`, such as `system.clock_mhz`.
    ///
    /// # Errors
    /// There is no such key; the message names the nearest.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|key| key.to_string() == name).ok_or_else(|| {
            let names = Self::ALL.map(|key| key.to_string());
            let near = nearest(name, names.iter().map(String::as_str));
            format!("{name} is not a key of an estimate; the nearest is {near}; `cp2 estimate --keys` lists all")
        })
    }

    /// Returns `value` unchanged if the key takes it.
    ///
    /// # Errors
    /// The value is out of the range of the key, or not whole where it has to be; the message says what the key takes.
    pub fn check(self, value: f64) -> Result<f64, String> {
        let info = self.info();
        let is_in = (info.least..=info.most).contains(&value);
        let is_word = self != Self::WordBytes || value == 4.0 || value == 8.0;
        if is_in && is_word && (!info.is_whole || value.fract() == 0.0) {
            Ok(value)
        } else {
            Err(format!("{self} is {value}; it takes {}", info.takes()))
        }
    }
}

/// Returns the one of `candidates` that is most like `name`, for a message about a name that is unknown; of a candidate
/// with points, such as `system.clock_mhz`, the part behind the last point is compared too. Empty if there are no
/// candidates.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    let likeness = |candidate: &str| {
        let tail = candidate.rsplit('.').next().unwrap_or(candidate);
        strsim::jaro_winkler(name, candidate).max(strsim::jaro_winkler(name, tail))
    };
    let best = candidates.map(|candidate| (likeness(candidate), candidate));
    best.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(String::new(), |(_, name)| name.to_owned())
}

/// Reads an extension of the machine from its name, with its value if it takes one, such as `more-fprs=128`.
///
/// # Errors
/// There is no extension of this name, and the message tells the nearest; or its value is wrong.
pub fn switch(text: &str) -> Result<Switch, LabError> {
    text.parse().map_err(|e| match e {
        SwitchError::Unknown(name) => {
            let near = nearest(&name, TOGGLES.iter().map(|toggle| toggle.name));
            LabError::new(format!("there is no extension `{name}`; the nearest is {near}"))
        }
        SwitchError::Value(sentence) => LabError::new(sentence),
    })
}

/// Reads several extensions of the machine from their names, separated by commas. An empty text has none.
///
/// # Errors
/// See [`switch`].
pub fn switches(text: &str) -> Result<Vec<Switch>, LabError> {
    match text.trim() {
        "" => Ok(Vec::new()),
        names => names.split(',').map(switch).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest() {
        let message = EstimateKey::named("system.bw").unwrap_err();
        assert!(message.contains("the nearest is system.bw_mb_s"), "{message}");
        assert!(EstimateKey::named("clock").unwrap_err().contains("system.clock_mhz"));
        assert_eq!(EstimateKey::named("work.n2"), Ok(EstimateKey::N2));
    }

    #[test]
    fn values_out_of_range_are_refused_with_the_range() {
        let message = EstimateKey::Bandwidth.check(0.0).unwrap_err();
        assert!(message.contains("system.bw_mb_s is 0; it takes a number from 1 to"), "{message}");
        assert!(EstimateKey::N.check(3.5).is_err() && EstimateKey::N.check(f64::NAN).is_err());
        assert!(
            EstimateKey::WordBytes.check(6.0).is_err() && EstimateKey::WordBytes.check(8.0).is_ok()
        );
    }
}
