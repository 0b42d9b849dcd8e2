//! The FFT on several processors beside that of one.

use super::kit::{setup, vm9};
use cp2_asm::diagnostic::Sources;
use cp2_cluster::{
    CheckpointsInMemory, ClusterOptions, ThreadTransport, TopologyFile, Transport, shipped,
};
use cp2_cluster_procedures::{
    ClusterFftProblem, ClusterFftRun, ProcessGrid, RunCheckpoints, fixed_sequence, run_fft,
};
use cp2_procedures::spatial::{self, Options, Sizes};
use cp2_session::execution::Execution;
use num_complex::Complex32;
use std::sync::Arc;

fn problem(sizes: [usize; 3], processors: usize, name: &str) -> ClusterFftProblem {
    let mut sources = Sources::default();
    let file = sources.add(name, shipped::text(name).unwrap());
    let grid = ProcessGrid::new(processors, 1 << 16).unwrap();
    let topology = TopologyFile::read(&sources, file).unwrap().topology(grid.counts).unwrap();
    let sizes = Sizes(sizes);
    ClusterFftProblem {
        sizes,
        inverse: false,
        input: Arc::new(fixed_sequence(sizes.points())),
        setup: setup(topology),
    }
}

fn run(of: &ClusterFftProblem) -> ClusterFftRun {
    run_fft(of, &Execution::on(*of.setup.config.core())).unwrap()
}

fn bits(values: &[Complex32]) -> Vec<[u32; 2]> {
    values.iter().map(|x| [x.re.to_bits(), x.im.to_bits()]).collect()
}

/// Each point is transformed along x, then y, then z, on one processor and on several, by the same operations.
#[test]
fn the_bits_are_those_of_one_processor() {
    for (sizes, all) in [
        ([32, 32, 32], &[1, 2, 4, 8, 16][..]),
        ([64, 16, 32], &[1, 4, 16]),
        ([128, 128, 64], &[1, 2, 8]),
        ([32, 8, 8], &[8]),
    ] {
        for inverse in [false, true] {
            let mut of = problem(sizes, 1, "formula");
            of.inverse = inverse;
            let options = Options { inverse, ..Options::default() };
            let one = spatial::run(vm9(), &of.sizes, &of.input, &options, &mut |_, _| {}).unwrap();
            for &processors in all {
                let of = ClusterFftProblem { inverse, ..problem(sizes, processors, "vm9-torus") };
                let found = run(&of);
                let output = found.output(&of.sizes);
                assert!(bits(&output) == bits(&one.output), "{sizes:?} on {processors}");
                if processors == 1 {
                    assert_eq!(found.end().0, one.cost.timeline.cycles() * 84, "{sizes:?}");
                    assert!(found.messages.is_empty());
                }
                let block = (8 * of.sizes.points() / processors / processors) as u64;
                assert_eq!(found.messages.len(), processors * (processors - 1));
                assert!(found.messages.iter().all(|message| message.bytes == block));
            }
        }
    }
}

#[test]
fn processes_and_checkpoints_change_nothing() {
    let of = problem([32, 32, 32], 4, "vm9-chips");
    let expected = run(&of);
    let kept = Arc::new(CheckpointsInMemory::every(1));
    let on_processes = |resumes: bool| -> ClusterFftRun {
        std::thread::scope(|scope| {
            let begin = |transport| {
                let transport: Option<Arc<dyn Transport>> = Some(Arc::new(transport));
                let mut of = of.clone();
                of.setup.options = ClusterOptions { transport, ..ClusterOptions::default() };
                of.setup.checkpoints = Some(RunCheckpoints { store: kept.clone(), resumes });
                scope.spawn(move || run(&of))
            };
            let all: Vec<_> = ThreadTransport::all(2).into_iter().map(begin).collect();
            let mut all: Vec<_> = all.into_iter().map(|one| one.join().unwrap()).collect();
            all.remove(0)
        })
    };
    for resumes in [false, true] {
        let found = on_processes(resumes);
        assert!(bits(&found.output(&of.sizes)) == bits(&expected.output(&of.sizes)), "{resumes}");
        assert_eq!((&found.accounts, &found.links), (&expected.accounts, &expected.links));
        assert_eq!(found.messages, expected.messages);
        assert!(found.ranks[0].cost == expected.ranks[0].cost, "{resumes}");
    }
}

#[test]
fn sizes_and_numbers_that_do_not_serve_are_refused() {
    let refused = |sizes, processors| {
        let mut of = problem(sizes, processors, "formula");
        of.input = Arc::new(vec![Complex32::default(); of.sizes.points()]);
        run_fft(&of, &Execution::on(*of.setup.config.core())).unwrap_err().to_string()
    };
    let told = refused([32, 8, 16], 16);
    assert!(
        told.contains("number of processors") && told.contains("power of two up to 8"),
        "{told}"
    );
    let told = refused([32, 12, 16], 2);
    assert!(told.contains("power of two from 8 to 256"), "{told}");
}

#[test]
fn the_schema_of_the_report_is_current() {
    let schema = format!("{:#}\n", cp2_cluster_procedures::ClusterFftReport::schema());
    assert!(
        schema == include_str!("../../schemas/cluster-fft.schema.json"),
        "`cargo xtask bless cluster` makes it anew"
    );
}
