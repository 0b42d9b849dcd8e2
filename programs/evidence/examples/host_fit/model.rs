//! The model as a function of five numbers: residuals of all measured rows, each simulated once.

use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_evidence::measured::{
    MULTIGRID, MeasuredRow, NamedRates, OPERATOR_POINTS, OPERATORS, SPARSE, TABLES, sparse,
};
use cp2_evidence::published::multigrid::{
    class_mops as published_class_mops, operator_mops as published_operator_mops,
};
use cp2_evidence::published::{PRODUCT_HUNDREDTHS, Reading, product_mops, rate_mops};
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::outer_points;
use cp2_session::Execution;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Number of parameters that are fitted.
pub(crate) const PARAMETERS: usize = 5;
/// Names of the parameters.
pub(crate) const NAMES: [&str; PARAMETERS] =
    ["VM7 call", "VM7 page", "VM9 call", "VM9 page", "product, 1/100 cycle"];
/// Values of the parameters: cycles, and hundredths of a cycle.
pub(crate) type Point = [u32; PARAMETERS];
/// Values that were assumed before anything was fitted.
pub(crate) const START: Point = [0, 40, 0, 40, 150];

/// Steps of both costs between which rows of multigrid are not simulated.
const CALL_STEP: u32 = 250;
const PAGE_STEP: u32 = 2000;

/// The processors, as reports call them.
pub(crate) const PROCESSORS: [&str; 2] = ["VM7", "VM9"];

/// Kind of a measured row, with what was measured.
#[derive(Clone, Copy)]
enum What {
    Vectors(&'static MeasuredRow),
    Operator(GridKernel),
    Class(Class),
    Product(&'static sparse::SparseRow),
}

/// A measured row.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) table: &'static str,
    /// Points of the transforms, operator, class or matrix.
    pub(crate) name: String,
    pub(crate) mops: f64,
    /// Number of the row among all rows.
    pub(crate) number: usize,
    what: What,
    machine: &'static str,
    config: MachineConfig,
}

/// Returns the kind of the row of an operator or of a matrix, by its name.
fn named_row(name: &str) -> Option<What> {
    let product = sparse::ROWS.iter().find(|row| row.name == name).map(What::Product);
    GridKernel::from_name(name).map(What::Operator).or(product)
}

/// Function that returns the kind of the row of a name.
type Find = fn(&str) -> Option<What>;

/// Returns tables 3.3 to 3.7 and B.7: their names, and the kinds of their rows.
fn named_tables() -> [(&'static str, &'static NamedRates, Find); 7] {
    let class = |name: &str| Class::from_name(name).map(What::Class);
    [
        ("3.3", &OPERATORS[0], named_row as Find),
        ("3.4", &OPERATORS[1], named_row),
        ("3.5-VM7", &MULTIGRID[0], class),
        ("3.5-VM9", &MULTIGRID[1], class),
        ("B.7", &MULTIGRID[2], class),
        ("3.6", &SPARSE[0], named_row),
        ("3.7", &SPARSE[1], named_row),
    ]
}

/// Rows that a fit takes.
#[derive(Clone)]
pub(crate) enum Subset {
    All,
    WithoutTables(Vec<&'static str>),
    WithoutRow(usize),
}

impl Subset {
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::WithoutTables(names) => !names.contains(&entry.table),
            Self::WithoutRow(number) => *number != entry.number,
        }
    }
}

