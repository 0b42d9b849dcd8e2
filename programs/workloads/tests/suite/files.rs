//! Workload files: what they take, what they refuse, which variant runs, and results that are right and wrong. The files
//! around them are in memory.

use cp2_asm::codes::Tool;
use cp2_asm::render::{Style, render_all};
use cp2_isa::machine::Switch;
use cp2_isa::{Core, CoreNumbers};
use cp2_session::Environment;
use cp2_session::npy::{Array, NumberType};
use cp2_session::workload::{
    OptionKind, Platform, Request, Workload, WorkloadOutcome, best_variant,
};
use cp2_workloads::file::{CommandVerdict, Surroundings, WorkloadFile};
use cp2_workloads::workload::with_extensions;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Doubles an array; every section has a quarter of it.
const DOUBLE: &str = "
        .kernel double
        .arg    n, g1, min=1
        .array  x, inout, float32, 4*n, layout=blocks, pack=both
        seti    a0, x
        .linear
        .loop   g1, min=1
        lwo     %x, (r0)
        psadd   %x, %x, %x
        swo     %x, (r0)+1
        .endloop
        .endlinear
        stopi   0
        .lmem   all
x:      .zero   256
";

/// Files in memory, the verdict of any program, and the commands that were asked for.
#[derive(Default)]
struct Memory {
    files: BTreeMap<&'static str, Vec<u8>>,
    verdict: Option<String>,
    commands: Mutex<Vec<String>>,
}

impl Surroundings for Memory {
    fn read(&self, _: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let file = self.files.get(path).ok_or_else(|| format!("{path}: there is no such file"))?;
        Ok((path.to_owned(), file.clone()))
    }

