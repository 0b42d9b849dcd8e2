//! gdb's remote protocol, packet by packet; `gdb.sh` has a session with gdb itself.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_emu::{MachineConfig, ReferenceEngine};
use cp2_isa::BundleAddress;
use cp2_k64::devices::Devices;
use cp2_k64::elf::ElfProgram;
use cp2_k64::isa::Release;
use cp2_k64::machine::Processor;
use cp2_system::Board;
use cp2_system::gdb::{SessionEnd, SourceLine, refuse, serve};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;

struct Debugger(TcpStream);

impl Debugger {
    /// Sends a packet, and gives the text of the answer.
    fn ask(&mut self, text: &str) -> String {
        self.0.write_all(&framed(text)).unwrap();
        self.answer()
    }

    fn answer(&mut self) -> String {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while bytes.iter().rev().nth(2) != Some(&b'#') {
            self.0.read_exact(&mut byte).unwrap();
            bytes.push(byte[0]);
        }
        self.0.write_all(b"+").unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (_, text) = text.split_once('$').unwrap();
        text[..text.len() - 3].to_owned()
    }

    /// Reads a register, by number.
    fn register(&mut self, number: usize) -> u64 {
        let all = expanded(&self.ask("g"));
        u64::from_str_radix(&all[16 * number..][..16], 16).unwrap()
    }
}

/// Frames a text as a packet.
fn framed(text: &str) -> Vec<u8> {
    let sum = text.bytes().fold(0u8, u8::wrapping_add);
    format!("${text}#{sum:02x}").into_bytes()
}

/// Expands a text in which a character, `*` and a count stand for many of the character.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '*' => {
                let last = out.chars().last().unwrap();
                let count = characters.next().unwrap() as usize - 29;
                out.extend(std::iter::repeat_n(last, count));
            }
            _ => out.push(c),
        }
    }
    out
}

fn line(address: u16, line: u32) -> SourceLine {
    SourceLine { address: BundleAddress(address), file: "folder/kernel.s".to_owned(), line }
}

/// Serves a fixture of the control processor, while `debug` plays the debugger.
fn debugged(fixture: &str, debug: impl FnOnce(&mut Debugger) + Send + 'static) -> SessionEnd {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../k64/tests/fixtures");
    let program = ElfProgram::read(&std::fs::read(folder.join(fixture)).unwrap()).unwrap();
    let config = MachineConfig::preset("vm7").unwrap();
    let devices = Devices::new(program.entry, Box::new(std::io::sink()));
    let board = Board::new(&config, Box::new(ReferenceEngine), devices);
    let mut processor = Processor::new(&program, Box::new(board), Release::R1).unwrap();
    assert!(processor.keep_history());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let debugger =
        std::thread::spawn(move || debug(&mut Debugger(TcpStream::connect(address).unwrap())));
    let (connection, _) = listener.accept().unwrap();
    let mut lines = |path: &str| match path {
        "kernel.s" => Ok(vec![line(0, 3), line(1, 4)]),
        _ => Err(format!("{path} is not there")),
    };
    let ended = serve(&mut processor, connection, &mut lines).unwrap();
    debugger.join().unwrap();
    ended
}

const PC: usize = 37;
/// Number of the register FIR of the floating-point unit.
const FIR: usize = 71;
const ENTRY: u64 = 0xffff_ffff_8010_0000;

#[test]
fn breakpoints_steps_memory_and_the_exit_code() {
    let ended = debugged("words.elf", |gdb| {
        assert!(gdb.ask("qSupported:swbreak+").contains("PacketSize"));
        assert!(gdb.ask("qXfer:features:read:target.xml:0,ffff").contains("mips:isa64"));
        assert_eq!(gdb.register(PC), 0xffff_ffff_bfc0_0000);
        assert_eq!(gdb.ask(&format!("Z0,{ENTRY:x},4")), "OK");
        assert!(gdb.ask("c").starts_with('T'));
        assert_eq!(gdb.register(PC), ENTRY);
        assert_eq!(gdb.register(FIR), 0x0073_0000, "what `cfc1` reads");
        // lui $8, 0xb800
        assert_eq!(expanded(&gdb.ask(&format!("m{ENTRY:x},4"))), "3c08b800");
        assert!(gdb.ask("s").starts_with("S05"));
        assert_eq!((gdb.register(PC), gdb.register(8)), (ENTRY + 4, 0xffff_ffff_b800_0000));
        // Nothing is there.
        assert!(gdb.ask("mffffffff98000000,4").starts_with('E'));
        let text = 0xffff_ffff_8010_0030u64;
        assert_eq!(gdb.ask(&format!("M{text:x},1:58")), "OK");
        assert_eq!(gdb.ask(&format!("z0,{ENTRY:x},4")), "OK");
        assert_eq!(gdb.ask("c"), "W07");
    });
    assert_eq!(ended, SessionEnd::Exit(7));
}

