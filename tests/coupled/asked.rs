//! Kernels that ask the channel in the very cycle in which the channel does something: begins or moves a transfer that reads
//! an index register, or jumps.

use super::{compare, get, machine, put};
use cp2_emu::dma::{Descriptor, DescriptorAction, JumpKind, NextDescriptor};
use cp2_isa::Core;
use cp2_session::load;

/// Returns a kernel that asks the channel `delay` cycles after its begin, and changes an index register behind that. `asks`
/// are the bundles that ask.
fn asking(delay: usize, asks: &str) -> String {
    format!(
        "        .kernel asking
        | seti a0, 4000
{}        | doi 1000, last
{asks}        | move i7, g2
        psadd f8, f8, f20 | lwo f6, (r0)+0
        psmul f9, f6, f21 | move g6, g4
last:   | move i7, g5
        | nop
        | sync
        | stopi 3
",
        "        | nop\n".repeat(delay)
    )
}

/// Returns a descriptor with half an index register for an address in memory, in local memory, or for the next descriptor.
fn indexed(place: usize, mut descriptor: Descriptor) -> Descriptor {
    match (&mut descriptor.action, place) {
        (DescriptorAction::Get(get), 0) => get.memory.index = Some(15),
        (DescriptorAction::Get(get), 1) => get.local.index = Some(15),
        (DescriptorAction::Get(get), _) => get.next = NextDescriptor::Index(14),
        _ => {}
    }
    descriptor
}

#[test]
fn a_channel_that_reads_an_index_is_asked_in_every_cycle() {
    let one = "        | check_dma g4\n";
    let two = "        | check_dma g4\n        | check_dma g7\n";
    let forward = Descriptor::jump(JumpKind::Compare { value: 77, equal: 1, other: 1 }, 2);
    for asks in [one, two] {
        for place in 0..3 {
            let round = [
                forward.clone(),
                indexed(place, get(64, 25)),
                forward.clone(),
                forward.clone(),
                put(0, 60),
                indexed(place, get(256, 3)),
            ];
            let mut table: Vec<_> = round.iter().cycle().take(30).cloned().collect();
            table.push(get(0, 40).stopping());
            let mut translated = 0;
            for delay in 0..48 {
                let text = asking(delay, asks);
                let (mut cp2, entry) = load::machine_with(
                    &cp2_session::Environment::new(),
                    &Core::CP2,
                    "asking.s",
                    &text,
                )
                .expect("a kernel");
                // The high half leads to the next descriptor.
                cp2.state.ireg[7] = 1 << 32;
                (cp2.state.gpr[2], cp2.state.gpr[5]) = (1 << 32 | 0x40, 1 << 32 | 0x400);
                let (machine, cycles) = compare(machine(cp2, &table), entry);
                assert!(machine.dma.stats().bytes_get > 2000, "{text}");
                translated += cycles;
            }
            assert!(translated > 48 * 3000 || !cp2_fast::is_supported(), "{translated} cycles");
        }
    }
}
