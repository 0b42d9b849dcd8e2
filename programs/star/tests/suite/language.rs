//! The language: mistakes with places, runs of small programs, and the formatter.

use crate::kit::{bits, checked, complaints, int, numbers, run_text, sources, table};
use cp2_star::language::tree::*;
use cp2_star::language::{format, parse};
use cp2_star::machine::{BitTable, BitVector};
use cp2_star::run::StarValue;
use proptest::prelude::*;

#[test]
fn several_mistakes_of_a_text_are_told_at_once() {
    let text = "input G: table[n] from head;
var A: slise;
procedure main() {
    var X, Y: slice;
    var v: word[h];
    X := Y andd Y;
    X := Z;
    v := X;
    MINN(G, X, Y);
}
";
    let complaint = complaints(text);
    assert!(complaint.contains("test.star:2:8: error: expected a type"), "{complaint}");
    assert!(complaint.contains("did you mean `slice`?"), "{complaint}");
    assert!(complaint.contains("test.star:6:12: error: expected `;`, found `andd`"), "{complaint}");
    let text = text.replace("slise", "slice").replace("andd", "and");
    let complaint = complaints(&text);
    for expected in [
        "test.star:1:24: error: there is no source of an input `head` [C1004]",
        "did you mean `heads`?",
        "test.star:7:10: error: there is no variable `Z` [C1004]",
        "test.star:8:10: error: expected a word[h], found a slice [C1005]",
        "test.star:9:5: error: there is no procedure `MINN` [C1004]",
        "did you mean `MIN`?",
    ] {
        assert!(complaint.contains(expected), "{complaint}");
    }
}

/// Wrong statements in a program, each with the beginning of its message.
const WRONG: [(&str, &str); 27] = [
    ("X := 1;", "expected a slice, found a int [C1005]"),
    ("v := w;", "expected a word[h], found a word[n] [C1006]"),
    ("w := w and v;", "`and` of a word[n] and a word[h]: both need the same length [C1006]"),
    ("v := TRIM(1, n - 1, w);", "expected a word[h], found a word[n - 1] [C1006]"),
    ("MATCH(T, X, w, Y);", "expected a word[h], found a word[n] [C1006]"),
    ("TCOPY1(W, 1, n, T);", "expected a table[n], found a table[h] [C1006]"),
    ("HIT(T, W, X, Y);", "expected a table[h], found a table[n*h] [C1006]"),
    ("MIN(T, X);", "`MIN` takes 3 arguments, `MIN(T, X, Z)`, and here are 2 [C1007]"),
    ("GEL(T, v, Y, Y);", "this variable is given twice, and one of them is changed [C1008]"),
    ("S := X;", "`S` is an input; declare it as `inout`, or copy it to a variable [C1008]"),
    ("for k := 1 to n { k := 2; }", "`k` is counted by the loop, so it cannot be changed [C1008]"),
    ("forall k := 1 to n { X := Y; }", "`X` is shared by all passes of `forall`"),
    (
        "forall k := 1 to n { COL(1, T) := Y; }",
        "a pass of `forall` writes the column of its own number only [C1009]",
    ),
    (
        "i := STEP(X) + 1;",
        "`STEP` changes a variable, so it is a statement: `i := STEP(X);` [C1005]",
    ),
    (
        "i := FND(X) + STEP(X);",
        "`STEP` changes a variable, so it is a statement: `i := STEP(X);` [C1005]",
    ),
    ("T := T;", "a table is copied by `TCOPY(T, F);` [C1005]"),
    ("main();", "`main` calls itself here; the machine has no stack, so write a loop [C1010]"),
    ("var X: slice;", "`X` is declared already [C1003]"),
    ("var MIN: slice;", "`MIN` is a name of the language; take another one [C1003]"),
    ("i := 12a;", "`12a` is not a number [C1002]"),
    ("i := 99999999999999999999;", "`99999999999999999999` is too large"),
    ("v := 0b012;", "`0b012` is no word of bits [C1002]"),
    ("if i { }", "expected a bool, found a int [C1005]"),
    ("while SOME(X) and i { }", "`and` takes two slices, two words or two bools"),
    ("X(1, 2) := 1;", "`X` takes 1 arguments, `Y(i)`, and here are 2 [C1007]"),
    ("SOME(X);", "`SOME` gives a value and changes nothing; assign it [C1005]"),
    ("var u: word;", "how many bits? write `word[n]`, `word[h]` or `word[n*h]` [C1006]"),
];

