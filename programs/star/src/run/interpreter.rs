//! The state of a run, and how it begins and ends.

use super::request::{RunEvent, RunObserver, RunOutcome, RunRequest, StarValue};
use crate::language::{CheckedProgram, NodeForm, TypedNode, ValueType, Variable, VariableRole};
use crate::machine::{ModelError, StarBackend, StarMachine};
use cp2_asm::diagnostic::{Diagnostic, Span};
use std::ops::Range;

/// The value of a variable on a machine.
pub(super) enum Cell<B: StarBackend> {
    Int(i64),
    Bool(bool),
    Bits(B::Bits),
    Table(B::Table),
}

impl<B: StarBackend> Clone for Cell<B> {
    fn clone(&self) -> Self {
        match self {
            Self::Int(number) => Self::Int(*number),
            Self::Bool(truth) => Self::Bool(*truth),
            Self::Bits(bits) => Self::Bits(bits.clone()),
            Self::Table(table) => Self::Table(table.clone()),
        }
    }
}

/// Returns the table that an operation sees in a variable: in a `forall` as it was before, if its columns are written there.
pub(super) fn seen<'c, B: StarBackend>(
    before: &'c [(usize, B::Table)],
    cells: &'c [Cell<B>],
    slot: usize,
) -> Option<&'c B::Table> {
    match (before.iter().find(|(known, _)| *known == slot), &cells[slot]) {
        (Some((_, table)), _) | (None, Cell::Table(table)) => Some(table),
        _ => None,
    }
}

/// The reason why a run ends before its end.
pub(super) type Stop = Box<Diagnostic>;

pub(super) struct Interpreter<'r, B: StarBackend> {
    pub(super) program: &'r CheckedProgram,
    pub(super) machine: &'r mut StarMachine<B>,
    pub(super) request: &'r RunRequest,
    /// Variables by number.
    pub(super) cells: Vec<Cell<B>>,
    /// Variable for which each one stands: another one for a parameter that was given it.
    pub(super) stands_for: Vec<usize>,
    /// Tables as they were before the `forall` that runs.
    pub(super) before: Vec<(usize, B::Table)>,
    pub(super) observer: Option<&'r mut (dyn RunObserver + 'r)>,
    pub(super) statements: u64,
    /// Variables that began anew since the observer was told of a statement.
    pub(super) begun: Vec<usize>,
}

/// Runs a program on a machine, whose counts go on from where they are. The observer sees each statement.
///
/// # Errors
/// An input is missing or does not fit, an operation is refused, a requirement does not hold, or the limit of statements
/// is reached (`C1013`): a diagnostic with the place in the program.
pub fn run<'r, B: StarBackend>(
    program: &'r CheckedProgram,
    machine: &'r mut StarMachine<B>,
    request: &'r RunRequest,
    observer: Option<&'r mut (dyn RunObserver + 'r)>,
) -> Result<RunOutcome, Box<Diagnostic>> {
    let mut interpreter = Interpreter {
        program,
        machine,
        request,
        cells: Vec::new(),
        stands_for: (0..program.variables.len()).collect(),
        before: Vec::new(),
        observer,
        statements: 0,
        begun: Vec::new(),
    };
    interpreter.begin()?;
    if interpreter.observer.is_some() {
        let slots = 0..program.variables.len();
        let values = slots.map(|slot| interpreter.value(slot)).collect();
        if let Some(observer) = &mut interpreter.observer {
            observer.begin(values);
        }
    }
    interpreter.body(&program.procedures[program.main].body)?;
    let outputs = program.outputs().map(|(slot, v)| (v.name.clone(), interpreter.value(slot)));
    let outputs = outputs.collect();
    let (counts, statements) = (interpreter.machine.counts(), interpreter.statements);
    Ok(RunOutcome { outputs, counts, statements })
}

