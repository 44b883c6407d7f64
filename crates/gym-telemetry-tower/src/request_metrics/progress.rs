//! What decides how a request ends. It knows nothing of sockets, servers or counters.

use std::ops::ControlFlow;

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// There is no response head yet.
    Waiting { asked: Asked },
    /// The head is out and the body under way, up to its end.
    Streaming,
    /// The same of a body whose length is known: so many bytes are left of it.
    Counting { left: u64 },
}

/// What a request's method says about the body of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// `HEAD`: none goes out.
    Head,
    /// `CONNECT`: none goes out when the tunnel is opened.
    Tunnel,
    /// Any other: that depends on the status.
    Body,
}

/// What can happen to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// The service answered.
    Head { status: u16, body: Payload },
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

/// What a response's head says about the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// It is at its end.
    Empty,
    /// It has so many bytes. A server may let go of it after them, without asking for its end.
    Bytes(u64),
    /// It goes up to its end.
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

impl Default for Progress {
    fn default() -> Self {
        Self::Waiting { asked: Asked::Body }
    }
}

impl Progress {
    /// Takes the next event; breaks with the ending when it was the last.
    #[inline]
    pub(super) fn on(self, event: Event) -> ControlFlow<Ending, Self> {
        match (self, event) {
            (_, Event::Error) => ControlFlow::Break(Ending::Failed),
            (_, Event::Panic) => ControlFlow::Break(Ending::Panicked),

            (Self::Waiting { asked }, Event::Head { status, body }) => match body {
                _ if asked.rules_out_a_body(status) => ControlFlow::Break(Ending::Finished),
                Payload::Empty => ControlFlow::Break(Ending::Finished),
                Payload::Bytes(bytes) => ControlFlow::Continue(Self::Counting { left: bytes }),
                Payload::Unknown => ControlFlow::Continue(Self::Streaming),
            },

            (Self::Counting { left }, Event::Data(bytes)) => {
                ControlFlow::Continue(Self::Counting { left: left.saturating_sub(bytes) })
            }
            (Self::Streaming, Event::Data(_)) => ControlFlow::Continue(self),
            (Self::Streaming | Self::Counting { .. }, Event::End) | (Self::Counting { left: 0 }, Event::Drop) => {
                ControlFlow::Break(Ending::Finished)
            }

            (_, Event::Drop) => ControlFlow::Break(Ending::Cancelled),
            // A body before its head, or a second head: no server gets to see these.
            (Self::Waiting { .. }, Event::Data(_) | Event::End)
            | (Self::Streaming | Self::Counting { .. }, Event::Head { .. }) => ControlFlow::Continue(self),
        }
    }

    /// Whether all that is sure to be sent has been: letting go of the request now does not cut it short.
    #[inline]
    pub(super) fn is_whole(self) -> bool {
        self == Self::Counting { left: 0 }
    }
}

impl Asked {
    /// Whether a response has no body by the rules of HTTP, whatever the service put there.
    #[inline]
    fn rules_out_a_body(self, status: u16) -> bool {
        match self {
            Self::Head => true,
            Self::Tunnel if (200..300).contains(&status) => true,
            Self::Tunnel | Self::Body => matches!(status, 100..200 | 204 | 304),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn asked() -> impl Strategy<Value = Asked> {
        prop_oneof![Just(Asked::Head), Just(Asked::Tunnel), Just(Asked::Body)]
    }

    fn head() -> impl Strategy<Value = Event> {
        let status = prop_oneof![100_u16..=999, prop::sample::select(vec![101, 200, 204, 304])];
        let body = prop_oneof![Just(Payload::Empty), (0_u64..200).prop_map(Payload::Bytes), Just(Payload::Unknown)];
        (status, body).prop_map(|(status, body)| Event::Head { status, body })
    }

    fn event() -> impl Strategy<Value = Event> {
        let data = (0_u64..100).prop_map(Event::Data);
        let end = prop::sample::select(vec![Event::End, Event::Error, Event::Panic, Event::Drop]);
        prop_oneof![3 => head(), 5 => data, 2 => end]
    }

    /// The same decision, read off the whole story instead of step by step.
    fn judge(asked: Asked, story: &[Event]) -> Option<Ending> {
        let mut heads = story.iter().enumerate().filter_map(|(at, event)| match event {
            Event::Head { status, body } => Some((at, *status, *body)),
            _ => None,
        });
        let head = heads.next();
        let has_no_body = head.is_some_and(|(_, status, body)| {
            let by_status = status / 100 == 1 || status == 204 || status == 304;
            asked == Asked::Head || (asked == Asked::Tunnel && status / 100 == 2) || by_status || body == Payload::Empty
        });
        let bytes = |event: &Event| if let Event::Data(bytes) = event { *bytes } else { 0 };
        let sent_all = head.is_some_and(|(at, _, body)| match body {
            Payload::Bytes(declared) => story[at..].iter().map(bytes).sum::<u64>() >= declared,
            _ => false,
        });
        match story.last()? {
            Event::Error => Some(Ending::Failed),
            Event::Panic => Some(Ending::Panicked),
            Event::Drop if sent_all => Some(Ending::Finished),
            Event::Drop => Some(Ending::Cancelled),
            Event::End if head.is_some() => Some(Ending::Finished),
            Event::Head { .. } if has_no_body => Some(Ending::Finished),
            Event::Head { .. } | Event::Data(_) | Event::End => None,
        }
    }

    proptest! {
        /// Whatever happens in whatever order, the machine agrees with the judge after each event up to the ending; and
        /// as the future or the body is dropped in the end, there always is one.
        #[test]
        fn every_request_ends_once_and_rightly(asked in asked(), mut story in prop::collection::vec(event(), 0..20)) {
            story.push(Event::Drop);
            let mut progress = Progress::Waiting { asked };
            for step in 1..=story.len() {
                let ending = judge(asked, &story[..step]);
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
