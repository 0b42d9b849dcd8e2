//! `cp2 cluster run program`.

use crate::kit::Folder;
use serde_json::Value;
use std::path::Path;

/// Returns the words of a run of a program of `programs/c/built`.
fn run(name: &str, options: &str) -> String {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/c/built");
    format!("cluster run program {} {options}", built.join(name).display())
}

#[test]
fn a_program_prints_and_its_time_is_reported() {
    let folder = Folder::new();
    let options = "--processors 4 --topology vm9-chips";
    let text = folder.expect(0, &run("mpi_ring.elf", &format!("{options} --time")));
    assert!(text.starts_with("around 4 ranks: 6, from rank 3 with tag 7\n"), "{text}");
    assert!(text.contains("mpi_ring.elf on 4 processors of vm9, topology vm9-chips\n"), "{text}");
    assert!(text.contains("\n        0       36566      36.6 "), "{text}");
    assert!(text.contains("busiest link") && text.contains("message.send_ns: 500 cycles"));
    let plain = folder.expect(0, &run("mpi_ring.elf", options));
    assert!(text.starts_with(&plain), "{plain}");
    let goal = folder.expect(0, &run("mpi_ring.elf", &format!("{options} --goal -")));
    assert!(goal.contains("num_ranks 4\n\nrank 0 {\nl1: calc "), "{goal}");
}

#[test]
fn the_report_of_a_program_is_the_same_for_any_number_of_threads_and_engine() {
    let folder = Folder::new();
    let options = "--processors 6 --grid 3x2x1 --json";
    let one = folder.expect(0, &run("mpi_boards.elf", &format!("{options} --threads 1")));
    for other in ["--threads 3", "--engine reference"] {
        assert_eq!(one, folder.expect(0, &run("mpi_boards.elf", &format!("{options} {other}"))));
    }
    let report: Value = serde_json::from_str(&one).unwrap();
    let schema: Value = serde_json::from_str(&folder.expect(0, "schema cluster-program")).unwrap();
    let names = |of: &Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert!(names(&report).iter().all(|name| names(&schema["properties"]).contains(name)));
    let ranks = report["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 6);
    for rank in ranks {
        let causes = ["computing", "overhead", "wire", "latency", "contention", "late_neighbour"];
        let sum: f64 =
            causes.iter().map(|cause| rank[format!("{cause}_us")].as_f64().unwrap()).sum();
        assert!((sum - rank["us"].as_f64().unwrap()).abs() < 1e-6, "{rank}");
        assert_eq!(rank["kernels"], 7, "{rank}");
    }
    assert!(report["output"].as_str().unwrap().starts_with("rank 0: "), "{report}");
}

#[test]
fn errors_of_programs_have_their_exit_codes_and_sentences() {
    let folder = Folder::new();
    let wrong = |code, options: &str| folder.expect(code, &run("mpi_wrong.elf", options));
    assert!(wrong(4, "--processors 2").contains("cp2: error: deadlock: nobody sends what"));
    let text = wrong(4, "--processors 3");
    assert!(text.contains("cp2: error: rank 2: MPI_Recv at main+"), "{text}");
    assert!(wrong(5, "--processors 10 --max-cycles 900000").contains("within 900000 cycles"));
    assert!(wrong(4, "--processors 8").contains("messages were not received; the first is tag 11"));
    assert!(wrong(2, "--processors 4 --grid 3x1x1").contains("is not that of --processors, 4"));
    assert!(wrong(3, "--processors 4 --topology vm7-pair").contains("give --processors 2"));
    assert!(wrong(3, "--set cpu.clock_mhz=999").contains("no whole number of ticks of 1/84 ns"));
    assert!(wrong(3, "--set memory.size_mib=1").contains("has no memory"));
    // Exit codes of programs: the first that is not 0.
    assert!(wrong(5, "--processors 19").contains("rank 18 begins"));
    folder.write("text.elf", "no program");
    let text = folder.expect(3, "cluster run program text.elf");
    assert!(text.contains("this is no program of the control processor"), "{text}");
    assert!(folder.expect(3, "cluster run program absent.elf").contains("absent.elf"));
}

#[test]
fn every_processor_is_recorded() {
    let folder = Folder::new();
    let text = folder.expect(0, &run("mpi_boards.elf", "--processors 3 --record ranks"));
    assert_eq!(text, folder.expect(0, &run("mpi_boards.elf", "--processors 3")));
    for rank in 0..3 {
        let told = folder.expect(0, &format!("stats ranks/rank-{rank}.cp2rec"));
        assert!(told.contains(" psmul") && told.contains("loop at scale.s:10"), "{told}");
        folder.expect(0, &format!("stats ranks/rank-{rank}.cp2rec --verify"));
    }
    // What was recorded before a failure stays.
    folder.expect(4, &run("mpi_wrong.elf", "--processors 2 --record wrong"));
    assert!(folder.expect(0, "stats wrong/rank-1.cp2rec").contains("no kernel ran"));
}

#[test]
fn a_program_has_the_arguments_of_the_run() {
    let folder = Folder::new();
    let steps = |steps: &str| folder.expect(0, &run("mpi_stencil.elf", &format!("-- {steps}")));
    assert!(steps("100").starts_with("largest change 0.174211502\n"));
    assert_eq!(steps("60"), folder.expect(0, &run("mpi_stencil.elf", "")));
    let many = folder.expect(4, &run("mpi_ring.elf", &format!("--{}", " 1".repeat(33))));
    assert!(
        many.contains("MPI_Init at main+") && many.contains("more than 32 arguments"),
        "{many}"
    );
    let long = folder.expect(4, &run("mpi_ring.elf", &format!("-- {}", "x".repeat(1024))));
    assert!(long.contains("the arguments have 1025 bytes, and the program has room for 1024"));
}