#[test]
fn mistakes_have_their_messages() {
    let program = |statement: &str| {
        format!(
            "input S: slice;
procedure main() {{
    var X, Y: slice;
    var T: table[h];
    var W: table[n*h];
    var v: word[h];
    var w: word[n];
    var i: int;
    {statement}
}}
"
        )
    };
    assert_eq!(complaints(&program("X := Y;")), "");
    for (statement, expected) in WRONG {
        let complaint = complaints(&program(statement));
        assert!(complaint.contains(expected), "{statement}\n{complaint}");
        assert_eq!(complaint.matches("error:").count(), 1, "{statement}\n{complaint}");
        assert!(complaint.starts_with("test.star:9:"), "{statement}\n{complaint}");
    }
    assert!(complaints("procedure f() {}\n").contains("there is no procedure `main`"));
    assert!(complaints("procedure main() {\n").contains("expected a statement or `}`"));
    let two = "procedure a() { b(); }\nprocedure b() { a(); }\nprocedure main() { a(); }\n";
    assert_eq!(complaints(two).matches("calls itself here").count(), 2);
}

#[test]
fn no_text_overflows_the_stack() {
    for text in ["(", "not ", "-", "{", "if true {"] {
        let inside = text.repeat(100_000);
        let program = format!("procedure main() {{ var X: slice; X := {inside}");
        assert!(checked(&program).is_err());
        assert!(checked(&format!("procedure main() {{ {inside}")).is_err());
    }
}

/// A thread with the stack of one that a program starts by itself reads, checks, formats and runs what the limits let through.
#[test]
fn expressions_and_calls_are_as_deep_as_the_limits_let_them() {
    let terms = |count: usize| {
        let sum = vec!["X"; count].join(" or ");
        format!("procedure main() {{\n    var X: slice;\n    X := {sum};\n}}\n")
    };
    let nested = |count: usize| {
        let calls =
            "X := not (".to_owned() + &"(X or ".repeat(count) + "X" + &")".repeat(count + 1);
        format!("procedure main() {{\n    var X: slice;\n    {calls};\n}}\n")
    };
    let chain = |count: usize| {
        let call = |k: usize| format!("procedure f{k}() {{ f{}(); }}\n", k + 1);
        let calls: String = (0..count).map(call).collect();
        format!("procedure main() {{ f0(); }}\n{calls}procedure f{count}() {{}}\n")
    };
    let branches = |count: usize| {
        let all = vec!["if n = 1 or n = 2 { }"; count].join(" else ");
        format!("procedure main() {{\n    {all}\n}}\n")
    };
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let read = small.spawn(move || {
        for text in [terms(256), nested(20), chain(62), branches(2000)] {
            let tree = parse(&sources(&text), 0).unwrap();
            assert!(!format(&tree).is_empty());
            assert_eq!(run_text(&text, 3, 1, &[]).map(|outcome| outcome.outputs.len()), Ok(0));
        }
        for (text, expected) in [
            (
                terms(5000),
                "test.star:3:1292: error: the expression has more than 256 operators, the limit",
            ),
            (nested(5000), "more than 64 brackets and blocks are open here [C1001]"),
            (chain(5000), "calls of calls from here on are 65 deep; the limit is 64 [C1010]"),
        ] {
            let complaint = complaints(&text);
            assert!(complaint.contains(expected), "{complaint}");
            assert_eq!(complaint.matches("error:").count(), 1);
        }
    });
    read.unwrap().join().unwrap();
}