impl<B: StarBackend> Interpreter<'_, B> {
    /// Creates the diagnostic that ends a run.
    pub(super) fn stop(
        &self,
        code: &'static str,
        at: &Range<usize>,
        message: impl Into<String>,
    ) -> Stop {
        let span = Span { file: self.program.file, range: at.clone() };
        let label = cp2_asm::codes::caret(code);
        Box::new(Diagnostic::error(code, span, message).label(label))
    }

    pub(super) fn refused(&self, at: &Range<usize>, error: &ModelError) -> Stop {
        self.stop("C1011", at, error.to_string())
    }

    /// Returns the length that a type has in this run.
    pub(super) fn length(&self, variable: &Variable) -> Result<usize, Stop> {
        let (n, h) = (self.machine.rows(), self.request.weight_bits);
        variable.kind.length(n, h).filter(|length| *length > 0).ok_or_else(|| {
            let message = format!(
                "`{}` is a {}, which has no length for n = {n} and h = {h}",
                variable.name, variable.kind
            );
            self.stop("C1011", &variable.at, message)
        })
    }

    /// Returns the value that a variable begins with.
    pub(super) fn fresh(&mut self, slot: usize) -> Result<Cell<B>, Stop> {
        let variable = &self.program.variables[slot];
        Ok(match variable.kind {
            ValueType::Int => Cell::Int(0),
            ValueType::Bool => Cell::Bool(false),
            ValueType::Slice | ValueType::Word(_) => {
                let length = self.length(variable)?;
                Cell::Bits(self.machine.fresh(length))
            }
            ValueType::Table(_) => {
                let length = self.length(variable)?;
                Cell::Table(self.machine.fresh_table(length))
            }
        })
    }

    /// Checks that all variables fit memory, and gives them their first values.
    fn begin(&mut self) -> Result<(), Stop> {
        let variables = &self.program.variables;
        let (n, h) = (self.machine.rows(), self.request.weight_bits);
        let is_long = |kind: &ValueType| !matches!(kind, ValueType::Int | ValueType::Bool);
        for variable in variables.iter().filter(|variable| is_long(&variable.kind)) {
            self.length(variable)?;
        }
        if let Err(error) = self.machine.check_memory(self.program.memory_bits(n, h)) {
            let largest = variables.iter().max_by_key(|variable| variable.memory_bits(n, h));
            let at = largest.map_or(0..0, |variable| variable.at.clone());
            return Err(self.refused(&at, &error));
        }
        for (slot, variable) in variables.iter().enumerate() {
            let cell = match variable.role {
                VariableRole::Parameter(_) => Cell::Int(0),
                VariableRole::Global(Some(_), _) => self.input(slot)?,
                _ => self.fresh(slot)?,
            };
            self.cells.push(cell);
        }
        Ok(())
    }

    /// Brings the value of an input to the machine.
    fn input(&mut self, slot: usize) -> Result<Cell<B>, Stop> {
        let variable = &self.program.variables[slot];
        let name = &variable.name;
        let Some(value) = self.request.inputs.get(name) else {
            let message = format!("the input `{name}` has no value; give it one");
            return Err(self.stop("C1014", &variable.at, message));
        };
        let rows = self.machine.rows();
        let length = variable.kind.length(rows, self.request.weight_bits).unwrap_or(0);
        let wrong = |found: String| {
            let message =
                format!("the input `{name}` is a {} of {length} bits, and {found}", variable.kind);
            Err(self.stop("C1014", &variable.at, message))
        };
        match (&variable.kind, value) {
            (ValueType::Int, StarValue::Int(number)) => Ok(Cell::Int(*number)),
            (ValueType::Bool, StarValue::Bool(truth)) => Ok(Cell::Bool(*truth)),
            (ValueType::Slice | ValueType::Word(_), StarValue::Bits(bits))
                if bits.len() == length =>
            {
                Ok(Cell::Bits(self.machine.load(bits)))
            }
            (ValueType::Slice | ValueType::Word(_), StarValue::Bits(bits)) => {
                wrong(format!("the value has {}", bits.len()))
            }
            (ValueType::Table(_), StarValue::Table(table))
                if table.rows() == rows && table.width() == length =>
            {
                Ok(Cell::Table(self.machine.load_table(table)))
            }
            (ValueType::Table(_), StarValue::Table(table)) => wrong(format!(
                "{rows} rows, and the value has {} bits in {} rows",
                table.width(),
                table.rows()
            )),
            _ => wrong("the value is of another type".to_owned()),
        }
    }

    /// Returns the variable that a number stands for.
    pub(super) fn slot(&self, slot: usize) -> usize {
        self.stands_for[slot]
    }

    /// Returns the variable that an argument names.
    pub(super) fn named(&self, node: &TypedNode) -> Result<usize, Stop> {
        match node.form {
            NodeForm::Load(slot) => Ok(self.slot(slot)),
            _ => Err(self.stop("C1011", &node.at, "this is no variable")),
        }
    }

    pub(super) fn no_table(&self, at: &Range<usize>) -> Stop {
        self.stop("C1011", at, "this is no table")
    }

    pub(super) fn put(&mut self, slot: usize, cell: Cell<B>) {
        self.cells[slot] = cell;
    }

    /// Returns the value of a variable outside of the machine.
    pub(super) fn value(&mut self, slot: usize) -> StarValue {
        let slot = self.slot(slot);
        match &self.cells[slot] {
            Cell::Int(number) => StarValue::Int(*number),
            Cell::Bool(truth) => StarValue::Bool(*truth),
            Cell::Bits(bits) => StarValue::Bits(self.machine.store(bits)),
            Cell::Table(table) => StarValue::Table(self.machine.store_table(table)),
        }
    }

    /// Counts a statement.
    pub(super) fn count(&mut self, at: &Range<usize>) -> Result<(), Stop> {
        self.statements += 1;
        let limit = self.request.max_statements;
        if limit > 0 && self.statements > limit {
            let message = format!("the program has carried out {limit} statements, the limit");
            return Err(self.stop("C1013", at, message));
        }
        Ok(())
    }

    /// Whether the observer wants the next statement.
    pub(super) fn is_watched(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.is_watching())
    }

    /// Tells the observer of a statement.
    pub(super) fn tell(&mut self, at: &Range<usize>, slots: &[usize], condition: Option<bool>) {
        if !self.is_watched() {
            self.begun.clear();
            return;
        }
        let changed: Vec<usize> = slots.iter().map(|&slot| self.slot(slot)).collect();
        let mut begun = std::mem::take(&mut self.begun);
        begun.retain(|slot| !changed.contains(slot));
        let mut valued = |slots: Vec<usize>| -> Vec<(usize, StarValue)> {
            slots.into_iter().map(|slot| (slot, self.value(slot))).collect()
        };
        let (begun, changes) = (valued(begun), valued(changed));
        let counts = self.machine.counts();
        let event = RunEvent { at: at.clone(), begun, changes, condition, counts };
        if let Some(observer) = &mut self.observer {
            observer.observe(event);
        }
    }
}
