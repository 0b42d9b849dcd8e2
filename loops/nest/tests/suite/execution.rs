//! Execution in the order of the text.

use crate::reading::{POLYNOMIAL, nest};
use cp2_nest::{NestData, NestFault, NestNumber};

#[test]
fn polynomials_are_multiplied() {
    let nest = nest(POLYNOMIAL);
    let mut values = nest.zero_values(&[2]).unwrap();
    values.arrays[1] = NestData::Float(vec![1.0, 2.0, 3.0]);
    values.arrays[2] = NestData::Float(vec![6.0, 5.0, 4.0]);
    nest.execute(&mut values, 100).unwrap();
    // C[i - k + N] sums A[i]*B[N - k], so element d has the pairs whose indices add up to d.
    assert_eq!(values.arrays[0], NestData::Float(vec![6.0, 17.0, 32.0, 23.0, 12.0]));
}

#[test]
fn types_are_those_of_c() {
    let nest = nest(
        "void f(double d[4], float x[4], float s) {
           for (int i = 0; i < 4; i++) {
             d[i] = x[i] * 0.1;
             x[i] = s * 0.1f + i;
           }
         }",
    );
    let mut values = nest.zero_values(&[]).unwrap();
    values.arrays[1] = NestData::Float(vec![3.0; 4]);
    values.scalars[0] = NestNumber::Float(3.0);
    nest.execute(&mut values, 100).unwrap();
    assert_eq!(values.arrays[0], NestData::Double(vec![3.0 * 0.1; 4]));
    let expected: Vec<f32> = (0..4_u8).map(|i| 3.0_f32 * 0.1 + f32::from(i)).collect();
    assert_eq!(values.arrays[1], NestData::Float(expected));
}

#[test]
fn an_element_outside_of_its_array_is_told() {
    let nest = nest("void f(int N, float x[N]) { for (int i = 0; i <= N; i++) x[i] = 1.0f; }");
    let mut values = nest.zero_values(&[3]).unwrap();
    let fault = nest.execute(&mut values, 100).unwrap_err();
    assert!(matches!(&fault, NestFault::Outside { element, .. } if element == &[3]), "{fault}");
    let fault = nest.execute(&mut nest.zero_values(&[50]).unwrap(), 10).unwrap_err();
    assert_eq!(fault, NestFault::TooMany { limit: 10 });
    assert!(matches!(nest.zero_values(&[-1]), Err(NestFault::Size { .. })));
}

#[test]
fn instances_come_in_the_order_of_the_text() {
    let nest = nest(POLYNOMIAL);
    let all = nest.instances(&[1], 100).unwrap();
    let shown: Vec<_> = all.iter().map(|one| (one.statement, one.indices.clone())).collect();
    let expected = [(0, vec![0, 0]), (0, vec![0, 1]), (0, vec![1, 0]), (1, vec![1, 1])];
    assert_eq!(shown, expected);
}

#[test]
fn runs_are_compared_by_bits() {
    let one = |value: f32| cp2_nest::NestData::Float(vec![value]);
    assert!(one(f32::NAN).has_bits_of(&one(f32::from_bits(0x7fff_ffff))));
    assert!(!one(0.0).has_bits_of(&one(-0.0)));
    assert!(!one(1e-40).has_bits_of(&one(0.0)));
    assert!(one(1.5).has_bits_of(&one(1.5)));
}
