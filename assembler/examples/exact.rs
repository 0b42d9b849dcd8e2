//! What the solver makes of the loops of a source: for each loop its operations, bound, interval of the heuristics, best
//! interval that is known, interval below which there is no better one, conflicts and seconds; then the cycles of the region before
//! and with the better schedules, which the checker has found right.
//!
//! `cargo run --release -p cp2-asm --example exact FILE [CONFLICTS]`
use cp2_asm::check::check;
use cp2_asm::linear_regions;
use cp2_asm::sched::{KnownSchedules, answers, schedule_as};
use cp2_isa::Core;
use std::time::Instant;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("the name of a source");
    let conflicts = arguments.next().map_or(200_000, |n| n.parse().expect("a number of conflicts"));
    let text = std::fs::read_to_string(&file).expect("a source that can be read");
    for scheduled in linear_regions(&file, &text).expect("a source that can be assembled") {
        let (region, report) = (&scheduled.region, &scheduled.report);
        let start = Instant::now();
        let found = answers(&Core::CP2, region, report, (&KnownSchedules::default(), conflicts))
            .expect("a region that has a schedule");
        let seconds = start.elapsed().as_secs_f64();
        let loops = report.blocks.iter().filter(|block| block.ii.is_some());
        for (answer, block) in found.iter().zip(loops) {
            let [arithmetic, exchange] = block.operations;
            let bound = block.resource_bound.max(block.recurrence_bound.cycles);
            println!(
                "{file} {} operations, bound {bound}, heuristics {}, now {} of length {}, none below {}, {} conflicts, {seconds:.1} s",
                arithmetic + exchange,
                block.ii.unwrap_or(0),
                answer.ii,
                answer.length,
                answer.least,
                answer.conflicts
            );
            for obstacle in &answer.obstacles {
                let text = format!("{obstacle:?}");
                println!("  {}", &text[..text.len().min(120)]);
            }
        }
        let better: Vec<_> = found.into_iter().filter_map(|answer| answer.better).collect();
        let (bundles, new) =
            schedule_as(&Core::CP2, region, &better).expect("a region that has a schedule");
        let is_right = check(&Core::CP2, region, &bundles).is_ok();
        println!("{file} {} cycles before, {} now, right: {is_right}", report.cost, new.cost);
    }
}
