//! The step of a task as a function in OpenCL C.

use cp2_recursion::{StepOperation, StepPlace, StepProgram, Task, TaskArray};
use std::fmt::Write as _;

/// Text that the text of every task stands before.
const SEARCH: &str = include_str!("../kernels/search.cl");

/// Places of the arrays of a task: among those of the lane, or among those that all share.
pub(crate) struct Layout {
    /// StepPlace of each array, and whether it is the lane's own.
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
}

/// Returns the text of the kernel of a task.
pub(crate) fn text<T: Task>(task: &T, layout: &Layout) -> String {
    let arrays = task.arrays();
    let program = StepProgram::of(task);
    let fields = task.fields();
    let (count, parameters) = (fields.count(), fields.parameters.len());
    let mut text = format!(
        "#define FIELDS {count}\n#define PARAMETERS {parameters}\n#define OWN {}\n#define CONTEXT {}\nenum {{ STAYS, CALLS, DONE }};\n\
         static inline int step(uint *state, uint returned, uint *fields, uint *arguments, uint *value, uint *own, global const uint *shared) {{\n",
        layout.own,
        parameters + layout.own,
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
        "    *state = r{}; *value = r{};\n    return r{} ? DONE : r{} ? CALLS : STAYS;\n}}",
        next.state, next.value, next.is_done, next.calls
    );
    text + SEARCH
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
