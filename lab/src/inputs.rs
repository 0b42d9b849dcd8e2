//! Inputs of an estimate: the numbers of a hybrid system (coprocessors that share a channel to memory) and the sizes of
//! the work, every number with its origin. Systems come with the program or from a file; settings `key=value` change
//! both.

pub use crate::error::LabError;
use crate::key::{EstimateKey, nearest};
use cp2_emu::machine::PRESETS;
use cp2_evidence::measured::memory_mhz;
use toml::{Table, Value};

/// Kind of the coprocessors of a system that is estimated; the method knows these two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoprocessorKind {
    /// The coprocessors are the sections of a CP2.
    Cp2,
    /// The coprocessors are graphics processors (GPUs) with memories of their own.
    Gpu,
}

/// Source from which an estimate takes Perf_kern, the rate of a kernel on one coprocessor in 10^6 operations per
/// second, if it is not set by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PerfSource {
    /// Counts of cycles of the kernels that the dissertation `[D]` published.
    #[default]
    Published,
    /// The most that the base operation of the procedure allows, such as a butterfly of an FFT: it issues in every
    /// cycle, and none waits.
    Peak,
    /// Counts of cycles of the kernels of this project, run on the emulator when they are needed.
    Ours,
}

impl PerfSource {
    /// All sources of rates of kernels, in the order of the variants.
    pub const ALL: [Self; 3] = [Self::Published, Self::Peak, Self::Ours];

    /// Returns the name of the source, as the option `--perf` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Peak => "peak",
            Self::Ours => "ours",
        }
    }
}

/// Number that an estimate takes, with its origin. Its key in [`Inputs`] tells which it is, such as the clock
/// ([`EstimateKey`]).
#[derive(Clone, Debug, PartialEq)]
pub struct InputNumber {
    /// Value of the number, in the unit of its key.
    pub value: f64,
    /// Text that says where the number comes from.
    pub origin: String,
}

/// Inputs of an estimate: a system (coprocessors that share a channel to memory) with its numbers, and the sizes of the
/// work of the procedure. Numbers that are not given stay absent; procedures have defaults for sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Name of the system; if a machine of the emulator has the same name, the estimate can be compared with
    /// simulations.
    pub name: String,
    /// Description of the system in one line, for people.
    pub what: String,
    /// Kind of the coprocessors of the system.
    pub kind: CoprocessorKind,
    /// Source from which the estimate takes the rates of kernels.
    pub perf: PerfSource,
    values: Vec<Option<InputNumber>>,
}

const SYSTEMS: &str = include_str!("../data/systems.toml");
/// Origin of a number set with `key=value`.
pub(crate) const BY_HAND: &str = "set by hand";

/// Returns the names of the systems that come with the program: first those of the machines of the emulator, then the
/// nodes with graphics processors.
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).chain(["niisi", "k100"]).collect()
}

impl Inputs {
    /// Returns the system of this name, one of [`names`], without sizes of the work. Clocks behind a name are those of
    /// processor and memory in MHz: `vm9-1000-600` is `vm9` at 1000 MHz with a memory at 600 MHz.
    ///
    /// # Errors
    /// No system has this name; the message names the nearest.
    pub fn system(name: &str) -> Result<Self, LabError> {
        if !names().contains(&name) {
            let near = nearest(name, names().into_iter());
            let all = names().join(", ");
            return LabError::of(format!(
                "there is neither a system nor a file `{name}`; the nearest system is {near}; the systems are {all}"
            ));
        }
        let table: Table = SYSTEMS.parse().map_err(|e| LabError::new(format!("systems: {e}")))?;
        let mut parts = name.split('-');
        let base = parts.next().unwrap_or_default();
        let Some(Value::Table(system)) = table.get(base) else {
            return LabError::of(format!("there is no system `{base}`"));
        };
        let mut inputs = Self::read(name, system)?;
        for (key, clock) in [EstimateKey::Clock, EstimateKey::MemoryClock].into_iter().zip(parts) {
            let value = clock.parse().map_err(|_| LabError::new(format!("{name}: {clock}")))?;
            let origin = format!("the name {name}");
            inputs.values[key as usize] = Some(InputNumber { value, origin });
        }
        Ok(inputs)
    }

