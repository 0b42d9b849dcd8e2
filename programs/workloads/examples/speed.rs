//! Prints how fast the engines are on the native machine.

use cp2_workloads::speed::{self, REPEATS, Repetitions};

fn main() -> Result<(), cp2_session::KernelError> {
    let turns = Repetitions { repeats: REPEATS, after_each: &mut || {} };
    print!("{}", speed::report(&cp2_session::Environment::new(), turns)?);
    Ok(())
}
