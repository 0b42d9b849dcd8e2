//! Random programs, valid by construction, on the native machine and on CP2: the same results, the same counts, or the same refusal.

use crate::kit::{checked, complaints};
use cp2_isa::Core;
use cp2_session::execution::Execution;
use cp2_session::random::split_mix_64;
use cp2_star::cp2::Cp2Backend;
use cp2_star::library::{LibraryProcedure, ParameterKind};
use cp2_star::machine::{
    BitTable, BitVector, HostBackend, LibraryForm, Logic, StarBackend, StarMachine,
};
use cp2_star::run::{RunRequest, StarValue, run};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Variables of each type; all of them come from outside and go there.
const SLICES: [&str; 4] = ["X0", "X1", "X2", "X3"];
const TABLES: [&str; 3] = ["T0", "T1", "T2"];
const WORDS: [&str; 2] = ["v0", "v1"];
const NUMBERS: [&str; 2] = ["i0", "i1"];
/// Bands of the wide table.
const BANDS: usize = 2;
/// Deepest blocks.
const DEPTH: usize = 3;

/// Writes a random program.
struct Writer {
    state: u64,
    text: String,
    depth: usize,
    /// Number of loops so far, each of which has a slice of its own that it empties.
    loops: usize,
}

impl Writer {
    fn below(&mut self, limit: usize) -> usize {
        (split_mix_64(&mut self.state) % limit as u64) as usize
    }

