//! Sparse products by gathers: right, whatever the matrix, and refused where they cannot be.

use crate::sharing;
use cp2_emu::MachineConfig;
use cp2_kernels::sparse::matrices;
use cp2_procedures::gathered::{MOST, multiply};
use cp2_session::sparse::Csr;
use cp2_session::{Engine, Execution};

fn machine(name: &str) -> MachineConfig {
    let mut config = MachineConfig::preset(name).unwrap();
    config.enable("dma-words").unwrap();
    config
}

fn vector(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919) % 1009) as f32 / 504.5 - 1.0).collect()
}

#[test]
fn products_are_those_of_the_reference_on_both_engines() {
    let empty_rows = Csr::from_entries(70, 9, &[(3, 8, 2.0), (69, 0, -1.0)]);
    for matrix in [
        matrices::random(130, 70, 900, 3).unwrap(),
        matrices::random(64, 40_000, 2_000, 4).unwrap(),
        empty_rows.unwrap(),
    ] {
        let x = vector(matrix.columns());
        let reports = [Engine::Fast, Engine::Reference].map(|engine| {
            let config = machine("vm7");
            let on = Execution { engine, ..sharing().execution(*config.core()) };
            multiply(config, &matrix, &x, &on, &mut |_, _| {}).unwrap()
        });
        assert!(matrix.deviation(&x, &reports[0].y) <= 1.0);
        assert_eq!(reports[0].y, reports[1].y);
        assert_eq!(reports[0].cost.cycles(), reports[1].cost.cycles());
    }
}

#[test]
fn what_cannot_be_is_refused_with_a_sentence() {
    let matrix = matrices::random(8, 8, 20, 1).unwrap();
    let x = vector(8);
    let plain = MachineConfig::preset("vm9").unwrap();
    let on = sharing().execution(*plain.core());
    let error = multiply(plain, &matrix, &x, &on, &mut |_, _| {}).unwrap_err().to_string();
    assert!(error.contains("dma-words") && error.contains("vm9"), "{error}");
    let long = matrices::random(1, MOST + 1, MOST + 1, 1).unwrap();
    let error = multiply(machine("vm9"), &long, &vector(MOST + 1), &on, &mut |_, _| {});
    let error = error.unwrap_err().to_string();
    assert!(error.contains("256") && error.contains("255"), "{error}");
}
