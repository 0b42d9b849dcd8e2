//! Traces of CP2 in the formats that other tools read. A [`Tracer`] goes with a run, one that happens now or a window
//! of a recording ([`cp2_recording::Follower`]), and tells an [`Exporter`] of every cycle; so the same cycles give the
//! same bytes wherever they come from. Nothing is kept for longer than the results that are under way, so a window may
//! be as long as the file may be large. The crate opens no files and knows no command line.
//!
//! - `step`: the data of a cycle that an exporter gets; `tracer`: the sender of that data; `select`: which operations
//!   and registers a trace has; `clock`: cycles as times;
//! - `table`, `rows`, `beats`: rows, as Parquet, CSV or text;
//! - `kanata`: the pipeline for Konata, with `producers`;
//! - `perfetto`: tracks, counters and flows, in the messages of `proto`;
//! - `signals`: registers and channel as signals, and `vcd` and `fst`, which write them;
//! - `format`: names and file endings of the formats; `export`: an exporter for each.
//!
//! `specs/src/traces.md` describes every format.

mod beats;
mod clock;
mod error;
mod export;
mod format;
mod fst;
mod host;
mod kanata;
mod perfetto;
mod producers;
mod proto;
mod rows;
mod select;
mod signals;
mod step;
mod stream;
mod table;
mod tracer;
mod vcd;

pub use beats::BeatTable;
pub use clock::Clock;
pub use error::TraceError;
pub use export::exporter;
pub use format::{Content, TraceFormat, TraceSetup};
pub use select::Selection;
pub use step::{
    BeatRecord, CycleUse, Exporter, TracedCycle, TracedOperation, TracedVisit, WindowBegin,
    WindowEnd,
};
pub use tracer::Tracer;