    fn of(&mut self, names: &[&'static str]) -> &'static str {
        names[self.below(names.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.depth + 1));
    }

    fn program(seed: u64) -> String {
        let mut writer = Self { state: seed, text: String::new(), depth: 0, loops: 0 };
        for _ in 0..14 {
            writer.statement();
        }
        let loops: Vec<String> = (0..writer.loops).map(|at| format!("L{at}")).collect();
        let declared = match loops.is_empty() {
            true => String::new(),
            false => format!("    var {}: slice;\n", loops.join(", ")),
        };
        format!(
            "inout {}: slice;\ninout {}: table[h];\ninout W: table[{BANDS}*h];\ninout {}: word[h];\ninout w: word[n];\ninout {}: int;\n\n\
             procedure main() {{\n{declared}{}}}\n",
            SLICES.join(", "),
            TABLES.join(", "),
            WORDS.join(", "),
            NUMBERS.join(", "),
            writer.text
        )
    }

    /// Returns an expression that is a slice.
    fn slice(&mut self) -> String {
        let (a, b) = (self.of(&SLICES), self.of(&SLICES));
        match self.below(8) {
            0 => format!("{a} and {b}"),
            1 => format!("{a} or {b}"),
            2 => format!("{a} xor {b}"),
            3 => format!("not {a}"),
            4 => format!("{a} and not {b} or COL(h, {})", self.of(&TABLES)),
            5 => format!("COL(1, {})", self.of(&TABLES)),
            6 => "CONVERT(w)".to_owned(),
            _ => a.to_owned(),
        }
    }

    /// Returns an expression that is a word of h bits.
    fn word(&mut self) -> String {
        let (a, b) = (self.of(&WORDS), self.of(&WORDS));
        match self.below(5) {
            0 => format!("{a} xor {b}"),
            1 => format!("not {a}"),
            2 => format!("ROW(n, {})", self.of(&TABLES)),
            3 => format!("ROW(1, {})", self.of(&TABLES)),
            _ => format!("{a} or {b}"),
        }
    }

    fn block(&mut self, head: &str, count: usize) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        (0..count).for_each(|_| self.statement());
        self.depth -= 1;
        self.line("}");
    }

    fn statement(&mut self) {
        match self.below(16) {
            0..=3 => {
                let (x, value) = (self.of(&SLICES), self.slice());
                self.line(&format!("{x} := {value};"));
            }
            4 => self.elementary(),
            5 => {
                let (k, x) = (self.of(&NUMBERS), self.of(&SLICES));
                let operation = ["FND", "NUMB", "STEP"][self.below(3)];
                self.line(&format!("{k} := {operation}({x});"));
            }
            6 => {
                let (v, value) = (self.of(&WORDS), self.word());
                self.line(&format!("{v} := {value};"));
            }
            7 => {
                let (t, x) = (self.of(&TABLES), self.slice());
                let column = ["1", "h"][self.below(2)];
                self.line(&format!("COL({column}, {t}) := {x};"));
            }
            8 => {
                let (t, v) = (self.of(&TABLES), self.word());
                let row = ["1", "n"][self.below(2)];
                self.line(&format!("ROW({row}, {t}) := {v};"));
            }
            9 if self.depth < DEPTH => self.choice(),
            10 if self.depth < DEPTH => self.repetition(),
            _ => self.call(),
        }
    }

    fn elementary(&mut self) {
        let (x, k) = (self.of(&SLICES), self.of(&NUMBERS));
        match self.below(6) {
            0 => self.line(&format!("SET({x});")),
            1 => self.line(&format!("FRST({x});")),
            2 => self.line(&format!("MASK({x}, n - 1);")),
            3 => self.line(&format!("w := CONVERT({x});")),
            4 => {
                let v = self.of(&WORDS);
                self.line(&format!("REP(1, 1, TRIM(h, h, {v}), {v});"));
            }
            _ => {
                // A position outside of a slice ends the run, on both machines with the same words.
                self.line(&format!("if {k} > 0 {{"));
                self.line(&format!("    {x}({k}) := 1 - {x}({k});"));
                self.line("}");
            }
        }
    }

    fn choice(&mut self) {
        let (x, y, v) = (self.of(&SLICES), self.of(&SLICES), self.of(&WORDS));
        let head = match self.below(4) {
            0 => format!("if SOME({x})"),
            1 => format!("if ZERO({x})"),
            2 => format!("if NUMB({x}) < NUMB({y})"),
            _ => format!("if LESS({v}, v0)"),
        };
        self.block(&head, 2);
    }

    fn repetition(&mut self) {
        let (of_loop, x) = (format!("L{}", self.loops), self.of(&SLICES));
        self.loops += 1;
        match self.below(3) {
            0 => {
                // At most the first rows, so that loops in loops end soon.
                self.line(&format!("MASK({of_loop}, 1);"));
                self.line(&format!("{of_loop} := {of_loop} or {of_loop} and {x};"));
                self.line(&format!("while SOME({of_loop}) {{"));
                self.depth += 1;
                let k = self.of(&NUMBERS);
                self.line(&format!("{k} := STEP({of_loop});"));
                self.statement();
                self.statement();
                self.depth -= 1;
                self.line("}");
            }
            1 => self.block(&format!("for c{} := 1 to 2", self.loops), 2),
            _ => {
                let (into, from) = (self.below(3), self.below(2));
                let [into, from] = [TABLES[into], TABLES[(into + from) % 3]];
                let column = format!("c{}", self.loops);
                self.line(&format!("forall {column} := 1 to h {{"));
                self.line(&format!("    COL({column}, {into}) := COL({column}, {from}) xor {x};"));
                self.line("}");
            }
        }
    }

    /// Writes a call of the library. No variable is given twice where one of the two is changed.
    fn call(&mut self) {
        let all: Vec<LibraryProcedure> = LibraryProcedure::all().collect();
        let procedure = all[self.below(all.len())];
        let (first_slice, first_table) = (self.below(4), self.below(3));
        let (mut slices, mut tables) = (0, 0);
        let arguments = procedure.parameters().iter().map(|parameter| match parameter.kind {
            ParameterKind::Slice => {
                slices += 1;
                SLICES[(first_slice + slices) % SLICES.len()].to_owned()
            }
            ParameterKind::Table => {
                tables += 1;
                TABLES[(first_table + tables) % TABLES.len()].to_owned()
            }
            ParameterKind::WideTable => "W".to_owned(),
            ParameterKind::Word => WORDS[first_slice % WORDS.len()].to_owned(),
            ParameterKind::Number => match parameter.name {
                "j" => (first_table % BANDS + 1).to_string(),
                _ => "h".to_owned(),
            },
        });
        let arguments: Vec<String> = arguments.collect();
        self.line(&format!("{}({});", procedure.name(), arguments.join(", ")));
    }
}

fn bits(length: usize, state: &mut u64) -> BitVector {
    let words = (0..length.div_ceil(64)).map(|_| split_mix_64(state)).collect();
    BitVector::from_words(length, words)
}

fn random_table(rows: usize, columns: usize, state: &mut u64) -> BitTable {
    let mut table = BitTable::zeros(rows, columns);
    for column in 1..=columns {
        table.put_column(column, bits(rows, state));
    }
    table
}

fn inputs(rows: usize, width: usize, state: &mut u64) -> BTreeMap<String, StarValue> {
    let mut inputs = BTreeMap::new();
    for name in SLICES {
        inputs.insert(name.to_owned(), StarValue::Bits(bits(rows, state)));
    }
    for name in TABLES {
        inputs.insert(name.to_owned(), StarValue::Table(random_table(rows, width, state)));
    }
    inputs.insert("W".to_owned(), StarValue::Table(random_table(rows, BANDS * width, state)));
    for name in WORDS {
        inputs.insert(name.to_owned(), StarValue::Bits(bits(width, state)));
    }
    inputs.insert("w".to_owned(), StarValue::Bits(bits(rows, state)));
    for name in NUMBERS {
        inputs.insert(name.to_owned(), StarValue::Int(1));
    }
    inputs
}

/// As many programs as `CP2_PROGRAMS` says, 60 without it, from number `CP2_BEGIN` on.
#[test]
fn random_programs_agree_on_both_machines() {
    let number =
        |name, usual| std::env::var(name).map_or(usual, |text: String| text.parse().unwrap());
    let (begin, count) = (number("CP2_BEGIN", 0_u64), number("CP2_PROGRAMS", 60_u64));
    let execution = Execution::on(Core::CP2);
    let (mut finished, mut called) = (0, String::new());
    for seed in begin..begin + count {
        let text = Writer::program(seed);
        let program = checked(&text).unwrap_or_else(|_| panic!("{text}\n{}", complaints(&text)));
        let mut state = seed;
        let rows = [1, 2, 63, 64, 65, 130, 300, 513][(split_mix_64(&mut state) % 8) as usize];
        let width = 1 + (split_mix_64(&mut state) % 9) as usize;
        let request = RunRequest {
            weight_bits: width,
            inputs: inputs(rows, width, &mut state),
            max_statements: 3_000,
            ..RunRequest::default()
        };
        let form = [LibraryForm::Plain, LibraryForm::Cheap][(seed % 2) as usize];
        let expected =
            run(&program, &mut StarMachine::new(HostBackend, rows, form), &request, None);
        let backend = Cp2Backend::new(execution.clone());
        let mut machine = StarMachine::new(backend, rows, form);
        let found = run(&program, &mut machine, &request, None);
        assert!(machine.backend().fault().is_none(), "program {seed}:\n{text}");
        match (&found, &expected) {
            (Err(found), Err(expected)) => assert_eq!(found.message, expected.message),
            _ => assert!(
                found == expected,
                "program {seed} with {rows} rows, {width} columns:\n{text}"
            ),
        }
        finished += u64::from(expected.is_ok());
        called += &text;
    }
    assert!(finished * 2 > count, "only {finished} of {count} programs come to their end");
    let is_called =
        |procedure: &LibraryProcedure| called.contains(&format!("{}(", procedure.name()));
    assert!(count < 60 || LibraryProcedure::all().all(|procedure| is_called(&procedure)));
}

/// Bits behind the last row are zeros on CP2 after every operation, those of words that a slice has besides its own included.
#[test]
fn padding_on_cp2_is_zero() {
    let mut cp2 = Cp2Backend::new(Execution::on(Core::CP2));
    let mut state = 1;
    for rows in [1, 63, 65, 129, 257, 300, 511, 513, 1000, 8200] {
        let here = bits(rows, &mut state);
        let mut values = vec![cp2.load(&here), cp2.filled(rows, true), cp2.mask(rows, rows / 2)];
        for _ in 0..40 {
            let [a, b] = [0, 1].map(|_| {
                let at = split_mix_64(&mut state) as usize % values.len();
                values[at].clone()
            });
            let value = match split_mix_64(&mut state) % 7 {
                0 => cp2.logic(Logic::And, &a, &b),
                1 => cp2.logic(Logic::Or, &a, &b),
                2 => cp2.logic(Logic::Xor, &a, &b),
                3 | 4 => cp2.not(&a),
                5 => {
                    let mut first = a.clone();
                    cp2.keep_first(&mut first);
                    first
                }
                _ => {
                    let mut rest = a.clone();
                    cp2.step(&mut rest);
                    rest
                }
            };
            assert!(cp2.is_padding_zero(&value), "{rows} rows");
            let stored = cp2.store(&value);
            assert_eq!(cp2.number(&value), HostBackend.number(&stored), "{rows} rows");
            values.push(value);
        }
        assert!(cp2.fault().is_none());
    }
}
