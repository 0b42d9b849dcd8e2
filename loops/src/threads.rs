//! Maps of instances to threads between which there is no dependence: as many threads as possible, numbers from 0.

mod dimension;
mod farkas;
mod search;

pub use dimension::{FreePart, ThreadSpace};

use crate::dependence::{Dependence, DependenceKind, dependences};
use crate::domain::NestSets;
use crate::sets::{SetError, SetLibrary};
use cp2_nest::{AffineForm, Nest, NestTransformation};
use farkas::Multipliers;

/// Maps of all statements: for each its thread numbers, one form for each dimension.
pub type StatementMaps = Vec<Vec<AffineForm>>;

/// Step that found the maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadStep {
    /// Independent instances are mapped one to one, as the published steps ask.
    OneToOne,
    /// Chosen indices of the deepest statement are mapped one to one, in fewer dimensions or where the published steps
    /// find nothing.
    Fallback,
    /// A pragma gives a map.
    Demanded,
    /// No map has more than one thread.
    Sequential,
}

/// Threads of a nest.
#[derive(Clone, Debug)]
pub struct ThreadPlan {
    /// Dimension that the independent instances have room in.
    pub space: ThreadSpace,
    /// Step that found the maps.
    pub step: ThreadStep,
    /// Number of dimensions of the maps; 0 of a nest that is sequential.
    pub dimensions: usize,
    /// Maps; empty forms of a nest that is sequential.
    pub maps: StatementMaps,
    /// Multipliers of the published form: for each dimension the free term and the factor of each inequality, statement
    /// after statement.
    pub multipliers: Vec<Vec<Vec<i64>>>,
}

impl ThreadPlan {
    /// Returns the plan with one thread for all instances.
    pub(crate) fn in_one_thread(self) -> Self {
        let maps = self.maps.iter().map(|_| Vec::new()).collect();
        Self { step: ThreadStep::Sequential, dimensions: 0, maps, multipliers: Vec::new(), ..self }
    }

    /// Whether the plan has one thread alone.
    pub fn is_sequential(&self) -> bool {
        self.dimensions == 0
    }
}

/// Dependences that threads have to honour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageRule {
    /// All of them, so that the arrays stay as they are.
    Kept,
    /// Flow alone: each iteration has its own copy of what it writes.
    Expanded,
    /// All but those of a sum, product, minimum or maximum with itself, which is computed in parts.
    Reduced,
}

impl StorageRule {
    /// Whether a pragma of a nest forbids the transformation of storage that the rule takes.
    pub fn is_forbidden(self, nest: &Nest) -> bool {
        let transformation = match self {
            Self::Kept => return false,
            Self::Expanded => NestTransformation::Expand,
            Self::Reduced => NestTransformation::Reduce,
        };
        nest.forbidden.contains(&transformation)
    }
}

/// A reason why no map gives a statement the thread numbers that a pragma demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemandRefusal {
    /// Statement whose pragma it is.
    pub statement: usize,
    /// Explanation.
    pub reason: String,
}

/// Failure to find threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadFailure {
    /// The library of sets gives no answer.
    Sets(SetError),
    /// A demand cannot be met.
    Demand(DemandRefusal),
}

impl From<SetError> for ThreadFailure {
    fn from(error: SetError) -> Self {
        Self::Sets(error)
    }
}

impl std::fmt::Display for ThreadFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sets(error) => error.fmt(f),
            Self::Demand(refusal) => f.write_str(&refusal.reason),
        }
    }
}

impl std::error::Error for ThreadFailure {}

/// A nest with its sets and dependences.
pub struct NestAnalysis<'n> {
    /// Nest.
    pub nest: &'n Nest,
    /// Sets of the nest.
    pub sets: NestSets,
    /// Dependences of the nest.
    pub dependences: Vec<Dependence>,
    library: &'n dyn SetLibrary,
}

impl<'n> NestAnalysis<'n> {
    /// Finds the dependences of a nest.
    ///
    /// # Errors
    /// The library gives no answer.
    pub fn new(nest: &'n Nest, library: &'n dyn SetLibrary) -> Result<Self, SetError> {
        let sets = NestSets::new(nest, library)?;
        let dependences = dependences(nest, &sets, library)?;
        Ok(Self { nest, sets, dependences, library })
    }

    /// Returns the library of sets.
    pub fn library(&self) -> &'n dyn SetLibrary {
        self.library
    }

    /// Whether threads have to honour a dependence.
    pub fn is_honoured(&self, dependence: &Dependence, rule: StorageRule) -> bool {
        match rule {
            StorageRule::Kept => true,
            StorageRule::Expanded => dependence.kind == DependenceKind::Flow,
            StorageRule::Reduced => !self.is_reduction(dependence),
        }
    }

    /// Whether a dependence is one of a statement such as `s += e` with itself, through what it adds to.
    fn is_reduction(&self, dependence: &Dependence) -> bool {
        let statement = &self.nest.statements[dependence.sink];
        let is_own = dependence.source == dependence.sink && dependence.access <= 1;
        let others = statement.accesses.iter().skip(2);
        is_own
            && statement.update.is_some_and(|operator| operator.sign() != "/")
            && others.clone().all(|access| access.array != statement.accesses[0].array)
    }

    /// Finds the threads of the nest.
    ///
    /// # Errors
    /// The library gives no answer, or a pragma demands what cannot be.
    pub fn threads(&self, rule: StorageRule) -> Result<ThreadPlan, ThreadFailure> {
        let honoured: Vec<&Dependence> =
            self.dependences.iter().filter(|one| self.is_honoured(one, rule)).collect();
        let space = dimension::thread_space(self, &honoured)?;
        let multipliers = Multipliers::new(self)?;
        search::plan(self, &honoured, space, &multipliers)
    }
}
