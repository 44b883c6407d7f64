//! The live page: the fleet in a browser, and the same numbers as JSON.
//!
//! ```
//! use gym_telemetry_dashboard::{
//!     history::{History, Settings as Retention},
//!     page::{Page, Settings, Source},
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let history = History::new(Retention::new());
//! let page = Page::start(Settings::new(), Source::new(history)).await?;
//! println!("the fleet is at {}", page.url());
//! page.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! * [`Page`] serves it until it is shut down; [`write_html`] writes it into one file that needs no server.
//! * A *view* is what one page shows: a list of panels. A *panel* is numbers, a chart, a graph or a table with its
//!   title, a sentence of help, and for each number the query that it was made of.
//! * A *finding* is a sentence that a documented rule derives from the data.
//!
//! The form of all three, the routes and the rules are described in `docs/dashboard.md`.
//!
//! # Who may look
//!
//! It listens on loopback alone, unless [`Settings::allow_remote`] gives a token that everybody else must know. A
//! request whose `Host` is a name, or whose `Origin` is another page, is turned away, so that no site can read it
//! through a visitor's browser. What processes send is shown as text and never as markup.

mod ask;
mod assets;
mod error;
mod findings;
mod html;
mod http;
mod panel;
mod serve;
mod settings;
mod shell;
mod source;
mod text;
mod views;

pub use error::StartError;
pub use html::write_html;
pub use serve::Page;
pub use settings::Settings;
pub use source::Source;
