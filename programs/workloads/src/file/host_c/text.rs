//! The C text of a host program: arrays, tables, `main`.

use super::names::{comment, list, place_name, placed, variable};
use super::tables::tables;
use cp2_asm::interface::{ElementType, Packing};
use cp2_procedures::paged::{
    Edge, HostPlace, HostProgram, PagedProcedure, PlaceContent, SystemArray, SystemAxis, SystemForm,
};
use cp2_session::error::KernelError;
use std::fmt::Write as _;

/// Parts of which the C text is made.
pub(super) struct HostText<'a> {
    /// Name of the program.
    pub(super) name: &'a str,
    /// Lines about it, for the first comment.
    pub(super) about: &'a [String],
    /// Commands by which it is built and run.
    pub(super) commands: [&'a str; 2],
    pub(super) procedure: &'a PagedProcedure,
    pub(super) host: &'a HostProgram,
}

/// Alignment of arrays, by which rows of memory begin as in a run of the file.
const ALIGNED: &str = "__attribute__((aligned(8192)))";

impl HostText<'_> {
    /// Returns the text.
    pub(super) fn to_c(&self) -> Result<String, KernelError> {
        let mut c = String::new();
        let commands = self.commands.iter().map(|command| format!("  {command}"));
        let lines = self.about.iter().cloned();
        let lines = lines.chain([String::new(), "In this folder:".to_owned()]).chain(commands);
        for (k, line) in lines.enumerate() {
            let begin = if k == 0 { "/* " } else { " * " };
            let _ = writeln!(c, "{}", format!("{begin}{}", comment(&line)).trim_end());
        }
        c += " */\n";
        c += "#include \"cp2.h\"\n#include \"runtime.h\"\n#include \"scheme.h\"\n\n";
        let _ = writeln!(c, "CP2_OBJECT(\"{}.o\")\n", self.name);
        self.places(&mut c);
        self.code(&mut c);
        c += &tables(self.procedure, self.host)?;
        self.main(&mut c);
        Ok(c)
    }

    /// Returns the arrays with their places and the forms in which pages have them.
    fn arrays(&self) -> impl Iterator<Item = (&SystemArray, &HostPlace, &SystemForm)> {
        let places = self.procedure.arrays.iter().zip(&self.host.places);
        places.filter_map(|(array, place)| match &place.content {
            PlaceContent::Array(form) => Some((array, place, form)),
            PlaceContent::Words(_) => None,
        })
    }

    /// Adds the variables of all places.
    fn places(&self, c: &mut String) {
        c.push_str("/* Arrays as the user has them, and as pages have them where that is another form. */\n");
        for (array, place, form) in self.arrays() {
            self.array(c, array, place, form);
        }
        let words = self.host.places.iter().filter_map(|place| match &place.content {
            PlaceContent::Words(words) => Some(words),
            PlaceContent::Array(_) => None,
        });
        for (k, words) in words.enumerate() {
            let _ = write!(
                c,
                "/* Words that kernels find in local memory. */\nstatic const uint64_t words_{k}[] {ALIGNED} = {{"
            );
            list(c, words);
        }
        let names = (0..self.host.places.len()).map(|k| place_name(self.procedure, k));
        let names: Vec<String> = names.collect();
        let _ = writeln!(c, "\nenum {{ {} }};", names.join(", "));
        let begins: Vec<String> = self.place_variables().collect();
        let _ = writeln!(c, "static void *const places[] = {{{}}};\n", begins.join(", "));
    }

    /// Returns the variables in which the places are.
    fn place_variables(&self) -> impl Iterator<Item = String> {
        let arrays = self.arrays().map(|(array, _, form)| match form.is_plain() {
            true => variable(&array.name),
            false => placed(&array.name),
        });
        let words = self.host.places.len() - self.procedure.arrays.len();
        arrays.chain((0..words).map(|k| format!("(void *)words_{k}")))
    }

    fn array(&self, c: &mut String, array: &SystemArray, place: &HostPlace, form: &SystemForm) {
        let (name, bytes) = (&array.name, form.element_bytes() as u64);
        let [variable, placed] = [variable(name), placed(name)];
        let (kind, of_element) = c_type(array.element);
        let elements: usize = array.shape.iter().product();
        let count = match form.is_plain() {
            true => place.bytes.0 / bytes,
            false => elements as u64,
        };
        let count =
            if of_element == 1 { format!("{count}") } else { format!("{of_element} * {count}") };
        let _ = writeln!(c, "{kind} {variable}[{count}] {ALIGNED};");
        if form.is_plain() {
            return;
        }
        let _ = writeln!(c, "static uint64_t {placed}[{}] {ALIGNED};", place.bytes.0 / 8);
        let axis = |of: &SystemAxis| {
            let [before, behind] = of.margin;
            format!("{{{}, {before}, {behind}, {}}}", of.size, of.step)
        };
        let axes: Vec<String> = form.axes.iter().map(axis).collect();
        let _ =
            writeln!(c, "static const struct cp2_axis axes_{name}[] = {{{}}};", axes.join(", "));
        let (packing, edge) = (packing(form), edge(form.edge));
        let _ = writeln!(
            c,
            "static const struct cp2_array form_{name} = {{{variable}, {placed}, axes_{name}, {}, {bytes}, {packing}, {edge}}};",
            form.axes.len()
        );
    }

    /// Adds the bundles of the kernels.
    fn code(&self, c: &mut String) {
        for (k, (_, words)) in self.host.code.iter().enumerate() {
            let _ = write!(c, "static const uint64_t code_{k}[] = {{");
            list(c, words);
        }
        c.push('\n');
    }

    fn main(&self, c: &mut String) {
        let passes = 0..self.host.passes.len();
        for k in passes.clone() {
            let count = count("transfers", k);
            let aligned = "__attribute__((aligned(64)))";
            let _ = writeln!(c, "static struct cp2_descriptor queue_{k}[{count}] {aligned};");
        }
        c.push_str("\nint main(void) {\n");
        for (array, ..) in self.arrays().filter(|(_, _, form)| !form.is_plain()) {
            if array.values.is_some() {
                let _ = writeln!(c, "  cp2_place(&form_{});", array.name);
            }
        }
        for k in passes.clone() {
            let count = count("transfers", k);
            let _ =
                writeln!(c, "  cp2_queue_transfers(transfers_{k}, {count}, places, queue_{k});");
        }
        c.push_str("  uint64_t begin = cycles();\n");
        for (k, (address, _)) in self.host.code.iter().enumerate() {
            let _ = writeln!(c, "  cp2_load({address}, code_{k}, {});", count("code", k));
        }
        for k in passes {
            let _ = writeln!(c, "  cp2_run_steps(steps_{k}, {}, queue_{k});", count("steps", k));
        }
        c.push_str("  uint64_t end = cycles();\n");
        for (array, ..) in self.arrays().filter(|(_, _, form)| !form.is_plain()) {
            if array.is_wanted {
                let _ = writeln!(c, "  cp2_collect(&form_{});", array.name);
            }
        }
        let _ = writeln!(c, "  print(\"{}: \");", self.name);
        c.push_str("  print_decimal((int64_t)(end - begin));\n");
        c.push_str("  print(\" cycles\\n\");\n  return 0;\n}\n");
    }
}

/// Returns the number of elements of the table of this kind and number, as C counts it.
fn count(table: &str, k: usize) -> String {
    format!("sizeof {table}_{k} / sizeof *{table}_{k}")
}

/// Returns the type of C for an element, and how many of it an element is.
fn c_type(element: ElementType) -> (&'static str, usize) {
    match element {
        ElementType::Float32 => ("float", 1),
        ElementType::Complex64 => ("float", 2),
        ElementType::Int32 => ("int32_t", 1),
        ElementType::Uint32 => ("uint32_t", 1),
        ElementType::Int64 => ("int64_t", 1),
        ElementType::Uint64 => ("uint64_t", 1),
    }
}

fn packing(form: &SystemForm) -> &'static str {
    match form.packing {
        Packing::Pairs => "CP2_PAIRS",
        Packing::High => "CP2_HIGH",
        Packing::Low => "CP2_LOW",
        Packing::Both => "CP2_BOTH",
    }
}

fn edge(edge: Option<Edge>) -> &'static str {
    match edge {
        None | Some(Edge::Zero) => "CP2_ZERO",
        Some(Edge::Wrap) => "CP2_WRAP",
        Some(Edge::Nearest) => "CP2_NEAREST",
    }
}
