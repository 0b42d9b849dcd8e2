//! Writer of the function or kernel of a thread, and of what runs all threads.

use super::dialect::CodeDialect;
use super::scan::{LoopBound, ScanNode, ThreadScan};
use super::terms::{folded, in_order, sum};
use super::value::ValueText;
use cp2_nest::{AffineForm, AffineSymbol, Nest, NestArray, NestName};
use std::fmt::Write;

/// Threads of a block of one, two and three dimensions: 512 each.
const BLOCKS: [&[u32]; 3] = [&[512], &[32, 16], &[32, 4, 4]];

/// A nest, or a part of one, with the scan of its threads.
#[derive(Clone, Copy, Debug)]
pub struct CodePart<'p> {
    /// Nest.
    pub nest: &'p Nest,
    /// Scan of its threads.
    pub scan: &'p ThreadScan,
}

/// Text that is being written, of one nest or part.
pub(super) struct Writer<'w> {
    nest: &'w Nest,
    dialect: CodeDialect,
    scan: &'w ThreadScan,
    /// Names of thread numbers.
    threads: Vec<String>,
    /// Names of the indices of all loops.
    loops: Vec<String>,
    /// Name of the function of a thread, or of the kernel.
    name: String,
    pub(super) text: String,
    pub(super) depth: usize,
}

/// Names that a nest has beside those of its loops.
fn names(nest: &Nest) -> impl Iterator<Item = &str> {
    let parameters = nest.parameters.iter().map(|one| one.name.as_str());
    let scalars = nest.scalars.iter().map(|one| one.name.name.as_str());
    parameters.chain(scalars).chain(nest.arrays.iter().map(|one| one.name.name.as_str()))
}

impl<'w> Writer<'w> {
    pub(super) fn new(part: CodePart<'w>, dialect: CodeDialect, name: String) -> Self {
        let CodePart { nest, scan } = part;
        let plain = match scan.dimensions {
            1 => vec!["ID".to_owned()],
            2 | 3 => {
                ["IDx", "IDy", "IDz"][..scan.dimensions].iter().map(|s| (*s).to_owned()).collect()
            }
            count => (0..count).map(|number| format!("ID{number}")).collect(),
        };
        let is_taken = |name: &str| {
            names(nest)
                .chain(nest.loops.iter().map(|one| one.name.name.as_str()))
                .any(|n| n == name)
        };
        let free = |mut name: String| {
            while is_taken(&name) {
                name.push('_');
            }
            name
        };
        let threads = plain.into_iter().map(free).collect();
        // An index within a loop of the same name would hide that of the outer one.
        let index = |(number, one): (usize, &cp2_nest::NestLoop)| {
            let name = &one.name.name;
            let hides = one.around.iter().any(|outer| nest.loops[*outer].name.name == *name);
            if hides || names(nest).any(|known| known == name) {
                format!("{name}_{number}")
            } else {
                name.clone()
            }
        };
        let loops = nest.loops.iter().enumerate().map(index).collect();
        Self { nest, dialect, scan, threads, loops, name, text: String::new(), depth: 0 }
    }

