//! The server of a page: on this computer alone, at an address with a random token.

use crate::explorer::{ExploreError, Explorer};
use crate::guard::{Refused, RequestGuard};
use crate::text_file::SaveWish;
use crate::wish::ExploreWish;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use cp2_asm::sched::Interrupt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::UnboundedReceiverStream;

/// Most bytes of a request.
const LONGEST: usize = 8 << 20;
/// Texts that are explored at once; more wait for their turn, and go unless they are still wanted then.
const AT_ONCE: usize = 3;

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
/// Lines, each a JSON value of its own.
const LINES: &str = "application/x-ndjson";
const SAME_ORIGIN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// A server that pages of a browser talk with. It ends when it is dropped.
#[derive(Debug)]
pub struct ExploreServer {
    address: String,
    runtime: Option<Runtime>,
    /// End of the server, if it comes to one.
    ended: JoinHandle<io::Result<()>>,
}

struct Served {
    explorer: Arc<Explorer>,
    guard: RequestGuard,
    turns: Arc<Semaphore>,
}

/// A cycle of the run of a wish.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CycleWish {
    wish: ExploreWish,
    cycle: u64,
}

impl ExploreServer {
    /// Starts a server on a port of this computer; port 0 lets the system choose.
    ///
    /// # Errors
    /// The port is taken or not to be had, or the system gives no threads or random numbers.
    pub fn start(explorer: Explorer, port: u16) -> Result<Self, ExploreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_io()
            .build()
            .map_err(ExploreError::System)?;
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener =
            runtime.block_on(TcpListener::bind(at)).map_err(|e| without_port(port, e))?;
        let port = listener.local_addr().map_err(ExploreError::System)?.port();
        let guard = RequestGuard::new(token()?, port);
        let address = guard.address();
        let served = Served {
            explorer: Arc::new(explorer),
            guard,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        };
        let router = Router::new().fallback(answer).with_state(Arc::new(served));
        let ended = runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, runtime: Some(runtime), ended })
    }

    /// Returns the address of the page.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Waits until the server cannot go on.
    ///
    /// # Errors
    /// The reason for which it cannot.
    pub fn wait(&mut self) -> Result<(), io::Error> {
        match &self.runtime {
            Some(runtime) => runtime.block_on(&mut self.ended).unwrap_or(Ok(())),
            None => Ok(()),
        }
    }
}

impl Drop for ExploreServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn without_port(port: u16, error: io::Error) -> ExploreError {
    let advice =
        "give another one with --port, or leave the option out, and the system chooses one";
    match error.kind() {
        io::ErrorKind::AddrInUse => ExploreError::Port(format!(
            "port {port} of this computer is in use by another program, perhaps another `cp2 explore`; {advice}"
        )),
        io::ErrorKind::PermissionDenied => ExploreError::Port(format!(
            "port {port} of this computer is not permitted to you; {advice}"
        )),
        _ => ExploreError::System(error),
    }
}

/// Returns 128 random bits as text.
fn token() -> Result<String, ExploreError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|e| ExploreError::System(io::Error::other(e)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns a response with the headers that all have.
fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let all = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (SAME_ORIGIN, "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refusal(refused: Refused) -> Response {
    response(StatusCode::FORBIDDEN, TEXT, Body::from(format!("{}\n", refused.sentence())))
}

/// Returns an answer, or the sentence that there is none.
fn json_of(answer: Result<Value, String>) -> Response {
    match answer {
        Ok(value) => response(StatusCode::OK, JSON, Body::from(value.to_string())),
        Err(message) => {
            let body = json!({ "message": message }).to_string();
            response(StatusCode::UNPROCESSABLE_ENTITY, JSON, Body::from(body))
        }
    }
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("the page asks for something else: {error}"))
}

