//! How all sections get what each of them has: by general registers, or by the shared memory of that extension.

use crate::linear_text::LinearText;
use cp2_isa::SECTIONS;

/// The way between sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SectionExchange {
    /// General registers.
    #[default]
    Registers,
    /// Shared memory, which is an extension.
    Shared,
}

/// Writes what brings a register of each section to all sections: `%NAME0` to `%NAME3`. Shared memory carries all 64 bits, general
/// registers the half or the word that they hold.
pub(super) fn exchange(code: &mut LinearText, way: SectionExchange, (from, name): (&str, &str)) {
    if way == SectionExchange::Shared {
        code.line(format!("sqi {from}, 0"));
    }
    for section in 0..SECTIONS {
        match way {
            SectionExchange::Registers => {
                code.line(format!("mffpr g{}, {from}, s{section}", section + 4));
                code.line(format!("mtfpr {name}{section}, g{}, all", section + 4));
            }
            SectionExchange::Shared => code.line(format!("lqbi {name}{section}, {section}")),
        }
    }
}
