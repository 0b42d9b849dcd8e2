//! Slices of a back end on CP2: in system memory, in local memory, or in both. Local memory keeps what was used last; what has to make
//! room goes to system memory.

use cp2_emu::state::Quad;
use cp2_kernels::star::SliceLayout;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Numbers of slices that nobody holds any more.
type Dropped = Rc<RefCell<Vec<usize>>>;

/// A slice that somebody holds; the place is free when the last holder is gone. A slice never changes.
#[derive(Debug)]
pub(super) struct SliceHandle {
    number: usize,
    rows: usize,
    dropped: Dropped,
}

impl SliceHandle {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }
}

impl Drop for SliceHandle {
    fn drop(&mut self) {
        self.dropped.borrow_mut().push(self.number);
    }
}

/// The places of a slice.
#[derive(Debug)]
struct Places {
    layout: SliceLayout,
    /// Words in system memory.
    system: Option<Vec<u64>>,
    /// Address in local memory.
    local: Option<usize>,
    /// Operation that used it last.
    used: u64,
}

/// The slices of a back end, with the free parts of local memory.
#[derive(Debug)]
pub(super) struct SliceMemory {
    slices: Vec<Option<Places>>,
    /// Numbers that no slice has now.
    unused: Vec<usize>,
    dropped: Dropped,
    /// Free parts of local memory: address and words.
    free: BTreeMap<usize, usize>,
    /// Number of the operation that runs, whose slices stay where they are.
    operation: u64,
    /// Words of a section that went from one memory to the other.
    moved: u64,
}

impl SliceMemory {
    /// Creates the memory of a core with so many words of local memory in a section.
    pub(super) fn new(words: usize) -> Self {
        let free = BTreeMap::from([(0, words)]);
        let (slices, unused, dropped) = (Vec::new(), Vec::new(), Dropped::default());
        Self { slices, unused, dropped, free, operation: 0, moved: 0 }
    }

    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    /// Begins an operation: what earlier ones used may leave local memory.
    pub(super) fn begin(&mut self) {
        self.operation += 1;
        let dropped = std::mem::take(&mut *self.dropped.borrow_mut());
        for number in dropped {
            self.unused.push(number);
            if let Some(places) = self.slices[number].take()
                && let Some(address) = places.local
            {
                self.release(address, places.layout.words());
            }
        }
    }

    fn add(&mut self, places: Places) -> SliceHandle {
        let rows = places.layout.rows();
        let number = match self.unused.pop() {
            Some(number) => {
                self.slices[number] = Some(places);
                number
            }
            None => {
                self.slices.push(Some(places));
                self.slices.len() - 1
            }
        };
        SliceHandle { number, rows, dropped: Rc::clone(&self.dropped) }
    }

    /// Adds a slice that is in system memory.
    pub(super) fn load(&mut self, rows: usize, words: Vec<u64>) -> SliceHandle {
        let layout = SliceLayout::new(rows);
        self.add(Places { layout, system: Some(words), local: None, used: 0 })
    }

    /// Adds a slice in local memory, which an operation will write; `None` if there is no room for it.
    pub(super) fn fresh(&mut self, rows: usize, lmem: &[Quad]) -> Option<(SliceHandle, usize)> {
        let layout = SliceLayout::new(rows);
        let address = self.room(layout.words(), lmem)?;
        let used = self.operation;
        let handle = self.add(Places { layout, system: None, local: Some(address), used });
        Some((handle, address))
    }

    /// Returns the address of a slice in local memory, to which it is brought; `None` if there is no room for it.
    pub(super) fn bring(&mut self, slice: &SliceHandle, lmem: &mut [Quad]) -> Option<usize> {
        let now = self.operation;
        let places = self.slices[slice.number].as_mut()?;
        places.used = now;
        if places.local.is_some() {
            return places.local;
        }
        let layout = places.layout;
        let address = self.room(layout.words(), lmem)?;
        let places = self.slices[slice.number].as_mut()?;
        places.local = Some(address);
        layout.write(&mut lmem[address..], places.system.as_deref().unwrap_or_default());
        self.moved += layout.words() as u64;
        Some(address)
    }

    /// Returns the words of a slice.
    pub(super) fn read(&self, slice: &SliceHandle, lmem: &[Quad]) -> Vec<u64> {
        match &self.slices[slice.number] {
            Some(Places { system: Some(words), .. }) => words.clone(),
            Some(Places { local: Some(address), layout, .. }) => layout.read(&lmem[*address..]),
            _ => Vec::new(),
        }
    }

    /// Whether all bits behind the last row of a slice are zeros, in either memory, with those of words that it has besides its own.
    pub(super) fn is_padding_zero(&self, slice: &SliceHandle, lmem: &[Quad]) -> bool {
        let Some(Some(places)) = self.slices.get(slice.number) else { return true };
        let rows = slice.rows;
        // Ones that a word may have.
        let allowed = |word: usize| match rows.saturating_sub(64 * word) {
            0 => 0,
            left @ 1..64 => (1 << left) - 1,
            _ => u64::MAX,
        };
        let is_zero = |(word, bits): (usize, u64)| bits & !allowed(word) == 0;
        let system = places.system.iter().flatten().copied().enumerate();
        let w = places.layout.words();
        let local = places.local.into_iter().flat_map(|address| {
            let places = lmem[address..address + w].iter().enumerate();
            places.flat_map(move |(at, quad)| (0..quad.len()).map(move |s| (s * w + at, quad[s])))
        });
        system.chain(local).all(is_zero)
    }

    /// Returns the address of free words, for which slices that were used longest ago leave local memory.
    fn room(&mut self, words: usize, lmem: &[Quad]) -> Option<usize> {
        loop {
            if let Some((&address, &length)) =
                self.free.iter().find(|(_, length)| **length >= words)
            {
                self.free.remove(&address);
                if length > words {
                    self.free.insert(address + words, length - words);
                }
                return Some(address);
            }
            self.evict(lmem)?;
        }
    }

    /// Lets the slice that was used longest ago leave local memory; `None` if all that are there are in use.
    fn evict(&mut self, lmem: &[Quad]) -> Option<()> {
        let now = self.operation;
        let known = self.slices.iter_mut().flatten();
        let resident = known.filter(|places| places.local.is_some() && places.used < now);
        let oldest = resident.min_by_key(|places| places.used)?;
        let (address, layout) = (oldest.local.take()?, oldest.layout);
        if oldest.system.is_none() {
            oldest.system = Some(layout.read(&lmem[address..]));
            self.moved += layout.words() as u64;
        }
        self.release(address, layout.words());
        Some(())
    }

    /// Gives words of local memory back, joined with free ones beside them.
    fn release(&mut self, mut address: usize, mut words: usize) {
        if let Some(behind) = self.free.remove(&(address + words)) {
            words += behind;
        }
        if let Some((&before, &length)) = self.free.range(..address).next_back()
            && before + length == address
        {
            (address, words) = (before, length + words);
        }
        self.free.insert(address, words);
    }
}
