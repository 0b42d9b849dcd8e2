//! Runs of nests on the emulator, beside their execution in order.

use super::mapping::{Cp2Refusal, Mapping};
use super::source::{Cp2Source, PoolNumber};
use cp2_nest::{NestNumber, NestValues, ScalarType};
use cp2_session::npy::Array;
use cp2_session::{Environment, Program, Setup};

/// A run of a nest on CP2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cp2NestRun {
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Least cycles: operations of the fuller slot.
    pub bound: u64,
    /// Words of local memory that the arrays take in each section.
    pub words: usize,
}

fn refused(mapping: &Mapping<'_>, message: String, help: &str) -> Cp2Refusal {
    Cp2Refusal { at: mapping.statement.at.clone(), message, help: help.to_owned() }
}

/// Returns the place of an element in its array; `None` if it lies outside.
fn place(mapping: &Mapping<'_>, access: usize, indices: &[i64], sizes: &[usize]) -> Option<usize> {
    let nest = mapping.nest;
    let statement = nest.statements.iter().position(|one| std::ptr::eq(one, mapping.statement))?;
    let instance = cp2_nest::NestInstance { statement, indices: indices.to_vec() };
    let mut place = 0;
    for (form, size) in mapping.statement.accesses[access].subscripts.iter().zip(sizes) {
        let index = nest.form_value(form, &instance, &mapping.parameters).ok()?;
        place = place * size + usize::try_from(index).ok().filter(|index| index < size)?;
    }
    Some(place)
}

fn float(number: NestNumber) -> f32 {
    match number.to(ScalarType::Float) {
        NestNumber::Float(value) => value,
        other => other.double() as f32,
    }
}

/// Runs a nest on CP2 with values, which it changes.
///
/// # Errors
/// The arrays do not fit local memory, the code does not fit instruction memory, or the run fails.
pub fn run_on_cp2(
    mapping: &Mapping<'_>,
    source: &Cp2Source,
    setup: Setup,
    environment: &Environment,
    values: &mut NestValues,
) -> Result<Cp2NestRun, Cp2Refusal> {
    let limit = setup.core().lmem_words();
    if source.words > limit {
        let words = source.words;
        let message = format!(
            "the arrays take {words} words of local memory in each section, which has {limit}"
        );
        return Err(refused(
            mapping,
            message,
            "give smaller sizes, or a machine with more local memory",
        ));
    }
    let failed = |error: cp2_session::Error| {
        refused(mapping, format!("the code for CP2 does not run: {error}"), "give other sizes")
    };
    let name = format!("{}.s", mapping.nest.name);
    let mut setup = setup;
    let program = Program::from_source(environment, setup.core(), &name, &source.text)
        .map_err(|error| failed(error.into()))?;
    let sizes = |access: usize| {
        let array = mapping.statement.accesses[access].array;
        mapping.nest.array_sizes(array, &mapping.parameters).unwrap_or_default()
    };
    for (set, packed) in
        mapping.packed.iter().enumerate().skip(usize::from(!mapping.reads_target()))
    {
        let data = &values.arrays[mapping.statement.accesses[packed.access].array];
        let sizes = sizes(packed.access);
        let mut numbers = Vec::new();
        mapping.each_element(packed, &mut |indices| {
            let place = indices.and_then(|indices| place(mapping, packed.access, indices, &sizes));
            numbers.push(place.map_or(0.0, |place| float(data.element(place))));
        });
        let array = Array::from_floats(vec![numbers.len()], &numbers);
        setup = setup.load(&format!("p{set}"), array).map_err(failed)?;
    }
    if !source.pool.is_empty() {
        let number = |number: &PoolNumber| match number {
            PoolNumber::Constant(bits) => f32::from_bits(*bits),
            PoolNumber::Scalar(number) => {
                values.scalars.get(*number).map_or(0.0, |number| float(*number))
            }
        };
        let numbers: Vec<f32> = source.pool.iter().map(number).collect();
        let array = Array::from_floats(vec![numbers.len()], &numbers);
        setup = setup.load("pool", array).map_err(failed)?;
    }
    setup = setup.store("p0").map_err(failed)?;
    let outcome = program.run(environment, &setup).map_err(failed)?;
    outcome.stopped().map_err(failed)?;
    let results = outcome.array("p0").map_err(failed)?.to_floats();
    unpack(mapping, results, &sizes(0), values);
    let bound = source.operations.into_iter().max().unwrap_or_default();
    Ok(Cp2NestRun { cycles: outcome.stats.cycles, bound, words: source.words })
}

/// Puts results into the array that the nest writes.
fn unpack(mapping: &Mapping<'_>, results: Vec<f32>, sizes: &[usize], values: &mut NestValues) {
    let packed = &mapping.packed[0];
    let target = &mut values.arrays[mapping.statement.accesses[0].array];
    let mut next = results.into_iter();
    mapping.each_element(packed, &mut |indices| {
        let result = next.next().unwrap_or_default();
        let place = indices.and_then(|indices| place(mapping, packed.access, indices, sizes));
        if let Some(place) = place {
            target.set_element(place, NestNumber::Float(result));
        }
    });
}
