//! Pages of the published products by sparse matrices. The vector comes to all sections and is spread; then comes a
//! page for each slice, as table B.8 of \[D\] counts one call for each. \[D\] tells the elements with their padding
//! (B.9) and the cycles of an operation (B.8), but not the pages.

use super::transforms::places;
use super::{STUB, STUB_AT};
use crate::measured::sparse::SparseRow;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::{Bytes, SECTIONS, WordAddress};
use cp2_procedures::host::pages::{Command, Page};
use cp2_procedures::host::walks::{get_all, get_dealt, put_dealt};
use cp2_procedures::host::{Call, Host, pages};
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;

/// Words of each section that make whole bursts.
const BURST: usize = 16;
/// Elements of an operation `psmadd`.
const ELEMENTS: usize = 8;

/// Returns the simulated rate of the product by the sparse matrix of this row of \[D\], each call of whose kernel takes
/// the published cycles, in 10^6 operations per second. Two operations count for each entry of the matrix, none for
/// padding. The environment and the limit of cycles are those of `on`.
///
/// # Errors
/// The machine cannot run the product, for instance because its memory is too small.
pub fn product_mops(
    on: &Execution,
    config: &MachineConfig,
    row: &SparseRow,
) -> Result<f64, KernelError> {
    let mut host = Host::new(config.clone(), &on.unrecorded(*config.core()));
    host.install("stub.s", || Ok(STUB.to_owned()))?;
    let installed = host.timeline().cycles();
    let slices = row.rows().div_ceil(row.height);
    let call = |least_cycles: f64| {
        let least_cycles = least_cycles as u64;
        Command::Run(Call { least_cycles, ..Call::new(STUB_AT, vec![0; 3]) })
    };
    // A value and a column of 32 bits are a word; results leave two in a word.
    let burst = |words: usize| words.div_ceil(SECTIONS).next_multiple_of(BURST);
    let (words, results) = (burst(row.elements / slices), burst(row.height / 2));
    let operations = row.elements as f64 / ELEMENTS as f64;
    let cycles = operations * row.kernel_cycles() / slices as f64;
    let mut array = |words: usize| host.allocate(Bytes::of_words(words));
    let vector = (row.rows() / 2).next_multiple_of(2 * BURST);
    let (x, y) = (array(vector)?, array(slices * results * SECTIONS)?);
    let matrix = array(slices * words * SECTIONS)?;
    let mut all = vec![Page {
        prepare: Vec::new(),
        load: vec![get_all(x, vector, WordAddress(0))?],
        commands: vec![call(row.rows() as f64)],
        unload: Vec::new(),
    }];
    for k in 0..slices {
        let [place, _] = places(k);
        all.push(Page {
            prepare: Vec::new(),
            load: vec![get_dealt(matrix.plus_words(k * words * SECTIONS), words, place)?],
            commands: vec![call(cycles)],
            unload: vec![put_dealt(place, results, y.plus_words(k * results * SECTIONS))?],
        });
    }
    pages::run(&mut host, &all, &mut |_| {})?;
    let us = (host.timeline().cycles() - installed) as f64 / f64::from(config.value(Key::CpuClock));
    Ok(2.0 * row.entries() as f64 / us)
}
