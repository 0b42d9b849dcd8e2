//! `cp2 star`: programs, graphs, results, pictures, exit codes.

use super::kit::Folder;

/// Graph of the worked example of shortest paths.
const PATHS: &str = "c worked example\np sp 8 11\na 1 2 2\na 1 3 1\na 2 4 3\na 3 4 6\na 4 5 2\na 4 6 4\na 6 5 1\na 6 8 1\na 3 7 5\na 7 6 4\na 5 8 6\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("g.gr", PATHS);
    folder.write("more.txt", "# one arc\n3 6 2\n");
    folder
}

#[test]
fn paths_of_a_graph_are_reported_with_counts() {
    insta::assert_snapshot!(folder().expect(0, "star paths --graph g.gr --bits 4"));
}

#[test]
fn results_go_to_files() {
    let folder = folder();
    let stores =
        "--store Dist=d.csv --store SPT=p.csv:parents --store Dist=d.npy --store SPT=t.npy";
    folder
        .expect(0, &format!("star paths-insert --graph g.gr --bits 4 --insert more.txt {stores}"));
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap().replace('\n', " ");
    assert_eq!(text("d.csv"), "0 2 1 5 4 3 6 4 ");
    assert_eq!(text("p.csv"), "0 1 1 2 6 3 3 6 ");
    let bytes = std::fs::read(folder.path("d.npy")).unwrap();
    let numbers: Vec<u64> = bytes[bytes.len() - 64..]
        .chunks_exact(8)
        .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
        .collect();
    assert_eq!(numbers, [0, 2, 1, 5, 4, 3, 6, 4]);
    let head = std::fs::read(folder.path("t.npy")).unwrap();
    assert!(
        String::from_utf8_lossy(&head).contains("'|u1', 'fortran_order': False, 'shape': (8, 8)")
    );
    // A tree of parents has no csv of distances; a slice has no parents.
    folder.expect(2, "star reachability --graph g.gr --store RV=rv.npy:parents");
    folder.expect(2, "star reachability --graph g.gr --store R=rv.npy");
}

#[test]
fn steps_are_text_or_a_page() {
    let folder = folder();
    let text = folder.expect(0, "star reachability --graph g.gr --steps - --step-limit 4");
    let begin = "    1  line 11: RV(s) := 1;\n           RV = 10000000\n    2  line 12: Y := COL(s, G);\n           Y = 01100000\n";
    assert!(text.starts_with(begin), "{text}");
    assert!(text.ends_with("The run goes on; only the first 4 steps were kept.\n"), "{text}");
    folder.expect(0, "star paths --graph g.gr --bits 4 --steps run.html");
    let page = std::fs::read_to_string(folder.path("run.html")).unwrap();
    assert!(page.contains("<title>paths</title>") && page.ends_with("</html>\n"));
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("@DATA@"));
    let data = page.split("type=\"application/json\">").nth(1).unwrap();
    let data = data.split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!((data["rows"].as_u64(), data["cut"].as_bool()), (Some(8), Some(false)));
    // The last value of Dist is the result.
    let variables = data["variables"].as_array().unwrap();
    let dist = variables.iter().position(|variable| variable["name"] == "Dist").unwrap();
    let changes =
        data["steps"].as_array().unwrap().iter().flat_map(|step| step[3].as_array().unwrap());
    let last = changes.rev().find(|change| change[0] == dist).unwrap();
    assert_eq!(last[1][7], "1010");
}

#[test]
fn a_program_of_ones_own_runs_on_given_values() {
    let folder = folder();
    let text = "input X: slice;\ninput v: word[3];\ninput k: int;\noutput Y: slice;\nprocedure main() {\nMASK(Y,k);Y := Y and X;\n}\n";
    folder.write("own.star", text);
    let printed = folder.expect(0, "star own.star --rows 5 --arg X=01011 --arg v=011 --arg k=4");
    assert!(printed.contains("Y: slice = 01010\n"), "{printed}");
    let formatted = folder.expect(0, "star own.star --fmt");
    assert!(formatted.contains("    MASK(Y, k);\n    Y := Y and X;\n"), "{formatted}");
    folder.expect(0, "star own.star --check");
    assert!(
        folder
            .expect(2, "star own.star --rows 5 --arg X=0101")
            .contains("`X` takes 5 bits, and here are 4")
    );
    assert!(folder.expect(3, "star own.star --rows 5").contains("the input `X` has no value"));
    assert!(folder.expect(2, "star own.star").contains("how many rows?"));
    assert!(
        folder.expect(2, "star own.star --rows 5 --arg Z=1").contains("the inputs are X, v, k")
    );
}

