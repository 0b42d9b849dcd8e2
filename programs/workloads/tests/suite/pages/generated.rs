//! Page schemes whose kernels only store, so that pages load nothing.

use super::right;
use cp2_session::npy::{Array, NumberType};

/// A kernel that only stores: the first page has nothing to load, and the channel begins with what a later step stores.
#[test]
fn pages_that_load_nothing_are_stored_when_they_are_computed() {
    const FILL: &str = "
        .kernel fill
        .arg    n, g2, min=1
        .array  y, out, uint64, 4*n, layout=blocks, at=g4
        move    a0, g4
        .linear
        .scratch g15
        mtfpr   %v, g2, all
        .loop   g2, min=1
        swo     %v, (r0)+1
        .endloop
        .endlinear
        stopi   0
";
    let one = "[[pass]]\n[pass.page]\ny = [\":\"]\n";
    let many = "[[pass]]\nloops = [\"k = 5\"]\n[pass.page]\ny = [\"80*k : +80\"]\n";
    for (scheme, n) in [(one, 100), (many, 20)] {
        for between in ["", "host_work = \"between\"\n"] {
            let scheme = scheme.replace("[pass.page]", &format!("{between}[pass.page]"));
            let text = format!(
                "[[variant]]\nsource = \"k.s\"\n[arguments]\nn = {n}\n[array.y]\n{}{scheme}",
                "expected = \"y.npy\"\nrtol = 0\n"
            );
            let words: Vec<u8> = (0..400_u64).flat_map(|_| (n as u64).to_be_bytes()).collect();
            let kind = NumberType::from_name("uint64").unwrap();
            let y = Array::from_bytes(kind, vec![400], words).write();
            right(&text, &[("k.s", FILL.as_bytes()), ("y.npy", &y)], "vm7");
        }
    }
}
