//! Runs held to what their linear code promises: each promise broken by as little as it can be, beside its neighbour
//! that keeps it; and the kernels of `cp2`, which keep theirs and refuse arguments that do not.

use cp2_asm::image::Image;
use cp2_emu::{End, Engine, Machine, ReferenceEngine};
use cp2_isa::{BundleAddress, Core, WordAddress};
use cp2_session::execution::KernelRunner;
use cp2_session::promises::{Broken, EntryPromises, Watch};
use cp2_session::{KernelError, load};

fn image(text: &str) -> std::sync::Arc<Image> {
    cp2_session::Environment::new().assemble(&Core::CP2, "t.s", text).unwrap()
}

/// Runs a program from bundle 0 with these general registers: its end, or the promise that it breaks.
fn watched(text: &str, gpr: &[(usize, u64)]) -> Result<u64, Broken> {
    let image = image(text);
    let mut cp2 = load::cp2(&Core::CP2);
    load::load(&image, &mut cp2);
    for &(register, value) in gpr {
        cp2.state.gpr[register] = value;
    }
    let mut machine = Machine::alone(cp2);
    let mut watch = Watch::new(&image, &Core::CP2);
    machine.start_kernel(BundleAddress(0));
    let mut end = None;
    if watch.observe(&machine.cp2.state).is_continue() {
        end = ReferenceEngine.advance_kernel(&mut machine, 100_000, &mut watch);
    }
    match watch.broken() {
        Some(broken) => Err(broken.clone()),
        None => {
            assert!(matches!(end, Some(End::Stopped(_))), "{end:?}");
            Ok(machine.cp2.stats().cycles)
        }
    }
}

fn scale(promises: &str, head: &str) -> String {
    format!(
        "{head}.linear\n.scratch g15\n{promises}.loop g2, min=8, multiple=4\n lwo %x, (r0)+1\n \
         psmul %y, %x, f0\n swo %y, (r1)+1\n.endloop\n.endlinear\n stopi 0\n"
    )
}

const APART: &str = ".disjoint r0, r1\n";

/// Returns bundles that set the addresses for `scale`, and bundles until they have arrived.
fn addresses(a0: u32, a1: u32) -> String {
    format!(" seti a0, {a0}\n seti a1, {a1}\n{}", " nop\n".repeat(4))
}

#[test]
fn counts_are_checked_where_they_are_taken() {
    let text = scale(APART, &addresses(0, 100));
    assert!(watched(&text, &[(2, 8)]).is_ok());
    assert!(watched(&text, &[(2, 12)]).is_ok());
    // Only the low 32 bits count.
    assert!(watched(&text, &[(2, 0xffff_ffff_0000_0008)]).is_ok());
    let few = watched(&text, &[(2, 4)]).unwrap_err();
    assert_eq!(
        few.to_string(),
        "t.s:10:1: g2 = 4 counts this loop of region `main`, and `min=8` promises at least 8"
    );
    let odd = watched(&text, &[(2, 9)]).unwrap_err();
    assert_eq!(
        odd.message,
        "g2 = 9 counts this loop of region `main`, and `multiple=4` promises a multiple of 4"
    );
    // A register that the program sets before the region is looked at when it is taken.
    let set = scale(APART, &(addresses(0, 100) + " seti g2, 16\n"));
    assert!(watched(&set, &[(2, 1)]).is_ok());
}

#[test]
fn a_count_that_the_region_sets_itself_is_checked_too() {
    let text = ".linear\n.scratch g15\n mtfpr %c, g3, all\n mffpr g2, %c, s0\n.loop g2, min=8\n inci f1, 1\n.endloop\n.endlinear\n stopi 0\n";
    let broken = watched(text, &[(2, 8), (3, 6)]).unwrap_err();
    assert_eq!(
        broken.message,
        "g2 = 6 counts this loop of region `main`, and `min=8` promises at least 8"
    );
    assert!(watched(text, &[(2, 1), (3, 8)]).is_ok());
}

#[test]
fn a_count_of_zero_breaks_a_loop_without_promises() {
    let text = ".linear\n.scratch g15\n.loop g2\n inci f1, 1\n.endloop\n.endlinear\n stopi 0\n";
    assert!(watched(text, &[(2, 1)]).is_ok());
    let broken = watched(text, &[(2, 0)]).unwrap_err();
    assert_eq!(
        broken.message,
        "g2 = 0 counts this loop of region `main`, and a count is at least 1"
    );
}

#[test]
fn inner_loops_are_checked_in_every_iteration() {
    // g3 is 3, 2, 1 in the three iterations of the outer loop.
    let text = ".linear\n.scratch g15\n seti g3, 4\n.loop 3\n mtfpr %c, g3, all\n deci %c, 1\n \
                mffpr g3, %c, s0\n.loop g3, min=2\n inci f1, 1\n.endloop\n.endloop\n.endlinear\n stopi 0\n";
    let broken = watched(text, &[]).unwrap_err();
    assert_eq!(
        broken.message,
        "g3 = 1 counts this loop of region `main`, and `min=2` promises at least 2"
    );
    assert!(watched(&text.replace("min=2", "min=1"), &[]).is_ok());
}

