//! DWARF 5 line numbers of an image: one row for each bundle that has a place. The exchange operation has a row more where it
//! comes from another line; it is operation 1 of the bundle, as DWARF counts those of a VLIW machine.

use super::{ObjectError, UNIT};
use crate::image::{Image, Kernel, SourcePosition};
use cp2_isa::BundleAddress;
use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Sections,
};
use gimli::{BigEndian, Encoding, EndianSlice, Format, LineEncoding};
use std::collections::BTreeMap;

const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };

/// Operations of a bundle; objects whose bundles have one line each say 1, which every reader understands.
const OPERATIONS: u8 = 2;

fn line_encoding(image: &Image) -> LineEncoding {
    let operations = if image.exchange_lines.is_empty() { 1 } else { OPERATIONS };
    LineEncoding {
        minimum_instruction_length: UNIT as u8,
        maximum_operations_per_instruction: operations,
        ..LineEncoding::default()
    }
}

fn failed(error: impl std::fmt::Display) -> ObjectError {
    ObjectError::new(format!("the line numbers: {error}"))
}

/// Returns the debug sections, by name; none if no bundle has a place.
pub(super) fn write(image: &Image) -> Result<Vec<(&'static str, Vec<u8>)>, ObjectError> {
    if image.lines.is_empty() {
        return Ok(Vec::new());
    }
    let mut unit = DwarfUnit::new(ENCODING);
    let name = |i: usize| image.files.get(i).filter(|n| !n.is_empty() && !n.contains('\0'));
    let mut string = |text: &str| LineString::new(text, ENCODING, &mut unit.line_strings);
    let directory = string(".");
    let first = string(name(0).map_or("?", String::as_str));
    let mut program =
        LineProgram::new(ENCODING, line_encoding(image), directory, None, first.clone(), None);
    let working = program.default_directory();
    // Adding a name again gives the file that has it, here the first one.
    let mut files = vec![program.add_file(first, working, None)];
    for i in 1..image.files.len() {
        let file = string(name(i).map_or("?", String::as_str));
        files.push(program.add_file(file, working, None));
    }
    for kernel in &image.kernels {
        rows(&mut program, image, kernel, &files);
    }
    unit.unit.line_program = program;
    attributes(&mut unit, image);
    let mut sections = Sections::new(EndianVec::new(BigEndian));
    unit.write(&mut sections).map_err(failed)?;
    let mut out = Vec::new();
    sections.for_each(|id, data| {
        if !data.slice().is_empty() {
            out.push((id.name(), data.slice().to_vec()));
        }
        Ok::<(), ObjectError>(())
    })?;
    Ok(out)
}

/// Writes the rows for the bundles of a kernel; a bundle without a place ends a sequence.
fn rows(program: &mut LineProgram, image: &Image, kernel: &Kernel, files: &[FileId]) {
    let start = u64::from(kernel.start);
    let end = start + kernel.words.len() as u64;
    let mut began = start;
    for address in start..end {
        let at = u16::try_from(address).ok().map(BundleAddress);
        let own = |lines: &BTreeMap<BundleAddress, SourcePosition>| {
            let place = *lines.get(&at?)?;
            Some((place, *files.get(place.file as usize)?))
        };
        let Some(whole) = own(&image.lines) else {
            end_sequence(program, (address - began) * UNIT);
            continue;
        };
        if !program.in_sequence() {
            began = address;
            program.begin_sequence(Some(Address::Constant(began * UNIT)));
        }
        let exchange = own(&image.exchange_lines);
        for (operation, (place, file)) in (0..).zip([Some(whole), exchange].into_iter().flatten()) {
            let row = program.row();
            row.address_offset = (address - began) * UNIT;
            row.op_index = operation;
            row.file = file;
            row.line = u64::from(place.line);
            row.column = u64::from(place.column);
            program.generate_row();
        }
    }
    end_sequence(program, (end - began) * UNIT);
}

