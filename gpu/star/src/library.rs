//! Procedures of the library as kernels of their own: one launch each, but for MIN and MAX of many rows. The numbers are those of the
//! machine's procedures, which are made of elementary operations; nothing is counted here.

use crate::backend::{GpuBackend, GpuBits, GpuTable};
use crate::error::StarGpuError;
use cp2_gpu::GpuArgument::{Int, Ints, Words};
use cp2_gpu::GpuBuffer;
use cp2_star::library::LibraryProcedure;
use cp2_star::machine::StarBackend;

/// Most rows of MIN and MAX in one work-group: those of 1024 work-items, or of fewer where the device has no more.
const MOST_ITEMS: usize = 1024;

/// Operands of a procedure, which fit: the widths of tables and words are equal, bands are there.
#[derive(Clone, Copy, Default)]
pub struct LibraryOperands<'a> {
    /// First table.
    pub t: Option<&'a GpuTable>,
    /// Second table; of TCOPY1 any table as wide as a band.
    pub f: Option<&'a GpuTable>,
    /// Control slice.
    pub x: Option<&'a GpuBits>,
    /// Comparand.
    pub v: Option<&'a GpuBits>,
    /// Number of a band, or of the columns that CLEAR clears.
    pub number: usize,
}

/// Results of a procedure, in their order.
#[derive(Clone, Default)]
pub struct LibraryResults {
    /// Tables.
    pub tables: Vec<GpuTable>,
    /// Slices.
    pub slices: Vec<GpuBits>,
}

type Attempt<T> = Result<T, StarGpuError>;

/// Returns an operand that a procedure takes.
fn given<'a, T>(operand: Option<&'a T>, name: &str) -> Attempt<&'a T> {
    operand.ok_or_else(|| no_operand(name))
}

fn no_operand(name: &str) -> StarGpuError {
    let error = format!("the operand {name} is missing");
    cp2_gpu::GpuError::Call { call: "a procedure of the library", error }.into()
}

impl GpuBackend {
    /// Carries out a procedure by its own kernel. CLEAR, WMERGE, TCOPY2 and TMERGE take the table that they change, in place if
    /// nobody else holds it, and give it back.
    ///
    /// # Errors
    /// The device is lost or has no room.
    pub fn procedure(
        &mut self,
        procedure: LibraryProcedure,
        operands: LibraryOperands<'_>,
        changed: Option<GpuTable>,
    ) -> Attempt<LibraryResults> {
        use LibraryProcedure as P;
        match procedure {
            P::Min | P::Max => self.extreme(procedure == P::Max, operands),
            P::Match | P::Less | P::Great | P::Gel | P::Hit | P::Setmin | P::Setmax => {
                self.compare(procedure, operands)
            }
            P::Addv | P::Subtv | P::Addc | P::Addc1 | P::Subtc | P::Subtc1 => {
                self.arithmetic(procedure, operands)
            }
            _ => self.copying(procedure, operands, changed),
        }
    }

    /// Returns sizes with a work-item for each word of a column.
    fn over_words(words: usize) -> [usize; 2] {
        let group = words.clamp(1, 128);
        [words.max(1).next_multiple_of(group), group]
    }

    fn compare(
        &mut self,
        procedure: LibraryProcedure,
        operands: LibraryOperands<'_>,
    ) -> Attempt<LibraryResults> {
        use LibraryProcedure as P;
        let t = given(operands.t, "T")?;
        let all = match operands.x {
            Some(x) => x.clone(),
            None => self.filled(self.rows(t), true),
        };
        let results = [self.new_bits(self.rows(t))?, self.new_bits(self.rows(t))?];
        let [equal, less] = results;
        let greater = self.new_bits(self.rows(t))?;
        let is_word = !matches!(procedure, P::Hit | P::Setmin | P::Setmax);
        let comparand = if is_word {
            given(operands.v, "v")?.buffer()?
        } else {
            given(operands.f, "F")?.buffer()?
        };
        let [global, local] = Self::over_words(t.words());
        let arguments = [
            Words(t.buffer()?),
            Words(comparand),
            Words(all.buffer()?),
            Words(equal.buffer()?),
            Words(less.buffer()?),
            Words(greater.buffer()?),
            Int(t.words() as i32),
            Int(self.width(t) as i32),
            Int(is_word.into()),
        ];
        self.launch_library("compare", [&[global], &[local]], &arguments)?;
        let slices = match procedure {
            P::Match | P::Hit => vec![equal],
            P::Less | P::Setmin => vec![less],
            P::Gel => vec![greater, less],
            _ => vec![greater],
        };
        Ok(LibraryResults { tables: Vec::new(), slices })
    }

