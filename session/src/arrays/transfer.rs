//! Texts of `--load` and `--store`, `PLACE=FILE[:OPTION...]`, read into values. No file is opened.

use crate::npy::NumberType;
use cp2_asm::interface::{Layout, Packing, Spread};
use std::fmt;

/// The place of an array in memory, as a user writes it in `--load` and `--store`: a name or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArrayTarget {
    /// The name of an array that the kernel declares, or of a label of local memory.
    Name(String),
    /// An address: of a word of local memory, or of a byte of system memory.
    Address(u64),
}

impl fmt::Display for ArrayTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

/// The direction of a file transfer, which moves an array between a file and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDirection {
    /// From a file into memory.
    Load,
    /// From memory into a file.
    Store,
}

/// A file transfer: an array that a user has loaded from a file before a run, or stored in one after it. Read from the
/// text of a `--load` or `--store`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTransfer {
    /// Direction of the transfer: from the file into memory, or from memory into the file.
    pub direction: FileDirection,
    /// Place in memory that the array goes to or comes from.
    pub target: ArrayTarget,
    /// Path of the file, as the user gave it.
    pub path: String,
    /// Distribution of the elements over the sections, if the user gives one. `None` stands for the distribution that
    /// the kernel declares, or for all elements in every section.
    pub spread: Option<Spread>,
    /// Packing of elements of 32 bits into words, if the user gives one. `None` stands for the packing that the kernel
    /// declares, or for two elements in a word.
    pub packing: Option<Packing>,
    /// Type of the elements in memory, if the user gives one. Only a store may give it: a load has the type of its
    /// file.
    pub kind: Option<NumberType>,
    /// Type to which the elements are converted (`as=TYPE`): for a load the type in memory, for a store that of the
    /// file. `None` for no conversion.
    pub converted: Option<NumberType>,
    /// Number of elements along each axis, if the user gives it (`shape=AxB`).
    pub shape: Option<Vec<usize>>,
    /// Whether a conversion lets a NaN through (`nan`); otherwise it refuses one.
    pub takes_nan: bool,
}

impl fmt::Display for FileTransfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { direction, target, path, .. } = self;
        let option = match direction {
            FileDirection::Load => "--load",
            FileDirection::Store => "--store",
        };
        write!(f, "{option} {target}={path}")
    }
}

/// Reads a whole number as users write arguments and addresses: decimal, or hexadecimal after `0x`; each `_` is
/// ignored. `None` if the text is no such number or does not fit 64 bits.
pub fn number(text: &str) -> Option<u64> {
    let digits = text.replace('_', "");
    if digits.starts_with('+') {
        return None;
    }
    match digits.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => digits.parse().ok(),
    }
}

/// Largest number of elements that a shape can say.
const LARGEST: usize = 1 << 32;

fn shape(text: &str) -> Option<Vec<usize>> {
    let axes: Option<Vec<usize>> =
        text.split('x').map(|n| number(n).and_then(|n| usize::try_from(n).ok())).collect();
    let axes = axes?;
    let size = axes.iter().try_fold(1usize, |size, n| size.checked_mul(*n));
    size.filter(|size| *size <= LARGEST).map(|_| axes)
}

impl FileTransfer {
    /// Returns the layout of the array where the kernel declares none.
    pub(super) fn layout(&self) -> Layout {
        Layout {
            spread: self.spread.unwrap_or(Spread::All),
            packing: self.packing.unwrap_or(Packing::Pairs),
        }
    }

    /// Reads the text `PLACE=FILE[:OPTION...]` of a `--load` or a `--store`. The path of the file ends behind its
    /// first `.npy`, if a colon or the end of the text follows that, else before the first colon.
    ///
    /// # Errors
    /// The text cannot be understood. The message says what is wrong, and what can be written instead.
    pub fn read(direction: FileDirection, text: &str) -> Result<Self, String> {
        let usage = match direction {
            FileDirection::Load => {
                "write PLACE=FILE.npy[:OPTION...], such as x=in.npy:blocks:as=float32"
            }
            FileDirection::Store => {
                "write PLACE=FILE.npy[:OPTION...], such as y=out.npy:blocks:float32:shape=4x256"
            }
        };
        let (place, rest) = text.split_once('=').ok_or(usage)?;
        let end = rest.find(".npy").map(|at| at + 4).filter(|&at| {
            let behind = &rest[at..];
            behind.is_empty() || behind.starts_with(':')
        });
        let end = end.or_else(|| rest.find(':')).unwrap_or(rest.len());
        let (path, options) = rest.split_at(end);
        if place.is_empty() || path.is_empty() {
            return Err(usage.to_owned());
        }
        let is_number = place.starts_with(|c: char| c.is_ascii_digit());
        let target = match (is_number, number(place)) {
            (false, _) => ArrayTarget::Name(place.to_owned()),
            (true, Some(address)) => ArrayTarget::Address(address),
            (true, None) => return Err(format!("`{place}` is not an address; {usage}")),
        };
        let mut transfer = Self {
            direction,
            target,
            path: path.to_owned(),
            spread: None,
            packing: None,
            kind: None,
            converted: None,
            shape: None,
            takes_nan: false,
        };
        options.split(':').skip(1).try_for_each(|option| transfer.option(option))?;
        Ok(transfer)
    }

