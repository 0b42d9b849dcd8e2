//! A device that is open: its buffers, kernels and queues. Here and in
//! `transfer` stands all `unsafe` of the crate, and this is why it is safe:
//!
//! 1. *Handles.* Contexts, queues, buffers, kernels and events are made here, of one device each, and released by the types
//!    of `opencl3` when they go. [`Gpu::arguments`] refuses a buffer of another device.
//! 2. *Memory of the caller.* Transfers between a slice and a buffer block until they are done, within the bounds of both,
//!    which are checked. Transfers that go on in the background take [`PinnedMemory`], which the driver allocates; its
//!    numbers can be reached only after all queues of all devices that were opened with its own are empty, and it is released
//!    only then: each queue is waited for, also when the device of another is lost.
//! 3. *Numbers.* [`GpuNumber`] is implemented for plain numbers, valid whatever their bits are.
//! 4. *Kernels.* They are texts of the crates above; on a processor a wrong one could write anywhere, as any code can. What
//!    is checked here is the number of arguments and their sizes.
#![allow(
    unsafe_code,
    reason = "calls of OpenCL take raw handles; the header of the file says why each is safe"
)]

use crate::error::{GpuError, LAUNCH};
use crate::info::{GpuChoice, GpuInfo, handles};
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_PARTITION_EQUALLY, Device};
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem as _};
use opencl3::program::Program;
use opencl3::types::{cl_device_id, cl_event};
use std::cell::Cell;
use std::rc::Rc;

/// Number that buffers hold, the same in memory of host and device.
pub trait GpuNumber: Copy + Default + 'static {}
impl GpuNumber for f64 {}
impl GpuNumber for [f64; 2] {}
impl GpuNumber for i32 {}
impl GpuNumber for u64 {}

/// Queue of a device; what is in one queue happens in order, and the queues do not wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuQueue {
    /// Kernels, and transfers that block.
    Compute,
    /// Transfers to the device beside kernels.
    Load,
    /// Transfers from the device beside kernels.
    Unload,
}

/// Devices that were opened together: their context, and the queues of each.
pub(crate) struct Together {
    pub(crate) context: Context,
    ids: Vec<cl_device_id>,
    queues: Vec<[CommandQueue; 3]>,
}

/// State that the types of a device share.
pub(crate) struct Shared {
    info: GpuInfo,
    device: Device,
    /// Place of the device among those that were opened together.
    place: usize,
    /// Bytes of the buffers of the device that there are.
    held: Cell<u64>,
    pub(crate) together: Rc<Together>,
}

impl Shared {
    pub(crate) fn failed(&self, call: &'static str) -> impl Fn(ClError) -> GpuError + '_ {
        move |error| GpuError::of(&self.info.name, call, &error)
    }

    fn finish(&self) -> Result<(), GpuError> {
        empty(&self.together.queues[self.place]).map_err(self.failed("waiting"))
    }

    /// Waits for all devices that were opened together.
    pub(crate) fn finish_all(&self) -> Result<(), GpuError> {
        empty(self.together.queues.iter().flatten()).map_err(self.failed("waiting"))
    }
}

/// Waits until each of these queues is empty, also those behind one that fails: a device may go on when another is lost.
/// Returns the first error.
fn empty<'a>(queues: impl IntoIterator<Item = &'a CommandQueue>) -> Result<(), ClError> {
    queues.into_iter().map(CommandQueue::finish).fold(Ok(()), Result::and)
}

impl Drop for Together {
    /// Leaves no device at work, since a driver may end with the process while its threads run a kernel.
    fn drop(&mut self) {
        // A lost device has told its error already.
        let _ = empty(self.queues.iter().flatten());
    }
}

/// Device that is open.
#[derive(Clone)]
pub struct Gpu(pub(crate) Rc<Shared>);

/// Array of numbers in the memory of a device.
pub struct GpuBuffer<T: GpuNumber> {
    pub(crate) buffer: Buffer<T>,
    n: usize,
    gpu: Gpu,
}

/// Program that was built for a device.
pub struct GpuProgram {
    program: Program,
    gpu: Gpu,
}

/// Kernel of a program.
pub struct GpuKernel {
    kernel: Kernel,
    arguments: usize,
    items: usize,
}

impl GpuKernel {
    /// Returns the most work-items of a work-group that the registers of the device have room for.
    pub fn items(&self) -> usize {
        self.items
    }
}

