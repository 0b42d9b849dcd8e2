//! The places of bundles in the source, for traces and profiles: kernel, label, line and hardware loops of a bundle
//! address. For an image without symbols or lines, the parts that are not known are absent.

use crate::image::{Image, Kernel, SourcePosition, SymbolKind};
use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Core, Cycle, Slot, decode};
use std::ops::Range;

/// An index of an image that finds label, source line and hardware loops of each bundle address.
#[derive(Debug)]
pub struct BundleNames<'a> {
    image: &'a Image,
    /// Labels by address, one for each.
    labels: Vec<(BundleAddress, &'a str)>,
    /// Hardware loops: the address of the `do` and the body, outer ones before inner ones.
    loops: Vec<(BundleAddress, Body)>,
}

/// The place of a bundle, or of one of its operations, in the source: kernel, label and line, as [`BundleNames`] finds
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site<'a> {
    /// Name of the kernel that the bundle is part of; `None` if it is in no kernel.
    pub kernel: Option<&'a str>,
    /// Nearest label at the bundle or before it in the same kernel, whose name counts as a label at its first bundle.
    /// `None` if there is none.
    pub label: Option<&'a str>,
    /// Number of bundles from that label to the bundle, or from bundle address 0 if there is no label.
    pub offset: u16,
    /// Name of the source file; `None` if it is not known.
    pub file: Option<&'a str>,
    /// Line in the source file, from 1; 0 if it is not known.
    pub line: u32,
}

impl Site<'_> {
    /// Returns the place of a bundle of which nothing but its address is known.
    const fn unknown(address: BundleAddress) -> Self {
        Self { kernel: None, label: None, offset: address.0, file: None, line: 0 }
    }

    /// Returns the label and the number of bundles behind it, such as `loop` or `loop+3`; an empty text without a
    /// label.
    pub fn label_text(&self) -> String {
        match (self.label, self.offset) {
            (None, _) => String::new(),
            (Some(label), 0) => label.to_owned(),
            (Some(label), offset) => format!("{label}+{offset}"),
        }
    }

    /// Returns the last part of the source file's path and the line, such as `fir.s:12`; an empty text without a file.
    pub fn line_text(&self) -> String {
        self.file.map_or(String::new(), |file| format!("{}:{}", short(file), self.line))
    }
}

/// Returns the last part of a path, behind the last `/` or `\`.
pub fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

impl<'a> BundleNames<'a> {
    /// Creates the index for an image. `core` is the core that it was assembled for, by which bundles are decoded.
    pub fn new(image: &'a Image, core: &Core) -> Self {
        let mut labels: Vec<(BundleAddress, bool, &str)> = image
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Bundle)
            .filter_map(|s| {
                let address = BundleAddress(u16::try_from(s.value).ok()?);
                Some((address, !s.global, s.name.as_str()))
            })
            .chain(image.kernels.iter().map(|k| (k.start, false, k.name.as_str())))
            .collect();
        // The first of those at one address stays: global ones first, then in the order of the source.
        labels.sort_by_key(|&(address, is_local, _)| (address, is_local));
        labels.dedup_by_key(|(address, ..)| *address);
        let mut loops = Vec::new();
        for kernel in &image.kernels {
            for (pc, word) in kernel.bundles() {
                let bundle = decode(word, core).ok();
                if let Some((_, end)) = bundle.and_then(|bundle| bundle.exch.hardware_loop()) {
                    loops.push((pc, Body::behind(pc, end)));
                }
            }
        }
        let labels = labels.into_iter().map(|(address, _, name)| (address, name)).collect();
        Self { image, labels, loops }
    }

    /// Returns the place in the source of the bundle at an address, with the line that the bundle as a whole comes
    /// from.
    pub fn site(&self, address: BundleAddress) -> Site<'a> {
        let kernel = self.image.kernel_at(address);
        let before = self.labels.partition_point(|(at, _)| *at <= address);
        let (at, label) = match before.checked_sub(1).map(|k| self.labels[k]) {
            Some((at, name)) if kernel.is_some_and(|k| at >= k.start) => (at, Some(name)),
            _ => (BundleAddress::default(), None),
        };
        let place: Option<&SourcePosition> = self.image.lines.get(&address);
        let file = place.and_then(|p| self.image.files.get(p.file as usize));
        Site {
            kernel: kernel.map(|k| k.name.as_str()),
            label,
            offset: address - at,
            file: file.map(String::as_str),
            line: place.filter(|_| file.is_some()).map_or(0, |p| p.line),
        }
    }

    /// Returns the place of the operation in one slot of the bundle at an address. The exchange operation may have a
    /// source line of its own.
    pub fn site_of(&self, address: BundleAddress, slot: Slot) -> Site<'a> {
        let site = self.site(address);
        let own = self.image.exchange_lines.get(&address).filter(|_| slot == Slot::Exchange);
        let named = own.and_then(|p| Some((self.image.files.get(p.file as usize)?, p.line)));
        named.map_or(site, |(file, line)| Site { file: Some(file), line, ..site })
    }

    /// Returns the places of both operations of the bundle at an address, the arithmetic operation first.
    pub fn sites_of(&self, address: BundleAddress) -> [Site<'a>; 2] {
        [Slot::Arithmetic, Slot::Exchange].map(|slot| self.site_of(address, slot))
    }

    /// Returns a text for the hardware loop whose `do` is at `at`: the source line of its `.loop` or `do`, such as
    /// `fir.s:12`, or `bundle 4` if the line is not known.
    pub fn loop_text(&self, at: BundleAddress) -> String {
        let text = self.site_of(at, Slot::Exchange).line_text();
        if text.is_empty() { format!("bundle {at}") } else { text }
    }

    /// Returns the hardware loops whose body contains the bundle at `address`, each as the address of its `do`, the
    /// outermost first.
    pub fn loops(&self, address: BundleAddress) -> impl Iterator<Item = BundleAddress> + '_ {
        self.bodies(address).map(|(pc, _)| pc)
    }

    /// Returns the hardware loops whose body contains the bundle at `address`, each as the address of its `do` and the
    /// addresses of its body, the outermost first.
    pub fn bodies(
        &self,
        address: BundleAddress,
    ) -> impl Iterator<Item = (BundleAddress, Body)> + '_ {
        self.loops.iter().filter(move |(_, body)| body.contains(address)).copied()
    }

    /// Returns the lengths in characters of the longest [`Site::label_text`] and of the longest [`Site::line_text`] in
    /// the image, for the columns of a table.
    pub fn widths(&self) -> (usize, usize) {
        let bundles = self.image.kernels.iter().flat_map(Kernel::bundles);
        let sites = bundles.flat_map(|(address, _)| self.sites_of(address));
        sites.fold((0, 0), |(labels, lines), site| {
            (
                labels.max(site.label_text().chars().count()),
                lines.max(site.line_text().chars().count()),
            )
        })
    }
}

