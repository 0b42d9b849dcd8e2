//! What runs show of their way: parts of traces, profiles; and what the command line tells of itself.

use super::kit::{Folder, twelve};

/// Returns a folder with a program of 1000 passes of a loop.
fn looping() -> Folder {
    let folder = Folder::new();
    folder.write(
        "loop.s",
        "| doi 1000, end\nend: | lwi f1, 7\npsadd f2, f2, f2\n| stopi 0\n.lmem all\n.org 7\n.quad 5\n",
    );
    folder
}

fn lines(folder: &Folder, name: &str) -> Vec<String> {
    std::fs::read_to_string(folder.path(name)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_window_of_a_trace_is_the_same_lines() {
    let folder = looping();
    folder.expect(0, "run loop.s --trace all.csv --trace-values");
    let all = lines(&folder, "all.csv");
    assert_eq!(all.len(), 1 + 2002);
    for (window, from, to) in
        [("500..503", 500, 503), ("..2", 0, 2), ("2000..", 2000, 2002), ("1..2", 1, 2)]
    {
        for engine in ["fast", "reference"] {
            let arguments = "run loop.s --trace w.csv --trace-values --trace-cycles";
            folder.expect(0, &format!("{arguments} {window} --engine {engine} --dump d.json"));
            let found = lines(&folder, "w.csv");
            assert_eq!(found[0], all[0]);
            assert_eq!(found[1..], all[1 + from..1 + to], "{window} on {engine}");
            assert_eq!(folder.json("d.json")["cycles"], 2002);
        }
    }
}

#[test]
fn a_trace_tells_address_value_label_and_line_of_a_load() {
    let folder = looping();
    folder.expect(0, "run loop.s --trace t.csv --trace-values --trace-cycles 1..2");
    let found = lines(&folder, "t.csv");
    let value = |column: &str| {
        let place = found[0].split(',').position(|name| name == column).unwrap();
        // The text of the operation has a comma of its own and stands in quotation marks.
        found[1].replace("\"lwi f1, 7\"", "lwi f1").split(',').nth(place).unwrap().to_owned()
    };
    assert_eq!((value("lmem_address"), value("lmem_words")), ("7".into(), "1".into()));
    assert_eq!((value("label"), value("label_offset")), ("end".into(), "0".into()));
    assert_eq!((value("file"), value("line")), ("loop.s".into(), "2".into()));
    assert_eq!(value("value_s3"), "0000000000000005");
    // An object has labels and lines too.
    folder.expect(0, "asm loop.s -o loop.o");
    folder.expect(0, "run loop.o --trace o.csv --trace-values --trace-cycles 1..2");
    assert_eq!(lines(&folder, "o.csv"), found);
}

#[test]
fn a_trace_ends_whole_at_its_limit_and_the_run_goes_on() {
    let folder = looping();
    folder.expect(0, "run loop.s --trace all.txt");
    let all = lines(&folder, "all.txt");
    for limit in ["0", "1KiB", "5000", "1 KiB"] {
        let limit = limit.replace(' ', "");
        let arguments = format!("run loop.s --trace t.txt --trace-limit {limit} --dump d.json");
        let text = folder.expect(0, &arguments);
        let found = lines(&folder, "t.txt");
        let told: usize = text
            .split("t.txt is complete up to cycle ")
            .nth(1)
            .and_then(|rest| rest.split(';').next()?.parse().ok())
            .unwrap_or_else(|| panic!("{text}"));
        // One operation in every cycle.
        assert_eq!(found[..], all[..1 + told], "{limit}");
        assert_eq!(folder.json("d.json")["cycles"], 2002);
    }
    let text = folder.expect(0, "run loop.s --trace t.txt --trace-limit none");
    assert!(!text.contains("complete up to"), "{text}");
    assert_eq!(lines(&folder, "t.txt"), all);
}

#[test]
fn a_profile_is_the_same_on_both_engines() {
    let folder = looping();
    let on = |engine: &str| folder.expect(0, &format!("run loop.s --profile --engine {engine}"));
    let text = on("fast");
    assert_eq!(text, on("reference"));
    assert!(text.contains("profile by label") && text.contains("loop at loop.s:1"), "{text}");
    assert!(text.contains("loop.s:3  psadd f2, f2, f2"), "{text}");
    folder.expect(0, "run loop.s --profile-folded f.folded");
    assert!(
        lines(&folder, "f.folded").contains(&"main;loop loop.s:1;end;loop.s:2 1000".to_owned())
    );
    let json = folder.expect(0, "run loop.s --profile --json");
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["profile"]["schema"], "cp2-profile-1");
    assert_eq!(json["profile"]["loops"][1]["causes"]["exchange_only"], 1000);
    assert_eq!(json["profile"]["cycles"], 2002);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let text = folder.expect(0, &format!("completions {shell}"));
        for word in ["kernels", "trace-cycles", "profile-folded"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    std::fs::write(folder.path("file"), "").unwrap();
    assert!(folder.expect(3, "man file").contains("file is not a folder"));
    folder.expect(0, "man made/man");
    let page = std::fs::read_to_string(folder.path("made/man/cp2-run.1")).unwrap();
    assert!(page.contains("trace\\-cycles") && page.contains(".SH SYNOPSIS"), "{page}");
    assert!(folder.path("made/man/cp2-kernels-run.1").exists());
    assert!(folder.expect(0, "man").contains("cp2\\-run(1)"));
}

#[test]
fn colours_are_there_when_they_are_asked_for() {
    let folder = twelve();
    folder.write("wrong.s", "nosuch f1\n");
    let escape = "\u{1b}[";
    assert!(!folder.expect(3, "asm wrong.s -o x.o").contains(escape));
    assert!(folder.expect(3, "asm wrong.s -o x.o --color always").contains(escape));
    assert!(!folder.expect(3, "asm wrong.s -o x.o --color never").contains(escape));
    assert!(folder.expect(2, "--color always nosuch").contains(escape));
    assert!(!folder.expect(2, "--color=never nosuch").contains(escape));
}