/// Argument of a kernel.
#[derive(Clone, Copy)]
pub enum GpuArgument<'a> {
    /// Buffer of doubles.
    Doubles(&'a GpuBuffer<f64>),
    /// Buffer of pairs of doubles.
    Pairs(&'a GpuBuffer<[f64; 2]>),
    /// Buffer of 32-bit integers.
    Ints(&'a GpuBuffer<i32>),
    /// Buffer of 64-bit words.
    Words(&'a GpuBuffer<u64>),
    /// Double.
    Double(f64),
    /// 32-bit integer.
    Int(i32),
}

/// Work that was put into a queue.
pub struct GpuEvent(pub(crate) Event);

impl Gpu {
    /// Opens the devices of a choice, in its order; one that is named twice serves as two.
    ///
    /// # Errors
    /// There is no such device, it cannot be divided, it does not compute in double precision, or it has another driver than
    /// the first.
    pub fn open(choice: &GpuChoice) -> Result<Vec<Self>, GpuError> {
        let all = handles()?;
        let mut devices = Vec::new();
        for &number in &choice.numbers {
            let missing = GpuError::NoSuchDevice { number, devices: all.len() };
            let device = Device::new(*all.get(number).ok_or(missing)?);
            if choice.parts > 1 {
                devices.extend(parts(&device, choice.parts)?);
            } else {
                devices.push(device);
            }
        }
        let infos = devices.iter().map(GpuInfo::of).collect::<Result<Vec<_>, _>>()?;
        infos.iter().try_for_each(GpuInfo::require_double)?;
        require_one_driver(&devices, &infos)?;
        let failed = |error| GpuError::of("a device", "opening devices together", &error);
        // A device that is named twice has two sets of queues in one context.
        let mut ids: Vec<cl_device_id> = Vec::new();
        for device in &devices {
            if !ids.contains(&device.id()) {
                ids.push(device.id());
            }
        }
        let context =
            Context::from_devices(&ids, &[], None, std::ptr::null_mut()).map_err(failed)?;
        // SAFETY: the device is one of the context.
        let queue = |device: &Device| unsafe { CommandQueue::create(&context, device.id(), 0) };
        let of_device = |device| Ok([queue(device)?, queue(device)?, queue(device)?]);
        let queues = devices.iter().map(of_device).collect::<Result<_, _>>().map_err(failed)?;
        let together = Rc::new(Together { context, ids, queues });
        let shared = |(place, (info, device))| Shared {
            info,
            device,
            place,
            held: Cell::new(0),
            together: Rc::clone(&together),
        };
        let opened = infos.into_iter().zip(devices).enumerate().map(shared);
        Ok(opened.map(|shared| Self(Rc::new(shared))).collect())
    }

    /// Returns the properties of the device.
    pub fn info(&self) -> &GpuInfo {
        &self.0.info
    }

    /// Returns the bytes of all buffers of the device that there are.
    pub fn held(&self) -> u64 {
        self.0.held.get()
    }

    /// Checks that data fits the device.
    ///
    /// # Errors
    /// All of it, or its largest array, is larger than what the device offers; the error has the numbers.
    pub fn require(&self, what: &str, bytes: u64, largest: u64) -> Result<(), GpuError> {
        let GpuInfo { name, memory, largest: most, .. } = self.info();
        let refused =
            |what, bytes, limit| GpuError::TooLarge { what, bytes, limit, device: name.clone() };
        if largest > *most {
            return Err(refused(format!("an array of {what}"), largest, *most));
        }
        if bytes > *memory {
            return Err(refused(what.to_owned(), bytes, *memory));
        }
        Ok(())
    }

    /// Returns an array of `n` numbers in the memory of the device; what it holds is undefined.
    ///
    /// # Errors
    /// The device has no room for it.
    pub fn buffer<T: GpuNumber>(&self, n: usize) -> Result<GpuBuffer<T>, GpuError> {
        let bytes = (n * size_of::<T>()) as u64;
        if bytes > self.0.info.largest {
            return Err(GpuError::TooLarge {
                what: "a buffer".to_owned(),
                bytes,
                limit: self.0.info.largest,
                device: self.0.info.name.clone(),
            });
        }
        // SAFETY: no memory of the host is given.
        let made = unsafe {
            Buffer::create(
                &self.0.together.context,
                CL_MEM_READ_WRITE,
                n.max(1),
                std::ptr::null_mut(),
            )
        };
        let buffer = made.map_err(self.0.failed("making a buffer"))?;
        self.0.held.set(self.0.held.get() + bytes);
        Ok(GpuBuffer { buffer, n, gpu: self.clone() })
    }

    /// Returns an array in the memory of the device with these numbers.
    ///
    /// # Errors
    /// The device has no room for it, or the transfer fails.
    pub fn buffer_of<T: GpuNumber>(&self, numbers: &[T]) -> Result<GpuBuffer<T>, GpuError> {
        let buffer = self.buffer(numbers.len())?;
        self.write(&buffer, 0, numbers)?;
        Ok(buffer)
    }

    /// Builds a program from its text with these definitions (`NAME`, value).
    ///
    /// # Errors
    /// The text does not compile; the error has the messages of the compiler.
    pub fn program(&self, text: &str, defined: &[(&str, i64)]) -> Result<GpuProgram, GpuError> {
        let failed = self.0.failed("making a program");
        let mut program =
            Program::create_from_source(&self.0.together.context, text).map_err(&failed)?;
        let options: Vec<String> =
            defined.iter().map(|(name, value)| format!("-D{name}={value}")).collect();
        // Not every driver builds for one device of several.
        if let Err(error) = program.build(&self.0.together.ids, &options.join(" ")) {
            let mut log = program.get_build_log(self.0.device.id()).unwrap_or_default();
            if log.trim().is_empty() {
                log = error.to_string();
            }
            return Err(GpuError::Build { device: self.0.info.name.clone(), log });
        }
        Ok(GpuProgram { program, gpu: self.clone() })
    }

    pub(crate) fn queue(&self, queue: GpuQueue) -> &CommandQueue {
        &self.0.together.queues[self.0.place][queue as usize]
    }

    /// Waits until all queues of the device are empty.
    ///
    /// # Errors
    /// The device is lost.
    pub fn finish(&self) -> Result<(), GpuError> {
        self.0.finish()
    }

    /// Hands what is in the queue of kernels to the device, so that it begins.
    ///
    /// # Errors
    /// The device is lost.
    pub fn flush(&self) -> Result<(), GpuError> {
        let queues = &self.0.together.queues[self.0.place];
        queues.iter().try_for_each(|queue| queue.flush().map_err(self.0.failed("handing over")))
    }

    /// Puts a kernel into the queue of kernels, to begin after these events. `global` and `local` are the numbers of
    /// work-items of all and of a work-group, axis by axis.
    ///
    /// # Errors
    /// The arguments are not those of the kernel, or the device refuses the sizes.
    pub fn launch(
        &self,
        kernel: &GpuKernel,
        [global, local]: [&[usize]; 2],
        arguments: &[GpuArgument<'_>],
        after: &[&GpuEvent],
    ) -> Result<GpuEvent, GpuError> {
        self.arguments(kernel, arguments)?;
        let after: Vec<cl_event> = after.iter().map(|event| event.0.get()).collect();
        // SAFETY: the sizes have as many axes as is said; the kernel has all its arguments.
        let launched = unsafe {
            self.queue(GpuQueue::Compute).enqueue_nd_range_kernel(
                kernel.kernel.get(),
                global.len() as u32,
                std::ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                &after,
            )
        };
        launched.map(GpuEvent).map_err(self.0.failed(LAUNCH))
    }

    /// Puts a kernel into the queue of kernels, behind what is there, without an event for the host or other queues to wait for.
    ///
    /// # Errors
    /// As for [`Self::launch`].
    pub fn launch_in_order(
        &self,
        kernel: &GpuKernel,
        sizes: [&[usize]; 2],
        arguments: &[GpuArgument<'_>],
    ) -> Result<(), GpuError> {
        self.arguments(kernel, arguments)?;
        self.enqueue_unseen(kernel, sizes)
    }

    /// Puts two kernels into the queue of kernels in turn, `count` launches in all. Their arguments are set once, so that the
    /// launches follow each other as fast as the driver takes them. Two kernels of one text can exchange two arguments.
    ///
    /// # Errors
    /// As for [`Self::launch`].
    pub fn launch_in_turn(
        &self,
        kernels: [(&GpuKernel, &[GpuArgument<'_>]); 2],
        sizes: [&[usize]; 2],
        count: usize,
    ) -> Result<(), GpuError> {
        for (kernel, arguments) in kernels {
            self.arguments(kernel, arguments)?;
        }
        (0..count).try_for_each(|at| self.enqueue_unseen(kernels[at % 2].0, sizes))
    }

    /// Puts a kernel that has its arguments into the queue of kernels without an event, which the library makes for every
    /// launch and which costs more than the launch.
    fn enqueue_unseen(
        &self,
        kernel: &GpuKernel,
        [global, local]: [&[usize]; 2],
    ) -> Result<(), GpuError> {
        let failed = self.0.failed(LAUNCH);
        let runtime = cl3::load_library().as_ref().map_err(|_| GpuError::NoDevice)?;
        // The sizes have as many axes as is said, the kernel has all its arguments, and no event is asked for.
        let status = runtime.clEnqueueNDRangeKernel(
            self.queue(GpuQueue::Compute).get(),
            kernel.kernel.get(),
            global.len() as u32,
            std::ptr::null(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            std::ptr::null(),
            std::ptr::null_mut(),
        );
        match status {
            Some(0) => Ok(()),
            Some(code) => Err(failed(ClError(code))),
            None => Err(GpuError::NoDevice),
        }
    }

    /// Sets the arguments of a kernel.
    fn arguments(&self, kernel: &GpuKernel, arguments: &[GpuArgument<'_>]) -> Result<(), GpuError> {
        assert_eq!(kernel.arguments, arguments.len(), "arguments of a kernel");
        for (place, argument) in (0..).zip(arguments) {
            // SAFETY: buffers are of this device; the sizes of the others are those of the types that kernels declare.
            let set = unsafe {
                match argument {
                    GpuArgument::Doubles(b) => kernel.kernel.set_arg(place, &b.of(self).get()),
                    GpuArgument::Pairs(b) => kernel.kernel.set_arg(place, &b.of(self).get()),
                    GpuArgument::Ints(b) => kernel.kernel.set_arg(place, &b.of(self).get()),
                    GpuArgument::Words(b) => kernel.kernel.set_arg(place, &b.of(self).get()),
                    GpuArgument::Double(x) => kernel.kernel.set_arg(place, x),
                    GpuArgument::Int(n) => kernel.kernel.set_arg(place, n),
                }
            };
            set.map_err(self.0.failed("setting an argument"))?;
        }
        Ok(())
    }
}

impl GpuProgram {
    /// Returns the kernel of this name.
    ///
    /// # Errors
    /// The program has none.
    pub fn kernel(&self, name: &str) -> Result<GpuKernel, GpuError> {
        let failed = self.gpu.0.failed("making a kernel");
        let kernel = Kernel::create(&self.program, name).map_err(&failed)?;
        let arguments = kernel.num_args().map_err(&failed)? as usize;
        let items = kernel.get_work_group_size(self.gpu.0.device.id()).map_err(&failed)?;
        Ok(GpuKernel { kernel, arguments, items })
    }
}

impl<T: GpuNumber> Drop for GpuBuffer<T> {
    fn drop(&mut self) {
        let bytes = (self.n * size_of::<T>()) as u64;
        self.gpu.0.held.set(self.gpu.0.held.get().saturating_sub(bytes));
    }
}

impl<T: GpuNumber> GpuBuffer<T> {
    /// Returns how many numbers the buffer holds.
    pub fn count(&self) -> usize {
        self.n
    }

    /// Checks that the devices of two buffers were opened together.
    pub(crate) fn is_beside(&self, other: &Self) -> Result<(), GpuError> {
        if Rc::ptr_eq(&self.gpu.0.together, &other.gpu.0.together) {
            return Ok(());
        }
        let error = "the devices were not opened together".to_owned();
        Err(GpuError::Call { call: "handing over", error })
    }

    fn of(&self, gpu: &Gpu) -> &Buffer<T> {
        assert!(Rc::ptr_eq(&self.gpu.0, &gpu.0), "a buffer of another device");
        &self.buffer
    }
}

/// Checks that one driver has all devices, since a context is of one driver.
fn require_one_driver(devices: &[Device], infos: &[GpuInfo]) -> Result<(), GpuError> {
    let asked = |error| GpuError::of("a device", "asking for its driver", &error);
    let drivers = devices.iter().map(|device| device.platform().map_err(asked));
    let drivers = drivers.collect::<Result<Vec<_>, _>>()?;
    let told = |info: &GpuInfo| format!("{} ({} {})", info.name, info.vendor, info.driver);
    match drivers.iter().position(|driver| *driver != drivers[0]) {
        None => Ok(()),
        Some(at) => Err(GpuError::TwoDrivers { first: told(&infos[0]), other: told(&infos[at]) }),
    }
}

/// Divides a device into equal parts.
fn parts(device: &Device, parts: usize) -> Result<Vec<Device>, GpuError> {
    let GpuInfo { name, units, .. } = GpuInfo::of(device)?;
    let refused = || GpuError::Parts { device: name.clone(), parts, units };
    let each = units.checked_div(parts).filter(|each| *each > 0).ok_or_else(refused)?;
    let properties = [CL_DEVICE_PARTITION_EQUALLY, each as isize, 0];
    let made = device.create_sub_devices(&properties).map_err(|_| refused())?;
    let devices = made.iter().take(parts).map(|part| Device::new(part.id())).collect();
    // Parts are devices of the context from here on, and stay as long as the process.
    std::mem::forget(made);
    Ok(devices)
}
