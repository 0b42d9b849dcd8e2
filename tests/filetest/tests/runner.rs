//! The runner itself: a changed expectation fails and is blessed back, nothing else of the file changes,
//! and a directive that says nothing is an error.
#![allow(clippy::unwrap_used, reason = "tests")]

use cp2_filetest::{Malformed, Options, TestEngine, Tested, test};
use cp2_session::npy::{Array, NumberType};

fn no_file(_: &str, path: &str) -> Result<(String, String), String> {
    Err(format!("there is no `{path}`"))
}

/// Returns the array of a path: numbers from 0.0 on, eight or four of them.
fn arrays(_: &str, path: &str) -> Result<Vec<u8>, String> {
    let count = match path {
        "x.npy" => 8,
        "short.npy" => 4,
        _ => return Err(format!("there is no `{path}`")),
    };
    let bits = (0..count).map(|i| u128::from((i as f32).to_bits()));
    Ok(Array::from_bits(NumberType::Float32, vec![count], bits).write())
}

fn options() -> Options<'static> {
    Options { targets: TestEngine::all(), loader: &no_file, arrays: &arrays }
}

fn tested(text: &str) -> Tested {
    test("t.s", text, &options()).unwrap_or_else(|wrong| panic!("{wrong:?}\n{text}"))
}

fn malformed(text: &str) -> Vec<(usize, String)> {
    let wrong = test("t.s", text, &options()).expect_err(text);
    wrong.into_iter().map(|Malformed { line, message, .. }| (line, message)).collect()
}

/// Returns the messages of the failures with their lines.
fn failures(text: &str) -> Vec<(usize, String)> {
    let told = |f: &cp2_filetest::Failure| (f.line(), f.message().to_owned());
    tested(text).cases.iter().flat_map(|case| case.failures.iter().map(told)).collect()
}

/// A test with expectations of every kind, all of them right.
const ALL_KINDS: &str = "\
## settings, which hold for all cases
; machine: core.arithmetic_latency=4
; init: f1 = 0x1, {1.0:2.0, 3.0:4.0, 5.0:6.0, 7.0:8.0}  g4 = 7

; case: a sum
        | lwi f1, one
        | seti g1, 5
        nop
        psadd f3, f1, f2 | nop
        | sync
        | swi f3, sum
        | stop g4
        .lmem all
one:    .complex 1, 1
sum:    .quad 0
; run: g2=0x10
; end: stop 7
; cycles: 9
; stats: drain=3 psadd=1 flops=2 sync_hold=2
; state: f3.s0 = 2.0:3.0  g1 = 5  g2 = 0x10
; state: [sum].s1 = 4.0:5.0  f2.s1.hi = 3.0  f2 = {1.0:2.0, 3.0:4.0, 5.0:6.0, 7.0:8.0}
; run: max=3
; end: limit
; symbol: sum=1
; case: an error with a label
        cadd f1, f2 ; error: 9-20 C0302 `cadd` takes 3 operands, 2 given
;   label: wrong number of operands
;   help: it is written `cadd fN, fN, fN`
; case: a finding
        lwi f1, 0
        psadd f2, f1, f1
; lint: C0501
        stopi 0
; bundle: | lwi f1, 0
; bundle: psadd f2, f1, f1
; bundle: 2: | stopi 0
";

/// Returns the text with the character at `at` made another one of its kind; `None` for blanks and signs.
fn with_another(text: &str, at: usize) -> Option<String> {
    let other = match text.as_bytes()[at] {
        b'0'..=b'8' | b'a'..=b'y' | b'A'..=b'Y' => text.as_bytes()[at] + 1,
        b'9' | b'z' | b'Z' => text.as_bytes()[at] - 1,
        _ => return None,
    };
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] = other;
    String::from_utf8(bytes).ok()
}

/// Returns the lines that expect nothing.
fn program(text: &str) -> Vec<&str> {
    let is_check = |line: &&str| {
        let words = ["error", "end", "cycles", "stats", "state", "symbol", "lint", "bundle", "  "];
        !words.iter().any(|word| line.starts_with(&format!("; {word}")))
    };
    text.lines().filter(is_check).map(|line| line.split(" ; error").next().unwrap()).collect()
}

