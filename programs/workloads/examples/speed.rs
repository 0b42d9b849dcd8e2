//! Prints how fast the engines are on this host.

fn main() -> Result<(), cp2_session::KernelError> {
    print!("{}", cp2_workloads::speed::report(&mut || {})?);
    Ok(())
}
