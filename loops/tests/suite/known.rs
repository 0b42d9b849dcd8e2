//! Nests with known maps and numbers of threads, each checked by enumeration.

use crate::kit::nest;
use crate::nests as n;
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::{NestAnalysis, StorageRule, ThreadStep};
use cp2_loops::{check_threads, sample_parameters};
use cp2_nest::Nest;

/// Returns how a nest is mapped, in a line: dimension of the independent instances, step, and the maps of all statements.
fn mapped(text: &str, rule: StorageRule) -> String {
    // The one nest whose threads are not affine has two.
    let lost = usize::from(text == n::EVERY_SECOND);
    mapped_nest(&nest(text), rule, lost)
}

/// Returns how a nest is mapped whose maps make `lost` threads less than there could be.
fn mapped_nest(nest: &Nest, rule: StorageRule, lost: usize) -> String {
    let library = IslLibrary::default();
    let analysis = NestAnalysis::new(nest, &library).unwrap();
    let plan = analysis.threads(rule).unwrap();
    let samples = sample_parameters(nest);
    assert!(!samples.is_empty(), "{}", nest.name);
    for sample in samples {
        let check = check_threads(&analysis, &plan.maps, rule, &sample).unwrap();
        // With storage of its own, the assignment in the middle of a swap is independent of the other two.
        let is_swap = nest.name == "swap" && rule == StorageRule::Expanded;
        let most = if is_swap { check.most / 2 } else { check.most };
        assert_eq!(check.threads + lost, most, "{} {sample:?}", nest.name);
    }
    let step = match plan.step {
        ThreadStep::OneToOne => "steps",
        ThreadStep::Fallback => "fallback",
        ThreadStep::Demanded => "demanded",
        ThreadStep::Sequential => "sequential",
    };
    let map = |forms: &Vec<_>| {
        forms.iter().map(|form| nest.form_text(form)).collect::<Vec<_>>().join(", ")
    };
    let maps: Vec<_> = plan.maps.iter().map(|forms| format!("({})", map(forms))).collect();
    format!("{} {step} {}", plan.space.dimensions, maps.join(" "))
}

#[test]
fn maps_are_the_known_ones() {
    let known = [
        (n::POLYNOMIAL, "1 steps (i + N - k) (i + N - k)"),
        (n::PRODUCT, "2 steps (i, j)"),
        (n::PRODUCT_FROM_ZERO, "2 steps (i, j) (i, j)"),
        (n::FLOYD_BLOCK, "2 steps (i - i0, j - j0)"),
        (n::FLOYD_ROWS, "1 steps (j - j0)"),
        (n::FLOYD_COLUMNS, "1 steps (i - i0)"),
        (n::FLOYD, "0 sequential ()"),
        (n::FIVE_POINTS, "2 steps (i - 1, j - 1)"),
        (n::THREE_POINTS_IN_TIME, "1 sequential () ()"),
        (n::FIVE_POINTS_IN_TIME, "2 sequential () ()"),
        (n::SHIFTED, "1 steps (i) (i - 1)"),
        (n::TWO_NEIGHBOURS, "1 sequential () ()"),
        (n::MATRIX_VECTOR, "1 steps (i)"),
        (n::FIR, "1 steps (n)"),
        (n::TRIANGULAR, "1 sequential ()"),
        (n::TRIANGULAR_RIGHT_SIDES, "2 fallback (r)"),
        (n::TRANSPOSE, "2 steps (i, j)"),
        (n::TRANSPOSE_IN_PLACE, "2 steps (i - 1, j) (i - 1, j) (i - 1, j)"),
        (n::SWAP_THROUGH_A_SCALAR, "0 sequential () () ()"),
        (n::ANTI_ONLY, "0 sequential ()"),
        (n::OUTPUT_ONLY, "1 steps (i)"),
        (n::DIAGONAL, "1 steps (j + N - i - 1)"),
        (n::KNIGHT, "2 fallback (j + 2*N - 2*i - 1)"),
        (n::TRIANGLE_COLUMNS, "1 steps (j)"),
        (n::EVERY_SECOND, "1 sequential ()"),
        (n::SUM, "0 sequential ()"),
    ];
    let found: Vec<_> = known.iter().map(|(text, _)| mapped(text, StorageRule::Kept)).collect();
    let expected: Vec<_> = known.iter().map(|(_, map)| (*map).to_owned()).collect();
    assert_eq!(found, expected);
}

/// Returns how the parts of the body of the outermost loop are mapped.
fn phases(text: &str) -> Vec<String> {
    let nest = nest(text);
    let phased = nest.phases().unwrap();
    phased.phases.iter().map(|part| mapped_nest(part, StorageRule::Kept, 0)).collect()
}

#[test]
fn parts_of_a_sequential_loop_have_threads_in_each_iteration() {
    assert_eq!(phases(n::LU), ["1 steps (i - k - 1)", "2 steps (i - k - 1, j - k - 1)"]);
    assert_eq!(phases(n::FIVE_POINTS_IN_TIME), ["2 steps (i - 1, j - 1)"; 2]);
    assert_eq!(phases(n::FLOYD_IN_PARTS), ["1 steps (j)", "1 steps (i)", "2 steps (i, j)"]);
    assert_eq!(phases(n::FLOYD), ["2 sequential ()"]);
    assert!(nest(n::TWO_NEIGHBOURS).phases().is_none());
}

#[test]
fn storage_of_its_own_for_each_iteration_gives_threads_back() {
    assert_eq!(mapped(n::SWAP_THROUGH_A_SCALAR, StorageRule::Expanded), "1 steps (i) (i) (i)");
    assert_eq!(mapped(n::ANTI_ONLY, StorageRule::Expanded), "1 steps (i)");
    assert_eq!(mapped(n::SUM, StorageRule::Reduced), "1 steps (i)");
}

#[test]
fn the_worked_example_has_its_multipliers() {
    let (nest, library) = (nest(n::POLYNOMIAL), IslLibrary::default());
    let analysis = NestAnalysis::new(&nest, &library).unwrap();
    let plan = analysis.threads(StorageRule::Kept).unwrap();
    assert_eq!(plan.multipliers, [[vec![0, 1, 0, 0, 1], vec![1, 1, 0, 0, 1]]]);
}
