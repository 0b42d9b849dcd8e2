//! Which loop of a nest runs where on CP2, and how the elements of each occurrence are packed.

use crate::study::NestStudy;
use cp2_asm::diagnostic::{Diagnostic, Span};
use cp2_nest::{AffineSymbol, Nest, NestStatement, ScalarType, ValueFunction, ValueTree};
use std::ops::Range;

/// Threads that CP2 computes at once: two halves of a register in four sections.
pub const LANES: usize = 8;
/// Groups of threads that are computed together, so that results are there when they are needed.
const GROUPS: usize = 8;
/// Address sets that packed arrays may have.
const SETS: usize = 14;

/// Reason why a nest does not run on CP2, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cp2Refusal {
    /// Place in the text of the nest.
    pub at: Range<usize>,
    /// Sentence that says what is not possible.
    pub message: String,
    /// Advice on what would be possible.
    pub help: String,
}

impl Cp2Refusal {
    fn new(at: &Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at: at.clone(), message: message.into(), help: help.into() }
    }

    /// Returns the refusal as a diagnostic of the first text of its sources.
    pub fn diagnostic(&self) -> Diagnostic {
        let span = Span { file: 0, range: self.at.clone() };
        let code = "C1123";
        let error = Diagnostic::error(code, span, self.message.clone());
        error.label(cp2_asm::codes::caret(code)).help(self.help.clone())
    }
}

/// A loop of the code, from the outermost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Place of the loop among those of the statement.
    pub place: usize,
    /// First index.
    pub first: i64,
    /// Number of turns; of the loop of neighbouring threads the number of blocks.
    pub count: usize,
}

/// An occurrence whose elements are packed in the order of their use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedAccess {
    /// Number of the element among those of the statement.
    pub access: usize,
    /// Levels whose index changes the element.
    pub levels: Vec<usize>,
    /// Whether neighbouring threads have elements of their own.
    pub has_lanes: bool,
    /// Words that it takes in each section.
    pub words: usize,
}

/// A nest on CP2.
#[derive(Clone, Debug)]
pub struct Mapping<'m> {
    /// Nest.
    pub nest: &'m Nest,
    /// Assignment that is run.
    pub statement: &'m NestStatement,
    /// Values of the parameters.
    pub parameters: Vec<i64>,
    /// Loops, the outermost first.
    pub levels: Vec<Level>,
    /// Level of the loop of neighbouring threads.
    pub lead: usize,
    /// Number of threads along that loop.
    pub threads: usize,
    /// Groups of threads that are computed together.
    pub together: usize,
    /// Whether the element that is written begins as zero.
    pub begins_as_zero: bool,
    /// Occurrences, that which is written first; equal ones once.
    pub packed: Vec<PackedAccess>,
}

/// Returns the bounds of a loop for values of the parameters; refuses those that other indices change.
fn bounds(nest: &Nest, number: usize, parameters: &[i64]) -> Result<(i64, i64), Cp2Refusal> {
    let of = &nest.loops[number];
    let is_free = |form: &cp2_nest::AffineForm| {
        form.terms().all(|(symbol, _)| matches!(symbol, AffineSymbol::Parameter(_)))
    };
    if !of.lower.iter().chain(&of.upper).all(is_free) {
        return Err(Cp2Refusal::new(
            &of.name.at,
            format!("the bounds of the loop over `{}` change with another index", of.name.name),
            "sections run in lockstep, so all threads need the same number of steps: run to the greatest bound over zeros (or with the extension section-loop-counters, for which there is no code yet)",
        ));
    }
    let value = |form: &cp2_nest::AffineForm| {
        form.value(&|symbol| match symbol {
            AffineSymbol::Parameter(number) => parameters[number],
            AffineSymbol::Index(_) => 0,
        })
    };
    let all = |forms: &[cp2_nest::AffineForm]| forms.iter().map(value).collect::<Option<Vec<_>>>();
    let first = all(&of.lower).and_then(|all| all.into_iter().max());
    let last = all(&of.upper).and_then(|all| all.into_iter().min());
    match (first, last) {
        (Some(first), Some(last)) if last >= first => Ok((first, last)),
        _ => Err(Cp2Refusal::new(
            &of.name.at,
            format!("the loop over `{}` has no turn for these parameters", of.name.name),
            "give greater sizes",
        )),
    }
}

