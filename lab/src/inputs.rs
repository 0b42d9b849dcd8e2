//! Inputs of an estimate: a hybrid system and the size of the work, every number with its origin. Systems
//! come with the program or from a file; both are changed by `key=value`.

pub use crate::error::LabError;
use crate::key::{EstimateKey, nearest};
use cp2_emu::machine::PRESETS;
use cp2_evidence::measured::memory_mhz;
use toml::{Table, Value};

/// Kind of the coprocessors of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoprocessorKind {
    /// The sections of a CP2.
    Cp2,
    /// Graphics processors with memories of their own.
    Gpu,
}

/// Source of the rate of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerfSource {
    /// The published kernels.
    #[default]
    Published,
    /// The instructions of the base operation, none of which waits.
    Peak,
    /// The kernels of this project, as they are counted here.
    Ours,
}

impl PerfSource {
    /// All sources of rates.
    pub const ALL: [Self; 3] = [Self::Published, Self::Peak, Self::Ours];

    /// Returns the name of the source.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Peak => "peak",
            Self::Ours => "ours",
        }
    }
}

/// A number with its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct InputNumber {
    /// Value of the number, in the unit of its key.
    pub value: f64,
    /// Text that says where the number comes from.
    pub origin: String,
}

/// System and the sizes of the work.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Name of the system.
    pub name: String,
    /// Description of the system, in a line.
    pub what: String,
    /// Kind of the coprocessors of the system.
    pub kind: CoprocessorKind,
    /// Source of Perf_kern, the rate of a kernel.
    pub perf: PerfSource,
    values: Vec<Option<InputNumber>>,
}

const SYSTEMS: &str = include_str!("../data/systems.toml");
/// Origin of a number set with `key=value`.
pub(crate) const BY_HAND: &str = "set by hand";

/// Returns the names of the systems that come with the program: machines by their own names, and the nodes.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).chain(["niisi", "k100"]).collect()
}

impl Inputs {
    /// Returns a system that comes with the program: `vm9-1000-600` is `vm9` at 1000 MHz with a memory at 600.
    ///
    /// # Errors
    /// No system has this name; the message names the nearest.
    pub fn system(name: &str) -> Result<Self, LabError> {
        if !names().contains(&name) {
            let near = nearest(name, names().into_iter());
            let all = names().join(", ");
            return LabError::of(format!(
                "there is no system `{name}`, the nearest is {near}; there are {all}, and files (TOML)"
            ));
        }
        let table: Table = SYSTEMS.parse().map_err(|e| LabError(format!("systems: {e}")))?;
        let mut parts = name.split('-');
        let base = parts.next().unwrap_or_default();
        let Some(Value::Table(system)) = table.get(base) else {
            return LabError::of(format!("there is no system `{base}`"));
        };
        let mut inputs = Self::read(name, system)?;
        for (key, clock) in [EstimateKey::Clock, EstimateKey::MemoryClock].into_iter().zip(parts) {
            let value = clock.parse().map_err(|_| LabError(format!("{name}: {clock}")))?;
            let origin = format!("the name {name}");
            inputs.values[key as usize] = Some(InputNumber { value, origin });
        }
        Ok(inputs)
    }