/// A test whose expectations have any letter or digit changed fails, or its directive cannot be read, and blessing changes
/// nothing but expectations.
#[test]
fn every_change_of_an_expectation_is_found() {
    assert_eq!(failures(ALL_KINDS), []);
    assert_eq!(tested(ALL_KINDS).blessed, ALL_KINDS);
    let (mut wrong, mut unreadable, mut blessed_back) = (0, 0, 0);
    let mut offset = 0;
    for line in ALL_KINDS.split_inclusive('\n') {
        let begin =
            line.rfind("; ").filter(|_| !line.starts_with("; case") && !line.starts_with("##"));
        let is_setting = ["; machine", "; init", "; run"].iter().any(|s| line.starts_with(s));
        let text = begin.filter(|_| !is_setting).map_or(line.len(), |k| k + 2);
        for at in (text..line.len()).filter_map(|k| with_another(ALL_KINDS, offset + k)) {
            match test("t.s", &at, &options()) {
                Err(_) => unreadable += 1,
                Ok(tested) => {
                    let fails = tested.cases.iter().any(|case| !case.failures.is_empty());
                    assert!(fails, "{at}");
                    wrong += 1;
                    assert_eq!(program(&tested.blessed), program(ALL_KINDS));
                    blessed_back += usize::from(tested.blessed == ALL_KINDS);
                }
            }
        }
        offset += line.len();
    }
    println!("{wrong} changes fail, {unreadable} cannot be read, {blessed_back} are blessed back");
    assert!(wrong > 150 && unreadable > 50 && blessed_back > 50);
}

#[test]
fn blessing_fills_in_what_is_not_known() {
    let text = " seti g1, 5 ; prose\n lwi f1, x\n nop\n nop\n stop g1\n.lmem all\nx: .complex 1.5, 2\n\
                ; run:\n; end: ?\n; cycles: ?\n; state: g1 = ?  f1 = ?  [x].hi = ?";
    let found = tested(text);
    assert_eq!(found.cases[0].failures.len(), 5);
    let right = text.replace("end: ?", "end: stop 5").replace("cycles: ?", "cycles: 5").replace(
        "g1 = ?  f1 = ?  [x].hi = ?",
        "g1 = 5  f1 = 0x3fc0000040000000  [x].hi = 0x3fc00000",
    );
    assert_eq!(found.blessed, right);
    assert_eq!(failures(&right), []);
}

#[test]
fn diagnostics_are_blessed_below_their_lines() {
    let text = " cadd f1\n nop\n frob ; error: 7 C0302\n; error: 1:1 C0301 long gone\n";
    let right = " cadd f1\n; error: 2-9 C0302 `cadd` takes 3 operands, 1 given\n;   label: wrong number of \
                 operands\n;   help: it is written `cadd fN, fN, fN`\n nop\n frob\n; error: 2-6 C0301 there \
                 is no operation `frob`\n;   label: no such operation\n";
    assert_eq!(tested(text).blessed, right);
    assert_eq!(failures(right), []);
    // `none` goes where there are some; some go where there are none.
    let found =
        tested(" lwi f1, 0\n copy f2, f1\n stopi 0\n; lint: none\n; error: 1:2 C0301\n").blessed;
    assert!(
        !found.contains("none") && !found.contains("C0301") && found.contains("; lint: 2-13 C0501")
    );
    assert_eq!(failures(&found), []);
}

#[test]
fn a_program_that_should_run_is_not_blessed_as_a_wrong_one() {
    let text = " cadd f1\n stopi 0\n; run:\n";
    assert_eq!(failures(text).len(), 1);
    assert_eq!(tested(text).blessed, text);
}

#[test]
fn bundles_are_blessed_as_a_list() {
    let text = ".rept 2\n nop\n.endr\n stopi 1\n; bundle: 0: nop\n";
    let right = ".rept 2\n nop\n.endr\n stopi 1\n; bundle: 0: nop\n; bundle: 1: nop\n; bundle: 2: | stopi 1\n";
    assert_eq!(tested(text).blessed, right);
    assert_eq!(failures(right), []);
}

#[test]
fn schedules_are_told_below_their_loops_and_compared_with_the_engine() {
    let text = "\
.linear
; schedule: cycles=22+2*g2 bundles=? registers=?
.scratch g15
.disjoint r0, r1
.loop g2, min=12
; schedule: ii=2 resource=2 recurrence=1 stages=6 unrolled=? trips=?
 lwo %x, (r0)+1
 psmul %y, %x, f0
 swo %y, (r1)+1
.endloop
.endlinear
 stopi 0
";
    let found = tested(text);
    assert_eq!(found.cases[0].failures.len(), 4, "{:?}", failures(text));
    assert_eq!(failures(&found.blessed), []);
    assert!(failures(&text.replace("ii=2", "ii=3")).len() == 5);
    let nowhere = failures(" stopi 0\n; schedule: ii=3\n");
    assert!(nowhere[0].1.contains("no linear region"), "{nowhere:?}");
}