    pub(super) fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        // Writing to a text does not fail.
        let _ = writeln!(self.text, "{indent}{line}");
    }

    fn symbol(&self, symbol: AffineSymbol) -> String {
        match symbol {
            AffineSymbol::Index(number) => self.loops[number].clone(),
            AffineSymbol::Parameter(number) => self.nest.parameters[number].name.clone(),
        }
    }

    fn form(&self, form: &AffineForm) -> String {
        form.text(&|symbol| self.symbol(symbol))
    }

    /// Returns the sum that a row is, with the loops that are open.
    fn row(&self, row: &[i64], open: &[usize]) -> String {
        let name = |column: usize| match column.checked_sub(self.threads.len()) {
            None => self.threads[column].clone(),
            Some(place) => match open.get(place) {
                Some(number) => self.loops[*number].clone(),
                None => self.nest.parameters[place - open.len()].name.clone(),
            },
        };
        let terms: Vec<(i64, String)> = row[..row.len() - 1]
            .iter()
            .enumerate()
            .filter(|(_, number)| **number != 0)
            .map(|(column, number)| (*number, name(column)))
            .collect();
        sum(&terms, row[row.len() - 1])
    }

    fn bound(&self, bound: &LoopBound, open: &[usize], function: &str) -> String {
        let text = self.row(&bound.row, open);
        match bound.divisor {
            1 => text,
            divisor => format!("{function}({text}, {divisor})"),
        }
    }

    /// Returns the maximum or minimum of bounds.
    fn extreme(&self, bounds: &[LoopBound], open: &[usize], is_lower: bool) -> String {
        let (function, rounded) = if is_lower { ("max", "ceil_div") } else { ("min", "floor_div") };
        let texts = bounds.iter().map(|bound| self.bound(bound, open, rounded));
        folded(function, texts)
    }

    /// Returns the arrays that callers give, and those that the function declares for all threads.
    fn arrays(&self) -> Vec<(&'w NestArray, bool)> {
        let arrays = self.nest.arrays.iter();
        let shared = |array: &&NestArray| array.local.as_ref().is_none_or(Vec::is_empty);
        arrays.filter(shared).map(|array| (array, array.local.is_some())).collect()
    }

    fn sizes(&self, array: &NestArray, first: &str) -> String {
        if array.sizes.is_empty() {
            return format!("[{first}1]");
        }
        let sizes = array.sizes.iter().enumerate();
        let size = |(place, size): (usize, &AffineForm)| {
            format!("[{}{}]", if place == 0 { first } else { "" }, self.form(size))
        };
        sizes.map(size).collect()
    }

    /// Returns the parameters of functions, without thread numbers.
    fn parameters(&self) -> Vec<String> {
        let integer = |one: &NestName| (one.at.start, format!("int {}", one.name));
        let mut all: Vec<(usize, String)> = self.nest.parameters.iter().map(integer).collect();
        for scalar in &self.nest.scalars {
            all.push((
                scalar.name.at.start,
                format!("{} {}", scalar.kind.words(), scalar.name.name),
            ));
        }
        for (array, _) in self.arrays() {
            let constant = if array.is_constant { "const " } else { "" };
            let (words, name) = (array.kind.words(), &array.name.name);
            let text = match self.dialect {
                CodeDialect::C => {
                    format!("{constant}{words} {name}{}", self.sizes(array, "restrict "))
                }
                CodeDialect::Cuda => format!("{constant}{words} *__restrict__ {name}"),
                CodeDialect::OpenCl => format!("__global {constant}{words} *restrict {name}"),
            };
            all.push((array.name.at.start, text));
        }
        in_order(all)
    }

    pub(super) fn function(&mut self) {
        let (name, parameters) = (self.name.clone(), self.parameters());
        match self.dialect {
            CodeDialect::C => {
                let ids = self.threads.iter().map(|thread| format!("int {thread}"));
                let all: Vec<_> = ids.chain(parameters).collect();
                self.line(&format!("static void {name}_thread({}) {{", all.join(", ")));
            }
            CodeDialect::Cuda => {
                self.line(&format!("__global__ void {name}_kernel({}) {{", parameters.join(", ")));
            }
            CodeDialect::OpenCl => {
                self.line(&format!("__kernel void {name}({}) {{", parameters.join(", ")));
            }
        }
        self.depth += 1;
        for (place, thread) in self.threads.clone().iter().enumerate() {
            let axis = ["x", "y", "z"].get(place).copied().unwrap_or_default();
            match self.dialect {
                CodeDialect::C => {}
                CodeDialect::Cuda => self.line(&format!(
                    "const int {thread} = blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis};"
                )),
                CodeDialect::OpenCl => {
                    self.line(&format!("const int {thread} = get_global_id({place});"));
                }
            }
        }
        let scan = self.scan;
        let guard: Vec<_> = scan.guard.iter().map(|row| self.comparison(row, &[], ">=")).collect();
        let braces =
            scan.body.len() > 1 || matches!(scan.body.first(), Some(ScanNode::Only { .. }));
        if !guard.is_empty() {
            let open = if braces { " {" } else { "" };
            self.line(&format!("if ({}){open}", guard.join(" && ")));
            self.depth += 1;
        }
        self.nodes(&scan.body, &mut Vec::new());
        if !guard.is_empty() {
            self.depth -= 1;
            if braces {
                self.line("}");
            }
        }
        self.depth -= 1;
        self.line("}");
    }

    /// Returns a row as a comparison of a left side with positive terms and a right side.
    fn comparison(&self, row: &[i64], open: &[usize], sign: &str) -> String {
        let column = row[..row.len() - 1].iter().position(|number| *number != 0);
        let is_negative = column.is_some_and(|column| row[column] < 0);
        // The first variable stands on the left, the others on the right.
        let Some(column) = column else { return format!("{} {sign} 0", row[row.len() - 1]) };
        let mut left = vec![0; row.len()];
        left[column] = row[column].abs();
        let mut right: Vec<i64> =
            row.iter().map(|number| if is_negative { *number } else { -number }).collect();
        right[column] = 0;
        let sign = match (sign, is_negative) {
            (">=", true) => "<=",
            (sign, _) => sign,
        };
        format!("{} {sign} {}", self.row(&left, open), self.row(&right, open))
    }

    /// Writes parts of a block.
    fn nodes(&mut self, nodes: &[ScanNode], open: &mut Vec<usize>) {
        for node in nodes {
            match node {
                ScanNode::Only { number, index, body } if nodes.len() == 1 => {
                    self.only((*number, index), body, open);
                }
                _ => self.node(node, open),
            }
        }
    }

    /// Writes a loop of one index, within the braces of its block.
    fn only(
        &mut self,
        (number, index): (usize, &LoopBound),
        body: &[ScanNode],
        open: &mut Vec<usize>,
    ) {
        let value = self.bound(index, open, "floor_div");
        self.line(&format!("const int {} = {value};", self.loops[number]));
        open.push(number);
        self.nodes(body, open);
        open.pop();
    }

    /// Writes parts below a head, in braces if they are more than a statement.
    fn below(&mut self, head: &str, body: &[ScanNode], open: &mut Vec<usize>) {
        let is_block = body.len() > 1
            || matches!(body.first(), Some(ScanNode::Only { .. } | ScanNode::Declare(_)));
        self.line(&format!("{head}{}", if is_block { " {" } else { "" }));
        self.depth += 1;
        self.nodes(body, open);
        self.depth -= 1;
        if is_block {
            self.line("}");
        }
    }

    fn node(&mut self, node: &ScanNode, open: &mut Vec<usize>) {
        match node {
            ScanNode::Loop { number, lower, upper, body } => {
                let index = self.loops[*number].clone();
                let (lower, upper) =
                    (self.extreme(lower, open, true), self.extreme(upper, open, false));
                let head = format!("for (int {index} = {lower}; {index} <= {upper}; {index}++)");
                open.push(*number);
                self.below(&head, body, open);
                open.pop();
            }
            ScanNode::Only { number, index, body } => {
                // A second index of this name in one block would clash with the first.
                self.line("{");
                self.depth += 1;
                self.only((*number, index), body, open);
                self.depth -= 1;
                self.line("}");
            }
            ScanNode::If(lists, body) => {
                let list = |rows: &Vec<(Vec<i64>, bool)>| {
                    let one = |(row, is_equation): &(Vec<i64>, bool)| {
                        self.comparison(row, open, if *is_equation { "==" } else { ">=" })
                    };
                    let text = rows.iter().map(one).collect::<Vec<_>>().join(" && ");
                    if lists.len() > 1 && rows.len() > 1 { format!("({text})") } else { text }
                };
                let condition = lists.iter().map(list).collect::<Vec<_>>().join(" || ");
                self.below(&format!("if ({condition})"), body, open);
            }
            ScanNode::Assign(number) => self.assignment(*number),
            ScanNode::Declare(number) => {
                let array = &self.nest.arrays[*number];
                if array.local.as_ref().is_some_and(|around| !around.is_empty()) {
                    let sizes =
                        if array.sizes.is_empty() { String::new() } else { self.sizes(array, "") };
                    self.line(&format!("{} {}{sizes};", array.kind.words(), array.name.name));
                }
            }
        }
    }

    fn assignment(&mut self, number: usize) {
        let statement = &self.nest.statements[number];
        let form = |form: &AffineForm| self.form(form);
        let element = |access: usize| self.element(number, access);
        let value = ValueText {
            nest: self.nest,
            statement,
            dialect: self.dialect,
            form: &form,
            element: &element,
        };
        // An assignment with an operation names its element once.
        let (sign, tree) = match (&statement.value, statement.update) {
            (cp2_nest::ValueTree::Binary(_, _, right), Some(operator)) => {
                (operator.sign(), &**right)
            }
            (value, _) => ("", value),
        };
        let line = format!("{} {sign}= {};", element(0), value.text(tree));
        self.line(&line);
    }

    fn element(&self, statement: usize, access: usize) -> String {
        let access = &self.nest.statements[statement].accesses[access];
        let array = &self.nest.arrays[access.array];
        let name = &array.name.name;
        let is_own = array.local.as_ref().is_some_and(|around| !around.is_empty());
        if access.subscripts.is_empty() {
            return if is_own { name.clone() } else { format!("{name}[0]") };
        }
        let texts = access.subscripts.iter().map(|form| self.form(form));
        if self.dialect == CodeDialect::C || is_own {
            return format!("{name}{}", texts.map(|text| format!("[{text}]")).collect::<String>());
        }
        let group = |text: String| {
            let is_cast = text.starts_with("(size_t)(") && text.ends_with(')');
            if text.contains(' ') && !is_cast { format!("({text})") } else { text }
        };
        let bracketed = |text: String| {
            let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
            if is_name { text } else { format!("({text})") }
        };
        let mut place = String::new();
        for (text, size) in texts.zip(&array.sizes) {
            place = match place.is_empty() {
                // Products of indices and sizes may be beyond an int.
                true if access.subscripts.len() > 1 => format!("(size_t){}", bracketed(text)),
                true => text,
                false => format!("{} * {} + {text}", group(place), group(self.form(size))),
            };
        }
        format!("{name}[{place}]")
    }

    /// Writes the head of the function that runs all threads of a nest, and the arrays that it declares for all threads.
    pub(super) fn whole(&mut self, nest: &'w Nest) {
        let is_c = self.dialect == CodeDialect::C;
        // What the function declares itself is no parameter of it, nor is the index of a loop around the parts.
        let mut outer = nest.clone();
        outer.arrays.retain(|array| array.local.is_none());
        let part = CodePart { nest: &outer, scan: self.scan };
        let parameters = Writer::new(part, self.dialect, String::new()).parameters();
        if !self.text.is_empty() {
            self.line("");
        }
        if !is_c {
            self.line(
                "// Launches blocks of 512 threads; those behind the last thread return at once.",
            );
        }
        self.line(&format!("void {}({}) {{", nest.name, parameters.join(", ")));
        self.depth += 1;
        let own =
            nest.arrays.iter().filter(|array| array.local.as_ref().is_some_and(Vec::is_empty));
        for array in own {
            let line =
                format!("{} {}{};", array.kind.words(), array.name.name, self.sizes(array, ""));
            self.line(&line);
        }
        self.depth -= 1;
    }

    /// Writes what runs all threads.
    pub(super) fn run(&mut self) {
        if self.dialect == CodeDialect::Cuda {
            return self.launch();
        }
        let collapse = match self.threads.len() {
            1 => String::new(),
            count => format!(" collapse({count})"),
        };
        self.line(&format!("#pragma omp parallel for{collapse}"));
        for (place, thread) in self.threads.clone().iter().enumerate() {
            let last = self.last(place);
            self.line(&format!("for (int {thread} = 0; {thread} <= {last}; {thread}++)"));
            self.depth += 1;
        }
        let call = self.arguments(&self.threads.clone());
        self.line(&format!("{}_thread({call});", self.name));
        self.depth -= self.threads.len();
    }

    /// Returns the arguments of a call, behind those that are given.
    fn arguments(&self, first: &[String]) -> String {
        let placed = |one: &NestName| (one.at.start, one.name.clone());
        let parameters = self.nest.parameters.iter().map(placed);
        let scalars = self.nest.scalars.iter().map(|one| placed(&one.name));
        let arrays = self.arrays().into_iter().map(|(array, _)| placed(&array.name));
        let all = in_order(parameters.chain(scalars).chain(arrays).collect());
        first.iter().cloned().chain(all).collect::<Vec<_>>().join(", ")
    }

    /// Returns the greatest thread number of an axis.
    fn last(&self, axis: usize) -> String {
        // Rows of the greatest numbers have no thread numbers.
        let text = |bound: &LoopBound| {
            let mut row = vec![0; self.threads.len()];
            row.extend(&bound.row);
            self.bound(&LoopBound { row, divisor: bound.divisor }, &[], "floor_div")
        };
        let lists = self.scan.last[axis].iter();
        folded("max", lists.map(|bounds| folded("min", bounds.iter().map(text))))
    }

    /// Writes the launch of a kernel of CUDA.
    fn launch(&mut self) {
        let sizes = BLOCKS[self.threads.len() - 1];
        let block = sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let grid: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(axis, size)| format!("({} + {size}) / {size}", self.last(axis)))
            .collect();
        let (name, call) = (self.name.clone(), self.arguments(&[]));
        let grid = grid.join(", ");
        // A launch of no blocks would be an error.
        let mut some: Vec<String> = Vec::new();
        for axis in 0..sizes.len() {
            let condition = format!("{} >= 0", self.last(axis));
            if !some.contains(&condition) {
                some.push(condition);
            }
        }
        self.line(&format!("if ({})", some.join(" && ")));
        self.depth += 1;
        self.line(&format!("{name}_kernel<<<dim3({grid}), dim3({block})>>>({call});"));
        self.depth -= 1;
    }
}
