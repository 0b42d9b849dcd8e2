use cp2_isa::{Core, CoreNumbers, Extensions};
use cp2_kernels::recursion::*;
use cp2_recursion::tasks::*;
use cp2_session::execution::Execution;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let fprs: u32 = a[2].parse().unwrap();
    let ext = if a[3] == "own" { Extensions::SECTION_ADDRESSING } else { Extensions::empty() };
    let core = Core::new(CoreNumbers { extensions: ext, fprs, ..*Core::CP2.numbers() }).unwrap();
    let on = Execution { max_cycles: Some(1 << 40), ..Execution::on(core) };
    let task = match a[1].as_str() {
        "q107" => AnyTask::Queens(Queens::new(10, 7).unwrap()),
        "q88" => AnyTask::Queens(Queens::new(8, 8).unwrap()),
        "q127" => AnyTask::Queens(Queens::new(12, 7).unwrap()),
        _ => AnyTask::Fibonacci(Fibonacci(15)),
    };
    let t = std::time::Instant::now();
    let s = LaneSearch::chosen(&task, PlanWishes::default(), (&on.environment, &core)).unwrap();
    println!("{:?} {:?}", s.choice(), t.elapsed());
}