#[test]
fn directives_that_say_nothing_are_errors() {
    for (line, why) in [
        ("; stat: g1 = 5", "do you mean `stats:`"),
        ("; sate: g1 = 5", "do you mean `state:`"),
        ("; frobnicate: x", "there is no directive `frobnicate:`"),
        ("; state: g1 5", "expected `=`"),
        ("; state:", "expected `PLACE = VALUE`"),
        ("; state: h1 = 5", "there is no register `h1`"),
        ("; state: g1.s2 = 5", "`g1` has no part `.s2`"),
        ("; state: f1 = 1.5", "write HI:LO"),
        ("; state: g1 = 1.5", "not a whole number"),
        ("; state: rind = 0x10000", "does not fit into 16 bits"),
        ("; state: f1 = {1, 2}", "expected `,`"),
        ("; state: f1 = five", "expected a number before `five`"),
        ("; cycles: many cycles", "expected the number of cycles"),
        ("; end: crash", "expected `stop CODE`"),
        ("; error: 5", "expected `[COLUMN] CODE"),
        ("; error: x C0101", "`x` is not a place"),
        ("; help: me", "belongs to an `error:`"),
        ("; run: g1=?", "`g1` needs a value"),
        ("; run: max=soon", "expected a number"),
        ("; engine: warp", "there is no engine `warp`"),
        ("; machine: memory.clock_mhz=3", "expected `core.KEY=VALUE`"),
        ("; machine: vm8", "there is no machine `vm8`"),
        ("; machine:", "expected the name of a machine"),
        ("; machine: core.arithmetic_latency=0", "core.arithmetic_latency"),
        ("; rules: strict", "not a set of rules"),
        ("; schedule: ii", "expected `=`"),
        ("; case:", "a case needs a name"),
        ("; file:", "`file:` needs a name"),
    ] {
        let text = format!(" stopi 0\n; run:\n{line}\n");
        let told = malformed(&text);
        assert!(told.iter().all(|(n, _)| *n == 3), "{line}: {told:?}");
        assert!(told.iter().any(|(_, message)| message.contains(why)), "{line}: {told:?}");
    }
}

#[test]
fn a_file_or_a_case_that_checks_nothing_is_an_error() {
    assert_eq!(malformed(" stopi 0 ; Note: prose\n;; note: prose\n# note: prose\n")[0].0, 1);
    let text = "; case: a\n stopi 0\n; run:\n; case: b\n stopi 0\n; engine: fast\n";
    assert!(matches!(&malformed(text)[..], [(4, why)] if why.contains("the case checks nothing")));
    let text = "; run:\n; case: a\n stopi 0\n; run:\n";
    assert!(matches!(&malformed(text)[..], [(1, why)] if why.contains("has to be in a case")));
    let text = "; case: a\n stopi 0\n; run:\n; case: a\n stopi 0\n; run:\n";
    assert!(matches!(&malformed(text)[..], [(4, why)] if why.contains("this name")));
    assert!(malformed(" stopi 0\n; cycles: 1\n")[0].1.contains("`; run:` has to come before it"));
}

#[test]
fn a_run_ends_with_code_0_unless_something_else_is_told() {
    assert!(failures(" stopi 3\n; run:\n")[0].1.contains("`stop 3`"));
    assert!(failures(" nop\n; run: max=5\n")[0].1.contains("`limit`"));
    assert_eq!(failures(" stopi 3\n; run:\n; end: stop 3\n"), []);
    let fault = " .bundle 0x0100000000000000 @allow(C0310)\n; run:\n; end: ?\n";
    assert!(
        tested(fault)
            .blessed
            .contains("; end: fault bundle 0 (0x0100000000000000), cycle 0: undefined")
    );
}

#[test]
fn several_files_make_a_program_and_keep_their_lines() {
    let text = "\
.include \"size.inc\"
.kernel a
 seti g1, size
 jumpi b
 nop
; file: size.inc
.equ size, 7
 copy f1 ; error: 2-9 C0302
; file: b.s
.kernel b
 stopi 0
";
    assert_eq!(failures(text), []);
    let right = text.replace(" copy f1 ; error: 2-9 C0302\n", "")
        + "; run:\n; state: g1 = 7\n; run: entry=b\n";
    assert_eq!(failures(&right), []);
    assert!(failures(&right.replace("entry=b", "entry=c"))[0].1.contains("no kernel or label `c`"));
}

#[test]
fn a_named_machine_has_a_channel() {
    let text = " start_dma\n nop\n nop\n check_dma g1\n stopi 0\n; run:\n; state: g1 = 0\n";
    assert_eq!(failures(&format!("; machine: vm9 core.load_latency=4\n{text}")), []);
    assert_eq!(failures(text), []);
}

