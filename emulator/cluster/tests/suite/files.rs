//! Topology files: those that come with the program, and what is refused.

use super::kit::{read, shipped_topology};
use cp2_cluster::{Tick, shipped};

const PAIR: &str = r#"name = "pair"
machine = "vm9"
chips = ["a", "b"]
[message]
send_ns = 1
recv_ns = 1
[[link]]
ends = ["a", "b"]
latency_ns = 10
bytes_per_second = 1000
packet_bytes = 256
header_bytes = 16
"#;

fn refused(from: &str, to: &str) -> String {
    assert!(PAIR.contains(from), "{from}");
    read(&PAIR.replace(from, to)).unwrap_err()
}

fn flaw(text: &str, grid: [usize; 3]) -> String {
    read(text).unwrap().topology(grid).unwrap_err().to_string()
}

#[test]
fn shipped_files_are_read_and_tell_their_assumptions() {
    for (name, text) in shipped::FILES {
        let file = read(text).unwrap();
        assert_eq!(file.name, name);
        assert!(["vm7", "vm9"].contains(&file.machine.as_str()));
        assert!(!file.assumptions.is_empty(), "{name}");
        let grid = match file.processors() {
            Some(2) => [1, 1, 2],
            _ => [2, 2, 2],
        };
        assert!(file.topology(grid).unwrap().lookahead().unwrap() >= Tick(1));
        assert_eq!(shipped::text(&format!("{name}.toml")), Some(text));
    }
    let file = read(shipped::text("vm9-chips").unwrap()).unwrap();
    assert_eq!(file.assumptions[0].0, "message.send_ns");
    assert_eq!(file.assumptions.len(), 8);
    assert_eq!(shipped::text("vm8"), None);
}

#[test]
fn a_torus_has_a_link_for_each_face() {
    let links = |name, grid| shipped_topology(name, grid).links().len() / 2;
    assert_eq!(links("vm9-torus", [1, 1, 2]), 2);
    assert_eq!(links("vm9-torus", [2, 2, 2]), 24);
    assert_eq!(links("vm9-torus", [2, 2, 4]), 48);
    assert_eq!(links("vm9-torus", [1, 1, 1]), 0);
    assert_eq!(links("vm9-ports", [2, 2, 2]), 12);
    // Four links between chips, and the switch in each.
    assert_eq!(links("vm9-chips", [2, 2, 2]), 8);
    assert_eq!(links("vm9-chips", [1, 1, 2]), 1);
}

#[test]
fn flaws_of_keys_and_values_are_told() {
    assert_eq!(
        refused("latency_ns = 10", "latency_ns = 0"),
        "link.latency_ns is 0; it takes nanoseconds from 1/84 (a message takes time from processor to processor) to 1000000000"
    );
    assert_eq!(
        refused("send_ns = 1", "send_ns = -1"),
        "message.send_ns is -1; it takes nanoseconds from 0 to 1000000000"
    );
    assert!(
        refused("packet_bytes = 256", "packet_bytes = 0")
            .starts_with("link.packet_bytes is 0; it takes")
    );
    assert!(refused("= 1000\n", "= 1\n").starts_with("link.bytes_per_second is 1; it takes"));
    assert!(
        refused("packet_bytes = 256", "packet_bytes = 16_777_217")
            .starts_with("link.packet_bytes is 16777217; it takes")
    );
    assert!(
        refused("header_bytes = 16", "header_bytes = 65_537")
            .starts_with("link.header_bytes is 65537; it takes")
    );
    assert!(refused("header_bytes", "heading").contains("has no key `heading`"));
    assert_eq!(
        refused("header_bytes = 16\n", ""),
        "`link.header_bytes` is missing: the bytes of a packet beside those of the message"
    );
    assert_eq!(
        refused("ends = [\"a\", \"b\"]", "ends = [\"a\", \"c\"]"),
        "\"c\" is no chip and no switch; there are a, b"
    );
    assert_eq!(
        refused("ends = [\"a\", \"b\"]", "ends = [\"a\"]"),
        "link.ends has 1 places; a link has two ends"
    );
    assert_eq!(
        refused("chips = [\"a\", \"b\"]", "chips = []"),
        "chips is empty; it takes the chip of each processor"
    );
    assert!(refused("[message]", "[torus]\n[message]").contains("chips stands beside [torus]"));
    let route = format!("{PAIR}[[route]]\nplaces = [\"a\"]\n");
    assert_eq!(read(&route).unwrap_err(), "route.places has fewer than two places");
    let origin = PAIR.replace("send_ns = 1", "send_ns = { value = 1 }");
    assert_eq!(
        read(&origin).unwrap_err(),
        "`message.send_ns.origin` is missing: where the value comes from"
    );
}

