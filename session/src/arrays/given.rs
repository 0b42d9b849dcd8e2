//! Arrays and arguments that a user gives for a run as the texts of options, read as far as that is possible without
//! opening files.

use super::Problem;
use super::ready::ArrayRequest;
use super::transfer::{FileDirection, FileTransfer};
use crate::npy::Array as Values;

/// The values of the options `--arg`, `--load` and `--store` of one run, read from their texts: arguments, and arrays
/// to load and to store. The files of the arrays are not read yet; [`ArrayOptions::request`] does that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrayOptions {
    /// Values of `--arg`: the name of an argument of the kernel or of a register, and the text of its value.
    pub arguments: Vec<(String, String)>,
    /// Arrays to load from files before the run (`--load`).
    pub loads: Vec<FileTransfer>,
    /// Arrays to store in files after the run (`--store`).
    pub stores: Vec<FileTransfer>,
}

fn transfers(
    direction: FileDirection,
    option: &str,
    texts: &[String],
) -> Result<Vec<FileTransfer>, Problem> {
    let read = |text: &String| {
        FileTransfer::read(direction, text).map_err(|e| Problem::new(format!("{option} {text}"), e))
    };
    texts.iter().map(read).collect()
}

fn argument(text: &String) -> Result<(String, String), Problem> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(Problem::new(format!("--arg {text}"), "write NAME=VALUE, such as n=512")),
    }
}

impl ArrayOptions {
    /// Reads the texts of `--load` and `--store` (`PLACE=FILE[:OPTION...]`) and of `--arg` (`NAME=VALUE`), one for each
    /// time that the option was given.
    ///
    /// # Errors
    /// The first option that cannot be understood, with what can be written instead.
    pub fn read(
        loads: &[String],
        stores: &[String],
        arguments: &[String],
    ) -> Result<Self, Problem> {
        Ok(Self {
            arguments: arguments.iter().map(argument).collect::<Result<_, _>>()?,
            loads: transfers(FileDirection::Load, "--load", loads)?,
            stores: transfers(FileDirection::Store, "--store", stores)?,
        })
    }

    /// Whether no argument and no array is given.
    pub fn is_nothing(&self) -> bool {
        self.arguments.is_empty() && self.loads.is_empty() && self.stores.is_empty()
    }

    /// Returns these arguments and arrays as the request that [`prepare`](super::prepare) takes. `read` returns the
    /// array in the file of a load. `is_set` says that registers and memory are set in another way, such as from a
    /// state file, so that the kernel's arguments and arrays may be missing.
    ///
    /// # Errors
    /// The first error that `read` returns.
    pub fn request<E>(
        &self,
        is_set: bool,
        mut read: impl FnMut(&FileTransfer) -> Result<Values, E>,
    ) -> Result<ArrayRequest, E> {
        let load = |transfer: &FileTransfer| Ok((transfer.clone(), read(transfer)?));
        Ok(ArrayRequest {
            arguments: self.arguments.clone(),
            loads: self.loads.iter().map(load).collect::<Result<_, E>>()?,
            stores: self.stores.clone(),
            is_set,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_cannot_be_understood_are_named() {
        let texts = |text: &str| vec![text.to_owned()];
        let given = ArrayOptions::read(&texts("x=x.npy"), &[], &texts(" n = 3 ")).expect("options");
        assert_eq!(given.arguments, [("n".to_owned(), "3".to_owned())]);
        assert!(!given.is_nothing() && ArrayOptions::default().is_nothing());
        let wrong = [
            (ArrayOptions::read(&texts("x"), &[], &[]), "--load x: write PLACE=FILE.npy"),
            (
                ArrayOptions::read(&[], &texts("y=y.npy:rows"), &[]),
                "--store y=y.npy:rows: there is no option",
            ),
            (ArrayOptions::read(&[], &[], &texts("n=")), "--arg n=: write NAME=VALUE"),
        ];
        for (given, part) in wrong {
            let message = given.expect_err(part).to_string();
            assert!(message.starts_with(part), "{message}");
        }
    }
}
