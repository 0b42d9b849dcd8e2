//! Range of a rate that assumptions and fits leave, by the study of the laboratory.

use cp2_emu::MachineConfig;
use cp2_lab::recorded::Subject;
use cp2_lab::whatif::Sensitivity;
use cp2_session::workload::OptionValue;

/// Returns the least and most rate of a procedure, 10^6 operations per second, with all numbers that nobody measured at their
/// worse and at their better ends.
pub(crate) fn range(
    config: &MachineConfig,
    name: &str,
    options: &[(&'static str, OptionValue)],
) -> Result<String, String> {
    let study = || {
        let subject = Subject::procedure(name, config.clone(), options)?;
        Sensitivity::new(&subject, String::new(), &mut |_, _| {})
    };
    let found = study().map_err(|e| e.to_string())?;
    let rate = |us: f64| found.us / us * found.mops;
    let [least, most] = found.together;
    Ok(format!("{:.0} to {:.0}", rate(most), rate(least)))
}
