//! The tree of a text to the nest: names, loops, conditions, indices and values, with all that is refused.

mod declare;
mod index;
mod scope;
mod statement;
mod value;

use crate::affine::AffineForm;
use crate::model::{Nest, NestCondition, NestNode};
use crate::problems::{Problems, Wrong};
use crate::tree::{ExpressionTree, FunctionTree, PragmaTree};
use cp2_asm::diagnostic::Diagnostic;
use cp2_asm::nearest;
use scope::{Meaning, Scope};
use std::ops::Range;

/// Nest that is being made, and what is known at the place of the text that is read.
struct Lowering<'t> {
    text: &'t str,
    problems: Problems,
    nest: Nest,
    scope: Scope,
    /// Loops that are open, the outermost first.
    loops: Vec<usize>,
    /// Conditions that hold here.
    guards: Vec<NestCondition>,
    /// Number of what stands before, in the text around each open loop and within the innermost.
    position: Vec<usize>,
    /// Thread numbers that the pragma before demands of the next assignment.
    demanded: Option<(Vec<AffineForm>, Range<usize>)>,
}

/// Returns the nest that a function is.
///
/// # Errors
/// The function is outside of the subset: all that is wrong with it, and what `problems` has.
pub(crate) fn lower(
    text: &str,
    function: &FunctionTree,
    problems: Problems,
) -> Result<Nest, Vec<Diagnostic>> {
    let nest = Nest {
        name: function.name.clone(),
        parameters: Vec::new(),
        scalars: Vec::new(),
        arrays: Vec::new(),
        loops: Vec::new(),
        statements: Vec::new(),
        body: Vec::new(),
        context: Vec::new(),
        forbidden: Vec::new(),
    };
    let mut lowering = Lowering {
        text,
        problems,
        nest,
        scope: Scope::default(),
        loops: Vec::new(),
        guards: Vec::new(),
        position: vec![0],
        demanded: None,
    };
    for parameter in &function.parameters {
        let read = lowering.parameter(parameter);
        lowering.keep(read);
    }
    // What uses a parameter that is wrong would only add to its problems.
    if !lowering.problems.is_empty() {
        return lowering.problems.finish(lowering.nest);
    }
    for pragma in &function.pragmas {
        lowering.pragma(pragma);
    }
    lowering.scope.open();
    lowering.nest.body = lowering.statements(&function.body);
    lowering.unused_demand();
    let Lowering { problems, nest, .. } = lowering;
    problems.finish(nest)
}

impl Lowering<'_> {
    fn text(&self, tree: &ExpressionTree) -> &str {
        self.text.get(tree.at.clone()).unwrap_or_default()
    }

    fn error(
        &self,
        code: &'static str,
        tree: &ExpressionTree,
        message: impl Into<String>,
    ) -> Diagnostic {
        self.problems.error(code, &tree.at, message)
    }

    /// Notes what is wrong; returns what is right.
    fn keep<T>(&mut self, read: Result<T, Wrong>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(wrong) => {
                self.problems.note(*wrong);
                None
            }
        }
    }

    /// Returns what a name means at this place.
    fn meaning(&self, name: &str, tree: &ExpressionTree) -> Result<Meaning, Wrong> {
        if let Some(known) = self.scope.find(name) {
            return Ok(known.meaning);
        }
        let error = self.error("C1104", tree, format!("there is no `{name}` here"));
        let near = nearest(name, self.scope.names());
        Err(Box::new(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("declare it as a parameter of the function, as in `int N`"),
        }))
    }

    fn pragma(&mut self, pragma: &PragmaTree) {
        match pragma {
            PragmaTree::Map(forms, at) => {
                self.unused_demand();
                let forms: Result<Vec<_>, Wrong> =
                    forms.iter().map(|form| self.form(form, index::FormUse::Map)).collect();
                if let Some(forms) = self.keep(forms) {
                    self.demanded = Some((forms, at.clone()));
                }
            }
            PragmaTree::Forbid(names) => {
                for (name, at) in names {
                    let all = crate::model::NestTransformation::ALL;
                    match all.into_iter().find(|(_, word)| word == name) {
                        Some((transformation, _)) => self.nest.forbidden.push(transformation),
                        None => {
                            let words = all.map(|(_, word)| word);
                            let message = format!(
                                "there is no transformation `{name}`; there are {}",
                                words.join(", ")
                            );
                            let error = self.problems.error("C1112", at, message);
                            let near = nearest(name, words);
                            self.problems.note(match near {
                                Some(near) => error.help(format!("did you mean `{near}`?")),
                                None => error,
                            });
                        }
                    }
                }
            }
            PragmaTree::Assume(condition) => {
                let read = self.assumption(condition);
                let condition = self.keep(read);
                self.nest.context.extend(condition);
            }
        }
    }

    /// Reads a condition on parameters alone.
    fn assumption(&self, tree: &ExpressionTree) -> Result<NestCondition, Wrong> {
        if !self.loops.is_empty() {
            let message = "`assume` says something of parameters, so it stands outside of loops";
            return Err(Box::new(self.error("C1112", tree, message)));
        }
        self.condition(tree)
    }

    /// Refuses a demand that no assignment follows.
    fn unused_demand(&mut self) {
        if let Some((_, at)) = self.demanded.take() {
            let message = "no assignment follows this pragma in its block";
            let error = self.problems.error("C1112", &at, message);
            self.problems.note(error.help("put it before the assignment whose thread it says"));
        }
    }

    /// Returns the number of the next part of the innermost open loop, and counts it.
    fn count_part(&mut self) -> usize {
        let last = self.position.last_mut();
        last.map_or(0, |last| {
            *last += 1;
            *last - 1
        })
    }

    fn statements(&mut self, all: &[crate::tree::StatementTree]) -> Vec<NestNode> {
        let mut nodes = Vec::new();
        for statement in all {
            let read = self.statement(statement);
            nodes.extend(self.keep(read).into_iter().flatten());
        }
        nodes
    }
}
