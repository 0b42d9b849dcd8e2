//! The message unit: registers by which a program asks for messages to other processors. The board keeps the request; who runs the
//! processor carries it out, and lets the time of it pass.

use std::ops::Range;

/// Physical addresses of the registers, of 4 bytes each. `[own]`
pub(crate) const REGISTERS: Range<u64> = 0x1800_0800..0x1800_0824;

/// Offsets of the registers.
mod offset {
    pub(super) const RANK: u64 = 0x00;
    pub(super) const RANKS: u64 = 0x04;
    pub(super) const CLOCK: u64 = 0x08;
    pub(super) const NOTE: u64 = 0x0c;
    pub(super) const PEER: u64 = 0x10;
    pub(super) const TAG: u64 = 0x14;
    pub(super) const PLACE: u64 = 0x18;
    pub(super) const SIZE: u64 = 0x1c;
    pub(super) const START: u64 = 0x20;
}

/// Values of the register that starts a request.
mod start {
    pub(super) const SEND: u32 = 1;
    pub(super) const RECEIVE: u32 = 2;
    pub(super) const BEGIN: u32 = 3;
    pub(super) const END: u32 = 4;
    pub(super) const REFUSE: u32 = 5;
}

/// Request of a program to its message unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRequest {
    /// The program begins to exchange messages, and takes the arguments of the run: texts, each with a zero byte behind it.
    Begin {
        /// Physical address to which the arguments go.
        place: u32,
        /// Most bytes that they may have.
        room: u32,
    },
    /// The program exchanges messages no more.
    End,
    /// The bytes at a physical address go to another processor.
    Send {
        /// Number of the other processor.
        to: u32,
        /// Tag of the message.
        tag: u32,
        /// Physical address of the first byte.
        place: u32,
        /// Number of bytes.
        size: u32,
    },
    /// The next message of another processor with this tag is awaited.
    Receive {
        /// Number of the other processor.
        from: u32,
        /// Tag of the message.
        tag: u32,
        /// Physical address to which the message goes.
        place: u32,
        /// Most bytes that it may have.
        room: u32,
    },
    /// The program cannot go on, for a reason that stands as a text, with a zero byte behind it, at a physical address.
    Refuse {
        /// Physical address of the text.
        text: u32,
    },
    /// The program asked for something that there is not.
    Unknown(u32),
}

/// The message unit of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageUnit {
    rank: u32,
    ranks: u32,
    cycles_per_us: u32,
    note: u32,
    peer: u32,
    tag: u32,
    place: u32,
    size: u32,
    request: Option<MessageRequest>,
}

impl MessageUnit {
    /// Creates the unit of the processor with this number, of so many, whose clock has so many cycles in a microsecond.
    #[must_use]
    pub const fn new(rank: u32, ranks: u32, cycles_per_us: u32) -> Self {
        let (note, peer, tag, place, size) = (0, 0, 0, 0, 0);
        Self { rank, ranks, cycles_per_us, note, peer, tag, place, size, request: None }
    }

    /// Returns the request that has to be carried out, if there is one.
    #[must_use]
    pub const fn request(&self) -> Option<MessageRequest> {
        self.request
    }

    /// Returns the physical address of the program's note of its last call: two words, the addresses of the name of the function that
    /// was called and of the instruction behind the call. `None` as long as it has given none.
    #[must_use]
    pub fn note(&self) -> Option<u32> {
        (self.note != 0).then_some(self.note)
    }

    /// Ends a request; the program then reads `size` as the number of bytes that have come.
    pub const fn answer(&mut self, size: u32) {
        self.size = size;
        self.request = None;
    }

    /// Returns the value of a register at a physical address; `None` if there is none.
    pub(crate) fn load(&self, address: u64, bytes: usize) -> Option<u32> {
        match offset_of(address, bytes)? {
            offset::RANK => Some(self.rank),
            offset::RANKS => Some(self.ranks),
            offset::CLOCK => Some(self.cycles_per_us),
            offset::SIZE => Some(self.size),
            _ => Some(0),
        }
    }

    /// Stores to a register at a physical address; `None` if there is none. Registers that are for reading stay as they are.
    pub(crate) fn store(&mut self, address: u64, bytes: usize, value: u32) -> Option<()> {
        match offset_of(address, bytes)? {
            offset::NOTE => self.note = value,
            offset::PEER => self.peer = value,
            offset::TAG => self.tag = value,
            offset::PLACE => self.place = value,
            offset::SIZE => self.size = value,
            offset::START => self.request = Some(self.started(value)),
            _ => {}
        }
        Some(())
    }

    const fn started(&self, value: u32) -> MessageRequest {
        let Self { peer, tag, place, size, .. } = *self;
        match value {
            start::SEND => MessageRequest::Send { to: peer, tag, place, size },
            start::RECEIVE => MessageRequest::Receive { from: peer, tag, place, room: size },
            start::BEGIN => MessageRequest::Begin { place, room: size },
            start::END => MessageRequest::End,
            start::REFUSE => MessageRequest::Refuse { text: place },
            other => MessageRequest::Unknown(other),
        }
    }
}

/// Returns the offset of the register at an address; registers take accesses of 32 bits.
fn offset_of(address: u64, bytes: usize) -> Option<u64> {
    let is_one = REGISTERS.contains(&address) && bytes == 4 && address.is_multiple_of(4);
    is_one.then(|| address - REGISTERS.start)
}
