//! `cp2 dma` as a user calls it.

use crate::kit::Folder;
use std::path::Path;

fn repository(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Returns a folder with the example, and one with a chain of its own.
fn pages() -> Folder {
    let folder = Folder::new();
    folder.write("pages.toml", repository("examples/pages.toml"));
    folder
}

fn with(chain: &str) -> Folder {
    let folder = Folder::new();
    folder.write("chain.toml", chain);
    folder
}

const GET: &str = "[[descriptor]]\nkind = \"get\"\nmemory = { base = 0x1000, burst = 4 }\nlocal = { base = 4, x = { step = 2, count = 1 } }\npattern = \"interleaved\"\n";

/// Returns the blocks of a page between ``` of these kinds.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let opening = format!("\n```{kind}\n");
    page.split(opening.as_str())
        .skip(1)
        .filter_map(|rest| rest.split_once("```").map(|(block, _)| block))
        .collect()
}

/// The worked example of the specification is the example of the repository, and prints what it says.
#[test]
fn the_worked_example_of_the_specification_is_true() {
    let page = repository("specs/src/chain.md");
    let example = repository("examples/pages.toml");
    assert!(example.contains(blocks(&page, "toml")[0]), "the page shows another file");
    let folder = Folder::new();
    std::fs::create_dir(folder.path("examples")).unwrap();
    folder.write("examples/pages.toml", example);
    let commands = blocks(&page, "sh");
    let outputs = blocks(&page, "text");
    let arguments = commands[0].trim().strip_prefix("cp2 ").unwrap();
    assert_eq!(folder.expect(0, arguments), outputs[0]);
    // `cp2 dma ... --picture specs/src/pictures/pages.svg` renews it.
    folder.expect(0, &format!("{arguments} --picture p.svg"));
    let picture = std::fs::read_to_string(folder.path("p.svg")).unwrap();
    assert!(picture == repository("specs/src/pictures/pages.svg"), "the picture is another one");
}

#[test]
fn the_report_is_also_json_and_a_map() {
    let folder = pages();
    insta::assert_snapshot!(folder.expect(0, "dma pages.toml --machine vm9 --release 2000 --map"));
    let text = folder.expect(0, "dma pages.toml --machine vm9 --release 2000 --json");
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["schema"], "cp2-dma-1");
    assert_eq!(report["end"]["kind"], "stopped");
    let causes = report["stats"]["causes"].as_object().unwrap();
    let sum: u64 = causes.values().map(|c| c["value"].as_u64().unwrap()).sum();
    assert_eq!(report["cycles"], sum);
}

#[test]
fn beats_have_one_row_each_in_every_form() {
    let folder = with(&format!("{GET}stop = true\n"));
    folder.write("in.bin", (0..64).collect::<Vec<u8>>());
    let run = "dma chain.toml --machine vm7 --memory in.bin@0x1000 --beat-values --beats";
    folder.expect(0, &format!("{run} b.csv"));
    folder.expect(0, &format!("{run} b.parquet"));
    let csv = std::fs::read_to_string(folder.path("b.csv")).unwrap();
    let parquet = std::fs::read(folder.path("b.parquet")).unwrap();
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    insta::assert_snapshot!(csv + &folder.expect(0, &format!("{run} -")));
}

