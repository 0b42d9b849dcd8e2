//! The fast engine against the reference engine on programs made for one of its decisions each: what
//! it keeps for a rollback, which accesses may wait, what it takes for granted. Loops of all kinds are
//! compared in `loops`, programs of all kinds in `engines`.

mod banks;
mod extended;
mod landing;
mod rollback;
mod sets;
mod state;

use cp2_emu::state::status;
use cp2_emu::{Cp2, Difference, End};
use cp2_fast::{Fast, NativeIsa, what_differs};
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions, WordAddress};
use cp2_tests::at_random;

/// Returns a machine of CP2 with different ordinary numbers everywhere, and nothing left to learn of inexact results, that
/// holds a text.
fn machine(text: &str) -> Cp2 {
    machine_on(&Core::CP2, text)
}

/// Returns a machine of a core with different ordinary numbers everywhere, and nothing left to learn of inexact results, that
/// holds a text.
fn machine_on(core: &Core, text: &str) -> Cp2 {
    let mut cp2 = cp2_tests::machine_on(core, text);
    let number = |k: usize| {
        let float = |k: usize| u64::from((1.0 + k as f32 / 65536.0).to_bits());
        float(2 * k) << 32 | float(2 * k + 1)
    };
    for (k, quad) in cp2.state.lmem.iter_mut().chain(cp2.state.fpr.iter_mut()).enumerate() {
        *quad = std::array::from_fn(|s| number(4 * (k % 8192) + s));
    }
    cp2.state.fcsr = [1 << 2; 4];
    cp2.state.status |= 1 << status::FPE_SHIFT;
    cp2
}

/// Arithmetic, load, psprmsgn and mtfpr latencies of other cores, and the banks of their local memory.
const OTHERS: [([u32; 4], u32); 4] =
    [([3, 2, 3, 3], 2), ([12, 6, 1, 5], 4), ([32, 16, 32, 1], 1), ([4, 4, 4, 4], 8)];

fn core(latencies: [u32; 4], banks: u32) -> Core {
    changed(&Core::CP2, latencies, banks)
}

/// Returns a core with other latencies and banks.
fn changed(core: &Core, latencies: [u32; 4], banks: u32) -> Core {
    let [arithmetic, load, psprmsgn, mtfpr] = latencies;
    let numbers = CoreNumbers {
        banks,
        arithmetic_latency: arithmetic,
        load_latency: load,
        psprmsgn_latency: psprmsgn,
        mtfpr_latency: mtfpr,
        ..*core.numbers()
    };
    Core::new(numbers).expect("numbers within their limits")
}

/// Compares the engines on one machine, for both instruction sets, and then on other cores. Returns how many cycles of the
/// machine itself were translated.
fn compare(text: &str, cp2: &Cp2) -> u64 {
    for (latencies, banks) in OTHERS {
        let core = changed(cp2.core(), latencies, banks);
        compare_on_both_isas(text, &at_random::on_core(&core, cp2));
    }
    compare_on_both_isas(text, cp2)
}

fn compare_on_both_isas(text: &str, cp2: &Cp2) -> u64 {
    let mut reference = cp2.clone();
    let expected = reference.run_untraced(BundleAddress(0), 1_000_000);
    let core = cp2.core().changes();
    assert_eq!(expected.end, End::Stopped(0), "{core:?}\n{text}");
    let translated = [NativeIsa::Avx2, NativeIsa::Avx512].map(|native_isa| {
        let mut fast = Fast::with_native(Some(native_isa), cp2.clone());
        let run = fast.run_untraced(BundleAddress(0), 1_000_000);
        let different = what_differs((&reference, &expected), (fast.cp2(), &run));
        assert_eq!(different, None, "{native_isa:?}, {core:?}\n{text}");
        fast.translated_cycles()
    });
    assert!(!cp2_fast::is_supported() || translated[0] > 0, "nothing was translated\n{text}");
    translated[0]
}

/// Returns the text of `count` bundles that do nothing.
fn nops(count: usize) -> String {
    "        | nop\n".repeat(count)
}
