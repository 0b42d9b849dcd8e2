//! Caches by their tags: what an access finds, and how far it goes.
//!
//! All caches write back and allocate on stores; the least recently used way goes. A place is known by its physical
//! address where a segment gives it, else by the virtual one. Memory itself is coherent: caches only cost time.

/// Size and associativity of a cache of the control processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Size of the cache in bytes.
    pub bytes: u32,
    /// Number of ways: places in which a line with a given address can lie.
    pub ways: u32,
}

/// Sizes of the caches of the control processor, and costs in cycles of accesses that miss them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheCosts {
    /// Size and associativity of the first-level cache of instructions.
    pub instructions: Geometry,
    /// Size and associativity of the first-level cache of data.
    pub data: Geometry,
    /// Size and associativity of the second-level cache, of instructions and data; one of 0 bytes means that there is
    /// none.
    pub second: Geometry,
    /// Number of bytes of a line of every cache, a power of two.
    pub line_bytes: u32,
    /// Cycles from a miss of a first-level cache until the data are there from the second-level cache.
    pub second_cycles: u32,
    /// Further cycles, beyond `second_cycles` if there is a second-level cache, from a miss of the last cache until the
    /// data are there from system memory.
    pub memory_cycles: u32,
    /// Cycles for which the transfer of a line takes the path to system memory, so that no other line can take it.
    pub line: u32,
    /// Number of runs of lines at rising addresses that are followed. The next line of a run is fetched ahead: a miss
    /// of it costs no `memory_cycles`, but takes the path to memory. 0 means no fetching ahead.
    pub streams: u32,
}

/// Numbers of accesses that missed each cache of the control processor since its model of time was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Fetches that missed the first-level cache of instructions.
    pub instructions: u64,
    /// Loads and stores that missed the first-level cache of data.
    pub data: u64,
    /// Misses of the first-level caches that missed the second-level cache too; all of them if there is none.
    pub second: u64,
}

/// Cost of a miss of a first cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Far {
    /// Cycles until the data are there, beyond those of a hit.
    pub(super) latency: u32,
    /// Number of lines that take the path to memory.
    pub(super) lines: u32,
}

/// Form of a first cache: lines by set, the most recently used one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeCache {
    /// Bits of a line's number that tell its set.
    pub(crate) mask: u32,
    /// Logarithm of the number of bytes that the numbers of the lines of a set take.
    pub(crate) set_shift: u32,
}

/// Forms of the first caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeCaches {
    /// Logarithm of the number of bytes of a line.
    pub(crate) line_shift: u32,
    pub(crate) instructions: CodeCache,
    pub(crate) data: CodeCache,
}

impl CodeCache {
    /// Whether a set has more than one line.
    pub(crate) fn has_second(self) -> bool {
        self.set_shift > 3
    }
}

impl CodeCaches {
    /// Returns the offset of the latest line of the set of a fetch in the cache of instructions, and what stands there if
    /// the line is that of the fetch.
    pub(crate) fn fetch(&self, address: u64) -> (i64, u64) {
        let line = place(address) >> self.line_shift;
        let set = line & u64::from(self.instructions.mask);
        ((set << self.instructions.set_shift) as i64, line << 1)
    }
}

/// Value of a place without a line: no line has this number.
const EMPTY: u64 = u64::MAX;

/// Lines by set, in each the most recently used one first: twice the number, and 1 more if it was written.
#[derive(Clone)]
struct Cache {
    n_sets: u64,
    /// Bits of a line's number that tell its set, if sets are a power of two; else 0.
    mask: u64,
    n_ways: usize,
    lines: Vec<u64>,
}

/// Result of an access to a cache.
enum CacheLookup {
    Hit,
    /// A line had to go; `written` is its number, if it was written.
    Miss {
        written: Option<u64>,
    },
}

impl Cache {
    fn new(geometry: Geometry, line_bytes: u32) -> Self {
        let n_ways = geometry.ways.max(1);
        let n_sets = (geometry.bytes / line_bytes / n_ways).max(1);
        let lines = vec![EMPTY; (n_sets * n_ways) as usize];
        let mask = if n_sets.is_power_of_two() { u64::from(n_sets) - 1 } else { 0 };
        Self { n_sets: n_sets.into(), mask, n_ways: n_ways as usize, lines }
    }

