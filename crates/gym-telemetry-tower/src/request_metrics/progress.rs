//! What decides how a request ends. It knows nothing of HTTP, sockets or counters.

use std::ops::ControlFlow;

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is no response head yet.
    Waiting,
    /// The head is out and the body under way; `left` is what is missing of it, where its length was declared.
    Streaming { left: Option<u64> },
}

/// What can happen to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The service answered.
    Head(Payload),
    /// The server took so many bytes of the body.
    Data(u64),
    /// The server saw the end of the body.
    End,
    /// The service, or after the head its body, returned an error.
    Error,
    /// The service, or after the head its body, panicked.
    Panic,
    /// The server let go of the service's future, or after the head of the body.
    Drop,
}

/// What a server will ask of a response's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// Nothing: there is no body, or none that goes out.
    None,
    /// So many bytes. A server may drop the body after them, without asking for its end.
    Bytes(u64),
    /// Everything up to its end.
    Unknown,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The whole answer was handed to the server.
    Finished,
    /// The server let go of it before that: as a rule, because the client went away.
    Cancelled,
    /// An error that nothing turned into a response, or that cut a response short.
    Failed,
    /// A panic, in the same places.
    Panicked,
}

impl Progress {
    /// Takes the next event; breaks with the ending when it was the last.
    #[inline]
    pub(super) fn on(self, event: Event) -> ControlFlow<Ending, Self> {
        match (self, event) {
            (_, Event::Error) => ControlFlow::Break(Ending::Failed),
            (_, Event::Panic) => ControlFlow::Break(Ending::Panicked),

            (Self::Waiting, Event::Head(Payload::None)) => ControlFlow::Break(Ending::Finished),
            (Self::Waiting, Event::Head(Payload::Bytes(bytes))) => {
                ControlFlow::Continue(Self::Streaming { left: Some(bytes) })
            }
            (Self::Waiting, Event::Head(Payload::Unknown)) => ControlFlow::Continue(Self::Streaming { left: None }),

            (Self::Streaming { left }, Event::Data(bytes)) => {
                ControlFlow::Continue(Self::Streaming { left: left.map(|left| left.saturating_sub(bytes)) })
            }
            (Self::Streaming { .. }, Event::End) | (Self::Streaming { left: Some(0) }, Event::Drop) => {
                ControlFlow::Break(Ending::Finished)
            }

            (_, Event::Drop) => ControlFlow::Break(Ending::Cancelled),
            // A body before its head, or a second head: no server gets to see these.
            (Self::Waiting, Event::Data(_) | Event::End) | (Self::Streaming { .. }, Event::Head(_)) => {
                ControlFlow::Continue(self)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn payload() -> impl Strategy<Value = Payload> {
        prop_oneof![Just(Payload::None), (0_u64..200).prop_map(Payload::Bytes), Just(Payload::Unknown)]
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            3 => payload().prop_map(Event::Head),
            5 => (0_u64..100).prop_map(Event::Data),
            1 => Just(Event::End),
            1 => Just(Event::Error),
            1 => Just(Event::Panic),
            1 => Just(Event::Drop),
        ]
    }

    /// The same decision, read off the whole story instead of step by step.
    fn judge(story: &[Event]) -> Option<Ending> {
        let head = story.iter().position(|event| matches!(event, Event::Head(_)));
        let payload = head.map(|head| story[head]);
        let body = head.map_or(&[][..], |head| &story[head + 1..]);
        let sent: u64 = body.iter().map(|event| if let Event::Data(bytes) = event { *bytes } else { 0 }).sum();
        match story.last()? {
            Event::Error => Some(Ending::Failed),
            Event::Panic => Some(Ending::Panicked),
            Event::Head(Payload::None) if body.is_empty() => Some(Ending::Finished),
            Event::End if head.is_some() => Some(Ending::Finished),
            Event::Drop => match payload {
                Some(Event::Head(Payload::Bytes(bytes))) if sent >= bytes => Some(Ending::Finished),
                _ => Some(Ending::Cancelled),
            },
            _ => None,
        }
    }

    proptest! {
        /// Whatever happens in whatever order, the machine agrees with the judge after each event up to the ending;
        /// and as a future and a body are dropped in the end, there always is one.
        #[test]
        fn every_request_ends_once_and_rightly(mut story in prop::collection::vec(event(), 0..20)) {
            story.push(Event::Drop);
            let mut progress = Progress::Waiting;
            for step in 1..=story.len() {
                let ending = judge(&story[..step]);
                match progress.on(story[step - 1]) {
                    ControlFlow::Continue(next) => {
                        prop_assert_eq!(ending, None);
                        progress = next;
                    }
                    ControlFlow::Break(broke) => {
                        prop_assert_eq!(ending, Some(broke));
                        return Ok(());
                    }
                }
            }
            prop_assert!(false, "no ending");
        }
    }
}