#[test]
fn names_are_not_empty_and_do_not_come_twice() {
    assert!(
        refused("chips = [\"a\", \"b\"]", "chips = [\"\", \"\"]")
            .starts_with("chips has an empty name; each place takes a name\n")
    );
    let switches = |names: &str| refused("[message]", &format!("switches = {names}\n[message]"));
    assert_eq!(switches("[\"s\", \"\"]"), "switches has an empty name; each place takes a name");
    assert_eq!(
        switches("[\"s\", \"a\"]"),
        "switches has \"a\", which chips has too; give it another name"
    );
    assert_eq!(
        switches("[\"s\", \"t\", \"s\"]"),
        "switches has \"s\", which switches before it has too; give it another name"
    );
}

#[test]
fn topologies_that_do_not_serve_the_processors_are_refused() {
    let apart = PAIR.replace("chips = [\"a\", \"b\"]", "chips = [\"a\", \"b\", \"c\"]");
    assert_eq!(flaw(&apart, [1, 1, 3]), "the topology is not connected: no links lead from a to c");
    assert_eq!(
        flaw(PAIR, [1, 2, 2]),
        "the file lists the chips of 2 processors, and 4 were asked for; give --processors 2 or another file"
    );
    let together = PAIR.replace("chips = [\"a\", \"b\"]", "chips = [\"a\", \"a\", \"b\"]");
    assert_eq!(
        flaw(&together, [1, 1, 3]),
        "a has several processors and no link from a to a, over which they would exchange messages"
    );
    assert_eq!(
        flaw(shipped::text("vm9-ports").unwrap(), [2, 2, 4]),
        "c0 would need 4 links to other chips and has 3 ports; give fewer processors, or a file with more ports"
    );
    assert_eq!(
        flaw(shipped::text("vm9-chips").unwrap(), [1, 1, 1]),
        "1 processors do not fill chips of 2; give a multiple of 2"
    );
}

#[test]
fn a_route_that_is_given_is_taken() {
    let ring = r#"name = "ring"
machine = "vm9"
chips = ["a", "b", "c"]
[message]
send_ns = 0
recv_ns = 0
"#;
    let link = |a: &str, b: &str| {
        format!(
            "[[link]]\nends = [\"{a}\", \"{b}\"]\nlatency_ns = 10\nbytes_per_second = 1_000_000_000\npacket_bytes = 1\nheader_bytes = 0\n"
        )
    };
    let ring = format!("{ring}{}{}{}", link("a", "b"), link("b", "c"), link("a", "c"));
    let time = |text: &str| {
        let topology = read(text).unwrap().topology([1, 1, 3]).unwrap();
        let start = |mut endpoint: cp2_cluster::Endpoint| async move {
            match endpoint.rank() {
                0 => endpoint.send(2, 0, vec![0])?,
                2 => drop(endpoint.recv(0, 0).await?),
                _ => {}
            }
            Ok::<_, cp2_cluster::MessageError>(endpoint.clock().ns())
        };
        cp2_cluster::run(&topology, &cp2_cluster::ClusterOptions::default(), start).unwrap().results
            [2]
    };
    assert_eq!(time(&ring), 11.0);
    let routes = |all: &[&str]| {
        let routes: String =
            all.iter().map(|places| format!("[[route]]\nplaces = [{places}]\n")).collect();
        read(&format!("{}{routes}", ring.replace("[message]", "switches = [\"s\"]\n[message]")))
    };
    let second = routes(&["\"a\", \"b\", \"c\"", "\"c\", \"b\", \"a\"", "\"a\", \"c\""]);
    assert_eq!(
        second.unwrap_err(),
        "a second route leads from a to c; give one for each direction"
    );
    assert_eq!(
        routes(&["\"a\", \"b\", \"a\""]).unwrap_err(),
        "route.places leads from a to a; a route leads from a chip to another chip"
    );
    assert_eq!(
        routes(&["\"a\", \"s\""]).unwrap_err(),
        "no link leads from a to s, as the route does"
    );
    assert_eq!(time(&format!("{ring}[[route]]\nplaces = [\"a\", \"b\", \"c\"]\n")), 22.0);
}
