//! Times of messages by hand, and the accounts of ranks and links.

use super::kit::{exchange, read, shipped_topology};
use cp2_cluster::{
    ClusterOptions, ClusterOutcome, Endpoint, MessageError, MessageOverheads, RankAccount, Tick,
    TimeCause, Topology, run, shipped,
};

/// Two chips with a switch between them; a byte takes 84 ticks, so 1 ns, on each link.
const PAIR: &str = r#"
name = "pair"
machine = "vm9"
chips = ["a", "b"]
switches = ["s"]
[message]
send_ns = 10
recv_ns = 20
[[link]]
ends = ["a", "s"]
latency_ns = 5
bytes_per_second = 1_000_000_000
packet_bytes = 100
header_bytes = 4
[[link]]
ends = ["s", "b"]
latency_ns = 7
bytes_per_second = 500_000_000
packet_bytes = 100
header_bytes = 4
"#;

fn done<T>(
    topology: &Topology,
    start: impl Fn(Endpoint) -> futures::Running<T>,
) -> ClusterOutcome<T>
where
    T: Send + 'static,
{
    run::<T, MessageError, _>(topology, &ClusterOptions::default(), start).unwrap()
}

/// Boxed functions of ranks, so that both ranks of a test may have one of their own.
mod futures {
    use super::MessageError;
    use std::pin::Pin;
    pub(super) type Running<T> = Pin<Box<dyn Future<Output = Result<T, MessageError>> + Send>>;
}

#[test]
fn packets_are_stored_and_forwarded() {
    let topology = read(PAIR).unwrap().topology([1, 1, 2]).unwrap();
    let outcome = done(&topology, |mut endpoint| {
        Box::pin(async move {
            if endpoint.rank() == 0 {
                endpoint.advance_to(Tick::from_ns(1000.0), TimeCause::Computing);
                endpoint.send(1, 0, vec![0; 250])?;
            } else {
                endpoint.recv(0, 0).await?;
            }
            Ok(endpoint.clock())
        })
    });
    // Sent at 1010. Packets of 104, 104 and 54 ns on the first link end there at 1114, 1218, 1272; 5 ns later each is ready for
    // the second, which takes twice as long: 1119 to 1327, 1327 to 1535, 1535 to 1643; 7 ns to the end, and 20 of the receiver.
    assert_eq!(outcome.results, [Tick::from_ns(1010.0), Tick::from_ns(1670.0)]);
    let record = outcome.messages[0];
    assert_eq!((record.sent, record.arrival), (Tick::from_ns(1010.0), Tick::from_ns(1650.0)));
    let account = outcome.accounts[1];
    let ns = TimeCause::ALL.map(|cause| account.of(cause).ns());
    // Computing, packing, overhead, wire, latency, contention, late neighbour.
    assert_eq!(ns, [0.0, 0.0, 20.0, 628.0, 12.0, 0.0, 1010.0]);
    let busy: Vec<_> = outcome.links.iter().map(|link| (link.bytes, link.busy.ns())).collect();
    assert_eq!(busy, [(262, 262.0), (0, 0.0), (262, 524.0), (0, 0.0)]);
}

#[test]
fn the_smallest_packets_of_a_route_are_those_of_a_message() {
    // Whichever link has the packets of 64, both carry them; a message without bytes is one packet.
    for (sizes, bytes, packets) in
        [([64, 512], 128, 2), ([512, 64], 128, 2), ([64, 64], 129, 3), ([512, 64], 0, 1)]
    {
        let mut text = PAIR.to_owned();
        for size in sizes {
            text = text.replacen("packet_bytes = 100", &format!("packet_bytes = {size}"), 1);
        }
        let topology = read(&text).unwrap().topology([1, 1, 2]).unwrap();
        let outcome = done(&topology, move |mut endpoint| {
            Box::pin(async move {
                match endpoint.rank() {
                    0 => endpoint.send(1, 0, vec![0; bytes])?,
                    _ => drop(endpoint.recv(0, 0).await?),
                }
                Ok(())
            })
        });
        for link in [0, 2] {
            let used = &outcome.links[link];
            let moved = bytes as u64 + 4 * packets;
            assert_eq!((used.packets, used.bytes), (packets, moved), "{sizes:?}, link {link}");
        }
        // Nobody else is on the links.
        assert_eq!(outcome.accounts[1].of(TimeCause::Contention), Tick::ZERO);
        if bytes == 128 {
            // Sent at 10, packets of 68 ns: at the switch at 83 and 151; 136 each behind it: 219 and 355, and 7 of the latency.
            assert_eq!(outcome.messages[0].arrival, Tick::from_ns(362.0));
        }
    }
}