#[test]
fn names_mean_one_thing() {
    for (text, line) in [
        ("procedure main() {}\nprocedure f() {}\nprocedure f() {}\n", 3),
        ("procedure main() {}\nprocedure f(a: int, a: int) {}\n", 2),
        ("procedure main() {}\nprocedure f(g: int) {}\nprocedure g() {}\n", 2),
        ("procedure main() {}\nvar f: int;\nprocedure f() {}\n", 3),
        ("procedure main() {\n    var f: int;\n}\nprocedure f() {}\n", 2),
    ] {
        let complaint = complaints(text);
        assert_eq!(complaint.matches("is declared already [C1003]").count(), 1, "{complaint}");
        assert!(complaint.starts_with(&format!("test.star:{line}:")), "{complaint}");
    }
    for name in ["MIN", "STEP", "FND", "insertions", "h"] {
        let complaint = complaints(&format!("procedure {name}() {{}}\nprocedure main() {{}}\n"));
        assert!(complaint.contains("test.star:1:11: error:"), "{complaint}");
    }
}

#[test]
fn the_nearest_name_is_offered() {
    for (statement, expected) in [
        ("k := FND(CL(1, T));", "did you mean `COL`?"),
        ("k := Yy(1);", "did you mean `Y`?"),
        ("Yy(1) := 1;", "did you mean `Y`?"),
        ("COLL(1, T) := Y;", "did you mean `COL`?"),
    ] {
        let text = format!(
            "procedure main() {{\n    var Y: slice;\n    var T: table[h];\n    var k: int;\n    {statement}\n}}\n"
        );
        assert!(complaints(&text).contains(expected), "{}", complaints(&text));
    }
    assert!(complaints("procedure mian() {}\n").contains("did you mean `mian` to be it?"));
}

#[test]
fn mistakes_that_are_not_told_are_counted() {
    let checked: String = "    X := 1;\n".repeat(70);
    let read: String = "    X := ;\n".repeat(70);
    for body in [checked, read] {
        let complaint = complaints(&format!("procedure main() {{\n    var X: slice;\n{body}}}\n"));
        assert_eq!(complaint.matches("error:").count(), 50);
        assert!(complaint.contains("20 more errors are not shown"), "{complaint}");
    }
}

#[test]
fn memory_is_counted_once_and_exactly() {
    let program = checked(
        "input T: table[n*h] from weights;\nvar X: slice;\nprocedure f(P: table[h], w: word[n*h]) {}\nprocedure main() {\n    var w: word[n*h];\n    var k: int;\n}\n",
    )
    .unwrap();
    // 100 rows take two words of 64 bits in a column; 300 bits take five.
    assert_eq!(program.memory_bits(100, 3), Some(300 * 128 + 128 + 320 + 320));
    assert_eq!(program.memory_bits(1, 3), Some(3 * 64 + 64 + 64 + 64));
    let large = "var X: slice;\nvar T: table[n*n];\nprocedure main() {}\n";
    let stopped = run_text(large, 4096, 3, &[]).unwrap_err();
    assert_eq!(sources(large).line_column(&stopped.span.unwrap()).0, 2);
}

