//! NPB CG on several devices, each of which has rows of the matrix and of the vectors. In a step each device sends the partial sums of
//! p q to all others, and then its rows of r with the partial sums of r r; p as a whole each device computes for itself from r. The
//! host adds nothing within a step: what travels waits for events, so that it never waits for a device.

use super::parts::RowPart;
use super::product::ProductChoice;
use super::solver::{GROUPS, STEPS, launch_vectors};
use cp2_gpu::GpuArgument::{Double, Doubles, Int};
use cp2_gpu::{Gpu, GpuBuffer, GpuError, GpuEvent, PinnedMemory};
use cp2_kernels::sparse::matrices::{CgClass, DoubleRows};
use std::time::Instant;

/// Rows of a device: its part of the matrix, of the vectors, and what it knows of the others.
struct VectorPart {
    of_matrix: RowPart,
    x: GpuBuffer<f64>,
    z: GpuBuffer<f64>,
    r: GpuBuffer<f64>,
    /// Partial sums of r r of its own rows.
    square: GpuBuffer<f64>,
    /// r of all rows.
    all: GpuBuffer<f64>,
    /// Partial sums of p q of all devices.
    products: GpuBuffer<f64>,
    /// Partial sums of r r of all devices, of one step and of the next.
    squares: [GpuBuffer<f64>; 2],
    /// Partial sums of x z and z z of its own rows.
    ends: GpuBuffer<f64>,
    /// Sums over all devices with which an outer iteration ends: x z, z z, and the square of the residual.
    sums: [GpuBuffer<f64>; 2],
    /// Zeta, and the norm of the residual, of the last outer iteration.
    zetas: GpuBuffer<f64>,
}

/// Array that all devices send parts of to all.
#[derive(Clone, Copy)]
enum SharedArray {
    /// Rows of a vector.
    Rows,
    /// Partial sums of p q.
    Products,
    /// Partial sums of r r.
    Squares,
}

/// Events of the devices behind which what they sent is in memory of the host.
type SentEvents = Vec<GpuEvent>;

/// Run of CG of a class with the rows of matrix and vectors on several devices.
pub struct CgRows {
    class: CgClass,
    parts: Vec<VectorPart>,
    /// First place in the array of all of what each device sends, and behind the last of them the end: of rows, and of partial sums of
    /// p q.
    rows: Vec<usize>,
    products: Vec<usize>,
    /// Memory of the host through which rows, and partial sums of p q and of r r travel.
    on_host: [PinnedMemory<f64>; 3],
}

impl CgRows {
    /// Deals the rows of a matrix out to devices that were opened together.
    ///
    /// # Errors
    /// A device has no room for its rows.
    pub fn new(
        gpus: &[Gpu],
        class: CgClass,
        matrix: &DoubleRows,
        choice: impl Into<ProductChoice>,
    ) -> Result<Self, GpuError> {
        let dealt = RowPart::deal(gpus, class, matrix, choice.into())?;
        let places = |length: &dyn Fn(&RowPart) -> usize| {
            let mut places = vec![0];
            for part in &dealt {
                places.push(places[places.len() - 1] + length(part));
            }
            places
        };
        let rows = places(&|part| part.rows.len());
        let products = places(&|part| part.product.partial().count());
        let (of_rows, of_products) = (rows[dealt.len()], products[dealt.len()]);
        let of_squares = GROUPS * dealt.len();
        let part = |of_matrix: RowPart| {
            let gpu = of_matrix.kernels.gpu.clone();
            let own = || gpu.buffer(of_matrix.rows.len().max(1));
            let (x, z, r) = (own()?, own()?, own()?);
            Ok(VectorPart {
                of_matrix,
                x,
                z,
                r,
                square: gpu.buffer(GROUPS)?,
                all: gpu.buffer(of_rows)?,
                products: gpu.buffer(of_products)?,
                squares: [gpu.buffer(of_squares)?, gpu.buffer(of_squares)?],
                ends: gpu.buffer(2 * GROUPS)?,
                sums: [gpu.buffer(2)?, gpu.buffer(1)?],
                zetas: gpu.buffer(2)?,
            })
        };
        let parts = dealt.into_iter().map(part).collect::<Result<_, GpuError>>()?;
        let pinned = |n| gpus[0].pinned(n);
        let on_host = [pinned(of_rows)?, pinned(of_products)?, pinned(of_squares)?];
        Ok(Self { class, parts, rows, products, on_host })
    }

