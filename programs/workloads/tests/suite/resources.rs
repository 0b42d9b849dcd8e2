//! Machines with more of a resource: no procedure takes longer there.

use cp2_emu::MachineConfig;
use cp2_session::workload::{OptionValue, OptionValues, Platform, Request};
use cp2_workloads::catalogue;

/// Returns the cycles of a procedure with these options on a machine.
fn cycles(name: &str, options: &[(&'static str, &str)], config: &MachineConfig) -> u64 {
    let workload = catalogue::find(Platform::Machine, name).unwrap();
    let mut values = OptionValues::default();
    for (option, value) in options {
        values.set(option, OptionValue::Choice((*value).to_owned()));
    }
    values.add_defaults(&workload.option_list());
    let request = Request { values, machine: Some(config.clone()), ..Request::default() };
    let tally = workload.tally(request).unwrap();
    assert_eq!(tally.complaint, None, "{name}");
    tally.cycles
}

#[test]
fn more_local_memory_makes_no_procedure_slower() {
    let all: [(&str, &[(&str, &str)]); 8] = [
        ("resid", &[]),
        ("proj", &[]),
        ("smooth0", &[]),
        ("fft256", &[]),
        ("fft8192", &[]),
        ("fft16384", &[]),
        ("convolution", &[]),
        ("ft", &[("class", "S")]),
    ];
    for machine in ["vm7", "vm9"] {
        let usual = MachineConfig::preset(machine).unwrap();
        for (name, options) in all {
            let mut fewest = cycles(name, options, &usual);
            for words in [16384, 32768] {
                let mut larger = usual.clone();
                larger.enable(&format!("larger-local-memory={words}")).unwrap();
                let now = cycles(name, options, &larger);
                let limit = fewest + fewest / 200;
                assert!(now <= limit, "{name} on {machine}, {words} words: {now} after {fewest}");
                fewest = fewest.min(now);
            }
        }
    }
}
