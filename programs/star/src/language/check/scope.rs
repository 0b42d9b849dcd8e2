//! Names and what they stand for, and the mistakes so far.

use super::super::length::LengthFormula;
use super::super::parse::KEYWORDS;
use super::super::tree::{
    BinaryWord, ExpressionForm, ExpressionTree, PlacedName, ProcedureTree, TextSpan, TypeTree,
    UnaryWord,
};
use super::super::typed::{Elementary, ValueType, Variable, VariableRole};
use crate::library::LibraryProcedure;
use crate::problems::Problems;
use cp2_asm::diagnostic::Span;
use cp2_asm::nearest;
use std::collections::BTreeMap;

/// Procedures that change a variable and are no part of the library.
pub(super) const CHANGES: [(&str, &str); 6] = [
    ("SET", "SET(Y)"),
    ("CLR", "CLR(Y)"),
    ("FRST", "FRST(Y)"),
    ("MASK", "MASK(Y, i)"),
    ("REP", "REP(i, j, v, w)"),
    ("STEP", "i := STEP(X)"),
];

/// Name and parameters of a procedure, as callers see them.
pub(super) struct Signature {
    pub(super) name: PlacedName,
    pub(super) parameters: Vec<usize>,
    /// Names of the parameters.
    pub(super) scope: BTreeMap<String, usize>,
}

/// The block of a `forall` that is being checked.
pub(super) struct AtOnce {
    /// Number of the pass.
    pub(super) variable: usize,
    /// First variable that belongs to a pass.
    pub(super) first: usize,
    /// Tables whose columns are written.
    pub(super) tables: Vec<usize>,
}

pub(super) struct Checker {
    file: u32,
    pub(super) variables: Vec<Variable>,
    pub(super) signatures: Vec<Signature>,
    /// Calls: caller, called, place.
    pub(super) calls: Vec<(usize, usize, TextSpan)>,
    pub(super) at_once: Option<AtOnce>,
    pub(super) problems: Problems,
    scopes: Vec<BTreeMap<String, usize>>,
    procedure: (usize, String),
}

impl Checker {
    pub(super) fn new(file: u32) -> Self {
        Self {
            file,
            variables: Vec::new(),
            signatures: Vec::new(),
            calls: Vec::new(),
            at_once: None,
            problems: Problems::new(file),
            scopes: vec![BTreeMap::new()],
            procedure: (0, String::new()),
        }
    }

    pub(super) fn refuse(&mut self, code: &'static str, at: &TextSpan, message: impl Into<String>) {
        self.problems.refuse(code, &at.0, message);
    }

    /// Refuses a name that is not known, with the nearest of those that are.
    pub(super) fn refuse_unknown(&mut self, what: &str, name: &str, at: &TextSpan, known: &[&str]) {
        let message = format!("there is no {what} `{name}`");
        let error = self.problems.error("C1004", &at.0, message);
        let near =
            nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        self.problems.note(match near {
            Some(near) => error.help(near),
            None => error,
        });
    }

    pub(super) fn enter_procedure(&mut self, name: &str) {
        self.procedure.1 = name.to_owned();
        self.scopes.push(BTreeMap::new());
    }

    /// Returns the names of the scope that ends.
    pub(super) fn leave_procedure(&mut self) -> BTreeMap<String, usize> {
        self.procedure.1.clear();
        self.scopes.pop().unwrap_or_default()
    }

    pub(super) fn begin_procedure(&mut self, number: usize, procedure: &ProcedureTree) {
        self.procedure = (number, procedure.name.text.clone());
        self.scopes.push(self.signatures[number].scope.clone());
    }

    pub(super) fn end_procedure(&mut self) {
        self.leave_procedure();
    }

    /// Number of the procedure that is being checked.
    pub(super) fn caller(&self) -> usize {
        self.procedure.0
    }

