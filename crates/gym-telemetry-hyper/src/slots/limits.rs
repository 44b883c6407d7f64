/// How many slots there are: over all hosts, and for each of them. 0 means no limit, as it does in aiohttp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[must_use = "limits bind once they are given to a client or to `Slots`"]
pub struct Limits {
    total: usize,
    per_host: usize,
}

impl Limits {
    /// No limit of either kind.
    pub const fn new() -> Self {
        Self { total: 0, per_host: 0 }
    }

    /// With this many slots over all hosts.
    pub const fn total(self, total: usize) -> Self {
        Self { total, ..self }
    }

    /// With this many slots for each host.
    pub const fn per_host(self, per_host: usize) -> Self {
        Self { per_host, ..self }
    }

    /// The total and the limit per host, as they were given.
    #[must_use]
    pub const fn get(self) -> (usize, usize) {
        (self.total, self.per_host)
    }

    /// The most that may be held over all hosts.
    pub(crate) const fn most(self) -> usize {
        Self::bound(self.total)
    }

    /// The most that may be held of one host.
    pub(crate) const fn most_per_host(self) -> usize {
        Self::bound(self.per_host)
    }

    const fn bound(limit: usize) -> usize {
        if limit == 0 { usize::MAX } else { limit }
    }
}
