//! Prints how fast the engines are on this host.

fn main() -> Result<(), cp2_session::KernelError> {
    print!("{}", cp2_workloads::speed::report(&cp2_session::Environment::new(), &mut || {})?);
    Ok(())
}
