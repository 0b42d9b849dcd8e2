//! Trial.
use cp2_gpu::*;
use cp2_gpu_procedures::mg::*;
use cp2_procedures::multigrid::npb::Class;
fn main() {
    for info in GpuInfo::all().unwrap() { println!("{info:?}"); }
    let gpus = Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap();
    let environment = cp2_session::Environment::new();
    let class = Class::from_name(&std::env::args().nth(1).unwrap_or("S".into())).unwrap();
    let run = MgRun::new(&gpus[0], class, MgForm::Plain, GroupShapes::default(), &environment).unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..3 {
    let (norm, s) = run.run().unwrap_or_else(|e| panic!("{e}"));
    println!("{class} {norm:e} {:e} {s}", norm / class.norm() - 1.0);
    }
}
