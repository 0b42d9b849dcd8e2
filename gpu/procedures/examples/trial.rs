//! Trial.
use cp2_gpu::*;
use cp2_gpu_procedures::mg::*;
use cp2_procedures::multigrid::npb::Class;
fn main() {
    let gpus = Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap();
    let environment = cp2_session::Environment::new();
    let name = std::env::args().nth(1).unwrap_or("S".into());
    let class = Class::NPB.into_iter().find(|c| c.name() == name).unwrap();
    for form in [MgForm::Plain, MgForm::Fused] {
    let mut run = MgRun::new(&gpus[0], class, form, GroupShapes::default(), &environment).unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..3 {
    let (norm, s) = run.run().unwrap_or_else(|e| panic!("{e}"));
    println!("{class} {form:?} {norm:e} {:e} {s}", norm / class.norm() - 1.0);
    }
    }
}
