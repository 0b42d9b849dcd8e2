//! Results that land in one cycle.

use super::*;

/// Arithmetic results of all kinds that land in one cycle with a load, in every pass of a loop, some with a reader of the
/// bypass between.
#[test]
fn arithmetic_results_stay_against_loads_in_translated_loops() {
    let results = [
        "psadd f8, f0, f20",
        "caddsub f8, f0, f20, f9",
        "copy f8, f20",
        "recip f8.lo, f20.hi",
        "qsdot f8, f0, f2, 1",
        "swap64 f8, f9",
    ];
    let others =
        ["lwo f8, (r0)+1", "ldo f8, (r0)+2", "mtfpr f8, g1, all", "psprmsgn f8, f0, 0, 1, 2, 3"];
    for (result, other) in results.into_iter().flat_map(|r| others.map(|o| (r, o))) {
        for between in 2..6 {
            let text = format!(
                "        .kernel landing
        | seti a0, 100
        | seti a1, 4500
        | doi 60, last
        {result} | nop
{}        | {other}
        | nop
        | psprmsgn f12, f8, 3, 2, 1, 0
        | nop
        psmul f16, f8, f22 | swo f8, (r1)+1
{}last:   | swo f16, (r1)+1
        | swo f12, (r1)+1
        | sync
        | stopi 0
",
                nops(between),
                nops(9)
            );
            let mut cp2 = machine(&text);
            cp2.state.gpr[1] = 0x3f81_0000_3f82_0000;
            assert!(compare(&text, &cp2) > 1000 || !cp2_fast::is_supported(), "{text}");
        }
    }
}

/// Results of both halves of one bundle that land in one cycle on one register: the exchange operation's
/// stays, whatever its bundle's place.
#[test]
fn of_two_results_of_a_bundle_the_exchange_operations_stays() {
    for exchange in ["psprmsgn f8, f10, 2, 3, 0, 1", "mtfpr f8, g1, all", "mtfpr f8, g1, s2"] {
        for (latencies, stays) in [([4, 3, 4, 4], true), ([4, 3, 3, 3], false)] {
            let text = format!(
                "        .kernel together
        | seti a1, 4500
        | doi 60, last
        psadd f8, f0, f20 | {exchange}
{}        | swo f8, (r1)+1
{}last:   | nop
        | nop
        | sync
        | stopi 0
",
                nops(6),
                nops(9)
            );
            let mut cp2 = machine(&text);
            cp2.state.gpr[1] = 0x3f81_0000_3f82_0000;
            let cp2 = at_random::on_core(&core(latencies, 2), &cp2);
            let translated = compare_on_both_isas(&text, &cp2);
            // Collisions in some sections only are left to the reference engine.
            let is_whole = !stays || !exchange.ends_with("s2");
            assert!(!is_whole || translated > 500 || !cp2_fast::is_supported(), "{translated}");
            let mut reference = cp2.clone();
            reference.run_untraced(BundleAddress(0), 100_000);
            let moved =
                if exchange.starts_with("mt") { cp2.state.gpr[1] } else { cp2.state.fpr[11][2] };
            assert_eq!(reference.state.lmem[4510][2] == moved, stays, "{text}");
        }
    }
}