#[test]
fn watchpoints_tell_the_first_watched_byte_before_the_access() {
    let ended = debugged("words.elf", |gdb| {
        // The program stores bytes to the UART at b80003f8 and a word to the exit register.
        assert_eq!(gdb.ask("Z2,ffffffffb80003f8,1"), "OK");
        let first = expanded(&gdb.ask("c"));
        assert!(first.contains("watch:ffffffffb80003f8;") && !first.contains("awatch"), "{first}");
        let place = gdb.register(PC);
        assert!((ENTRY..ENTRY + 0x40).contains(&place), "{place:x}");
        // A step does the access, and the next one is told too.
        assert!(gdb.ask("s").starts_with("S05"));
        assert!(expanded(&gdb.ask("c")).contains("watch:ffffffffb80003f8;"));
        assert!(gdb.ask("bs").starts_with("S05"));
        assert!(gdb.ask("s").starts_with("S05"));
        assert_eq!(gdb.ask("z2,ffffffffb80003f8,2"), "E16", "there is none of 2 bytes");
        assert_eq!(gdb.ask("z2,ffffffffb80003f8,1"), "OK");
        // Several at once, and one that is longer than the access.
        assert_eq!(gdb.ask("Z3,ffffffffb8000402,1"), "OK");
        assert_eq!(gdb.ask("Z4,ffffffffb8000401,100"), "OK");
        let last = expanded(&gdb.ask("c"));
        assert!(last.contains("awatch:ffffffffb8000401;"), "{last}");
        let back = expanded(&gdb.ask("bc"));
        assert!(back.contains("replaylog:begin"), "{back}");
        assert!(expanded(&gdb.ask("c")).contains("awatch:ffffffffb8000401;"));
        assert_eq!(expanded(&gdb.ask("c")), "W07");
    });
    assert_eq!(ended, SessionEnd::Exit(7));
}

#[test]
fn a_fault_is_a_signal_and_gdb_may_go() {
    let ended = debugged("unhandled.elf", |gdb| {
        assert!(gdb.ask("c").starts_with("S0b"), "SIGSEGV");
        let help: String = "help".bytes().map(|b| format!("{b:02x}")).collect();
        assert!(gdb.ask(&format!("qRcmd,{help}")).starts_with('O'));
        while gdb.answer() != "OK" {}
        assert_eq!(gdb.ask("D"), "OK");
    });
    assert_eq!(ended, SessionEnd::Detached);
}

/// Returns the text that a monitor command prints.
fn told(gdb: &mut Debugger, command: &str) -> String {
    let packet: String = command.bytes().map(|b| format!("{b:02x}")).collect();
    let mut text = String::new();
    let mut answer = gdb.ask(&format!("qRcmd,{packet}"));
    while answer != "OK" {
        let digits = expanded(answer.strip_prefix('O').unwrap());
        let byte = |k: usize| u8::from_str_radix(&digits[k..k + 2], 16).unwrap();
        text.extend((0..digits.len()).step_by(2).map(|k| char::from(byte(k))));
        answer = gdb.answer();
    }
    text
}

#[test]
fn steps_go_back_as_they_came_and_end_at_the_begin() {
    let ended = debugged("words.elf", |gdb| {
        let features = gdb.ask("qSupported:swbreak+");
        assert!(features.contains("ReverseStep+") && features.contains("ReverseContinue+"));
        let mut before = Vec::new();
        for _ in 0..10 {
            before.push(expanded(&gdb.ask("g")));
            assert!(gdb.ask("s").starts_with("S05"));
        }
        for all in before.iter().rev() {
            assert!(gdb.ask("bs").starts_with("S05"));
            assert_eq!(expanded(&gdb.ask("g")), *all);
        }
        assert!(gdb.ask("bs").contains("replaylog:begin"));
        assert_eq!(gdb.ask(&format!("Z0,{ENTRY:x},4")), "OK");
        assert!(gdb.ask("c").starts_with('T'));
        assert!(gdb.ask("s").starts_with("S05"));
        // What gdb changes stays as it has become, however far back from there.
        let mut all = expanded(&gdb.ask("g"));
        all.replace_range(16 * 9..16 * 10, "00000000deadbeef");
        assert_eq!(gdb.ask(&format!("G{all}")), "OK");
        assert!(gdb.ask("s").starts_with("S05"));
        assert!(gdb.ask("bs").starts_with("S05"));
        assert_eq!((gdb.register(PC), gdb.register(9)), (ENTRY + 4, 0xdead_beef));
        assert!(gdb.ask("bc").contains("swbreak"));
        assert_eq!(gdb.register(PC), ENTRY);
        assert!(gdb.ask("bc").contains("replaylog:begin"));
        assert_eq!(gdb.ask(&format!("z0,{ENTRY:x},4")), "OK");
        assert_eq!(gdb.ask("c"), "W07");
    });
    assert_eq!(ended, SessionEnd::Exit(7));
}

