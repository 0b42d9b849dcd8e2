//! Parameters of the function, and what it declares itself.

use super::Lowering;
use super::index::FormUse;
use super::scope::Meaning;
use crate::model::{NestArray, NestName, NestNode, NestScalar, ScalarType};
use crate::problems::Wrong;
use crate::tree::{DeclaratorTree, ParameterTree, TypeTree};

/// Most sizes of an array.
const MOST_SIZES: usize = 6;

fn scalar_type(kind: TypeTree) -> Option<ScalarType> {
    match kind {
        TypeTree::Integer => None,
        TypeTree::Float => Some(ScalarType::Float),
        TypeTree::Double => Some(ScalarType::Double),
        TypeTree::Complex => Some(ScalarType::Complex),
    }
}

impl Lowering<'_> {
    pub(super) fn parameter(&mut self, tree: &ParameterTree) -> Result<(), Wrong> {
        let declarator = &tree.declarator;
        self.check_new(declarator)?;
        if let Some(at) = &declarator.pointer {
            let name = &declarator.name;
            let message = format!(
                "`{name}` is a pointer, which may point into the array of another parameter"
            );
            let error = self.problems.error("C1109", at, message);
            let help = format!(
                "write an array with its size, as in `{name}[N]`; arrays of different names share no element"
            );
            return Err(Box::new(error.help(help)));
        }
        let name = self.placed(declarator);
        let (at, text) = (name.at.clone(), name.name.clone());
        let meaning = match scalar_type(tree.kind) {
            None if declarator.sizes.is_empty() => {
                self.nest.parameters.push(name);
                Meaning::Parameter(self.nest.parameters.len() - 1)
            }
            None => {
                let message = format!("`{text}` is an array of whole numbers");
                let error = self.problems.error("C1105", &at, message);
                let help = "arrays are of float, double or float complex; an index out of an array is not affine";
                return Err(Box::new(error.help(help)));
            }
            Some(kind) if declarator.sizes.is_empty() => {
                self.nest.scalars.push(NestScalar { name, kind });
                Meaning::Scalar(self.nest.scalars.len() - 1)
            }
            Some(kind) => {
                let sizes = self.sizes(declarator)?;
                let is_constant = tree.is_constant;
                self.nest.arrays.push(NestArray { name, kind, sizes, is_constant, local: None });
                Meaning::Array(self.nest.arrays.len() - 1)
            }
        };
        self.scope.declare(&text, meaning, &at);
        Ok(())
    }

    fn placed(&self, declarator: &DeclaratorTree) -> NestName {
        NestName { name: declarator.name.clone(), at: declarator.at.clone() }
    }

    fn check_new(&self, declarator: &DeclaratorTree) -> Result<(), Wrong> {
        let name = &declarator.name;
        let Some(known) = self.scope.find_here(name) else { return Ok(()) };
        let message = format!("`{name}` is {} already", known.meaning.words());
        let error = self.problems.error("C1103", &declarator.at, message);
        Err(Box::new(error.related(self.problems.span(&known.at), "declared here")))
    }

    fn sizes(&self, declarator: &DeclaratorTree) -> Result<Vec<crate::affine::AffineForm>, Wrong> {
        let name = &declarator.name;
        if declarator.sizes.len() > MOST_SIZES {
            let message =
                format!("`{name}` has {} sizes; the limit is {MOST_SIZES}", declarator.sizes.len());
            return Err(Box::new(self.problems.error("C1105", &declarator.at, message)));
        }
        let mut sizes = Vec::new();
        for size in &declarator.sizes {
            let Some(size) = size else {
                let message = format!("`{name}` has a size that is left out");
                let error = self.problems.error("C1105", &declarator.at, message);
                let help = format!("write all sizes, the first one too, as in `{name}[N]`");
                return Err(Box::new(error.help(help)));
            };
            sizes.push(self.form(size, FormUse::Size)?);
        }
        Ok(sizes)
    }

    /// Declares what a statement names; returns it with the assignments of values.
    pub(super) fn declaration(
        &mut self,
        kind: TypeTree,
        declarators: &[DeclaratorTree],
    ) -> Result<Vec<NestNode>, Wrong> {
        let mut nodes = Vec::new();
        for declarator in declarators {
            self.check_new(declarator)?;
            let (name, at) = (&declarator.name, &declarator.at);
            if let Some(pointer) = &declarator.pointer {
                let message = format!("`{name}` is a pointer, which may point into any array");
                let error = self.problems.error("C1109", pointer, message);
                return Err(Box::new(error.help("name the array itself where it is used")));
            }
            let Some(kind) = scalar_type(kind) else {
                if let Some(value) =
                    declarator.value.as_ref().or(declarator.sizes.iter().flatten().next())
                {
                    let message =
                        format!("`{name}` is a variable of type int, which only loops change");
                    let error = self.error("C1108", value, message);
                    return Err(Box::new(
                        error.help("write the affine form itself where it is used"),
                    ));
                }
                self.scope.declare(name, Meaning::Integer, at);
                continue;
            };
            let sizes = self.sizes(declarator)?;
            let number = self.nest.arrays.len();
            let (is_constant, local) = (false, Some(self.loops.clone()));
            // The value may not use the name itself.
            let value = declarator.value.as_ref().map(|value| self.value_of(value)).transpose()?;
            let has_sizes = !sizes.is_empty();
            let name = self.placed(declarator);
            let (text, at) = (name.name.clone(), at.clone());
            self.nest.arrays.push(NestArray { name, kind, sizes, is_constant, local });
            self.scope.declare(&text, Meaning::Array(number), &at);
            nodes.push(NestNode::Declare(number));
            if let Some((value, accesses)) = value {
                if has_sizes {
                    let message = format!("`{text}` is an array, and takes no value here");
                    let error = self.problems.error("C1105", &at, message);
                    return Err(Box::new(error.help("assign its elements in loops")));
                }
                nodes.push(self.first_value(number, value, accesses, &at));
            }
        }
        Ok(nodes)
    }
}
