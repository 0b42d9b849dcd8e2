//! Programs on a device: the same results and the same counts as on the native machine.

use super::{Random, device, on_device};
use cp2_asm::diagnostic::Sources;
use cp2_gpu_star::backend::GpuBackend;
use cp2_star::SHIPPED;
use cp2_star::graph::Graph;
use cp2_star::language::{CheckedProgram, check, parse};
use cp2_star::machine::{BitTable, HostBackend, LibraryForm, StarBackend, StarMachine};
use cp2_star::run::{Insertion, RunOutcome, RunRequest, StarValue, run};

fn checked(text: &str) -> CheckedProgram {
    let mut sources = Sources::default();
    sources.add("test.star", text);
    let tree = parse(&sources, 0).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    check(&tree, 0).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
}

fn ran<B: StarBackend>(
    machine: &mut StarMachine<B>,
    program: &CheckedProgram,
    graph: &Graph,
) -> RunOutcome {
    let arc = |&(tail, head, weight): &(usize, usize, u64)| Insertion { tail, head, weight };
    let insertions = [(2, 5, 3), (7, 1, 1), (1, 9, 4)].iter().map(arc).collect();
    let inputs = graph.inputs(program, 7, Some(1));
    let request = RunRequest { weight_bits: 7, inputs, insertions, max_statements: 1_000_000 };
    run(program, machine, &request, None).unwrap()
}

/// All programs that come with the machine, on a graph of more rows than a word has.
#[test]
fn shipped_programs_give_the_same_results_and_counts() {
    let graph = Random(5).graph(70, 140, 2);
    for shipped in SHIPPED {
        let program = checked(shipped.text);
        for form in [LibraryForm::Plain, LibraryForm::Cheap] {
            let expected = ran(&mut StarMachine::new(HostBackend, 70, form), &program, &graph);
            let backend = GpuBackend::new(&device()).unwrap();
            let mut machine = StarMachine::new(backend, 70, form);
            let found = ran(&mut machine, &program, &graph);
            assert_eq!(machine.backend().fault(), None);
            assert!(found == expected, "{}", shipped.name);
            assert!(machine.backend().work().launches > 0);
        }
    }
}

/// Statements on two slices, a word, a number and two tables of h columns.
const STATEMENTS: [&str; 24] = [
    "A := A or COL(1, T);",
    "B := not (A xor B);",
    "A := A and not B;",
    "k := FND(A);",
    "k := STEP(B);",
    "FRST(A);",
    "count := count + NUMB(A);",
    "if SOME(B) { A := B; }",
    "if ZERO(A) { SET(A); }",
    "if k > 0 { v := ROW(k, T); }",
    "if k > 0 { ROW(k, F) := v; }",
    "if k > 0 { A(k) := 1; }",
    "if k > 0 { if B(k) = 1 { count := count + 1; } }",
    "COL(2, T) := A;",
    "MIN(T, A, B);",
    "MAX(F, B, A);",
    "MATCH(T, A, v, B);",
    "GEL(T, v, A, B);",
    "ADDV(T, F, A, F, B);",
    "SUBTC1(F, A, v, F, B);",
    "SETMIN(T, F, A, B);",
    "TMERGE(T, B, F);",
    "WMERGE(v, A, T);",
    "REP(1, 2, TRIM(2, 3, v), v);",
];

/// A program of random statements, in a loop.
fn random_program(random: &mut Random) -> String {
    let statements: Vec<&str> =
        (0..12).map(|_| STATEMENTS[random.below(STATEMENTS.len())]).collect();
    let body = statements.join("\n        ");
    format!(
        "input given: table[h];\n\
         output T: table[h];\noutput F: table[h];\noutput A: slice;\noutput B: slice;\noutput count: int;\n\
         procedure main() {{\n    var v: word[h];\n    var k: int;\n    TCOPY(given, T);\n    SET(A);\n    \
         for i := 1 to 3 {{\n        {body}\n    }}\n}}\n"
    )
}

#[test]
fn random_programs_give_the_same_results_and_counts() {
    let mut random = Random(6);
    for seed in 0..40 {
        let text = random_program(&mut random);
        let program = checked(&text);
        let rows = [5, 64, 65, 200][random.below(4)];
        let mut table = BitTable::zeros(rows, 6);
        (1..=6).for_each(|column| table.put_column(column, random.bits(rows)));
        let inputs = [("given".to_owned(), StarValue::Table(table))].into();
        let request = RunRequest { weight_bits: 6, inputs, ..RunRequest::default() };
        let mut native = StarMachine::new(HostBackend, rows, LibraryForm::Plain);
        let expected = run(&program, &mut native, &request, None).unwrap();
        // A back end of its own would build the kernels anew for each program.
        let found = on_device(|gpu| {
            let mut machine = StarMachine::new(Borrowed(gpu), rows, LibraryForm::Plain);
            run(&program, &mut machine, &request, None).unwrap()
        });
        assert!(found == expected, "program {seed}:\n{text}");
    }
}

/// A back end that somebody else holds.
struct Borrowed<'b>(&'b mut GpuBackend);

macro_rules! passed_on {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        $(fn $name(&mut self, $($argument: $kind),*) -> $result { self.0.$name($($argument),*) })*
    };
}

type Bits = <GpuBackend as StarBackend>::Bits;
type Table = <GpuBackend as StarBackend>::Table;

impl StarBackend for Borrowed<'_> {
    type Bits = Bits;
    type Table = Table;

    fn length(&self, bits: &Bits) -> usize {
        self.0.length(bits)
    }

    fn width(&self, table: &Table) -> usize {
        self.0.width(table)
    }

    fn rows(&self, table: &Table) -> usize {
        self.0.rows(table)
    }

    passed_on! {
        load(bits: &cp2_star::machine::BitVector) -> Bits;
        store(bits: &Bits) -> cp2_star::machine::BitVector;
        load_table(table: &BitTable) -> Table;
        store_table(table: &Table) -> BitTable;
        filled(length: usize, bit: bool) -> Bits;
        mask(length: usize, position: usize) -> Bits;
        new_table(rows: usize, columns: usize) -> Table;
        logic(operation: cp2_star::machine::Logic, a: &Bits, b: &Bits) -> Bits;
        not(a: &Bits) -> Bits;
        some(bits: &Bits) -> bool;
        find(bits: &Bits) -> usize;
        step(bits: &mut Bits) -> usize;
        keep_first(bits: &mut Bits) -> ();
        number(bits: &Bits) -> usize;
        bit(bits: &Bits, position: usize) -> bool;
        put_bit(bits: &mut Bits, position: usize, bit: bool) -> ();
        trim(bits: &Bits, from: usize, length: usize) -> Bits;
        replace(bits: &mut Bits, from: usize, part: &Bits) -> ();
        add(a: &Bits, b: &Bits) -> (Bits, bool);
        less(a: &Bits, b: &Bits) -> bool;
        column(table: &Table, column: usize) -> Bits;
        put_column(table: &mut Table, column: usize, bits: &Bits) -> ();
        row(table: &Table, row: usize) -> Bits;
        put_row(table: &mut Table, row: usize, bits: &Bits) -> ();
    }
}
