//! Commands that run a program take its arguments and arrays, and refuse a run without them.

use super::arrays::{NEGATE, example, floats, read};
use super::kit::Folder;
use serde_json::Value;

/// Commands that look at a run, with what they need beside the program.
const LOOKS: [(&str, &str); 4] =
    [("stats", ""), ("why", "--cycle 3"), ("report", "-o page.html"), ("diff", "negate.s")];

fn negate() -> Folder {
    let folder = Folder::new();
    folder.write("negate.s", NEGATE);
    let x: Vec<f32> = (1..=16).map(|i| i as f32).collect();
    folder.write("x.npy", floats("(16,)", &x));
    folder
}

#[test]
fn a_look_at_a_program_without_its_data_is_refused() {
    let folder = negate();
    let names = folder.names();
    for (verb, rest) in LOOKS {
        let text = folder.expect(3, &format!("{verb} negate.s {rest}"));
        let part =
            "argument n: `negate` needs it; give --arg n=VALUE, or load x, whose size gives it";
        assert!(text.contains(part), "{verb}: {text}");
        let text = folder.expect(3, &format!("{verb} negate.s {rest} --arg n=2"));
        let part = "array x: `negate` reads it, but nothing is loaded; give --load x=FILE.npy";
        assert!(text.contains(part), "{verb}: {text}");
        assert_eq!(folder.names(), names, "{verb}");
    }
}

#[test]
fn a_look_at_a_program_takes_what_run_takes() {
    let folder = negate();
    let account = |arguments: &str| -> Value {
        serde_json::from_str(&folder.expect(0, arguments)).expect("JSON")
    };
    folder.expect(0, "run negate.s --load x=x.npy --record r.cp2rec");
    let recorded = account("stats r.cp2rec --json");
    let run = account("stats negate.s --load x=x.npy --store y=y.npy --json");
    assert_eq!(run["profile"], recorded["profile"]);
    assert_eq!(read(&folder, "y.npy")[15], -16.0);
    folder.expect(0, "report negate.s --load x=x.npy -o page.html");
    let why = folder.expect(0, "why negate.s --load x=x.npy --value f1.s3@29");
    assert!(why.contains("(-15:-16)"), "{why}");
    // Words have the names of the elements in them.
    assert!(why.contains("[1].s3 (x[14..16]) = 4170000041800000"), "{why}");
    let slice = account("why negate.s --load x=x.npy --value f1.s3@29 --json");
    let nodes = slice["nodes"].as_array().expect("nodes");
    assert!(nodes.iter().any(|node| node["name"] == "x[14..16]"), "{slice}");
    // Registers and memory as they are, if that is what is wanted.
    folder.write("state.json", "{}");
    folder.expect(0, "stats negate.s --init state.json");
    let part = "two outputs go to standard output";
    assert!(folder.expect(2, "stats negate.s --load x=x.npy --store y=-").contains(part));
}

#[test]
fn both_sides_of_a_comparison_get_the_data_or_each_its_own() {
    let folder = negate();
    folder.write("other.npy", floats("(16,)", &[2.0; 16]));
    folder.write("long.npy", floats("(64,)", &[2.0; 64]));
    let same = folder.expect(0, "diff negate.s negate.s --load x=x.npy --store y=a.npy");
    assert!(same.contains("identical"), "{same}");
    let other = "diff negate.s negate.s --load x=x.npy --load-b x=other.npy --store-b y=b.npy";
    let found = folder.expect(1, other);
    assert!(found.contains("input: word 0 of section 0 is"), "{found}");
    assert_eq!((read(&folder, "a.npy")[0], read(&folder, "b.npy")[0]), (-1.0, -2.0));
    // What was recorded has its data.
    folder.expect(0, "run negate.s --load x=x.npy --record r.cp2rec");
    folder.expect(0, "diff r.cp2rec negate.s --load x=x.npy");
    folder.expect(1, "diff r.cp2rec negate.s --load-b x=other.npy");
    for (options, part) in [
        (
            "r.cp2rec r.cp2rec --load x=x.npy",
            "--load is for programs; a recording has its own machine and inputs",
        ),
        ("r.cp2rec r.cp2rec --set core.banks=4", "--set is for programs"),
        ("negate.s r.cp2rec --load x=x.npy --load-b x=x.npy", "--load-b is for programs"),
        ("negate.s r.cp2rec --load x=x.npy --set-b core.banks=4", "--set-b is for programs"),
        ("negate.s negate.s --load x=-", "standard input (`-`) is given twice"),
    ] {
        let text = folder.expect(2, &format!("diff {options}"));
        assert!(text.contains(part), "{options}: {text}");
    }
    for (verb, rest) in &LOOKS[..3] {
        for option in
            ["--load x=x.npy", "--arg n=2", "--entry 0", "--max-cycles 5", "--store y=y.npy"]
        {
            let text = folder.expect(2, &format!("{verb} r.cp2rec {rest} {option}"));
            assert!(text.contains("a recording has its own machine and inputs"), "{verb} {option}");
        }
    }
    assert!(folder.expect(2, "trace r.cp2rec --max-cycles 5").contains("for programs"));
}

#[test]
fn arrays_that_do_not_fit_are_told_as_such() {
    let folder = Folder::new();
    let source = example("fir/fir.s");
    let h = example("fir/h.npy");
    let complex = |shape: &str, n: usize| super::kit::npy(shape, 1.0, n);
    folder.write("turned.npy", complex("(2055, 4)", 4 * 2055));
    folder.write("odd.npy", complex("(4, 2050)", 4 * 2050));
    folder.write("flat.npy", complex("(8220,)", 4 * 2055));
    folder.write("five.npy", complex("(5, 2055)", 5 * 2055));
    folder.write("x.npy", complex("(4, 2055)", 4 * 2055));
    folder.write("negate.s", NEGATE);
    folder.write("twenty.npy", floats("(20,)", &[1.0; 20]));
    for (options, parts) in [
        (
            "--load x=turned.npy",
            ["has shape (2055, 4), and `fir` takes x of 4 x 8*n+7", "transposed"],
        ),
        ("--load x=odd.npy", ["axis 1 is 2050", "2047 with n = 255, 2055 with n = 256"]),
        (
            "--load x=flat.npy",
            ["has shape (8220,), and `fir` takes x of 4 x 8*n+7", "1 axis, not 2"],
        ),
        ("--load x=five.npy", ["axis 0 is 5, not 4", "`fir` takes x of 4 x 8*n+7"]),
        ("--load xx=x.npy", ["`fir` has no array `xx`", "did you mean `x`?"]),
        ("--load x=x.npy --arg nn=3", ["`fir` has no argument `nn`", "did you mean `n`?"]),
        ("--load x=x.npy --arg n=3", ["(4, 2055)", "= (4, 31)"]),
    ] {
        for verb in ["run", "stats"] {
            let text = folder.expect(3, &format!("{verb} {source} --load h={h} {options}"));
            for part in parts {
                assert!(text.contains(part), "{options}: {text}");
            }
            assert!(!text.contains("needs it"), "{options}: {text}");
        }
    }
    let text = folder.expect(3, "run negate.s --load x=twenty.npy");
    assert!(
        text.contains("20 elements") && text.contains("16 with n = 2, 24 with n = 3"),
        "{text}"
    );
}