#[test]
fn memory_and_local_memory_go_in_and_out() {
    let put = "[[descriptor]]\nkind = \"put\"\nmemory = { base = 0x2000, burst = 2 }\nlocal.base = 4\nlocal.index = \"i0.low\"\nmask = 0b0001\nrow_end_mask = 0b0001\nstop = true\n";
    let folder = with(&format!("[index]\ni0.low = 2\n{GET}{put}"));
    let bytes: Vec<u8> = (0..64).collect();
    folder.write("in.bin", &bytes);
    folder.write("old.bin", [0xee; 32]);
    folder.write("init.json", r#"{"lmem": [{"5": "1"}, {}, {}, {}]}"#);
    let run = "dma chain.toml --machine vm9 --memory in.bin@0x1000 --memory old.bin@8192 --local init.json";
    folder.expect(0, &format!("{run} --dump a.json --memory-out out.bin@0x2000+33"));
    let state = folder.json("a.json");
    assert_eq!(state["lmem"][1]["4"], "1011121314151617");
    assert_eq!(state["lmem"][0]["5"], "08090a0b0c0d0e0f", "written over");
    assert_eq!(state["ireg"][0], "0000000000000002");
    // Words 6 and 7 of sections 0 and 1, which are zeros, but for the first part of each beat.
    let mut out = vec![0; 33];
    out[..4].fill(0xee);
    out[16..20].fill(0xee);
    assert_eq!(std::fs::read(folder.path("out.bin")).unwrap(), out);
    // The state wins over the file's index registers, the last --register over all others.
    let zeros = vec!["0"; 16];
    folder.write("ireg.json", serde_json::json!({ "ireg": zeros }).to_string());
    let run = "dma chain.toml --machine vm9 --memory in.bin@0x1000 --local ireg.json";
    let registers = "--register curdsc=0 --register CURDSC=1 --register baseaddr=0x8000";
    folder.expect(
        0,
        &format!("{run} {registers} --memory-out table.bin@0x8000+8 --json --dump b.json"),
    );
    assert_eq!(folder.json("b.json")["lmem"][1].as_object().unwrap().len(), 0, "only the put ran");
    let words = std::fs::read(folder.path("table.bin")).unwrap();
    assert_eq!(words[..2], [0x84, 0x00], "a get, valid");
}

/// The elements of arrays are numbers, whatever their order of bytes in the file.
#[test]
fn arrays_come_as_big_endian_numbers() {
    let folder = with(&format!("{GET}stop = true\n"));
    folder.write("x.npy", crate::kit::npy("(8,)", 1.5, 8));
    folder.expect(0, "dma chain.toml --machine vm9 --memory x.npy@0x1000 --dump a.json");
    assert_eq!(folder.json("a.json")["lmem"][3]["5"], "3fc000003fc00000");
    let text = "{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }";
    let mut strings = b"\x93NUMPY\x01\x00".to_vec();
    strings.extend((text.len() as u16).to_le_bytes());
    strings.extend(text.as_bytes());
    strings.extend([0; 6]);
    folder.write("s.npy", strings);
    let text = folder.expect(3, "dma chain.toml --machine vm9 --memory s.npy@0x1000");
    assert!(text.contains("s.npy: elements of type '|S3' are not numbers"), "{text}");
    folder.write("cut.npy", &crate::kit::npy("(8,)", 1.5, 8)[..150]);
    let text = folder.expect(3, "dma chain.toml --machine vm9 --memory cut.npy@0x1000");
    assert!(text.contains("cut short: 22 of 64 bytes"), "{text}");
}

#[test]
fn toml_and_hex_go_into_each_other() {
    let folder = pages();
    folder.expect(0, "dma pages.toml --emit hex -o pages.hex");
    let hex = folder.expect(0, "dma pages.toml --emit hex");
    insta::assert_snapshot!(hex);
    let toml = folder.expect(0, "dma pages.hex --emit toml");
    insta::assert_snapshot!(toml);
    let (code, again) = folder.piped("dma - --emit hex", toml.as_bytes());
    assert_eq!(code, Some(0));
    let words = |text: &str| -> Vec<String> {
        text.lines().filter(|l| !l.starts_with(';')).map(str::to_owned).collect()
    };
    assert_eq!(words(&again), words(&hex));
    let (code, _) = folder.piped("dma - --format hex --emit toml", hex.as_bytes());
    assert_eq!(code, Some(0));
    let one =
        folder.expect(0, "dma pages.hex --machine vm9 --release 2000 --register baseaddr=0x200000");
    assert!(one.contains("1 descriptor") || one.contains("3 descriptors"), "{one}");
}

#[test]
fn faults_tell_the_descriptor_the_field_and_the_cycle() {
    for (chain, place, message) in [
        (
            GET.replace("0x1000", "0x1004"),
            "chain.toml:3:19",
            "memory base is 4100, which is not a multiple of 16 bytes",
        ),
        (
            GET.replace("burst = 4", "burst = 4, y = { step = 4, count = 2 }"),
            "chain.toml:3:51",
            "memory step y is 4",
        ),
        (
            GET.replace("0x1000", "0xfffff000"),
            "chain.toml:3:10",
            "16 bytes at address 0xfffff000 are outside system memory",
        ),
        (
            GET.to_owned(),
            "error",
            "it is not valid (bit 63 of its first word is 0); end a table with the stop bit",
        ),
        (
            format!("[registers]\naddrlim = 0x1010\nconfig = 1\nbaseaddr = 0x100\n{GET}"),
            "chain.toml:7:10",
            "the access to 0x00001010 is at or above the address limit 0x00001010 (ADDRLIM)",
        ),
        (
            "[[descriptor]]\nkind = \"copy\"\nfrom = { base = 0, burst = 2 }\nto.base = 64\n"
                .to_owned(),
            "chain.toml:4:1",
            "the source has 2 beats and the destination 1",
        ),
    ] {
        let folder = with(&chain);
        let text = folder.expect(4, "dma chain.toml --machine vm9");
        assert!(text.starts_with("stopped with a fault after "), "{text}");
        assert!(
            text.contains(&format!("{place}: error: DMA descriptor ")) || place == "error",
            "{text}"
        );
        assert!(text.contains(message) && text.contains("[C0710]"), "{text}");
    }
    let folder =
        with("[[descriptor]]\nkind = \"copy\"\nfrom.base = 0\nto.base = 64\nstop = true\n");
    folder.expect(0, "dma chain.toml --machine vm9");
    let text = folder.expect(4, "dma chain.toml --machine vm7");
    assert!(text.contains("chain.toml:2:8: error: DMA descriptor 0"), "{text}");
}

#[test]
fn a_chain_without_an_end_tells_why() {
    let folder =
        with("[[descriptor]]\nkind = \"jump\"\ntarget = \"relative\"\nindex = \"i0.low\"\n");
    let text = folder.expect(5, "dma chain.toml --machine vm9 --max-cycles 20000");
    assert!(
        text.contains("chain.toml:1:1: error: the chain did not end within 20000 cycles"),
        "{text}"
    );
    assert!(
        text.contains("the channel fetched descriptor 0") && text.contains("`stop = true`"),
        "{text}"
    );
    assert!(text.contains(" descriptors more\n"), "{text}");
    let folder = pages();
    let text = folder.expect(5, "dma pages.toml --machine vm9 --release 10");
    assert!(
        text.contains(": error: descriptor 2 waits for start_dma before its data since cycle"),
        "{text}"
    );
    assert!(
        text.contains("--release") && text.contains("start_dma in cycle 10 found no wait"),
        "{text}"
    );
    folder.expect(0, "dma pages.toml --machine vm9 --release-after 0");
    let text = folder.expect(0, "dma pages.toml --machine vm9 --stop-at 100");
    assert!(text.starts_with("stopped by the host after "), "{text}");
}

#[test]
fn bad_input_and_wrong_usage_are_refused() {
    let folder = pages();
    folder.write("in.bin", [0; 64]);
    for (code, arguments, message) in [
        (2, "dma pages.toml", "--machine"),
        (3, "dma none.toml --machine vm9", "cannot read none.toml"),
        (3, "dma pages.toml --machine vm9 --memory none.bin", "cannot read none.bin"),
        (2, "dma pages.toml --machine vm9 --memory in.bin@here", "`here` is not an address"),
        (3, "dma pages.toml --machine vm9 --memory in.bin@0x200040", "overlap; move one of them"),
        (
            3,
            "dma pages.toml --machine vm9 --memory in.bin@0xfffffff0",
            "in.bin: 64 bytes at address 0xfffffff0 are outside system memory",
        ),
        (
            3,
            "dma pages.toml --machine vm9 --memory-out o.bin@0xfffffff0+64",
            "--memory-out o.bin: 64 bytes",
        ),
        (2, "dma pages.toml --machine vm9 --memory-out o.bin@16", "write FILE@ADDRESS+BYTES"),
        (
            2,
            "dma pages.toml --machine vm9 --register status=1",
            "the names are daddr, curdsc, addrlim, intmask, baseaddr, config",
        ),
        (
            2,
            "dma pages.toml --machine vm9 --register daddr=4",
            "DADDR takes multiples of 8 from 0 to 4294967288",
        ),
        (2, "dma pages.toml --machine vm9 --beat-values", "--beats"),
        (2, "dma pages.toml --machine vm9 --map --json", "cannot be used with"),
        (2, "dma pages.toml --machine vm9 --release 5 --release-after 1", "cannot be used with"),
        (2, "dma pages.toml --machine vm9 --beats - --dump -", "two outputs go to standard output"),
        (3, "dma pages.toml --machine vm9 --picture no/such.svg", "cannot write no/such.svg"),
        (2, "dma pages.toml --machine vm9 --set dma.nothing=1", "--set dma.nothing=1"),
        (3, "dma pages.toml --machine vm9 --local in.bin", "in.bin: "),
    ] {
        let text = folder.expect(code, arguments);
        assert!(text.contains(message), "{arguments}\n{text}");
    }
    folder.write("latin.toml", b"# \xff");
    assert!(folder.expect(3, "dma latin.toml --machine vm9").contains("byte 2 is not UTF-8"));
    let folder = with("[[descriptor]]\nkind = \"get\"\nmemory = { base = 2, brust = 70 }\n");
    let text = folder.expect(3, "dma chain.toml --machine vm9");
    insta::assert_snapshot!(text);
}

/// The chip takes any value and drops bits 2:0, of the value after reset too.
#[test]
fn the_limit_of_addresses_takes_its_value_after_reset() {
    let folder = pages();
    let run = "dma pages.toml --machine vm9 --release-after 0 --json --register";
    let limit = |text: String| {
        let (text, note) = text.split_at(text.rfind('}').unwrap() + 1);
        let report: serde_json::Value = serde_json::from_str(text).unwrap();
        (report["registers"]["addrlim"].as_str().unwrap().to_owned(), note.to_owned())
    };
    let (kept, note) = limit(folder.expect(0, &format!("{run} addrlim=0xffffffff")));
    assert_eq!(kept, "fffffff8");
    assert!(note.contains("ADDRLIM = 0xffffffff is kept as 0xfffffff8"), "{note}");
    assert_eq!(
        limit(folder.expect(0, &format!("{run} addrlim=0xfffffff8"))),
        ("fffffff8".into(), "\n".into())
    );
    let given = format!("[registers]\naddrlim = 0xffffffff\n{GET}");
    let text = with(&given).expect(4, "dma chain.toml --machine vm9");
    assert!(!text.contains("C07") || text.contains("[C0710]"), "{text}");
    let text = folder.expect(2, &format!("{run} addrlim=0x100000000"));
    assert!(text.contains("ADDRLIM takes 0 to 4294967295"), "{text}");
}
