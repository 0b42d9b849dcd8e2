//! A loop body whose values are near the number of registers.

/// Groups of loads, arithmetic and stores in which values are taken from groups before, near the number of registers.
pub(crate) fn crowded(groups: usize) -> String {
    let mut text = String::new();
    for k in 0..groups {
        let (near, far) = (k.saturating_sub(7), k.saturating_sub(14));
        text += &format!(
            "lwo %a{k}, (r0)+1\n lwo %b{k}, (r1)+1\n psmul %c{k}, %a{k}, f0\n psadd %d{k}, %b{k}, {}\n \
             pssub %e{k}, %c{k}, {}\n psmul %f{k}, %d{k}, %b{k}\n swo %f{k}, (r2)+1\n",
            if k < 7 { "f1".to_owned() } else { format!("%e{near}") },
            if k < 14 { "f2".to_owned() } else { format!("%c{far}") },
        );
    }
    text
}
