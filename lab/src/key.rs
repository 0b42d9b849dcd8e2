//! The numbers that an estimate takes: one table, from which files of systems, `--set`, help and reports derive.

use crate::error::LabError;
use cp2_isa::machine::{Switch, SwitchError, TOGGLES};
use std::fmt;

/// Properties of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateKeyInfo {
    /// Section of the key: `system` or `work`.
    pub section: &'static str,
    /// Name of the key in its section.
    pub name: &'static str,
    /// Unit of the values; empty if they have none.
    pub unit: &'static str,
    /// Least value of the key.
    pub least: f64,
    /// Largest value of the key.
    pub most: f64,
    /// Whether the key takes whole numbers only.
    pub is_whole: bool,
    /// Description of the key, one line for people.
    pub description: &'static str,
}

macro_rules! keys {
    ($($id:ident $section:ident . $name:ident $unit:literal $kind:ident $least:literal to $most:literal, $description:literal;)*) => {
        /// EstimateKey of a number that an estimate takes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum EstimateKey {
            $(#[doc = $description] $id,)*
        }

        impl EstimateKey {
            /// All keys: those of systems, then those of the work.
            pub const ALL: [Self; [$(Self::$id),*].len()] = [$(Self::$id),*];

            /// Returns the properties of the key.
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
    Coprocessors system.coprocessors "" whole 1.0 to 65536.0, "K, coprocessors that share the channel: sections of CP2, or graphics processors";
    Clock system.clock_mhz "MHz" real 1.0 to 100000.0, "F, clock of the coprocessors";
    Bandwidth system.bw_mb_s "MB/s" real 1.0 to 100000000.0, "BW, the shared channel, at the memory clock system.bw_memory_clock_mhz if there is one";
    BandwidthClock system.bw_memory_clock_mhz "MHz" real 1.0 to 100000.0, "name of the memory clock at which system.bw_mb_s holds, 667 for 2000/3; BW is scaled with system.memory_clock_mhz";
    MemoryClock system.memory_clock_mhz "MHz" real 1.0 to 100000.0, "clock that the memory is named by";
    WordBytes system.word_bytes "bytes" whole 4.0 to 8.0, "of a real number: 4 or 8";
    LocalBytes system.local_bytes "bytes" whole 1024.0 to 1000000000000.0, "DMEM, memory of one coprocessor";
    Link system.link_mb_s "MB/s" real 1.0 to 100000000.0, "BW_RIO, a link between processors, each way";
    N work.n "points" whole 2.0 to 1048576.0, "points of a vector, or of a grid along an axis";
    N1 work.n1 "points" whole 2.0 to 1048576.0, "first size: rows of a long transform, block or box along x";
    N2 work.n2 "points" whole 2.0 to 1048576.0, "second size";
    N3 work.n3 "points" whole 2.0 to 1048576.0, "third size";
    Vectors work.vectors "vectors" whole 1.0 to 1000000000.0, "M, vectors that are transformed or convolved";
    Processors work.processors "" whole 1.0 to 65536.0, "M, processors with a block of the grid each";
    Rows work.rows "rows" whole 1.0 to 10000000000.0, "N, rows of a sparse matrix";
    Nonzeros work.nonzeros "elements" whole 1.0 to 1000000000000.0, "NZ, of a sparse matrix";
    SliceRows work.slice_rows "rows" whole 1.0 to 1000000.0, "H, rows of a slice of a sparse matrix";
    ElementBytes work.element_bytes "bytes" whole 1.0 to 64.0, "bytes of a complex element in transfers, where they are to be others than twice system.word_bytes";
    Perf work.perf_mops "MOPS" real 0.001 to 1000000000.0, "Perf_kern, rate of the kernel on one coprocessor, in place of the one that is known";
    Operations work.operations "operations" real 1.0 to 1e15, "of a kernel, for Perf_kern from a count of cycles";
    Cycles work.cycles "cycles" real 1.0 to 1e15, "in which a coprocessor does work.operations";
    Resid work.resid_mops "MOPS" real 0.001 to 1000000000.0, "rate of the residual on one processor with its transfers, in place of the estimate";
    Measured work.measured_mops "MOPS" real 0.001 to 1000000000.0, "a measured rate, for the efficiency";
}

impl EstimateKeyInfo {
    /// Returns the text for the values that the key takes.
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
    /// Returns the key of this name.
    ///
    /// # Errors
    /// There is no key of this name; the message names the nearest.
    pub fn named(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|key| key.to_string() == name).ok_or_else(|| {
            let names = Self::ALL.map(|key| key.to_string());
            let near = nearest(name, names.iter().map(String::as_str));
            format!("{name} is no key of an estimate; the nearest is {near}; `cp2 estimate --keys` lists them")
        })
    }

    /// Returns the value, if the key takes it.
    ///
    /// # Errors
    /// The key does not take the value; the message says what it takes.
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

/// Returns the candidate that is most like a name.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    let likeness = |candidate: &str| {
        let tail = candidate.rsplit('.').next().unwrap_or(candidate);
        strsim::jaro_winkler(name, candidate).max(strsim::jaro_winkler(name, tail))
    };
    let best = candidates.map(|candidate| (likeness(candidate), candidate));
    best.max_by(|a, b| a.0.total_cmp(&b.0)).map_or(String::new(), |(_, name)| name.to_owned())
}

/// Reads an extension with its value, such as `more-fprs=128`.
///
/// # Errors
/// There is no extension of this name, the message tells the nearest; or its value is wrong.
pub fn switch(text: &str) -> Result<Switch, LabError> {
    text.parse().map_err(|e| match e {
        SwitchError::Unknown(name) => {
            let near = nearest(&name, TOGGLES.iter().map(|toggle| toggle.name));
            LabError(format!("there is no extension `{name}`; the nearest is {near}"))
        }
        SwitchError::Value(sentence) => LabError(sentence),
    })
}

/// Reads extensions with commas between; an empty text has none.
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
