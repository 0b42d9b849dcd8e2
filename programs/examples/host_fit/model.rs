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

/// A measured row.
pub(crate) struct Entry {
    pub(crate) table: &'static Table,
    pub(crate) row: &'static Row,
    config: MachineConfig,
}

/// Rows that a fit takes.
pub(crate) enum Subset {
    All,
    Without(usize),
    WithoutTables(Vec<&'static str>),
}

impl Subset {
    pub(crate) fn has(&self, index: usize, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::Without(one) => *one != index,
            Self::WithoutTables(names) => !names.contains(&entry.table.name),
        }
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
        let is_vm7 = self.entries[index].table.machine == "vm7";
        let numbers = if is_vm7 { [a, b, product] } else { [c, d, product] };
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
        let rows = self.entries.iter().zip(&residuals).enumerate();
        rows.filter(|(i, (entry, _))| subset.has(*i, entry)).map(|(_, (_, r))| r * r).sum()
    }
}
