//! Words and places that this project refuses and the library executes: C0533 to C0538.

use super::FindingSet;
use crate::finding::Finding;
use crate::flow::Graph;
use cp2_ir::structure::violations;
use cp2_isa::{OperandKind, Undefined};

/// The code of `structure` for `run`; the others of `structure` are about the flow.
const RUN: &str = "C0455";

/// Adds the findings of an image.
pub(super) fn add(graph: &Graph<'_>, found: &mut FindingSet) {
    let program = graph.program;
    for (at, why) in program.undefined().filter(|(at, _)| graph.may_execute(*at)) {
        if let Some((code, label, help)) = word(why) {
            let text = format!("the model library executes this: {why}");
            found.add(Finding::new(code, at, text).label(label).help(help));
        }
    }
    for violation in violations(program.image, &program.core) {
        let text = format!("the model library executes this: {}", violation.message);
        let (code, label) = match violation.code {
            RUN => {
                ("C0537", "it goes on at the address there; here the machine stops with an error")
            }
            _ => ("C0533", "what the flow is then is open; here the machine stops with an error"),
        };
        let mut finding =
            Finding::new(code, violation.address, text).label(label).help(violation.help);
        finding.related = violation.related;
        found.add(finding);
    }
}

/// Returns code, label and help of a word that only the library gives a meaning.
fn word(why: &Undefined) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match why {
        Undefined::SameDestinations(..) => (
            "C0534",
            "which result stays depends on the operation there; here it is an error",
            "name two registers",
        ),
        Undefined::ComparePastLast => (
            "C0535",
            "a ninth condition code is written there; here it is an error",
            "compare into cc1 to cc6",
        ),
        Undefined::Operand("mtfpr", OperandKind::Section(..), _) => (
            "C0536",
            "nothing is written there; here it is an error",
            "name section s0 to s3 or `all`",
        ),
        Undefined::StopcodeWritten => (
            "C0538",
            "the register changes there; here it is an error",
            "hand the value over by `stop`, by COMM or in memory",
        ),
        _ => return None,
    })
}
