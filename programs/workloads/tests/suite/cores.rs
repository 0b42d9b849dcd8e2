//! Kernels on other cores than CP2: kernels that are generated for other latencies and sizes give the right
//! results, and a kernel that a core cannot run is refused with the resource that is missing.

use cp2_evidence::golden::CYCLES as GOLDEN;
use cp2_isa::{Core, CoreNumbers};
use cp2_kernels::cmul::{self, Product};
use cp2_kernels::fft;
use cp2_workloads::bench::counted;
use cp2_workloads::bench::other::CoreReport;

fn core(change: impl FnOnce(&mut CoreNumbers)) -> Core {
    let mut numbers = *Core::CP2.numbers();
    change(&mut numbers);
    Core::new(numbers).unwrap()
}

fn arithmetic(latency: u32) -> Core {
    core(|numbers| numbers.arithmetic_latency = latency)
}

fn load(latency: u32) -> Core {
    core(|numbers| numbers.load_latency = latency)
}

/// Kernels whose bundles are in their final order.
const IN_ORDER: [&str; 20] = [
    "fft64_single",
    "fft64",
    "fft128",
    "fft256",
    "fft512",
    "fft1024",
    "fft2048",
    "fft4096",
    "fft64_columns",
    "fft64_columns_table",
    "fft64_columns_rows",
    "fft64_rows_table",
    "fft128_columns_table",
    "fft256_columns_table",
    "fft256_rows_table",
    "cmul",
    "chmul",
    "cscale",
    "spmv_direct_banded",
    "spmv_direct_stencil",
];

fn report(core: &Core, names: &[&str]) -> CoreReport {
    let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
    let golden = serde_json::from_str(GOLDEN).unwrap();
    CoreReport::new(core, &counted(&names).unwrap(), &golden, |_| {})
}

#[test]
fn kernels_in_order_are_right_for_other_latencies() {
    for core in [2, 4, 7, 12].map(arithmetic).into_iter().chain([2, 6].map(load)) {
        let report = report(&core, &IN_ORDER);
        for entry in &report.entries {
            let row =
                entry.row.as_ref().unwrap_or_else(|e| panic!("{:?}: {e}", report.core.changes()));
            assert!(
                row.verdict.is_right() == Some(true),
                "{:?}: {}",
                report.core.changes(),
                entry.kernel
            );
            assert!(row.percent() <= 100.0, "{:?}: {}", report.core.changes(), entry.kernel);
        }
    }
}

#[test]
fn phases_wait_where_latencies_are_too_long_for_their_order() {
    let bundles = |core: &Core, points: usize| {
        let text = fft::source(core, points).unwrap();
        let is_bundle = |line: &&str| line.starts_with("        ") && !line.contains(".kernel");
        text.lines().filter(is_bundle).count()
    };
    for points in fft::LENGTHS {
        let counts = [2, 8, 16, 32].map(|latency| bundles(&arithmetic(latency), points));
        assert!(counts.is_sorted(), "{points} points: {counts:?}");
        assert!(counts[1] < counts[3], "{points} points: {counts:?}");
    }
}

#[test]
fn a_shorter_latency_never_costs_cycles_of_a_product() {
    let fewest = |core: &Core| Product::ALL.map(|product| product.fewest(core));
    assert_eq!(fewest(&Core::CP2), [8, 8, 16]);
    assert_eq!(fewest(&arithmetic(2)), [8, 8, 16]);
    assert_eq!(fewest(&arithmetic(32)), [24, 24, 48]);
    assert_eq!(cmul::largest(&core(|numbers| numbers.local_memory_words = 4096)), 1024);
}

#[test]
fn smaller_memories_take_smaller_batches() {
    let small = core(|numbers| numbers.local_memory_words = 4096);
    assert_eq!([64, 2048, 4096].map(|n| fft::largest_batch(&small, n)), [32, 1, 1]);
    let least = core(|numbers| numbers.local_memory_words = 1024);
    assert_eq!([64, 512, 1024, 4096].map(|n| fft::largest_batch(&least, n)), [8, 1, 0, 0]);
    assert_eq!(fft::largest_batch(&least, 0), 0);
    let report = report(&least, &["fft512", "fft1024", "cmul", "resid", "fft128_columns"]);
    let messages = report.entries.iter().map(|entry| match &entry.row {
        Ok(row) => format!("{:?}", row.verdict.is_right()),
        Err(error) => error.to_string(),
    });
    let messages: Vec<_> = messages.collect();
    assert_eq!(messages[0], "Some(true)");
    assert_eq!(messages[1], "fft1024 needs 2048 words of local memory; this core has 1024");
    assert_eq!(messages[2], "Some(true)");
    assert!(
        messages[3].ends_with("1024 words of local memory; these need 4052"),
        "{}",
        messages[3]
    );
    assert_eq!(messages[4], "Some(true)");
    assert!(report.entries.iter().all(|entry| !entry.is_wrong()));
}

#[test]
fn what_a_core_has_too_little_of_is_named() {
    let few = core(|numbers| numbers.fprs = 63);
    let refused = fft::source(&few, 64).unwrap_err().to_string();
    assert_eq!(refused, "fft64 needs 64 floating-point registers; this core has 63");
    let few = core(|numbers| numbers.fprs = 32);
    assert!(Product::Plain.source(&few).is_ok());
    let refused = Product::Scale.source(&few).unwrap_err().to_string();
    assert_eq!(refused, "cscale needs 33 floating-point registers; this core has 32");
    let short = core(|numbers| numbers.instruction_memory_bundles = 64);
    let report = report(&short, &["fft64"]);
    let refused = report.entries[0].row.as_ref().unwrap_err().to_string();
    let missing = "fft64 needs 454 bundles of instruction memory; this core has 64";
    assert_eq!(refused, missing);
}

#[test]
fn the_report_names_what_differs_and_sets_cp2_beside() {
    let report = report(&arithmetic(4), &["cmul"]);
    assert_eq!(report.core.changes(), ["core.arithmetic_latency = 4 (CP2: 8)"]);
    let entry = &report.entries[0];
    assert_eq!((entry.usual, entry.usual_per_unit), (Some(1553), Some(1553.0 / 1024.0)));
    assert_eq!(entry.ratio(), Some(1.0));
    assert_eq!(counted(&["none".to_owned()]).err(), Some("none".to_owned()));
    assert_eq!(counted(&["cmul".to_owned(), "cmul".to_owned()]).unwrap().len(), 1);
}