/// Ends a sequence of rows, if one has begun, with the begin of a bundle.
fn end_sequence(program: &mut LineProgram, offset: u64) {
    if program.in_sequence() {
        program.row().op_index = 0;
        program.end_sequence(offset);
    }
}

fn attributes(unit: &mut DwarfUnit, image: &Image) {
    let name = image.files.first().filter(|n| !n.contains('\0')).map_or("?", String::as_str);
    let name = AttributeValue::String(name.as_bytes().to_vec());
    let low = image.kernels.first().map_or(0, |k| u64::from(k.start));
    let high = image.kernels.last().map_or(0, |k| u64::from(k.start) + k.words.len() as u64);
    let root = unit.unit.root();
    let root = unit.unit.get_mut(root);
    root.set(gimli::DW_AT_producer, AttributeValue::String(b"cp2 asm".to_vec()));
    root.set(gimli::DW_AT_language, AttributeValue::Language(gimli::DW_LANG_Mips_Assembler));
    root.set(gimli::DW_AT_name, name);
    root.set(gimli::DW_AT_comp_dir, AttributeValue::String(b".".to_vec()));
    root.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(low * UNIT)));
    root.set(gimli::DW_AT_high_pc, AttributeValue::Udata(high.saturating_sub(low) * UNIT));
    root.set(gimli::DW_AT_stmt_list, AttributeValue::LineProgramRef);
}

/// The lines that the debug sections tell.
#[derive(Default)]
pub(super) struct Lines {
    /// Source files.
    pub(super) files: Vec<String>,
    /// Places of bundles.
    pub(super) whole: BTreeMap<BundleAddress, SourcePosition>,
    /// Places of exchange operations that have a place of their own.
    pub(super) exchange: BTreeMap<BundleAddress, SourcePosition>,
}

/// Reads the debug sections by name.
pub(super) fn read(section: &dyn Fn(&str) -> Vec<u8>) -> Result<Lines, ObjectError> {
    let load = |id: gimli::SectionId| Ok::<_, gimli::Error>(section(id.name()));
    let data = gimli::DwarfSections::load(load).map_err(failed)?;
    let dwarf = data.borrow(|bytes| EndianSlice::new(bytes, BigEndian));
    let mut units = dwarf.units();
    let mut all = Lines::default();
    let Some(header) = units.next().map_err(failed)? else { return Ok(all) };
    let unit = dwarf.unit(header).map_err(failed)?;
    let Some(program) = unit.line_program.clone() else { return Ok(all) };
    for entry in program.header().file_names() {
        let name = dwarf.attr_string(&unit, entry.path_name()).map_err(failed)?;
        all.files.push(String::from_utf8_lossy(name.slice()).into_owned());
    }
    // A map is made of a whole list sooner than place by place.
    let (mut rows, mut whole, mut exchange) = (program.rows(), Vec::new(), Vec::new());
    while let Some((_, row)) = rows.next_row().map_err(failed)? {
        if let (false, Some((address, place))) = (row.end_sequence(), place(row, all.files.len())) {
            let lines = if row.op_index() == 0 { &mut whole } else { &mut exchange };
            lines.push((address, place));
        }
    }
    (all.whole, all.exchange) = (whole.into_iter().collect(), exchange.into_iter().collect());
    Ok(all)
}

fn place(row: &gimli::LineRow, files: usize) -> Option<(BundleAddress, SourcePosition)> {
    let file = u32::try_from(row.file_index()).ok().filter(|&f| (f as usize) < files)?;
    let line = u32::try_from(row.line()?.get()).ok()?;
    let column = match row.column() {
        gimli::ColumnType::LeftEdge => 0,
        gimli::ColumnType::Column(column) => u32::try_from(column.get()).ok()?,
    };
    let address = BundleAddress(u16::try_from(row.address() / UNIT).ok()?);
    row.address().is_multiple_of(UNIT).then_some((address, SourcePosition { file, line, column }))
}
