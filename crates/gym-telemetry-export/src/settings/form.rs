//! What a variable or a field may hold.

use http::{Uri, uri::Scheme};
use percent_encoding::percent_decode_str;

use super::{Exporter, Headers, Protocol, SettingsError};

/// How one kind of value is written: how to read it, and what to say when it cannot be read.
pub(crate) struct Form<T> {
    pub(super) parse: fn(&str) -> Option<T>,
    pub(super) accepted: &'static str,
    pub(super) secret: bool,
}

impl<T> Form<T> {
    const fn new(parse: fn(&str) -> Option<T>, accepted: &'static str) -> Self {
        Self { parse, accepted, secret: false }
    }

    /// Reads what the variable or field `name` holds.
    pub(crate) fn read(&self, name: &'static str, text: &str) -> Result<T, SettingsError> {
        (self.parse)(text).ok_or_else(|| {
            if self.secret {
                SettingsError::secret(name, self.accepted)
            } else {
                SettingsError::new(name, text, self.accepted)
            }
        })
    }

    /// Applies the same rule to a value that a program or a configuration file has set.
    pub(super) fn check(&self, name: &'static str, value: impl ToString) -> Result<(), SettingsError> {
        self.read(name, &value.to_string()).map(drop)
    }
}

pub(super) const SWITCH: Form<bool> = Form::new(switch, "`1`, `true`, `yes` or `on`, or `0`, `false`, `no` or `off`");
pub(super) const TEXT: Form<String> =
    Form::new(|text| (!text.trim().is_empty()).then(|| text.to_owned()), "a text that is not blank");
pub(super) const SECONDS: Form<f64> = Form::new(
    |text| text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite()),
    "a number of seconds above 0",
);
pub(crate) const MILLISECONDS: Form<u32> =
    Form::new(|text| text.parse().ok().filter(|ms| *ms > 0), "a whole number of milliseconds, 1 to 4294967295");
pub(super) const COUNT: Form<usize> = Form::new(
    |text| text.parse().ok().filter(|count| (1..=MOST_SERIES).contains(count)),
    "a whole number, 1 to 10000000",
);
pub(super) const EXPORTER: Form<Exporter> = Form::new(Exporter::parse, Exporter::ACCEPTED);
pub(crate) const PROTOCOL: Form<Protocol> = Form::new(Protocol::parse, Protocol::ACCEPTED);
pub(crate) const HEADERS: Form<Headers> = Form { parse: Headers::parse, accepted: Headers::ACCEPTED, secret: true };
pub(crate) const ENDPOINT: Form<String> =
    Form::new(endpoint, "a URL that begins with `http://` and names a host (TLS is not built in)");
pub(crate) const ATTRIBUTES: Form<Vec<(String, String)>> =
    Form::new(pairs, "a list such as `key=value,key2=value2`, its values percent-encoded");

/// The SDK sets room aside for every series that an instrument may have.
const MOST_SERIES: usize = 10_000_000;

fn switch(text: &str) -> Option<bool> {
    let is = |word: &&str| text.eq_ignore_ascii_case(word);
    if ["1", "true", "yes", "on"].iter().any(is) {
        Some(true)
    } else {
        ["0", "false", "no", "off"].iter().any(is).then_some(false)
    }
}

fn endpoint(text: &str) -> Option<String> {
    let url = text.parse::<Uri>().ok()?;
    let reachable = url.scheme() == Some(&Scheme::HTTP) && url.host().is_some_and(|host| !host.is_empty());
    reachable.then(|| text.to_owned())
}

/// Takes `key=value,key2=value2` apart and decodes the values.
pub(super) fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let pair = |entry: &str| {
        let (key, value) = entry.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        (!key.trim().is_empty()).then(|| (key.trim().to_owned(), value.into_owned()))
    };
    text.split(',').filter(|entry| !entry.trim().is_empty()).map(pair).collect()
}
