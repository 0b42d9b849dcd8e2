//! C0507: use of a bank of local memory while the DMA may use it, as the source says.

use super::finding::Finding;
use super::flow::Graph;
use super::program::Decoded;
use super::trace::Trace;
use cp2_isa::Unit;

/// The findings of an image.
pub(super) fn findings(graph: &Graph<'_>, trace: &Trace) -> Vec<Finding> {
    let program = graph.program;
    let marks = program.image.hints.dma_banks.iter();
    marks
        .filter_map(|(&address, &owned)| {
            let decoded = program.get(address)?;
            let unit = decoded.bundle.exch.op.row().unit;
            let is_access = matches!(unit, Unit::Load | Unit::Store);
            (is_access && graph.is_reached(address)).then_some(())?;
            clash(address, decoded, owned & 3, trace)
        })
        .collect()
}

fn clash(address: u16, decoded: &Decoded, owned: u8, trace: &Trace) -> Option<Finding> {
    let exch = &decoded.bundle.exch;
    let verb = if exch.op.row().unit == Unit::Load { "reads" } else { "writes" };
    let finding = |what: String| {
        let text = format!("`{exch}` {verb} {what} while the DMA may use it");
        Finding::new("C0507", address, text)
            .label("the DMA waits a cycle for each such access, and the data may be half moved")
    };
    if owned == 3 {
        let help = "wait for the DMA (`check_dma`), then mark the code `.dmabank none`";
        return Some(finding("local memory".into()).help(help));
    }
    let banks = trace.banks.get(&address)?;
    let bank = [0, 1].into_iter().find(|&bank| owned & 1 << bank != 0 && banks[bank].is_some())?;
    let word = match banks[bank]? {
        Some(word) => format!("word {word} of bank {bank}"),
        None => format!("bank {bank}"),
    };
    let other = 1 - bank;
    Some(finding(word).help(format!(
        "work in bank {other}, or let the DMA use bank {other} here and mark it `.dmabank {other}`"
    )))
}