    /// Puts the transfer of what a device has of an array to the host into its queue.
    fn send(
        &self,
        d: usize,
        (array, from): (SharedArray, &GpuBuffer<f64>),
        after: &GpuEvent,
    ) -> Result<GpuEvent, GpuError> {
        let places = match array {
            SharedArray::Rows => self.rows[d]..self.rows[d + 1],
            SharedArray::Products => self.products[d]..self.products[d + 1],
            SharedArray::Squares => d * GROUPS..(d + 1) * GROUPS,
        };
        let gpu = &self.parts[d].of_matrix.kernels.gpu;
        gpu.unload(from, 0, &self.on_host[array as usize], places, &[after])
    }

    /// Puts the transfer of an array of all devices to a device into its queue, behind what all have sent.
    fn receive(
        &self,
        part: &VectorPart,
        (array, to): (SharedArray, &GpuBuffer<f64>),
        sent: &SentEvents,
    ) -> Result<GpuEvent, GpuError> {
        let after: Vec<&GpuEvent> = sent.iter().collect();
        let all = match array {
            SharedArray::Rows => self.rows[self.parts.len()],
            SharedArray::Products => self.products[self.parts.len()],
            SharedArray::Squares => self.parts.len() * GROUPS,
        };
        part.of_matrix.kernels.gpu.load(to, 0, &self.on_host[array as usize], 0..all, &after)
    }

    /// Sends the rows of r and the partial sums of r r of a device behind the kernel that made them.
    fn send_residual(&self, d: usize, after: &GpuEvent) -> Result<[GpuEvent; 2], GpuError> {
        let part = &self.parts[d];
        let rows = self.send(d, (SharedArray::Rows, &part.r), after)?;
        let squares = self.send(d, (SharedArray::Squares, &part.square), after)?;
        part.of_matrix.kernels.gpu.flush()?;
        Ok([rows, squares])
    }

    /// Begins an outer iteration: z = 0, r = p = x, and the partial sums of r r on all devices.
    fn begin(&self) -> Result<(), GpuError> {
        let mut sent = [SentEvents::new(), SentEvents::new()];
        for (d, part) in self.parts.iter().enumerate() {
            let VectorPart { of_matrix, x, z, r, square, .. } = part;
            let n = Int(of_matrix.rows.len() as i32);
            // The place of p takes the device's own rows of it, and is overwritten by all of r below.
            let own =
                [n, Doubles(x), Doubles(z), Doubles(r), Doubles(&of_matrix.x), Doubles(square)];
            let made = launch_vectors(&of_matrix.kernels, "begin", &own, &[])?;
            for (events, event) in sent.iter_mut().zip(self.send_residual(d, &made)?) {
                events.push(event);
            }
        }
        for part in &self.parts {
            self.receive(part, (SharedArray::Rows, &part.of_matrix.x), &sent[0])?;
            self.receive(part, (SharedArray::Squares, &part.squares[0]), &sent[1])?;
            part.of_matrix.kernels.gpu.flush()?;
        }
        self.finish()
    }

    /// Does a step of conjugate gradients. In the last one no new direction is made, so that r stays where it is.
    fn step(&self, step: usize) -> Result<(), GpuError> {
        let is_last = step + 1 == STEPS;
        let (old, new, count) = (step % 2, (step + 1) % 2, Int(self.parts.len() as i32));
        let mut sent = SentEvents::new();
        for (d, part) in self.parts.iter().enumerate() {
            let RowPart { kernels, rows, product, x: p, y: q } = &part.of_matrix;
            let made = product.multiply_dot(kernels, rows.start, [p, q])?;
            sent.push(self.send(d, (SharedArray::Products, product.partial()), &made)?);
            kernels.gpu.flush()?;
        }
        let mut of_residual = [SentEvents::new(), SentEvents::new()];
        for (d, part) in self.parts.iter().enumerate() {
            let RowPart { kernels, rows, x: p, y: q, .. } = &part.of_matrix;
            let received = self.receive(part, (SharedArray::Products, &part.products), &sent)?;
            let arguments = [
                Int(rows.len() as i32),
                Int(rows.start as i32),
                Int(part.products.count() as i32),
                count,
                Doubles(&part.products),
                Doubles(&part.squares[old]),
                Doubles(p),
                Doubles(q),
                Doubles(&part.z),
                Doubles(&part.r),
                Doubles(&part.square),
            ];
            let made = launch_vectors(kernels, "advance", &arguments, &[&received])?;
            if is_last {
                kernels.gpu.flush()?;
                continue;
            }
            for (events, event) in of_residual.iter_mut().zip(self.send_residual(d, &made)?) {
                events.push(event);
            }
        }
        for part in self.parts.iter().filter(|_| !is_last) {
            let RowPart { kernels, x: p, .. } = &part.of_matrix;
            let squares = (SharedArray::Squares, &part.squares[new]);
            let squares = self.receive(part, squares, &of_residual[1])?;
            let rows = self.receive(part, (SharedArray::Rows, &part.all), &of_residual[0])?;
            let [old, new] = [old, new].map(|turn| Doubles(&part.squares[turn]));
            let arguments =
                [Int(self.class.order as i32), count, old, new, Doubles(&part.all), Doubles(p)];
            launch_vectors(kernels, "turn", &arguments, &[&squares, &rows])?;
            kernels.gpu.flush()?;
        }
        Ok(())
    }

