//! The model as a function of five numbers: residuals of all measured rows, each simulated once.

use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_programs::host::measured::{Row, TABLES, Table};
use cp2_programs::host::published::{PRODUCT_HUNDREDTHS, Reading, rate_mops};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many numbers are fitted.
pub(crate) const PARAMETERS: usize = 5;
/// What they are.
pub(crate) const NAMES: [&str; PARAMETERS] =
    ["VM7 call", "VM7 page", "VM9 call", "VM9 page", "product, 1/100 cycle"];
/// Their values: cycles, and hundredths of a cycle.
pub(crate) type Point = [u32; PARAMETERS];
/// What was assumed before anything was fitted.
pub(crate) const START: Point = [0, 40, 0, 40, 150];

/// The processors, as reports call them.
pub(crate) const PROCESSORS: [&str; 2] = ["VM7", "VM9"];

/// A measured row.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) table: &'static Table,
    pub(crate) row: &'static Row,
    config: MachineConfig,
}

/// Rows that a fit takes.
#[derive(Clone)]
pub(crate) enum Subset {
    All,
    WithoutTables(Vec<&'static str>),
    WithoutRow(&'static Row),
}

impl Subset {
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::WithoutTables(names) => !names.contains(&entry.table.name),
            Self::WithoutRow(row) => !std::ptr::eq(*row, entry.row),
        }
    }
}

impl Entry {
    /// Its processor, at whatever clocks.
    pub(crate) fn processor(&self) -> &'static str {
        if self.table.machine == "vm7" { PROCESSORS[0] } else { PROCESSORS[1] }
    }
}

/// Rows, and what was simulated of them: by row, call, page, product.
pub(crate) struct Model {
    pub(crate) entries: Vec<Entry>,
    reading: Reading,
    known: Mutex<HashMap<(usize, [u32; 3]), f64>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model {
    /// All rows of all tables, on machines with these settings.
    pub(crate) fn new(reading: Reading, settings: &[String]) -> Result<Self, String> {
        let mut entries = Vec::new();
        for table in &TABLES {
            let mut config = MachineConfig::preset(table.machine).ok_or("no such machine")?;
            for setting in settings {
                config.apply_set(setting).map_err(|e| format!("{setting}: {e}"))?;
            }
            entries.extend(table.rows.iter().map(|row| Entry {
                table,
                row,
                config: config.clone(),
            }));
        }
        Ok(Self { entries, reading, known: Mutex::default() })
    }

    /// The same with a setting for the machines of one processor; what is known of the other stays.
    pub(crate) fn with(&self, processor: &str, setting: &str) -> Result<Self, String> {
        let mut entries = self.entries.clone();
        for entry in entries.iter_mut().filter(|e| e.processor() == processor) {
            entry.config.apply_set(setting).map_err(|e| format!("{setting}: {e}"))?;
        }
        let is_same = |index: usize| self.entries[index].processor() != processor;
        let known = locked(&self.known)
            .iter()
            .filter(|(k, _)| is_same(k.0))
            .map(|(k, v)| (*k, *v))
            .collect();
        Ok(Self { entries, reading: self.reading, known: Mutex::new(known) })
    }

    /// The numbers of the machine files and of the published kernels.
    pub(crate) fn of_machines(&self) -> Point {
        let of = |name| {
            let entry = self.entries.iter().find(|e| e.table.machine == name);
            let value = |key| entry.map_or(0, |e| e.config.value(key));
            [value(Key::HostCall), value(Key::HostPage)]
        };
        let ([a, b], [c, d]) = (of("vm7"), of("vm9"));
        [a, b, c, d, PRODUCT_HUNDREDTHS]
    }

    /// Logarithm of simulated over measured rate. A row that cannot be simulated is no number.
    fn residual(&self, index: usize, [call, page, product]: [u32; 3]) -> f64 {
        let Entry { row, config, .. } = &self.entries[index];
        let mut config = config.clone();
        let settings = [format!("{}={call}", Key::HostCall), format!("{}={page}", Key::HostPage)];
        let is_set = settings.iter().all(|s| config.apply_set(s).is_ok());
        let reading = Reading { product_hundredths: product, ..self.reading };
        match rate_mops(&config, row.procedure, row.simulated_vectors(), &reading) {
            Ok(rate) if is_set => (rate / row.mops).ln(),
            _ => f64::NAN,
        }
    }

    fn remembered(&self, index: usize, point: Point) -> f64 {
        let [a, b, c, d, product] = point;
        let is_first = self.entries[index].processor() == PROCESSORS[0];
        let numbers = if is_first { [a, b, product] } else { [c, d, product] };
        let key = (index, numbers);
        let known = locked(&self.known).get(&key).copied();
        known.unwrap_or_else(|| {
            let residual = self.residual(index, numbers);
            locked(&self.known).insert(key, residual);
            residual
        })
    }

    /// The residuals of all rows, on all processors of this host.
    pub(crate) fn residuals(&self, point: Point) -> Vec<f64> {
        let n = self.entries.len();
        let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![0.0; n]));
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= n {
                            break;
                        }
                        let residual = self.remembered(index, point);
                        locked(&found)[index] = residual;
                    }
                });
            }
        });
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sum of squares of the residuals of a subset.
    pub(crate) fn cost(&self, point: Point, subset: &Subset) -> f64 {
        let residuals = self.residuals(point);
        let rows = self.entries.iter().zip(&residuals);
        rows.filter(|(entry, _)| subset.has(entry)).map(|(_, r)| r * r).sum()
    }
}
