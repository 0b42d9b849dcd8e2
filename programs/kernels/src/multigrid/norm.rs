//! Generator of `norm`: the sum of squares and the largest magnitude of a block.

use super::layout::GridBlock;
use super::sizes::Sizes;
use crate::linear_text::LinearText;

/// Address sets.
const PLAIN: usize = 1;
const RESULT: usize = 2;

/// Words that the body of the loop takes.
pub(super) const WORDS: usize = 16;

/// Writes the lines of `norm`.
///
/// There is no maximum among the operations. Bit patterns of magnitudes order like integers, so the maximum is a - (a - b
/// where that is negative): four operations.
pub(super) fn lines(block: GridBlock, sizes: Sizes) -> LinearText {
    let mut code = LinearText::default();
    for k in 0..WORDS / 4 {
        code.line(format!("clear %t{k}, %sum{k}"));
    }
    code.line("clear %max, %unused");
    sizes.begin_words(&mut code, block.plain_words() / WORDS);
    body(&mut code);
    code.end_loop();
    for k in 1..WORDS / 4 {
        code.line(format!("psadd %sum0, %sum0, %sum{k}"));
    }
    code.line("swaphl %turned, %sum0");
    code.line("psadd %total, %sum0, %turned");
    code.line("swaphl %other, %max");
    maximum(&mut code, "%max", "%other", "last");
    code.line("join32 %max, %total");
    code.access("sw", "%max", RESULT, 0);
    code
}

fn body(code: &mut LinearText) {
    for k in (0..WORDS).step_by(2) {
        let pair = format!("%w{k}:%w{}", k + 1);
        code.access("ld", pair.as_str(), PLAIN, k as i64);
        code.line(format!("qsdot %t{}, {pair}, {pair}, {}", k / 4, k / 2 % 2));
        if k % 4 == 2 {
            code.line(format!("psadd %sum{0}, %sum{0}, %t{0}", k / 4));
        }
        for k in [k, k + 1] {
            code.line(format!("psabs %v{k}, %w{k}"));
        }
        maximum(code, &format!("%v{k}"), &format!("%v{}", k + 1), &k.to_string());
    }
    let mut distance = 2;
    while distance < WORDS {
        for k in (0..WORDS).step_by(2 * distance) {
            let (a, b) = (format!("%v{k}"), format!("%v{}", k + distance));
            maximum(code, &a, &b, &format!("{k}_{distance}"));
        }
        distance *= 2;
    }
    maximum(code, "%max", "%v0", "max");
    code.leave_at(PLAIN, WORDS as i64);
}

/// Writes a := the larger of a and b, pairwise; both are magnitudes.
fn maximum(code: &mut LinearText, a: &str, b: &str, name: &str) {
    code.line(format!("sub %d{name}, {a}, {b}"));
    code.line(format!("ashifti %m{name}, %d{name}, -31"));
    code.line(format!("and %m{name}, %m{name}, %d{name}"));
    code.line(format!("sub {a}, {a}, %m{name}"));
}
