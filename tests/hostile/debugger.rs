//! What a debugger may send. A line is the text of a packet, which gets its frame and checksum; one behind `!` goes as it is.

use super::kinds::{Judgement, Verdict};
use super::programs::processor;
use super::readers::message;
use super::seeds::in_project;
use crate::SplitMix64;
use cp2_isa::BundleAddress;
use cp2_k64::elf::ElfProgram;
use cp2_system::gdb::{SourceLine, serve};
use std::io::{ErrorKind, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::time::Duration;

/// Begins and parts of packets.
pub(super) const WORDS: [&str; 40] = [
    "qSupported:swbreak+",
    "qXfer:features:read:target.xml:0,fff",
    "qXfer:memory-map:read::0,fff",
    "qRcmd,",
    "QStartNoAckMode",
    "vCont?",
    "vCont;c",
    "vCont;s:1",
    "vMustReplyEmpty",
    "Hg0",
    "?",
    "g",
    "G00",
    "p25",
    "P25=",
    "mffffffff80100000,4",
    "Mffffffff80100000,1:58",
    "Xffffffff80100000,2:ab",
    "Z0,ffffffff80100000,4",
    "z0,ffffffff80100000,4",
    "Z2,ffffffff80100000,100",
    "Z3,0,ffffffffffffffff",
    "Z4,ffffffffb80003f8,1",
    "z2,ffffffff80100000,100",
    "vFile:open:2f70726f632f312f6d617073,0,0",
    "vFile:pread:3,100,0",
    "c",
    "s",
    "bs",
    "bc",
    "D",
    "k",
    "\n",
    "!\u{3}",
    "!+",
    "!-",
    "!$g#00",
    "!$",
    "#",
    "}",
];

/// Number of packets of an input that are sent, from the first on, for a step may take a while.
const MOST_PACKETS: usize = 40;

/// Monitor commands, which go as hexadecimal digits.
const COMMANDS: [&str; 8] = [
    "help",
    "source kernel.s 16",
    "source kernel.s 65535",
    "break kernel.s:3",
    "break *40",
    "breakpoints",
    "delete",
    "break *99999999999999999999",
];

fn command(text: &str) -> String {
    text.bytes().fold("qRcmd,".to_owned(), |all, byte| format!("{all}{byte:02x}"))
}

/// Returns sessions as gdb has them.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let steps = "qSupported:swbreak+\n?\ng\nZ0,ffffffff80100000,4\nc\nmffffffff80100000,4\ns\ns\nbs\nbc\nD\n";
    let data = "QStartNoAckMode\nqXfer:features:read:target.xml:0,ffff\nP25=ffffffff80100000\np25\n\
        Mffffffff80100030,1:58\nz0,ffffffff80100000,4\nc\n";
    let monitor: Vec<String> = COMMANDS.iter().map(|text| command(text)).collect();
    vec![steps.into(), data.into(), monitor.join("\n").into(), b"!$g#00\n!+\nk".to_vec()]
}

/// Returns a session of packets and parts of packets.
pub(super) fn generate(sequence: &mut SplitMix64, _: &[Vec<u8>]) -> Vec<u8> {
    let packet = |sequence: &mut SplitMix64| match sequence.below(6) {
        0 => command(sequence.of(&COMMANDS)),
        1 => {
            let (letter, at) =
                (sequence.of(&["m", "M", "X", "Z0,", "z0,", "p", "P"]), sequence.bits());
            let (shift, more) =
                (sequence.below(64), sequence.of(&[",4", ",ffff", ",ffffffffffffffff:", "=", ""]));
            format!("{letter}{:x}{more}", at >> shift)
        }
        2 => format!("{}{}", sequence.of(&WORDS), sequence.of(&WORDS)),
        _ => sequence.of(&WORDS).to_owned(),
    };
    let all: Vec<String> = (0..=sequence.below(12)).map(|_| packet(sequence)).collect();
    all.join("\n").into_bytes()
}

/// Returns the bytes that a debugger sends.
fn stream(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').take(MOST_PACKETS) {
        if let Some(raw) = line.strip_prefix(b"!") {
            stream.extend(raw);
            continue;
        }
        let sum = line.iter().fold(0_u8, |sum, &byte| sum.wrapping_add(byte));
        stream.extend([b"$", line, format!("#{sum:02x}+").as_bytes()].concat());
    }
    stream
}

/// Opens a connection and returns both ends. Where the native machine has no port left because of those that were just
/// closed, it waits.
fn connection() -> std::io::Result<(TcpStream, TcpStream)> {
    loop {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        match TcpStream::connect(listener.local_addr()?) {
            Ok(far) => return Ok((listener.accept()?.0, far)),
            Err(e) if e.kind() == ErrorKind::AddrNotAvailable => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(e) => return Err(e),
        }
    }
}

/// Serves a debugger that sends the bytes and hangs up.
pub(super) fn read(bytes: &[u8]) -> Judgement {
    let fixture = in_project("emulator/k64/tests/fixtures").join("words.elf");
    let program = std::fs::read(fixture).map_err(|e| e.to_string())?;
    let program = ElfProgram::read(&program).map_err(|e| e.to_string())?;
    let mut processor = processor(&program)?;
    processor.keep_history();
    let (near, mut far) = connection().map_err(|e| e.to_string())?;
    let stream = stream(bytes);
    let mut lines = |path: &str| match path {
        "kernel.s" => {
            let line = |address: u16, line| SourceLine {
                address: BundleAddress(address),
                file: "kernel.s".to_owned(),
                line,
            };
            Ok(vec![line(0, 3), line(1, 4)])
        }
        _ => Err(format!("{path} is not there")),
    };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Whether somebody still listens is the other end's business.
            let _ = far.write_all(&stream);
            let _ = far.shutdown(Shutdown::Write);
            let _ = std::io::copy(&mut far, &mut std::io::sink());
        });
        match serve(&mut processor, near, &mut lines) {
            Ok(_) => Ok(Verdict::Accepted),
            Err(e) => message(e),
        }
    })
}
