//! Grids of puzzles on the host: which numbers fit a cell, and whether there is a solution.

/// Calls after which a puzzle counts as one that may have a solution.
const MOST_CALLS: usize = 20_000;

/// Symbols of cells: of empty ones, and of numbers from 1 on.
pub(crate) const SYMBOLS: &[u8] = b".123456789ABCDEFG";

/// Returns how a number is written, 0 for an empty cell.
pub(crate) fn symbol_of(number: u32) -> char {
    SYMBOLS.get(number as usize).map_or('?', |&symbol| char::from(symbol))
}

/// A grid of numbers, and the search for its solutions on the host by the cell with the fewest numbers.
pub(crate) struct Grid {
    base: usize,
    /// Bits of the numbers of rows, columns and blocks.
    used: [Vec<u32>; 3],
    /// Empty cells.
    empty: Vec<usize>,
    calls: usize,
}

impl Grid {
    /// Begins with the numbers of cells, 0 where a cell is empty.
    pub(crate) fn new(base: usize, cells: &[u32]) -> Self {
        let rows = base * base;
        let mut grid = Self {
            base,
            used: [vec![0; rows], vec![0; rows], vec![0; rows]],
            empty: (0..cells.len()).filter(|&cell| cells[cell] == 0).collect(),
            calls: 0,
        };
        for (cell, &number) in cells.iter().enumerate().filter(|(_, number)| **number > 0) {
            grid.turn(cell, 1 << (number - 1));
        }
        grid
    }

    /// Returns whether there is a solution with another number in an empty cell, or whether that is not known in time.
    pub(crate) fn has_other(&mut self, cell: usize, number: u32) -> bool {
        let others = self.fitting(cell) & !(1 << (number - 1));
        self.empty.retain(|other| *other != cell);
        bits(others).any(|bit| {
            self.turn(cell, bit);
            let is_solved = self.solves();
            self.turn(cell, bit);
            is_solved
        })
    }

    /// Puts a number into a cell, or takes it away.
    fn turn(&mut self, cell: usize, bit: u32) {
        for (used, place) in self.used.iter_mut().zip(places(self.base, cell)) {
            used[place] ^= bit;
        }
    }

    /// Returns the bits of the numbers that fit a cell.
    fn fitting(&self, cell: usize) -> u32 {
        let all = (1_u32 << (self.base * self.base)) - 1;
        self.used.iter().zip(places(self.base, cell)).fold(all, |fit, (used, at)| fit & !used[at])
    }

    /// Returns whether the empty cells can be filled, or whether that is not known in time.
    fn solves(&mut self) -> bool {
        self.calls += 1;
        if self.calls > MOST_CALLS {
            return true;
        }
        let fewest =
            (0..self.empty.len()).min_by_key(|&at| self.fitting(self.empty[at]).count_ones());
        let Some(at) = fewest else { return true };
        let cell = self.empty.swap_remove(at);
        let is_solved = bits(self.fitting(cell)).any(|bit| {
            self.turn(cell, bit);
            let is_solved = self.solves();
            self.turn(cell, bit);
            is_solved
        });
        self.empty.push(cell);
        is_solved
    }

    /// Fills cells that leave no choice, and returns a cell that no number fits then, if there is one.
    pub(crate) fn stuck(&mut self) -> Option<usize> {
        loop {
            let left = |cell: &usize| self.fitting(*cell).count_ones();
            let fewest = self.empty.iter().copied().min_by_key(left)?;
            match self.fitting(fewest) {
                0 => return Some(fewest),
                bit if bit.is_power_of_two() => self.turn(fewest, bit),
                _ => return None,
            }
            self.empty.retain(|cell| *cell != fewest);
        }
    }
}

/// Returns row, column and block of a cell, from 0.
pub(crate) fn places(base: usize, cell: usize) -> [usize; 3] {
    let rows = base * base;
    let (row, column) = (cell / rows, cell % rows);
    [row, column, row / base * base + column / base]
}

/// Returns the bits of a word, from the lowest on.
fn bits(word: u32) -> impl Iterator<Item = u32> {
    (0..32).map(|place| 1 << place).filter(move |bit| word & bit != 0)
}
