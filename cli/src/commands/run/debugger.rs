//! The connection that a debugger of a program of the control processor makes.

use crate::process::exit::{Outcome, bad_input, complain};
use cp2_system::gdb;
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// Waits for gdb at a port of the loopback interface, 0 for any that is free, and returns the connection. Others are told
/// that they come too late, for as long as this process lives.
pub(super) fn wait(port: u16) -> Outcome<TcpStream> {
    let failed = |e: std::io::Error| bad_input(format!("--gdb {port}: {e}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    complain(format!("cp2: waiting for gdb: target remote :{port}"));
    let (connection, _) = listener.accept().map_err(failed)?;
    std::thread::spawn(move || {
        for other in listener.incoming().flatten() {
            complain(
                "cp2: note: another debugger was refused: only one at a time can debug a program",
            );
            // Who hangs up before has been told enough.
            let _ = gdb::refuse(other);
        }
    });
    Ok(connection)
}
