//! The steps of a task as functions in OpenCL C, in front of a driver.

use crate::plan::{SearchPlan, StackPlace, StopRule};
use cp2_recursion::{StepOperation, StepPlace, StepProgram, Task, TaskArray};
use std::fmt::Write as _;

/// Text that stands before each driver.
const COMMON: &str = include_str!("../kernels/common.cl");
/// Driver of tasks with values that calls return.
const RETURNED: &str = include_str!("../kernels/returned.cl");
/// Driver of tasks whose values are sums.
const SUMS: &str = include_str!("../kernels/sums.cl");

/// Places of the arrays of a task: among those of the lane, or among those that all share.
pub(crate) struct Layout {
    /// Place of each array, and whether it is the lane's own.
    places: Vec<(usize, bool)>,
    /// Words of all arrays of the lane.
    pub own: usize,
    /// Contents of those that all share, one behind the other.
    pub shared: Vec<u32>,
}

impl Layout {
    pub(crate) fn of(arrays: &[TaskArray]) -> Self {
        let mut layout = Self { places: Vec::new(), own: 0, shared: Vec::new() };
        for array in arrays {
            if array.is_own {
                layout.places.push((layout.own, true));
                layout.own += array.words.len();
            } else {
                layout.places.push((layout.shared.len(), false));
                layout.shared.extend(&array.words);
            }
        }
        layout
    }

    /// Returns the arrays of a task with the lane's own as these words have them.
    pub(crate) fn arrays(&self, arrays: &[TaskArray], own: &[i32]) -> Vec<Vec<u32>> {
        let of_lane = |(array, &(first, is_own)): (&TaskArray, &(usize, bool))| {
            let own = &own[if is_own { first..first + array.words.len() } else { 0..0 }];
            if is_own { own.iter().map(|&word| word as u32).collect() } else { array.words.clone() }
        };
        arrays.iter().zip(&self.places).map(of_lane).collect()
    }
}

/// The text of a kernel, and what the host has to know of it.
pub(crate) struct KernelText {
    /// Text.
    pub text: String,
    /// Words of a frame on the stack.
    pub frame: usize,
}

/// The steps of a task whose values are sums.
struct SumSteps {
    /// First step of a call, if it never calls: then a pass of the driver makes it together with the step that calls.
    enter: Option<StepProgram>,
    /// Every other step, or every step if there is no first one.
    visit: StepProgram,
    /// State of a frame that has been entered, if it is always the same one; then frames need none.
    state: Option<u32>,
}

impl SumSteps {
    fn of<T: Task>(task: &T) -> Self {
        let constant = |program: &StepProgram, place: StepPlace| match program.operations[place] {
            StepOperation::Constant(value) => Some(value),
            _ => None,
        };
        let enter = StepProgram::of_entry(task);
        let enter = (constant(&enter, enter.next.calls) == Some(0)).then_some(enter);
        let state = enter.as_ref().and_then(|enter| constant(enter, enter.next.state));
        // A state that is not left again is that of all frames.
        let state = state.filter(|&state| {
            let program = StepProgram::in_state(task, state);
            state != 0 && constant(&program, program.next.state) == Some(state)
        });
        let visit =
            state.map_or_else(|| StepProgram::of(task), |state| StepProgram::in_state(task, state));
        Self { enter, visit, state }
    }

    /// Returns the words of a frame on which a step hangs.
    fn live(&self, count: usize) -> Vec<usize> {
        let StepProgram { operations, next } = &self.visit;
        let mut used: Vec<StepPlace> = vec![next.calls, next.is_last, next.is_done, next.value];
        used.extend(next.arguments);
        for operation in operations {
            operation.operands(|operand| used.push(operand));
        }
        let is_read = |field: usize| {
            let place = operations.iter().position(|o| *o == StepOperation::Field(field));
            place.is_some_and(|place| {
                let moved = (0..count).any(|other| other != field && next.fields[other] == place);
                used.contains(&place) || moved
            })
        };
        (0..count).filter(|&field| is_read(field)).collect()
    }
}

