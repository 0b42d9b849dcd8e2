//! Operations of cores with extensions.

use super::*;

/// Returns a core with an extension.
fn with(extensions: Extensions) -> Core {
    Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).expect("within the limits")
}

/// Loads and stores of 32-bit words by their numbers: in both halves of local memory, forth and back, past the end,
/// in all three modes of an address set, and over each other.
#[test]
fn words_by_their_numbers_are_translated() {
    let core = with(Extensions::WORD_ACCESS);
    for (n, m) in [(1, 0x1fff), (3, 0x1fff), (2, 0x1fff), (1, 0), (5, 0x7f)] {
        for place in [0, 7, 4095, 8190] {
            let text = format!(
                "        .requires word-access
        .kernel words
        | seti a0, {place}
        | seti a1, {place}
        | seti n0, {n}
        | seti n1, {n}
        | seti m0, {m}
        | doi 60, last
        psadd f4, f0, f20 | lh32np f0.hi, (r0)+n0, 0
        psadd f5, f4, f21 | lh32nm f1.lo, (r0)-n0, 1
        psmul f6, f5, f22 | sh32np f4.lo, (r0)+n0, 0
        | lh32np f2.lo, (r0)+n0, 0
        | sh32nm f1.hi, (r1)-n1, 1
        | lwo f3, (r1)+0
{}last:   | sh32np f6.hi, (r0)+n0, 1
        | nop
        | sync
        | stopi 0
",
                nops(12)
            );
            let translated = compare(&text, &machine_on(&core, &text));
            assert!(translated > 1000 || !cp2_fast::is_supported(), "{translated}\n{text}");
        }
    }
}

/// Accesses at shared addresses, which step round the end of the memory, and at its last words; in the last loop sums
/// overflow in some pass, so that passes before it are taken back.
#[test]
fn accesses_at_shared_addresses_are_translated() {
    let core = with(Extensions::SHARED_MEMORY);
    for (first, offset) in [(0, 4), (1018, 1), (5, -3), (1023, 1023), (77, -1024)] {
        let text = format!(
            "        .requires shared-memory
        .kernel shared
        | seti g1, {first}
        | seti g2, 30
        | setq r0, g1
        | doi 60, last
        | lqo f0, (r0){offset:+}
        | sqi f3, 1022
        | lqi f6, 1021
        psadd f4, f0, f20 | lqbo f1, (r0)+1
        psadd f3, f3, f8 | sqo f4, (r0)-1
        | sqso f1, (r0)+2, s2
        | setq r1, g2
        | sqsi f5, 1023, s1
        | lqbo f2, (r1){offset:+}
        psmul f5, f2, f21 | lqo f7, (r1)-1
{}last:   | sqo f7, (r1)+0
        | nop
        | sync
        | stopi 0
",
            nops(12)
        );
        let mut cp2 = machine_on(&core, &text);
        let words = cp2.state.lmem.concat();
        cp2.state.shared.iter_mut().zip(words).for_each(|(to, from)| *to = from);
        let translated = compare(&text, &cp2);
        assert!(translated > 1000 || !cp2_fast::is_supported(), "{translated}\n{text}");
        let float = |x: f32| u64::from(x.to_bits());
        cp2.state.fpr[3] = [float(3.0e38) << 32 | float(1.0); 4];
        cp2.state.fpr[8] = [float(1.0e36) << 32 | float(1.0); 4];
        compare(&text, &cp2);
    }
}
