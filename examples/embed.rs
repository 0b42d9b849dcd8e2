//! CP2 in a program of one's own: assemble, schedule, run on arrays, read the result and the cycles.

use cp2_session::npy::Array;
use cp2_session::{Environment, Error, Program, Setup};

/// Multiplies a matrix by a vector, with a kernel that is scheduled here.
pub fn main() -> Result<(), Error> {
    let environment = Environment::new();
    let mut setup = Setup::default();
    let source = include_str!("matvec/matvec.s");
    let program = Program::from_source(&environment, setup.core(), "matvec.s", source)?;
    let matrix: Vec<f32> = (0..16 * 32).map(|k| (k % 7) as f32).collect();
    setup = setup.load("a", Array::from_floats(vec![16, 32], &matrix))?;
    setup = setup.load("x", Array::from_floats(vec![32], &[1.0; 32]))?;
    let outcome = program.run(&environment, &setup.store("y")?)?;
    outcome.stopped()?;
    println!("{:?}", outcome.array("y")?.to_floats());
    println!("{} cycles", outcome.stats.cycles);
    Ok(())
}
