//! Whole runs of the smallest classes against the values of NPB, on one device and on several.

use super::devices;
use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_procedures::cg::{
    CgParts, CgRows, CgRun, FramedShape, NamedMatrix, ProductFormat, ProductShape,
};
use cp2_gpu_procedures::choices::DeviceChoices;
use cp2_gpu_procedures::ft::{FtRun, LineShapes, PagedFt, Transforms, deviation};
use cp2_gpu_procedures::kernels::BuiltKernels;
use cp2_gpu_procedures::mg::{Exchange, GroupShape, GroupShapes, MgForm, MgParts, MgRun, SEARCHED};
use cp2_gpu_procedures::run::{GpuRunPlan, run_matrix};
use cp2_kernels::sparse::matrices::{CLASS_S, CgClass, npb_cg_rows};
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::spatial::npb::Class as FtClass;
use cp2_session::Environment;
use cp2_session::sparse::market::MarketDoubles;

/// Tolerances of NPB.
const MG: f64 = 1e-8;
const CG: f64 = 1e-10;
const FT: f64 = 1e-12;

/// Relative deviation.
fn off(value: f64, published: f64) -> f64 {
    (value / published - 1.0).abs()
}

/// Numbers of devices among which runs are shared out: 2, and 4 and 8 where there are so many.
fn several() -> Vec<usize> {
    let all = cp2_gpu::GpuInfo::all().map_or(0, |all| all.len());
    [2, 4, 8].into_iter().filter(|&count| count == 2 || count <= all).collect()
}

/// Shapes of one form for all kernels of a grid of 32 points.
fn shapes(shape: GroupShape) -> GroupShapes {
    let sizes = [2, 4, 8, 16, 32];
    let all = SEARCHED.iter().flat_map(|kernel| sizes.map(|n| ((*kernel).to_owned(), n)));
    GroupShapes(all.map(|key| (key, shape)).collect())
}

#[test]
fn multigrid_has_the_norm_of_npb_in_both_forms_and_all_shapes() {
    let gpu = &devices(1)[0];
    let environment = Environment::new();
    let some = [
        GroupShape { m1: 32, m2: 8, r: 2, depth: 4 },
        GroupShape { m1: 8, m2: 16, r: 4, depth: 32 },
        GroupShape { m1: 4, m2: 4, r: 1, depth: 2 },
    ];
    for form in [MgForm::Plain, MgForm::Fused] {
        for shapes in std::iter::once(GroupShapes::default()).chain(some.map(shapes)) {
            let mut run = MgRun::new(gpu, Class::S, form, shapes.clone(), &environment).unwrap();
            for _ in 0..2 {
                let (norm, _) = run.run().unwrap();
                assert!(off(norm, Class::S.norm()) < MG, "{form:?} {shapes:?}: {norm}");
            }
        }
    }
}

#[test]
fn multigrid_on_several_devices_has_the_same_norm() {
    let (environment, shapes) = (Environment::new(), GroupShapes::default());
    for count in several() {
        let gpus = devices(count);
        let kernels = BuiltKernels::new(gpus[0].clone());
        for least in [2, 8] {
            let run =
                MgParts::new(&kernels, &gpus, (Class::S, least), &shapes, &environment).unwrap();
            for exchange in [Exchange::Synchronous, Exchange::Overlapped, Exchange::Direct] {
                let (norm, _) = run.run(exchange).unwrap();
                assert!(off(norm, Class::S.norm()) < 1e-11, "{count} {exchange:?} {least}: {norm}");
            }
            let (norm, _) = run.run(Exchange::Left).unwrap();
            assert!(
                norm.is_nan() || off(norm, Class::S.norm()) > MG,
                "no exchange was needed: {norm}"
            );
            assert!(run.exchange_seconds().unwrap().0 > 0.0);
        }
    }
}

#[test]
fn a_device_that_is_named_twice_serves_as_two() {
    let gpus = Gpu::open(&GpuChoice { numbers: vec![0, 0], parts: 1 }).unwrap();
    let kernels = BuiltKernels::new(gpus[0].clone());
    let shapes = GroupShapes::default();
    let run = MgParts::new(&kernels, &gpus, (Class::S, 4), &shapes, &Environment::new()).unwrap();
    let (norm, _) = run.run(Exchange::Overlapped).unwrap();
    assert!(off(norm, Class::S.norm()) < 1e-11, "{norm}");
}

