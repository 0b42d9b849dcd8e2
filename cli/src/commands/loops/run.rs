//! Runs of nests on the emulated CP2.

use crate::args::Loops;
use crate::input::machine;
use crate::input::program::refused;
use crate::process::exit::{Exit, Failure, Outcome, bad_input};
use crate::storage::files;
use cp2_asm::diagnostic::Sources;
use cp2_loops::NestStudy;
use cp2_loops::cp2::{Cp2Refusal, Mapping, cp2_source, run_on_cp2};
use cp2_loops::report::{RunReport, run_to_json, run_to_text};
use cp2_nest::{Nest, NestData, NestNumber, NestValues, ScalarType};
use cp2_session::npy::Array;
use cp2_session::{Environment, Setup, random};
use std::collections::BTreeSet;
use std::path::Path;

/// Most instances that are run in order.
const MOST_INSTANCES: usize = 1_000_000_000;

/// Splits `NAME=VALUE`.
fn named<'a>(option: &str, text: &'a str) -> Outcome<(&'a str, &'a str)> {
    let parts = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    parts.ok_or_else(|| bad_input(format!("{option} {text}: write NAME=VALUE")))
}

/// Refuses a name that is given twice, of which one value would be dropped.
fn check_once(option: &str, texts: &[String]) -> Outcome<()> {
    let mut names = BTreeSet::new();
    texts.iter().try_for_each(|text| {
        let (name, _) = named(option, text)?;
        match names.insert(name) {
            true => Ok(()),
            false => Err(bad_input(format!("{option} {text}: `{name}` is given twice"))),
        }
    })
}

/// Refuses a name that the nest does not have.
fn unknown<'a>(option: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Failure {
    let near = cp2_asm::nearest(name, known.clone());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let all = known.collect::<Vec<_>>().join(", ");
    bad_input(format!("{option}: the nest has no `{name}` here, but {all}{near}"))
}

/// Returns the values that the options give.
fn values(arguments: &Loops, nest: &Nest) -> Outcome<NestValues> {
    let mut parameters = vec![None; nest.parameters.len()];
    let mut scalars = vec![None; nest.scalars.len()];
    check_once("-D", &arguments.run.define)?;
    for text in &arguments.run.define {
        let (name, value) = named("-D", text)?;
        let scalar = nest.scalars.iter().position(|known| known.name.name == name);
        let parameter = nest.parameters.iter().position(|known| known.name == name);
        match (parameter, scalar) {
            (Some(place), _) => {
                let number = value.parse::<i64>().ok();
                let limits = 0..=i64::from(i32::MAX);
                let number = number.filter(|number| limits.contains(number));
                parameters[place] = Some(number.ok_or_else(|| {
                    bad_input(format!(
                        "-D {text}: a parameter is a whole number, 0 to {}",
                        i32::MAX
                    ))
                })?);
            }
            (None, Some(place)) => {
                let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
                let message = || bad_input(format!("-D {text}: this is no finite number"));
                scalars[place] = Some(number.ok_or_else(message)?);
            }
            (None, None) => {
                let all = nest.parameters.iter().map(|known| known.name.as_str());
                let all = all.chain(nest.scalars.iter().map(|known| known.name.name.as_str()));
                return Err(unknown("-D", name, all));
            }
        }
    }
    let missing: Vec<String> = nest
        .parameters
        .iter()
        .zip(&parameters)
        .filter(|(_, value)| value.is_none())
        .map(|(known, _)| format!("-D {}=VALUE", known.name))
        .collect();
    if !missing.is_empty() {
        return Err(bad_input(format!("a run needs all parameters; give {}", missing.join(" "))));
    }
    let parameters: Vec<i64> = parameters.into_iter().flatten().collect();
    let mut values = nest.zero_values(&parameters).map_err(bad_input)?;
    for (place, known) in nest.scalars.iter().enumerate() {
        let random = || NestNumber::Float(random::complex(place as u64, 1)[0].re);
        let number = scalars[place].map_or_else(random, NestNumber::Double);
        values.scalars[place] = number.to(known.kind);
    }
    for (seed, data) in values.arrays.iter_mut().enumerate() {
        let numbers = random::complex(seed as u64, data.count());
        let each = numbers.into_iter().enumerate();
        each.for_each(|(place, number)| data.set_element(place, NestNumber::Float(number.re)));
    }
    check_once("--input", &arguments.run.input)?;
    for text in &arguments.run.input {
        let (name, path) = named("--input", text)?;
        let array = array(nest, "--input", name)?;
        load(nest, &mut values, array, Path::new(path))?;
    }
    Ok(values)
}

