use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
};

use tracing_subscriber::fmt::MakeWriter;

/// The log of this whole process. Other tests write to it too, so a test looks for what only it can have caused.
#[derive(Clone, Default)]
pub(crate) struct Logs(Arc<Mutex<Vec<u8>>>);

impl Logs {
    /// Starts to keep the log, once for all tests.
    pub(crate) fn keep() -> Self {
        static LOGS: OnceLock<Logs> = OnceLock::new();
        let logs = LOGS.get_or_init(|| {
            let logs = Self::default();
            tracing_subscriber::fmt().with_ansi(false).with_writer(logs.clone()).init();
            logs
        });
        logs.clone()
    }

    /// The lines that have a word in them.
    pub(crate) fn with(&self, word: &str) -> Vec<String> {
        let log = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        log.lines().filter(|line| line.contains(word)).map(ToOwned::to_owned).collect()
    }
}

impl io::Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