/// Names of programs that take turns in instruction memory: in each cycle an address has the names of the program that is
/// there then.
#[derive(Debug)]
pub struct NamesByCycle<'a>(Vec<(BundleNames<'a>, Vec<Range<Cycle>>)>);

impl<'a> From<BundleNames<'a>> for NamesByCycle<'a> {
    /// Returns the names of a program that is there in all cycles.
    fn from(names: BundleNames<'a>) -> Self {
        Self(vec![(names, vec![Cycle::RESET..Cycle::NEVER])])
    }
}

impl<'a> NamesByCycle<'a> {
    /// Creates the names of programs for `core`, each with the ranges of cycles, counted from reset, in which it is in
    /// instruction memory.
    pub fn new(
        programs: impl IntoIterator<Item = (&'a Image, Vec<Range<Cycle>>)>,
        core: &Core,
    ) -> Self {
        let named = |(image, cycles)| (BundleNames::new(image, core), cycles);
        Self(programs.into_iter().map(named).collect())
    }

    /// Returns the names of the program that is there in a cycle; of one behind all ranges, those of the latest range.
    /// `None` if there is no program before.
    pub fn in_cycle(&self, cycle: Cycle) -> Option<&BundleNames<'a>> {
        let begun = self.0.iter().filter_map(|(names, cycles)| {
            let last = cycles.iter().rfind(|range| range.start <= cycle)?;
            Some((last.start, names))
        });
        begun.max_by_key(|(start, _)| *start).map(|(_, names)| names)
    }

    /// Returns the place in the source of the bundle at an address in a cycle.
    pub fn site(&self, cycle: Cycle, address: BundleAddress) -> Site<'a> {
        self.in_cycle(cycle).map_or(Site::unknown(address), |names| names.site(address))
    }

    /// Returns the place of the operation in one slot of the bundle at an address in a cycle.
    pub fn site_of(&self, cycle: Cycle, address: BundleAddress, slot: Slot) -> Site<'a> {
        self.in_cycle(cycle).map_or(Site::unknown(address), |names| names.site_of(address, slot))
    }

    /// Returns the greatest of the lengths that [`BundleNames::widths`] gives for the programs.
    pub fn widths(&self) -> (usize, usize) {
        let all = self.0.iter().map(|(names, _)| names.widths());
        all.fold((0, 0), |longest, (labels, lines)| (longest.0.max(labels), longest.1.max(lines)))
    }
}
