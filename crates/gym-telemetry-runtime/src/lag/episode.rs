use std::time::Duration;

/// What a look at something that may be late finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is on time.
    OnTime,
    /// It has been late for this long, and still is.
    Lasts(Duration),
    /// It was late for this long, and no longer is.
    Ended(Duration),
}

/// A time during which anything of a runtime was late: one line in the log when it is over.
#[derive(Debug, Default)]
pub(super) struct Episode {
    longest: Option<Duration>,
}

impl Episode {
    /// Takes in all that one look found. Returns the longest wait if the episode ended with this look.
    pub(super) fn take_in(&mut self, seen: impl IntoIterator<Item = Seen>) -> Option<Duration> {
        let mut lasts = false;
        for seen in seen {
            let wait = match seen {
                Seen::OnTime => continue,
                Seen::Lasts(wait) => {
                    lasts = true;
                    wait
                }
                Seen::Ended(wait) => wait,
            };
            self.longest = self.longest.max(Some(wait));
        }
        if lasts { None } else { self.end() }
    }

    /// Ends the episode, if there is one. Returns its longest wait so far.
    pub(super) fn end(&mut self) -> Option<Duration> {
        self.longest.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_ends_once_with_its_longest_wait() {
        let ms = Duration::from_millis;
        let mut episode = Episode::default();
        assert_eq!(episode.take_in([Seen::OnTime, Seen::OnTime]), None);
        assert_eq!(episode.take_in([Seen::Lasts(ms(1)), Seen::OnTime]), None);
        assert_eq!(episode.take_in([Seen::Ended(ms(5)), Seen::Lasts(ms(2))]), None);
        assert_eq!(episode.take_in([Seen::OnTime, Seen::Ended(ms(3))]), Some(ms(5)));
        assert_eq!(episode.take_in([Seen::OnTime, Seen::OnTime]), None);
        assert_eq!(episode.end(), None);
    }
}