    fn arithmetic(
        &mut self,
        procedure: LibraryProcedure,
        operands: LibraryOperands<'_>,
    ) -> Attempt<LibraryResults> {
        use LibraryProcedure as P;
        let (t, x) = (given(operands.t, "T")?, given(operands.x, "X")?);
        let is_word = !matches!(procedure, P::Addv | P::Subtv);
        let comparand = if is_word {
            given(operands.v, "v")?.buffer()?
        } else {
            given(operands.f, "R")?.buffer()?
        };
        let results = self.raw_table(self.rows(t), self.width(t))?;
        let carries = self.new_bits(self.rows(t))?;
        let [global, local] = Self::over_words(t.words());
        let arguments = [
            Words(t.buffer()?),
            Words(comparand),
            Words(x.buffer()?),
            Words(results.buffer()?),
            Words(carries.buffer()?),
            Int(t.words() as i32),
            Int(self.width(t) as i32),
            Int(is_word.into()),
            Int(matches!(procedure, P::Subtv | P::Subtc | P::Subtc1).into()),
            Int(matches!(procedure, P::Addc1 | P::Subtc1).into()),
        ];
        self.launch_library("arithmetic", [&[global], &[local]], &arguments)?;
        Ok(LibraryResults { tables: vec![results], slices: vec![carries] })
    }

    /// Copies columns: the table from which, the table into which with the columns of both, and the slice of rows.
    fn copying(
        &mut self,
        procedure: LibraryProcedure,
        operands: LibraryOperands<'_>,
        changed: Option<GpuTable>,
    ) -> Attempt<LibraryResults> {
        use LibraryProcedure as P;
        let LibraryOperands { t, f, x, v, number } = operands;
        let mut to = match procedure {
            P::Wcopy => {
                let (v, x) = (given(v, "v")?, given(x, "X")?);
                self.raw_table(self.length(x), self.length(v))?
            }
            P::Tcopy => {
                let t = given(t, "T")?;
                self.raw_table(self.rows(t), self.width(t))?
            }
            P::Tcopy1 => {
                let (t, f) = (given(t, "T")?, given(f, "F")?);
                self.raw_table(self.rows(t), self.width(f))?
            }
            _ => changed.ok_or_else(|| no_operand("F"))?,
        };
        self.own(&mut to)?;
        let width = self.width(&to);
        let band = |width: usize| number.saturating_sub(1) * width;
        let (kind, columns, from_column, to_column) = match procedure {
            P::Clear => (0, number, 0, 0),
            P::Wcopy => (1, width, 0, 0),
            P::Wmerge => (2, width, 0, 0),
            P::Tcopy1 => (3, width, band(width), 0),
            P::Tcopy2 => {
                let columns = self.width(given(t, "T")?);
                (3, columns, 0, band(columns))
            }
            P::Tmerge => (4, width, 0, 0),
            _ => (3, width, 0, 0),
        };
        let from = match procedure {
            P::Clear => to.buffer()?,
            P::Wcopy | P::Wmerge => given(v, "v")?.buffer()?,
            _ => given(t, "T")?.buffer()?,
        };
        let x = match x {
            Some(x) => x.buffer()?,
            None => from,
        };
        if columns > 0 {
            let [global, local] = Self::over_words(to.words());
            let arguments = [
                Words(from),
                Int(from_column as i32),
                Words(x),
                Words(to.buffer()?),
                Int(to_column as i32),
                Int(to.words() as i32),
                Int(kind),
            ];
            self.launch_library("copying", [&[global, columns], &[local, 1]], &arguments)?;
        }
        Ok(LibraryResults { tables: vec![to], slices: Vec::new() })
    }

    fn extreme(&mut self, is_most: bool, operands: LibraryOperands<'_>) -> Attempt<LibraryResults> {
        let (t, x) = (given(operands.t, "T")?, given(operands.x, "X")?);
        let (words, columns) = (t.words(), self.width(t));
        let most = MOST_ITEMS.min(self.gpu().info().items);
        let z = match words <= most {
            true => {
                let z = self.new_bits(self.rows(t))?;
                let items = words.next_multiple_of(32).min(most);
                let arguments = [
                    Words(t.buffer()?),
                    Words(x.buffer()?),
                    Words(z.buffer()?),
                    Int(words as i32),
                    Int(columns as i32),
                    Int(is_most.into()),
                ];
                self.launch_library("extreme", [&[items], &[items]], &arguments)?;
                z
            }
            false => self.extreme_by_steps(is_most, t, x)?,
        };
        Ok(LibraryResults { tables: Vec::new(), slices: vec![z] })
    }

    /// MIN and MAX of any number of rows: a launch for each column, and the truth of SOME on the device.
    pub(crate) fn extreme_by_steps(
        &mut self,
        is_most: bool,
        t: &GpuTable,
        x: &GpuBits,
    ) -> Attempt<GpuBits> {
        let (words, columns) = (t.words(), self.width(t));
        let ones = self.filled(self.rows(t), true);
        let z = self.logic(cp2_star::machine::Logic::And, x, &ones);
        let y = self.new_bits(self.rows(t))?;
        let flags: GpuBuffer<i32> = self.gpu().buffer_of(&vec![0; columns + 1])?;
        let [global, local] = Self::over_words(words);
        for column in 0..=columns {
            let arguments = [
                Words(t.buffer()?),
                Words(z.buffer()?),
                Words(y.buffer()?),
                Ints(&flags),
                Int(words as i32),
                Int(column as i32),
                Int(columns as i32),
                Int(is_most.into()),
            ];
            self.launch_library("extreme_step", [&[global], &[local]], &arguments)?;
        }
        Ok(z)
    }
}
