//! What searches found for a device: shapes of work-groups by kernel and size, as text that is kept by device.

use crate::cg::{
    FramedShape, NamedMatrix, ProductChoice, ProductFormat, ProductShape, ProductTrial,
};
use crate::ft::{LineShapes, Transforms};
use crate::mg::{GridTrial, GroupShape, GroupShapes, SEARCHED};
use crate::timing::seconds;
use cp2_gpu::{Gpu, GpuError};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Numbers that searches found, by what they are for: `resid 512` has M1, M2, r and the layers of a work-group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceChoices(BTreeMap<String, Vec<usize>>);

/// Choices that come with the program: names of devices, and what was found for them.
const SHIPPED: [(&str, &str); 2] = [
    ("NVIDIA H100 80GB HBM3", include_str!("../data/NVIDIA-H100-80GB-HBM3.txt")),
    ("NVIDIA H200", include_str!("../data/NVIDIA-H200.txt")),
];

/// Slices of a group, rows of a slice and so on are small; this is the largest number that a file may have.
const LARGEST: usize = 1 << 24;
/// Candidates that are timed for a kernel on the finest level, and on others.
const TRIED: [usize; 2] = [40, 12];

impl DeviceChoices {
    /// Returns the choices that come with the program for a device of this name; none for one that is not known.
    pub fn shipped(device: &str) -> Self {
        let known = SHIPPED.iter().find(|(name, _)| *name == device);
        known.and_then(|(_, text)| Self::parse(text).ok()).unwrap_or_default()
    }