#[test]
fn a_run_that_cannot_go_on_tells_why_and_where() {
    for (statement, expected) in [
        ("X(n + 1) := 1;", "position 6 is not there: they go from 1 to 5"),
        ("X := COL(0, T);", "column 0 is not there: they go from 1 to 3"),
        ("v := ROW(6, T);", "row 6 is not there: they go from 1 to 5"),
        ("X(1) := 2;", "a bit is 0 or 1, and this is 2"),
        (
            "v := ADD(0b111, 0b001);",
            "the sum of 111 and 001 does not fit in 3 bits; give words and weights more bits",
        ),
        (
            "TCOPY1(T, 2, h, T);",
            "band 2 of width 3 is not in a table of 3 columns: bands go from 1 to 1",
        ),
        (
            "TCOPY1(T, 1, i - 1, T);",
            "TCOPY1 of a band of -1 columns, and the table that is the band has 3: both need the same number",
        ),
        ("i := 9223372036854775807 + n;", "the number does not fit in 64 bits"),
        ("v := TRIM(i, i + 2, v);", "positions 0 to 2 of a word of 3"),
        ("v := TRIM(i + 1, i + 2, v);", "assignment of 3 and 2 bits: both need the same length"),
        ("require ZERO(X) and SOME(X), \"both\";", "both"),
        ("while true { }", "the program has carried out 100000 statements, the limit"),
    ] {
        let text = format!(
            "procedure main() {{\n    var X: slice;\n    var T: table[h];\n    var v: word[h];\n    var i: int;\n    {statement}\n}}\n"
        );
        let stopped = run_text(&text, 5, 3, &[]).unwrap_err();
        assert!(stopped.message.contains(expected), "{statement}: {}", stopped.message);
        let span = stopped.span.unwrap();
        assert_eq!(sources(&text).line_column(&span).0, 6, "{statement}");
    }
    let missing = run_text("input S: slice;\nprocedure main() {}\n", 5, 3, &[]).unwrap_err();
    assert_eq!(missing.message, "the input `S` has no value; give it one");
    let large =
        run_text("var T: table[n*n*n*n];\nprocedure main() {}\n", 4096, 3, &[]).unwrap_err();
    assert!(large.message.contains("the limit is 1024 MiB"), "{}", large.message);
}

/// Every procedure of the library and every elementary operation by way of the language, on the worked example.
#[test]
fn the_library_is_called_from_programs() {
    let text = "input T, F: table[h];
input X: slice;
output least, found, above, below, some_first: slice;
output sums, merged, both: table[h];
output B: slice;
output k, count: int;
output part: word[2];

procedure main() {
    var v: word[h];
    var w: word[n];
    var wide: table[2*h];
    MIN(T, X, least);
    MATCH(T, X, 0b1100, found);
    GEL(T, 0b0101, above, below);
    ADDV(T, F, X, sums, B);
    TCOPY(F, merged);
    TMERGE(T, X, merged);
    TCOPY2(T, 2, h, wide);
    TCOPY1(wide, 2, h, both);
    WMERGE(0b1111, least, both);
    k := FND(least);
    count := NUMB(X);
    some_first := X;
    FRST(some_first);
    v := ROW(2, T);
    REP(3, 4, 0b11, v);
    part := TRIM(2, 3, v);
    w := CONVERT(X);
    MASK(X2, 3);
    above := above and X2 or CONVERT(w) xor X;
}
";
    let text = text.replace("    var wide", "    var X2: slice;\n    var wide");
    let t = BitTable::from_numbers(4, &[5, 12, 3, 12, 3, 0, 15, 7]);
    let f = BitTable::from_numbers(4, &[5, 9, 4, 12, 1, 1, 14, 8]);
    let x = BitVector::from_text("11101011").unwrap();
    let inputs =
        [("T", StarValue::Table(t)), ("F", StarValue::Table(f)), ("X", StarValue::Bits(x))];
    let outcome = run_text(&text, 8, 4, &inputs).unwrap();
    assert_eq!(bits(&outcome, "least").to_string(), "00101000");
    assert_eq!(bits(&outcome, "found").to_string(), "01000000");
    assert_eq!(bits(&outcome, "above").to_string(), "01000000");
    assert_eq!(bits(&outcome, "below").to_string(), "00101100");
    assert_eq!(bits(&outcome, "some_first").to_string(), "10000000");
    assert_eq!(numbers(table(&outcome, "sums")), [10, 5, 7, 0, 4, 0, 13, 15]);
    assert_eq!(bits(&outcome, "B").to_string(), "01000010");
    assert_eq!(numbers(table(&outcome, "merged")), [5, 12, 3, 12, 3, 1, 15, 7]);
    assert_eq!(numbers(table(&outcome, "both")), [5, 12, 15, 12, 15, 0, 15, 7]);
    assert_eq!((int(&outcome, "k"), int(&outcome, "count")), (3, 6));
    assert_eq!(bits(&outcome, "part").to_string(), "11");
}

