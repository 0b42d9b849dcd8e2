//! Banks that pointers move between.

use super::*;

/// A kernel whose two sets are in one bank, in the other, and in different ones from run to run: what
/// was translated for one bank may serve the other, and counts for it.
#[test]
fn runs_in_both_banks_count_where_they_are() {
    let text = format!(
        "        .kernel banks
        | doi 60, last
        psadd f4, f0, f20 | ldo f0, (r0)+2
        psadd f5, f4, f21 | lwo f8, (r1)+1
        psmul f6, f5, f22 | sdo f4, (r0)+4
        | swi f5, 4500
        | lwi f12, 90
        | swo f6, (r1)+3
{}last:   | nop
        | nop
        | sync
        | stopi 0
",
        nops(16)
    );
    let places = [[0, 2000], [4096, 6096], [1, 4097], [4097, 1], [3900, 3000], [7996, 7096]];
    for native_isa in [NativeIsa::Avx2, NativeIsa::Avx512] {
        let mut reference = machine(&text);
        let mut fast = Fast::with_native(Some(native_isa), reference.clone());
        let mut banks = Vec::new();
        for run in 0..3 * places.len() {
            let [first, second] = places[run % places.len()];
            for cp2 in [&mut reference, fast.cp2_mut()] {
                (cp2.state.a[0], cp2.state.a[1]) = (WordAddress(first), WordAddress(second));
            }
            let expected = reference.run_untraced(BundleAddress(0), 100_000);
            assert_eq!(
                fast.run_untraced(BundleAddress(0), 100_000),
                expected,
                "run {run}, {native_isa:?}"
            );
            assert_eq!(
                Difference::first(&reference.state, &fast.cp2().state),
                None,
                "run {run}, {native_isa:?}"
            );
            assert!(!cp2_fast::is_supported() || fast.translated_cycles() > 1000);
            banks.push(expected.stats.bank_accesses);
        }
        assert!(banks[0][0] > banks[0][1] && banks[1][1] > banks[1][0], "{banks:?}");
    }
}

/// Banks that pointers move between, in loops that are translated once: two sets that go through all of
/// local memory, a bank apart.
#[test]
fn loops_in_each_of_many_banks_count_there() {
    let text = format!(
        "        .kernel banks
        | doi 30, last
        psadd f4, f0, f20 | ldo f0, (r0)+2
        | swo f4, (r1)+1
        | lwnp f6, (r2)+n2
{}last:   | nop
        | nop
        | sync
        | stopi 0
",
        nops(16)
    );
    for banks in [1, 2, 4, 8] {
        let core = core([5, 2, 2, 2], banks);
        let mut reference = at_random::on_core(&core, &machine(&text));
        let mut fast = Fast::new(reference.clone());
        for run in 0..16 {
            let first = run * core.bank_words() as u16 / 2;
            for cp2 in [&mut reference, fast.cp2_mut()] {
                let state = &mut cp2.state;
                let at = |word: u16| WordAddress(word & core.address_mask());
                (state.a[0], state.a[1]) = (at(first + 100), at(first + 400));
                (state.a[2], state.n[2], state.m[2]) = (state.a[0], 512, 0x1000 | 63);
            }
            let expected = reference.run_untraced(BundleAddress(0), 100_000);
            assert_eq!(
                fast.run_untraced(BundleAddress(0), 100_000),
                expected,
                "run {run}, {banks} banks"
            );
            assert_eq!(Difference::first(&reference.state, &fast.cp2().state), None);
            assert!(!cp2_fast::is_supported() || fast.translated_cycles() > 500);
        }
    }
}
