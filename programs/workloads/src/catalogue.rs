//! The catalogue of workloads: those of every family of kernels and of procedures.

mod list;

pub use list::{list, list_schema, list_text};

use crate::workload::Family;
use crate::{kernels, procedures};
use cp2_session::workload::{OptionKind, OptionValues, Platform, Workload, WorkloadOption};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// Returns all families of workloads, groups that belong together: those of kernels first, then those of procedures.
pub fn families() -> impl Iterator<Item = &'static Family> {
    kernels::FAMILIES.iter().chain(procedures::FAMILIES)
}

/// Returns all workloads of a platform: kernels on CP2 alone, or procedures on a whole machine.
pub fn workloads(platform: Platform) -> Vec<Arc<dyn Workload>> {
    let all = families().flat_map(|family| (family.workloads)());
    all.filter(|workload| workload.about().platform == platform).collect()
}

/// Returns the workload called `name` on a platform; `None` if there is none.
pub fn find(platform: Platform, name: &str) -> Option<Arc<dyn Workload>> {
    workloads(platform).into_iter().find(|workload| workload.about().name == name)
}

/// Checks the options that a user gave for the workload `name` on a platform. `options` are those that it takes,
/// `values` those that were given; see [`OptionValues::check`].
///
/// # Errors
/// Returns a message if the workload does not take an option or value. It also says so if the workload of the same name
/// on the other platform takes the option.
pub fn check(
    platform: Platform,
    name: &str,
    options: &[WorkloadOption],
    values: &OptionValues,
) -> Result<(), String> {
    values.check(name, options).map_err(|message| {
        let (other, with) = match platform {
            Platform::Cp2 => (Platform::Machine, "with"),
            Platform::Machine => (Platform::Cp2, "without"),
        };
        let others = find(other, name).map(|workload| workload.option_list()).unwrap_or_default();
        let is_its_own = |option: &&WorkloadOption| {
            values.has(option.name) && options.iter().all(|known| known.name != option.name)
        };
        match others.iter().find(is_its_own) {
            Some(option) => format!("{message}; {with} --machine it takes --{}", option.name),
            None => message,
        }
    })
}

/// Returns the names of all workloads of a platform in one text, with commas between. Neighbours of a family whose
/// names differ only in their number are joined, such as `fft64 to fft65536`.
pub fn ranges(platform: Platform) -> String {
    let stem = |name: &String| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let mut names = Vec::new();
    for family in families() {
        let all = (family.workloads)().into_iter().map(|workload| workload.about());
        let of_family: Vec<_> = all.filter(|a| a.platform == platform).map(|a| a.name).collect();
        for alike in of_family.chunk_by(|a, b| stem(a) == stem(b)) {
            names.push(match alike {
                [first, _, .., last] => format!("{first} to {last}"),
                few => few.join(" and "),
            });
        }
    }
    names.join(", ")
}

/// Returns every option that some workload takes, each name once. An option has the same form and help text in all
/// workloads.
pub fn option_list() -> Vec<WorkloadOption> {
    let mut all: Vec<WorkloadOption> = Vec::new();
    for option in options_of_all() {
        if all.iter().all(|known| known.name != option.name) {
            all.push(option.clone());
        }
    }
    all
}

/// Returns the options of all workloads, one workload after the other.
fn options_of_all() -> &'static [WorkloadOption] {
    static ALL: OnceLock<Vec<WorkloadOption>> = OnceLock::new();
    ALL.get_or_init(|| {
        let all = [Platform::Cp2, Platform::Machine].into_iter().flat_map(workloads);
        all.flat_map(|workload| workload.option_list()).collect()
    })
}

/// Returns the values that a user may choose for the option `name`, of all workloads together; empty if no workload has
/// an option of this name with a fixed choice.
pub fn words(name: &str) -> Vec<&'static str> {
    let mut all = Vec::new();
    for option in options_of_all() {
        if let (true, OptionKind::Choice(words)) = (option.name == name, &option.form) {
            let new = words.iter().filter(|word| !all.contains(*word)).copied();
            let new: Vec<_> = new.collect();
            all.extend(new);
        }
    }
    all
}