    /// Reads a system from a file: `name`, `kind` ("cp2" or "gpu"), `what`, and the keys of `system`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| LabError(format!("this is no TOML: {}", e.message())))?;
        match table.get("name") {
            Some(Value::String(name)) if !name.is_empty() => Self::read(name, &table),
            _ => LabError::of("name is missing; it is a text"),
        }
    }

    fn read(name: &str, table: &Table) -> Result<Self, LabError> {
        let kind = match table.get("kind").and_then(Value::as_str) {
            Some("cp2") => CoprocessorKind::Cp2,
            Some("gpu") => CoprocessorKind::Gpu,
            _ => return LabError::of("kind is missing; it is \"cp2\" or \"gpu\""),
        };
        let what = table.get("what").and_then(Value::as_str).unwrap_or(name).to_owned();
        let values = vec![None; EstimateKey::ALL.len()];
        let mut inputs =
            Self { name: name.to_owned(), what, kind, perf: PerfSource::default(), values };
        for (name, value) in
            table.iter().filter(|(k, _)| !["name", "kind", "what"].contains(&&***k))
        {
            let key = EstimateKey::named(&format!("system.{name}")).map_err(LabError)?;
            let (number, origin) = match value.as_table() {
                Some(pair) => (pair.get("value"), pair.get("origin").and_then(Value::as_str)),
                None => (Some(value), None),
            };
            let number = match number {
                Some(Value::Integer(n)) => *n as f64,
                Some(Value::Float(x)) => *x,
                _ => return LabError::of(format!("{key} has no number")),
            };
            let value = key.check(number).map_err(LabError)?;
            let origin = origin.unwrap_or("unstated").to_owned();
            inputs.values[key as usize] = Some(InputNumber { value, origin });
        }
        inputs.require(EstimateKey::Coprocessors)?;
        inputs.require(EstimateKey::Bandwidth)?;
        inputs.require(EstimateKey::WordBytes)?;
        Ok(inputs)
    }

    /// Changes the number of a key as `key=value` says.
    ///
    /// # Errors
    /// No such key, or a value that it does not take.
    pub fn apply_set(&mut self, setting: &str) -> Result<(), LabError> {
        let Some((name, value)) = setting.split_once('=') else {
            return LabError::of(format!("`{setting}` is not of the form key=value"));
        };
        let key = EstimateKey::named(name.trim()).map_err(LabError)?;
        let Ok(number) = value.trim().parse::<f64>() else {
            return LabError::of(format!("{key} is {value}; it takes {}", key.info().takes()));
        };
        self.set(key, number)
    }

    /// Changes the number of a key.
    ///
    /// # Errors
    /// The key does not take the number.
    pub fn set(&mut self, key: EstimateKey, value: f64) -> Result<(), LabError> {
        let value = key.check(value).map_err(LabError)?;
        self.values[key as usize] = Some(InputNumber { value, origin: BY_HAND.to_owned() });
        Ok(())
    }

    /// Returns the number of a key with its origin, if it is given.
    pub fn given(&self, key: EstimateKey) -> Option<&InputNumber> {
        self.values[key as usize].as_ref()
    }

    /// Returns the number of a key, if it is given.
    pub fn get(&self, key: EstimateKey) -> Option<f64> {
        self.given(key).map(|given| given.value)
    }

    /// Returns the number of a key.
    ///
    /// # Errors
    /// The number is not given; the message says which it is.
    pub fn require(&self, key: EstimateKey) -> Result<f64, LabError> {
        self.get(key).ok_or_else(|| {
            let description = key.info().description;
            LabError(format!("{}: {key} is not given: {description}", self.name))
        })
    }

    /// Returns the number of a key, or what it is by default.
    pub fn or(&self, key: EstimateKey, default: f64) -> f64 {
        self.get(key).unwrap_or(default)
    }

    /// Returns BW in MB/s at the memory clock of the system.
    ///
    /// # Errors
    /// BW is not given.
    pub fn bandwidth(&self) -> Result<f64, LabError> {
        let bw = self.require(EstimateKey::Bandwidth)?;
        let clocks = self.get(EstimateKey::MemoryClock).zip(self.get(EstimateKey::BandwidthClock));
        Ok(clocks.map_or(bw, |(now, then)| bw * memory_mhz(now) / memory_mhz(then)))
    }

    /// Returns the keys that are given, with their numbers.
    pub fn all(&self) -> impl Iterator<Item = (EstimateKey, &InputNumber)> {
        EstimateKey::ALL.into_iter().filter_map(|key| Some((key, self.given(key)?)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::MachineConfig;
    use cp2_evidence::measured::dma_rates;

    #[test]
    fn systems_have_the_clocks_and_rates_of_machines_of_their_names() {
        for (name, _) in PRESETS {
            let (system, config) =
                (Inputs::system(name).unwrap(), MachineConfig::preset(name).unwrap());
            let clock = f64::from(config.value(cp2_emu::machine::Key::CpuClock));
            assert_eq!(system.get(EstimateKey::Clock), Some(clock), "{name}");
            let [_, best] = dma_rates(&config).unwrap();
            let ratio = system.bandwidth().unwrap() / best.get;
            assert!((ratio - 1.0).abs() < 1e-12, "{name}: {ratio}");
        }
        let at_600 = Inputs::system("vm9-1000-600").unwrap().bandwidth().unwrap();
        assert!((at_600 - 7560.0).abs() < 1e-9);
    }

    #[test]
    fn bad_systems_are_refused_with_a_sentence() {
        let message = |text: &str| Inputs::parse(text).unwrap_err().0;
        assert!(Inputs::system("vm8").unwrap_err().0.contains("the nearest is vm"));
        assert_eq!(message("kind = 'cp2'"), "name is missing; it is a text");
        assert!(message("name = 'x'\nkind = 'gpu'\nbw = 7").contains("nearest is system.bw_mb_s"));
        assert!(
            message("name = 'x'\nkind = 'gpu'\nbw_mb_s = 0").contains("bw_mb_s is 0; it takes")
        );
        assert!(
            message("name = 'x'\nkind = 'gpu'\nbw_mb_s = 7").contains("coprocessors is not given")
        );
        assert!(message("x").contains("no TOML"));
        let mut system = Inputs::system("vm7").unwrap();
        assert!(system.apply_set("work.n=many").is_err() && system.apply_set("work.n").is_err());
    }
}
