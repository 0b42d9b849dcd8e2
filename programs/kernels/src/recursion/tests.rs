use super::*;
use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_recursion::run;
use cp2_recursion::tasks::Queens;
use cp2_session::execution::Execution;

#[test]
fn trial() {
    let env =
        |name: &str, or: usize| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(or);
    let (board, queens) = (env("K", 8) as u32, env("N", 6) as u32);
    let extensions = Extensions::SECTION_ADDRESSING;
    let fprs = env("F", 64) as u32;
    let core = Core::new(CoreNumbers { extensions, fprs, ..*Core::CP2.numbers() }).unwrap();
    let task = Queens::new(board, queens).unwrap();
    let right = run(&task, 40).unwrap();
    let depth = env("D", 2);
    let plan = OwnPlan {
        depth,
        slots: env("C", 4),
        halves: env("H", 1),
        room: board as usize + 1 - depth,
    };
    let on = Execution { max_cycles: 1_000_000_000, ..Execution::on(core) };
    let found = solve_with_own_stacks(&task, plan, &on).unwrap();
    println!(
        "{found:?} {right:?} {:.2} a node",
        found.cycles as f64 * 4.0 / right.counts.calls as f64
    );
    assert_eq!(found.value, right.value);
}