/// Passes of `forall` see tables as they were before, whatever their order.
#[test]
fn passes_at_once_see_what_was_there_before() {
    let text = "inout P: table[n];\nprocedure main() {\n    forall i := 1 to n - 1 {\n        COL(i, P) := COL(i + 1, P);\n    }\n    forall i := 2 to n {\n        COL(i, P) := COL(i - 1, P);\n    }\n}\n";
    let p = BitTable::from_numbers(4, &[0b1000, 0b0100, 0b0010, 0b0001]);
    let outcome = run_text(text, 4, 1, &[("P", StarValue::Table(p))]).unwrap();
    assert_eq!(numbers(table(&outcome, "P")), [0, 0b1100, 0b0010, 0b0001]);
}

/// Calls of the library in a `forall` see tables as they were before, too.
#[test]
fn calls_at_once_see_what_was_there_before() {
    let text = "inout P: table[n];
output counts: table[n];
procedure main() {
    forall i := 1 to n {
        var X, Z: slice;
        var F: table[n];
        SET(X);
        MIN(P, X, Z);
        COL(i, P) := Z;
        TCOPY(P, F);
        TMERGE(P, Z, F);
        MAX(F, X, Z);
        COL(i, counts) := Z;
    }
}
";
    let p = BitTable::from_numbers(3, &[0b110, 0b011, 0b101]);
    let outcome = run_text(text, 3, 1, &[("P", StarValue::Table(p))]).unwrap();
    assert_eq!(numbers(table(&outcome, "P")), [0, 0b111, 0]);
    assert_eq!(numbers(table(&outcome, "counts")), [0b111, 0, 0]);
}

/// A parameter that was given a variable is that variable.
#[test]
fn parameters_stand_for_variables() {
    let text = "output k: int;\nvar X: slice;\nprocedure set(i: int, var Y: slice) {\n    Y(i) := 1;\n    add(i + 1, Y);\n}\nprocedure add(i: int, var Z: slice) {\n    Z(i) := 1;\n}\nprocedure main() {\n    set(2, X);\n    set(4, X);\n    k := NUMB(X);\n}\n";
    assert_eq!(int(&run_text(text, 6, 1, &[]).unwrap(), "k"), 4);
}

#[test]
fn comments_stay_where_they_are() {
    let text = "// first\nvar X : slice ;   // behind\n\n\n// of main\nprocedure main(){ // opening\n// inside\nX:=not(X and X) ; // after\nif SOME(X){ }else if ZERO(X) {// b\n}// c\nelse{\n// tail\n}\n}\n// end\n";
    let expected = "// first
var X: slice;  // behind

// of main
procedure main() {  // opening
    // inside
    X := not (X and X);  // after
    if SOME(X) {
    } else if ZERO(X) {  // b
    } else {
        // c
        // tail
    }
}
// end
";
    let formatted = format(&parse(&sources(text), 0).unwrap());
    assert_eq!(formatted, expected);
    assert_eq!(format(&parse(&sources(&formatted), 0).unwrap()), formatted);
}

fn name() -> impl Strategy<Value = PlacedName> {
    proptest::sample::select(vec!["X", "Y", "k", "COL", "f_1", "n"])
        .prop_map(|text| PlacedName { text: text.to_owned(), at: TextSpan::default() })
}

