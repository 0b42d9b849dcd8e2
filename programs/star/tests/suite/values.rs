//! Values as arrays and texts, and back.

use crate::kit::checked;
use cp2_session::npy::{Array, NumberType};
use cp2_star::language::Variable;
use cp2_star::machine::{BitTable, BitVector};
use cp2_star::run::StarValue;
use cp2_star::values::{Dimensions, parents};

const DIMENSIONS: Dimensions = Dimensions { rows: 3, weight_bits: 4 };

/// Returns the variable of a program with one input of a type.
fn variable(kind: &str) -> Variable {
    let program = checked(&format!("input V: {kind};\nprocedure main() {{}}\n")).unwrap();
    program.variables[0].clone()
}

fn array(kind: NumberType, shape: &[usize], elements: &[u64]) -> Array {
    Array::from_bits(kind, shape.to_vec(), elements.iter().map(|&n| u128::from(n)))
}

#[test]
fn values_come_back_from_arrays() {
    let bits = |text| StarValue::Bits(BitVector::from_text(text).unwrap());
    let wide = {
        let mut table = BitTable::zeros(3, 12);
        (1..=3).for_each(|row| table.put_number(row, 5..9, row as u64 * 5));
        StarValue::Table(table)
    };
    for (kind, value, csv) in [
        ("slice", bits("101"), "1\n0\n1\n"),
        ("word[2]", bits("01"), "0,1\n"),
        ("table[h]", StarValue::Table(BitTable::from_numbers(4, &[7, 0, 15])), "7\n0\ninf\n"),
        (
            "table[n]",
            StarValue::Table(BitTable::from_numbers(3, &[4, 0, 1])),
            "1,0,0\n0,0,0\n0,0,1\n",
        ),
        ("table[n*h]", wide, "0,5,0\n0,10,0\n0,inf,0\n"),
    ] {
        let variable = variable(kind);
        let array = DIMENSIONS.array(&variable, &value);
        assert_eq!(array.check_shape(), Ok(()), "{kind}");
        assert_eq!(DIMENSIONS.value(&variable, &array), Ok(value.clone()), "{kind}");
        assert_eq!(DIMENSIONS.csv(&variable, &value), csv, "{kind}");
    }
}

#[test]
fn values_that_do_not_fit_are_refused_with_their_limits() {
    let load = |kind: &str, array: &Array| DIMENSIONS.value(&variable(kind), array).unwrap_err();
    let numbers = array(NumberType::Int32, &[3], &[3, 16, 1]);
    assert_eq!(load("table[h]", &numbers), "row 2 has 16, and 4 bits hold at most 15");
    assert_eq!(load("slice", &numbers), "a bit is 0 or 1, and the array has 3");
    let negative = array(NumberType::Int8, &[3], &[1, 0xff, 1]);
    assert_eq!(load("table[h]", &negative), "element [1] is no whole number of 0 or more");
    let short = array(NumberType::Uint8, &[2], &[1, 1]);
    assert_eq!(load("slice", &short), "`V` takes 3 bits, and the array has the shape (2,)");
    assert!(load("table[n]", &short).contains("has 3 rows of 3 bits"));
    assert!(load("int", &short).contains("give its value by --arg"));
    let text = |kind: &str, text: &str| DIMENSIONS.value_of_text(&variable(kind), text);
    assert_eq!(text("int", "-4"), Ok(StarValue::Int(-4)));
    assert_eq!(text("bool", "true"), Ok(StarValue::Bool(true)));
    assert_eq!(text("slice", "011"), Ok(StarValue::Bits(BitVector::from_text("011").unwrap())));
    assert!(
        text("slice", "0110").is_err()
            && text("slice", "0x1").is_err()
            && text("int", "x").is_err()
    );
    assert!(text("table[h]", "011").unwrap_err().contains("load it from a file"));
}

#[test]
fn parents_are_the_columns_of_ones() {
    assert_eq!(parents(&BitTable::from_numbers(3, &[0, 4, 1])), Ok(vec![0, 1, 3]));
    let message = parents(&BitTable::from_numbers(3, &[0, 6, 1])).unwrap_err();
    assert_eq!(message, "row 2 has several ones, so the table is no tree of parents");
}
