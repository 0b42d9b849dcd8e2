//! Sizes of arrays beside what the kernel declares: arguments that they tell, and why a shape does not fit.

use super::arguments;
use crate::npy::shape_text;
use cp2_asm::interface::{DeclaredArray, Extent, Interface};
use std::collections::BTreeMap;

/// Whole-numbered arguments by name.
pub(super) type Known = BTreeMap<String, i64>;

/// The reason why an array has no shape that the kernel takes.
enum Misfit {
    /// The array has so many axes in place of so many.
    Axes(usize, usize),
    /// An axis has a size that no argument gives.
    Axis { axis: usize, size: usize },
}

/// Returns the sizes that are held against the declared ones. Of an array that is declared with one axis this is the
/// number of all elements together, for it takes any shape of as many.
pub(super) fn sizes(array: &DeclaredArray, shape: &[usize]) -> Vec<usize> {
    match array.shape.len() {
        1 => vec![shape.iter().fold(1, |size: usize, n| size.saturating_mul(*n))],
        _ => shape.to_vec(),
    }
}

/// Finds arguments that the sizes of an array tell, beside those that are known.
fn unify(array: &DeclaredArray, shape: &[usize], known: &mut Known) -> Result<(), Misfit> {
    let sizes = sizes(array, shape);
    if sizes.len() != array.shape.len() {
        return Err(Misfit::Axes(sizes.len(), array.shape.len()));
    }
    for (axis, (extent, size)) in array.shape.iter().zip(sizes).enumerate() {
        let misfit = Misfit::Axis { axis, size };
        let Ok(wanted) = i64::try_from(size) else { return Err(misfit) };
        let value = |name: &str| known.get(name).copied();
        let open = extent.arguments().into_iter().filter(|name| value(name).is_none()).count();
        match (open, extent.solved(wanted, &value)) {
            (0, _) if extent.value(&value) == Some(wanted) => {}
            (1, Some((name, found))) => {
                let name = name.to_owned();
                known.insert(name, found);
            }
            // Another array or a value that is given may tell them.
            (2.., _) => {}
            _ => return Err(misfit),
        }
    }
    Ok(())
}

/// Adds to the known arguments those that the shapes of some arrays tell.
///
/// # Errors
/// The number of the first array that does not fit, and why.
pub(super) fn infer(
    kernel: &str,
    interface: &Interface,
    shapes: &[(String, Vec<usize>)],
    known: &mut Known,
) -> Result<(), (usize, String)> {
    // Each turn finds an argument, or is the last.
    for _ in 0..=interface.arguments.len() {
        let before = known.len();
        for (number, (name, shape)) in shapes.iter().enumerate() {
            let Some(array) = interface.array(name) else { continue };
            let given = known.clone();
            if let Err(misfit) = unify(array, shape, known) {
                let told = misfit_text(kernel, interface, (array, shape), &given, &misfit);
                return Err((number, told));
            }
        }
        if known.len() == before {
            break;
        }
    }
    Ok(())
}

/// Returns the message about an array that does not fit.
fn misfit_text(
    kernel: &str,
    interface: &Interface,
    (array, shape): (&DeclaredArray, &[usize]),
    known: &Known,
    misfit: &Misfit,
) -> String {
    let name = &array.name;
    let text = format!(
        "the array has shape {}, and `{kernel}` takes {name} of {}{}",
        shape_text(shape),
        array.shape_text(),
        with_values(array, known)
    );
    if let Some(order) = transposed(array, shape, known) {
        let order: Vec<String> = order.iter().map(usize::to_string).collect();
        return format!(
            "{text}: it is transposed; with its axes in the order {0} it fits, in NumPy \
             `{name}.transpose({0})`",
            order.join(", ")
        );
    }
    let plural = |n: usize| if n == 1 { "1 axis".to_owned() } else { format!("{n} axes") };
    match misfit {
        Misfit::Axes(found, wanted) => format!("{text}: it has {}, not {wanted}", plural(*found)),
        Misfit::Axis { axis, size } => {
            let extent = &array.shape[*axis];
            let what = match array.shape.len() {
                1 => format!("it has {size} elements"),
                _ => format!("axis {axis} is {size}"),
            };
            let value = |name: &str| known.get(name).copied();
            match extent.value(&value) {
                Some(wanted) => format!("{text}: {what}, not {wanted}"),
                None => format!(
                    "{text}: {what}, and {extent} is {}",
                    near(interface, extent, *size, known)
                ),
            }
        }
    }
}

/// Returns the sizes next to one that an axis cannot have, each with the argument that gives it.
fn near(interface: &Interface, extent: &Extent, size: usize, known: &Known) -> String {
    let value = |name: &str| known.get(name).copied();
    let wanted = i64::try_from(size).unwrap_or(i64::MAX);
    let sizes = extent.around(wanted, &value).into_iter().filter(|(name, x, size)| {
        let promise = interface.argument(name).map(|argument| &argument.promise);
        *size >= 0 && promise.is_none_or(|promise| promise.broken_by((*x).into()).is_none())
    });
    let sizes: Vec<String> =
        sizes.map(|(name, x, size)| format!("{size} with {name} = {x}")).collect();
    match sizes.is_empty() {
        true => format!("another one; {}", arguments::list(interface)),
        false => sizes.join(", "),
    }
}

/// Returns the text that says with which values of its arguments an array has no size.
pub(super) fn no_size(array: &DeclaredArray, known: &Known) -> String {
    let mut names: Vec<&str> = array.shape.iter().flat_map(|e| e.arguments()).collect();
    names.sort_unstable();
    names.dedup();
    let value = |name: &&str| known.get(*name).map(|n| format!("{name} = {n}"));
    let values: Vec<String> = names.iter().filter_map(value).collect();
    format!("no size with {}", values.join(", "))
}

/// Returns the sizes of an array as text, ` = (4, 8)`, if they depend on arguments and all of these are known; else
/// nothing.
pub(super) fn with_values(array: &DeclaredArray, known: &Known) -> String {
    let value = |name: &str| known.get(name).copied();
    let sizes: Option<Vec<usize>> = array
        .shape
        .iter()
        .map(|extent| extent.value(&value).and_then(|n| usize::try_from(n).ok()))
        .collect();
    let depends = array.shape.iter().any(|extent| !extent.arguments().is_empty());
    match sizes.filter(|_| depends) {
        Some(sizes) => format!(" = {}", shape_text(&sizes)),
        None => String::new(),
    }
}

/// Most axes for which every order is tried.
const MOST_AXES: usize = 5;

/// Returns the order of its axes with which an array of several axes would fit.
fn transposed(array: &DeclaredArray, shape: &[usize], known: &Known) -> Option<Vec<usize>> {
    let axes = shape.len();
    if axes != array.shape.len() || !(2..=MOST_AXES).contains(&axes) {
        return None;
    }
    orders(axes).into_iter().find(|order| {
        let turned: Vec<usize> = order.iter().map(|&axis| shape[axis]).collect();
        turned != shape && unify(array, &turned, &mut known.clone()).is_ok()
    })
}

/// Returns all orders of so many axes, the reverse one first.
fn orders(axes: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..axes {
        let longer = |order: Vec<usize>| {
            let rest = (0..axes).rev().filter(|axis| !order.contains(axis)).collect::<Vec<_>>();
            rest.into_iter().map(move |axis| [&order[..], &[axis]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_axes_is_there_once_and_the_reverse_one_first() {
        let all = orders(3);
        assert_eq!(all[0], [2, 1, 0]);
        let mut each = all.clone();
        each.sort();
        each.dedup();
        assert_eq!((all.len(), each.len()), (6, 6));
    }
}
