use std::{collections::BTreeMap, mem};

use gym_telemetry_core::LimitState;
use tokio::sync::oneshot;

use super::{AcquireError, MeteredPermit};

/// Who holds slots and who waits for them, in the order of arrival.
#[derive(Debug)]
pub(super) struct State {
    capacity: Capacity,
    active: usize,
    queue: BTreeMap<Ticket, Waiter>,
    next: Ticket,
    answers: Vec<Answer>,
}

/// The place of a waiter in the queue.
pub(super) type Ticket = u64;

/// Where a waiter hears whether it got its slots.
pub(super) type Sender = oneshot::Sender<Result<MeteredPermit, AcquireError>>;

/// What a waiter is to be told: how many slots it got, which count as active from here on, or why none.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) sender: Sender,
    pub(super) outcome: Result<usize, AcquireError>,
}

#[derive(Debug, Clone, Copy)]
struct Capacity {
    slots: usize,
    closed: bool,
}

#[derive(Debug)]
struct Waiter {
    asked: usize,
    sender: Sender,
}

impl State {
    pub(super) fn new(slots: usize) -> Self {
        let capacity = Capacity { slots, closed: false };
        Self { capacity, active: 0, queue: BTreeMap::new(), next: 0, answers: Vec::new() }
    }

    /// Takes slots at once; `false` if others are to be served first or too few are free.
    #[inline]
    pub(super) fn try_take(&mut self, asked: usize) -> Result<bool, AcquireError> {
        self.capacity.check(asked)?;
        let free = self.queue.is_empty() && self.fits(asked);
        if free {
            self.active += asked;
        }
        Ok(free)
    }

    /// Takes a place at the end of the queue.
    pub(super) fn enqueue(&mut self, asked: usize, sender: Sender) -> Result<Ticket, AcquireError> {
        self.capacity.check(asked)?;
        let ticket = self.next;
        self.next += 1;
        self.queue.insert(ticket, Waiter { asked, sender });
        self.serve();
        Ok(ticket)
    }

    /// Leaves the queue; `false` if the answer is already on its way.
    pub(super) fn leave(&mut self, ticket: Ticket) -> bool {
        let left = self.queue.remove(&ticket).is_some();
        self.serve();
        left
    }

    /// Gives slots back.
    #[inline]
    pub(super) fn put(&mut self, slots: usize) {
        self.active -= slots;
        self.serve();
    }

    /// Changes the number of slots. Held ones stay held; who waits for more than there are now is refused.
    pub(super) fn resize(&mut self, slots: usize) {
        let shrinks = slots < mem::replace(&mut self.capacity.slots, slots);
        if shrinks {
            self.refuse();
        }
        self.serve();
    }

    /// Refuses everybody from now on.
    pub(super) fn close(&mut self) {
        self.capacity.closed = true;
        self.refuse();
    }

    /// Whether anything was decided about waiters that they have not been told.
    #[inline]
    pub(super) fn has_answers(&self) -> bool {
        !self.answers.is_empty()
    }

    /// The answers that were decided since the last call.
    pub(super) fn take_answers(&mut self) -> Vec<Answer> {
        mem::take(&mut self.answers)
    }

    pub(super) fn read(&self) -> LimitState {
        LimitState::new(self.capacity.slots as u64, self.active as u64, self.queue.len() as u64)
    }

    fn fits(&self, asked: usize) -> bool {
        self.capacity.slots.checked_sub(self.active).is_some_and(|free| asked <= free)
    }

    /// Serves the queue from its front for as long as slots are free.
    #[inline]
    fn serve(&mut self) {
        while self.queue.first_key_value().is_some_and(|(_, first)| self.fits(first.asked))
            && let Some((_, Waiter { asked, sender })) = self.queue.pop_first()
        {
            self.active += asked;
            self.answers.push(Answer { sender, outcome: Ok(asked) });
        }
    }

    /// Answers those who wait for what will never be.
    fn refuse(&mut self) {
        let capacity = self.capacity;
        let refused = self.queue.extract_if(.., |_, waiter| capacity.check(waiter.asked).is_err());
        let answer = |(_, Waiter { asked, sender })| Answer { sender, outcome: capacity.check(asked).map(|()| asked) };
        self.answers.extend(refused.map(answer));
    }
}

impl Capacity {
    /// Whether there can be that many slots at all.
    fn check(self, asked: usize) -> Result<(), AcquireError> {
        match self {
            Self { closed: true, .. } => Err(AcquireError::Closed),
            Self { slots, .. } if asked > slots => Err(AcquireError::TooMany { asked, slots }),
            Self { .. } => Ok(()),
        }
    }
}