/// Sends messages from rank 0 to rank 1, so many of so many bytes, and returns the error of the run.
fn overrun(topology: &Topology, messages: u32, bytes: usize) -> String {
    let start = |mut endpoint: Endpoint| async move {
        for tag in 0..messages {
            match endpoint.rank() {
                0 => endpoint.send(1, tag, vec![0; bytes])?,
                _ => drop(endpoint.recv(0, tag).await?),
            }
        }
        Ok::<_, MessageError>(())
    };
    run(topology, &ClusterOptions::default(), start).unwrap_err().to_string()
}

/// Returns a topology of packets of one byte with the longest headers, at one byte per second: 2^64 ticks are 3350 packets.
fn slowest(text: &str) -> Topology {
    let line = |line: &str| match line.split(' ').next() {
        Some("packet_bytes") => "packet_bytes = 1\n".to_owned(),
        Some("header_bytes") => "header_bytes = 65536\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    read(&text).unwrap().topology([1, 1, 2]).unwrap().with_rate(1)
}

#[test]
fn a_time_beyond_the_last_tick_is_an_error() {
    // On a link of its own a message is one step; to a switch each packet is.
    let (one, two) = (slowest(shipped::text("formula").unwrap()), slowest(PAIR));
    let end = "is beyond 2^64 ticks of 1/84 ns, some seven years; give links a higher rate or smaller headers";
    assert_eq!(overrun(&one, 1, 4000), format!("the time of link z: c0 > c1 {end}"));
    assert_eq!(overrun(&one, 1, 6700), format!("the time of link z: c0 > c1 {end}"));
    // The third one is the second on its link.
    assert_eq!(overrun(&one, 3, 2000), format!("the time of link z: c0 > c1 {end}"));
    assert_eq!(overrun(&two, 1, 4000), format!("the time of link a > s {end}"));
    assert!(overrun(&two.with_latency(Tick(u64::MAX / 2)), 1, 1).contains("link s > b is beyond"));
    // The sender is past the last tick itself.
    let late = MessageOverheads { send: Tick(u64::MAX / 2), recv: Tick::ZERO };
    let late = overrun(&shipped_topology("formula", [1, 1, 2]).with_overheads(late), 3, 1);
    assert_eq!(late, format!("the time of rank 0 {end}"));
}

#[test]
fn messages_of_one_sender_follow_each_other_on_a_link() {
    let topology = shipped_topology("formula", [1, 1, 3]);
    let outcome = done(&topology, |mut endpoint| {
        Box::pin(async move {
            let (rank, bytes) = (endpoint.rank(), 12_500);
            if rank == 0 {
                endpoint.send(1, 0, vec![0; bytes])?;
                endpoint.send(1, 1, vec![0; bytes])?;
            } else if rank == 1 {
                // The second one first: it is in time all the same.
                let second = endpoint.recv(0, 1).await?.arrival;
                let first = endpoint.recv(0, 0).await?.arrival;
                return Ok(vec![first, second]);
            }
            Ok(Vec::new())
        })
    });
    // 12500 bytes at 1250 MB/s are 10 us; packets of 256 bytes round up by less than a tick each.
    for (found, us) in outcome.results[1].iter().zip([10.0, 20.0]) {
        assert!((found.ns() / 1e3 - us).abs() < 2.0 * 49.0 / 84e3 + 1e-4, "{found}");
    }
    // The wait for the second message is all of the wire: nobody else is on the link, but a message before it.
    let account = outcome.accounts[1];
    assert_eq!(account.total(), outcome.results[1][1]);
    assert!(account.of(TimeCause::Contention).ns() > 9990.0);
}

#[test]
fn ranks_that_never_exchange_take_the_longest_of_their_times() {
    let topology = shipped_topology("vm9-torus", [1, 2, 4]);
    let outcome = done(&topology, |mut endpoint| {
        Box::pin(async move {
            let end = Tick(1000 * (endpoint.rank() as u64 * 7 % 8));
            endpoint.advance_to(end, TimeCause::Computing);
            Ok(())
        })
    });
    assert_eq!(outcome.end(), Tick(7000));
    assert!(outcome.messages.is_empty());
}

#[test]
fn what_is_sent_is_received_and_links_are_busy_for_its_bytes() {
    for (name, grid) in [
        ("vm9-torus", [2, 2, 4]),
        ("vm9-ports", [2, 2, 2]),
        ("vm9-chips", [2, 2, 2]),
        ("vm7-switch", [2, 2, 2]),
    ] {
        let topology = shipped_topology(name, grid);
        let outcome = done(&topology, move |mut endpoint| {
            Box::pin(async move {
                let bytes = 5000 + 1000 * endpoint.rank();
                endpoint.advance_to(Tick(bytes as u64 * 40), TimeCause::Computing);
                let sum = exchange(&mut endpoint, grid, [3000, 100, 0]).await?;
                endpoint.barrier().await;
                Ok((sum, endpoint.clock()))
            })
        });
        let ranks = topology.ranks();
        let payload: u64 = outcome.messages.iter().map(|message| message.bytes).sum();
        let sent: usize = [3000, 100, 0]
            .iter()
            .zip(grid)
            .filter(|(_, n)| *n > 1)
            .map(|(b, _)| 2 * b * ranks)
            .sum();
        assert_eq!(payload, sent as u64, "{name}");
        // Every face of a neighbour has arrived whole.
        let checksum: u64 = outcome.results.iter().map(|result| result.0).sum();
        let ranks_sum: usize = (1..=ranks).sum();
        assert_eq!(checksum as usize, ranks_sum * (2 * 3000 + 2 * 100), "{name}");
        for (link, of) in topology.links().iter().zip(&outcome.links) {
            let exact =
                of.bytes as f64 * Tick::PER_SECOND as f64 / link.model().bytes_per_second as f64;
            let over = of.busy.0 as f64 - exact;
            assert!((-0.5..=of.packets as f64).contains(&over), "{name}, {}: {over}", link.name());
        }
        // Every tick of a rank has a cause: the clock is the sum, and only causes that can be are there.
        for (account, (_, clock)) in outcome.accounts.iter().zip(&outcome.results) {
            let all: Tick = TimeCause::ALL.iter().map(|&cause| account.of(cause)).sum();
            assert_eq!(all, *clock, "{name}");
            assert!(
                account.of(TimeCause::Packing) == Tick::ZERO
                    && account.of(TimeCause::Wire) > Tick::ZERO
            );
        }
    }
}

#[test]
fn sums_are_the_same_bits_in_all_ranks() {
    for grid in [[1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 3], [2, 2, 4]] {
        let topology = shipped_topology("vm9-torus", grid);
        let outcome = done(&topology, |mut endpoint| {
            Box::pin(async move {
                let value = 0.1 * (endpoint.rank() + 1) as f64;
                let sum = endpoint.sum(value).await;
                Ok((sum.to_bits(), endpoint.maximum(value).await))
            })
        });
        let ranks = topology.ranks();
        let (sum, largest) = outcome.results[0];
        assert!(outcome.results.iter().all(|result| *result == (sum, largest)));
        assert!((f64::from_bits(sum) - 0.05 * (ranks * (ranks + 1)) as f64).abs() < 1e-12);
        assert_eq!(largest, 0.1 * ranks as f64);
        assert_eq!(ranks == 1, outcome.end() == Tick::ZERO);
    }
    assert_eq!(RankAccount::default().total(), Tick::ZERO);
}