#[test]
fn values_that_are_given_are_checked_like_those_of_the_graph() {
    let folder = folder();
    let sums = folder.expect(3, "star paths --graph g.gr --bits 4 --arg s=9");
    assert!(sums.contains("the source is row 9, and the graph has rows 1 to 8"), "{sums}");
    // From vertex 2 no path of this graph is too long, from vertex 1 one is.
    folder.write("heavy.gr", "p sp 8 2\na 1 2 16\na 2 3 16\n");
    let store = "--source 2 --store Weight=heavy.npy";
    folder.expect(0, &format!("star paths-insert --graph heavy.gr --bits 5 {store}"));
    let sums = folder.expect(3, "star paths --graph g.gr --bits 5 --load Weight=heavy.npy");
    assert!(sums.contains("from 2 to 3 is 32 long; with 5 bits the limit is 30"), "{sums}");
    folder.expect(0, "star paths --graph g.gr --bits 5 --load Weight=heavy.npy --arg s=2");
}

#[test]
fn cp2_gives_what_the_native_machine_gives() {
    let folder = folder();
    let run = |backend: &str| {
        let command = format!("star paths --graph g.gr --bits 4 --json --backend {backend}");
        serde_json::from_str::<serde_json::Value>(&folder.expect(0, &command)).unwrap()
    };
    let (native, mut cp2) = (run("native"), run("cp2"));
    assert!(native["cp2"].is_null());
    let work = cp2["cp2"].take();
    assert!(work["cycles"].as_u64() > work["kernels"].as_u64(), "{work}");
    assert_eq!(native, cp2);
    let text = folder.expect(0, "star paths --graph g.gr --bits 4 --backend cp2");
    assert!(text.contains("on CP2: ") && text.contains(" cycles; "), "{text}");
}

#[test]
fn outputs_are_written_all_or_none() {
    let folder = folder();
    let wrong = folder.expect(2, "star paths --graph g.gr --store Dist=d.csv:parents");
    assert!(wrong.contains("--store Dist: a table[h] has no parents; a table[n] has"), "{wrong}");
    // The adjacency of this graph has two ones in a row, which only the run tells.
    let text = "input G: table[n] from heads;\noutput T: table[n];\noutput k: int;\nprocedure main() {\n    TCOPY(G, T);\n}\n";
    folder.write("copy.star", text);
    let stores = "--store k=k.npy --store T=t.npy:parents";
    let wrong = folder.expect(3, &format!("star copy.star --graph g.gr {stores}"));
    assert!(wrong.contains("row 4 has several ones"), "{wrong}");
    assert!(!folder.path("k.npy").exists() && !folder.path("t.npy").exists());
}

#[test]
fn a_file_and_a_program_of_one_name_are_told_apart() {
    let folder = folder();
    folder.write("paths", "procedure main() {\n}\n");
    let wrong = folder.expect(2, "star paths --graph g.gr");
    assert!(wrong.contains("write ./paths for the file"), "{wrong}");
    folder.expect(0, "star ./paths --rows 3");
}

#[test]
fn exit_codes_tell_what_went_wrong() {
    let folder = folder();
    folder.write("wrong.star", "procedure main() {\n    var X: slise;\n    CLR(Y);\n}\n");
    let complaint = folder.expect(3, "star wrong.star --rows 5");
    assert!(complaint.contains("wrong.star:2:12: error: expected a type"), "{complaint}");
    assert!(complaint.contains("did you mean `slice`?"), "{complaint}");
    folder.write(
        "require.star",
        "procedure main() {\n    var X: slice;\n    require SOME(X), \"X is empty\";\n}\n",
    );
    assert!(
        folder
            .expect(1, "star require.star --rows 5")
            .contains("require.star:3:5: error: X is empty [C1012]")
    );
    folder.write("loop.star", "procedure main() {\n    while true {\n    }\n}\n");
    assert!(folder.expect(5, "star loop.star --rows 5 --max-statements 50").contains("[C1013]"));
    assert!(folder.expect(3, "star path --rmat 3").contains("did you mean `paths`?"));
    assert!(folder.expect(2, "star paths").contains("give --graph or --rmat"));
    assert!(
        folder
            .expect(3, "star paths --graph g.gr --source 9")
            .contains("the graph has no such vertex")
    );
    let sums = folder.expect(3, "star paths --graph g.gr --bits 3");
    assert!(sums.contains("with 3 bits the limit is 6, and 4 bits are enough"), "{sums}");
    folder.write("wrong.gr", "p sp 3 1\na 1 4 2\n");
    let wrong = folder.expect(3, "star paths --graph wrong.gr");
    assert!(
        wrong.contains("wrong.gr:2:5: error: vertex 4 is not there: they go from 1 to 3 [C1022]"),
        "{wrong}"
    );
}

