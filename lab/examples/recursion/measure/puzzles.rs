//! Puzzles of 16 x 16 cells, whose branches differ in size, and lanes that stop at the first solution.

use super::depths::PUZZLE;
use super::forms::{OWN, form, message, millionths, run};
use crate::rows::print;
use cp2_isa::SECTIONS;
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks};
use cp2_recursion::tasks::{NextCell, Sudoku, SudokuGoal};
use cp2_recursion::{Dealing, PuzzleShape, SearchLane, Task, hand_over, lane_work};

/// Makes a puzzle of 16 x 16 cells.
fn puzzle(seed: u64, next_cell: NextCell, goal: SudokuGoal) -> Result<Sudoku, String> {
    let text = PuzzleShape::new(16, 125).map_err(message)?.generate(seed).map_err(message)?;
    Sudoku::parse(&text, next_cell, goal).map_err(message)
}

/// Prints the sizes of branches of puzzles of 16 x 16 cells, what dealing out makes of them, and what CP2 takes.
pub(crate) fn branches() -> Result<(), String> {
    for (rule, next_cell) in [("fewest", NextCell::Fewest), ("first", NextCell::First)] {
        for seed in 1..=3 {
            let task = puzzle(seed, next_cell, SudokuGoal::Count)?;
            let depth = (0..40).find(|&depth| {
                hand_over(&task, depth).is_ok_and(|handed| handed.contexts.len() >= 16)
            });
            let depth = depth.unwrap_or(20);
            let handed = hand_over(&task, depth).map_err(message)?;
            let mut sizes = Vec::new();
            for context in &handed.contexts {
                let mut lane = SearchLane::new(&task, 0, task.deepest());
                // A branch that takes more is not followed further.
                lane.solve_within(context, 20_000_000).map_err(message)?;
                sizes.push(lane.counts.calls);
            }
            sizes.sort_unstable();
            let numbers = (seed, depth as u64);
            print("branch", rule, numbers, "contexts", sizes.len() as u64);
            let Some((&least, &most)) = sizes.first().zip(sizes.last()) else { continue };
            print("branch", rule, numbers, "least", least);
            print("branch", rule, numbers, "median", sizes[sizes.len() / 2]);
            print("branch", rule, numbers, "most", most);
            print("branch", rule, numbers, "all", sizes.iter().sum::<u64>());
            if most >= 5_000_000 {
                continue;
            }
            for (name, dealing) in Dealing::ALL {
                let work =
                    lane_work(&task, &handed.contexts, (SECTIONS, dealing)).map_err(message)?;
                print("branch", rule, numbers, name, millionths(work.efficiency()));
                on_lanes((rule, numbers), &task, dealing)?;
            }
        }
    }
    Ok(())
}

/// Prints what four lanes of CP2 take for a puzzle, which are those of the exact table. Contexts with their arrays may need more local memory
/// than CP2 has, on whose size no cycles hang.
fn on_lanes(
    (rule, numbers): (&str, (u64, u64)),
    task: &Sudoku,
    dealing: Dealing,
) -> Result<(), String> {
    let mut own = form("own", OWN, 64, (Stacks::Own, 1, 1));
    own.core.local_memory_words = 32768;
    let wishes = PlanWishes {
        depth: Some(numbers.1 as usize),
        slots: Some(1),
        dealing: Some(dealing),
        ..PlanWishes::default()
    };
    let on = own.on()?;
    let plan = wishes.plan(&on.core);
    run(("lanes", &format!("{rule} {}", dealing.name()), numbers), task, plan, &on)?;
    Ok(())
}

/// Prints what it takes to end with the first solution, and to stop all lanes then.
pub(crate) fn stops() -> Result<(), String> {
    let on = form("own", OWN, 64, (Stacks::Own, 2, 1)).on()?;
    let task = Sudoku::parse(PUZZLE, NextCell::First, SudokuGoal::First).map_err(message)?;
    for (name, stops) in [("all", false), ("stop", true)] {
        let wishes = PlanWishes { depth: Some(4), slots: Some(2), stops, ..PlanWishes::default() };
        let plan = wishes.plan(&on.core);
        let search = LaneSearch::new(&task, plan, &on.core).map_err(message)?;
        print("stop", name, (4, 0), "block", search.block_passes());
        run(("stop", name, (4, 0)), &task, plan, &on)?;
    }
    Ok(())
}
