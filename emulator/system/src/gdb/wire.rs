//! Packets of gdb's remote protocol on a connection: checksums, acknowledgments, repetition, and packets that are too long.
//! The stub behind them sees whole packets that came as they were sent, and nothing of the rest.

use gdbstub::conn::{Connection, ConnectionExt};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::rc::Rc;

/// Largest size of a packet in bytes, with `$`, `#` and checksum: as many as the stub has room for.
const LONGEST: usize = 4096;
/// Byte that gdb sends to interrupt a program.
const INTERRUPT: u8 = 3;
/// Packet that asks for a connection without acknowledgments, and begin of the one that tells features.
const NO_ACKNOWLEDGMENTS: &[u8] = b"QStartNoAckMode";
const FEATURES: &[u8] = b"qSupported";
/// Answers to a packet that means nothing, and to one that cannot be taken (EINVAL).
const MALFORMED: &[u8] = b"E01";
const UNTAKEN: &[u8] = b"E16";

/// Received part of a packet.
#[derive(Debug, Default)]
enum Coming {
    /// No byte of a packet.
    #[default]
    Nothing,
    /// Begin of the body, with its bytes so far.
    Body(Vec<u8>),
    /// Whole body, with the first digit of the checksum if it has come.
    Checksum(Vec<u8>, Option<u8>),
}

/// Connection with gdb, and the packets on it.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    acknowledges: bool,
    coming: Coming,
    /// Bytes of packets for the stub.
    ready: VecDeque<u8>,
    /// Body and checksum of the packet that the stub reads, as far as it has read them; more packets may be ready.
    at_hand: Vec<u8>,
    /// Body of the packet that told features and was answered.
    features: Option<Vec<u8>>,
    /// Bytes that the stub is writing, and packet that was sent last.
    sending: Vec<u8>,
    sent: Vec<u8>,
    /// Whether the stub answers a packet again that gdb has been answered before.
    is_repeated: bool,
}

/// End of a connection that the stub has.
#[derive(Clone, Debug)]
pub(super) struct End(Rc<RefCell<Wire>>);

fn sum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, &byte| sum.wrapping_add(byte))
}

/// Returns a packet with a body.
pub(super) fn packet(body: &[u8]) -> Vec<u8> {
    [b"$", body, format!("#{:02x}", sum(body)).as_bytes()].concat()
}

impl Wire {
    /// Takes a byte that was received.
    fn take(&mut self, byte: u8) -> io::Result<()> {
        self.coming = match (std::mem::take(&mut self.coming), byte) {
            // `$` is always the first byte of a packet: one that has not ended has lost its end.
            (_, b'$') => Coming::Body(Vec::new()),
            (Coming::Nothing, b'-') => {
                io::Write::write_all(&mut self.stream, &self.sent)?;
                Coming::Nothing
            }
            (Coming::Nothing, INTERRUPT) => {
                self.ready.push_back(INTERRUPT);
                Coming::Nothing
            }
            (Coming::Nothing, _) => Coming::Nothing,
            (Coming::Body(body), b'#') => Coming::Checksum(body, None),
            (Coming::Body(mut body), byte) => {
                // A packet that is too long is kept no further.
                if body.len() < LONGEST {
                    body.push(byte);
                }
                Coming::Body(body)
            }
            (Coming::Checksum(body, None), byte) => Coming::Checksum(body, Some(byte)),
            (Coming::Checksum(body, Some(first)), second) => {
                let digits = [first, second];
                let text = std::str::from_utf8(&digits).unwrap_or_default();
                let is_right = u8::from_str_radix(text, 16) == Ok(sum(&body));
                self.end(&body, is_right)?;
                Coming::Nothing
            }
        };
        Ok(())
    }

