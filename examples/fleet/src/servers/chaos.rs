//! Requests that go wrong on purpose, to see that they are counted.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::cli::Chaos;

/// How much longer a slow request takes.
const SLOW: Duration = Duration::from_millis(500);

/// How long a handler blocks its event loop.
const BLOCKED: Duration = Duration::from_millis(200);

/// Draws from the shares of a [`Chaos`].
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    chaos: Chaos,
    drawn: Arc<AtomicU64>,
}

impl Dice {
    pub(crate) fn new(chaos: Chaos) -> Self {
        Self { chaos, drawn: Arc::default() }
    }

    /// Whether a caller hangs up, and when: a number from 0 to 1.
    pub(crate) fn cancels(&self) -> Option<f64> {
        let drawn = self.draw();
        (drawn < self.chaos.cancel).then(|| drawn / self.chaos.cancel)
    }

    /// A number from 0 to 1, evenly spread over calls and the same in every run.
    fn draw(&self) -> f64 {
        spread(self.drawn.fetch_add(1, Ordering::Relaxed))
    }
}

/// Middleware that lets requests go wrong.
pub(crate) async fn unsettle(State(dice): State<Dice>, request: Request, next: Next) -> Response {
    let Chaos { panic, fail, slow, block, .. } = dice.chaos;
    let drawn = dice.draw();
    if drawn < panic {
        // Not `panic!`: the hook would fill the log with what is wanted.
        std::panic::resume_unwind(Box::new("chaos"));
    }
    if drawn < panic + fail {
        return (StatusCode::INTERNAL_SERVER_ERROR, "chaos").into_response();
    }
    if drawn < panic + fail + slow {
        tokio::time::sleep(SLOW).await;
    } else if drawn < panic + fail + slow + block {
        // Nothing else on this thread of the runtime gets its turn meanwhile.
        std::thread::sleep(BLOCKED);
    }
    next.run(request).await
}

/// The `number`th of a sequence that is spread evenly over 0 to 1 (splitmix64).
#[expect(clippy::cast_precision_loss, reason = "53 bits are kept, and a float holds them")]
pub(crate) fn spread(number: u64) -> f64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