    pub(super) fn enter_block(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub(super) fn leave_block(&mut self) {
        self.scopes.pop();
    }

    /// Refuses a name that means something already.
    pub(super) fn check_new(&mut self, name: &PlacedName) {
        let text = name.text.as_str();
        let is_built_in = Elementary::ALL.iter().any(|row| row.1 == text)
            || CHANGES.iter().any(|row| row.0 == text)
            || LibraryProcedure::from_name(text).is_some();
        if is_built_in || ["n", "h", "true", "false"].contains(&text) || KEYWORDS.contains(&text) {
            let message = format!("`{text}` is a name of the language; take another one");
            return self.refuse("C1003", &name.at, message);
        }
        let other = self.signatures.iter().find(|known| known.name.text == text);
        let other = other.map(|known| known.name.at.clone()).or_else(|| {
            let slot = self.scopes.iter().rev().find_map(|scope| scope.get(text))?;
            Some(TextSpan(self.variables[*slot].at.clone()))
        });
        if let Some(other) = other {
            let message = format!("`{text}` is declared already");
            let error = self.problems.error("C1003", &name.at.0, message);
            let other = Span { file: self.file, range: other.0 };
            self.problems.note(error.related(other, "declared here"));
        }
    }

    /// Declares a variable; returns its number.
    pub(super) fn declare(
        &mut self,
        name: &PlacedName,
        kind: ValueType,
        role: VariableRole,
    ) -> usize {
        self.check_new(name);
        let slot = self.variables.len();
        self.variables.push(Variable {
            name: name.text.clone(),
            procedure: self.procedure.1.clone(),
            kind,
            role,
            at: name.at.0.clone(),
        });
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), slot);
        }
        slot
    }

    /// Returns the number of the variable of this name.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Returns the names of all variables that are seen.
    pub(super) fn variable_names(&self) -> Vec<String> {
        let names = self.scopes.iter().flat_map(|scope| scope.keys().cloned());
        names.chain(["n".to_owned(), "h".to_owned()]).collect()
    }

    /// Returns the type that a text says; a length that is wrong is noted, and unknown from there on.
    pub(super) fn kind(&mut self, tree: &TypeTree) -> ValueType {
        let word = tree.word.text.as_str();
        let length = tree.length.as_ref().and_then(|length| self.length(length));
        let is_long = matches!(word, "word" | "table");
        if is_long && tree.length.is_none() {
            let message = format!("how many bits? write `{word}[n]`, `{word}[h]` or `{word}[n*h]`");
            self.refuse("C1006", &tree.word.at, message);
        }
        if !is_long && tree.length.is_some() {
            let message = format!("`{word}` has no length of its own; write `{word}`");
            self.refuse("C1006", &tree.word.at, message);
        }
        match word {
            "slice" => ValueType::Slice,
            "word" => ValueType::Word(length),
            "table" => ValueType::Table(length),
            "int" => ValueType::Int,
            _ => ValueType::Bool,
        }
    }

    /// Returns the length that an expression of a type says.
    fn length(&mut self, tree: &ExpressionTree) -> Option<LengthFormula> {
        let formula = self.formula(tree);
        if formula.is_none() {
            let message = "a length is made of numbers, `n`, `h`, `+`, `-` and `*`";
            self.refuse("C1006", &tree.at, message);
        }
        formula
    }

    /// Returns an expression as a formula, if it is one for every graph.
    pub(super) fn formula(&self, tree: &ExpressionTree) -> Option<LengthFormula> {
        match &tree.form {
            ExpressionForm::Number(number) => Some(LengthFormula::number(*number)),
            ExpressionForm::Name(name) if name == "n" => Some(LengthFormula::rows()),
            ExpressionForm::Name(name) if name == "h" => Some(LengthFormula::weight()),
            ExpressionForm::Unary(UnaryWord::Minus, of) => {
                LengthFormula::number(0).plus(&self.formula(of)?, -1)
            }
            ExpressionForm::Binary(word, left, right) => {
                let (left, right) = (self.formula(left)?, self.formula(right)?);
                match word {
                    BinaryWord::Add => left.plus(&right, 1),
                    BinaryWord::Subtract => left.plus(&right, -1),
                    BinaryWord::Multiply => left.times(&right),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
