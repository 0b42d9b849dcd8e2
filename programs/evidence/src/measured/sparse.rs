//! Published facts about products by sparse matrices beside their rates: tables B.8 to B.10 of the source \[D\].

/// Facts that tables B.8 to B.10 of the published source \[D\] tell about the product by one sparse matrix: size,
/// padding, cycles of the published kernel, rates of another processor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseRow {
    /// Name of the matrix: `S` for that of NPB CG class S, otherwise the number of rows of a random square matrix with
    /// one entry in 16 elements.
    pub name: &'static str,
    /// Number of rows of the matrix in a slice, by table B.8; a slice is multiplied by one call of the kernel.
    pub height: usize,
    /// Number of stored elements of the matrix, those of the padding included, by table B.9.
    pub elements: usize,
    /// Cycles of the published kernel, then the number of operations `psmadd` (multiply-adds of 8 elements) that it
    /// executes, by table B.8: for the whole matrix, or for one slice of several.
    pub kernel: [u64; 2],
    /// Percentage of the stored elements that are entries of the matrix, not padding, by table B.9.
    pub filled_percent: f64,
    /// Rates of the product on an Intel Xeon with 1, 8 and 16 cores, 10^6 operations per second, by table B.10.
    pub xeon_mops: [f64; 3],
}

const fn row(
    name: &'static str,
    [height, elements]: [usize; 2],
    kernel: [u64; 2],
    filled_percent: f64,
    xeon_mops: [f64; 3],
) -> SparseRow {
    SparseRow { name, height, elements, kernel, filled_percent, xeon_mops }
}

/// All rows of tables B.8 to B.10 of \[D\], but for the matrix of 4096 x 2048, whose product was not measured.
/// [`SparseRow::name`] tells them apart.
pub const ROWS: [SparseRow; 8] = [
    row("S", [64, 151_040], [11_552_244, 415_360], 52.0, [1663.0, 393.0, 355.0]),
    row("32", [32, 256], [849, 26], 25.0, [114.0, 36.0, 5.0]),
    row("64", [64, 768], [2421, 82], 33.0, [160.0, 67.0, 15.0]),
    row("128", [128, 2048], [7688, 269], 50.0, [1255.0, 235.0, 65.0]),
    row("256", [256, 8192], [25_755, 915], 50.0, [1221.0, 629.0, 56.0]),
    row("512", [256, 24_576], [172_311, 6170], 67.0, [1428.0, 586.0, 214.0]),
    row("1024", [64, 84_736], [4_690_377, 168_499], 77.0, [447.0, 1056.0, 990.0]),
    row("2048", [32, 302_976], [67_430_322, 2_426_163], 86.0, [722.0, 1994.0, 2210.0]),
];

impl SparseRow {
    /// Returns the number of rows of the matrix, which is also that of its columns: 1400 for `S`.
    pub fn rows(&self) -> usize {
        self.name.parse().unwrap_or(1400)
    }

    /// Returns the number of entries of the matrix, without padding: 78148 for `S`, otherwise one element in 16.
    pub fn entries(&self) -> usize {
        self.name.parse::<usize>().map_or(78_148, |rows| rows * rows / 16)
    }

    /// Returns the cycles of the published kernel for one operation `psmadd`, which multiplies 8 elements.
    pub fn kernel_cycles(&self) -> f64 {
        let [cycles, operations] = self.kernel;
        cycles as f64 / operations as f64
    }
}