#[test]
fn monitor_names_places_of_cp2_by_line() {
    let ended = debugged("words.elf", |gdb| {
        assert_eq!(told(gdb, "source nothing.s"), "nothing.s is not there\n");
        assert!(told(gdb, "source kernel.s 65535").contains("beyond instruction memory"));
        assert_eq!(told(gdb, "source kernel.s 16"), "2 bundles from 16 on\n");
        assert_eq!(told(gdb, "break kernel.s:1"), "breakpoint at bundle 16 (folder/kernel.s:3)\n");
        assert_eq!(told(gdb, "break *40"), "breakpoint at bundle 40\n");
        let all = "bundle 16 (folder/kernel.s:3)\nbundle 40\n";
        assert_eq!(told(gdb, "breakpoints"), all);
        assert!(told(gdb, "break kernel.s:5").starts_with("no bundle comes from line 5"));
        assert!(told(gdb, "break rnel.s:3").starts_with("no bundle comes from line 3"));
        assert!(told(gdb, "break here").contains("neither *ADDRESS nor FILE:LINE"));
        assert_eq!(told(gdb, "delete *40"), "breakpoint at bundle 40 deleted\n");
        assert_eq!(told(gdb, "delete *40"), "there is no breakpoint at bundle 40\n");
        assert_eq!(told(gdb, "delete"), "all breakpoints deleted\n");
        assert_eq!(told(gdb, "breakpoints"), "none\n");
        assert_eq!(gdb.ask("D"), "OK");
    });
    assert_eq!(ended, SessionEnd::Detached);
}

/// Sends bytes and returns as many bytes of the answer as `count` says.
fn raw(gdb: &mut Debugger, bytes: &[u8], count: usize) -> String {
    gdb.0.write_all(bytes).unwrap();
    let mut answer = vec![0; count];
    gdb.0.read_exact(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn packets_that_are_damaged_or_mean_nothing_are_answered_and_the_session_goes_on() {
    let ended = debugged("words.elf", |gdb| {
        assert!(gdb.ask("qSupported:swbreak+;multiprocess+").contains("PacketSize"));
        // Its sum is 03f.
        assert_eq!(raw(gdb, b"$?#00", 1), "-");
        assert_eq!(raw(gdb, b"$?#zz", 1), "-");
        // A packet without an end, then noise.
        gdb.0.write_all(b"$m12$abc").unwrap();
        assert_eq!(raw(gdb, b"#00", 1), "-");
        gdb.0.write_all(b"noise").unwrap();
        assert_eq!(gdb.ask("mwhere,4"), "E01");
        assert_eq!(gdb.ask("Z0,nowhere"), "E01");
        assert_eq!(gdb.ask(&"x".repeat(5000)), "E16");
        // What is not heard is said again.
        let place = gdb.ask("Z0,ffffffff80100000,4");
        assert_eq!(place, "OK");
        assert_eq!(raw(gdb, b"-", 6), "$OK#9a");
        assert!(gdb.ask("c").starts_with('T'));
        assert_eq!(gdb.register(PC), ENTRY);
        assert_eq!(gdb.ask("z0,ffffffff80100000,4"), "OK");
        // Without acknowledgments nobody sends anything again.
        assert_eq!(gdb.ask("QStartNoAckMode"), "OK");
        assert_eq!(raw(gdb, b"$?#00", 7), "$E16#ac");
        assert_eq!(raw(gdb, b"$c#63", 7), "$W07#be");
    });
    assert_eq!(ended, SessionEnd::Exit(7));
}

/// The stub begins anew behind a packet that means nothing, and hears the features again; not those of a packet that has
/// come meanwhile, at which it would fail without end.
#[test]
fn packets_that_come_together_are_answered_one_by_one() {
    let ended = debugged("words.elf", |gdb| {
        gdb.0.set_read_timeout(Some(std::time::Duration::from_secs(10))).unwrap();
        let packets = ["", "X1630b6", "qSupportedry-map0"];
        let stream: Vec<u8> = packets.iter().flat_map(|text| framed(text)).collect();
        gdb.0.write_all(&stream).unwrap();
        let mut answers = [0; 21];
        gdb.0.read_exact(&mut answers).unwrap();
        assert_eq!(String::from_utf8_lossy(&answers), "+++$#00$E01#a6$E01#a6");
        assert_eq!(gdb.ask("D"), "OK");
    });
    assert_eq!(ended, SessionEnd::Detached);
}

#[test]
fn a_second_debugger_is_told_why_it_is_refused() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut other = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (connection, _) = listener.accept().unwrap();
    let told = std::thread::spawn(move || refuse(connection));
    other.write_all(b"+$qSupported:xmlRegisters=i386#00").unwrap();
    let mut answer = String::new();
    other.read_to_string(&mut answer).unwrap();
    drop(other);
    told.join().unwrap().unwrap();
    assert!(answer.starts_with("+$E.another gdb debugs this program"), "{answer}");
}
