//! The registers that the host sets before a kernel runs: general registers with the call, others by bundles that it sends
//! before, floating-point registers from constants in local memory.

use cp2_asm::interface::ArgumentRegister;
use cp2_emu::State;
use cp2_isa::{BundleBits, Core, Storage};
use cp2_session::Environment;
use cp2_session::error::KernelError;
use std::fmt::Write as _;

/// Registers that a call sets, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallRegisters {
    /// Values of `g0`, `g1` and on, up to the last that is set.
    pub(super) general: Vec<u16>,
    /// Other registers that take a whole number: name and value.
    whole: Vec<(String, u16)>,
    /// Floating-point registers: number and word.
    floats: Vec<(usize, u64)>,
    /// Number of the address register that none of the others is.
    address: usize,
}

/// Returns a value that fits 16 bits.
fn of_16_bits(register: &ArgumentRegister, value: u64) -> Result<u16, String> {
    u16::try_from(value).map_err(|_| {
        format!("{register} is to be {value}, and the host of a procedure sets 0 to 65535")
    })
}

impl CallRegisters {
    /// Finds the values of registers in a state that was prepared for a call.
    ///
    /// # Errors
    /// A message about a register that the host cannot set, or to such a value.
    pub(super) fn new(state: &State, registers: &[ArgumentRegister]) -> Result<Self, String> {
        let mut found = Self::default();
        let mut addresses = Vec::new();
        for register in registers {
            let number = register.number;
            match register.storage {
                Storage::Gpr => {
                    let count = found.general.len().max(number + 1);
                    found.general.resize(count, 0);
                    found.general[number] = of_16_bits(register, state.gpr[number])?;
                }
                Storage::A => {
                    addresses.push(number);
                    found.whole.push((register.to_string(), state.a[number].0));
                }
                Storage::N => found.whole.push((register.to_string(), state.n[number])),
                Storage::M => found.whole.push((register.to_string(), state.m[number])),
                Storage::Fpr => {
                    let value = (number, state.fpr[number][0]);
                    if !found.floats.contains(&value) {
                        found.floats.push(value);
                    }
                }
                _ => {
                    return Err(format!(
                        "it takes an argument in {register}, and the host of a procedure sets \
                         registers g, a, n, m and f"
                    ));
                }
            }
        }
        let free = (0..state.a.len()).rev().find(|number| !addresses.contains(number));
        found.address = match free {
            Some(free) => free,
            None if found.floats.is_empty() => 0,
            None => return Err("no address register is left for constants".to_owned()),
        };
        Ok(found)
    }

    /// Returns the words of the constants that the call needs in local memory.
    pub(super) fn constants(&self) -> impl Iterator<Item = u64> + '_ {
        self.floats.iter().map(|(_, word)| *word)
    }

    /// Returns the bundles that the host sends before the call; constant k of `constants` lies in word `first` + k of
    /// local memory.
    ///
    /// # Errors
    /// A bundle does not assemble, which is an error of this program.
    pub(super) fn setup(
        &self,
        core: &Core,
        (constants, first): (&[u64], usize),
    ) -> Result<Vec<BundleBits>, KernelError> {
        if self.whole.is_empty() && self.floats.is_empty() {
            return Ok(Vec::new());
        }
        let mut text = ".kernel setup\n".to_owned();
        for (register, word) in &self.floats {
            let place = constants.iter().position(|constant| constant == word).unwrap_or(0);
            let address = self.address;
            let _ = writeln!(text, "        seti    a{address}, {}", first + place);
            let _ = writeln!(text, "        lwo     f{register}, (r{address})+0");
        }
        for (register, value) in &self.whole {
            let _ = writeln!(text, "        seti    {register}, {value}");
        }
        let image = Environment::new().assemble(core, "setup.s", &text)?;
        Ok(image.kernels.iter().flat_map(|kernel| kernel.words.iter().copied()).collect())
    }
}
