//! C0507: use of a bank of local memory while the DMA may use it, as the source says.

use super::finding::Finding;
use super::flow::Graph;
use super::program::Decoded;
use super::trace::Trace;
use cp2_isa::{BundleAddress, Core};

/// Returns the findings of an image.
pub(super) fn findings(graph: &Graph<'_>, trace: &Trace) -> Vec<Finding> {
    let program = graph.program;
    let marks = program.image.hints.dma_banks.iter();
    marks
        .filter_map(|(&address, &owned)| {
            let decoded = program.get(address)?;
            let access = decoded.bundle.exch.memory_access()?;
            graph.is_reached(address).then_some(())?;
            clash(&program.core, address, (decoded, access.is_store), (owned, trace))
        })
        .collect()
}

fn clash(
    core: &Core,
    address: BundleAddress,
    (decoded, is_store): (&Decoded, bool),
    (owned, trace): (u8, &Trace),
) -> Option<Finding> {
    let exch = &decoded.bundle.exch;
    let verb = if is_store { "writes" } else { "reads" };
    let finding = |what: String| {
        let text = format!("`{exch}` {verb} {what} while the DMA may use it");
        Finding::new("C0507", address, text)
            .label("the DMA waits a cycle for each such access, and the data may be half moved")
    };
    if owned == core.bank_mask() {
        let help = "wait for the DMA (`check_dma`), then mark the code `.dmabank none`";
        return Some(finding("local memory".into()).help(help));
    }
    let mut reached = trace.banks.get(&address)?.iter();
    let (bank, word) = reached.find(|(bank, _)| owned >> bank.0 & 1 == 1)?;
    let what = match word {
        Some(word) => format!("word {word} of bank {bank}"),
        None => format!("bank {bank}"),
    };
    let other = (0..core.banks()).find(|&bank| owned >> bank & 1 == 0)?;
    Some(finding(what).help(format!(
        "work in bank {other}, or let the DMA use bank {other} here and mark it `.dmabank {other}`"
    )))
}
