//! Measures how many points of a sweep one core does in a second: `points NAME [MACHINE|-] [VECTORS]`. Programs, references
//! and engines are kept from point to point, as threads of `cp2 sweep` do.

use cp2_emu::MachineConfig;
use cp2_lab::recorded::Subject;
use cp2_session::Environment;
use cp2_session::reuse::Shelf;
use cp2_session::workload::{OptionValue, Platform, Request};
use cp2_workloads::catalogue;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let config = args.get(2).and_then(|name| MachineConfig::preset(name));
    let platform = if config.is_some() { Platform::Machine } else { Platform::Cp2 };
    let core = config.as_ref().map_or(cp2_isa::Core::CP2, |config| *config.core());
    let mut subject = Subject::named(&args[1], config, core).expect("a workload");
    if let Some(n) = args.get(3) {
        subject.values.set("vectors", OptionValue::Number(n.parse().expect("a number")));
    }
    let workload = catalogue::find(platform, &args[1]).expect("a workload");
    let shelf = Arc::new(Shelf::default());
    let begin = Instant::now();
    let mut n = 0;
    let environment = Environment::new().reusing(&shelf);
    while begin.elapsed().as_secs_f64() < 3.0 {
        let request = Request { environment: environment.clone(), ..subject.request() };
        let tally = workload.tally(request);
        assert!(tally.expect("a run").verdict.complaint.is_none());
        n += 1;
    }
    println!("{:.1} points a second", f64::from(n) / begin.elapsed().as_secs_f64());
}
