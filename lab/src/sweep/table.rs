//! Rows as Parquet: columns of whole numbers, numbers and texts, each of which may have no value in a row.

use super::address::RowAddress;
use super::outcome::{PointOutcome, PointRow};
use bytes::Bytes;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

/// Values of a column, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    Integer(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

/// Column with its name.
pub(super) type Named = (String, Data);

impl Data {
    fn declared(&self, name: &str) -> String {
        match self {
            Self::Integer(_) => format!("OPTIONAL INT64 {name};"),
            Self::Number(_) => format!("OPTIONAL DOUBLE {name};"),
            Self::Text(_) => format!("OPTIONAL BYTE_ARRAY {name} (UTF8);"),
        }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, Vec<u8>>) -> Result<()> {
        fn split<T>(rows: &[Option<T>]) -> (impl Iterator<Item = &T>, Vec<i16>) {
            (rows.iter().flatten(), rows.iter().map(|row| i16::from(row.is_some())).collect())
        }
        let Some(mut out) = group.next_column()? else { return Ok(()) };
        match self {
            Self::Integer(rows) => {
                let (values, levels) = split(rows);
                let values: Vec<_> = values.copied().collect();
                out.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
            }
            Self::Number(rows) => {
                let (values, levels) = split(rows);
                let values: Vec<_> = values.copied().collect();
                out.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
            }
            Self::Text(rows) => {
                let (values, levels) = split(rows);
                let values: Vec<_> = values.map(|text| ByteArray::from(text.as_str())).collect();
                out.typed::<ByteArrayType>().write_batch(&values, Some(&levels), None)?;
            }
        }
        out.close()
    }
}

/// Returns the bytes of a Parquet file with these columns, which are equally long.
pub(super) fn written(columns: &[Named]) -> Result<Vec<u8>> {
    let fields: Vec<_> = columns.iter().map(|(name, data)| data.declared(name)).collect();
    let schema =
        Arc::new(parse_message_type(&format!("message sweep {{ {} }}", fields.join(" ")))?);
    let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    columns.iter().try_for_each(|(_, data)| data.write(&mut group))?;
    group.close()?;
    writer.into_inner()
}

fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns the columns of outcomes; without a value where a point has no row yet.
pub(super) fn of_outcomes(outcomes: &[Option<&PointOutcome>]) -> Vec<Named> {
    let number = |get: fn(&PointOutcome) -> Option<u64>| {
        Data::Integer(outcomes.iter().map(|o| o.and_then(get).map(integer)).collect())
    };
    let real = |get: fn(&PointOutcome) -> Option<f64>| {
        Data::Number(outcomes.iter().map(|o| o.and_then(get)).collect())
    };
    let text = |get: fn(&PointOutcome) -> Option<String>| {
        Data::Text(outcomes.iter().map(|o| o.and_then(get)).collect())
    };
    let columns = [
        ("cycles", number(|o| o.cycles)),
        ("us", real(|o| o.us)),
        ("kernel_cycles", number(|o| o.kernel_cycles)),
        ("operations", number(|o| o.operations)),
        ("mops", real(|o| o.mops)),
        ("bytes", number(|o| o.bytes)),
        ("program", text(|o| o.program.map(|hash| format!("{hash:016x}")))),
        ("variant", text(|o| o.variant.clone())),
        ("problem", text(|o| o.problem.clone())),
    ];
    columns.map(|(name, data)| (name.to_owned(), data)).into()
}

/// Returns the Parquet file of finished rows.
pub(super) fn of_rows(rows: &[PointRow]) -> Result<Vec<u8>> {
    let addresses = rows.iter().map(|row| Some(row.address.to_string())).collect();
    let outcomes: Vec<_> = rows.iter().map(|row| Some(&row.outcome)).collect();
    let mut columns = vec![("address".to_owned(), Data::Text(addresses))];
    columns.extend(of_outcomes(&outcomes));
    written(&columns)
}

/// Reads the rows of a Parquet file of [`of_rows`].
pub(super) fn rows(bytes: Vec<u8>) -> Result<Vec<PointRow>> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let mut rows = Vec::new();
    for record in reader.get_row_iter(None)? {
        let mut address = None;
        let mut outcome = PointOutcome::default();
        for (name, field) in record?.get_column_iter() {
            match (name.as_str(), field) {
                ("address", Field::Str(text)) => address = RowAddress::read(text),
                ("cycles", Field::Long(n)) => outcome.cycles = u64::try_from(*n).ok(),
                ("us", Field::Double(x)) => outcome.us = Some(*x),
                ("kernel_cycles", Field::Long(n)) => outcome.kernel_cycles = u64::try_from(*n).ok(),
                ("operations", Field::Long(n)) => outcome.operations = u64::try_from(*n).ok(),
                ("mops", Field::Double(x)) => outcome.mops = Some(*x),
                ("bytes", Field::Long(n)) => outcome.bytes = u64::try_from(*n).ok(),
                ("program", Field::Str(text)) => {
                    outcome.program = u64::from_str_radix(text, 16).ok();
                }
                ("variant", Field::Str(text)) => outcome.variant = Some(text.clone()),
                ("problem", Field::Str(text)) => outcome.problem = Some(text.clone()),
                _ => {}
            }
        }
        rows.extend(address.map(|address| PointRow { address, outcome }));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let whole = PointOutcome {
            cycles: Some(7),
            us: Some(1.0 / 3.0),
            kernel_cycles: Some(5),
            operations: Some(u64::from(u32::MAX) + 1),
            mops: Some(1e-300),
            bytes: Some(0),
            program: Some(u64::MAX - 3),
            variant: Some("fft128_single".to_owned()),
            problem: None,
        };
        let failed = PointOutcome {
            problem: Some("sums \"overflow\"".to_owned()),
            ..PointOutcome::default()
        };
        let row = |n: u64, outcome: &PointOutcome| {
            let address = RowAddress::read(&format!("{n:032x}")).unwrap();
            PointRow { address, outcome: outcome.clone() }
        };
        let all = vec![row(u64::MAX, &whole), row(0, &failed), row(3, &whole)];
        assert_eq!(rows(of_rows(&all).unwrap()).unwrap(), all);
        assert_eq!(rows(of_rows(&[]).unwrap()).unwrap(), []);
        assert!(rows(b"PAR1 no file".to_vec()).is_err());
    }
}
