//! What cannot be done is told with place, number and what to do.

use super::devices;
use cp2_gpu::{Gpu, GpuChoice, GpuError};
use cp2_gpu_procedures::ft::{LineShapes, PagedFt};
use cp2_gpu_procedures::kernels::BuiltKernels;
use cp2_gpu_procedures::mg::{GroupShapes, MgForm, MgParts, MgRun};
use cp2_gpu_procedures::run::require_class;
use cp2_kernels::sparse::matrices::{CLASS_S, CgClass};
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::spatial::npb::Class as FtClass;
use cp2_session::Environment;

fn message<T>(result: Result<T, GpuError>) -> String {
    result.err().map_or_else(|| panic!("not refused"), |error| error.to_string())
}

#[test]
fn a_device_that_is_not_there_is_named_with_those_that_are() {
    let choice = GpuChoice { numbers: vec![99], parts: 1 };
    let text = message(Gpu::open(&choice).map(drop));
    assert!(text.starts_with("there is no device 99; there are "), "{text}");
    assert!(GpuError::NoDevice.to_string().contains("pocl-opencl-icd"));
}

#[test]
fn a_device_is_not_divided_into_more_parts_than_it_has_units() {
    let choice = GpuChoice { numbers: vec![0], parts: 100_000 };
    let text = message(Gpu::open(&choice).map(drop));
    assert!(text.contains("cannot be divided into 100000 parts; it has"), "{text}");
}

#[test]
fn a_class_that_is_too_large_is_refused_with_the_numbers() {
    let gpu = &devices(1)[0];
    let made =
        MgRun::new(gpu, Class::D, MgForm::Fused, GroupShapes::default(), &Environment::new());
    let text = message(made.map(drop));
    assert!(text.contains("MG class D takes") && text.contains("bytes"), "{text}");
}

#[test]
fn a_matrix_that_is_too_large_is_refused_before_it_is_made() {
    let class = CgClass { order: 1 << 40, ..CLASS_S };
    let text = message(require_class(&devices(1), class));
    assert!(text.contains("at least, takes") && text.contains("choose a smaller class"), "{text}");
}

#[test]
fn buffers_of_devices_that_were_opened_apart_are_not_handed_over() {
    let [one, other] = [devices(1), devices(1)].map(|mut all| all.remove(0));
    let (from, to) = (one.buffer::<f64>(4).unwrap(), other.buffer::<f64>(4).unwrap());
    let text = message(one.hand_over((&from, 0..4), (&to, 0), &[]).map(drop));
    assert!(text.contains("the devices were not opened together"), "{text}");
}

#[test]
fn pages_that_do_not_fit_the_stated_memory_are_refused() {
    let made = PagedFt::new(&devices(1), FtClass::S, LineShapes::default(), 3 * 65536 - 1);
    let text = message(made.map(drop));
    assert!(
        text.contains("FT class S: 3 pages take at least 196608 bytes")
            && text.contains("196607 were given"),
        "{text}"
    );
}

#[test]
fn numbers_of_devices_that_do_not_halve_a_grid_are_refused() {
    let gpus = devices(1);
    let kernels = BuiltKernels::new(gpus[0].clone());
    let shapes = GroupShapes::default();
    let made = |gpus: &[Gpu], least| {
        MgParts::new(&kernels, gpus, (Class::S, least), &shapes, &Environment::new()).map(drop)
    };
    let text = message(made(&devices(1), 2));
    assert!(text.contains("1 devices; the grid is halved") && text.contains("2, 4 or 8"), "{text}");
    let text = message(made(&devices(2), 32));
    assert!(
        text.contains("parts of 32 points along an axis; class S has parts of at most 8"),
        "{text}"
    );
}

#[test]
fn a_kernel_that_does_not_compile_is_refused_with_the_messages() {
    let gpu = &devices(1)[0];
    let text =
        message(gpu.program("kernel void f(global double *x) { x[0] = nothing; }", &[]).map(drop));
    assert!(text.contains("nothing") && text.contains("was not built for"), "{text}");
}

#[test]
fn transfers_beyond_a_buffer_are_refused() {
    let gpu = &devices(1)[0];
    let buffer = gpu.buffer::<f64>(4).unwrap();
    assert!(message(gpu.write(&buffer, 2, &[0.0; 3])).contains("places 2..5 of 4 numbers"));
    assert!(message(gpu.read(&buffer, 5, &mut [])).contains("places 5..5 of 4 numbers"));
}
