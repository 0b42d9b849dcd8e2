//! Macros: their definitions and calls.

use super::{Expander, Then};
use crate::asm::context::Context;
use crate::asm::line::{Frame, Line, Loc, Replacement};
use crate::asm::report::Refusal;
use crate::parse::ast::{Parameter, Word};
use crate::parse::{self, Cursor};
use cp2_isa::{Arith, Exch};
use std::rc::Rc;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    loc: Loc,
    parameters: Vec<Parameter>,
    body: Vec<Rc<Line>>,
}

impl Expander<'_> {
    pub(super) fn define_macro(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        word: Word,
        parameters: Vec<Parameter>,
        body: Vec<Rc<Line>>,
    ) {
        let loc = line.loc(word.at.clone());
        let name = &word.text;
        let is_operation = Arith::from_name(name).is_some() || Exch::from_name(name).is_some();
        if is_operation || matches!(name.as_str(), "psprmsgn" | "if") {
            let message = format!("`{name}` is an operation; a macro cannot have its name");
            return cx.reporter.report(loc.error("C0404", message));
        }
        if let Some(earlier) = self.macros.get(name) {
            let d = loc.error("C0404", format!("macro `{name}` is defined twice"));
            let d = d.related(earlier.loc.span.clone(), "the first definition");
            return cx.reporter.report(d);
        }
        for (k, parameter) in parameters.iter().enumerate() {
            if parameters[..k].iter().any(|p| p.name.text == parameter.name.text) {
                let message = format!("parameter `{}` is named twice", parameter.name.text);
                let loc = line.loc(parameter.name.at.clone());
                cx.reporter.report(loc.error("C0404", message));
            }
        }
        cx.symbols.add_macro(cx.unit, name);
        self.macros.insert(word.text, Rc::new(Macro { loc, parameters, body }));
    }

    pub(super) fn call(
        &mut self,
        cx: &mut Context,
        line: &Rc<Line>,
        rest: Cursor<'_>,
        called: &Rc<Macro>,
    ) {
        let name = &rest.text[..rest.token().len()];
        let arguments = parse::macro_arguments(nom::Input::take_from(&rest, name.len()));
        let call = line.loc(rest.bytes());
        if let Err(d) = check_arguments(name, &call, called, arguments.len()) {
            cx.set_incomplete();
            return cx.reporter.report(*d);
        }
        self.unique += 1;
        let unique = self.unique;
        let frame = Rc::new(Frame::Macro { name: name.to_owned(), call });
        let lookup = |wanted: &str| {
            if wanted == "@" {
                return Some(Replacement::Made(unique.to_string()));
            }
            let k = called.parameters.iter().position(|p| p.name.text == wanted)?;
            let given = arguments.get(k).filter(|a| !a.is_empty());
            Some(match (given, &called.parameters[k].default) {
                (Some(range), _) => Replacement::Argument(line.clone(), range.clone()),
                (None, Some(default)) => Replacement::Made(default.clone()),
                (None, None) => Replacement::Made(String::new()),
            })
        };
        if let Some(lines) = self.derived(cx, line, &called.body, &frame, &lookup) {
            self.begin_run(cx, lines, Then::Return);
        }
    }
}

fn check_arguments(name: &str, call: &Loc, called: &Macro, given: usize) -> Result<(), Refusal> {
    let names: Vec<_> = called.parameters.iter().map(|p| p.name.text.as_str()).collect();
    let needed = called.parameters.iter().rposition(|p| p.default.is_none()).map_or(0, |k| k + 1);
    if (needed..=names.len()).contains(&given) {
        return Ok(());
    }
    let range = if needed == names.len() {
        needed.to_string()
    } else {
        format!("{needed} to {}", names.len())
    };
    Err(call
        .error("C0407", format!("macro `{name}` takes {range} arguments, {given} given"))
        .related(called.loc.span.clone(), format!("its parameters: {}", names.join(", ")))
        .into())
}
