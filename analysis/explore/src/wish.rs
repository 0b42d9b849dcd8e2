//! What a page asks for.

use serde::{Deserialize, Serialize};

/// A machine that a page asks for, in the words of the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MachineWish {
    /// Name of the machine, one of those that the page was offered; CP2 alone if it is empty.
    pub machine: String,
    /// Extensions, as `--enable` takes them.
    pub enable: Vec<String>,
    /// Changed numbers, `KEY=VALUE`, as `--set` takes them.
    pub set: Vec<String>,
}

/// A text that a page wants explored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExploreWish {
    /// Text of the source.
    pub text: String,
    /// Line of the caret, from 1: it tells which case of a file test is shown. Of other texts it is not asked.
    pub line: u32,
    /// Machine for which it is assembled and on which it runs.
    pub on: MachineWish,
    /// Arguments of the kernel, each a name and its value; one with an empty value is as if it were not here.
    pub arguments: Vec<(String, String)>,
    /// Changes of the machine that are compared with it: extensions.
    pub try_enable: Vec<String>,
    /// Changes of the machine that are compared with it: numbers.
    pub try_set: Vec<String>,
}
