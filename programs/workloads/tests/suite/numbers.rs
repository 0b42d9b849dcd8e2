//! Numbers that CP2 does not take as they are, through the interface of workloads: denormals are flushed and
//! counted, what is not finite is refused or let through; and sizes on the command line that nobody can hold.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_session::npy::{ComplexMatrix, MatrixShape};
use cp2_session::sparse::market;
use cp2_session::workload::{
    Listener, OptionKind, OptionValue, OptionValues, Platform, Request, Workload, WorkloadOutcome,
};
use cp2_session::{KernelError, random};
use cp2_workloads::catalogue::{families, find};
use cp2_workloads::workload::Family;
use num_complex::Complex32;
use serde_json::json;
use std::collections::BTreeSet;

/// A listener that keeps the output and the size of its largest part.
#[derive(Default)]
struct Kept {
    shape: Option<MatrixShape>,
    values: Vec<Complex32>,
    largest_part: usize,
}

impl Listener for Kept {
    fn progress(&mut self, _: usize, _: usize) {}

    fn begin(&mut self, shape: MatrixShape) -> Result<(), KernelError> {
        self.shape = Some(shape);
        Ok(())
    }

    fn add(&mut self, values: &[Complex32]) -> Result<(), KernelError> {
        self.values.extend_from_slice(values);
        self.largest_part = self.largest_part.max(values.len());
        Ok(())
    }
}

