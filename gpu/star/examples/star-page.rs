//! Prints the page `specs/src/star-gpu.md` from the data of measurements.

fn main() -> Result<(), String> {
    print!("{}", cp2_gpu_star::page::page()?);
    Ok(())
}
