//! `cp2.Schedule`: how the scheduler arranged the regions of linear code, as data, table and picture.

use crate::pictures::{self, DrawnLoop};
use crate::table::TableObject;
use crate::values::to_python;
use cp2_asm::diagnostic::Sources;
use cp2_asm::listing;
use cp2_asm::sched::BlockReport;
use cp2_session::Program;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Schedules of a program's regions of linear code: data, tables, and in a notebook the repeated bundles as a picture.
///
/// >>> schedule = cp2.schedule(".kernel k\n.linear\n.disjoint r0, r1\n.loop 100\n lwo %x, (r0)+1\n psadd %y, %x, %x\n"
/// ...                         " swo %y, (r1)+1\n.endloop\n.endlinear\n stopi 0\n")
/// >>> schedule.bound
/// 2
#[pyclass(frozen, name = "Schedule", module = "cp2")]
pub(crate) struct ScheduleObject {
    program: Arc<Program>,
}

impl ScheduleObject {
    /// Makes the object of the schedules of a program.
    pub(crate) fn of(program: &Arc<Program>) -> Self {
        Self { program: program.clone() }
    }

    /// Returns all blocks: straight code and innermost loops, with the name of their region.
    fn all(&self) -> impl Iterator<Item = (&cp2_asm::Scheduled, &BlockReport)> {
        let regions = self.program.regions().iter();
        regions.flat_map(|region| region.report.blocks.iter().map(move |block| (region, block)))
    }

    /// Returns the loop that takes the most operations.
    fn main_loop(&self) -> Option<&BlockReport> {
        let loops = self.all().map(|(_, block)| block).filter(|block| block.ii.is_some());
        loops.max_by_key(|block| block.operations.iter().sum::<usize>())
    }

    fn rows(&self) -> Vec<Value> {
        self.all().map(|(region, block)| row(region, block, self.program.sources())).collect()
    }

    /// Returns the pipelined loops as they are drawn.
    fn drawn(&self) -> Vec<DrawnLoop> {
        let sources = self.program.sources();
        let kernel = |(region, block): (&cp2_asm::Scheduled, &BlockReport)| {
            let (address, rows) = listing::kernel(region, block, sources)?;
            let interval = block.ii.and_then(|ii| usize::try_from(ii).ok()).unwrap_or_default();
            let told = format!(
                "an iteration every {interval} cycles; {} bundles from address {address}",
                rows.len()
            );
            let place = place(block, sources);
            let place = Path::new(&place).file_name().map_or_else(
                || region.report.name.clone(),
                |name| format!("loop of {} at {}", region.report.name, name.to_string_lossy()),
            );
            Some(DrawnLoop { place, told, interval, rows })
        };
        self.all().filter_map(kernel).collect()
    }
}

fn place(block: &BlockReport, sources: &Sources) -> String {
    block.span.as_ref().map_or(String::new(), |span| {
        format!("{}:{}", sources.name(span.file), sources.line_column(span).0)
    })
}

/// Returns a block as a row of the table.
fn row(region: &cp2_asm::Scheduled, block: &BlockReport, sources: &Sources) -> Value {
    let [arithmetic, exchange] = block.operations;
    let recurrence = block.ii.map(|_| block.recurrence_bound.cycles);
    json!({
        "region": region.report.name,
        "place": place(block, sources),
        "kind": if block.ii.is_some() { "loop" } else { "straight" },
        "arithmetic": arithmetic,
        "exchange": exchange,
        "resource_bound": block.resource_bound,
        "recurrence_bound": recurrence,
        "interval": block.ii,
        "stages": block.stages,
        "unrolled": block.unroll,
        "minimum_trips": block.minimum_trips,
        "registers": block.registers,
        "bundles": block.bundles,
        "cycles": block.cost.to_string(),
    })
}

#[pymethods]
impl ScheduleObject {
    /// Cycles from one iteration of the main loop to the next; `None` without a pipelined loop.
    #[getter]
    fn interval(&self) -> Option<i64> {
        self.main_loop()?.ii
    }

    /// Fewest cycles that slots and dependences allow for an iteration of the main loop.
    #[getter]
    fn bound(&self) -> Option<i64> {
        let block = self.main_loop()?;
        Some(block.resource_bound.max(block.recurrence_bound.cycles))
    }

    /// Cycles of each region, as a formula over trip counts, by the name of the region.
    #[getter]
    fn cycles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let regions = self.program.regions().iter();
        let one = |region: &cp2_asm::Scheduled| {
            (region.report.name.clone(), Value::String(region.report.cost.to_string()))
        };
        to_python(py, &Value::Object(regions.map(one).collect()))
    }

    /// Returns the cycles of all regions for these trip counts, such as `{"g2": 512}`.
    #[pyo3(signature = (counts=None))]
    fn predict(&self, counts: Option<std::collections::BTreeMap<String, u64>>) -> PyResult<i64> {
        let mut all = [0; 16];
        for (name, count) in counts.into_iter().flatten() {
            let number = name.strip_prefix('g').and_then(|n| n.parse::<usize>().ok());
            match number.and_then(|n| all.get_mut(n)) {
                Some(place) => *place = count,
                None => {
                    let why = format!("`{name}` is no general register; they are g0 to g15");
                    return Err(crate::errors::usage(why).into());
                }
            }
        }
        Ok(self.program.regions().iter().map(|region| region.report.cost.cycles(&all)).sum())
    }

    /// Blocks of the regions, a row each.
    #[getter]
    fn blocks(&self) -> TableObject {
        TableObject::of_rows("blocks of linear code", &self.rows())
    }

    /// Operations of the pipelined loops: cycle of the iteration in which each issues, its stage.
    #[getter]
    fn operations(&self) -> TableObject {
        let sources = self.program.sources();
        let rows = self.all().flat_map(|(region, block)| {
            let loop_at = place(block, sources);
            let all = listing::operations(region, block, sources);
            all.into_iter().map(move |o| {
                let slot = if o.slot == cp2_isa::Slot::Arithmetic { "arithmetic" } else { "exchange" };
                json!({ "loop": loop_at, "place": o.place, "slot": slot, "cycle": o.time, "stage": o.stage })
            })
        });
        TableObject::of_rows("operations of loops", &rows.collect::<Vec<_>>())
    }

    /// Returns the tables of the pipelined loops as text.
    fn listing(&self) -> String {
        let sources = self.program.sources();
        let tables = self.program.regions().iter().map(|r| listing::pipelines(r, sources));
        tables.collect::<Vec<_>>().join("\n")
    }

    fn _repr_html_(&self) -> String {
        let picture = self._repr_svg_().map(|svg| pictures::embedded(&svg, "schedule"));
        format!("<div>{}{}</div>", picture.unwrap_or_default(), self.blocks().html())
    }

    /// Draws the repeated bundles of the pipelined loops.
    fn _repr_svg_(&self) -> Option<String> {
        let names: Vec<&str> =
            self.program.regions().iter().map(|region| region.report.name.as_str()).collect();
        pictures::schedule(&format!("Schedule of {}", names.join(", ")), &self.drawn())
    }

    fn __repr__(&self) -> String {
        let costs = self
            .program
            .regions()
            .iter()
            .map(|region| format!("{}: {} cycles", region.report.name, region.report.cost));
        let interval = self.interval().map_or(String::new(), |ii| format!(", interval {ii}"));
        format!("<cp2.Schedule {}{interval}>", costs.collect::<Vec<_>>().join("; "))
    }
}
