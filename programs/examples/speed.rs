//! Prints how fast the engines are on this host.

fn main() -> Result<(), cp2_programs::KernelError> {
    for speed in cp2_programs::speed::speeds()? {
        println!("{speed}");
    }
    Ok(())
}
