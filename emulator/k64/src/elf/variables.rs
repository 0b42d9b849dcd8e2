//! Global variables of a program, by their names in the symbol table of its ELF file.

use super::extended;
use object::{Object, ObjectSymbol};

/// Global variable of a program: a data object that its symbol table names for all of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalVariable {
    /// Name of the variable, as the source has it.
    pub name: String,
    /// Virtual address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub size: u64,
}

/// Variables that the symbol table of an ELF file names.
#[derive(Clone, Debug, Default)]
pub struct GlobalVariables {
    all: Vec<GlobalVariable>,
    /// Names of variables that only one file of the program can use.
    of_a_file: Vec<String>,
    has_symbols: bool,
}

impl GlobalVariables {
    /// Reads the variables from the content of an ELF file. There are none if the file has no symbol table, or is no ELF
    /// file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(file) = object::File::parse(bytes) else { return Self::default() };
        let mut variables = Self::default();
        for symbol in file.symbols() {
            variables.has_symbols = true;
            if symbol.kind() != object::SymbolKind::Data || symbol.is_undefined() {
                continue;
            }
            let Ok(name) = symbol.name().map(str::to_owned) else { continue };
            if !symbol.is_global() {
                variables.of_a_file.push(name);
                continue;
            }
            let address = extended(symbol.address(), !file.is_64());
            variables.all.push(GlobalVariable { name, address, size: symbol.size() });
        }
        variables
    }

    /// Returns the variable with a name; `None` if there is none.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&GlobalVariable> {
        self.all.iter().find(|variable| variable.name == name)
    }

    /// Returns the names of all variables, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|variable| variable.name.as_str())
    }

    /// Whether a name is that of a variable which only one file of the program can use (`static` in C), and is therefore
    /// not listed.
    #[must_use]
    pub fn is_of_a_file(&self, name: &str) -> bool {
        self.of_a_file.iter().any(|other| other == name)
    }

    /// Whether the file has a symbol table.
    #[must_use]
    pub fn has_symbols(&self) -> bool {
        self.has_symbols
    }
}
