//! Choice of the engine that runs CP2, by name.

/// The choice of an engine, a part of the emulator that runs kernels and machines. All engines give the same results,
/// and differ in speed. [`Environment::engine`](crate::Environment::engine) creates one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fast engine, which translates kernels to machine code of the native machine, and leaves to the portable
    /// engine what it does not translate. The default.
    #[default]
    Fast,
    /// The portable engine, in safe Rust, which runs on every native machine.
    Portable,
    /// The reference engine, which executes one cycle at a time and keeps no decoded or translated code; slow, for
    /// comparison.
    Reference,
}

impl Engine {
    /// All engines, the default one first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Portable, Self::Reference];

    /// Returns the name of the engine on the command line: `fast`, `portable` or `reference`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Portable => "portable",
            Self::Reference => "reference",
        }
    }

    /// Returns a description of the engine for people, in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Fast => "Translates kernels to code of this computer; by far the fastest",
            Self::Portable => {
                "Runs on every computer; about ten times as fast as the reference engine"
            }
            Self::Reference => "Follows the specification cycle by cycle; the slowest",
        }
    }

    /// Returns the engine with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}
