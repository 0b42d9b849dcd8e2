//! Memory of the control processor: accesses, pages and what they are refused for.

use super::{Allowed, Memory, PAGE};
use crate::exception::{AccessKind, Exception};

#[test]
fn aligned_accesses_and_their_neighbours() {
    let mut memory = Memory::new(4 * PAGE);
    assert!(memory.map(0x1_2000_0000, PAGE, Allowed::DATA));
    assert_eq!(memory.store(0x1_2000_0ff8, 1u64.to_be_bytes()), Ok(()));
    assert_eq!(memory.load::<8>(0x1_2000_0ff8), Ok(1u64.to_be_bytes()));
    assert_eq!(memory.load::<4>(0x1_2000_0ffc), Ok([0, 0, 0, 1]));
    let address = 0x1_2000_0ffc;
    let unaligned = Exception::Unaligned { address, access: AccessKind::Load };
    assert_eq!(memory.load::<8>(address), Err(unaligned));
    let address = 0x1_2000_1000;
    let unmapped = Exception::Unmapped { address, access: AccessKind::Load };
    assert_eq!(memory.load::<8>(address), Err(unmapped));
}

#[test]
fn protection_holds_for_pages_that_were_used_before() {
    let mut memory = Memory::new(4 * PAGE);
    assert!(memory.map(0, PAGE, Allowed::DATA));
    assert_eq!(memory.store(8, [1]), Ok(()));
    let read_only = Allowed { read: true, ..Allowed::default() };
    assert!(memory.protect(0, PAGE, read_only));
    let refused = Exception::Protected { address: 8, access: AccessKind::Store };
    assert_eq!(memory.store(8, [2]), Err(refused));
    assert_eq!(memory.load(8), Ok([1]));
}

#[test]
fn no_range_goes_beyond_the_end_of_addresses() {
    let mut memory = Memory::new(4 * PAGE);
    for address in [u64::MAX, u64::MAX - 7, PAGE.wrapping_neg()] {
        assert!(memory.read(address, 0u64.wrapping_sub(address)).is_err());
        assert!(memory.write(address, &[0; 16]).is_err());
        assert!(memory.read_text(address).is_err());
    }
}

#[test]
fn pages_at_the_end_of_addresses_are_never_mapped() {
    let mut memory = Memory::new(4 * PAGE);
    let last = PAGE.wrapping_neg();
    for (address, bytes) in [(last, PAGE), (last - PAGE, 3 * PAGE), (PAGE, u64::MAX), (u64::MAX, 1)]
    {
        assert!(!memory.map(address, bytes, Allowed::DATA), "{address:#x}, {bytes:#x}");
        assert!(!memory.protect(address, bytes, Allowed::DATA), "{address:#x}, {bytes:#x}");
        assert!(!memory.is_any_mapped(address, bytes), "{address:#x}, {bytes:#x}");
        memory.unmap(address, bytes);
    }
    assert!(memory.map(0, 4 * PAGE, Allowed::DATA));
    assert!(memory.is_any_mapped(PAGE, u64::MAX) && !memory.is_any_mapped(4 * PAGE, u64::MAX));
    memory.unmap(PAGE, u64::MAX);
    assert!(memory.is_any_mapped(0, 1) && !memory.is_any_mapped(PAGE, u64::MAX));
}

#[test]
fn no_bytes_have_no_page() {
    let mut memory = Memory::new(4 * PAGE);
    assert!(memory.map(5, 0, Allowed::DATA) && memory.map(0, PAGE, Allowed::DATA));
    assert!(!memory.is_any_mapped(5, 0));
    memory.unmap(5, 0);
    assert!(memory.is_any_mapped(0, 1));
}

#[test]
fn pages_come_back_as_zeros() {
    let mut memory = Memory::new(PAGE);
    assert!(memory.map(0, PAGE, Allowed::DATA));
    assert_eq!(memory.store(0, [1]), Ok(()));
    assert!(!memory.map(PAGE, PAGE, Allowed::DATA), "one page is all");
    memory.unmap(0, PAGE);
    assert!(memory.map(0, PAGE, Allowed::DATA));
    assert_eq!(memory.load(0), Ok([0]));
}

#[test]
fn a_store_to_code_is_noticed_however_it_comes() {
    let mut memory = Memory::new(PAGE);
    assert!(memory.map(0, PAGE, Allowed::ALL));
    assert_eq!(memory.store(0, [1]), Ok(()));
    assert_eq!(memory.fetch(0), Ok(0x0100_0000));
    assert!(!memory.is_code_old);
    assert_eq!(memory.store(0, [2]), Ok(()));
    assert!(memory.is_code_old);
}
