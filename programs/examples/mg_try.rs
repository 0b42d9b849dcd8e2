//! try
use cp2_programs::engine::Execution;
use cp2_programs::host::multigrid::{npb::*, reference::*, run};
use cp2_programs::multigrid::Operator;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let class = Class::from_name(&args[1]).unwrap();
    let config = cp2_emu::MachineConfig::preset(&args[2]).unwrap();
    let n = class.points();
    let t = std::time::Instant::now();
    let report = run(config, class, Execution::default(), &mut |_| {}).unwrap();
    println!("run {:?} cycles {} pages {} mops {}", t.elapsed(), report.cost.cycles(), report.cost.pages, report.cost.rate_mops());
    println!("{:?}", report.cost.kernels);
    println!("{}", report.cost.bounds().channel_mops());
    let t = std::time::Instant::now();
    let s: Solved<f32> = solve(&charges(n), n, if class == Class::B { Operator::S_LARGE } else { Operator::S_SMALL }, class.iterations());
    println!("ref {:?}", t.elapsed());
    let d = s.r.iter().zip(&report.residual).map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
    println!("norm {} ref {} npb {} max diff {d} umax {}", norm(&report.residual), norm(&s.r), class.norm(), s.u.iter().fold(0f32, |a, b| a.max(b.abs())));
    println!("{:#?}", report.cost.timeline);
}
