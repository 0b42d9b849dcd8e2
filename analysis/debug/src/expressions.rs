//! Expressions of a person: registers, words, elements of arrays, conditions.

use crate::arrays::{ArrayText, brackets, element};
use crate::condition::ValueCondition;
use crate::debugger::Debugger;
use crate::error::DebugError;
use crate::operand::DebugOperand;
use crate::values::NamedValue;
use cp2_analysis::arrays::SizedArray;
use cp2_analysis::location::Location;

/// Most elements of an array that an answer has.
const MOST_ELEMENTS: usize = 4096;
/// Elements of an array that are shown if no range is given.
const FIRST_ELEMENTS: usize = 64;

/// Ranges of indices, one for each axis, and whether some axis is taken whole because no index names it.
struct AskedRanges {
    ranges: Vec<(usize, usize)>,
    is_whole: bool,
}

impl AskedRanges {
    /// Returns the ranges that a text asks for; axes that are not named are taken whole.
    fn new(array: &SizedArray, asked: &ArrayText<'_>) -> Result<Self, DebugError> {
        if asked.indices.len() > array.shape.len() {
            let none: Vec<usize> = asked.indices.iter().map(|(first, _)| *first).collect();
            let told = element(array, &none, None).err().unwrap_or_default();
            return Err(DebugError::Refused(told));
        }
        let mut ranges = Vec::new();
        let mut is_whole = false;
        for (axis, size) in array.shape.iter().enumerate() {
            let (first, end) = match asked.indices.get(axis) {
                Some((first, Some(end))) => (*first, *end),
                Some((index, None)) => (*index, index.saturating_add(1)),
                None => {
                    is_whole = true;
                    (0, *size)
                }
            };
            if first >= end || end > *size {
                return Err(DebugError::Refused(format!(
                    "{}: there are no elements {first}..{end} on axis {axis}, which has 0 to {}",
                    array.name,
                    size - 1
                )));
            }
            ranges.push((first, end));
        }
        Ok(Self { ranges, is_whole })
    }

    fn count(&self) -> usize {
        self.ranges.iter().fold(1, |count, (first, end)| count.saturating_mul(end - first))
    }

    /// Returns the indices of an element by its number in the ranges.
    fn indices(&self, mut number: usize) -> Vec<usize> {
        let mut indices = Vec::new();
        for (first, end) in self.ranges.iter().rev() {
            indices.push(first + number % (end - first));
            number /= end - first;
        }
        indices.reverse();
        indices
    }
}

impl Debugger {
    /// Reads a register, a word, or an element of an array of the kernel that runs.
    ///
    /// # Errors
    /// It is none, or the machine or the array does not have it.
    pub fn operand(&mut self, text: &str) -> Result<DebugOperand, DebugError> {
        let text = text.trim();
        let operand = match text.parse::<DebugOperand>() {
            Ok(operand) => operand.on(self.core()),
            Err(sentence) => self.element(text, &sentence)?,
        };
        if !operand.exists(self.core()) {
            return Err(DebugError::refused(format!(
                "{operand}: the machine has no such register or word"
            )));
        }
        Ok(operand)
    }

    /// Reads an element of an array; `sentence` says why the text is nothing else.
    fn element(&mut self, text: &str, sentence: &str) -> Result<DebugOperand, DebugError> {
        let other = || DebugError::refused(sentence);
        let asked = match ArrayText::read(text) {
            Ok(asked) => asked,
            Err(told) if text.contains('[') && !is_location(text) => {
                return Err(DebugError::Refused(told));
            }
            Err(_) => return Err(other()),
        };
        let is_plain = asked.indices.is_empty();
        let array = match self.array(asked.name) {
            Ok(array) => array,
            Err(DebugError::Refused(_)) if is_plain => return Err(other()),
            Err(error) => return Err(error),
        };
        if asked.indices.iter().any(|(_, end)| end.is_some()) {
            let told =
                format!("`{text}`: several elements; name one of them, such as {}[0]", array.name);
            return Err(DebugError::Refused(told));
        }
        let indices: Vec<usize> = asked.indices.iter().map(|(index, _)| *index).collect();
        one(&array, &indices, &asked)
    }

    /// Reads a condition.
    ///
    /// # Errors
    /// It is none, or the machine or the array does not have what it names.
    pub fn condition(&mut self, text: &str) -> Result<ValueCondition, DebugError> {
        let mut failure = None;
        let read = ValueCondition::read(text.trim(), |operand| {
            self.operand(operand).map_err(|error| {
                let told = error.to_string();
                failure = Some(error);
                told
            })
        });
        read.map_err(|told| failure.unwrap_or(DebugError::Refused(told)))
    }

