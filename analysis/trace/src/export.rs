//! An exporter for every form.

use crate::error::TraceError;
use crate::format::{TraceFormat, TraceSetup};
use crate::fst::Fst;
use crate::kanata::Kanata;
use crate::perfetto::Perfetto;
use crate::rows::Rows;
use crate::step::Exporter;
use crate::stream::Stream;
use crate::vcd::Vcd;
use cp2_ir::sites::NamesByCycle;
use cp2_isa::Core;
use std::io::{Seek, Write};

/// Creates the exporter for the format in `setup`, which writes to `out`. `names` tells how wide the columns for
/// labels and lines have to be in text.
///
/// # Errors
/// Returns an error if the begin of the trace cannot be written.
pub fn exporter<W: Write + Seek + Send + 'static>(
    setup: &TraceSetup<'_>,
    names: &NamesByCycle<'_>,
    core: &Core,
    out: W,
) -> Result<Box<dyn Exporter<W>>, TraceError> {
    let TraceSetup { selection, values, limit, clock, .. } = *setup;
    Ok(match setup.format {
        TraceFormat::Kanata => Box::new(Stream::new(out, Kanata::new(values), limit)),
        TraceFormat::Perfetto => Box::new(Stream::new(out, Perfetto::new(core, values), limit)),
        TraceFormat::Vcd => Box::new(Stream::new(out, Vcd::new(core, selection, clock), limit)),
        TraceFormat::Fst => Box::new(Fst::new(out, core, selection, clock, limit)),
        TraceFormat::Text | TraceFormat::Csv | TraceFormat::Parquet => {
            Box::new(Rows::begin(out, setup, names, core)?)
        }
    })
}