    /// Ends an outer iteration: the residual of z, zeta, and x = z / |z|.
    fn end(&self) -> Result<(), GpuError> {
        let mut sent = SentEvents::new();
        for (d, part) in self.parts.iter().enumerate() {
            let RowPart { kernels, rows, .. } = &part.of_matrix;
            let own =
                [Int(rows.len() as i32), Doubles(&part.x), Doubles(&part.z), Doubles(&part.ends)];
            let made = launch_vectors(kernels, "products", &own, &[])?;
            sent.push(self.send(d, (SharedArray::Rows, &part.z), &made)?);
            kernels.gpu.flush()?;
        }
        for part in &self.parts {
            self.receive(part, (SharedArray::Rows, &part.of_matrix.x), &sent)?;
            part.of_matrix.kernels.gpu.flush()?;
        }
        self.finish()?;
        for part in &self.parts {
            let RowPart { kernels, product, x: z, .. } = &part.of_matrix;
            product.distance(kernels, [z, &part.x])?;
            kernels.gpu.flush()?;
        }
        let (mut ends, mut squares) = ([0.0; 2], 0.0);
        for part in &self.parts {
            let gpu = &part.of_matrix.kernels.gpu;
            let mut own = [0.0; 2 * GROUPS];
            gpu.read(&part.ends, 0, &mut own)?;
            ends[0] += own[..GROUPS].iter().sum::<f64>();
            ends[1] += own[GROUPS..].iter().sum::<f64>();
            let partial = part.of_matrix.product.partial();
            let mut own = vec![0.0; partial.count()];
            gpu.read(partial, 0, &mut own)?;
            squares += own.iter().sum::<f64>();
        }
        self.parts.iter().try_for_each(|part| self.follow(part, (ends, squares)))
    }

    /// Computes x = z / |z| of a device's rows from the sums of all.
    fn follow(&self, part: &VectorPart, (ends, squares): ([f64; 2], f64)) -> Result<(), GpuError> {
        let RowPart { kernels, rows, .. } = &part.of_matrix;
        kernels.gpu.write(&part.sums[0], 0, &ends)?;
        kernels.gpu.write(&part.sums[1], 0, &[squares])?;
        let arguments = [
            Int(rows.len() as i32),
            Int(0),
            Double(self.class.shift),
            Int(1),
            Int(1),
            Doubles(&part.sums[1]),
            Doubles(&part.sums[0]),
            Doubles(&part.z),
            Doubles(&part.x),
            Doubles(&part.zetas),
        ];
        launch_vectors(kernels, "follow", &arguments, &[]).map(drop)
    }

    fn iteration(&self) -> Result<(), GpuError> {
        self.begin()?;
        (0..STEPS).try_for_each(|step| self.step(step))?;
        self.end()
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.parts.iter().try_for_each(|part| part.of_matrix.kernels.gpu.finish())
    }

    fn start(&self) -> Result<(), GpuError> {
        self.parts.iter().try_for_each(|part| {
            let ones = vec![1.0; part.of_matrix.rows.len()];
            part.of_matrix.kernels.gpu.write(&part.x, 0, &ones)
        })
    }

    /// Runs the class from x = 1 and returns zeta of the last outer iteration, the norm of its residual and the seconds that all
    /// outer iterations took, without packing and loading the matrix.
    ///
    /// # Errors
    /// A device is lost.
    pub fn run(&self) -> Result<(f64, f64, f64), GpuError> {
        // One iteration that does not count, as in NPB.
        self.start()?;
        self.iteration()?;
        self.start()?;
        self.finish()?;
        let begin = Instant::now();
        (0..self.class.iterations).try_for_each(|_| self.iteration())?;
        self.finish()?;
        let time = begin.elapsed().as_secs_f64();
        let mut last = [0.0; 2];
        let part = &self.parts[0];
        part.of_matrix.kernels.gpu.read(&part.zetas, 0, &mut last)?;
        Ok((last[0], last[1], time))
    }
}
