//! The fast engine against the reference engine on programs made for one of its decisions each: what
//! it keeps for a rollback, which accesses may wait, what it takes for granted. Loops of all kinds are
//! compared in `engine_loops`, programs of all kinds in `engines`.

use cp2_emu::state::status;
use cp2_emu::{Cp2, Difference, End};
use cp2_fast::{Fast, Host, what_differs};
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions, WordAddress};
use cp2_tests::at_random;

/// A machine with different ordinary numbers everywhere, and nothing left to learn of inexact results.
fn machine(text: &str) -> Cp2 {
    machine_on(&Core::CP2, text)
}

/// The same of this core.
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

/// A core like this one with other latencies and banks.
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

/// Compares the engines on one machine, on both kinds of host, and then on other cores. Tells how many
/// cycles of the machine itself were translated.
fn compare(text: &str, cp2: &Cp2) -> u64 {
    for (latencies, banks) in OTHERS {
        let core = changed(cp2.core(), latencies, banks);
        compare_on_both_hosts(text, &at_random::on(&core, cp2));
    }
    compare_on_both_hosts(text, cp2)
}

fn compare_on_both_hosts(text: &str, cp2: &Cp2) -> u64 {
    let mut reference = cp2.clone();
    let expected = reference.run_untraced(BundleAddress(0), 1_000_000);
    let core = cp2.core().changes();
    assert_eq!(expected.end, End::Stopped(0), "{core:?}\n{text}");
    let translated = [Host::Avx2, Host::Avx512].map(|host| {
        let mut fast = Fast::on(Some(host), cp2.clone());
        let run = fast.run_untraced(BundleAddress(0), 1_000_000);
        let different = what_differs((&reference, &expected), (fast.cp2(), &run));
        assert_eq!(different, None, "{host:?}, {core:?}\n{text}");
        fast.translated_cycles()
    });
    assert!(!cp2_fast::is_supported() || translated[0] > 0, "nothing was translated\n{text}");
    translated[0]
}

/// `count` bundles that do nothing.
fn nops(count: usize) -> String {
    "        | nop\n".repeat(count)
}

/// A loop that adds to a word in every pass and then goes to the next one by two steps; the numbers
/// become unusual in some pass, so that passes before it are taken back.
fn adding(begin: i32, first: i32, second: i32) -> String {
    format!(
        "        .kernel adding
        | seti a0, {begin}
        | doi 200, last
        | lwo f0, (r0)+0
{}        psadd f1, f0, f2 | nop
        psadd f3, f3, f4 | nop
{}        | swo f1, (r0){first:+}
last:   | updaddr (r0){second:+}
        | nop
        | sync
        | stopi 0
",
        nops(8),
        nops(24)
    )
}

#[test]
fn a_step_round_the_end_of_memory_is_taken_back() {
    for (first, second) in [(4095, 4095), (-4096, -4095), (1, 2), (-1, -1), (-4000, -4000)] {
        let text = adding(2000, first, second);
        compare(&text, &overflowing(&text));
    }
}

/// A machine whose sum in `f3` overflows after some 100 passes.
fn overflowing(text: &str) -> Cp2 {
    let mut cp2 = machine(text);
    let float = |x: f32| u64::from(x.to_bits());
    cp2.state.fpr[3] = [float(3.0e38) << 32 | float(1.0); 4];
    cp2.state.fpr[4] = [float(4.0e35) << 32 | float(1.0); 4];
    cp2
}

#[test]
fn words_at_an_address_that_is_set_anew_are_taken_back() {
    for change in ["seti a0, 300", "clr r0", "move a0, g3", "move a0, n1"] {
        let text = adding(2000, 0, 2).replace("updaddr (r0)+2", change);
        assert!(text.contains(change), "{text}");
        let mut cp2 = overflowing(&text);
        (cp2.state.gpr[3], cp2.state.n[1]) = (120, 77);
        compare(&text, &cp2);
    }
}

/// Exchanges two words while `n` sums are waiting for their use, one of which goes to memory last.
fn exchanging(n: usize) -> String {
    use std::fmt::Write as _;
    let mut text = "        .kernel exchanging
        | seti n0, 1
        | seti a0, 100
        | doi 3, last
        | ldo f0, (r0)+0
"
    .to_owned();
    text += &nops(8);
    for k in 0..n {
        let _ = writeln!(text, "        psadd f{}, f60, f61 | nop", 2 + k);
    }
    text += &nops(8);
    text.push_str("        | swo f1, (r0)+1\n");
    for k in 1..n {
        let _ = writeln!(text, "        psadd f{0}, f60, f{0} | nop", 2 + k);
    }
    text += &nops(8);
    text.push_str("        psadd f60, f60, f62 | swo f2, (r0)-1\nlast:   | nop\n        | nop\n        | sync\n        | stopi 0\n");
    text
}

