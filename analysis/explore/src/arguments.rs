//! Arguments with which a kernel is run: those that were given, else values that its promises allow.

use cp2_asm::image::Image;
use cp2_asm::interface::{Argument, ElementType, Promise};
use cp2_isa::BundleAddress;
use cp2_session::arrays::{ArrayRequest, interface_json, kernel_at};
use serde_json::{Value, json};

/// Least value that is proposed for a count: enough turns for a loop to be seen at work.
const TURNS: i64 = 16;

/// Arguments and arrays for a run, and what the page is told of them.
pub(crate) struct Given {
    /// Arguments and arrays that are set in the machine.
    pub(crate) request: ArrayRequest,
    /// Arguments of the kernel with their values, and which of these were proposed.
    pub(crate) told: Value,
    /// Whether no array is loaded, so that what nobody gave is as memory is after reset.
    pub(crate) is_free: bool,
}

/// Returns what a run that begins at a bundle is given: arrays of the command line, arguments of the page, and for whole-numbered arguments that
/// nobody gave values that their promises allow. Arrays that nobody gave are as memory is after reset.
pub(crate) fn given(
    image: &Image,
    entry: BundleAddress,
    base: &ArrayRequest,
    arguments: &[(String, String)],
) -> Given {
    let (kernel, interface) = kernel_at(image, entry);
    let mut request = base.clone();
    for (name, value) in arguments.iter().filter(|(_, value)| !value.trim().is_empty()) {
        request.arguments.retain(|(other, _)| other != name);
        request.arguments.push((name.clone(), value.trim().to_owned()));
    }
    // The sizes of arrays that are loaded tell arguments too, and what lacks is an error then.
    let is_free = request.loads.is_empty();
    let mut told = Vec::new();
    for argument in &interface.arguments {
        let known = request.arguments.iter().find(|(name, _)| *name == argument.name);
        let known = known.map(|(_, value)| value.clone());
        let proposed = match &known {
            None if is_free => proposal(argument),
            _ => None,
        };
        if let Some(value) = &proposed {
            request.arguments.push((argument.name.clone(), value.clone()));
        }
        told.push(json!({ "name": argument.name, "given": known, "proposed": proposed }));
    }
    request.is_set |= is_free;
    let told = json!({
        "kernel": kernel,
        "interface": interface_json(&interface),
        "arguments": told,
        "loaded": !is_free,
        "lacking": if is_free { interface.arrays.len() } else { 0 },
    });
    Given { request, told, is_free }
}

/// Returns a value that an argument may have; `None` if it has a default, or none can be found.
fn proposal(argument: &Argument) -> Option<String> {
    match argument.element {
        _ if argument.promise.default.is_some() => None,
        ElementType::Float32 => Some("1.0".to_owned()),
        ElementType::Complex64 => Some("1.0:0.0".to_owned()),
        _ => whole(&argument.promise).map(|value| value.to_string()),
    }
}

/// Returns a whole number that keeps a promise, [`TURNS`] or a little more if it may be.
fn whole(promise: &Promise) -> Option<i64> {
    let step = promise.multiple.unwrap_or(1).max(1);
    let up = |least: i64| least.checked_add(step - 1).map(|n| n.div_euclid(step) * step);
    let most = promise.max.unwrap_or(i64::MAX);
    let wanted = up(TURNS.max(promise.min.unwrap_or(TURNS)))?;
    [wanted, most.div_euclid(step) * step]
        .into_iter()
        .find(|value| promise.broken_by(i128::from(*value)).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_keep_promises() {
        let of = |min, max, multiple| whole(&Promise { min, max, multiple, default: None });
        assert_eq!(of(None, None, None), Some(16));
        assert_eq!(of(Some(100), None, Some(8)), Some(104));
        assert_eq!(of(Some(1), Some(5), None), Some(5));
        assert_eq!(of(Some(3), Some(5), Some(4)), Some(4));
        assert_eq!(of(Some(5), Some(7), Some(4)), None);
        assert_eq!(of(Some(i64::MAX), None, Some(2)), None);
    }
}
