//! Choice of the engine that runs CP2.

/// An engine, which runs a kernel or a machine. All engines give the same results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// The fast engine, which leaves to the portable one what it does not translate; on a whole machine time passes from
    /// event to event.
    #[default]
    Fast,
    /// The portable engine, as the fast one uses it where it cannot run.
    Portable,
    /// The reference engine, cycle by cycle.
    Reference,
}

impl Engine {
    /// All engines, the default first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Portable, Self::Reference];

    /// Returns the name of the engine on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Portable => "portable",
            Self::Reference => "reference",
        }
    }

    /// Returns a description of the engine, in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Fast => "The same results from translated code, many times faster",
            Self::Portable => {
                "The same results on any native machine, some ten times as fast as the reference"
            }
            Self::Reference => "The specification made to run",
        }
    }

    /// Returns the engine with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }
}
