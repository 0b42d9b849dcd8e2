//! Certificates of schedules from files, and what is told when one is for no loop of a program, or is not used.

use crate::args::KnownFiles;
use crate::input::program;
use crate::process::exit::{Outcome, bad_input, complain};
use crate::storage::files;
use cp2_asm::Scheduled;
use cp2_asm::sched::{Certificate, KnownSchedules, mismatch, read_certificates};
use cp2_isa::Core;
use std::path::Path;

/// Reads the certificates of a file.
pub(crate) fn read(path: &Path) -> Outcome<Vec<Certificate>> {
    let name = program::name_of(path);
    let text = program::utf8(&name, files::read(path)?)?;
    read_certificates(&text).map_err(|error| {
        let advice = "`cp2 sched SOURCE --exact --save FILE` writes one anew";
        bad_input(format!("{name}:{}: {}; {advice}", error.line, error.message))
    })
}

/// Returns the certificates that the arguments name, or none but those that come with the scheduler.
pub(crate) fn known(arguments: &KnownFiles) -> Outcome<KnownSchedules> {
    let mut all = Vec::new();
    for path in &arguments.certificate {
        all.extend(read(path)?);
    }
    let known = KnownSchedules::new(all);
    Ok(if arguments.anew { known.without_shipped() } else { known })
}

/// Warns of certificates that are for no loop of these regions, or whose schedule no loop has taken.
pub(crate) fn warn_of_unused(
    core: &Core,
    regions: &[Scheduled],
    known: &KnownSchedules,
) -> Outcome<()> {
    for certificate in known.given() {
        let mut nearest = None;
        let mut is_for_one = false;
        for scheduled in regions {
            let found = mismatch(core, &scheduled.region, certificate);
            match found.map_err(|trouble| bad_input(trouble.message))? {
                None => is_for_one = true,
                Some(what) if nearest.is_none() || scheduled.region.name == certificate.name => {
                    nearest = Some(what);
                }
                Some(_) => {}
            }
        }
        let ii = certificate.ii();
        let blocks = regions.iter().flat_map(|scheduled| &scheduled.report.blocks);
        let has_ii = blocks.filter_map(|block| block.ii).any(|found| found <= ii);
        let name = &certificate.name;
        if !is_for_one {
            let what = nearest.unwrap_or_else(|| "there is no linear region".to_owned());
            complain(format!(
                "cp2: warning: the certificate of `{name}` (interval {ii}) is for no loop of this source, so its loops are searched: {what}; `cp2 sched SOURCE --exact --save FILE` makes it anew"
            ));
        } else if !has_ii {
            complain(format!(
                "cp2: warning: the certificate of `{name}` (interval {ii}) is for a loop of this source, but is no schedule of it here: count, registers or dependences do not allow it; the loop is searched"
            ));
        }
    }
    Ok(())
}