/// Refuses values that CP2 does not compute.
fn check_value(
    nest: &Nest,
    statement: &NestStatement,
    value: &ValueTree,
) -> Result<(), Cp2Refusal> {
    let at = &statement.at;
    match value {
        ValueTree::Number(_, ScalarType::Float) => Ok(()),
        ValueTree::Number(number, _) => Err(Cp2Refusal::new(
            at,
            format!("`{number:?}` is a double, and CP2 computes in float"),
            "write an `f` behind the number",
        )),
        ValueTree::Whole(_) => Err(Cp2Refusal::new(
            at,
            "a value comes from an index or a parameter, which no register of CP2 has",
            "pass the values as an array",
        )),
        ValueTree::Scalar(number) => {
            check_type(&nest.scalars[*number].name, nest.scalars[*number].kind)
        }
        ValueTree::Element(number) => {
            let array = &nest.arrays[statement.accesses[*number].array];
            check_type(&array.name, array.kind)
        }
        ValueTree::Negated(inner) => check_value(nest, statement, inner),
        ValueTree::Binary(cp2_nest::ValueOperator::Divide, ..)
        | ValueTree::Call(
            ValueFunction::SquareRoot | ValueFunction::Minimum | ValueFunction::Maximum,
            ..,
        ) => Err(Cp2Refusal::new(
            at,
            "there is no code for CP2 of quotients, roots, minima and maxima: its reciprocals are truncated, and a minimum is no operation",
            "values on CP2 have + - * and fabsf",
        )),
        ValueTree::Binary(_, left, right) => {
            check_value(nest, statement, left)?;
            check_value(nest, statement, right)
        }
        ValueTree::Call(ValueFunction::Absolute, Some(ScalarType::Double), _) => {
            Err(Cp2Refusal::new(
                at,
                "`fabs` makes a double, and CP2 computes in float",
                "write `fabsf`",
            ))
        }
        ValueTree::Call(ValueFunction::Absolute, _, values) => {
            values.iter().try_for_each(|value| check_value(nest, statement, value))
        }
    }
}

fn check_type(name: &cp2_nest::NestName, kind: ScalarType) -> Result<(), Cp2Refusal> {
    if kind == ScalarType::Float {
        return Ok(());
    }
    let message =
        format!("`{}` is of type {}, and threads of CP2 compute in float", name.name, kind.words());
    Err(Cp2Refusal::new(&name.at, message, "declare it as float"))
}

/// Returns the assignment that is run, and whether its element begins as zero, by another assignment before.
fn chosen(nest: &Nest) -> Result<(usize, bool), Cp2Refusal> {
    let at = nest.statements.last().map_or(0..0, |last| last.at.clone());
    match &nest.statements[..] {
        [_] => Ok((0, false)),
        [first, second]
            if matches!(&first.value, ValueTree::Number(number, _) if number.to_bits() == 0)
                && second.update == Some(cp2_nest::ValueOperator::Add)
                && first.accesses[0].subscripts == second.accesses[0].subscripts
                && first.accesses[0].array == second.accesses[0].array
                && second.loops.starts_with(&first.loops)
                && first.loops.iter().all(|number| {
                    let index = AffineSymbol::Index(*number);
                    first.accesses[0].subscripts.iter().any(|form| form.coefficient(index) != 0)
                }) =>
        {
            Ok((1, true))
        }
        _ => Err(Cp2Refusal::new(
            &at,
            "code for CP2 has one assignment, perhaps behind one that sets its element to zero",
            "give each assignment a nest of its own",
        )),
    }
}

impl<'m> Mapping<'m> {
    /// Maps a nest for values of its parameters.
    ///
    /// # Errors
    /// The nest has no threads, or CP2 lacks what it needs; what, at its place.
    pub fn new(study: &'m NestStudy<'m>, parameters: &[i64]) -> Result<Self, Cp2Refusal> {
        let nest = study.analysis.nest;
        let (number, begins_as_zero) = chosen(nest)?;
        let statement = &nest.statements[number];
        if study.plan.is_sequential() {
            let help = "`cp2 loops NEST` tells the dependence that forbids threads";
            return Err(Cp2Refusal::new(&statement.at, "the nest has one thread", help));
        }
        if !nest.statements.iter().all(|one| one.guards.is_empty()) {
            let help = "give the parts of the loop loops of their own";
            let message = "a condition would be another one in each section, and stores obey none";
            return Err(Cp2Refusal::new(&statement.at, message, help));
        }
        check_value(nest, statement, &statement.value)?;
        check_type(
            &nest.arrays[statement.accesses[0].array].name,
            nest.arrays[statement.accesses[0].array].kind,
        )?;
        let threads = thread_places(study, number)?;
        let mut mapping = Self {
            nest,
            statement,
            parameters: parameters.to_vec(),
            levels: Vec::new(),
            lead: threads.len() - 1,
            threads: 0,
            together: 1,
            begins_as_zero,
            packed: Vec::new(),
        };
        mapping.make_levels(&threads)?;
        mapping.pack()?;
        Ok(mapping)
    }

    /// Whether the element that is written is read first.
    pub fn reads_target(&self) -> bool {
        let accesses = &self.statement.accesses;
        let is_own = |used: &cp2_nest::ArrayAccess| {
            used.array == accesses[0].array && used.subscripts == accesses[0].subscripts
        };
        !self.begins_as_zero && accesses.iter().skip(1).any(is_own)
    }

