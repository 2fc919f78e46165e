//! A request on its way through the gateway, as straight-line code that stops where IO is needed.
//!
//! The code is an `async fn` whose only await is [`Asker::ask`]: it hands a [`Step`] out and goes on with the
//! [`Event`] that the loop brings back. There is no executor, no waker and no IO in here; [`Flow::next`] is a plain
//! function from an event to the next step.

use super::io::{Event, Finish, Step};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Mailbox {
    step: Option<Step>,
    event: Option<Event>,
}

/// Asks the loop.
#[derive(Clone)]
pub(crate) struct Asker(Rc<RefCell<Mailbox>>);

impl Asker {
    /// Hands `step` to the loop and waits for what it did.
    pub async fn ask(&self, step: Step) -> Event {
        self.0.borrow_mut().step = Some(step);
        std::future::poll_fn(|_| match self.0.borrow_mut().event.take() {
            Some(event) => Poll::Ready(event),
            None => Poll::Pending,
        })
        .await
    }
}

/// One request.
pub struct Flow {
    mailbox: Rc<RefCell<Mailbox>>,
    code: Pin<Box<dyn Future<Output = Finish>>>,
}

impl Flow {
    /// Wraps the code of a request.
    pub(crate) fn new<F: Future<Output = Finish> + 'static>(code: impl FnOnce(Asker) -> F) -> Flow {
        let mailbox = Rc::new(RefCell::new(Mailbox::default()));
        Flow { code: Box::pin(code(Asker(mailbox.clone()))), mailbox }
    }

    /// Takes what the loop did and says what it is to do next. After [`Step::Finish`] there is no next.
    pub fn next(&mut self, event: Event) -> Option<Step> {
        if !matches!(event, Event::Start) {
            self.mailbox.borrow_mut().event = Some(event);
        }
        match self.code.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(finish) => Some(Step::Finish(finish)),
            Poll::Pending => self.mailbox.borrow_mut().step.take(),
        }
    }
}
