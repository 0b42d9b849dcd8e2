//! The keys of workload files, each with what it takes and what it means: what the reader knows, and what editors tell.

use cp2_session::npy::NumberType;

/// Parts of a sparse matrix that an array can have.
pub(super) const PARTS: [&str; 4] = ["values", "columns", "starts", "dense"];
/// Distributions of random numbers, in the order in which messages list them.
pub(super) const DISTRIBUTIONS: [&str; 4] = ["uniform", "normal", "integers", "permutation"];
/// Words for values beyond the edges of an array: zeros, those of the other side, those of the nearest element.
pub(super) const EDGES: [&str; 3] = ["zero", "wrap", "nearest"];
/// Words for when the host does its work for a page.
pub(super) const HOST_WORK: [&str; 2] = ["beside", "between"];

/// Table of a workload file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadTable {
    /// The file itself, before any table.
    File,
    /// `[[variant]]`, a program that computes the results.
    Variant,
    /// `[array.NAME]`, an array before and after the run.
    Array,
    /// `[check]`, the program that checks the results.
    Check,
    /// `[[pass]]`, a pass over pages of the arrays.
    Pass,
    /// `[[pass.call]]`, a call of a kernel for each page.
    Call,
}

/// A key of a table of a workload file.
#[derive(Clone, Copy, Debug)]
pub struct WorkloadKey {
    /// Table in which the key stands.
    pub table: WorkloadTable,
    /// Name of the key.
    pub name: &'static str,
    /// Description of the values that the key takes, with their limits.
    pub takes: &'static str,
    /// Description of what the key sets, with its value if it is absent.
    pub meaning: &'static str,
}

const fn key(
    table: WorkloadTable,
    name: &'static str,
    takes: &'static str,
    meaning: &'static str,
) -> WorkloadKey {
    WorkloadKey { table, name, takes, meaning }
}

use WorkloadTable::{Array, Call, Check, File, Pass, Variant};

