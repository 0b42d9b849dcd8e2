//! The measurements of the STAR machine in `lab/data/star.csv`, from which a page of the book is made, against the counts of kernels in
//! `programs/golden/cycles.json`, which are those of today.

#![allow(clippy::unwrap_used, reason = "a test may panic")]
use std::collections::BTreeMap;

#[test]
fn measured_kernels_have_the_counts_of_today() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../programs/golden/cycles.json")).unwrap();
    let rows = golden["kernels"].as_array().unwrap();
    let counts: BTreeMap<&str, u64> = rows
        .iter()
        .map(|row| (row["kernel"].as_str().unwrap(), row["cycles"].as_u64().unwrap()))
        .collect();
    let mut compared = 0;
    for line in include_str!("../data/star.csv").lines().filter(|line| !line.starts_with('#')) {
        let [part, name, n, h, _, value] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let Some(count) = counts.get(name) else { continue };
        if part == "kernel" && n == "1024" && matches!(h, "32" | "0") {
            assert_eq!(value.parse(), Ok(*count), "{name}: measure anew");
            compared += 1;
        }
    }
    let of_star = counts.keys().filter(|name| name.starts_with("star_"));
    assert_eq!(compared, of_star.filter(|name| !name.starts_with("star_closure")).count());
}