    /// Takes a packet that was received whole.
    fn end(&mut self, body: &[u8], is_right: bool) -> io::Result<()> {
        let is_too_long = body.len() + b"$#00".len() > LONGEST;
        if !is_right && !is_too_long {
            // Without acknowledgments gdb does not send it again.
            return if self.acknowledges {
                io::Write::write_all(&mut self.stream, b"-")
            } else {
                self.answer(UNTAKEN)
            };
        }
        if self.acknowledges {
            io::Write::write_all(&mut self.stream, b"+")?;
        }
        if is_too_long {
            return self.answer(UNTAKEN);
        }
        if body == NO_ACKNOWLEDGMENTS {
            self.answer(b"OK")?;
            self.acknowledges = false;
            return Ok(());
        }
        self.ready.extend(packet(body));
        Ok(())
    }

    /// Sends an answer in place of the stub.
    fn answer(&mut self, body: &[u8]) -> io::Result<()> {
        self.sent = packet(body);
        io::Write::write_all(&mut self.stream, &self.sent)
    }

    /// Receives bytes, waiting for them or not, and returns whether the stub can read one.
    fn receive(&mut self, waits: bool) -> io::Result<bool> {
        let mut bytes = [0; LONGEST];
        while self.ready.is_empty() {
            self.stream.set_nonblocking(!waits)?;
            let read = io::Read::read(&mut self.stream, &mut bytes);
            self.stream.set_nonblocking(false)?;
            match read {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(n) => bytes[..n].iter().try_for_each(|&byte| self.take(byte))?,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock && !waits => return Ok(false),
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    /// Returns the next byte for the stub. A `$` begins a packet, for the body of one has none.
    fn next(&mut self) -> Option<u8> {
        let byte = self.ready.pop_front()?;
        match byte {
            b'$' => self.at_hand.clear(),
            byte => self.at_hand.push(byte),
        }
        Some(byte)
    }

    /// Sends the packet that the stub has written.
    fn send(&mut self) -> io::Result<()> {
        let packet = std::mem::take(&mut self.sending);
        if std::mem::take(&mut self.is_repeated) {
            return Ok(());
        }
        if self.at_hand.starts_with(FEATURES) {
            let end = self.at_hand.iter().position(|&byte| byte == b'#');
            self.features = Some(self.at_hand[..end.unwrap_or(self.at_hand.len())].to_vec());
        }
        self.sent = packet;
        io::Write::write_all(&mut self.stream, &self.sent)
    }
}

impl End {
    /// Creates the end of a connection with gdb.
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self(Rc::new(RefCell::new(Wire {
            stream,
            acknowledges: true,
            coming: Coming::Nothing,
            ready: VecDeque::new(),
            at_hand: Vec::new(),
            features: None,
            sending: Vec::new(),
            sent: Vec::new(),
            is_repeated: false,
        }))))
    }

    /// Answers a packet that the stub could make nothing of, and lets a new stub begin where that one was.
    pub(super) fn begin_anew(&self) -> io::Result<()> {
        let mut wire = self.0.borrow_mut();
        wire.sending.clear();
        // A stub that fails at features which it is told again would do so without end.
        if std::mem::take(&mut wire.is_repeated) {
            wire.features = None;
            return Ok(());
        }
        wire.answer(MALFORMED)?;
        if let Some(features) = wire.features.clone() {
            packet(&features).into_iter().rev().for_each(|byte| wire.ready.push_front(byte));
            wire.is_repeated = true;
        }
        Ok(())
    }
}

impl Connection for End {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        let mut wire = self.0.borrow_mut();
        // The stub acknowledges too, before its answer.
        if !(wire.sending.is_empty() && byte == b'+') {
            wire.sending.push(byte);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().send()
    }
}

impl ConnectionExt for End {
    fn read(&mut self) -> io::Result<u8> {
        let mut wire = self.0.borrow_mut();
        wire.receive(true)?;
        wire.next().ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        let mut wire = self.0.borrow_mut();
        wire.receive(false)?;
        Ok(wire.ready.front().copied())
    }
}