/// Returns the JSON Schema of the reports of all workloads that have this tag, the name of a schema such as
/// `cp2-kernel-1`. `title` is the title of the schema.
pub fn report_schema(title: &str, tag: &str) -> Value {
    // Workloads whose schemas differ only in their name share one.
    let mut shapes: Vec<(Arc<dyn Workload>, Vec<String>)> = Vec::new();
    let all = families().flat_map(|family| (family.workloads)());
    for workload in all.filter(|workload| workload.tag() == tag) {
        let (name, shape) = (workload.about().name, workload.schema(&[]));
        match shapes.iter_mut().find(|(first, _)| first.schema(&[]) == shape) {
            Some((_, names)) => names.push(name),
            None => shapes.push((workload, vec![name])),
        }
    }
    let shapes: Vec<_> = shapes.iter().map(|(first, names)| first.schema(names)).collect();
    cp2_document::whole(title, &shapes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::mem::discriminant;

    #[test]
    fn names_are_told_apart_by_their_platform() {
        for platform in [Platform::Cp2, Platform::Machine] {
            let all = workloads(platform);
            let names: BTreeSet<String> = all.iter().map(|w| w.about().name).collect();
            assert_eq!(names.len(), all.len());
        }
        assert_eq!(
            ranges(Platform::Machine),
            "fft64 to fft65536, fft2d, fft3d, ft, convolution, resid, proj, interp and interp0, smooth and smooth0, mg, spmv, cg, spmv_gathered, star_closure to star_closure8, star_closure_pages, star_paths, star_paths_insert, star_paths_insert_nearest, queens, tree, sudoku, cover, fibonacci"
        );
    }

    #[test]
    fn an_option_means_the_same_wherever_it_is_taken() {
        let all = option_list();
        for workload in [Platform::Cp2, Platform::Machine].into_iter().flat_map(workloads) {
            let options = workload.option_list();
            for option in &options {
                let known =
                    all.iter().find(|known| known.name == option.name).expect("in the list");
                let name = workload.about().name;
                assert_eq!(known.help, option.help, "{name} --{}", option.name);
                assert_eq!(discriminant(&known.form), discriminant(&option.form), "{name}");
                let takes = |other: &&str| options.iter().any(|option| option.name == *other);
                assert!(option.replaced_by.iter().all(takes), "{name}");
            }
        }
    }

    #[test]
    fn variants_take_the_same_arrays_and_name_each_other() {
        for platform in [Platform::Cp2, Platform::Machine] {
            for workload in workloads(platform) {
                let variants = workload.variants();
                let names: Vec<String> = variants.iter().map(|v| v.about().name).collect();
                let own = workload.about().name;
                assert!(names.is_empty() || names.len() > 1 && names.contains(&own), "{own}");
                let arrays = |of: &dyn Workload| -> Vec<WorkloadOption> {
                    let options = of.option_list().into_iter();
                    options.filter(|option| matches!(option.form, OptionKind::Read(_))).collect()
                };
                for variant in &variants {
                    let others: Vec<String> =
                        variant.variants().iter().map(|v| v.about().name).collect();
                    assert_eq!(others, names, "{own}");
                    assert_eq!(arrays(&**variant), arrays(&*workload), "{own}");
                }
            }
        }
    }

    #[test]
    fn every_workload_has_a_bound_and_a_reason_for_its_tolerance() {
        for workload in [Platform::Cp2, Platform::Machine].into_iter().flat_map(workloads) {
            let about = workload.about();
            let bound = workload.bound(&cp2_isa::Core::CP2).expect("a bound");
            assert!(!bound.rests_on.is_empty() && !bound.unit.is_empty(), "{}", about.name);
            assert!(!about.reference.reason.is_empty() && !about.order.is_empty());
            assert!(about.reference.tolerance > 0.0);
        }
    }
}