    /// Returns the value of an operand as text.
    ///
    /// # Errors
    /// The recording is damaged.
    pub fn shown(&mut self, operand: &DebugOperand) -> Result<String, DebugError> {
        let cell = match operand.location() {
            Location::Memory(address) => {
                let mut bytes = [0; 8];
                self.parts().0.memory(address, &mut bytes)?;
                u64::from_be_bytes(bytes)
            }
            location => location.cell().and_then(|cell| self.state().get(cell)).unwrap_or_default(),
        };
        Ok(operand.text(cell))
    }

    /// Returns what an expression stands for: a value, several elements of an array, or whether a condition holds.
    ///
    /// # Errors
    /// It is no expression, or the machine or the array does not have what it names.
    pub fn evaluated(&mut self, text: &str) -> Result<Vec<NamedValue>, DebugError> {
        let text = text.trim();
        if ValueCondition::is_one(text) {
            let condition = self.condition(text)?;
            let holds = condition.holds(self.state());
            return Ok(vec![NamedValue { name: condition.to_string(), text: holds.to_string() }]);
        }
        if let Some(elements) = self.elements(text)? {
            return Ok(elements);
        }
        let operand = self.operand(text)?;
        let shown = self.shown(&operand)?;
        Ok(vec![NamedValue { name: operand.to_string(), text: shown }])
    }

    /// Returns the elements that a text with ranges, or with fewer indices than the array has axes, asks for; `None` for any other
    /// text.
    fn elements(&mut self, text: &str) -> Result<Option<Vec<NamedValue>>, DebugError> {
        if text.parse::<DebugOperand>().is_ok() {
            return Ok(None);
        }
        let Ok(asked) = ArrayText::read(text) else { return Ok(None) };
        let Ok(array) = self.array(asked.name) else { return Ok(None) };
        let is_one = asked.indices.len() == array.shape.len()
            && asked.indices.iter().all(|(_, end)| end.is_none());
        if is_one {
            return Ok(None);
        }
        let ranges = AskedRanges::new(&array, &asked)?;
        let count = ranges.count();
        let most = if ranges.is_whole { FIRST_ELEMENTS } else { MOST_ELEMENTS };
        if count > most && !ranges.is_whole {
            let told = format!("{count} elements: an answer has at most {most}; ask for parts");
            return Err(DebugError::Refused(told));
        }
        let mut values = Vec::new();
        for number in 0..count.min(most) {
            let operand = one(&array, &ranges.indices(number), &asked)?;
            values.push(NamedValue { name: operand.to_string(), text: self.shown(&operand)? });
        }
        if count > most {
            let (name, text) = (
                "...".to_owned(),
                format!("{} more; ask for a range such as {}[0..4]", count - most, array.name),
            );
            values.push(NamedValue { name, text });
        }
        Ok(Some(values))
    }

    /// Returns the arrays of the kernel with type, shape and place.
    ///
    /// # Errors
    /// The recording is damaged, or a search in it was ended.
    pub fn array_rows(&mut self) -> Result<Vec<NamedValue>, DebugError> {
        let rows = self.arrays()?.into_iter().map(|(name, array)| {
            let text = match array {
                Ok(array) => array.text(),
                Err(sentence) => sentence,
            };
            NamedValue { name, text }
        });
        Ok(rows.collect())
    }

    /// Returns rows of an array behind some indices: elements, or further indices of an array with more axes.
    pub(crate) fn array_part(
        &mut self,
        array: &SizedArray,
        indices: &[usize],
        range: std::ops::Range<usize>,
    ) -> Result<Vec<(NamedValue, Vec<usize>)>, DebugError> {
        let size = array.shape.get(indices.len()).copied().unwrap_or(0);
        let mut rows = Vec::new();
        for index in range.start..range.end.min(size) {
            let mut all = indices.to_vec();
            all.push(index);
            let text = match all.len() < array.shape.len() {
                true => {
                    let rest: Vec<String> =
                        array.shape[all.len()..].iter().map(usize::to_string).collect();
                    format!("{} elements", rest.join(" x "))
                }
                false => {
                    let operand = element(array, &all, None).map_err(DebugError::Refused)?;
                    self.shown(&operand)?
                }
            };
            rows.push((NamedValue { name: brackets(&[index]), text }, all));
        }
        Ok(rows)
    }
}

/// Returns whether a text begins like a word of a memory, which is no element of an array.
fn is_location(text: &str) -> bool {
    text.starts_with('[') || text.starts_with("memory[")
}

/// Returns one element, the part of it and the type that a text asks for.
fn one(
    array: &SizedArray,
    indices: &[usize],
    asked: &ArrayText<'_>,
) -> Result<DebugOperand, DebugError> {
    let element = element(array, indices, asked.section).map_err(DebugError::Refused)?;
    let part = match asked.part {
        None => element,
        Some(is_real) => element.complex_part(is_real).ok_or_else(|| {
            let told = format!("{}: only complex numbers have .re and .im", array.name);
            DebugError::Refused(told)
        })?,
    };
    match asked.kind {
        Some(kind) => part.typed(kind).map_err(DebugError::Refused),
        None => Ok(part),
    }
}
