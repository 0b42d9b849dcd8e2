//! Elementary operations and procedures of the library, one by one.

use super::{MeasuredLine, seconds};
use crate::backend::{GpuBackend, GpuTable};
use crate::error::StarGpuError;
use crate::library::LibraryOperands;
use cp2_gpu::Gpu;
use cp2_session::random::split_mix_64;
use cp2_star::library::LibraryProcedure;
use cp2_star::machine::{BitTable, BitVector, LibraryForm, Logic, StarBackend, StarMachine};
use serde_json::{Value, json};

/// Calls of a run.
const CALLS: usize = 100;

fn random_bits(state: &mut u64, length: usize) -> BitVector {
    let words = (0..length.div_ceil(64)).map(|_| split_mix_64(state)).collect();
    BitVector::from_words(length, words)
}

fn random_table(state: &mut u64, rows: usize, width: usize) -> BitTable {
    let mut table = BitTable::zeros(rows, width);
    (1..=width).for_each(|column| table.put_column(column, random_bits(state, rows)));
    table
}

/// Returns the microseconds of one of [`CALLS`] calls, which follow each other; the host waits behind the last.
fn microseconds<S>(
    runs: usize,
    state: &mut S,
    call: impl Fn(&mut S) -> Result<(), StarGpuError>,
    finish: impl Fn(&mut S) -> Result<(), StarGpuError>,
) -> Result<f64, StarGpuError> {
    let run = |state: &mut S| {
        (0..CALLS).try_for_each(|_| call(state))?;
        finish(state)
    };
    Ok(1e6 * seconds(runs, state, |_| Ok(()), run)? / CALLS as f64)
}

/// Returns an error of the back end as a result.
fn sound(gpu: &mut GpuBackend) -> Result<(), StarGpuError> {
    gpu.fault().map_or(Ok(()), Err)
}

/// Measures elementary operations on a table of n rows and columns. FND, SOME and NUMB bring their result to the host; the last one of
/// a slice has a one, the first one of the others is found in the last word.
///
/// # Errors
/// The device has no room, or is lost.
pub fn elementary(gpu: &Gpu, n: usize, runs: usize) -> MeasuredLine {
    let mut state = 1;
    let mut backend = GpuBackend::new(gpu)?;
    let mut table = backend.load_table(&random_table(&mut state, n, n));
    let (a, b) = (random_bits(&mut state, n), random_bits(&mut state, n));
    let (a, b) = (backend.load(&a), backend.load(&b));
    let mut last = BitVector::zeros(n);
    last.put(n, true);
    let last = backend.load(&last);
    let word = backend.load(&random_bits(&mut state, n));
    let is_verified = (backend.find(&last), backend.number(&last)) == (n, 1);
    let finish = |gpu: &mut GpuBackend| {
        gpu.finish()?;
        sound(gpu)
    };
    let mut of = |call: &dyn Fn(&mut GpuBackend)| {
        let call = |gpu: &mut GpuBackend| {
            call(gpu);
            Ok(())
        };
        microseconds(runs, &mut backend, call, finish)
    };
    let row = of(&|gpu| drop(gpu.row(&table, n / 2 + 1)))?;
    let column = of(&|gpu| drop(gpu.column(&table, n / 2 + 1)))?;
    let or = of(&|gpu| drop(gpu.logic(Logic::Or, &a, &b)))?;
    let mut found = |call: &dyn Fn(&mut GpuBackend) -> usize| {
        of(&|gpu| {
            call(gpu);
        })
    };
    let find = found(&|gpu| gpu.find(&last))?;
    let some = found(&|gpu| usize::from(gpu.some(&last)))?;
    let number = found(&|gpu| gpu.number(&a))?;
    let put_row = {
        let put = |(gpu, table): &mut (&mut GpuBackend, &mut _)| {
            gpu.put_row(table, n / 2 + 1, &word);
            Ok(())
        };
        let mut both = (&mut backend, &mut table);
        microseconds(runs, &mut both, put, |(gpu, _)| finish(gpu))?
    };
    Ok(json!({
        "subject": "elementary", "n": n, "verified": is_verified, "runs": runs, "calls": CALLS,
        "row_us": row, "put_row_us": put_row, "column_us": column, "or_us": or,
        "find_us": find, "some_us": some, "number_us": number,
    }))
}

/// Measures procedures on tables of so many rows and columns: by kernels of their own, and MIN by elementary operations as well.
///
/// # Errors
/// The device has no room, or is lost.
pub fn library(gpu: &Gpu, rows: usize, width: usize, runs: usize) -> MeasuredLine {
    use LibraryProcedure as P;
    let mut state = 1;
    let mut backend = GpuBackend::new(gpu)?;
    let (t, f) = (random_table(&mut state, rows, width), random_table(&mut state, rows, width));
    let (x, v) = (random_bits(&mut state, rows), t.row(rows / 2 + 1));
    let least =
        StarMachine::new(cp2_star::machine::HostBackend, rows, LibraryForm::Plain).min(&t, &x);
    let (t, f) = (backend.load_table(&t), backend.load_table(&f));
    let (x, v) = (backend.load(&x), backend.load(&v));
    let operands =
        LibraryOperands { t: Some(&t), f: Some(&f), x: Some(&x), v: Some(&v), number: 1 };
    let found = backend.procedure(P::Min, operands, None)?;
    let mut is_verified = backend.store(&found.slices[0]) == least;
    let mut line = json!({
        "subject": "library", "n": rows, "h": width, "runs": runs, "calls": CALLS,
    });
    for (name, procedure) in [
        ("min_us", P::Min),
        ("match_us", P::Match),
        ("setmin_us", P::Setmin),
        ("subtv_us", P::Subtv),
        ("wcopy_us", P::Wcopy),
    ] {
        let call = |gpu: &mut GpuBackend| gpu.procedure(procedure, operands, None).map(drop);
        line[name] = Value::from(microseconds(runs, &mut backend, call, |gpu| gpu.finish())?);
    }
    // TMERGE changes its table, which nobody else may hold.
    let changed = backend.procedure(P::Tcopy, operands, None)?.tables.pop();
    let merge = |(gpu, to): &mut (&mut GpuBackend, Option<GpuTable>)| {
        *to = gpu.procedure(P::Tmerge, operands, to.take())?.tables.pop();
        Ok(())
    };
    let mut both = (&mut backend, changed);
    line["tmerge_us"] = Value::from(microseconds(runs, &mut both, merge, |(gpu, _)| gpu.finish())?);
    let mut machine = StarMachine::new(backend, rows, LibraryForm::Plain);
    let by_operations = seconds(
        runs,
        &mut machine,
        |_| Ok(()),
        |machine| {
            let found = machine.min(&t, &x);
            drop(found);
            machine.backend().finish()
        },
    )?;
    let found = machine.min(&t, &x);
    is_verified &= machine.store(&found) == least;
    sound(machine.backend())?;
    line["min_elementary_us"] = Value::from(1e6 * by_operations);
    line["verified"] = Value::from(is_verified);
    Ok(line)
}