    fn for_code(&self) -> Option<CodeCache> {
        let mask = u32::try_from(self.mask).ok().filter(|mask| *mask != 0)?;
        let set_shift = 3 + self.n_ways.trailing_zeros();
        self.n_ways.is_power_of_two().then_some(CodeCache { mask, set_shift })
    }

    #[inline(always)]
    fn first(&self, line: u64) -> usize {
        // A quotient takes the native machine longer than all else of a hit.
        let set = if self.mask != 0 { line & self.mask } else { line % self.n_sets };
        set as usize * self.n_ways
    }

    /// Whether the most recently used line of a set is this one, which is then marked.
    #[inline(always)]
    fn is_latest(&mut self, line: u64, is_store: bool) -> bool {
        let at = self.first(line);
        let latest = &mut self.lines[at];
        let is = *latest >> 1 == line;
        *latest |= u64::from(is & is_store);
        is
    }

    fn access(&mut self, line: u64, is_store: bool) -> CacheLookup {
        let at = self.first(line);
        let set = &mut self.lines[at..at + self.n_ways];
        let place = set.iter().position(|kept| kept >> 1 == line);
        let last = set.len() - 1;
        set[..=place.unwrap_or(last)].rotate_right(1);
        if place.is_some() {
            set[0] |= u64::from(is_store);
            return CacheLookup::Hit;
        }
        let gone = std::mem::replace(&mut set[0], line << 1 | u64::from(is_store));
        CacheLookup::Miss { written: (gone != EMPTY && gone & 1 != 0).then_some(gone >> 1) }
    }

    fn forget(&mut self, line: u64) {
        let at = self.first(line);
        let set = &mut self.lines[at..at + self.n_ways];
        if let Some(place) = set.iter().position(|kept| kept >> 1 == line) {
            set[place] = EMPTY;
            set[place..].rotate_left(1);
        }
    }
}

/// The caches of a core.
#[derive(Clone)]
pub(super) struct Caches {
    instructions: Cache,
    data: Cache,
    second: Option<Cache>,
    line_shift: u32,
    second_cycles: u32,
    memory_cycles: u32,
    misses: Misses,
    /// The next line of each run, the one used last first.
    streams: Vec<u64>,
    /// Cycle from which on the path to memory takes the next line.
    pub(super) free_at: u64,
}

impl Caches {
    pub(super) fn new(costs: &CacheCosts) -> Self {
        let cache = |geometry| Cache::new(geometry, costs.line_bytes);
        Self {
            instructions: cache(costs.instructions),
            data: cache(costs.data),
            second: (costs.second.bytes > 0).then(|| cache(costs.second)),
            line_shift: costs.line_bytes.trailing_zeros(),
            second_cycles: costs.second_cycles,
            memory_cycles: costs.memory_cycles,
            misses: Misses::default(),
            streams: vec![EMPTY; costs.streams as usize],
            free_at: 0,
        }
    }

    pub(super) fn misses(&self) -> &Misses {
        &self.misses
    }

    /// Returns the sizes that translated code needs to look for lines; `None` if they are not powers of two.
    pub(super) fn for_code(&self) -> Option<CodeCaches> {
        let [instructions, data] = [&self.instructions, &self.data].map(Cache::for_code);
        Some(CodeCaches { line_shift: self.line_shift, instructions: instructions?, data: data? })
    }

    /// Returns the addresses of the lines of the first caches, of instructions and of data, for translated code.
    pub(super) fn lines(&mut self) -> [u64; 2] {
        [&mut self.instructions, &mut self.data]
            .map(|cache| cache.lines.as_mut_ptr().expose_provenance() as u64)
    }

    #[inline(always)]
    fn line(&self, address: u64) -> u64 {
        place(address) >> self.line_shift
    }

    #[inline(always)]
    pub(super) fn hits_data(&mut self, address: u64, is_store: bool) -> bool {
        let line = self.line(address);
        self.data.is_latest(line, is_store) && !is_uncached(address)
    }

