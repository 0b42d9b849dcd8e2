//! What may stand as an operand, by its kind.

use super::item;
use cp2_isa::{Core, OperandKind, control, control_name};
use gen_lsp_types::{CompletionItem, CompletionItemKind};

/// Number of registers of each kind that all cores have.
const SETS: usize = 16;
const CONDITION_CODES: usize = 8;
const SECTIONS: usize = 4;

/// Words that are offered for an operand.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) items: Vec<CompletionItem>,
    /// Whether names of values may stand there.
    pub(super) has_names: bool,
    /// Whether virtual registers may stand there.
    pub(super) is_fpr: bool,
}

/// Returns the registers with these letters.
pub(super) fn registers(core: &Core, letters: &str) -> Vec<CompletionItem> {
    let (count, about) = match letters {
        "f" => (core.fprs(), "floating-point register"),
        "g" => (SETS, "general register"),
        "i" => (SETS, "index register"),
        "r" => (SETS, "address set"),
        "a" => (SETS, "address"),
        "n" => (SETS, "step of an address"),
        "m" => (SETS, "mode of an address"),
        "cc" => (CONDITION_CODES, "condition code"),
        "s" => (SECTIONS, "section"),
        _ => return Vec::new(),
    };
    let of = |number: usize| {
        let register = item(
            &format!("{letters}{number}"),
            CompletionItemKind::Variable,
            Some(about.to_owned()),
        );
        // In the order of the numbers.
        CompletionItem { sort_text: Some(format!("{letters}{number:03}")), ..register }
    };
    (0..count).map(of).collect()
}

fn words(words: &[&str], about: &str) -> Vec<CompletionItem> {
    let of = |word: &&str| item(word, CompletionItemKind::Keyword, Some(about.to_owned()));
    words.iter().map(of).collect()
}

/// Returns the halves of the FPRs.
fn halves(core: &Core) -> Vec<CompletionItem> {
    let all = registers(core, "f").into_iter();
    all.flat_map(|register| {
        [(".hi", "high half"), (".lo", "low half")].map(|(half, about)| {
            let sort = register.sort_text.clone().unwrap_or_default() + half;
            let whole = item(
                &format!("{}{half}", register.label),
                CompletionItemKind::Variable,
                Some(about.to_owned()),
            );
            CompletionItem { sort_text: Some(sort), ..whole }
        })
    })
    .collect()
}

/// Returns what may stand as an operand of a kind; within the parenthesis of an address, what may stand there.
pub(super) fn of_operand(core: &Core, kind: OperandKind, is_in_address: bool) -> Offered {
    let all = |letters: &[&str]| {
        letters.iter().flat_map(|letters| registers(core, letters)).collect::<Vec<_>>()
    };
    let (items, has_names) = match kind {
        OperandKind::Fpr(_) | OperandKind::FprPair(_) | OperandKind::FprPermute(_) => {
            (all(&["f"]), false)
        }
        OperandKind::FprHalf(..) => (halves(core), false),
        OperandKind::Cc(_) => (all(&["cc"]), false),
        OperandKind::Creg => (words(&["fcsr", "fccr"], "control register of arithmetic"), false),
        OperandKind::Gpr(_) => (all(&["g"]), false),
        OperandKind::GprOrIreg => (all(&["g", "i"]), false),
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
            (all(&["r"]), false)
        }
        OperandKind::Address(_) | OperandKind::SectionAddress | OperandKind::SharedAddress => {
            match is_in_address {
                true => (all(&["r", "n"]), true),
                false => (addresses(), false),
            }
        }
        OperandKind::MoveReg(..) => (movable(core), false),
        OperandKind::SetReg => (all(&["g", "a", "n", "m"]), false),
        OperandKind::Section(_, most) => {
            let mut items = registers(core, "s");
            if most as usize == SECTIONS {
                items.extend(words(&["all"], "all sections"));
            }
            (items, false)
        }
        OperandKind::Signed(_)
        | OperandKind::Unsigned(_)
        | OperandKind::Target
        | OperandKind::WordAddress
        | OperandKind::SharedWord => (Vec::new(), true),
        OperandKind::Select(_) => (
            words(
                &["0", "1", "2", "3", "-0", "-1", "-2", "-3"],
                "word of the source, its sign flipped behind `-`",
            ),
            false,
        ),
        OperandKind::Condition | OperandKind::Format => (Vec::new(), false),
    };
    let is_fpr = matches!(
        kind,
        OperandKind::Fpr(_)
            | OperandKind::FprPair(_)
            | OperandKind::FprPermute(_)
            | OperandKind::FprHalf(..)
    );
    Offered { items, has_names, is_fpr }
}

/// Returns the registers that `move` takes.
fn movable(core: &Core) -> Vec<CompletionItem> {
    let numbered = ["g", "a", "n", "m", "i"].into_iter().flat_map(|kind| registers(core, kind));
    let about = || Some("control register".to_owned());
    let named = (0..control::COUNT)
        .map(|number| item(control_name(number), CompletionItemKind::Variable, about()));
    numbered.chain(named).collect()
}

/// Returns the addresses that step by a number.
fn addresses() -> Vec<CompletionItem> {
    let of = |set: usize| {
        let detail = format!("address a{set}, which then steps: `(r{set})+1`, `(r{set})+n{set}`");
        let address = item(&format!("(r{set})"), CompletionItemKind::Variable, Some(detail));
        CompletionItem { sort_text: Some(format!("({set:03}")), ..address }
    };
    (0..SETS).map(of).collect()
}