    /// Makes the loops of the code: those of threads, neighbours last, then those of a thread's steps.
    fn make_levels(&mut self, threads: &[usize]) -> Result<(), Cp2Refusal> {
        let loops = &self.statement.loops;
        let steps = (0..loops.len()).filter(|place| !threads.contains(place));
        for place in threads.iter().copied().chain(steps) {
            let (first, last) = bounds(self.nest, loops[place], &self.parameters)?;
            let count = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
            self.levels.push(Level { place, first, count });
        }
        self.threads = self.levels[self.lead].count;
        let groups = self.threads.div_ceil(LANES);
        self.together = groups.min(GROUPS);
        self.levels[self.lead].count = groups.div_ceil(self.together);
        Ok(())
    }

    /// Packs the occurrences.
    fn pack(&mut self) -> Result<(), Cp2Refusal> {
        let written = self.statement.accesses[0].array;
        let mut packed: Vec<PackedAccess> = Vec::new();
        for (access, used) in self.statement.accesses.iter().enumerate() {
            let is_same = |known: &PackedAccess| {
                let other = &self.statement.accesses[known.access];
                other.array == used.array && other.subscripts == used.subscripts
            };
            if packed.iter().any(is_same) {
                continue;
            }
            if access > 0 && used.array == written {
                return Err(Cp2Refusal::new(
                    &used.at,
                    format!(
                        "`{}` may be an element that another step writes, at an address of its own in each section",
                        self.nest.access_text(used)
                    ),
                    "read from an array that the nest does not write (or with the extension section-addressing, for which there is no code yet)",
                ));
            }
            packed.push(self.packed_access(access));
        }
        if packed.len() > SETS {
            let message =
                format!("{} occurrences need an address each, and there are {SETS}", packed.len());
            return Err(Cp2Refusal::new(&self.statement.at, message, "split the assignment"));
        }
        self.packed = packed;
        Ok(())
    }

    fn packed_access(&self, access: usize) -> PackedAccess {
        let used = &self.statement.accesses[access];
        let changes = |level: &Level| {
            let index = AffineSymbol::Index(self.statement.loops[level.place]);
            used.subscripts.iter().any(|form| form.coefficient(index) != 0)
        };
        let levels: Vec<usize> =
            (0..self.levels.len()).filter(|level| changes(&self.levels[*level])).collect();
        let has_lanes = levels.contains(&self.lead);
        let turns = levels.iter().map(|level| self.levels[*level].count);
        let words = turns.fold(1_usize, usize::saturating_mul);
        let words = if has_lanes { words.saturating_mul(self.together) } else { words };
        PackedAccess { access, levels, has_lanes, words }
    }

    /// Calls a function for each number of a packed occurrence, in order, with the indices of an instance that uses it; `None`
    /// beside the last thread.
    pub fn each_element(&self, packed: &PackedAccess, visit: &mut dyn FnMut(Option<&[i64]>)) {
        let lanes = if packed.has_lanes { LANES } else { 1 };
        let together = if packed.has_lanes { self.together } else { 1 };
        for word in 0..packed.words {
            let (mut rest, group) = (word / together, word % together);
            let mut indices: Vec<i64> = vec![0; self.levels.len()];
            for level in &self.levels {
                indices[level.place] = level.first;
            }
            let mut block = 0;
            for level in packed.levels.iter().rev() {
                let of = &self.levels[*level];
                let turn = rest % of.count;
                rest /= of.count;
                if *level == self.lead {
                    block = turn;
                } else {
                    indices[of.place] = of.first + turn as i64;
                }
            }
            for lane in 0..lanes {
                let thread = (block * together + group) * LANES + lane;
                let lead = &self.levels[self.lead];
                if packed.has_lanes {
                    indices[lead.place] = lead.first + thread as i64;
                }
                visit((thread < self.threads || !packed.has_lanes).then_some(&indices));
            }
        }
    }
}

/// Returns the places of the loops that are threads among those of a statement, that of neighbouring threads last.
fn thread_places(study: &NestStudy<'_>, number: usize) -> Result<Vec<usize>, Cp2Refusal> {
    let statement = &study.analysis.nest.statements[number];
    // Neighbours differ in the first axis of a device, so the order is turned around.
    let mut places = Vec::new();
    for form in study.best_maps(crate::code::CodeDialect::C)[number].iter() {
        let loops = statement.loops.iter().enumerate();
        let own: Vec<(usize, i64)> = loops
            .map(|(place, number)| (place, form.coefficient(AffineSymbol::Index(*number))))
            .filter(|(_, coefficient)| *coefficient != 0)
            .collect();
        match own[..] {
            [(place, 1)] => places.push(place),
            _ => {
                return Err(Cp2Refusal::new(
                    &statement.at,
                    format!(
                        "the thread number {} is not the index of one loop",
                        study.analysis.nest.form_text(form)
                    ),
                    "write the nest with a loop over the thread number",
                ));
            }
        }
    }
    Ok(places)
}