    #[inline(always)]
    pub(super) fn hits_instruction(&mut self, address: u64) -> bool {
        let line = self.line(address);
        self.instructions.is_latest(line, false)
    }

    /// Accesses data whose line may not be the latest one of its set.
    pub(super) fn data(&mut self, address: u64, is_store: bool) -> Far {
        if is_uncached(address) {
            return self.uncached(address);
        }
        let line = self.line(address);
        match self.data.access(line, is_store) {
            CacheLookup::Hit => Far { latency: 0, lines: 0 },
            CacheLookup::Miss { written } => {
                self.misses.data += 1;
                self.behind(line, written)
            }
        }
    }

    pub(super) fn instruction(&mut self, address: u64) -> Far {
        let line = self.line(address);
        match self.instructions.access(line, false) {
            CacheLookup::Hit => Far { latency: 0, lines: 0 },
            CacheLookup::Miss { .. } => {
                self.misses.instructions += 1;
                self.behind(line, None)
            }
        }
    }

    /// Returns the cost of a line that a first cache does not have; `written` is the line that had to go there, if it
    /// was written.
    fn behind(&mut self, line: u64, written: Option<u64>) -> Far {
        let Some(second) = &mut self.second else {
            self.misses.second += 1;
            let lines = 1 + u32::from(written.is_some());
            return Far { latency: self.refill(line), lines };
        };
        let mut lines = 0;
        if let Some(written) = written
            && let CacheLookup::Miss { written: Some(_) } = second.access(written, true)
        {
            lines += 1;
        }
        match second.access(line, false) {
            CacheLookup::Hit => Far { latency: self.second_cycles, lines },
            CacheLookup::Miss { written } => {
                self.misses.second += 1;
                lines += 1 + u32::from(written.is_some());
                Far { latency: self.second_cycles + self.refill(line), lines }
            }
        }
    }

    /// Returns the cycles until a line is there from memory: none, if it is the next one of a run.
    fn refill(&mut self, line: u64) -> u32 {
        let place = self.streams.iter().position(|next| *next == line);
        let Some(last) = self.streams.len().checked_sub(1) else { return self.memory_cycles };
        self.streams[..=place.unwrap_or(last)].rotate_right(1);
        self.streams[0] = line + 1;
        if place.is_some() { 0 } else { self.memory_cycles }
    }

    /// Returns the cost of an access past the caches: memory answers; of devices others tell what they take.
    fn uncached(&self, address: u64) -> Far {
        let is_device =
            (crate::devices::LOWER_END..crate::devices::UPPER).contains(&place(address));
        if is_device {
            Far { latency: 0, lines: 0 }
        } else {
            Far { latency: self.memory_cycles, lines: 1 }
        }
    }

    /// Removes the lines of `bytes` bytes from a physical address on, one at least, from the caches that see what others
    /// write: all but that of instructions.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        let last = address + bytes.max(1) - 1;
        for line in address >> self.line_shift..=last >> self.line_shift {
            self.data.forget(line);
            if let Some(second) = &mut self.second {
                second.forget(line);
            }
        }
    }
}

/// Segments of the kernel that need no TLB, with 32-bit addresses.
const UNMAPPED: std::ops::Range<u64> = 0xffff_ffff_8000_0000..0xffff_ffff_c000_0000;

/// Returns the address by which caches know a place.
#[inline(always)]
fn place(address: u64) -> u64 {
    if UNMAPPED.contains(&address) {
        address & 0x1fff_ffff
    } else if address >> 62 == 2 {
        address & ((1 << 59) - 1)
    } else {
        // Addresses of the TLB are no physical ones.
        address & ((1 << 60) - 1) | 1 << 61
    }
}

