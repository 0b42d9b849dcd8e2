//! What the reports of transforms of two and three dimensions share with NPB FT.

use crate::document::{Field, Kind};
use crate::host::cost::Cost;
use crate::host::device_driven;
use crate::workload::{Bound, ReportField, Workload};

pub(super) const BOUND: Bound = Bound {
    unit: "transform",
    cycles: None,
    rests_on: "the larger of butterflies and products, and of the bytes moved at the rates of long rows",
    published: None,
    source: None,
    sides: None,
};

/// Options for the sizes of random arrays, of the first axis first.
pub(super) const SIZES: [&str; 3] = ["n3", "n2", "n1"];

/// The bound at the rates of the rows that move, beside a rate.
pub(super) fn rows_text(cost: &Cost) -> String {
    let share = 100.0 * cost.bound_cycles() / cost.cycles() as f64;
    let mops = cost.row_bound().mops;
    format!("bound {mops:.0} MOPS at the rates of the rows that move: {share:.1} %\n")
}

/// The rows of the cycles in which CP2 looks at the channel, and of that bound.
pub(super) fn paging_rows<W>() -> [ReportField<W>; 2]
where
    W: Workload<Outcome: AsRef<Cost>>,
{
    [
        Field::new(
            "waiting_cycles",
            Kind::Integer,
            "cycles",
            "of the kernels, in which CP2 waits for the channel",
            |f| device_driven::waiting(f.outcome.as_ref()).into(),
        ),
        Field::new(
            "bound_cycles",
            Kind::Number,
            "cycles",
            "fewest: of the words that move at the rates of their rows, or of butterflies and products",
            |f| f.outcome.as_ref().bound_cycles().into(),
        ),
    ]
}
