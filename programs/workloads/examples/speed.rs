//! Prints how fast the engines are on the native machine.

use cp2_workloads::speed::{self, REPEATS, Turns};

fn main() -> Result<(), cp2_session::KernelError> {
    let turns = Turns { repeats: REPEATS, over: &mut || {} };
    print!("{}", speed::report(&cp2_session::Environment::new(), turns)?);
    Ok(())
}
