//! Programs that end a run with an error: the sentence names the rank, the call and its place.

use super::kit::{Case, built};
use cp2_cluster::ClusterError;
use cp2_cluster_programs::{ClusterProgramError, ProgramStop};

/// Returns the sentence with which the run on so many ranks ends; the number says what goes wrong.
fn sentence(ranks: usize) -> String {
    let (run, text) = Case { max_cycles: 1_000_000, ..Case::new("mpi_wrong.elf", ranks) }.run();
    assert!(text.contains("rank 0 begins\n"), "what was printed before is told: {text}");
    run.unwrap_err().to_string()
}

#[test]
fn a_ring_of_receives_is_told_with_ranks_tags_and_places() {
    let text = sentence(2);
    assert!(
        text.starts_with(
            "deadlock: nobody sends what the ranks wait for: rank 0 in MPI_Recv at main+0x"
        ),
        "{text}"
    );
    assert!(text.contains(" for tag 5 from rank 1; rank 1 in MPI_Recv at main+0x"), "{text}");
    let text = sentence(11);
    assert!(text.contains("rank 1 in MPI_Barrier at main+0x"), "{text}");
    assert!(text.contains(" for the tag of a barrier from rank 0, which has ended;"), "{text}");
}

#[test]
fn what_a_program_does_wrong_is_told_in_a_sentence() {
    let expected = [
        (
            3,
            "rank 2: MPI_Recv at main+",
            ": the message with tag 9 from rank 1 has 32 bytes, and the buffer has room for 16",
        ),
        (4, "rank 3: MPI_Send at main+", ": there is no rank 4; the run has the ranks 0 to 3"),
        (
            5,
            "rank 1: the program ended with exit code 3 without MPI_Finalize; its last call was MPI_Comm_size at main+",
            "",
        ),
        (6, "rank 4: at main+", "store at 0x8: the TLB has no valid page for it"),
        (7, "rank 5: MPI_Bcast at main+", ": 1234 is no datatype of this MPI"),
        (
            8,
            "all ranks have ended, and 1 messages were not received; the first is tag 11 from rank 6 to rank 7",
            "",
        ),
        (9, "rank 2: MPI_Abort at main+", ": the program ends the run with code 17"),
        (10, "rank 3: at main+", ": did not end within 1000000 cycles (--max-cycles)"),
        (12, "rank 9: MPI_Send at main+", ": the tag is -3; tags are from 0 to 8388607"),
        (13, "rank 1: MPI_Recv at main+", ": it waits for tag 2 from itself, and has not sent it"),
        (
            14,
            "rank 0: MPI_Finalize at main+",
            ": a receive from rank 1 with tag 2 was not waited for",
        ),
        (15, "rank 0: MPI_Init at main+", ": MPI_Init was called before"),
        (
            16,
            "rank 1: MPI_Comm_size at main+",
            ": the 4096 bytes at the physical address 0xffff800 are not all memory",
        ),
        (17, "rank 1: MPI_Comm_size at main+", ": the message unit has no request 77"),
        (
            18,
            "rank 1: MPI_Comm_size at main+",
            ": there is no rank 99; the run has the ranks 0 to 17",
        ),
    ];
    for (ranks, begin, part) in expected {
        let text = sentence(ranks);
        assert!(text.starts_with(begin) && text.contains(part), "{ranks}: {text}");
    }
}

#[test]
fn a_call_before_the_begin_is_refused() {
    let text = Case::new("mpi_wrong.elf", 20).run().0.unwrap_err().to_string();
    assert!(text.starts_with("rank 0: MPI_Barrier at main+"), "{text}");
    assert!(text.ends_with(": MPI_Init was not called before"), "{text}");
}

#[test]
fn a_program_of_one_processor_alone_is_no_program_of_several() {
    let (run, _) = Case::new("scale.elf", 2).run();
    let text = run.unwrap_err().to_string();
    assert_eq!(text, "rank 0: the program ended with exit code 0 without MPI_Init");
    let (run, text) = Case::new("fault.elf", 2).run();
    assert_eq!(text, "before\nbefore\n");
    let text = run.unwrap_err().to_string();
    assert!(text.starts_with("rank 0: at 0x") && text.contains(": CP2: "), "{text}");
}

#[test]
fn files_that_are_no_programs_are_refused() {
    let stop = |elf: Vec<u8>| Case { elf, ..Case::new("mpi_ring.elf", 2) }.run().0.unwrap_err();
    let text = stop(b"no program".to_vec()).to_string();
    assert!(text.starts_with("program.elf: "), "{text}");
    // A segment where no memory is: the program begins at 0xffffffffa0... of 64 GiB.
    let mut elf = built("mpi_ring.elf");
    let at = elf.windows(8).position(|w| w == [0xff, 0xff, 0xff, 0xff, 0x80, 0x10, 0, 0]).unwrap();
    let places: Vec<usize> =
        (at..400).filter(|&k| elf[k..k + 6] == [0xff, 0xff, 0xff, 0xff, 0x80, 0x10]).collect();
    places.iter().for_each(|&k| elf[k + 4] = 0x9f);
    match stop(elf) {
        ClusterProgramError::Cluster(error) => match *error {
            ClusterError::Rank { rank: 0, error } => assert_eq!(error.stop, ProgramStop::Input),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}