const ARRAYS: &str = "\
        .kernel k
        .arg    n, g2, min=1
        .array  x, in, float32, n
        stopi   0
        .lmem   all
x:      .zero   8
; load: x=x.npy
; run:
; state: g2 = 8
; compare: x=x.npy
; run: max=9
; load: x=short.npy
; arg: n=4
; state: g2 = 4
; compare: x=short.npy atol=0.5 rtol=1e-6
";

#[test]
fn runs_take_and_give_arrays() {
    assert_eq!(failures(ARRAYS), []);
    let changed = |old: &str, new: &str| failures(&ARRAYS.replacen(old, new, 1));
    let told = changed("compare: x=x.npy", "compare: x=short.npy");
    assert_eq!(
        told,
        [(
            8,
            "--store x=short.npy: the array has shape (4,), and `k` takes x of n = (8,): it has 4 elements, not 8"
                .into()
        )]
    );
    let told = changed("compare: x=x.npy", "compare: 1=x.npy");
    assert!(
        told[0]
            .1
            .starts_with("1 is not x.npy: 8 of 8 elements differ, most at [7]: 0.0, expected 7.0"),
        "{told:?}"
    );
    let told = changed("load: x=x.npy", "load: x=none.npy");
    assert!(told.contains(&(7, "there is no `none.npy`".into())), "{told:?}");
    let told = changed("arg: n=4", "arg: m=4");
    assert!(told[0].1.starts_with("--arg m=4: `k` has no argument `m`; it takes n"), "{told:?}");
    for (old, new, message) in [
        ("load: x=x.npy", "load: x", "write PLACE=FILE.npy"),
        ("arg: n=4", "arg: n", "`n`: expected `NAME=VALUE`"),
        ("arg: n=4", "arg:", "expected `NAME=VALUE`"),
        ("atol=0.5", "atol=-1", "`atol=-1`: expected a number from 0"),
        ("atol=0.5", "tol=1", "`tol=1`: expected `atol=X` or `rtol=X`"),
    ] {
        let told = malformed(&ARRAYS.replacen(old, new, 1));
        assert!(told[0].1.contains(message), "{new}: {told:?}");
    }
}

#[test]
fn a_kernel_is_started_by_a_bundle_in_the_fifo() {
    let text = "\
        nop
        nop
begin:  seti g1, 5
        stopi 3
; run: fifo=begin
; end: stop 3
; cycles: 2
; state: g1 = 5
";
    assert_eq!(failures(text), []);
    assert_eq!(failures(&text.replace("fifo=begin", "fifo=g2 g2=2")), []);
    let outside = failures(&text.replace("fifo=begin", "fifo=g2 g2=8192"));
    assert!(outside[0].1.contains("the run ended with `fault"), "{outside:?}");
    let nowhere = failures(&text.replace("fifo=begin", "fifo=nowhere"));
    assert!(nowhere[0].1.contains("there is no kernel or label `nowhere`"), "{nowhere:?}");
    let twice = malformed(&text.replace("fifo=begin", "fifo=begin entry=begin"));
    assert_eq!(
        twice[0],
        (5, "a run starts at one place; give `entry=` or `fifo=`, not both".to_owned())
    );
}

#[test]
fn the_channel_works_through_a_chain() {
    let text = "\
; machine: vm7
; case: a descriptor that waits
        check_dma g1
        start_dma
        doi 500, last
last:   nop
        nop
        check_dma g2
        stopi 0
; chain: one.toml
; run: [100] = 7, 8, 9
; state: g1 = 3  g2 = 0  [100] = 0, 0, 9
; file: one.toml
[[descriptor]]
kind = \"get\"
memory = { base = 0x1000, burst = 1 }
local = { base = 100, x = { step = 2, count = 1 } }
pattern = \"broadcast\"
sync = \"before\"
stop = true
";
    assert_eq!(failures(text), []);
    let other = malformed(&text.replace("chain: one", "chain: two"));
    assert_eq!(other, [(10, "there is no `; file: two.toml` in this case".to_owned())]);
    let wrong = malformed(&text.replace("burst = 1", "bursts = 1"));
    assert!(wrong[0].1.starts_with("one.toml: ") && wrong[0].1.contains("bursts"), "{wrong:?}");
    let alone = malformed(&text.replace("; machine: vm7\n", ""));
    let needs = "`chain:` needs a machine with a DMA channel: `; machine: vm7`";
    assert_eq!(alone, [(1, needs.to_owned())]);
}