    /// Reads what [`Self::text`] wrote.
    ///
    /// # Errors
    /// A line has not the form `NAME = NUMBER ..`, with numbers from 1 to 2^24; the error has its number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut found = BTreeMap::new();
        for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let read = |(name, numbers): (&str, &str)| {
                let all = numbers
                    .split_whitespace()
                    .map(|n| n.parse().ok().filter(|n| (1..=LARGEST).contains(n)));
                Some((name.trim().to_owned(), all.collect::<Option<Vec<usize>>>()?))
            };
            let form = format!(
                "line {}: `{line}` is not of the form NAME = NUMBER .., numbers from 1 to {LARGEST}",
                place + 1
            );
            let (name, numbers) = line.split_once('=').and_then(read).ok_or(form)?;
            found.insert(name, numbers);
        }
        Ok(Self(found))
    }

    /// Returns all numbers as text, a line each.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, numbers) in &self.0 {
            let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
            let _ = writeln!(text, "{name} = {}", numbers.join(" "));
        }
        text
    }

    /// Takes what another has found over.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the shapes of grid kernels that are known; numbers that are no powers of two are passed over.
    pub fn grids(&self) -> GroupShapes {
        let mut shapes = GroupShapes::default();
        for (name, numbers) in &self.0 {
            let key = name
                .split_once(' ')
                .and_then(|(kernel, n)| Some((kernel.to_owned(), n.parse().ok()?)));
            if let (Some(key), &[m1, m2, r, depth]) = (key, &numbers[..])
                && numbers.iter().all(|n| n.is_power_of_two())
                && r <= m2
            {
                shapes.0.insert(key, GroupShape { m1, m2, r, depth });
            }
        }
        shapes
    }

    /// Returns how the products of a matrix of this name are shared out, if it is known.
    pub fn product(&self, name: &str) -> Option<ProductShape> {
        let &[h, r, slices, unroll, window] = &self.0.get(&format!("sliced {name}"))?[..] else {
            return None;
        };
        let is_fit = [h, r, slices].iter().all(|n| n.is_power_of_two());
        is_fit.then_some(ProductShape { h, r, slices, unroll, window })
    }

    /// Returns how the products of a matrix of this name are shared out in frames, if it is known.
    pub fn framed(&self, name: &str) -> Option<FramedShape> {
        let &[h, w, r] = &self.0.get(&format!("framed {name}"))?[..] else { return None };
        [h, r].iter().all(|n| n.is_power_of_two()).then_some(FramedShape { h, w, r })
    }

    /// Returns the lines of a work-group for transforms of these sizes, if they are known.
    pub fn lines(&self, sizes: [usize; 3]) -> Option<LineShapes> {
        let &[x, y, z] = &self.0.get(&lines_name(sizes))?[..] else { return None };
        [x, y, z].iter().all(|n| n.is_power_of_two()).then_some(LineShapes([x, y, z]))
    }

    /// Searches the shapes of grid kernels for grids of `n` points along an axis and all coarser ones.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search_grids(gpu: &Gpu, n: usize) -> Result<Self, GpuError> {
        let mut found = Self::default();
        let mut size = n;
        while size >= 8 {
            let mut trial = GridTrial::new(gpu, size)?;
            for kernel in SEARCHED {
                let (shape, _) = trial.search(kernel, TRIED[usize::from(size < n)])?;
                let GroupShape { m1, m2, r, depth } = shape;
                found.0.insert(format!("{kernel} {}", trial.key(kernel)), vec![m1, m2, r, depth]);
            }
            size /= 2;
        }
        Ok(found)
    }

    /// Searches how the products of a matrix are shared out in a format: in slices, with rows in their order and with the
    /// longest rows first, or in frames.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search_product(
        gpu: &Gpu,
        matrix: &NamedMatrix,
        format: ProductFormat,
    ) -> Result<Self, GpuError> {
        let found = ProductTrial::new(gpu, matrix)?.search(format)?;
        let name = &matrix.name;
        let kept = found.map(|(_, choice)| match choice {
            ProductChoice::Sliced(ProductShape { h, r, slices, unroll, window }) => {
                (format!("sliced {name}"), vec![h, r, slices, unroll, window])
            }
            ProductChoice::Framed(FramedShape { h, w, r }) => {
                (format!("framed {name}"), vec![h, w, r])
            }
        });
        Ok(Self(kept.into_iter().collect()))
    }

    /// Searches the lines of a work-group for transforms of these sizes.
    ///
    /// # Errors
    /// The device is lost, or has no room.
    pub fn search_lines(gpu: &Gpu, sizes: [usize; 3]) -> Result<Self, GpuError> {
        let [n1, n2, n3] = sizes;
        let points = n1 * n2 * n3;
        let array = gpu.buffer::<[f64; 2]>(points)?;
        let mut transforms = Transforms::new(gpu, sizes, LineShapes::default())?;
        let mut best = [1; 3];
        for (axis, inner) in [1, n1, n1 * n2].into_iter().enumerate() {
            let mut least = f64::INFINITY;
            for lines in [1, 2, 4, 8, 16] {
                transforms.shapes.0[axis] = lines;
                let all = [points / sizes[axis], inner];
                let mut launch =
                    || transforms.along((axis, false), all, [&array, &array], None, &[]).map(drop);
                match seconds(gpu, [3, 2], &mut launch) {
                    Ok(time) if time < least => (least, best[axis]) = (time, lines),
                    Ok(_) | Err(GpuError::Call { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(Self(BTreeMap::from([(lines_name(sizes), best.to_vec())])))
    }
}

fn lines_name(sizes: [usize; 3]) -> String {
    format!("lines {}x{}x{}", sizes[0], sizes[1], sizes[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_were_written() {
        let text = "lines 64x64x64 = 4 4 8\nresid 32 = 32 8 2 16\nsliced S = 32 2 8 1 1400\n";
        let choices = DeviceChoices::parse(text).unwrap_or_default();
        assert_eq!(choices.text(), text);
        assert_eq!(choices.lines([64; 3]), Some(LineShapes([4, 4, 8])));
        assert_eq!(choices.product("S").map(|shape| [shape.h, shape.window]), Some([32, 1400]));
        let shape = choices.grids().of("resid", 32);
        assert_eq!(shape, GroupShape { m1: 32, m2: 8, r: 2, depth: 16 });
    }

    #[test]
    fn choices_that_come_with_the_program_can_be_read() {
        for (name, text) in SHIPPED {
            let choices = DeviceChoices::parse(text).unwrap_or_default();
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            assert_eq!(lines.count(), choices.0.len(), "{name}");
            assert_eq!(choices, DeviceChoices::shipped(name));
            assert!(choices.product("C").is_some() && choices.lines([512; 3]).is_some());
            assert!(choices.grids().0.contains_key(&("resid".to_owned(), 512)));
        }
    }

    #[test]
    fn wrong_choices_are_refused_with_their_line() {
        for line in ["resid", "resid 32 = 1 x", "resid 32 = 0 1 1 1", "resid 32 = 99999999999"] {
            let error =
                DeviceChoices::parse(&format!("# a comment\n{line}\n")).err().unwrap_or_default();
            assert!(error.starts_with("line 2: `resid"), "{error}");
        }
        // Numbers that no kernel takes are as if they were not there.
        let choices =
            DeviceChoices::parse("resid 32 = 3 8 2 16\nsliced S = 3 1 1 1 1\n").unwrap_or_default();
        assert!(choices.grids().0.is_empty() && choices.product("S").is_none());
    }
}