/// Returns the number of an array that callers give.
fn array(nest: &Nest, option: &str, name: &str) -> Outcome<usize> {
    let found = nest.arrays.iter().position(|one| one.local.is_none() && one.name.name == name);
    let all = nest.arrays.iter().filter(|one| one.local.is_none());
    found.ok_or_else(|| unknown(option, name, all.map(|one| one.name.name.as_str())))
}

/// Loads an array from a file.
fn load(nest: &Nest, values: &mut NestValues, array: usize, path: &Path) -> Outcome<()> {
    let shown = path.display();
    let file = Array::read(&files::read(path)?).map_err(|e| bad_input(format!("{shown}: {e}")))?;
    let sizes = nest.array_sizes(array, &values.parameters).map_err(bad_input)?;
    if file.shape != sizes {
        return Err(bad_input(format!(
            "{shown}: `{}` has the shape {}, and the file {}",
            nest.arrays[array].name.name,
            cp2_session::npy::shape_text(&sizes),
            file.shape_text()
        )));
    }
    let floats = match file.kind {
        cp2_session::npy::NumberType::Float32 => file.to_floats(),
        other => return Err(bad_input(format!("{shown}: elements are float32, and here {other}"))),
    };
    for (place, value) in floats.into_iter().enumerate() {
        values.arrays[array].set_element(place, NestNumber::Float(value));
    }
    Ok(())
}

/// Returns the arrays that are written to files, each with its file; all can be written.
fn outputs<'a>(arguments: &'a Loops, nest: &Nest) -> Outcome<Vec<(usize, &'a Path)>> {
    check_once("--output", &arguments.run.output)?;
    let mut outputs = Vec::new();
    for text in &arguments.run.output {
        let (name, path) = named("--output", text)?;
        let array = array(nest, "--output", name)?;
        if nest.arrays[array].kind != ScalarType::Float {
            return Err(bad_input(format!("--output {text}: `{name}` is not of float")));
        }
        outputs.push((array, Path::new(path)));
    }
    let inputs = arguments.run.input.iter().map(|text| named("--input", text));
    let inputs = inputs.collect::<Outcome<Vec<_>>>()?;
    let read = inputs.iter().map(|(_, path)| Some(Path::new(*path)));
    let read: Vec<_> = read.chain([Some(&*arguments.nest)]).collect();
    let written: Vec<_> = outputs.iter().map(|(_, path)| Some(*path)).collect();
    files::check(&read, &written)?;
    Ok(outputs)
}

/// Runs a nest on CP2, and compares.
pub(super) fn run(arguments: &Loops, study: &NestStudy<'_>, sources: &Sources) -> Outcome {
    let nest = study.analysis.nest;
    let outputs = outputs(arguments, nest)?;
    let mut found = values(arguments, nest)?;
    let fail = |refusal: Cp2Refusal| refused(&[refusal.diagnostic()], sources);
    let parameters = found.parameters.clone();
    let mapping = Mapping::new(study, &parameters).map_err(fail)?;
    let source = cp2_source(&mapping);
    let setup = match machine::of_core(&arguments.run.core)? {
        Some(config) => Setup::on(config),
        None => Setup::default(),
    };
    let mut expected = found.clone();
    // Sizes that do not fit CP2 are refused before the nest runs in order.
    let run =
        run_on_cp2(&mapping, &source, setup, &Environment::new(), &mut found).map_err(fail)?;
    nest.execute(&mut expected, MOST_INSTANCES).map_err(bad_input)?;
    let report = RunReport::new(nest, &parameters, run, found.has_bits_of(&expected));
    for (array, path) in outputs {
        let NestData::Float(all) = &found.arrays[array] else { continue };
        let sizes = nest.array_sizes(array, &parameters).map_err(bad_input)?;
        files::write(path, &Array::from_floats(sizes, all).write())?;
    }
    if arguments.json {
        files::print_json(&run_to_json(&report))?;
    } else {
        files::print(run_to_text(&report).as_bytes())?;
    }
    Ok(if report.is_equal() { Exit::Success } else { Exit::Check })
}