/// Blocks that are large enough to have inner points along all three axes.
#[test]
fn multigrid_of_three_cut_axes_exchanges_beside_inner_points() {
    if !several().contains(&8) {
        return;
    }
    let gpus = devices(8);
    let kernels = BuiltKernels::new(gpus[0].clone());
    let shapes = GroupShapes::default();
    let run = MgParts::new(&kernels, &gpus, (Class::W, 8), &shapes, &Environment::new()).unwrap();
    for exchange in [Exchange::Overlapped, Exchange::Synchronous] {
        let (norm, _) = run.run(exchange).unwrap();
        assert!(off(norm, Class::W.norm()) < 1e-11, "{exchange:?}: {norm}");
    }
}

#[test]
fn gradients_have_the_zeta_of_npb() {
    let gpu = &devices(1)[0];
    let matrix = npb_cg_rows(CLASS_S);
    for shape in [
        ProductShape::default(),
        ProductShape { h: 4, r: 4, slices: 4, unroll: 1, window: 1 },
        ProductShape { h: 64, r: 2, slices: 2, unroll: 4, window: 1400 },
        ProductShape { h: 1, r: 16, slices: 8, unroll: 2, window: 64 },
    ] {
        let run = CgRun::new(gpu, CLASS_S, &matrix, shape).unwrap();
        let (zeta, rest, _) = run.run().unwrap();
        assert!(off(zeta, CLASS_S.zeta) < CG, "{shape:?}: {zeta}");
        assert!(rest < 1e-12, "{shape:?}: {rest}");
    }
    let framed = FramedShape { h: 64, w: 512, r: 2 };
    let (zeta, rest, _) = CgRun::new(gpu, CLASS_S, &matrix, framed).unwrap().run().unwrap();
    assert!(off(zeta, CLASS_S.zeta) < CG && rest < 1e-12, "{framed:?}: {zeta} {rest}");
}

#[test]
fn matrices_of_users_are_multiplied_by_and_solved_with() {
    let gpus = devices(2);
    let choices = DeviceChoices::default();
    let stencil = |n: usize, centre: f64| {
        let mut entries = Vec::new();
        for k in 0..n {
            entries.extend([(k, (k + n - 1) % n, -1.0), (k, k, centre), (k, (k + 1) % n, -1.0)]);
        }
        entries.sort_by_key(|entry| (entry.0, entry.1));
        NamedMatrix::of_market(&MarketDoubles { rows: n, columns: n, entries })
    };
    let plan = |format| GpuRunPlan { is_fused: false, pages: None, format, runs: 1 };
    for format in [ProductFormat::Sliced, ProductFormat::Framed] {
        for count in [1, 2] {
            let report =
                run_matrix(&gpus[..count], &stencil(777, 3.0), plan(format), &choices).unwrap();
            assert_eq!(report.is_verified, Some(true), "{}", report.text());
            assert!(report.get("rest").unwrap() < 1e-6, "{}", report.text());
            assert_eq!(report.get("nonzeros"), Some(3.0 * 777.0));
        }
    }
    // With 2 on the diagonal the product with ones is 0, by which the first step divides.
    let report = run_matrix(&gpus[..1], &stencil(6, 2.0), plan(ProductFormat::Sliced), &choices);
    let report = report.unwrap();
    assert!(report.text().contains("not positive definite"), "{}", report.text());
    assert_eq!(report.is_verified, Some(true), "{}", report.text());
    let entries = vec![(0, 0, 2.0), (0, 4, 3.0), (1, 2, -1.0)];
    let wide = NamedMatrix::of_market(&MarketDoubles { rows: 2, columns: 5, entries });
    let report = run_matrix(&gpus[..1], &wide, plan(ProductFormat::Sliced), &choices).unwrap();
    assert_eq!(report.is_verified, Some(true), "{}", report.text());
    let refused = run_matrix(&gpus[..1], &wide, plan(ProductFormat::Framed), &choices);
    assert!(refused.unwrap_err().to_string().contains("2 x 5 is not square"));
}

#[test]
fn formats_are_searched_and_kept_by_the_name_of_the_matrix() {
    let gpu = &devices(1)[0];
    let entries = (0..64).map(|k| (k, (7 * k) % 64, 1.5)).collect();
    let matrix = NamedMatrix::of_market(&MarketDoubles { rows: 64, columns: 64, entries });
    let mut choices = DeviceChoices::search_product(gpu, &matrix, ProductFormat::Framed).unwrap();
    assert!(choices.framed(&matrix.name).is_some(), "{}", choices.text());
    assert_eq!(choices.product(&matrix.name), None);
    let read = DeviceChoices::parse(&choices.text()).unwrap();
    assert_eq!(read.framed(&matrix.name), choices.framed(&matrix.name));
    choices.extend(read.clone());
    assert_eq!(choices, read);
}