impl Entry {
    /// Returns the processor of the row, at whatever clocks.
    pub(crate) fn processor(&self) -> &'static str {
        if self.machine == "vm7" { PROCESSORS[0] } else { PROCESSORS[1] }
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
    /// Creates the model with all rows of the tables of transforms and convolutions, on machines with these settings;
    /// `is_joint`: and those of multigrid and sparse products.
    pub(crate) fn new(
        reading: Reading,
        settings: &[String],
        is_joint: bool,
    ) -> Result<Self, String> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut add = |table, machine, rows: Vec<(String, f64, What)>| {
            let mut config = MachineConfig::preset(machine).ok_or("no such machine")?;
            for setting in settings {
                config.apply_set(setting).map_err(|e| format!("{setting}: {e}"))?;
            }
            for (name, mops, what) in rows {
                let (number, config) = (entries.len(), config.clone());
                entries.push(Entry { table, name, mops, number, what, machine, config });
            }
            Ok::<_, String>(())
        };
        for table in &TABLES {
            let row = |row: &'static MeasuredRow| {
                (row.procedure.transform().to_string(), row.mops, What::Vectors(row))
            };
            add(table.name, table.machine, table.rows.iter().map(row).collect())?;
        }
        for (name, table, what) in named_tables().into_iter().filter(|_| is_joint) {
            let rows = table.rows.iter();
            let rows = rows.filter_map(|(of, _, mops)| Some(((*of).to_owned(), *mops, what(of)?)));
            add(name, table.machine, rows.collect())?;
        }
        Ok(Self { entries, reading, known: Mutex::default() })
    }

    /// Returns the model with a setting for the machines of one processor; what is known of the other stays.
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

    /// Returns the names of the tables.
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.entries.iter().map(|entry| entry.table).collect();
        names.dedup();
        names
    }

    /// Returns the parameters of the machine files and of the published kernels.
    pub(crate) fn of_machines(&self) -> Point {
        let of = |name| {
            let entry = self.entries.iter().find(|e| e.machine == name);
            let value = |key| entry.map_or(0, |e| e.config.value(key));
            [value(Key::HostCall), value(Key::HostPage)]
        };
        let ([a, b], [c, d]) = (of("vm7"), of("vm9"));
        [a, b, c, d, PRODUCT_HUNDREDTHS]
    }

    /// Returns the logarithm of the simulated over the measured rate of a row; NaN for a row that cannot be simulated.
    fn residual(&self, index: usize, [call, page, product]: [u32; 3]) -> f64 {
        let Entry { mops, config, what, .. } = &self.entries[index];
        let mut config = config.clone();
        let settings = [format!("{}={call}", Key::HostCall), format!("{}={page}", Key::HostPage)];
        if settings.iter().any(|s| config.apply_set(s).is_err()) {
            return f64::NAN;
        }
        let rate = match what {
            What::Vectors(row) => {
                let reading = Reading { product_hundredths: product, ..self.reading };
                rate_mops(
                    &Execution::default(),
                    &config,
                    row.procedure,
                    row.simulated_vectors(),
                    &reading,
                )
            }
            What::Operator(kernel) => {
                let is_coarse = outer_points(*kernel, 4) > 4;
                let n = if is_coarse { OPERATOR_POINTS / 2 } else { OPERATOR_POINTS };
                published_operator_mops(&Execution::default(), &config, *kernel, n)
            }
            What::Class(class) => published_class_mops(&Execution::default(), &config, *class),
            What::Product(row) => product_mops(&Execution::default(), &config, row),
        };
        rate.map_or(f64::NAN, |rate| (rate / mops).ln())
    }

    /// Returns the logarithm of simulated over measured rate, interpolated between values of call and page that are
    /// simulated: rows of multigrid take long, and time is all but linear in both costs.
    fn between(&self, index: usize, [call, page, _]: [u32; 3]) -> f64 {
        let around = |value: u32, step: u32| {
            let low = value / step * step;
            [
                (low, 1.0 - f64::from(value - low) / f64::from(step)),
                (low + step, f64::from(value - low) / f64::from(step)),
            ]
        };
        let time = |call: u32, page: u32| {
            let key = (index, [call, page, u32::MAX]);
            let known = locked(&self.known).get(&key).copied();
            let residual = known.unwrap_or_else(|| self.residual(index, [call, page, 0]));
            locked(&self.known).insert(key, residual);
            (-residual).exp()
        };
        let mut times = 0.0;
        for (call, a) in around(call, CALL_STEP) {
            for (page, b) in around(page, PAGE_STEP) {
                times += if a * b > 0.0 { a * b * time(call, page) } else { 0.0 };
            }
        }
        -times.ln()
    }

    fn remembered(&self, index: usize, point: Point) -> f64 {
        let [a, b, c, d, product] = point;
        let is_first = self.entries[index].processor() == PROCESSORS[0];
        let numbers = if is_first { [a, b, product] } else { [c, d, product] };
        let key = (index, numbers);
        let known = locked(&self.known).get(&key).copied();
        known.unwrap_or_else(|| {
            let residual = match self.entries[index].what {
                What::Operator(_) | What::Class(_) => self.between(index, numbers),
                _ => self.residual(index, numbers),
            };
            locked(&self.known).insert(key, residual);
            residual
        })
    }

    /// Returns the residuals of all rows, computed on all processors of the native machine.
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

    /// Returns the sum of the squares of the residuals of a subset.
    pub(crate) fn cost(&self, point: Point, subset: &Subset) -> f64 {
        let residuals = self.residuals(point);
        let rows = self.entries.iter().zip(&residuals);
        rows.filter(|(entry, _)| subset.has(entry)).map(|(_, r)| r * r).sum()
    }
}