/// All keys of workload files, table by table.
pub const WORKLOAD_KEYS: [WorkloadKey; 45] = [
    key(File, "name", "a name of one line", "name in reports; that of the file if absent"),
    key(File, "summary", "a sentence of one line", "what the workload computes"),
    key(File, "variant", "tables `[[variant]]`, at least one", "programs that compute the results"),
    key(
        File,
        "arguments",
        "a table of values by name",
        "values of arguments, and of registers in their place",
    ),
    key(
        File,
        "array",
        "tables `[array.NAME]`",
        "arrays that the kernel declares, or labels of local memory",
    ),
    key(
        File,
        "pass",
        "tables `[[pass]]`",
        "passes over pages of the arrays, with `--machine`; one page with all arrays if absent",
    ),
    key(
        File,
        "check",
        "a table `[check]`",
        "a program that checks the results, with `--allow-commands`",
    ),
    key(
        Variant,
        "name",
        "a name of one line",
        "by which reports tell variants apart; `entry` or the name of the program if absent",
    ),
    key(
        Variant,
        "source",
        "a path, seen from the folder of the file",
        "the program as assembly source; one of source, object and shipped",
    ),
    key(
        Variant,
        "object",
        "a path, seen from the folder of the file",
        "the program as an object of `cp2 asm`; one of source, object and shipped",
    ),
    key(
        Variant,
        "shipped",
        "a name of `cp2 kernels list`",
        "a kernel that comes with cp2; one of source, object and shipped",
    ),
    key(
        Variant,
        "entry",
        "a kernel or label",
        "where the program starts; its first kernel if absent",
    ),
    key(
        Variant,
        "needs",
        "a list of extensions, such as [\"word-access\"]",
        "extensions of the core without which the variant is left out",
    ),
    key(
        Variant,
        "arguments",
        "a table of values by name",
        "values that this variant takes beside those of the file",
    ),
    key(Array, "file", "a path of a `.npy` file", "values before the run"),
    key(
        Array,
        "matrix",
        "a path of a Matrix Market file",
        "values before the run: a part of a sparse matrix",
    ),
    key(
        Array,
        "part",
        "one of the words below",
        "part of the matrix that the array has; with matrix",
    ),
    key(
        Array,
        "random",
        "one of the words below",
        "values before the run: random numbers of this distribution",
    ),
    key(
        Array,
        "seed",
        "a whole number from 0 to 9223372036854775807",
        "seed of the random numbers, 1 if absent",
    ),
    key(
        Array,
        "shape",
        "a list of sizes, each from 1, such as [4, 256]",
        "shape of an array that random or fill make, or that only takes results",
    ),
    key(Array, "low", "a number", "least random number: -1 for uniform, 0 for integers if absent"),
    key(
        Array,
        "high",
        "a number above low",
        "greatest random number, itself left out by uniform, whose 1 is meant if absent; integers need it",
    ),
    key(Array, "mean", "a number", "mean of the normal distribution, 0 if absent"),
    key(Array, "deviation", "a number from 0", "deviation of the normal distribution, 1 if absent"),
    key(Array, "fill", "a number", "values before the run: this one everywhere"),
    key(Array, "values", "a list of numbers", "values before the run"),
    key(
        Array,
        "type",
        "a type of NumPy",
        "type to which the values are converted; `float32` for values that are listed or made if absent",
    ),
    key(Array, "expected", "a path of a `.npy` file", "values after the run"),
    key(
        Array,
        "atol",
        "a number from 0",
        "absolute error that passes: |found - expected| <= atol + rtol |expected|; 0 if absent",
    ),
    key(Array, "rtol", "a number from 0", "relative error that passes; 0 if absent"),
    key(
        Array,
        "edge",
        "one of the words below",
        "values beyond the edges, for ranges of pages that reach there",
    ),
    key(
        Array,
        "variants",
        "a list of names of variants",
        "variants that have the array; all if absent",
    ),
    key(
        Check,
        "command",
        "a list of texts: a program and its arguments",
        "program that says by exit code 0 that results are right; {NAME} is the path of a `.npy` file with the array NAME",
    ),
    key(Pass, "name", "a name of one line", "name in messages"),
    key(
        Pass,
        "loops",
        "a list of \"NAME = TURNS\"",
        "loops over pages, the outermost first; one page if absent",
    ),
    key(
        Pass,
        "page",
        "a table of ranges by array",
        "part of each array that a page has, a range for each axis",
    ),
    key(
        Pass,
        "call",
        "tables `[[pass.call]]`",
        "kernels that every page calls, in order; the entry of the variant if absent",
    ),
    key(
        Pass,
        "buffers",
        "a whole number from 1 to 8",
        "places in local memory through which parts go in turn; 2 if absent, 1 if two have no room",
    ),
    key(
        Pass,
        "wait",
        "a list of names of loops",
        "a new turn of these begins when all before is stored",
    ),
    key(
        Pass,
        "host_work",
        "one of the words below",
        "when the host does its work for a page: beside the page before, or between pages; beside if absent",
    ),
    key(
        Pass,
        "variants",
        "a list of names of variants",
        "variants that have the pass; all if absent",
    ),
    key(
        Call,
        "entry",
        "a kernel or label",
        "kernel that is called; the entry of the variant if absent",
    ),
    key(
        Call,
        "arrays",
        "a table of names by name",
        "other names that arrays of the kernel have here",
    ),
    key(Call, "arguments", "a table of values by name", "arguments of this call"),
    key(Call, "inverse", "true or false", "whether transforms are inverse ones; false if absent"),
];

impl WorkloadTable {
    /// Returns the keys of the table.
    pub fn keys(self) -> impl Iterator<Item = WorkloadKey> {
        WORKLOAD_KEYS.into_iter().filter(move |key| key.table == self)
    }

    /// Returns the names of the keys of the table.
    pub fn names(self) -> Vec<&'static str> {
        self.keys().map(|key| key.name).collect()
    }
}

impl WorkloadKey {
    /// Returns the words that the key takes; none if it takes other values than words.
    pub fn words(&self) -> Vec<&'static str> {
        match (self.table, self.name) {
            (Array, "part") => PARTS.to_vec(),
            (Array, "random") => DISTRIBUTIONS.to_vec(),
            (Array, "edge") => EDGES.to_vec(),
            (Array, "type") => NumberType::all().map(NumberType::name).collect(),
            (Pass, "host_work") => HOST_WORK.to_vec(),
            _ => Vec::new(),
        }
    }
}