    /// Reads a system from the text of a file (TOML): `name`, `kind` ("cp2" or "gpu"), `what`, and numbers by the keys
    /// of the section `system`, each as a number or as `{ value = ..., origin = "..." }`.
    ///
    /// # Errors
    /// The text is no TOML, a key is unknown, a key does not take its value, or a number is missing that every system
    /// has: coprocessors, bandwidth, bytes of a word.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let table: Table = text
            .parse()
            .map_err(|e: toml::de::Error| LabError::new(format!("not TOML: {}", e.message())))?;
        match table.get("name") {
            Some(Value::String(name)) if !name.is_empty() => Self::read(name, &table),
            _ => LabError::of("name is missing; give the system a name, a text"),
        }
    }

    fn read(name: &str, table: &Table) -> Result<Self, LabError> {
        let kind = match table.get("kind").and_then(Value::as_str) {
            Some("cp2") => CoprocessorKind::Cp2,
            Some("gpu") => CoprocessorKind::Gpu,
            _ => {
                return LabError::of("kind is missing or unknown; it has to be \"cp2\" or \"gpu\"");
            }
        };
        let what = table.get("what").and_then(Value::as_str).unwrap_or(name).to_owned();
        let values = vec![None; EstimateKey::ALL.len()];
        let mut inputs =
            Self { name: name.to_owned(), what, kind, perf: PerfSource::default(), values };
        for (name, value) in
            table.iter().filter(|(k, _)| !["name", "kind", "what"].contains(&&***k))
        {
            let key = EstimateKey::named(&format!("system.{name}")).map_err(LabError::new)?;
            let (number, origin) = match value.as_table() {
                Some(pair) => (pair.get("value"), pair.get("origin").and_then(Value::as_str)),
                None => (Some(value), None),
            };
            let number = match number {
                Some(Value::Integer(n)) => *n as f64,
                Some(Value::Float(x)) => *x,
                _ => return LabError::of(format!("{key} has to be a number")),
            };
            let value = key.check(number).map_err(LabError::new)?;
            let origin = origin.unwrap_or("unstated").to_owned();
            inputs.values[key as usize] = Some(InputNumber { value, origin });
        }
        inputs.require(EstimateKey::Coprocessors)?;
        inputs.require(EstimateKey::Bandwidth)?;
        inputs.require(EstimateKey::WordBytes)?;
        Ok(inputs)
    }

    /// Changes the number of a key as a text `key=value` says, such as `work.n=4096`.
    ///
    /// # Errors
    /// The text has not that form, there is no such key, or the key does not take the value.
    pub fn apply_set(&mut self, setting: &str) -> Result<(), LabError> {
        let Some((name, value)) = setting.split_once('=') else {
            return LabError::of(format!("`{setting}` is not of the form KEY=VALUE"));
        };
        let key = EstimateKey::named(name.trim()).map_err(LabError::new)?;
        let Ok(number) = value.trim().parse::<f64>() else {
            return LabError::of(format!("{key} is {value}; it takes {}", key.info().takes()));
        };
        self.set(key, number)
    }

    /// Changes the number of a key to `value`, in the unit of the key. Its origin is "set by hand" from then on.
    ///
    /// # Errors
    /// The key does not take the value.
    pub fn set(&mut self, key: EstimateKey, value: f64) -> Result<(), LabError> {
        let value = key.check(value).map_err(LabError::new)?;
        self.values[key as usize] = Some(InputNumber { value, origin: BY_HAND.to_owned() });
        Ok(())
    }

    /// Returns the number of a key with its origin; `None` if it is not given.
    pub fn given(&self, key: EstimateKey) -> Option<&InputNumber> {
        self.values[key as usize].as_ref()
    }

    /// Returns the number of a key, in the unit of the key; `None` if it is not given.
    pub fn get(&self, key: EstimateKey) -> Option<f64> {
        self.given(key).map(|given| given.value)
    }

    /// Returns the number of a key, in the unit of the key.
    ///
    /// # Errors
    /// The number is not given; the message names the key and describes it.
    pub fn require(&self, key: EstimateKey) -> Result<f64, LabError> {
        self.get(key).ok_or_else(|| {
            let description = key.info().description;
            LabError::new(format!(
                "{}: {key} is missing ({description}); give it with --set {key}=VALUE",
                self.name
            ))
        })
    }

    /// Returns the number of a key, in the unit of the key, or `default` if it is not given.
    pub fn or(&self, key: EstimateKey, default: f64) -> f64 {
        self.get(key).unwrap_or(default)
    }

    /// Returns BW, the bandwidth in MB/s of the channel that the coprocessors share: the given one, scaled from the
    /// memory clock for which it is given to that of the system, if both clocks are given.
    ///
    /// # Errors
    /// BW is not given.
    pub fn bandwidth(&self) -> Result<f64, LabError> {
        let bw = self.require(EstimateKey::Bandwidth)?;
        let clocks = self.get(EstimateKey::MemoryClock).zip(self.get(EstimateKey::BandwidthClock));
        Ok(clocks.map_or(bw, |(now, then)| bw * memory_mhz(now) / memory_mhz(then)))
    }

    /// Returns all numbers that are given, with their keys and origins: those of the system, then those of the work.
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
        let message = |text: &str| Inputs::parse(text).unwrap_err().message;
        assert!(Inputs::system("vm8").unwrap_err().message.contains("the nearest system is vm"));
        assert_eq!(message("kind = 'cp2'"), "name is missing; give the system a name, a text");
        assert!(message("name = 'x'\nkind = 'gpu'\nbw = 7").contains("nearest is system.bw_mb_s"));
        assert!(
            message("name = 'x'\nkind = 'gpu'\nbw_mb_s = 0").contains("bw_mb_s is 0; it takes")
        );
        assert!(
            message("name = 'x'\nkind = 'gpu'\nbw_mb_s = 7").contains("coprocessors is missing")
        );
        assert!(message("x").contains("not TOML"));
        let mut system = Inputs::system("vm7").unwrap();
        assert!(system.apply_set("work.n=many").is_err() && system.apply_set("work.n").is_err());
    }
}