fn expression() -> impl Strategy<Value = ExpressionTree> {
    let leaf = prop_oneof![
        (0_i64..1000).prop_map(ExpressionForm::Number),
        "[01]{1,9}".prop_map(ExpressionForm::Bits),
        any::<bool>().prop_map(ExpressionForm::Truth),
        name().prop_map(|name| ExpressionForm::Name(name.text)),
    ];
    let tree = |form| ExpressionTree { at: TextSpan::default(), form };
    leaf.prop_map(tree).prop_recursive(5, 40, 3, move |inner| {
        let words = BinaryWord::ALL.map(|row| row.0).to_vec();
        let boxed = inner.clone().prop_map(Box::new);
        prop_oneof![
            (name(), proptest::collection::vec(inner, 0..3))
                .prop_map(|(n, a)| ExpressionForm::Apply(n, a)),
            boxed.clone().prop_map(|of| ExpressionForm::Unary(UnaryWord::Not, of)),
            boxed.clone().prop_map(|of| ExpressionForm::Unary(UnaryWord::Minus, of)),
            (proptest::sample::select(words), boxed.clone(), boxed)
                .prop_map(|(word, a, b)| ExpressionForm::Binary(word, a, b)),
        ]
        .prop_map(tree)
    })
}

fn statement() -> impl Strategy<Value = StatementForm> {
    let target = name().prop_map(|name| ExpressionTree {
        at: TextSpan::default(),
        form: ExpressionForm::Name(name.text),
    });
    let simple = prop_oneof![
        (target, expression()).prop_map(|(t, e)| StatementForm::Assign(t, e)),
        (name(), proptest::collection::vec(expression(), 0..4))
            .prop_map(|(n, a)| StatementForm::Call(n, a)),
        (expression(), "[a-z ]{0,9}").prop_map(|(e, m)| StatementForm::Require(e, m)),
    ];
    simple.prop_recursive(3, 20, 3, |inner| {
        let block = block(inner);
        prop_oneof![
            (expression(), block.clone()).prop_map(|(e, b)| StatementForm::While(e, b)),
            (
                proptest::collection::vec((expression(), block.clone()), 1..3),
                proptest::option::of(block.clone())
            )
                .prop_map(|(branches, otherwise)| StatementForm::If(branches, otherwise)),
            (any::<bool>(), name(), expression(), expression(), block.clone()).prop_map(
                |(is_at_once, variable, from, to, body)| StatementForm::For {
                    is_at_once,
                    variable,
                    range: (from, to),
                    body
                }
            ),
            ([name(), name(), name()], block)
                .prop_map(|(names, body)| StatementForm::Insertions(names, body)),
        ]
    })
}

fn comments() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("// [a-z]{1,8}", 0..2)
}

fn block(
    inner: impl Strategy<Value = StatementForm> + Clone + 'static,
) -> impl Strategy<Value = BlockTree> + Clone {
    let part = (any::<bool>(), comments(), inner, proptest::option::of("// [a-z]{1,8}")).prop_map(
        |(is_apart, leading, form, trailing)| Commented {
            is_apart,
            leading,
            part: StatementTree { at: TextSpan::default(), form },
            trailing,
        },
    );
    (proptest::option::of("// [a-z]{1,8}"), proptest::collection::vec(part, 0..4), comments())
        .prop_map(|(opening, mut statements, tail)| {
            if let Some(first) = statements.first_mut() {
                first.is_apart = false;
            }
            BlockTree { opening, statements, tail }
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_tree_of_a_formatted_tree_is_the_same(body in block(statement().boxed())) {
        let name = PlacedName { text: "main".to_owned(), at: TextSpan::default() };
        let procedure = ProcedureTree { name, parameters: Vec::new(), body };
        let part = ItemTree::Procedure(procedure);
        let item = Commented { is_apart: false, leading: Vec::new(), part, trailing: None };
        let tree = ProgramTree { items: vec![item], tail: vec!["// end".to_owned()] };
        let text = format(&tree);
        let again = parse(&sources(&text), 0);
        prop_assert!(again.is_ok(), "{text}\n{again:?}");
        let again = again.unwrap();
        prop_assert_eq!(&again, &tree, "{}", text);
        prop_assert_eq!(format(&again), text);
    }

    /// Whatever the text, reading and checking end with a program or with mistakes.
    #[test]
    fn no_text_is_too_strange(text in "[ -~\n]{0,200}") {
        prop_assert!(checked(&text).is_ok() || !complaints(&text).is_empty());
    }
}