    fn run(&self, _: &str, command: &[String], arrays: &[(String, Array)]) -> CommandVerdict {
        let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
        let asked = format!("{} with {}", command.join(" "), names.join(", "));
        self.commands.lock().unwrap().push(asked);
        self.verdict.clone().map_or(CommandVerdict::Right, CommandVerdict::Wrong)
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    Array::from_floats(vec![values.len()], values).write()
}

fn memory() -> Memory {
    let files = BTreeMap::from([
        ("double.s", DOUBLE.as_bytes().to_vec()),
        ("x.npy", floats(&[1.0, 2.0, 3.0, 4.0])),
        ("twice.npy", floats(&[2.0, 4.0, 6.0, 8.0])),
        ("other.npy", floats(&[2.0, 4.0, 6.5, 8.0])),
        ("long.npy", floats(&[2.0; 5])),
        ("parts.s", b"        .include \"double.s\"\n".to_vec()),
        (
            "m.mtx",
            b"%%MatrixMarket matrix coordinate real general\n2 3 2\n1 3 5\n2 1 -1\n".to_vec(),
        ),
        ("text.npy", b"no array".to_vec()),
    ]);
    Memory { files, ..Memory::default() }
}

/// Returns the workload of a file with this text, or all that is wrong with it, as a user sees it.
fn opened(text: &str, around: Memory) -> Result<Arc<WorkloadFile>, String> {
    let around: Arc<dyn Surroundings> = Arc::new(around);
    match WorkloadFile::open("work.toml", text, &around) {
        Ok(file) => Ok(Arc::new(file)),
        Err(refusal) => Err(render_all(&refusal.diagnostics, &refusal.sources, Style::Plain)),
    }
}

fn workload(text: &str) -> Arc<dyn Workload> {
    opened(text, memory()).unwrap_or_else(|e| panic!("{e}")).on(Platform::Cp2).unwrap()
}

fn run(workload: &dyn Workload, core: Core) -> WorkloadOutcome {
    let request = Request { core, ..Request::default() };
    workload.execute(request, &mut |_: usize, _: usize| {}).unwrap_or_else(|e| panic!("{e}"))
}

const TWICE: &str =
    "[[variant]]\nsource = \"double.s\"\n[array.x]\nfile = \"x.npy\"\nexpected = \"twice.npy\"\n";

#[test]
fn a_file_is_run_and_its_results_are_compared() {
    let outcome = run(&*workload(TWICE), Core::CP2);
    assert_eq!(outcome.verdict.complaint, None);
    assert!(outcome.text.starts_with("work: "), "{}", outcome.text);
    assert!(outcome.text.contains("x: float32 (4,), exactly as twice.npy"));
    assert_eq!(outcome.json["results"][0]["is_right"], true);
    assert_eq!(outcome.json["variant"], "double");
    let wrong = run(&*workload(&TWICE.replace("twice.npy", "other.npy")), Core::CP2);
    let complaint = wrong.verdict.complaint.unwrap();
    assert!(
        complaint.contains("1 of 4 elements differ, most at [2]: 6.0, expected 6.5"),
        "{complaint}"
    );
    let near = format!("{}atol = 0.5\n", TWICE.replace("twice.npy", "other.npy"));
    assert_eq!(run(&*workload(&near), Core::CP2).verdict.complaint, None);
    let long = run(&*workload(&TWICE.replace("twice.npy", "long.npy")), Core::CP2);
    assert!(long.verdict.complaint.unwrap().contains("the expected shape is (5,)"));
}

/// Where several arrays are expected, a single file for results would have one of them by chance.
#[test]
fn results_can_be_written_and_those_that_are_expected_need_no_name() {
    let results = |text: &str| -> Vec<(String, bool)> {
        let options = workload(text).option_list();
        let output = options.into_iter().find(|option| option.name == "output");
        match output.map(|option| option.form) {
            Some(OptionKind::Write(arrays)) => {
                arrays.iter().map(|array| (array.name.to_string(), array.is_optional)).collect()
            }
            other => panic!("{other:?}"),
        }
    };
    let (x, y) = (("x".to_owned(), false), ("y".to_owned(), false));
    assert_eq!(results(TWICE), std::slice::from_ref(&x));
    assert_eq!(results(&format!("{TWICE}[array.y]\nexpected = \"twice.npy\"\n")), [x.clone(), y]);
    // The kernel writes it, but the file expects nothing.
    assert_eq!(results(&TWICE.replace("expected = \"twice.npy\"\n", "")), [(x.0, true)]);
}

/// A kernel that declares its result with one axis gives it any shape.
#[test]
fn the_shape_of_a_result_is_that_of_the_file() {
    let of_x = "x, inout, float32, 4*n, layout=blocks, pack=both";
    let both = DOUBLE.replace(
        of_x,
        "x, in, float32, 4*n, layout=blocks, pack=both\n        .array  y, out, float32, 4*n, layout=blocks, pack=both, at=0",
    );
    let mut around = memory();
    around.files.insert("double.s", both.into_bytes());
    let text = "[[variant]]\nsource = \"double.s\"\n[array.x]\nfile = \"x.npy\"\n[array.y]\nshape = [2, 2]\n";
    let workload = opened(text, around).unwrap().on(Platform::Cp2).unwrap();
    assert_eq!(run(&*workload, Core::CP2).json["results"][0]["shape"], serde_json::json!([2, 2]));
}

/// The file stands on its own: what it includes is read with it.
#[test]
fn sources_may_include_others() {
    let outcome = run(&*workload(&TWICE.replace("double.s", "parts.s")), Core::CP2);
    assert_eq!(outcome.verdict.complaint, None);
    let [one, same, other] =
        [TWICE.to_owned(), TWICE.to_owned(), TWICE.replace("x.npy", "twice.npy")]
            .map(|text| workload(&text).digest());
    assert!(one == same && one != other);
}

#[test]
fn a_program_that_checks_results_gets_them_and_its_verdict_counts() {
    let text = format!("{TWICE}[check]\ncommand = [\"check\", \"{{x}}\"]\n");
    let around = Arc::new(Memory { verdict: Some("x[2] is odd".to_owned()), ..memory() });
    let surroundings: Arc<dyn Surroundings> = around.clone();
    let file = Arc::new(WorkloadFile::open("work.toml", &text, &surroundings).unwrap());
    let workload = file.on(Platform::Cp2).unwrap();
    let outcome = run(&*workload, Core::CP2);
    assert_eq!(outcome.verdict.complaint.unwrap(), "check.command: x[2] is odd");
    assert_eq!(*around.commands.lock().unwrap(), ["check {x} with x"]);
    // A study that only counts starts no program.
    assert_eq!(workload.tally(Request::default()).unwrap().verdict.complaint, None);
    assert_eq!(around.commands.lock().unwrap().len(), 1);
}

/// The kernels of the residual: one needs an extension, one is faster than the other.
const VARIANTS: &str = "[[variant]]\nname = \"late\"\nsource = \"late.s\"\n\
    [[variant]]\nname = \"plain\"\nsource = \"double.s\"\n\
    [[variant]]\nname = \"halves\"\nsource = \"double.s\"\nneeds = [\"word-access\", \"more-fprs=128\"]\n\
    [array.x]\nfile = \"x.npy\"\nexpected = \"twice.npy\"\n";

#[test]
fn the_fastest_variant_that_the_core_allows_is_run_and_named() {
    let late =
        DOUBLE.replace("        stopi", "        sync\n        nop\n        nop\n        stopi");
    let mut around = memory();
    around.files.insert("late.s", late.into_bytes());
    let workload = opened(VARIANTS, around).unwrap().on(Platform::Cp2).unwrap();
    let outcome = run(&*workload, Core::CP2);
    assert_eq!(outcome.json["variant"], "plain");
    let text = outcome.text;
    assert!(text.contains("variant plain of 3") && text.contains("variant late takes"), "{text}");
    assert!(text.contains("variant halves needs word-access,more-fprs=128"), "{text}");
    let best = best_variant(&workload, &Request::default()).unwrap();
    assert_eq!(best.name().unwrap(), "work:plain");
    let allowed: Vec<bool> = best.tried.iter().map(|tried| tried.is_allowed).collect();
    assert_eq!(allowed, [true, true, false]);
    // With the extensions the first of the fastest is taken.
    let able = with_extensions(&Core::CP2, &Switch::list("word-access,more-fprs=256").unwrap());
    let best = best_variant(&workload, &Request { core: able, ..Request::default() }).unwrap();
    assert!(best.tried.iter().all(|tried| tried.is_allowed && tried.cycles.is_some()));
    let halves = workload.variants().swap_remove(2);
    let refused = halves.execute(Request::default(), &mut |_: usize, _: usize| {}).unwrap_err();
    assert!(refused.to_string().contains("needs the extension word-access,more-fprs=128"));
}

/// A variant whose results are wrong is never the best, however fast.
#[test]
fn a_wrong_variant_is_not_taken_and_is_told() {
    let wrong = DOUBLE.replace("psadd   %x, %x, %x", "copy    %x, %x");
    let mut around = memory();
    around.files.insert("late.s", wrong.into_bytes());
    let workload = opened(VARIANTS, around).unwrap().on(Platform::Cp2).unwrap();
    let outcome = run(&*workload, Core::CP2);
    assert_eq!(
        (outcome.verdict.complaint, outcome.json["variant"].as_str()),
        (None, Some("plain"))
    );
    assert!(outcome.text.contains("variant late cannot be taken: x: 4 of 4 elements differ"));
}

#[test]
fn a_run_on_a_shelf_assembles_once_for_all_cores_that_are_equal() {
    let workload = workload(TWICE);
    let shelf = Arc::default();
    let environment = Environment::new().reusing(&shelf);
    let latency = CoreNumbers { load_latency: 4, ..*Core::CP2.numbers() };
    for core in [Core::CP2, Core::CP2, Core::new(latency).unwrap()] {
        let request = Request { core, environment: environment.clone(), ..Request::default() };
        workload.tally(request).unwrap();
    }
    assert_eq!(shelf.assembled(), 2);
}

fn refused(text: &str) -> String {
    opened(text, memory()).map(|_| String::new()).unwrap_or_else(|e| e)
}

/// Opens files that are refused, and looks for both parts in each message.
fn all_refused(cases: &[(String, [&str; 2])]) {
    for (text, parts) in cases {
        let message = refused(text);
        for part in parts {
            assert!(message.contains(part), "{text}\n{message}");
        }
    }
}

#[test]
fn what_a_file_does_not_take_is_told_with_its_place() {
    const PROGRAM: &str = "[[variant]]\nsource = \"double.s\"\n";
    all_refused(&[
        (String::new(), ["`variant` is missing", "[C0705]"]),
        ("[[variant]]\n".to_owned(), ["the variant has no program", "[C0705]"]),
        (format!("{PROGRAM}object = \"x.o\""), ["several programs: source, object", "[C0705]"]),
        (
            PROGRAM.replace("double", "doubel"),
            ["doubel.s: there is no such file", "work.toml:2:10"],
        ),
        (
            "[[variant]]\nshipped = \"axpi\"".to_owned(),
            ["there is no kernel `axpi`", "did you mean `axpy`?"],
        ),
        (format!("{PROGRAM}needs = [\"words\"]"), ["`words` is not an extension", "[C0903]"]),
        (format!("{TWICE}{TWICE}"), ["[C0701]", "duplicate"]),
        (format!("{PROGRAM}{TWICE}"), ["two variants are called `double`", "a `name` of its own"]),
        (format!("{TWICE}[arguments]\nn = [1]\n"), ["arguments.n is a list", "[C0703]"]),
        (format!("{TWICE}[check]\ncommand = []\n"), ["check.command is a list", "[C0703]"]),
    ]);
}

#[test]
fn what_an_array_does_not_take_is_told() {
    let cases = [
        ("fiel = \"x.npy\"", ["an array has no key `fiel`", "did you mean `file`?"]),
        ("", ["array.x says nothing", "[C0705]"]),
        (
            "file = \"x.npy\"\nfill = 1",
            ["array.x.file and array.x.fill both give values", "[C0702]"],
        ),
        ("file = \"x.npy\"\nseed = 1", ["array.x.seed goes with random only", "[C0702]"]),
        ("file = \"x.npy\"\nedge = \"wrap\"", ["array.x.edge goes with [[pass]] only", "[C0702]"]),
        ("file = \"text.npy\"", ["text.npy: ", "[C0901]"]),
        ("fill = 1", ["`array.x.shape` is missing", "[C0705]"]),
        ("fill = 1\nshape = [4, 0]", ["array.x.shape[1] is 0; it takes 1 to", "[C0704]"]),
        (
            "fill = 1\nshape = [268435456, 2]",
            ["makes 536870912 elements; an array has at most 268435456", "[C0704]"],
        ),
        (
            "random = \"uniform\"\nshape = [4]\ntype = \"int32\"",
            ["which cannot be int32: it is not a whole number", "random = \"integers\""],
        ),
        (
            "random = \"normal\"\nlow = 0\nshape = [4]",
            ["array.x.low does not go with the distribution normal", "uniform and integers"],
        ),
        (
            "random = \"integers\"\nlow = 3\nhigh = 2\nshape = [4]",
            ["array.x.low is not below array.x.high", "[C0704]"],
        ),
        ("matrix = \"m.mtx\"", ["`array.x.part` is missing: one of \"values\"", "[C0705]"]),
        ("atol = 1", ["array.x.atol goes with expected only", "[C0702]"]),
        (
            "expected = \"x.npy\"\nrtol = -1",
            ["array.x.rtol is -1; it takes a number of at least 0", "[C0704]"],
        ),
        (
            "expected = \"x.npy\"\nvariants = [\"doubel\"]",
            ["there is no variant `doubel`; there is double", "[C0903]"],
        ),
    ];
    all_refused(&cases.map(|(keys, parts)| {
        (format!("[[variant]]\nsource = \"double.s\"\n[array.x]\n{keys}\n"), parts)
    }));
}

#[test]
fn arguments_and_arrays_that_do_not_fit_the_kernel_are_told() {
    for (more, part) in [
        ("[arguments]\nm = 4\n", "work.toml: arguments.m: `double` has no argument `m`"),
        ("[arguments]\nn = 2\n", "work.toml: array.x: "),
        ("[array.y]\nfile = \"x.npy\"\n", "work.toml: array.y: "),
    ] {
        let workload = workload(&format!("{TWICE}{more}"));
        let error = workload.execute(Request::default(), &mut |_: usize, _: usize| {}).unwrap_err();
        assert!(error.to_string().starts_with(part), "{more}: {error}");
    }
}

/// Returns the array `x` of a file with these keys, as a kernel would get it.
fn made(keys: &str) -> Array {
    let text = format!("[[variant]]\nsource = \"double.s\"\n[array.x]\n{keys}\n");
    opened(&text, memory()).unwrap_or_else(|e| panic!("{e}")).values("x").unwrap().clone()
}

#[test]
fn arrays_come_from_files_matrices_lists_and_rules() {
    assert_eq!(made("file = \"x.npy\"").to_floats(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(made("file = \"x.npy\"\ntype = \"int32\"").kind, NumberType::Int32);
    assert_eq!(made("values = [1, 2.5, -1e3, 1_000]").to_floats(), [1.0, 2.5, -1000.0, 1000.0]);
    let fill = made("fill = 0.5\nshape = [2, 3]\ntype = \"complex64\"");
    assert_eq!(
        (fill.shape.clone(), fill.value(5).to_string()),
        (vec![2, 3], "0.5+0.0j".to_owned())
    );
    let part = |part: &str| made(&format!("matrix = \"m.mtx\"\npart = \"{part}\""));
    let whole =
        |array: &Array| -> Vec<u64> { (0..array.len()).map(|k| array.bits(k) as u64).collect() };
    assert_eq!(part("values").to_floats(), [5.0, -1.0]);
    assert_eq!((whole(&part("columns")), whole(&part("starts"))), (vec![2, 0], vec![0, 1, 2]));
    let dense = part("dense");
    assert_eq!(
        (dense.shape.clone(), dense.to_floats()),
        (vec![2, 3], vec![0.0, 0.0, 5.0, -1.0, 0.0, 0.0])
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A seed gives the same numbers again, another one others, and all are in the range of the rule.
    #[test]
    fn random_arrays_are_those_of_their_seed_and_range(seed in 0_u32.., count in 1_usize..300, low in -50_i32..50, more in 1_i32..100) {
        let high = low + more;
        let keys = |seed: u32, rule: &str| format!("seed = {seed}\nshape = [{count}]\n{rule}");
        let range = format!("low = {low}\nhigh = {high}");
        for rule in ["random = \"uniform\"", "random = \"integers\"\ntype = \"int32\""] {
            let rule = format!("{rule}\n{range}");
            let array = made(&keys(seed, &rule));
            prop_assert_eq!(&array, &made(&keys(seed, &rule)));
            for k in 0..count {
                let value = match array.value(k) {
                    cp2_session::npy::Value::Int(n) => n as f64,
                    cp2_session::npy::Value::Float(x) => x,
                    cp2_session::npy::Value::Complex(..) => f64::NAN,
                };
                prop_assert!((f64::from(low)..=f64::from(high)).contains(&value), "{}", value);
            }
        }
        let order = made(&keys(seed, "random = \"permutation\"\ntype = \"int32\""));
        let mut numbers: Vec<u128> = (0..count).map(|k| order.bits(k)).collect();
        numbers.sort_unstable();
        prop_assert!(numbers.iter().enumerate().all(|(k, n)| k as u128 == *n));
    }

    /// Whatever a text is, it is read or refused.
    #[test]
    fn any_text_is_read_or_refused(text in "(\\[\\[variant\\]\\]|\\[array\\.x\\]|[a-z]{1,8} = |\"[a-z.]{0,6}\"|[0-9]{1,4}|\\[|\\]|\n| ){0,30}") {
        let _ = opened(&text, memory());
    }
}

#[test]
fn normal_numbers_have_their_mean_and_deviation() {
    let array = made("random = \"normal\"\nmean = 3\ndeviation = 2\nshape = [20000]");
    let values = array.to_floats();
    let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / 20000.0;
    let spread = values.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / 20000.0;
    // Within five standard errors.
    assert!((mean - 3.0).abs() < 5.0 * 2.0 / 20000_f64.sqrt(), "{mean}");
    assert!((spread.sqrt() - 2.0).abs() < 0.05, "{spread}");
}

/// `cp2 explain` shows what it says.
#[test]
fn the_examples_of_the_codes_are_wrong_and_right() {
    let all = cp2_asm::codes::all();
    let rows: Vec<_> = all.filter(|row| row.tool == Tool::Workloads).collect();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let (wrong, right) = row.example.texts().unwrap();
        assert!(refused(wrong).contains(row.code), "{}", refused(wrong));
        assert_eq!(refused(right), "", "{}", row.code);
    }
}
