use gym_telemetry_core::{Pressure, Stall};

use super::text::{lines, split, words};

/// Reads a `pressure` file. The kernel writes percentages; here they are fractions.
#[must_use]
pub fn pressure(text: &[u8]) -> Pressure {
    let mut pressure = Pressure::default();
    for line in lines(text) {
        match split(line, b' ') {
            Some((b"some", rest)) => pressure.some = stall(rest),
            Some((b"full", rest)) => pressure.full = stall(rest),
            _ => {}
        }
    }
    pressure
}

/// Reads three averages; none unless all are there.
fn stall(text: &[u8]) -> Option<Stall> {
    let average = |name: &[u8]| {
        let (_, value) = words(text).filter_map(|word| split(word, b'=')).find(|(key, _)| *key == name)?;
        let percent: f64 = str::from_utf8(value).ok()?.parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
    };
    Some(Stall::new(average(b"avg10")?, average(b"avg60")?, average(b"avg300")?))
}
