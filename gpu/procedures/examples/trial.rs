//! Trial.
use cp2_gpu::GpuArgument::*;
use cp2_gpu::*;
use cp2_gpu_procedures::cg::*;
use cp2_gpu_procedures::ft::*;
use cp2_gpu_procedures::kernels::*;
use cp2_gpu_procedures::mg::*;
use cp2_gpu_procedures::timing::*;
use cp2_kernels::sparse::matrices::{CgClass, npb_cg_rows};
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::spatial::npb::Class as FtClass;
fn mg(gpu: &Gpu, name: &str, limit: usize, rate: f64) {
    let environment = cp2_session::Environment::new();
    let class = Class::NPB.into_iter().find(|c| c.name() == name).unwrap();
    let mut n = class.points();
    let mut shapes = GroupShapes::default();
    while n >= 8 {
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
fn cg(gpu: &Gpu, name: &str, step: usize) {
    let class = CgClass::NPB.into_iter().find(|c| c.0 == name).unwrap().1;
    let begin = std::time::Instant::now();
    let matrix = npb_cg_rows(class);
    let nz = matrix.values.len();
    println!("CG {name} nonzeros {nz} made in {:?}", begin.elapsed());
    if std::env::args().nth(4).is_some() {
        let bytes = |v: Vec<[u8; 4]>| v.concat();
        std::fs::write("/tmp/cg.ptr", bytes(matrix.starts.iter().map(|&x| (x as i32).to_le_bytes()).collect())).unwrap();
        std::fs::write("/tmp/cg.col", bytes(matrix.columns.iter().map(|&x| x.to_le_bytes()).collect())).unwrap();
        std::fs::write("/tmp/cg.val", matrix.values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    }
    let mut best = (f64::MAX, ProductShape::default());
    let n = class.order;
    for window in [1, n] {
        let mut best_here = (f64::MAX, ProductShape::default());
        for h in [1, 4, 8, 16, 32, 64, 128] {
            let packed = SlicedEll::new(&matrix, h, window).unwrap();
            let first = ProductShape { h, r: 1, slices: 256 / h, unroll: 4, window };
            let x = gpu.buffer_of(&vec![1.0; n]).unwrap();
            let y = gpu.buffer::<f64>(n).unwrap();
            let kernels = BuiltKernels::new(gpu.clone());
            let mut product = SlicedProduct::new(gpu, &packed, first).unwrap();
            let mut best_h = (f64::MAX, first);
            for shape in candidates(gpu, n, &[window]).into_iter().filter(|s| s.h == h).step_by(step) {
                product.reshape(gpu, shape).unwrap();
                let t = match seconds(gpu, [3, 3], &mut || product.multiply(&kernels, [&x, &y])) {
                    Ok(t) => t,
                    Err(GpuError::Call { .. }) => continue,
                    Err(e) => panic!("{e}"),
                };
                if t < best_h.0 {
                    best_h = (t, shape);
                }
            }
            println!("  window {window} H {h} padding {:.4} best {:?} {:.1} us {:.1} GB/s of 12 bytes", packed.values.len() as f64 / nz as f64, best_h.1, best_h.0 * 1e6, 12e-9 * nz as f64 / best_h.0);
            if best_h.0 < best_here.0 {
                best_here = best_h;
            }
        }
        if best_here.0 < best.0 {
            best = best_here;
        }
    }
    for (h, w, r) in [(32, 4096, 4), (64, 4096, 4), (128, 4096, 4), (128, 4096, 8), (128, 2048, 8)] {
        let packed = FramedEll::new(&matrix, h, w).unwrap();
        let x = gpu.buffer_of(&vec![1.0; n]).unwrap();
        let y = gpu.buffer::<f64>(n).unwrap();
        let kernels = BuiltKernels::new(gpu.clone());
        let product = FramedProduct::new(gpu, &packed, r).unwrap();
        let t = seconds(gpu, [3, 3], &mut || product.multiply(&kernels, [&x, &y])).unwrap_or_else(|e| panic!("{e}"));
        println!("  framed {h} {w} {r} padding {:.4} {:.1} us", packed.values.len() as f64 / nz as f64, t * 1e6);
    }
    let run = CgRun::new(gpu, class, &matrix, best.1).unwrap();
    let spmv = seconds(gpu, [10, 5], &mut || run.multiply()).unwrap();
    let mut all = Vec::new();
    let mut zeta = 0.0;
    for _ in 0..6 {
        let (z, rest, s) = run.run().unwrap_or_else(|e| panic!("{e}"));
        zeta = z;
        all.push(s);
        if all.len() == 1 {
            println!("CG {name} zeta {z} {:e} rest {rest:e}", z / class.zeta - 1.0);
        }
    }
    let s = median(&mut all);
    println!("CG {name} {zeta} {:?}: {s} s {:.2} GOPS; SpMV {:.1} us {:.2} GOPS; share {:.1} %", best.1, operations(&class) / s * 1e-9, spmv * 1e6, 2e-9 * nz as f64 / spmv, 100.0 * operations(&class) / s / (2.0 * nz as f64 / spmv));
}
fn ft(gpu: &Gpu, name: &str, rate: f64) {
    let class = FtClass::NPB.into_iter().find(|c| c.name() == name).unwrap();
    let sizes = class.sizes();
    let pass = 32e-9 * sizes.points() as f64 / rate;
    let mut shapes = LineShapes::default();
    let mut run = FtRun::new(gpu, class, shapes).unwrap();
    let a = gpu.buffer::<[f64; 2]>(sizes.points()).unwrap();
    let [n1, n2, n3] = sizes.0;
    for axis in 0..3 {
        let inner = [1, n1, n1 * n2][axis];
        let mut best = (f64::MAX, 0);
        for columns in [1, 2, 4, 8, 16] {
            run.transforms.shapes.0[axis] = columns;
            let lines = sizes.points() / [n1, n2, n3][axis];
            match seconds(gpu, [5, 3], &mut || run.transforms.along(axis, [lines, inner], [&a, &a], false, None, &[]).map(drop)) {
                Ok(t) => {
                    println!("FT {name} axis {axis} columns {columns}: {:.1} us {:.3} passes", t * 1e6, t / pass);
                    if t < best.0 { best = (t, columns); }
                }
                Err(e) => println!("FT {name} axis {axis} columns {columns}: {e}"),
            }
        }
        shapes.0[axis] = best.1;
        run.transforms.shapes.0[axis] = best.1;
    }
    let mut all = Vec::new();
    for k in 0..6 {
        run.start().unwrap();
        let (sums, s) = run.run().unwrap_or_else(|e| panic!("{e}"));
        all.push(s);
        if k == 0 { println!("FT {name} deviation {:e}", deviation(class, &sums)); }
    }
    all.remove(0);
    let s = median(&mut all);
    let one = seconds(gpu, [10, 3], &mut || run.iteration(0)).unwrap();
    println!("FT {name} {shapes:?} {s} s {:.1} GOPS; an iteration {:.3} ms, {:.3} passes", class.operations_of_npb() / s * 1e-9, one * 1e3, one / pass);
}
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let name = std::env::args().nth(2).unwrap();
    let limit: usize = std::env::args().nth(3).map_or(10, |a| a.parse().unwrap());
    let gpus = Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 }).unwrap();
    let gpu = &gpus[0];
    // Copy rate
    let pairs = if gpu.info().units > 8 { 1 << 26 } else { 1 << 20 };
    let built = BuiltKernels::new(gpu.clone());
    let copy = built.get(NORM, "copy", &[("ITEMS", 256)]).unwrap();
    let (a, b) = (gpu.buffer::<[f64; 2]>(pairs).unwrap(), gpu.buffer::<[f64; 2]>(pairs).unwrap());
    let mut rate = 0.0f64;
    for groups in [1024, 65536, 262144] {
        let t = seconds(gpu, [10, 5], &mut || gpu.launch(&copy, [&[groups * 256], &[256]], &[Int(pairs as i32), Pairs(&a), Pairs(&b)], &[]).map(drop)).unwrap();
        rate = rate.max(32e-9 * pairs as f64 / t);
    }
    println!("copy {rate:.1} GB/s");
    drop((a, b));
    match what.as_str() {
        "mg" => mg(gpu, &name, limit, rate),
        "cg" => cg(gpu, &name, limit),
        _ => ft(gpu, &name, rate),
    }
}
