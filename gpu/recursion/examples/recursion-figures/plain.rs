//! The tasks as plain recursive functions, for one core and for all cores: the same search trees, with placements and nodes, or sums and
//! nodes.

use rayon::prelude::*;
use std::time::Instant;

/// Value and nodes.
pub(crate) type Found = [u64; 2];

fn sum(a: Found, b: Found) -> Found {
    [a[0].wrapping_add(b[0]), a[1] + b[1]]
}

/// A task as a plain function of its calls.
pub(crate) trait Plain: Sync {
    /// Parameters of a call.
    type Call: Copy + Send + Sync;

    /// The first call.
    fn root(&self) -> Self::Call;

    /// Inner calls of a call, and its own value.
    fn inner(&self, call: Self::Call, calls: &mut Vec<Self::Call>) -> u64;

    /// Value and nodes of a call, by recursion.
    fn solve(&self, call: Self::Call) -> Found;
}

/// Returns value and nodes of a task on one core, and the seconds.
pub(crate) fn on_one_core<P: Plain>(task: &P) -> (Found, f64) {
    let begin = Instant::now();
    let found = task.solve(task.root());
    (found, begin.elapsed().as_secs_f64())
}

/// Returns value and nodes of a task on all cores, which take calls of one level as they come, and the seconds.
pub(crate) fn on_all_cores<P: Plain>(task: &P) -> (Found, f64) {
    let begin = Instant::now();
    let (mut level, mut above) = (vec![task.root()], [0, 0]);
    while !level.is_empty() && level.len() < 512 * rayon::current_num_threads() {
        let mut next = Vec::new();
        for &call in &level {
            above = sum(above, [task.inner(call, &mut next), 1]);
        }
        level = next;
    }
    let found = level.par_iter().map(|&call| task.solve(call)).reduce(|| [0; 2], sum);
    (sum(above, found), begin.elapsed().as_secs_f64())
}

/// Queens on a board.
pub(crate) struct PlainQueens {
    pub board: u32,
    pub queens: u32,
}

/// Queens and empty rows that are left, and the columns and diagonals that are attacked.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    left: u32,
    spare: u32,
    attacked: [u32; 3],
}

impl Rows {
    fn with(self, queen: u32) -> Self {
        let [columns, rising, falling] = self.attacked;
        let attacked = [columns | queen, (rising | queen) << 1, (falling | queen) >> 1];
        match queen {
            0 => Self { spare: self.spare - 1, attacked, ..self },
            _ => Self { left: self.left - 1, attacked, ..self },
        }
    }

    fn free(self, board: u32) -> u32 {
        let [columns, rising, falling] = self.attacked;
        !(columns | rising | falling) & ((1 << board) - 1)
    }
}

/// Placements and nodes below a call. The places of the last queen, and rows without a free column, are counted without a call for each.
struct Places {
    /// Bits of the columns.
    board: u32,
    placements: u64,
    nodes: u64,
}

impl Places {
    /// Places the queens that are left; `free` has the free columns of the row, and with `SKIPS` rows may stay empty.
    fn place<const SKIPS: bool>(&mut self, left: u32, spare: u32, at: [u32; 3], mut free: u32) {
        let [columns, rising, falling] = at;
        self.nodes += u64::from(free.count_ones());
        if SKIPS && spare > 0 {
            let at = [columns, rising << 1, falling >> 1];
            self.nodes += 1;
            self.place::<SKIPS>(left, spare - 1, at, self.free(at));
        }
        if left == 1 {
            self.placements += u64::from(free.count_ones());
            return;
        }
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let at = [columns | queen, (rising | queen) << 1, (falling | queen) >> 1];
            let below = self.free(at);
            if below != 0 || SKIPS && spare > 0 {
                self.place::<SKIPS>(left - 1, spare, at, below);
            }
        }
    }

    fn free(&self, [columns, rising, falling]: [u32; 3]) -> u32 {
        self.board & !(columns | rising | falling)
    }
}

impl Plain for PlainQueens {
    type Call = Rows;

    fn root(&self) -> Rows {
        Rows { left: self.queens, spare: self.board - self.queens, attacked: [0; 3] }
    }

    fn inner(&self, rows: Rows, calls: &mut Vec<Rows>) -> u64 {
        if rows.left == 0 {
            return 1;
        }
        calls.extend((rows.spare > 0).then(|| rows.with(0)));
        let mut free = rows.free(self.board);
        while free != 0 {
            calls.push(rows.with(free & free.wrapping_neg()));
            free &= free - 1;
        }
        0
    }

    fn solve(&self, rows: Rows) -> Found {
        if rows.left == 0 {
            return [1, 1];
        }
        let mut all = Places { board: (1 << self.board) - 1, placements: 0, nodes: 1 };
        let free = all.free(rows.attacked);
        match rows.spare {
            0 => all.place::<false>(rows.left, 0, rows.attacked, free),
            spare => all.place::<true>(rows.left, spare, rows.attacked, free),
        }
        [all.placements, all.nodes]
    }
}

