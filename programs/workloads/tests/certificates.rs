//! The certificates that come with the scheduler: each has to be for the loop of the kernel that it is named after, to win over the
//! search, and to make no better core slower.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_asm::check::check;
use cp2_asm::linear::Region;
use cp2_asm::linear_regions;
use cp2_asm::sched::{
    Certificate, KnownSchedules, RegionReport, mismatch, read_certificates, schedule_knowing,
    shipped_certificates,
};
use cp2_isa::{Core, CoreNumbers};
use cp2_kernels::multigrid::page_routines;
use cp2_session::workload::Platform;
use cp2_workloads::catalogue;

/// Returns the certificates of a kernel, with the regions of its source.
fn shipped((kernel, text): (&str, &str)) -> (Vec<Certificate>, Vec<Region>) {
    let again = again(kernel);
    let certificates = read_certificates(text).unwrap_or_else(|error| {
        panic!("the certificates of kernel {kernel} are damaged: {error}; {again}")
    });
    let source = page_routines(&Core::CP2, kernel).unwrap_or_else(|| {
        let workload = catalogue::find(Platform::Cp2, kernel);
        let workload = workload.unwrap_or_else(|| {
            panic!("there are certificates of kernel {kernel}, which is none; {again}")
        });
        workload.source(&Core::CP2).unwrap()
    });
    let regions = linear_regions(&format!("{kernel}.s"), &source).unwrap();
    (certificates, regions.into_iter().map(|scheduled| scheduled.region).collect())
}

fn again(kernel: &str) -> String {
    format!("`cargo xtask bless schedules` makes assembler/sched/solved/{kernel}.schedule anew")
}

fn scheduled(core: &Core, region: &Region, known: &KnownSchedules) -> RegionReport {
    let (bundles, report) = schedule_knowing(core, region, known).unwrap();
    assert_eq!(check(core, region, &bundles), Ok(()));
    report
}

/// Returns the cycles of a region, with counts of 64 in all registers.
fn cycles(report: &RegionReport) -> i64 {
    report.cost.cycles(&[64; 16])
}

#[test]
fn every_certificate_is_for_its_kernel_and_wins_over_the_search() {
    assert!(!shipped_certificates().is_empty());
    let faults: Vec<String> =
        shipped_certificates().iter().flat_map(|&certificate| faults(certificate)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns what is wrong with the certificates of a kernel.
fn faults((kernel, text): (&str, &str)) -> Vec<String> {
    let (certificates, regions) = shipped((kernel, text));
    let core = Core::CP2;
    let mut faults = Vec::new();
    for certificate in &certificates {
        let found: Vec<_> =
            regions.iter().map(|r| mismatch(&core, r, certificate).unwrap()).collect();
        if found.iter().all(Option::is_some) {
            let what = found.into_iter().flatten().next().unwrap_or_default();
            let again = again(kernel);
            faults.push(format!(
                "the certificate of kernel {kernel} (interval {}) is for none of its loops any more: {what}; {again}",
                certificate.ii()
            ));
        }
    }
    let mut n_shorter = 0;
    for region in &regions {
        let with = scheduled(&core, region, &KnownSchedules::default());
        let searched = scheduled(&core, region, &KnownSchedules::default().without_shipped());
        if cycles(&with) > cycles(&searched) {
            faults.push(format!(
                "kernel {kernel} takes {} cycles with its certificate, and {} as it is searched now; {}",
                with.cost,
                searched.cost,
                again(kernel)
            ));
        }
        n_shorter += usize::from(cycles(&with) < cycles(&searched));
        println!("{kernel}: {} cycles, searched {}", with.cost, searched.cost);
    }
    if faults.is_empty() && n_shorter == 0 {
        faults.push(format!("the certificates of kernel {kernel} win nothing: remove them"));
    }
    faults
}

#[test]
fn a_certificate_makes_no_kernel_longer_on_a_better_core() {
    let numbers = *Core::CP2.numbers();
    let better = [
        CoreNumbers { arithmetic_latency: 7, ..numbers },
        CoreNumbers { load_latency: 2, ..numbers },
        CoreNumbers { psprmsgn_latency: 2, ..numbers },
        CoreNumbers { fprs: 128, ..numbers },
    ];
    let mut n_shorter = 0;
    for &(kernel, text) in shipped_certificates() {
        for region in shipped((kernel, text)).1 {
            for numbers in better {
                let core = Core::new(numbers).unwrap();
                let known = KnownSchedules::default();
                let found = cycles(&scheduled(&core, &region, &known));
                let searched = cycles(&scheduled(&core, &region, &known.without_shipped()));
                assert!(found <= searched, "{kernel}: {found}, searched {searched}: {numbers:?}");
                n_shorter += usize::from(found < searched);
            }
        }
    }
    assert!(n_shorter > 0, "no certificate serves a better core");
}