fn run(
    workload: &dyn Workload,
    given: &[(&'static str, OptionValue)],
    listener: &mut dyn Listener,
) -> Result<WorkloadOutcome, KernelError> {
    let mut values = OptionValues::default();
    given.iter().for_each(|(name, value)| values.set(name, value.clone()));
    values.check(&workload.about().name, &workload.option_list()).unwrap();
    values.add_defaults(&workload.option_list());
    let is_procedure = workload.about().platform == Platform::Machine;
    let mut vm7 = MachineConfig::preset("vm7").unwrap();
    workload.needs().into_iter().for_each(|needed| vm7.switch_on(needed).unwrap());
    let core = *vm7.core();
    let machine = is_procedure.then_some(vm7);
    let request = Request { values, core, machine, ..Request::default() };
    workload.execute(Request { environment: sharing(), ..request }, listener)
}

fn named(
    platform: Platform,
    name: &str,
    given: &[(&'static str, OptionValue)],
) -> Result<WorkloadOutcome, KernelError> {
    run(find(platform, name).unwrap().as_ref(), given, &mut |_, _| {})
}

fn array(rows: usize, values: Vec<Complex32>) -> OptionValue {
    let columns = values.len() / rows;
    OptionValue::Array(ComplexMatrix { rows, columns, is_vector: false, values })
}

/// Returns random numbers of this magnitude.
fn sized(count: usize, size: f32) -> Vec<Complex32> {
    random::complex(3, count).into_iter().map(|x| x * size).collect()
}

/// Returns platforms, names and sizes of the inputs of workloads that take complex numbers.
fn on_arrays() -> Vec<(Platform, &'static str, usize, usize)> {
    vec![
        (Platform::Cp2, "fft64", 5, 64),
        (Platform::Cp2, "fft64_single", 5, 64),
        (Platform::Cp2, "fft4096", 2, 4096),
        (Platform::Cp2, "cmul", 2, 200),
        (Platform::Cp2, "chmul", 2, 200),
        (Platform::Cp2, "cscale", 2, 200),
        (Platform::Machine, "fft128", 9, 128),
        (Platform::Machine, "fft8192", 1, 8192),
        (Platform::Machine, "convolution", 3, 100),
    ]
}

#[test]
fn denormals_are_flushed_by_the_reference_too_and_counted() {
    for (platform, name, rows, columns) in on_arrays() {
        let numbers = rows * columns;
        // All of them denormal; around the smallest normal number; some denormal beside large ones.
        let mut mixed = sized(numbers, 1.0);
        mixed.iter_mut().step_by(7).for_each(|x| *x = Complex32::new(1e-40, -1e-39));
        let few = 2 * numbers.div_ceil(7) as u64;
        for (values, least) in
            [(sized(numbers, 1e-40), 2 * numbers as u64), (sized(numbers, 2e-38), 1), (mixed, few)]
        {
            let done = named(platform, name, &[("input", array(rows, values))]).unwrap();
            assert_eq!(done.verdict.complaint, None, "{name}");
            let inputs = done.json["flushed"]["inputs"].as_u64().unwrap();
            assert!(inputs >= least, "{name}: {inputs} of {least}");
            let line = format!("to the reference: {inputs} numbers of the input");
            assert!(done.text.contains(&line), "{}", done.text);
        }
        let done = named(platform, name, &[("input", array(rows, sized(numbers, 1.0)))]).unwrap();
        assert_eq!(done.json["flushed"], json!({ "inputs": 0, "results": 0 }), "{name}");
        assert!(!done.text.contains("denormal"), "{}", done.text);
    }
}

#[test]
fn products_that_are_too_small_are_counted_as_results() {
    let done = named(Platform::Cp2, "cmul", &[("input", array(2, sized(400, 1e-20)))]).unwrap();
    assert_eq!(done.verdict.complaint, None);
    assert!(done.json["flushed"]["results"].as_u64().unwrap() > 300, "{}", done.json);
    assert_eq!(done.json["flushed"]["inputs"], 0);
}

#[test]
fn what_is_not_finite_is_refused_and_the_refusal_names_the_flag() {
    for (platform, name, rows, columns) in on_arrays() {
        let mut values = sized(rows * columns, 1.0);
        values[columns + 3 - columns * usize::from(rows == 1)].im = f32::INFINITY;
        let input = ("input", array(rows, values));
        let error = named(platform, name, std::slice::from_ref(&input)).unwrap_err().to_string();
        let vector = usize::from(rows > 1);
        assert!(error.starts_with(&format!("vector {vector}, element 3 is ")), "{name}: {error}");
        assert!(error.ends_with("--non-finite lets it through"), "{name}: {error}");
        let done = named(platform, name, &[input, ("non-finite", OptionValue::Switch)]).unwrap();
        assert_eq!(done.verdict.complaint, None, "{name}");
        if let Some(checked) = done.json["checked_vectors"].as_u64() {
            assert_eq!(checked as usize, rows - 1, "{name}");
        }
    }
}

#[test]
fn a_filter_that_is_not_finite_leaves_nothing_to_compare() {
    let mut filter = sized(10, 1.0);
    filter[4].re = f32::NAN;
    let filter = ("filter", array(1, filter));
    let error = named(Platform::Machine, "convolution", std::slice::from_ref(&filter)).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("filter, element 4 is NaN") && error.contains("--non-finite"),
        "{error}"
    );
    let few = ("vectors", OptionValue::Number(2));
    let given = [filter, few, ("non-finite", OptionValue::Switch)];
    let done = named(Platform::Machine, "convolution", &given).unwrap();
    assert_eq!((done.verdict.complaint, &done.json["checked_vectors"]), (None, &json!(0)));
}

#[test]
fn rows_with_an_entry_that_is_not_finite_are_not_compared() {
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let text = format!("{header}3 3 4\n1 1 inf\n2 2 2.5\n3 3 1e-40\n3 1 1e300\n");
    assert!(market::read(&text).is_err());
    let matrix = market::read_any(&text).unwrap();
    for name in ["spmv_sliced", "spmv_sorted", "spmv_blocks", "spmv_direct"] {
        let given = [("matrix", OptionValue::Matrix(matrix.clone()))];
        let done = named(Platform::Cp2, name, &given).unwrap();
        assert_eq!(done.verdict.complaint, None, "{name}");
        assert_eq!(done.json["flushed"]["inputs"], 1, "{name}");
    }
}

#[test]
fn a_matrix_without_entries_has_a_product() {
    let text = "%%MatrixMarket matrix coordinate real general\n3 5 0\n";
    for name in ["spmv_sliced", "spmv_sorted", "spmv_blocks", "spmv_direct"] {
        let matrix = OptionValue::Matrix(market::read(text).unwrap());
        let done = named(Platform::Cp2, name, &[("matrix", matrix)]).unwrap();
        assert_eq!(done.verdict.complaint, None, "{name}");
        assert!(done.text.contains("no entry"), "{}", done.text);
    }
}

/// Many vectors come and go in parts; the results are those of all at once.
#[test]
fn transforms_of_many_vectors_are_made_and_given_in_parts() {
    let fft = find(Platform::Cp2, "fft4096").unwrap();
    let mut parts = Kept::default();
    let output = ("output", OptionValue::File);
    let many = ("vectors", OptionValue::Number(50));
    let done = run(fft.as_ref(), &[many, output.clone()], &mut parts).unwrap();
    assert_eq!(done.verdict.complaint, None);
    assert_eq!(done.json["vectors"], 50);
    assert_eq!(parts.shape, Some(MatrixShape { rows: 50, columns: 4096, is_vector: false }));
    assert_eq!((parts.values.len(), parts.largest_part), (50 * 4096, 4 * 4096));
    let input = ("input", array(50, random::complex(1, 50 * 4096)));
    let mut whole = Kept::default();
    let again = run(fft.as_ref(), &[input, output], &mut whole).unwrap();
    assert!(whole.values == parts.values);
    assert_eq!(again.json, done.json);
}

/// Every number of every workload at its limits and beyond, up to the largest that the command line takes:
/// it is refused, or the work begins. A short limit of cycles ends that. Workloads of a family read a number by the same
/// code, so that the work begins with the largest one in the first of them that takes it.
#[test]
fn no_number_on_the_command_line_is_too_large_to_be_answered() {
    let mut begun = BTreeSet::new();
    let members = |family: &'static Family| {
        (family.workloads)().into_iter().map(move |workload| (std::ptr::from_ref(family), workload))
    };
    for (family, workload) in families().flat_map(members) {
        let (name, options) = (workload.about().name, workload.option_list());
        let has = |name: &str| options.iter().any(|option| option.name == name);
        for option in &options {
            let OptionKind::Number { least, most, .. } = option.form else { continue };
            let beyond = [most.saturating_add(1), 1 << 32, 1 << 63, u64::MAX];
            for number in beyond.into_iter().chain(least.checked_sub(1)) {
                let mut values = OptionValues::default();
                values.set(option.name, OptionValue::Number(number));
                let checked = values.check(&name, &options);
                if number > most || number < least {
                    let message = checked.unwrap_err();
                    assert!(message.contains(&format!("from {least} to {most}")), "{message}");
                } else {
                    assert_eq!(checked, Ok(()), "{name} --{} {number}", option.name);
                }
            }
            if !begun.insert((family, option.name, most)) {
                continue;
            }
            let mut given = vec![(option.name, OptionValue::Number(most))];
            if option.name != "max-cycles" {
                given.push(("max-cycles", OptionValue::Number(20)));
            }
            for (small, value) in [("vectors", 1), ("vertices", 64), ("slots", 1), ("searches", 1)]
            {
                if has(small) && option.name != small {
                    given.push((small, OptionValue::Number(value)));
                }
            }
            // Work that is cut short ends with an error, and so does what no memory holds.
            let result = run(workload.as_ref(), &given, &mut |_, _| {});
            assert_eq!(
                result.is_ok(),
                option.name == "max-cycles",
                "{name} --{} {most}",
                option.name
            );
        }
    }
}
