//! All workloads through the one interface: both engines, the limit of cycles, options that are refused,
//! documents and their schemas.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_isa::Core;
use cp2_session::npy::ComplexMatrix;
use cp2_session::sparse::Csr;
use cp2_session::workload::{
    OptionValue, OptionValues, Platform, Request, Workload, WorkloadOutcome,
};
use cp2_session::{Engine, KernelError, random};
use cp2_workloads::catalogue::{families, find, list, list_schema, workloads};
use serde_json::Value;
use std::sync::Arc;

/// Runs a workload with these options, on VM7 if it needs a machine.
fn execute(
    workload: &dyn Workload,
    given: &[(&'static str, OptionValue)],
) -> Result<WorkloadOutcome, KernelError> {
    let mut values = OptionValues::default();
    given.iter().for_each(|(name, value)| values.set(name, value.clone()));
    let options = workload.option_list();
    values.check(&workload.about().name, &options).unwrap();
    values.add_defaults(&options);
    let is_procedure = workload.about().platform == Platform::Machine;
    let mut vm7 = MachineConfig::preset("vm7").unwrap();
    workload.needs().into_iter().for_each(|needed| vm7.switch_on(needed).unwrap());
    let core = *vm7.core();
    let machine = is_procedure.then_some(vm7);
    let request = Request { values, core, machine, ..Request::default() };
    workload.execute(Request { environment: sharing(), ..request }, &mut |_, _| {})
}

/// Returns the option for one vector where the workload takes a number of them.
fn one_vector(workload: &dyn Workload) -> Vec<(&'static str, OptionValue)> {
    let takes = workload.option_list().iter().any(|option| option.name == "vectors");
    if takes { vec![("vectors", OptionValue::Number(1))] } else { Vec::new() }
}

#[test]
fn every_kernel_passes_with_the_same_document_on_every_engine_and_stops_at_the_limit_of_cycles() {
    all_pass(&workloads(Platform::Cp2));
}

#[test]
fn every_procedure_passes_with_the_same_document_on_every_engine_and_stops_at_the_limit_of_cycles()
{
    all_pass(&workloads(Platform::Machine));
}

/// Asserts that workloads pass on every engine with one document, which is what its schema says, and end at a limit of cycles.
fn all_pass(workloads: &[Arc<dyn Workload>]) {
    for workload in workloads {
        let name = workload.about().name;
        let [fast, portable, reference] = Engine::ALL.map(|engine| {
            let mut given = one_vector(workload.as_ref());
            given.push(("engine", OptionValue::Engine(engine)));
            execute(workload.as_ref(), &given).unwrap()
        });
        assert_eq!(fast.verdict.complaint, None, "{name}");
        for other in [portable, reference] {
            assert_eq!(fast.text, other.text, "{name}");
            assert_eq!(fast.json, other.json, "{name}");
        }
        assert_eq!(fast.json["schema"], workload.tag(), "{name}");
        let schema = workload.schema(std::slice::from_ref(&name));
        let mut document = fast.json;
        conforms(&document, &schema).unwrap();
        document["more"] = 1.into();
        assert_eq!(conforms(&document, &schema).unwrap_err(), "more is too much");
        for (key, value) in schema["properties"].as_object().unwrap() {
            assert!(key == "schema" || value["description"].is_string(), "{name}: {key}");
        }
        let mut given = one_vector(workload.as_ref());
        given.push(("max-cycles", OptionValue::Number(20)));
        let error = execute(workload.as_ref(), &given).unwrap_err();
        assert!(error.to_string().contains("within 20 cycles"), "{name}: {error}");
    }
}

#[test]
fn the_list_is_what_its_schema_says() {
    conforms(&list(&Core::CP2).unwrap(), &list_schema()).unwrap();
}

#[test]
fn a_limit_that_is_given_holds_where_the_usual_one_gives_way_to_the_size_of_a_closure() {
    let limit = ("max-cycles", OptionValue::Number(10_000_000));
    for platform in [Platform::Cp2, Platform::Machine] {
        let closure = find(platform, "star_closure").unwrap();
        let rows = ("table-rows", OptionValue::Number(1342));
        let run = execute(closure.as_ref(), std::slice::from_ref(&rows)).unwrap();
        assert_eq!(run.verdict.complaint, None);
        let error = execute(closure.as_ref(), &[rows, limit.clone()]).unwrap_err();
        assert!(error.to_string().contains("within 10000000 cycles"), "{error}");
    }
}

/// Whether a document is what a schema of `document` says: no key more or less.
fn conforms(document: &Value, schema: &Value) -> Result<(), String> {
    if let Some(shapes) = schema["oneOf"].as_array() {
        let fits = |shape: &&Value| conforms(document, shape).is_ok();
        let count = shapes.iter().filter(fits).count();
        return if count == 1 { Ok(()) } else { Err(format!("{count} shapes fit {document}")) };
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let kind = match document {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |k: &Value| k == kind || k == "number" && kind == "integer";
    if !kinds.is_empty() && !kinds.iter().any(is_kind) {
        return Err(format!("{document} is no {kinds:?}"));
    }
    if schema["enum"].as_array().is_some_and(|names| !names.contains(document)) {
        return Err(format!("{document} is none of {}", schema["enum"]));
    }
    if let Some(items) = document.as_array() {
        return items.iter().try_for_each(|item| conforms(item, &schema["items"]));
    }
    let (Some(object), Some(properties)) = (document.as_object(), schema["properties"].as_object())
    else {
        return Ok(());
    };
    for key in schema["required"].as_array().unwrap() {
        object.get(key.as_str().unwrap()).ok_or(format!("{key} is missing"))?;
    }
    for (key, value) in object {
        let of = properties.get(key).ok_or(format!("{key} is too much"))?;
        conforms(value, of).map_err(|e| format!("{key}: {e}"))?;
    }
    Ok(())
}

#[test]
fn what_cannot_be_honoured_is_refused_with_what_is_taken() {
    let refused = |platform, name: &str, given: &[(&'static str, OptionValue)]| {
        let workload = find(platform, name).unwrap();
        let mut values = OptionValues::default();
        given.iter().for_each(|(name, value)| values.set(name, value.clone()));
        values.check(name, &workload.option_list()).unwrap_err()
    };
    assert_eq!(
        refused(Platform::Cp2, "axpy", &[("scale", OptionValue::Switch)]),
        "axpy takes no --scale; it takes --input, --output, --seed, --max-cycles, --engine"
    );
    assert_eq!(
        refused(Platform::Cp2, "fft256", &[("batch", OptionValue::Number(65))]),
        "fft256: --batch 65: it takes from 1 to 64 vectors"
    );
    let two = [("input", OptionValue::File), ("seed", OptionValue::Number(2))];
    assert_eq!(
        refused(Platform::Cp2, "cmul", &two),
        "cmul: --seed cannot be used with --input: it would have no effect"
    );
    // The seed is that of the filter too.
    let convolution = find(Platform::Machine, "convolution").unwrap();
    let mut values = OptionValues::default();
    two.iter().for_each(|(name, value)| values.set(name, value.clone()));
    assert_eq!(values.check("convolution", &convolution.option_list()), Ok(()));
    values.set("filter", OptionValue::File);
    let message = values.check("convolution", &convolution.option_list()).unwrap_err();
    assert!(message.contains("--seed cannot be used with --input and --filter"), "{message}");
}

#[test]
fn an_array_of_another_shape_is_refused() {
    let array = |rows, columns| {
        let values = random::complex(1, rows * columns);
        OptionValue::Array(ComplexMatrix { rows, columns, is_vector: false, values })
    };
    for (name, given, message) in [
        ("fft64", array(4, 32), "the array has shape (4, 32); fft64 takes (vectors, 64)"),
        ("cmul", array(3, 32), "the array has shape (3, 32); cmul takes (2, words)"),
    ] {
        let error = execute(find(Platform::Cp2, name).unwrap().as_ref(), &[("input", given)]);
        assert_eq!(error.unwrap_err().to_string(), message);
    }
}

#[test]
fn a_matrix_without_entries_has_no_cycles_for_an_entry() {
    let matrix = OptionValue::Matrix(Csr::from_entries(3, 5, &[]).unwrap());
    for name in ["spmv_sliced", "spmv_sorted", "spmv_blocks", "spmv_direct"] {
        let workload = find(Platform::Cp2, name).unwrap();
        let done = execute(workload.as_ref(), &[("matrix", matrix.clone())]).unwrap();
        assert!(done.text.contains("kernel cycles, no entry\n"), "{}", done.text);
        assert!(!done.text.contains("inf"), "{}", done.text);
        assert_eq!(done.verdict.complaint, None);
    }
}

#[test]
fn every_family_has_workloads() {
    assert!(families().all(|family| !(family.workloads)().is_empty()));
}
