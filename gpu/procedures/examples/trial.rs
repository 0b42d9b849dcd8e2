//! Trial.
use cp2_gpu::GpuArgument::*;
use cp2_gpu::*;
use cp2_gpu_procedures::kernels::*;
use cp2_gpu_procedures::mg::*;
use cp2_gpu_procedures::timing::*;
use cp2_procedures::multigrid::npb::Class;
fn main() {
    let name = std::env::args().nth(1).unwrap_or("S".into());
    let limit: usize = std::env::args().nth(2).map_or(10, |a| a.parse().unwrap());
    println!("{:?}", GpuInfo::all().unwrap());
    let gpus = Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap();
    let gpu = &gpus[0];
    let environment = cp2_session::Environment::new();
    let class = Class::NPB.into_iter().find(|c| c.name() == name).unwrap();
    let mut n = class.points();
    // Copy rate
    let pairs = n * n * n / 2;
    let built = BuiltKernels::new(gpu.clone());
    let copy = built.get(NORM, "copy", &[("ITEMS", 256)]).unwrap();
    let (a, b) = (gpu.buffer::<[f64; 2]>(pairs).unwrap(), gpu.buffer::<[f64; 2]>(pairs).unwrap());
    let mut rate = 0.0f64;
    for groups in [1056, 4224, 16896, 65536] {
        let t = seconds(gpu, [10, 5], &mut || gpu.launch(&copy, [&[groups * 256], &[256]], &[Int(pairs as i32), Pairs(&a), Pairs(&b)], &[]).map(drop)).unwrap();
        println!("copy {groups} {:.1} GB/s", 32e-9 * pairs as f64 / t);
        rate = rate.max(32e-9 * pairs as f64 / t);
    }
    drop((a, b));
    let mut shapes = GroupShapes::default();
    while n >= 32 {
        let begin = std::time::Instant::now();
        let mut trial = GridTrial::new(gpu, n).unwrap();
        for kernel in SEARCHED {
            let all = trial.candidates(kernel).len();
            let (shape, time) = trial.search(kernel, if n == class.points() { limit } else { limit / 4 + 1 }).unwrap_or_else(|e| panic!("{e}"));
            let gb = trial.bytes(kernel) / time * 1e-9;
            println!("{n} {kernel} {} {} {} {} of {all}: {:.1} us {gb:.1} GB/s {:.1} %", shape.m1, shape.m2, shape.r, shape.depth, time * 1e6, 100.0 * gb / rate);
            shapes.0.insert((kernel.to_owned(), trial.key(kernel)), shape);
        }
        println!("  searched {:?}", begin.elapsed());
        n /= 2;
    }
    for form in [MgForm::Plain, MgForm::Fused] {
        let mut run = MgRun::new(gpu, class, form, shapes.clone(), &environment).unwrap_or_else(|e| panic!("{e}"));
        let mut all = Vec::new();
        for _ in 0..11 {
            let (norm, s) = run.run().unwrap_or_else(|e| panic!("{e}"));
            all.push(s);
            if all.len() == 1 {
                println!("{class} {form:?} {norm:e} {:e}", norm / class.norm() - 1.0);
            }
        }
        all.remove(0);
        let s = median(&mut all);
        let words = 12.25 + (8.25 / 8.0) / (1.0 - 1.0 / 8.0);
        let bytes = words * 8.0 * (class.points() as f64).powi(3) * class.iterations() as f64;
        println!("{class} {form:?} {s} s, {:.1} GOPS, {:.1} % of the plain bound", class.operations() as f64 / s * 1e-9, 100.0 * bytes / s * 1e-9 / rate);
    }
}
