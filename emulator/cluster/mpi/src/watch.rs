//! The death of a process, told by those that live. All processes are connected with the first one; the system closes the
//! connection of a process that dies, on whatever computer. A process that ends as it should says so before.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A process that has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostProcess {
    /// Number of the process.
    pub process: usize,
    /// Number of processes of the run.
    pub processes: usize,
}

/// Called before this process ends because of others: with the process that has died if this one is to tell of it.
pub(crate) type Lost = Box<dyn Fn(Option<LostProcess>) + Send + Sync>;

/// Said by a process that ends as it should.
const GOODBYE: u8 = b'e';
/// Said by the first process when another one has died and it has told so.
const TOLD: u8 = b't';
/// Exit code of a process that ends because another one has died, that of a process which SIGTERM ends.
const CODE: i32 = 128 + SIGTERM;
/// Time in which all processes have to be connected.
const PATIENCE: Duration = Duration::from_secs(20);
/// Time in which a death is noticed after `mpirun` has begun to end the processes because of it.
const NOTICE: Duration = Duration::from_millis(600);

/// Connections of this process.
pub(crate) struct Watch {
    connections: Arc<Connections>,
}

struct Connections {
    process: usize,
    processes: usize,
    /// Connections by the processes at their other ends.
    all: Mutex<Vec<(usize, TcpStream)>>,
    /// Whether this process is ending, so that nothing is told any more.
    is_over: AtomicBool,
    lost: Lost,
}

impl Watch {
    /// Says to the other processes that this one ends as it should.
    pub(crate) fn end(self) {
        self.connections.is_over.store(true, Ordering::SeqCst);
        self.connections.say(GOODBYE);
    }
}

impl Connections {
    fn say(&self, word: u8) {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, connection) in all.iter() {
            // A process that does not listen any more has ended.
            let _ = (&*connection).write_all(&[word]);
        }
    }

    /// Listens to a process until it ends.
    fn listen(&self, process: usize, mut connection: TcpStream) {
        let mut word = [0];
        let said = connection.read_exact(&mut word).map(|()| word[0]);
        if self.is_over.load(Ordering::SeqCst) || matches!(said, Ok(GOODBYE)) {
            return;
        }
        if self.is_over.swap(true, Ordering::SeqCst) {
            return;
        }
        // One process tells: the first, or the second of the first.
        let tells = said.is_err() && self.process <= 1;
        (self.lost)(tells.then_some(LostProcess { process, processes: self.processes }));
        self.say(TOLD);
        std::process::exit(CODE);
    }
}

/// Begins to listen to connections and to signals. `mpirun` ends all processes when one has died, so a signal waits for what the
/// connections tell.
fn begin_with(
    [process, processes]: [usize; 2],
    all: Vec<(usize, TcpStream)>,
    lost: Lost,
) -> Option<Watch> {
    let copies: Option<Vec<_>> =
        all.iter().map(|(of, one)| Some((*of, one.try_clone().ok()?))).collect();
    let is_over = AtomicBool::new(false);
    let all_of_them = Mutex::new(all);
    let connections = Arc::new(Connections { process, processes, all: all_of_them, is_over, lost });
    for (of, copy) in copies? {
        let connections = connections.clone();
        thread::spawn(move || connections.listen(of, copy));
    }
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]).ok()?;
    let at_signal = connections.clone();
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            thread::sleep(NOTICE);
            if !at_signal.is_over.swap(true, Ordering::SeqCst) {
                (at_signal.lost)(None);
                at_signal.say(TOLD);
                std::process::exit(128 + signal);
            }
        }
    });
    Some(Watch { connections })
}

/// Opens a port at which the first process takes connections. Returns it with its addresses and a word that nobody else knows.
pub(crate) fn offer(computer: &str) -> Option<(TcpListener, Vec<SocketAddr>, u64)> {
    let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    let port = listener.local_addr().ok()?.port();
    let of_name = (computer, port).to_socket_addrs().into_iter().flatten();
    let here = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let addresses = of_name.chain([here]).filter(SocketAddr::is_ipv4).collect();
    Some((listener, addresses, getrandom::u64().ok()?))
}

/// Takes the connections of all other processes, in the first one.
pub(crate) fn begin_first(
    listener: &TcpListener,
    word: u64,
    processes: usize,
    lost: Lost,
) -> Option<Watch> {
    listener.set_nonblocking(true).ok()?;
    let deadline = Instant::now() + PATIENCE;
    let mut all: Vec<(usize, TcpStream)> = Vec::new();
    while all.len() + 1 < processes {
        let taken = listener.accept().ok().and_then(|(one, _)| greeted(one, word));
        match taken {
            Some((process, one)) if all.iter().all(|(known, _)| *known != process) => {
                all.push((process, one));
            }
            Some(_) => {}
            None if Instant::now() > deadline => return None,
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
    begin_with([0, processes], all, lost)
}

/// Reads who has connected, and answers; `None` if the other end does not know the word.
fn greeted(mut connection: TcpStream, word: u64) -> Option<(usize, TcpStream)> {
    connection.set_nonblocking(false).ok()?;
    connection.set_read_timeout(Some(Duration::from_secs(2))).ok()?;
    let (mut known, mut process) = ([0; 8], [0; 8]);
    connection.read_exact(&mut known).ok()?;
    connection.read_exact(&mut process).ok()?;
    if u64::from_le_bytes(known) != word {
        return None;
    }
    connection.write_all(&known).ok()?;
    connection.set_read_timeout(None).ok()?;
    Some((usize::try_from(u64::from_le_bytes(process)).ok()?, connection))
}

/// Connects with the first process, in another one.
pub(crate) fn begin(
    [process, processes]: [usize; 2],
    addresses: &[SocketAddr],
    word: u64,
    lost: Lost,
) -> Option<Watch> {
    let connected = addresses.iter().find_map(|address| {
        let mut connection = TcpStream::connect_timeout(address, Duration::from_secs(2)).ok()?;
        connection.write_all(&word.to_le_bytes()).ok()?;
        connection.write_all(&(process as u64).to_le_bytes()).ok()?;
        connection.set_read_timeout(Some(PATIENCE)).ok()?;
        let mut answer = [0; 8];
        connection.read_exact(&mut answer).ok()?;
        connection.set_read_timeout(None).ok()?;
        (u64::from_le_bytes(answer) == word).then_some(connection)
    })?;
    begin_with([process, processes], vec![(0, connected)], lost)
}