#[test]
fn programs_and_the_library_are_listed() {
    let list = Folder::new().expect(0, "star --list");
    assert!(list.lines().count() == 10 && list.contains("paths-insert-nearest "), "{list}");
    let library = Folder::new().expect(0, "star --procedures");
    assert_eq!(library.lines().count(), 22);
    assert!(library.starts_with("I    MIN(T, X, Z)"), "{library}");
}

#[test]
fn closures_are_estimated_and_kernels_tell_where_to_look() {
    let folder = Folder::new();
    let estimate = folder.expect(0, "estimate star_closure_pages");
    assert!(estimate.contains("those by which the procedure counts its work"), "{estimate}");
    assert!(estimate.contains("star_closure_block + star_closure_page"), "{estimate}");
    let alone = folder.expect(2, "estimate star_min");
    assert!(alone.contains("star_min runs on CP2 alone and moves no data"), "{alone}");
    let large = folder.expect(3, "kernels run star_closure --machine vm9 --table-rows 2048");
    assert!(large.contains("star_closure_pages closes larger matrices"), "{large}");
    let rows = folder.expect(3, "kernels run star_min --table-rows 4096");
    assert!(rows.contains("at most 2048, for which there are registers; take the rows"), "{rows}");
}

#[test]
fn paths_on_a_whole_machine_are_those_of_the_program() {
    let folder = Folder::new();
    let resident = folder.expect(0, "star paths --rmat 5 --bits 12 --backend cp2 --machine vm9");
    assert!(resident.contains("the weights stay in local memory"), "{resident}");
    folder.write("more.txt", "1 2 0\n5 9 3\n9 5 1\n30 2 1\n7 12 2\n");
    for program in ["paths-insert", "paths-insert-nearest"] {
        let text = folder.expect(
            0,
            &format!(
                "star {program} --rmat 9 --bits 14 --insert more.txt --backend cp2 --machine vm9 --json"
            ),
        );
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let native = folder
            .expect(0, &format!("star {program} --rmat 9 --bits 14 --insert more.txt --json"));
        let native: serde_json::Value = serde_json::from_str(&native).unwrap();
        for key in ["counts", "outputs", "operations"] {
            assert_eq!(report[key], native[key], "{program}: {key}");
        }
        let work = &report["whole_machine"];
        assert_eq!(work["weights_stay"], false);
        let cycles = |key: &str| work[key].as_u64().unwrap();
        assert!(cycles("least_cycles") < cycles("kernel_cycles"), "{work}");
        assert!(cycles("kernel_cycles") < cycles("cycles"), "{work}");
    }
    let other = folder.expect(2, "star warshall --rmat 5 --backend cp2 --machine vm9");
    assert!(other.contains("`warshall` on CP2 alone"), "{other}");
    let native = folder.expect(2, "star paths --rmat 5 --machine vm9");
    assert!(native.contains("they are for programs with --backend cp2"), "{native}");
    let wide = folder.expect(3, "star paths --rmat 5 --bits 40 --backend cp2 --machine vm9");
    assert!(wide.contains("bits of a weight is 40; it must be 1 to 32"), "{wide}");
    let large = "kernels run star_paths --machine vm9 --vertices 9000 --weight-bits 32";
    let large = folder.expect(3, &format!("{large} --set core.local_memory_words=4096"));
    assert!(large.contains("words of local memory is 4266"), "{large}");
    assert!(large.contains("9000 vertices with weights of 32 bits take them"), "{large}");
}

#[test]
fn closures_have_the_limit_of_their_size() {
    let folder = Folder::new();
    let long = folder.expect(0, "kernels run star_closure --table-rows 1365");
    assert!(long.contains("0 wrong"), "{long}");
    let limited =
        folder.expect(5, "kernels run star_closure --table-rows 1365 --max-cycles 9999999");
    assert!(limited.contains("within 9999999 cycles"), "{limited}");
    let code = folder.expect(3, "kernels run star_closure4 --table-rows 1344 --machine vm9");
    assert!(code.contains("number of rows is 1344; it must be less"), "{code}");
}
