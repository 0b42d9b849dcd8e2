//! The fast engine against the reference engine: kernels and random programs, everything compared.

use cp2_emu::{Cp2, State};
use cp2_fast::Fast;
use cp2_isa::BANK_WORDS;
use cp2_programs::{fft, load, random};

/// A machine with 16 random vectors in every section, and the entry of the kernel.
fn loaded(points: usize) -> (Cp2, u16) {
    let text = fft::source(points).expect("a length from LENGTHS");
    let (mut cp2, entry) = load::machine_with("fft.s", &text).expect("the kernels assemble");
    for (quad, x) in cp2.state.lmem.iter_mut().zip(random::complex(1, 16 * points)) {
        *quad = [u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits()); 4];
    }
    cp2.state.gpr[1] = BANK_WORDS as u64;
    cp2.state.gpr[2] = 15;
    (cp2, entry)
}

fn first_difference(a: &State, b: &State) -> String {
    for (k, (x, y)) in a.lmem.iter().zip(&b.lmem).enumerate() {
        if x != y {
            return format!("word {k}: {x:x?} {y:x?}");
        }
    }
    for (k, (x, y)) in a.fpr.iter().zip(b.fpr.iter()).enumerate() {
        if x != y {
            return format!("f{k}: {x:x?} {y:x?}");
        }
    }
    let rest = |s: &State| {
        let mut s = s.clone();
        s.lmem = Box::default();
        s.iram = Box::default();
        s.fpr.fill([0; 4]);
        format!("{s:x?}")
    };
    format!("{}\n{}", rest(a), rest(b))
}

#[test]
fn the_fft_kernels_run_alike() {
    for points in fft::LENGTHS {
        let (mut reference, entry) = loaded(points);
        let mut fast = Fast::new(reference.clone());
        let expected = reference.run_untraced(entry, 1_000_000);
        let run = fast.run_untraced(entry, 1_000_000);
        assert_eq!(run, expected);
        assert!(fast.cp2.state == reference.state, "{points} points: {}", first_difference(&fast.cp2.state, &reference.state));
        assert!(!cp2_fast::is_supported() || fast.translated_cycles() > run.stats.cycles / 2, "{}", fast.translated_cycles());
    }
}