    fn option(&mut self, text: &str) -> Result<(), String> {
        let twice = match self.known(text)? {
            true => return Ok(()),
            false => format!("`:{text}` is the second option of its kind"),
        };
        Err(twice)
    }

    /// Takes an option; false if one of its kind is there already.
    fn known(&mut self, text: &str) -> Result<bool, String> {
        let kinds = || NumberType::all().map(NumberType::name).collect::<Vec<_>>().join(", ");
        if let Some(spread) = Spread::from_name(text) {
            return Ok(self.spread.replace(spread).is_none());
        }
        if let Some(packing) = Packing::from_name(text) {
            return Ok(self.packing.replace(packing).is_none());
        }
        if let Some(name) = text.strip_prefix("as=") {
            let kind = NumberType::from_name(name)
                .ok_or_else(|| format!("there is no type `{name}`; the types are {}", kinds()))?;
            return Ok(self.converted.replace(kind).is_none());
        }
        if let Some(axes) = text.strip_prefix("shape=") {
            let of = shape(axes).ok_or_else(|| {
                format!("`{axes}` is not a shape; write the sizes with `x` between them, such as shape=4x256")
            })?;
            return Ok(self.shape.replace(of).is_none());
        }
        if let Some(kind) = NumberType::from_name(text) {
            if self.direction == FileDirection::Load {
                return Err(format!(
                    "`:{text}`: the type is that of the file; `:as={text}` converts it"
                ));
            }
            return Ok(self.kind.replace(kind).is_none());
        }
        if text == "nan" {
            return Ok(!std::mem::replace(&mut self.takes_nan, true));
        }
        let packings = Packing::ALL.map(Packing::name).join(", ");
        let ways = match self.direction {
            FileDirection::Load => String::new(),
            FileDirection::Store => format!("; types {}", kinds()),
        };
        Err(format!(
            "there is no option `:{text}`; the options are layouts {}; {packings}{ways}; as=TYPE, shape=AxB, nan",
            Spread::FORMS
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_are_read() {
        let load = |text| FileTransfer::read(FileDirection::Load, text);
        let store = |text| FileTransfer::read(FileDirection::Store, text);
        let x = load("x=a:b/in.npy:blocks:low:as=float32:nan").expect("a load");
        assert_eq!(x.target, ArrayTarget::Name("x".into()));
        assert_eq!((x.path.as_str(), x.spread), ("a:b/in.npy", Some(Spread::Blocks)));
        assert_eq!((x.packing, x.converted), (Some(Packing::Low), Some(NumberType::Float32)));
        assert!(x.takes_nan && x.shape.is_none());
        let y = store("0x100=-:complex64:shape=4x0x10").expect("a store");
        assert_eq!((y.target, y.path.as_str()), (ArrayTarget::Address(256), "-"));
        assert_eq!((y.kind, y.shape), (Some(NumberType::Complex64), Some(vec![4, 0, 10])));
    }

    #[test]
    fn what_cannot_be_read_says_what_can() {
        for (text, part) in [
            ("x", "write PLACE=FILE.npy"),
            ("=x.npy", "write PLACE=FILE.npy"),
            ("x=", "write PLACE=FILE.npy"),
            ("1x=a.npy", "`1x` is not an address"),
            ("x=a.npy:", "there is no option `:`; the options are layouts all, blocks"),
            ("x=a.npy:float32", "`:as=float32` converts it"),
            ("x=a.npy:as=float16", "there is no type `float16`; the types are bool, int8"),
            ("x=a.npy:all:blocks", "is the second option of its kind"),
            ("x=a.npy:shape=4x", "is not a shape"),
            ("x=a.npy:shape=4294967296x4294967296", "is not a shape"),
        ] {
            let message = FileTransfer::read(FileDirection::Load, text).expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
