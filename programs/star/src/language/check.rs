//! The checks that a program passes before it runs: names, types, lengths, what may be changed where. All mistakes of a text are
//! told at once.

mod arguments;
mod expression;
mod scope;
mod statement;

use super::tree::{DeclarationWord, ItemTree, ProcedureTree, ProgramTree};
use super::typed::{CheckedProgram, InputSource, ProcedureBody, ValueType, VariableRole};
use cp2_asm::diagnostic::Diagnostic;
use scope::{Checker, Signature};

/// Checks a program. `file` is the number of its text in the sources.
///
/// # Errors
/// Names, types or lengths are wrong: all diagnostics, in the order of the text.
pub fn check(tree: &ProgramTree, file: u32) -> Result<CheckedProgram, Vec<Diagnostic>> {
    let mut checker = Checker::new(file);
    let mut trees = Vec::new();
    for item in &tree.items {
        match &item.part {
            ItemTree::Variables(declaration) => checker.globals(declaration),
            ItemTree::Procedure(procedure) => trees.push(procedure),
        }
    }
    let signatures = trees.iter().map(|procedure| checker.signature(procedure));
    checker.signatures = signatures.collect();
    let mut procedures = Vec::new();
    for (number, procedure) in trees.iter().enumerate() {
        checker.begin_procedure(number, procedure);
        let body = checker.block(&procedure.body);
        checker.end_procedure();
        procedures.push(ProcedureBody {
            name: procedure.name.text.clone(),
            parameters: checker.signatures[number].parameters.clone(),
            body,
        });
    }
    let main = checker.main(&trees);
    checker.check_calls();
    let program = CheckedProgram { file, variables: checker.variables, procedures, main };
    let mut problems = checker.problems;
    problems.sort_by_key(|problem| problem.span.as_ref().map(|span| span.range.start));
    if problems.is_empty() { Ok(program) } else { Err(problems) }
}

impl Checker {
    /// Checks a declaration of variables of the program.
    fn globals(&mut self, declaration: &super::tree::DeclarationTree) {
        let kind = self.kind(&declaration.kind);
        let is_input = matches!(declaration.word, DeclarationWord::Input | DeclarationWord::InOut);
        let is_output =
            matches!(declaration.word, DeclarationWord::Output | DeclarationWord::InOut);
        let mut source = is_input.then_some(InputSource::Given);
        if let Some(word) = &declaration.source {
            let found = InputSource::ALL.iter().find(|(_, name)| *name == word.text);
            match found {
                Some((found, _)) if is_input => {
                    source = Some(*found);
                    self.check_source(*found, &kind, word);
                }
                Some(_) => {
                    let message = "only an `input` or `inout` has `from`";
                    self.refuse("C1005", &word.at, message);
                }
                None => {
                    let names = InputSource::ALL.map(|(_, name)| name);
                    self.refuse_unknown("source of an input", &word.text, &word.at, &names);
                }
            }
        }
        for name in &declaration.names {
            self.declare(name, kind.clone(), VariableRole::Global(source, is_output));
        }
    }

    /// Checks that the value of a source has the type of the variable that takes it.
    fn check_source(
        &mut self,
        source: InputSource,
        kind: &ValueType,
        word: &super::tree::PlacedName,
    ) {
        use super::length::LengthFormula as Formula;
        let wanted = match source {
            InputSource::Arcs | InputSource::Heads => ValueType::Table(Some(Formula::rows())),
            InputSource::Weights => ValueType::Table(Formula::rows().times(&Formula::weight())),
            InputSource::Source => ValueType::Int,
            InputSource::Given => return,
        };
        if *kind != wanted {
            let message = format!("`{}` gives a {wanted}, and this is a {kind}", word.text);
            self.refuse("C1005", &word.at, message);
        }
    }

    /// Declares the parameters of a procedure.
    fn signature(&mut self, procedure: &ProcedureTree) -> Signature {
        self.check_new(&procedure.name);
        self.enter_procedure(&procedure.name.text);
        let mut parameters = Vec::new();
        for parameter in &procedure.parameters {
            let kind = self.kind(&parameter.kind);
            let role = VariableRole::Parameter(parameter.is_result);
            parameters.push(self.declare(&parameter.name, kind, role));
        }
        let scope = self.leave_procedure();
        Signature { name: procedure.name.clone(), parameters, scope }
    }

    /// Returns the number of the procedure with which a run begins.
    fn main(&mut self, trees: &[&ProcedureTree]) -> usize {
        let found = trees.iter().position(|procedure| procedure.name.text == "main");
        let Some(number) = found else {
            let message = "there is no procedure `main`, with which a run begins";
            self.refuse("C1010", &super::tree::TextSpan(0..0), message);
            return 0;
        };
        if let Some(first) = trees[number].parameters.first() {
            let message = "`main` has no parameters; values from outside are an `input`";
            self.refuse("C1010", &first.name.at, message);
        }
        number
    }

    /// Refuses procedures that call themselves, directly or through others.
    fn check_calls(&mut self) {
        let count = self.signatures.len();
        // What each procedure reaches, by calls of calls.
        let mut reached = vec![vec![false; count]; count];
        for (caller, callee, _) in &self.calls {
            reached[*caller][*callee] = true;
        }
        for over in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reached[from][to] |= reached[from][over] && reached[over][to];
                }
            }
        }
        for (caller, callee, at) in self.calls.clone() {
            if reached[callee][caller] {
                let name = &self.signatures[callee].name.text;
                let message = format!(
                    "`{name}` calls itself here; the machine has no stack, so write a loop"
                );
                self.refuse("C1010", &at, message);
            }
        }
    }
}
