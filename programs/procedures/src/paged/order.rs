//! The order of pages: whether each finds what it reads, as if every page were loaded, computed and stored before the
//! next one is loaded, and whether no result is lost.

use super::occupancy::{Occupancies, Occupancy, PageNumber};
use super::{PagedProcedure, SystemArray, advance, wrong};
use cp2_session::error::KernelError;
use std::ops::Range;

/// Numbers, counted from 1, of the pages that stored the elements of an array; 0 for one that none has stored.
type StoredBy = Vec<u32>;

/// Calls `each` for the number of every element of a stay that lies within its array.
fn elements(
    array: &SystemArray,
    stay: &Occupancy,
    mut each: impl FnMut(usize) -> Result<(), KernelError>,
) -> Result<(), KernelError> {
    for ranges in &stay.part.boxes {
        let within =
            |(range, &size): (&Range<i64>, &usize)| range.start.max(0)..range.end.min(size as i64);
        let ranges: Vec<Range<i64>> = ranges.iter().zip(&array.shape).map(within).collect();
        if ranges.iter().any(Range::is_empty) {
            continue;
        }
        let mut index: Vec<i64> = ranges.iter().map(|range| range.start).collect();
        loop {
            let places = index.iter().zip(&array.shape);
            each(places.fold(0, |sum, (i, size)| sum * size + *i as usize))?;
            if !advance(&mut index, &ranges) {
                break;
            }
        }
    }
    Ok(())
}

/// Returns the index of an element as text.
fn index(array: &SystemArray, place: usize) -> String {
    let mut rest = place;
    let mut all: Vec<usize> = Vec::new();
    for &size in array.shape.iter().rev() {
        all.push(rest % size);
        rest /= size;
    }
    all.reverse();
    let all: Vec<String> = all.iter().map(usize::to_string).collect();
    format!("[{}]", all.join(", "))
}

/// Checks the order of all loads and stores. `is_late` tells of a page whether its loads wait for all stores before.
///
/// # Errors
/// The first page and element of which the order is wrong, or an element of a wanted array that no page stores.
pub(super) fn check(
    procedure: &PagedProcedure,
    stays: &Occupancies,
    is_late: &dyn Fn(usize, &Occupancy) -> bool,
) -> Result<(), KernelError> {
    let array_of = |stay: &Occupancy| procedure.locals[stay.local].array;
    let is_stored =
        |array: usize| stays.all.iter().any(|stay| stay.is_stored && array_of(stay) == Some(array));
    let mut stored: Vec<StoredBy> = (0..procedure.arrays.len())
        .map(|k| {
            let of = &procedure.arrays[k];
            let watched = is_stored(k) || of.values.is_none();
            vec![0; if watched { of.shape.iter().product() } else { 0 }]
        })
        .collect();
    let mut by_last: Vec<&Occupancy> = stays.all.iter().filter(|stay| stay.is_stored).collect();
    by_last.sort_by_key(|stay| stay.last);
    let mut ends = by_last.into_iter().peekable();
    let mut begins = stays.all.iter().peekable();
    let order = Order { procedure, pages: &stays.pages };
    for stay in stays.all.iter().filter(|stay| stay.is_stored) {
        order.alone(stays, stay)?;
    }
    for number in 0..stays.pages.len() {
        while let Some(stay) = begins.next_if(|stay| stay.first == number) {
            let Some(array) = array_of(stay).filter(|_| stay.is_loaded) else { continue };
            order.load(stay, array, &stored[array], is_late(number, stay))?;
        }
        while let Some(stay) = ends.next_if(|stay| stay.last == number) {
            let Some(array) = array_of(stay) else { continue };
            order.store(stay, array, &mut stored[array])?;
        }
    }
    for (array, by) in procedure.arrays.iter().zip(&stored) {
        if let Some(place) = by.iter().position(|by| *by == 0)
            && array.is_wanted
            && array.values.is_none()
        {
            let message = format!("no page stores its element {}", index(array, place));
            return Err(wrong(format!("array {}", array.name), message));
        }
    }
    Ok(())
}

/// Pages whose order is checked.
struct Order<'a> {
    procedure: &'a PagedProcedure,
    pages: &'a [PageNumber],
}

impl Order<'_> {
    fn place(&self, number: usize, local: usize) -> String {
        let PageNumber { pass, page } = self.pages[number];
        self.procedure.place(pass, page, local)
    }

    fn page(&self, number: usize) -> String {
        let PageNumber { pass, page } = self.pages[number];
        self.procedure.page_name(pass, page)
    }

    /// Checks that no other local array has elements of a part in local memory after this one began to change them and before
    /// it is stored.
    fn alone(&self, stays: &Occupancies, stay: &Occupancy) -> Result<(), KernelError> {
        let array = self.procedure.locals[stay.local].array;
        let is_other = |local: &usize| {
            *local != stay.local && array.is_some() && self.procedure.locals[*local].array == array
        };
        for local in (0..self.procedure.locals.len()).filter(is_other) {
            let others = stays.between(local, stay.first + 1, stay.last);
            if let Some(other) = others.into_iter().find(|other| other.part.meets(&stay.part)) {
                let name = &self.procedure.locals[local].name;
                let message = format!(
                    "it changes elements that {name} also has in local memory, until {}, so that \
                     {name} would have old values; let both begin and end with the same page",
                    self.page(other.last)
                );
                return Err(wrong(self.place(stay.first, stay.local), message));
            }
        }
        Ok(())
    }

    /// Checks that a part can be loaded: all of it has values by then.
    fn load(
        &self,
        stay: &Occupancy,
        array: usize,
        stored: &StoredBy,
        is_late: bool,
    ) -> Result<(), KernelError> {
        let of = &self.procedure.arrays[array];
        if stored.is_empty() {
            return Ok(());
        }
        elements(of, stay, |place| {
            let by = stored[place] as usize;
            if by == 0 && of.values.is_none() {
                let message = format!(
                    "it reads element {} of {}, which has no value: the file gives none, and no \
                     page before stores it",
                    index(of, place),
                    of.name
                );
                return Err(wrong(self.place(stay.first, stay.local), message));
            }
            if by > 0 && by == stay.first && !is_late {
                let message = format!(
                    "it reads element {} of {}, which {} stores only while this page is computed; \
                     `wait` lets a page begin when all before are stored",
                    index(of, place),
                    of.name,
                    self.page(by - 1)
                );
                return Err(wrong(self.place(stay.first, stay.local), message));
            }
            Ok(())
        })
    }

    /// Notes that a part is stored, and checks that nothing is lost by that.
    fn store(
        &self,
        stay: &Occupancy,
        array: usize,
        stored: &mut StoredBy,
    ) -> Result<(), KernelError> {
        let of = &self.procedure.arrays[array];
        let by = stay.last as u32 + 1;
        elements(of, stay, |place| {
            let before = std::mem::replace(&mut stored[place], by);
            if before == by {
                let message = format!(
                    "element {} of {} is stored twice: ranges of sections overlap",
                    index(of, place),
                    of.name,
                );
                return Err(wrong(self.place(stay.last, stay.local), message));
            }
            // A part that was loaded has what was stored before.
            if before > 0 && !stay.is_loaded {
                let message = format!(
                    "it stores element {} of {} once more, so that what {} stored is lost",
                    index(of, place),
                    of.name,
                    self.page(before as usize - 1)
                );
                return Err(wrong(self.place(stay.last, stay.local), message));
            }
            Ok(())
        })
    }
}