async fn answer(State(served): State<Arc<Served>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let wanted = match served.guard.checked(&head.method, &head.headers, &path) {
        Ok(wanted) => wanted.to_owned(),
        Err(refused) => return refusal(refused),
    };
    let Ok(body) = to_bytes(body, LONGEST).await else {
        let message = format!("the text is longer than {} MiB", LONGEST >> 20);
        let body = json!({ "message": message }).to_string();
        return response(StatusCode::PAYLOAD_TOO_LARGE, JSON, Body::from(body));
    };
    let explorer = Arc::clone(&served.explorer);
    match (&head.method, &*wanted) {
        (&Method::GET, "") => page(&explorer),
        (&Method::GET, "file") => json_of(worked(move || explorer.file_now()).await),
        (&Method::POST, "save") => json_of(
            worked(move || read(&body).and_then(|wish: SaveWish| explorer.save(&wish))).await,
        ),
        (&Method::POST, "explore") => match read(&body) {
            Ok(wish) => explored(&served, wish).await,
            Err(message) => json_of(Err(message)),
        },
        (&Method::POST, "cycle") => json_of(
            worked(move || {
                let CycleWish { wish, cycle } = read(&body)?;
                explorer.cycle(&wish, cycle, &Interrupt::new())
            })
            .await,
        ),
        (&Method::POST, "window") => json_of(
            worked(move || {
                let CycleWish { wish, cycle } = read(&body)?;
                explorer.window(&wish, cycle, &Interrupt::new())
            })
            .await,
        ),
        (&Method::POST, "share") => shared(&served, &body).await,
        _ => {
            let message = format!("the explorer has no {} {wanted:?}\n", head.method);
            response(StatusCode::NOT_FOUND, TEXT, Body::from(message))
        }
    }
}

/// Does work in a thread of its own.
async fn worked(
    work: impl FnOnce() -> Result<Value, String> + Send + 'static,
) -> Result<Value, String> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => answer,
        Err(_) => {
            Err("this is a bug of cp2, which the terminal tells; your text is kept".to_owned())
        }
    }
}

fn page(explorer: &Explorer) -> Response {
    let nonce = match token() {
        Ok(nonce) => nonce,
        Err(error) => {
            let body = Body::from(format!("{error}\n"));
            return response(StatusCode::INTERNAL_SERVER_ERROR, TEXT, body);
        }
    };
    let mut response = response(StatusCode::OK, HTML, Body::from(explorer.live_page(&nonce)));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// The wish of a page that waits for its answer. Once the page is gone, the work for it is broken off.
struct Asked(Interrupt);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.raise();
    }
}

/// Explores a text; each stage is a line of the answer. When the page asks no longer, because its text is another one by now, the work ends.
async fn explored(served: &Served, wish: ExploreWish) -> Response {
    // A page that goes while it waits here takes its wish with it.
    let Ok(turn) = Arc::clone(&served.turns).acquire_owned().await else {
        return json_of(Err("the explorer ends".to_owned()));
    };
    let (lines, told) = tokio::sync::mpsc::unbounded_channel::<Result<String, Infallible>>();
    let explorer = Arc::clone(&served.explorer);
    let asked = Asked(Interrupt::new());
    let interrupt = asked.0.clone();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut tell = |stage: Value| {
            // A page that is gone has raised the flag.
            let _ = lines.send(Ok(format!("{stage}\n")));
        };
        explorer.explore(&wish, &interrupt, &mut tell);
        tell(json!({ "stage": "done" }));
    });
    let told = UnboundedReceiverStream::new(told).map(move |line| {
        let _ = &asked;
        line
    });
    response(StatusCode::OK, LINES, Body::from_stream(told))
}

async fn shared(served: &Served, body: &Bytes) -> Response {
    let wish: ExploreWish = match read(body) {
        Ok(wish) => wish,
        Err(message) => return json_of(Err(message)),
    };
    let explorer = Arc::clone(&served.explorer);
    let page = worked(move || Ok(explorer.shared_page(&wish).into())).await;
    match page {
        Ok(Value::String(page)) => response(StatusCode::OK, HTML, Body::from(page)),
        Ok(_) => json_of(Err("there is no page".to_owned())),
        Err(message) => json_of(Err(message)),
    }
}