/// Whether an address lies in a segment that bypasses the caches.
#[inline(always)]
fn is_uncached(address: u64) -> bool {
    const SEGMENT: u64 = 0xffff_ffff_a000_0000;
    // Of the segment with all physical addresses, the part whose bits 61:59 say so.
    const ALL: u64 = 0b10_010;
    (SEGMENT..UNMAPPED.end).contains(&address) || address >> 59 == ALL
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::timing) fn costs() -> CacheCosts {
        CacheCosts {
            instructions: Geometry { bytes: 1024, ways: 2 },
            data: Geometry { bytes: 1024, ways: 2 },
            second: Geometry { bytes: 4096, ways: 4 },
            line_bytes: 32,
            second_cycles: 10,
            memory_cycles: 40,
            line: 8,
            streams: 0,
        }
    }

    const BASE: u64 = 0xffff_ffff_8000_0000;
    const HIT: Far = Far { latency: 0, lines: 0 };
    const MEMORY: Far = Far { latency: 50, lines: 1 };
    const SECOND: Far = Far { latency: 10, lines: 0 };

    #[test]
    fn the_least_recently_used_way_goes() {
        let mut caches = Caches::new(&costs());
        // 16 sets: lines 512 bytes apart share one.
        let [a, b, c] = [0, 512, 1024].map(|offset| BASE + offset);
        assert_eq!(caches.data(a, false), MEMORY);
        assert_eq!(caches.data(b, false), MEMORY);
        assert_eq!(caches.data(a + 31, false), HIT);
        assert_eq!(caches.data(c, false), MEMORY);
        assert_eq!(caches.data(a, false), HIT);
        assert_eq!(caches.data(b, false), SECOND);
        assert_eq!(caches.misses(), &Misses { instructions: 0, data: 4, second: 3 });
    }

    #[test]
    fn lines_that_were_written_take_the_path_when_they_go() {
        let mut alone = costs();
        alone.second.bytes = 0;
        let mut caches = Caches::new(&alone);
        caches.data(BASE, true);
        caches.data(BASE + 512, false);
        assert_eq!(caches.data(BASE + 1024, false), Far { latency: 40, lines: 2 });
        assert_eq!(caches.data(BASE + 1536, false), Far { latency: 40, lines: 1 });
    }

    #[test]
    fn segments_past_the_caches_reach_memory_and_devices() {
        let mut caches = Caches::new(&costs());
        for _ in 0..2 {
            assert_eq!(caches.data(BASE + 0x2000_0000, false), Far { latency: 40, lines: 1 });
            assert_eq!(caches.data(0x9000_0000_0000_0000, false), Far { latency: 40, lines: 1 });
            assert_eq!(caches.data(0xffff_ffff_bff0_0004, false), HIT);
        }
        assert_eq!(caches.misses(), &Misses::default());
    }

    #[test]
    fn the_next_line_of_a_run_is_fetched_ahead() {
        let mut caches = Caches::new(&CacheCosts { streams: 2, ..costs() });
        let [a, b] = [0x10_000, 0x20_000].map(|offset| BASE + offset);
        assert_eq!([a, b].map(|at| caches.data(at, false)), [MEMORY; 2]);
        let ahead = Far { latency: 10, lines: 1 };
        assert_eq!([a, b].map(|at| caches.data(at + 32, false)), [ahead; 2]);
        // Neither a line further on nor a third run is expected.
        assert_eq!(caches.data(a + 128, false), MEMORY);
        assert_eq!(caches.data(a + 64, false), MEMORY);
        let no_second = Geometry { bytes: 0, ..costs().second };
        let mut caches = Caches::new(&CacheCosts { streams: 2, second: no_second, ..costs() });
        assert_eq!(caches.data(a, false), Far { latency: 40, lines: 1 });
        assert_eq!(caches.data(a + 32, false), Far { latency: 0, lines: 1 });
    }

    #[test]
    fn a_page_that_others_have_changed_is_in_no_cache_but_that_of_instructions() {
        let mut caches = Caches::new(&costs());
        caches.instruction(BASE + 0x1020);
        caches.data(BASE + 0x1000, true);
        caches.data(0x9800_0000_0000_2000, true);
        caches.forget(0x1000, crate::memory::PAGE);
        assert_eq!(caches.data(BASE + 0x1000, false), MEMORY);
        assert_eq!(caches.data(BASE + 0x2000, false), HIT);
        assert_eq!(caches.instruction(BASE + 0x1020), HIT);
    }
}
