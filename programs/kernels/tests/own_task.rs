//! A task of one's own, made outside of the crates that know tasks: frame and step are all that it says. The host, lanes with stacks of
//! their own and lanes that share their depth solve it.

use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::recursion::{LaneSearch, PlanWishes, Stacks, solve};
use cp2_recursion::{FrameFields, MOST_FIELDS, StepOutcome, StepWords, Task, TaskFrame, run};
use cp2_session::execution::Execution;

/// The number of ways to write a number as a sum of parts, the largest first.
struct Partitions(u32);

impl Task for Partitions {
    fn fields(&self) -> FrameFields {
        // What is left of the number, and the largest part that may come next; then the part that was tried last.
        FrameFields { parameters: &["left", "most"], locals: &["part"] }
    }

    fn root(&self) -> Vec<u32> {
        vec![self.0, self.0]
    }

    fn deepest(&self) -> usize {
        self.0 as usize + 1
    }

    fn is_sum(&self) -> bool {
        true
    }

    fn step<W: StepWords>(&self, w: &mut W, frame: TaskFrame<W::Word>) -> StepOutcome<W::Word> {
        let (zero, one) = (w.constant(0), w.constant(1));
        let [left, most, part, ..] = frame.fields;
        // A call that has nothing left is one way; the first step of any other call begins with no part.
        let is_entered = w.is_zero(frame.state);
        let is_whole = w.is_zero(left);
        let next = w.add(part, one);
        let too_large = [left, most].map(|limit| w.is_less(limit, next));
        let is_over = w.or(too_large[0], too_large[1]);
        let calls = w.not(is_over);
        let mut fields = frame.fields;
        fields[2] = w.select(is_entered, zero, next);
        let mut arguments = [zero; MOST_FIELDS];
        (arguments[0], arguments[1]) = (w.sub(left, next), next);
        let is_one_way = w.and(is_whole, is_entered);
        StepOutcome {
            calls: w.select(is_entered, zero, calls),
            is_last: zero,
            is_done: w.select(is_entered, is_whole, is_over),
            state: one,
            fields,
            arguments,
            value: w.and(is_one_way, one),
        }
    }
}

#[test]
fn a_task_of_ones_own_is_solved_by_host_and_lanes() {
    let task = Partitions(18);
    let right = run(&task, task.deepest()).unwrap();
    assert_eq!(right.value, 385, "partitions of 18");
    for (stacks, extensions) in
        [(Stacks::CommonDepth, Extensions::empty()), (Stacks::Own, Extensions::SECTION_ADDRESSING)]
    {
        let core = Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap();
        let on = Execution { max_cycles: Some(100_000_000), ..Execution::on(core) };
        let wishes = PlanWishes { stacks: Some(stacks), ..PlanWishes::default() };
        let search = LaneSearch::chosen(&task, wishes, (&on.environment, &core)).unwrap();
        assert!(search.lanes() > 4 && search.contexts() > 1, "{:?}", search.plan());
        let (found, _) = solve(&search, &on, &mut |_, _| ()).unwrap();
        assert_eq!(found.value, right.value, "{stacks:?}");
    }
}
