//! Programs that are traced, as they run and from recordings.

use cp2_asm::image::Image;
use cp2_emu::machine::{Act, Action};
use cp2_emu::{Engine as _, Machine, ReferenceEngine};
use cp2_fast::Translator;
use cp2_ir::sites::BundleNames;
use cp2_isa::{BundleAddress, Core, Cycle};
use cp2_recording::{Follower as _, Header, Recorder, Recording, RecordingInMemory};
use cp2_session::load;
use cp2_trace::{Clock, Content, Selection, TraceFormat, TraceSetup, Tracer, exporter};
use std::io::Cursor;
use std::ops::Range;

/// A trace that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) format: TraceFormat,
    pub(crate) window: Range<Cycle>,
    pub(crate) values: bool,
    pub(crate) selection: Selection,
    pub(crate) limit: u64,
}

impl Asked {
    pub(crate) fn whole(format: TraceFormat) -> Self {
        Self {
            format,
            window: Cycle(0)..Cycle::NEVER,
            values: false,
            selection: Selection::default(),
            limit: u64::MAX,
        }
    }
}

/// A trace, and the cycle that found no room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Traced {
    pub(crate) bytes: Vec<u8>,
    pub(crate) full_at: Option<Cycle>,
}

/// Program that is traced.
pub(crate) struct Run {
    core: Core,
    image: std::sync::Arc<Image>,
    entry: BundleAddress,
}

impl Run {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Self::on(Core::CP2, name, text)
    }

    /// Assembles a program for a core.
    pub(crate) fn on(core: Core, name: &str, text: &str) -> Self {
        let image = cp2_session::Environment::new().assemble(&core, name, text).expect("a program");
        let entry = image.kernels.first().expect("a kernel").start;
        Self { core, image, entry }
    }

    fn machine(&self) -> Machine {
        let mut cp2 = load::cp2(&self.core);
        load::load(&self.image, &mut cp2);
        Machine::alone(cp2)
    }

    /// Returns the number of bundles that issue, and of those that are nullified.
    pub(crate) fn bundles(&self) -> u64 {
        let mut machine = self.machine();
        let run = ReferenceEngine.run_kernel(
            &mut machine,
            self.entry,
            10_000,
            &mut cp2_emu::trace::NoObserver,
        );
        run.stats.bundles() + run.stats.causes[cp2_emu::stats::Cause::Nullified as usize]
    }

    fn tracer(&self, asked: &Asked) -> Tracer<'_, Cursor<Vec<u8>>> {
        let places = || BundleNames::new(&self.image, &self.core);
        let setup = TraceSetup {
            format: asked.format,
            content: Content::Everything,
            values: asked.values,
            selection: &asked.selection,
            clock: Clock::of_mhz(800),
            limit: asked.limit,
        };
        let exporter =
            exporter(&setup, &places().into(), &self.core, Cursor::default()).expect("room");
        Tracer::new(exporter, places(), asked.selection.clone(), asked.window.end)
    }

    /// Traces the run while it happens.
    pub(crate) fn live(&self, asked: &Asked) -> Traced {
        let (mut machine, mut tracer) = (self.machine(), self.tracer(asked));
        machine.start_kernel(self.entry);
        let Range { start, end } = asked.window;
        ReferenceEngine.advance_kernel(&mut machine, start.0, &mut cp2_emu::trace::NoObserver);
        machine.dma.keep_log();
        tracer.begin(&machine);
        let mut ended = None;
        while ended.is_none() && machine.cycle() < end && !tracer.is_over() {
            let next = machine.cycle().0 + 1;
            ended = ReferenceEngine.advance_kernel(&mut machine, next, tracer.observer());
            let _ = tracer.cycle(&mut machine);
        }
        if let Some(ended) = ended {
            if machine.cycle() < end {
                tracer.act(&Act { cycle: machine.cycle(), action: Action::Finish });
            }
            machine.finish_kernel(ended);
        }
        tracer.end(&mut machine);
        finished(tracer)
    }

    /// Returns the file of a recording.
    pub(crate) fn recording(&self) -> Vec<u8> {
        let (tape, mut machine) = (RecordingInMemory::default(), self.machine());
        let header = Header {
            cp2: "test".to_owned(),
            command: "test".to_owned(),
            machine: None,
            core: *self.core.numbers(),
            inputs: Vec::new(),
        };
        let recorder = Recorder::new(Box::new(tape.clone()), &header).expect("memory");
        let mut engine = recorder.around(Box::new(Translator::default()));
        engine.run_kernel(&mut machine, self.entry, 10_000, &mut cp2_emu::trace::NoObserver);
        engine.release(&mut machine);
        recorder.finish().expect("memory");
        tape.take()
    }

    /// Traces a window of a recording.
    pub(crate) fn recorded(&self, file: &[u8], asked: &Asked) -> Traced {
        let source = Cursor::new(file.to_vec());
        let mut recording =
            Recording::open(source, Box::new(Translator::default())).expect("a recording");
        let mut tracer = self.tracer(asked);
        recording.follow(asked.window.clone(), &mut tracer).expect("a window");
        finished(tracer)
    }
}

fn finished(tracer: Tracer<'_, Cursor<Vec<u8>>>) -> Traced {
    let (out, full_at) = tracer.finish().expect("memory");
    Traced { bytes: out.into_inner(), full_at }
}
