//! Arrays and arguments: elements as system memory has them, sizes that registers tell.

use cp2_asm::image::Image;
use cp2_isa::{BundleAddress, Core};
use cp2_session::arrays::{ArrayRequest, prepare};
use cp2_session::npy::big_endian_bytes;
use cp2_session::{Environment, load};

/// Returns a file of an array of one dimension.
fn file(dtype: &str, count: usize, bytes: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({count},), }}\n");
    let mut file = b"\x93NUMPY\x01\0".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    file
}

#[test]
fn elements_of_1_to_8_bytes_stand_big_endian_in_system_memory() {
    // Parts of an element, and bytes of a part.
    for (kind, parts, width) in [
        ("i1", 1, 1),
        ("u1", 1, 1),
        ("b1", 1, 1),
        ("i2", 1, 2),
        ("u2", 1, 2),
        ("f2", 1, 2),
        ("i4", 1, 4),
        ("u4", 1, 4),
        ("f4", 1, 4),
        ("i8", 1, 8),
        ("u8", 1, 8),
        ("f8", 1, 8),
        ("c8", 2, 4),
        ("c16", 2, 8),
    ] {
        let numbers: Vec<u64> = (0..3 * parts).map(|k| 0x0102_0304_0506_0708 * (k + 1)).collect();
        let bytes = |of: fn(u64) -> [u8; 8], part: std::ops::Range<usize>| -> Vec<u8> {
            numbers.iter().flat_map(|&number| of(number)[part.clone()].to_vec()).collect()
        };
        let little = bytes(u64::to_le_bytes, 0..width);
        let big = bytes(u64::to_be_bytes, 8 - width..8);
        for (order, stored) in [("<", &little), (">", &big)] {
            let order = if width == 1 { "|" } else { order };
            let file = file(&format!("{order}{kind}"), 3, stored);
            assert_eq!(big_endian_bytes(&file).as_ref(), Ok(&big), "{order}{kind}");
        }
    }
    for wide in ["<f16", "<i16", "<c32", ">f12", "<c7"] {
        let refused = big_endian_bytes(&file(wide, 1, &[0; 32]));
        assert!(refused.is_err(), "{wide}: {refused:?}");
    }
}

fn image(text: &str) -> std::sync::Arc<Image> {
    Environment::new().assemble(&Core::CP2, "t.s", text).unwrap()
}

/// The size and the place of an array are what registers hold where registers and memory were set otherwise.
#[test]
fn an_array_has_the_size_that_a_register_or_half_of_one_holds() {
    for (register, size) in [("g2", 5), ("f3.hi", 6), ("f3.lo", 7), ("n4", 8)] {
        let text =
            format!(" .arg n, {register}, uint32\n .array x, out, uint64, 2*n, at=g1\n stopi 0\n");
        let text = if register.starts_with('f') { text } else { text.replace(", uint32", "") };
        let image = image(&text);
        let mut cp2 = load::cp2(&Core::CP2);
        load::load(&image, &mut cp2);
        let state = &mut cp2.state;
        (state.gpr[1], state.gpr[2], state.n[4]) = (300, 5, 8);
        state.fpr[3] = [6 << 32 | 7; 4];
        let request = ArrayRequest { is_set: true, ..ArrayRequest::default() };
        let ready = prepare(&mut cp2, &image, BundleAddress(0), &request).unwrap();
        assert!(ready.is_all_laid);
        assert_eq!(ready.laid[0].placed.range(), 300..300 + 2 * size, "{register}");
    }
}