/// A tree whose children are computed, and whose values are summed.
pub(crate) struct PlainTree {
    pub width: u32,
    pub depth: u32,
    pub rounds: u32,
}

impl PlainTree {
    fn value(&self, node: u32) -> u64 {
        let mut x = node + 1;
        for _ in 0..self.rounds {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        x.into()
    }
}

impl Plain for PlainTree {
    type Call = (u32, u32);

    fn root(&self) -> (u32, u32) {
        (0, 0)
    }

    fn inner(&self, (node, level): (u32, u32), calls: &mut Vec<(u32, u32)>) -> u64 {
        if level < self.depth {
            calls.extend((1..=self.width).map(|child| (self.width * node + child, level + 1)));
        }
        self.value(node)
    }

    fn solve(&self, (node, level): (u32, u32)) -> Found {
        let mut found = [self.value(node), 1];
        if level < self.depth {
            for child in 1..=self.width {
                found = sum(found, self.solve((self.width * node + child, level + 1)));
            }
        }
        found
    }
}

/// A puzzle all of whose solutions are counted.
pub(crate) struct PlainSudoku {
    base: usize,
    takes_fewest: bool,
    root: Grid,
}

/// Numbers that stand in rows, columns and blocks, as bits, and the empty cells, those that are left first.
#[derive(Clone, Copy)]
pub(crate) struct Grid {
    used: [[u32; 16]; 3],
    empty: [u8; 256],
    /// Empty cells from `at` up to `count` are left.
    at: usize,
    count: usize,
}

impl PlainSudoku {
    /// Makes the puzzle of a text, row by row.
    pub(crate) fn new(text: &str, takes_fewest: bool) -> Self {
        let base = if text.len() == 256 { 4 } else { 3 };
        let root = Grid { used: [[0; 16]; 3], empty: [0; 256], at: 0, count: 0 };
        let mut task = Self { base, takes_fewest, root };
        let mut root = task.root;
        for (cell, symbol) in text.chars().enumerate() {
            match "123456789ABCDEFG".find(symbol) {
                Some(number) => task.turn(&mut root, cell, 1 << number),
                None => {
                    root.empty[root.count] = cell as u8;
                    root.count += 1;
                }
            }
        }
        task.root = root;
        task
    }

    fn places(&self, cell: usize) -> [usize; 3] {
        let rows = self.base * self.base;
        let (row, column) = (cell / rows, cell % rows);
        [row, column, row / self.base * self.base + column / self.base]
    }

    fn turn(&self, grid: &mut Grid, cell: usize, bit: u32) {
        let [row, column, block] = self.places(cell);
        grid.used[0][row] ^= bit;
        grid.used[1][column] ^= bit;
        grid.used[2][block] ^= bit;
    }

    fn fitting(&self, grid: &Grid, cell: usize) -> u32 {
        let [row, column, block] = self.places(cell);
        let all = (1 << (self.base * self.base)) - 1;
        all & !(grid.used[0][row] | grid.used[1][column] | grid.used[2][block])
    }

    /// Chooses the next cell, which goes to the place `at`, and returns it with the place from which it came.
    fn choose(&self, grid: &mut Grid) -> (usize, usize) {
        let mut from = grid.at;
        if self.takes_fewest {
            let left = |at: usize| self.fitting(grid, grid.empty[at].into()).count_ones();
            // The first of equals in reading order.
            from =
                (grid.at..grid.count).min_by_key(|&at| (left(at), grid.empty[at])).unwrap_or(from);
        }
        grid.empty.swap(grid.at, from);
        (grid.empty[grid.at].into(), from)
    }

    fn count(&self, grid: &mut Grid, found: &mut Found) {
        found[1] += 1;
        if grid.at == grid.count {
            found[0] += 1;
            return;
        }
        let (cell, from) = self.choose(grid);
        let mut free = self.fitting(grid, cell);
        grid.at += 1;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            self.turn(grid, cell, bit);
            self.count(grid, found);
            self.turn(grid, cell, bit);
        }
        grid.at -= 1;
        grid.empty.swap(grid.at, from);
    }
}

impl Plain for PlainSudoku {
    type Call = Grid;

    fn root(&self) -> Grid {
        self.root
    }

    fn inner(&self, mut grid: Grid, calls: &mut Vec<Grid>) -> u64 {
        if grid.at == grid.count {
            return 1;
        }
        let (cell, _) = self.choose(&mut grid);
        let mut free = self.fitting(&grid, cell);
        grid.at += 1;
        while free != 0 {
            let bit = free & free.wrapping_neg();
            free ^= bit;
            let mut inner = grid;
            self.turn(&mut inner, cell, bit);
            calls.push(inner);
        }
        0
    }

    fn solve(&self, mut grid: Grid) -> Found {
        let mut found = [0, 0];
        self.count(&mut grid, &mut found);
        found
    }
}
