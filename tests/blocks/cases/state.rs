//! Angle, flags, status and whatever else a block takes for granted.

use super::*;

/// Returns a kernel that turns through the points of a circle, with an angle that recurs or does not.
fn turning(step: u32) -> String {
    format!(
        "        .kernel turning
        | seti g1, 0
        | seti g2, {step}
        | move rind, g1
        | move rstep, g2
        | seti a0, 4090
        | doi 60, last
        cbutterfly f0, f1 | swo f0, (r0)+1
        getcoeff f2 | move rind, g1
        cbutterfly f3, f4 | nop
{}last:   | nop
        | nop
        | sync
        | stopi 0
",
        nops(30)
    )
}

/// An engine runs several programs, while the machine is changed between the runs.
#[test]
fn changes_between_runs_are_seen() {
    let texts = [turning(0x100), turning(0), turning(0x1234), turning(0x100)];
    for native_isa in [NativeIsa::Avx2, NativeIsa::Avx512] {
        let first = machine(&texts[0]);
        let (mut fast, mut reference) = (Fast::with_native(Some(native_isa), first.clone()), first);
        let mut translated = 0;
        for run in 0..24 {
            let iram = machine(&texts[run / 2 % 4]).state.iram;
            for cp2 in [fast.cp2_mut(), &mut reference] {
                cp2.state.iram = iram.clone();
                let inverse = if run % 3 == 1 { 1 << 15 } else { 0 };
                cp2.state.control = inverse | (run as u64 / 5);
                cp2.state.n = [[1, 8191, 4096][run % 3]; 16];
            }
            assert_eq!(
                fast.run_untraced(BundleAddress(0), 100_000),
                reference.run_untraced(BundleAddress(0), 100_000)
            );
            assert_eq!(
                Difference::first(&reference.state, &fast.cp2().state),
                None,
                "run {run}, {native_isa:?}"
            );
            translated += fast.translated_cycles();
        }
        assert!(!cp2_fast::is_supported() || translated > 0);
    }
}

/// A loop in which only predicated operations have flags: those of an earlier pass stay in the sections
/// that the last one leaves out.
#[test]
fn flags_of_predicated_operations_stay_from_earlier_passes() {
    let text = format!(
        "        .kernel predicated
        | seti a0, 0
        | doi 40, last
        | lwo f0, (r0)+1
{}        c.lt.ps cc1, f0, f20 | nop
{}        if(cc1) psadd f1, f21, f22 | nop
{}last:   | nop
        | nop
        | nop
        | sync
        | stopi 0
",
        nops(6),
        nops(9),
        nops(12)
    );
    let mut cp2 = machine(&text);
    let pair = |x: f32| [u64::from(x.to_bits()) << 32 | u64::from(x.to_bits()); 4];
    // Each section takes part in passes of its own; the sum is inexact.
    for (pass, quad) in cp2.state.lmem.iter_mut().enumerate().take(40) {
        *quad = std::array::from_fn(|s| pair(if pass % 9 == s { 0.0 } else { 9.0 })[s]);
    }
    (cp2.state.fpr[20], cp2.state.fpr[21]) = (pair(1.0), pair(1.0));
    cp2.state.fpr[22] = pair(1.0e-7);
    assert!(compare(&text, &cp2) > 1000);
}

/// The angle beside its step, in loops that know it and in loops that do not, and PC wherever only some
/// iterations know it.
#[test]
fn scalars_that_a_bundle_changes_itself_are_read_in_translated_loops() {
    let moves = [
        "getcoeff f4 | move g2, rind",
        "getcoeff f4 | move n1, rind",
        "cbutterfly f4, f6 | move rind, rind",
        "cbutterfly f4, f6 | move rstep, rind",
        "getcoeff f4 | move a1, rind",
        "copy f4, f6 | move g2, pc",
    ];
    for (change, mask) in moves.into_iter().flat_map(|m| [(m, 0xffff), (m, 0xff)]) {
        let text = format!(
            "        .kernel angles
        | seti a1, 4500
        | move rstep, g4
        | doi 80, last
        {change}
        getcoeff f8 | mtfpr f10, g2, all
{}        | swo f8, (r1)+1
last:   copy f12, f8 | swnp f10, (r1)+n1
        and f14, f10, f20 | move g5, a1
        | sync
        | stopi 0
",
            nops(16)
        );
        let mut cp2 = machine(&text);
        (cp2.state.rind, cp2.state.rmask, cp2.state.gpr[4]) = (77, mask, 291);
        let translated = compare(&text, &cp2);
        assert!(translated > 1000 || !cp2_fast::is_supported(), "{translated}\n{text}");
        // PC on the way back of the loop, which the reference engine does.
        let back = text.replace("and f14, f10, f20 | move g5, a1", "| move g2, pc");
        let mut cp2 = machine(&back);
        (cp2.state.rmask, cp2.state.gpr[4]) = (mask, 3);
        compare(&back, &cp2);
    }
}

/// STATUS behind accesses of COMM and `mtc`, with translated code in between.
#[test]
fn changes_of_status_under_way_survive_translated_code() {
    for first in ["move comm, g1", "move g1, comm", "mtc f1, fcsr", "mtc f1, fccr"] {
        for between in 0..9 {
            let text = format!(
                "        .kernel mailbox
        | doi 40, last
        psadd f4, f5, f6 | nop
last:   psmul f7, f8, f9 | nop
        | nop
        {first}
{}        | move g2, status
        psadd f4, f5, f6 | move g3, status
        mfc f10, fcsr | nop
        | sync
        | stopi 0
",
                "        psadd f4, f5, f6 | nop\n".repeat(between)
            );
            let mut cp2 = machine(&text);
            cp2.state.status |= status::COMM_K64 | 0x20 << status::FPE_SHIFT;
            cp2.state.fpr[1] = [2 << 2 | 1 << 12; 4];
            compare(&text, &cp2);
        }
    }
}
