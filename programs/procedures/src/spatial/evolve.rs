//! The products of NPB FT in the pages of a column pass: every element times a factor of its row and one of
//! its column, which lie in tables behind the page.

use cp2_isa::WordAddress;
use cp2_kernels::linear_text::LinearText;

/// Words of a page in each section; its tables stand in the other half of the bank.
pub(super) const WORDS: usize = 2048;
/// Words from a page to the factors of its rows.
const ROWS: usize = WORDS;
/// Words from a page to the factors of its columns.
const COLUMNS: usize = WORDS + 256;

/// Returns the addresses of the factors of the rows of a page, and of its columns.
pub(super) fn tables(page: WordAddress) -> [WordAddress; 2] {
    [page.plus(ROWS as u16), page.plus(COLUMNS as u16)]
}

/// Returns the text of the routine that multiplies a page by its factors; `g0` is the word address of the page.
pub(super) fn routine(name: &str, rows: usize, columns: usize) -> String {
    let mut code = LinearText::default();
    code.begin_loop(rows);
    code.access("lw", "%row", 2, 0);
    for at in (0..columns).step_by(2) {
        let pair = |value: &str| format!("%{value}{at}:%{value}{}", at + 1);
        code.access("ld", pair("x"), 0, at as i64);
        code.access("ld", pair("factor"), 3, at as i64);
        for at in [at, at + 1] {
            code.line(format!("psmul %part{at}, %x{at}, %row"));
        }
        for at in [at, at + 1] {
            code.line(format!("psmul %y{at}, %part{at}, %factor{at}"));
        }
        code.access("sd", pair("y"), 0, at as i64);
    }
    code.leave_at(0, columns as i64);
    code.leave_at(2, 1);
    code.leave_at(3, 0);
    code.end_loop();
    format!(
        "{name}:
        | move a0, g0
        | move a2, g0
        | updaddr (r2)+{ROWS}
        | move a3, g0
        | updaddr (r3)+{COLUMNS}
.linear
        .disjoint r0, r2, r3
        .even r0, r3
        .scratch g14, g15
{}.endlinear
        | ret
        nop
",
        code.text()
    )
}
