//! A rank of this process under way: its function, and the mailbox by which it and the run talk to each other.

use crate::endpoint::{Mailbox, open};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Function of a rank under way.
pub(crate) type Running<'r, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'r>>;

/// A rank of a run.
pub(crate) struct RankState<'r, T, E> {
    pub(crate) rank: usize,
    pub(crate) running: Option<Running<'r, T, E>>,
    pub(crate) result: Option<Result<T, E>>,
    pub(crate) mailbox: Arc<Mutex<Mailbox>>,
}

impl<T, E> RankState<'_, T, E> {
    /// Lets the rank go on if it can, until it waits or ends.
    pub(crate) fn poll(&mut self) {
        if !open(&self.mailbox).is_ready() {
            return;
        }
        self.poll_once();
    }

    /// Lets the rank leave its state in its mailbox, if it can.
    pub(crate) fn leave_state(&mut self) {
        open(&self.mailbox).wants_state = self.running.is_some();
        self.poll_once();
    }

    fn poll_once(&mut self) {
        let Some(running) = &mut self.running else { return };
        if let Poll::Ready(result) = running.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            self.running = None;
            self.result = Some(result);
        }
    }
}
