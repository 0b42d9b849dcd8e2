//! The page of the book is what the table gives.

#[test]
fn the_page_is_the_one_that_is_checked_in() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/src/k64.md");
    let text = std::fs::read_to_string(path).expect("the page");
    let command = "cargo run --release -p cp2-k64 --example page > specs/src/k64.md";
    assert!(text == cp2_k64::page::page(), "specs/src/k64.md is old: {command}");
}