/// Returns the text of the kernel of a task.
pub(crate) fn text<T: Task>(task: &T, layout: &Layout, plan: &SearchPlan) -> KernelText {
    let mut text = String::new();
    let (count, parameters) = (task.fields().count(), task.fields().parameters.len());
    let mut define = |name: &str, value: String| {
        let _ = writeln!(text, "#define {name} {value}");
    };
    define("FIELDS", count.to_string());
    define("PARAMETERS", parameters.to_string());
    define("OWN", layout.own.to_string());
    define("CONTEXT", (parameters + layout.own).to_string());
    let (stops, mask, in_order) = match plan.stop {
        None => (0, 0, 0),
        Some(StopRule::Any { mask }) => (1, mask, 0),
        Some(StopRule::InOrder { mask }) => (1, mask, 1),
    };
    define("STOPS", stops.to_string());
    define("STOP_MASK", format!("{mask}u"));
    define("STOPS_IN_ORDER", in_order.to_string());
    if !task.is_sum() {
        text += COMMON;
        function(&mut text, task, layout, ("visit", &StepProgram::of(task)));
        return KernelText { text: text + RETURNED, frame: count + 1 };
    }
    let steps = SumSteps::of(task);
    let live = steps.live(count);
    let frame = (live.len() + usize::from(steps.state.is_none())).max(1);
    define("FRAME", frame.to_string());
    define("FUSED", u8::from(steps.enter.is_some()).to_string());
    define("SHARES", u8::from(plan.stack == StackPlace::Shared).to_string());
    define("GIVES", u8::from(plan.gives_back()).to_string());
    define("UNWINDS", u8::from(plan.unwinds(true, layout.own)).to_string());
    let mut names: Vec<String> = live.iter().map(|field| format!("lane.fields[{field}]")).collect();
    names.extend(steps.state.is_none().then(|| "lane.state".to_owned()));
    let each = |(word, name): (usize, &String)| format!("EACH({word}, {name}) ");
    define("WORDS(EACH)", names.iter().enumerate().map(each).collect());
    text += COMMON;
    function(&mut text, task, layout, ("visit", &steps.visit));
    if let Some(enter) = &steps.enter {
        function(&mut text, task, layout, ("enter", enter));
    }
    KernelText { text: text + SUMS, frame }
}

/// Writes a step as a function.
fn function<T: Task>(
    text: &mut String,
    task: &T,
    layout: &Layout,
    (name, program): (&str, &StepProgram),
) {
    let arrays = task.arrays();
    let (count, parameters) = (task.fields().count(), task.fields().parameters.len());
    let _ = writeln!(
        text,
        "static inline uint {name}(uint *state, uint returned, uint *fields, uint *arguments, uint *value, uint *own, global const uint *shared) {{"
    );
    for (place, operation) in program.operations.iter().enumerate() {
        let _ = writeln!(text, "    {}", line(place, operation, &arrays, layout));
    }
    let next = &program.next;
    // All results are there before the frame changes.
    for field in 0..count {
        let _ = writeln!(text, "    fields[{field}] = r{};", next.fields[field]);
    }
    for argument in 0..parameters {
        let _ = writeln!(text, "    arguments[{argument}] = r{};", next.arguments[argument]);
    }
    let _ = writeln!(
        text,
        "    *state = r{}; *value = r{};\n    return (r{} & CALLS) | (r{} & LAST) | (r{} & DONE);\n}}",
        next.state, next.value, next.calls, next.is_last, next.is_done
    );
}

/// Returns the line of an operation. An index that leaves its array is one of a branch that is not taken; it reads 0.
fn line(
    place: StepPlace,
    operation: &StepOperation,
    arrays: &[TaskArray],
    layout: &Layout,
) -> String {
    let element = |array: usize, index: StepPlace| {
        let (first, is_own) = layout.places[array];
        format!("{}[{first} + r{index}]", if is_own { "own" } else { "shared" })
    };
    let value = match *operation {
        StepOperation::Constant(value) => format!("{value}u"),
        StepOperation::State => "*state".to_owned(),
        StepOperation::Returned => "returned".to_owned(),
        StepOperation::Field(field) => format!("fields[{field}]"),
        StepOperation::And(a, b) => format!("r{a} & r{b}"),
        StepOperation::Or(a, b) => format!("r{a} | r{b}"),
        StepOperation::Xor(a, b) => format!("r{a} ^ r{b}"),
        StepOperation::Not(a) => format!("~r{a}"),
        StepOperation::Add(a, b) => format!("r{a} + r{b}"),
        StepOperation::Sub(a, b) => format!("r{a} - r{b}"),
        StepOperation::ShiftLeft(a, count) => format!("r{a} << {count}"),
        StepOperation::ShiftRight(a, count) => format!("r{a} >> {count}"),
        StepOperation::Within(a, _) => format!("r{a}"),
        StepOperation::IsZero(a) => format!("r{a} == 0 ? ~0u : 0u"),
        StepOperation::IsLess(a, b) => format!("r{a} < r{b} ? ~0u : 0u"),
        StepOperation::Load { array, index, .. } => {
            let words = arrays[array].words.len();
            format!("r{index} < {words}u ? {} : 0u", element(array, index))
        }
        StepOperation::Store { array, index, value, is_stored } => {
            let words = arrays[array].words.len();
            let element = element(array, index);
            return format!("if (r{is_stored} && r{index} < {words}u) {element} = r{value};");
        }
    };
    format!("const uint r{place} = {value};")
}