#[test]
fn a_word_that_a_load_still_wants_is_not_overwritten_early() {
    for n in 1..50 {
        let text = exchanging(n);
        compare(&text, &machine(&text));
    }
}

/// Turns through the points of a circle, with an angle that recurs or does not.
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

/// One engine all along, while the machine is changed between the runs.
#[test]
fn changes_between_runs_are_seen() {
    let texts = [turning(0x100), turning(0), turning(0x1234), turning(0x100)];
    for host in [Host::Avx2, Host::Avx512] {
        let first = machine(&texts[0]);
        let (mut fast, mut reference) = (Fast::on(Some(host), first.clone()), first);
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
                "run {run}, {host:?}"
            );
            translated += fast.translated_cycles();
        }
        assert!(!cp2_fast::is_supported() || translated > 0);
    }
}

/// Stores and loads of the same words through sets that are apart at first and then meet, six of
/// them, so that one has no register of the host.
#[test]
fn sets_that_meet_on_the_way_see_each_others_words() {
    let all_places = [
        [0, 40, 80, 120, 160, 200],
        [100, 101, 102, 103, 104, 105],
        [4090, 4096, 5000, 8000, 8100, 4200],
    ];
    let all_steps =
        [[1, 0, -1, 2, -2, 1], [3, 1, 1, -3, -1, 2], [1, 1, 1, 1, 1, 1], [-4, 4, -4, 4, -4, 4]];
    for places in all_places {
        for steps in all_steps {
            let mut text = String::from("        .kernel meeting\n");
            for (k, place) in places.into_iter().enumerate() {
                text += &format!("        | seti a{k}, {place}\n");
            }
            text += "        | doi 90, last\n";
            for (k, step) in steps.into_iter().enumerate() {
                let (f, other) = (4 * k, (k + 3) % 6);
                text += &format!("        psadd f{}, f{f}, f50 | ldo f{f}, (r{k})+1\n", 30 + k);
                text += &format!("        | swo f{}, (r{other})-1\n", 4 * other);
                text += &format!("        | lwo f{}, (r{k})-1\n", f + 2);
                text += &format!("        | sdo f{f}, (r{other})+1\n");
                text += &format!(
                    "        pssub f{}, f51, f52 | swo f{}, (r{k}){step:+}\n",
                    40 + k,
                    30 + k
                );
            }
            text += &nops(8);
            text += "last:   | nop\n        | nop\n        | sync\n        | stopi 0\n";
            compare(&text, &machine(&text));
        }
    }
}

/// Loops whose bodies set an address anew after they have used it, or step it in a way that only the
/// run knows, so that passes do not begin where the steps of the one before lead.
#[test]
fn sets_that_a_body_sets_anew_begin_each_pass_where_they_should() {
    let changes = [
        "seti a0, 300",
        "move a0, g3",
        "move a0, n1",
        "seti a1, 4090",
        "clr r0",
        "updaddrnp (r0)+n0",
        "move n0, g3",
    ];
    for change in changes {
        for place in [0, 5, 4080, 8180] {
            let text = format!(
                "        .kernel anew
        | seti a0, {place}
        | seti a1, 700
        | seti n1, 9
        | seti n0, 3
        | seti g3, 120
        | doi 70, last
        psadd f4, f0, f20 | ldo f0, (r0)+2
        psadd f5, f4, f21 | swo f4, (r0)+3
        psmul f6, f5, f22 | sdo f4, (r1)+6
        | {change}
        | swnp f5, (r0)+n0
{}last:   | swo f6, (r1)-1
        | nop
        | sync
        | stopi 0
",
                nops(16)
            );
            compare(&text, &machine(&text));
        }
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
    for host in [Host::Avx2, Host::Avx512] {
        let mut reference = machine(&text);
        let mut fast = Fast::on(Some(host), reference.clone());
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
                "run {run}, {host:?}"
            );
            assert_eq!(
                Difference::first(&reference.state, &fast.cp2().state),
                None,
                "run {run}, {host:?}"
            );
            assert!(!cp2_fast::is_supported() || fast.translated_cycles() > 1000);
            banks.push(expected.stats.bank_accesses);
        }
        assert!(banks[0][0] > banks[0][1] && banks[1][1] > banks[1][0], "{banks:?}");
    }
}

/// What lands in one cycle with a load, in every pass of a loop: arithmetic results of all kinds, some
/// with a reader of the bypass between.
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

/// What STATUS becomes behind accesses of COMM and `mtc`, with translated code in between.
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
            let cp2 = at_random::on(&core(latencies, 2), &cp2);
            let translated = compare_on_both_hosts(&text, &cp2);
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
        let mut reference = at_random::on(&core, &machine(&text));
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

/// A core with an extension.
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