#[test]
fn sets_that_meet_are_found_at_the_first_word() {
    let text = |a1| scale(APART, &addresses(40, a1));
    assert!(watched(&text(48), &[(2, 8)]).is_ok());
    assert!(watched(&text(32), &[(2, 8)]).is_ok());
    let broken = watched(&text(47), &[(2, 8)]).unwrap_err();
    assert_eq!(broken.place.as_deref(), Some("t.s:9:1"));
    assert!(
        broken.message.starts_with(
            "r0 and r1 both access word 47 in region `main`, but `.disjoint r0, r1` promises that they never do"
        ),
        "{broken}"
    );
    // Without the promise they may meet.
    assert!(watched(&scale("", &addresses(40, 47)), &[(2, 8)]).is_ok());
}

#[test]
fn double_words_immediate_addresses_and_the_end_of_memory_count() {
    let text = |head: &str| {
        format!(
            "{head}.linear\n.disjoint r0, abs\n.loop 4\n ldo %x:%y, (r0)+2\n psadd %z, %x, %y\n swi %z, 7\n\
             .endloop\n.endlinear\n stopi 0\n"
        )
    };
    // Pairs 8-9 to 14-15; an odd address takes the pair that it lies in: 6-7.
    assert!(watched(&text(&addresses(8, 0)), &[]).is_ok());
    let broken = watched(&text(&addresses(7, 0)), &[]).unwrap_err();
    assert!(broken.message.starts_with("r0 and abs both access word 7"), "{broken}");
    // Around the end of memory to word 7.
    let broken = watched(&text(&addresses(8190, 0)), &[]);
    assert!(broken.is_ok());
    let far = text(&addresses(8190, 0)).replace(".loop 4", ".loop 5");
    assert!(watched(&far, &[]).unwrap_err().message.contains("word 7"));
}

#[test]
fn every_run_of_a_region_begins_anew() {
    // The second call reaches with r1 what the first has reached with r0.
    let text = format!(
        ".kernel main\n seti a0, 0\n seti a1, 100\n seti g2, 8\n nop\n nop\n nop\n calli part\n nop\n seti a0, 200\n \
         seti a1, 0\n nop\n nop\n nop\n calli part\n nop\n stopi 0\npart:\n{}",
        scale(APART, "").replace(" stopi 0\n", " ret\n nop\n")
    );
    assert!(watched(&text, &[]).is_ok());
}

#[test]
fn even_sets_are_even_where_the_region_begins() {
    let text = |a0| scale(".disjoint r0, r1\n.even r1, r0\n", &addresses(a0, 100));
    assert!(watched(&text(6), &[(2, 8)]).is_ok());
    let broken = watched(&text(7), &[(2, 8)]).unwrap_err();
    assert_eq!(
        broken.to_string(),
        "t.s:10:1: a0 = 7 is odd where region `main` begins, and `.even r0` promises that it is even"
    );
}

#[test]
fn callers_are_held_to_what_nothing_sets_before() {
    let at_entry = |text: &str, gpr: u64| {
        let (mut all, a) = ([0; 16], [WordAddress(1); 16]);
        all[2] = gpr;
        EntryPromises::of(&image(text), &Core::CP2)
            .broken(BundleAddress(0), &all, &a)
            .map(|b| b.message)
    };
    let text = scale(APART, &addresses(0, 100));
    assert_eq!(at_entry(&text, 8), None);
    assert!(at_entry(&text, 9).unwrap().contains("`multiple=4`"));
    // Set before: the caller has no say.
    assert_eq!(at_entry(&scale(APART, " seti g2, 8\n"), 9), None);
    let even = scale(".even r0\n", " seti a1, 4\n nop\n");
    assert!(at_entry(&even, 8).unwrap().starts_with("a0 = 1 is odd"));
    assert_eq!(at_entry(&scale(".even r1\n", " seti a1, 4\n nop\n"), 8), None);
    // An address that comes from a register of the caller.
    let moved = scale(".even r1\n", " move a1, g3\n nop\n").replace("g2, min=8, multiple=4", "2");
    let broken = |a1: u64| {
        let (mut all, a) = ([0; 16], [WordAddress(0); 16]);
        all[3] = a1;
        EntryPromises::of(&image(&moved), &Core::CP2)
            .broken(BundleAddress(0), &all, &a)
            .map(|b| b.message)
    };
    assert_eq!(broken(6), None);
    assert!(broken(7).unwrap().starts_with("a1 = 7 is odd"));
}

#[test]
fn a_processor_refuses_such_a_call_before_anything_runs() {
    let text = scale(APART, &addresses(0, 100));
    let (mut cp2, entry) = KernelRunner::with("t.s", &text, &crate::on_cp2()).unwrap();
    assert!(cp2.call(entry, &[0, 0, 8]).is_ok());
    let before = cp2.state().lmem.clone();
    let Err(KernelError::Promise(broken)) = cp2.call(entry, &[0, 0, 6]) else { panic!() };
    assert!(broken.message.starts_with("g2 = 6 counts this loop"), "{broken}");
    assert_eq!(cp2.state().lmem, before);
}