#[test]
fn gradients_on_several_devices_have_the_zeta_of_npb() {
    let matrix = npb_cg_rows(CLASS_S);
    for count in [vec![1], several()].concat() {
        for window in [1, 1400] {
            let shape = ProductShape { window, ..ProductShape::default() };
            let mut run = CgParts::new(&devices(count), CLASS_S, &matrix, shape).unwrap();
            let (zeta, rest, _) = run.run().unwrap();
            assert!(off(zeta, CLASS_S.zeta) < CG && rest < 1e-12, "{count}: {zeta} {rest}");
            let run = CgRows::new(&devices(count), CLASS_S, &matrix, shape).unwrap();
            for _ in 0..2 {
                let (zeta, rest, _) = run.run().unwrap();
                assert!(off(zeta, CLASS_S.zeta) < CG && rest < 1e-12, "{count}: {zeta} {rest}");
            }
        }
        let framed = FramedShape::default();
        let run = CgRows::new(&devices(count), CLASS_S, &matrix, framed).unwrap();
        let (zeta, rest, _) = run.run().unwrap();
        assert!(off(zeta, CLASS_S.zeta) < CG && rest < 1e-12, "{count}: {zeta} {rest}");
    }
}

/// Deviation of the transform of a one among zeros, there and back again, from what it is by definition.
fn off_of_one(sizes: [usize; 3], lines: usize) -> f64 {
    let gpu = &devices(1)[0];
    let [x, y, z] = sizes;
    let points = x * y * z;
    let one = [3, 5, 7];
    let mut numbers = vec![[0.0; 2]; points];
    numbers[(one[2] * y + one[1]) * x + one[0]][0] = 1.0;
    let array = gpu.buffer_of(&numbers).unwrap();
    let transforms = Transforms::new(gpu, sizes, LineShapes([lines; 3])).unwrap();
    let mut found = vec![[0.0; 2]; points];
    transforms.whole([&array, &array], false, None).unwrap();
    gpu.read(&array, 0, &mut found).unwrap();
    let mut worst = 0.0_f64;
    for (at, value) in found.iter().enumerate() {
        let place = [at % x, at / x % y, at / x / y];
        let turns: f64 =
            (0..3).map(|axis| (place[axis] * one[axis]) as f64 / sizes[axis] as f64).sum();
        let (sine, cosine) = (-std::f64::consts::TAU * turns.fract()).sin_cos();
        worst = worst.max((value[0] - cosine).abs()).max((value[1] - sine).abs());
    }
    transforms.whole([&array, &array], true, None).unwrap();
    gpu.read(&array, 0, &mut found).unwrap();
    for (value, number) in found.iter().zip(&numbers) {
        let [re, im] = [0, 1].map(|part| (value[part] / points as f64 - number[part]).abs());
        worst = worst.max(re).max(im);
    }
    worst
}

#[test]
fn lines_of_every_length_are_transformed_along_every_axis() {
    for n in [16, 32, 256, 1024, 2048, 4096] {
        for sizes in [[n, 8, 8], [8, n, 8], [8, 8, n]] {
            let off = off_of_one(sizes, 16);
            assert!(off < 1e-12, "{sizes:?}: {off}");
        }
    }
}

#[test]
fn transforms_have_the_checksums_of_npb() {
    let gpu = &devices(1)[0];
    for (class, lines) in
        [(FtClass::S, [4, 4, 4]), (FtClass::S, [1, 8, 2]), (FtClass::W, [4, 4, 4])]
    {
        let run = FtRun::new(gpu, class, LineShapes(lines)).unwrap();
        run.start().unwrap();
        let (sums, _) = run.run().unwrap();
        assert!(deviation(class, &sums) < FT, "{class} {lines:?}");
        assert_eq!(sums.len(), 6);
    }
}

#[test]
fn transforms_by_pages_have_the_checksums_of_npb() {
    for count in [1, 2, 4].into_iter().filter(|count| *count == 1 || several().contains(count)) {
        for memory in [3 << 16, 1 << 20, 64 << 20] {
            let mut run =
                PagedFt::new(&devices(count), FtClass::S, LineShapes::default(), memory).unwrap();
            let [planes, columns] = run.page();
            let page = (planes * 64 * 64).max(columns * 64) as u64 * 16;
            assert!(
                3 * page <= memory && planes >= 1,
                "{memory}: {planes} planes, {columns} columns"
            );
            let (sums, _) = run.run().unwrap();
            assert!(deviation(FtClass::S, &sums) < FT, "{count} {memory}");
        }
    }
}

#[test]
fn classes_have_what_npb_says() {
    let names: String = Class::NPB.iter().map(|class| class.name()).collect();
    assert_eq!(names, "SWABCD");
    let names: String = CgClass::NPB.iter().map(|class| class.1.name()).collect();
    assert_eq!(names, "SWABCD");
    let counts = FtClass::NPB.map(|class| class.all_checksums().len());
    assert_eq!(counts, [6, 6, 6, 20, 20, 25]);
}
