//! The place of a bundle address for a reader of the source: kernel, label, line, hardware loops. For traces and profiles; an
//! image without symbols or lines gives what it has.

use crate::image::{Image, Kernel, SourcePosition, SymbolKind};
use cp2_isa::rules::flow::Body;
use cp2_isa::{BundleAddress, Core, Slot, decode};

/// The names of the bundles of an image.
#[derive(Debug)]
pub struct BundleNames<'a> {
    image: &'a Image,
    /// Labels by address, one for each.
    labels: Vec<(BundleAddress, &'a str)>,
    /// Hardware loops: the address of the `do` and the body, outer ones before inner ones.
    loops: Vec<(BundleAddress, Body)>,
}

/// The place of a bundle in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site<'a> {
    /// The kernel that the bundle is part of.
    pub kernel: Option<&'a str>,
    /// The nearest label at the bundle or before it in the same kernel; the kernel's name is its first label.
    pub label: Option<&'a str>,
    /// Bundles from that label to the bundle; from the begin of instruction memory if there is no label.
    pub offset: u16,
    /// Name of the source file.
    pub file: Option<&'a str>,
    /// Line in the file, from 1; 0 without a file.
    pub line: u32,
}

impl Site<'_> {
    /// Returns the label and the distance from it: `loop`, `loop+3`; empty without a label.
    pub fn label_text(&self) -> String {
        match (self.label, self.offset) {
            (None, _) => String::new(),
            (Some(label), 0) => label.to_owned(),
            (Some(label), offset) => format!("{label}+{offset}"),
        }
    }

    /// Returns the last part of the file's name and the line: `fir.s:12`; empty without a file.
    pub fn line_text(&self) -> String {
        self.file.map_or(String::new(), |file| format!("{}:{}", short(file), self.line))
    }
}

/// Returns the last part of a file's name.
pub fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

impl<'a> BundleNames<'a> {
    /// Collects the names of an image that is made for a core.
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

    /// Returns the place of the bundle at an address.
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

    /// Returns the place of the operation in a slot of a bundle: with the bundle, at the line of its own.
    pub fn site_of(&self, address: BundleAddress, slot: Slot) -> Site<'a> {
        let site = self.site(address);
        let own = self.image.exchange_lines.get(&address).filter(|_| slot == Slot::Exchange);
        let named = own.and_then(|p| Some((self.image.files.get(p.file as usize)?, p.line)));
        named.map_or(site, |(file, line)| Site { file: Some(file), line, ..site })
    }

    /// Returns the places of the two operations of a bundle: its arithmetic and its exchange operation.
    pub fn sites_of(&self, address: BundleAddress) -> [Site<'a>; 2] {
        [Slot::Arithmetic, Slot::Exchange].map(|slot| self.site_of(address, slot))
    }

    /// Returns the text of the hardware loop of the `do` at an address: the line of its `.loop`, or of the `do` itself, as
    /// `fir.s:12`; `bundle 4` without a line.
    pub fn loop_text(&self, at: BundleAddress) -> String {
        let text = self.site_of(at, Slot::Exchange).line_text();
        if text.is_empty() { format!("bundle {at}") } else { text }
    }

    /// Returns the addresses of the `do` of every hardware loop whose body the bundle is in, the outermost first.
    pub fn loops(&self, address: BundleAddress) -> impl Iterator<Item = BundleAddress> + '_ {
        self.bodies(address).map(|(pc, _)| pc)
    }

    /// Returns every hardware loop whose body the bundle is in, the outermost first: the address of the `do`, and the body.
    pub fn bodies(
        &self,
        address: BundleAddress,
    ) -> impl Iterator<Item = (BundleAddress, Body)> + '_ {
        self.loops.iter().filter(move |(_, body)| body.contains(address)).copied()
    }

    /// Returns the numbers of characters of the longest names, so that a table can leave room for them: of labels with their
    /// distances, and of lines.
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
