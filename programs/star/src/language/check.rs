//! The checks that a program passes before it runs: names, types, lengths, what may be changed where. All mistakes of a text are
//! told at once.

mod arguments;
mod expression;
mod scope;
mod statement;

use super::tree::{DeclarationWord, ItemTree, ProcedureTree, ProgramTree};
use super::typed::{CheckedProgram, InputSource, ProcedureBody, ValueType, VariableRole};
use cp2_asm::diagnostic::Diagnostic;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use scope::{Checker, Signature};
use std::collections::BTreeMap;

/// Calls that may be open at once, so that no text exhausts the stack.
const CALLS: usize = 64;

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
    trees.iter().for_each(|procedure| checker.name_procedure(procedure));
    for (number, procedure) in trees.iter().enumerate() {
        checker.signature(number, procedure);
    }
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
    checker.problems.finish(program)
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

    /// Makes the name of a procedure known.
    fn name_procedure(&mut self, procedure: &ProcedureTree) {
        self.check_new(&procedure.name);
        self.signatures.push(Signature {
            name: procedure.name.clone(),
            parameters: Vec::new(),
            scope: BTreeMap::new(),
        });
    }

    /// Declares the parameters of a procedure.
    fn signature(&mut self, number: usize, procedure: &ProcedureTree) {
        self.enter_procedure(&procedure.name.text);
        let mut parameters = Vec::new();
        for parameter in &procedure.parameters {
            let kind = self.kind(&parameter.kind);
            let role = VariableRole::Parameter(parameter.is_result);
            parameters.push(self.declare(&parameter.name, kind, role));
        }
        let scope = self.leave_procedure();
        let signature = &mut self.signatures[number];
        (signature.parameters, signature.scope) = (parameters, scope);
    }

    /// Returns the number of the procedure with which a run begins.
    fn main(&mut self, trees: &[&ProcedureTree]) -> usize {
        let found = trees.iter().position(|procedure| procedure.name.text == "main");
        let Some(number) = found else {
            let message = "there is no procedure `main`, with which a run begins";
            let error = self.problems.error("C1010", &(0..0), message);
            let names = trees.iter().map(|procedure| procedure.name.text.as_str());
            self.problems.note(match cp2_asm::nearest("main", names) {
                Some(near) => error.help(format!("did you mean `{near}` to be it?")),
                None => error,
            });
            return 0;
        };
        if let Some(first) = trees[number].parameters.first() {
            let message = "`main` has no parameters; values from outside are an `input`";
            self.refuse("C1010", &first.name.at, message);
        }
        number
    }

    /// Refuses procedures that call themselves, directly or through others, and chains of calls that are too long.
    fn check_calls(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let edges = calls.iter().map(|(caller, callee, _)| (*caller as u32, *callee as u32));
        let mut graph = DiGraph::<(), (), u32>::from_edges(edges);
        while graph.node_count() < self.signatures.len() {
            graph.add_node(());
        }
        // Procedures that reach each other stand together, called ones before their callers.
        let groups = kosaraju_scc(&graph);
        let mut group_of = vec![0; graph.node_count()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|node| group_of[node.index()] = number);
        }
        let mut calls_below = vec![0_usize; groups.len()];
        let mut in_order: Vec<_> = calls.iter().collect();
        in_order.sort_by_key(|(caller, ..)| group_of[*caller]);
        for (caller, callee, at) in in_order {
            let (from, to) = (group_of[*caller], group_of[*callee]);
            let name = &self.signatures[*callee].name.text;
            if from == to {
                let message = format!(
                    "`{name}` calls itself here; the machine has no stack, so write a loop"
                );
                self.refuse("C1010", at, message);
                continue;
            }
            let is_told = calls_below[from] > CALLS;
            calls_below[from] = calls_below[from].max(calls_below[to] + 1);
            if calls_below[from] == CALLS + 1 && !is_told {
                let message = format!(
                    "calls of calls from here on are {} deep; the limit is {CALLS}",
                    CALLS + 1
                );
                self.refuse("C1010", at, message);
            }
        }
    }
}
