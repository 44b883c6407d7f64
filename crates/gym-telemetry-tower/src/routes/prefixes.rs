/// What comes before the path of a request that belongs to a rollout. `{id}` stands for any one segment.
pub const ROLLOUT_PREFIXES: [&str; 2] = ["/ng-rollout/{id}/training-token-capture", "/ng-rollout/{id}"];

/// Beginnings of paths that say nothing about the route.
#[derive(Debug, Clone)]
pub(crate) struct Prefixes(Box<[Prefix]>);

#[derive(Debug, Clone)]
struct Prefix(Box<[Segment]>);

#[derive(Debug, Clone)]
enum Segment {
    Fixed(Box<str>),
    Any,
}

impl Prefixes {
    pub(crate) fn new<P: AsRef<str>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        let mut prefixes: Box<[_]> = prefixes.into_iter().map(|prefix| Prefix::new(prefix.as_ref())).collect();
        prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.0.len()));
        Self(prefixes)
    }

    /// The path without the longest prefix that it begins with. Something is left of it: `/a` is not taken off `/a`.
    #[inline]
    pub(crate) fn strip<'a>(&self, path: &'a str) -> &'a str {
        self.0.iter().find_map(|prefix| prefix.strip(path)).unwrap_or(path)
    }
}

impl Default for Prefixes {
    fn default() -> Self {
        Self::new(ROLLOUT_PREFIXES)
    }
}

impl Prefix {
    fn new(prefix: &str) -> Self {
        let segments = prefix.split('/').filter(|segment| !segment.is_empty());
        let is_any = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
        Self(segments.map(|text| if is_any(text) { Segment::Any } else { Segment::Fixed(text.into()) }).collect())
    }

    #[inline]
    fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = self.0.iter().try_fold(path, |path, segment| segment.strip(path.strip_prefix('/')?))?;
        rest.starts_with('/').then_some(rest)
    }
}

impl Segment {
    #[inline]
    fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self {
            Self::Fixed(text) => path.strip_prefix(&**text).filter(|rest| rest.starts_with('/')),
            Self::Any => path.find('/').filter(|end| *end > 0).map(|end| &path[end..]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollout_prefixes_are_removed() {
        let prefixes = Prefixes::new(ROLLOUT_PREFIXES);
        for (path, left) in [
            ("/ng-rollout/3-1/v1/responses", "/v1/responses"),
            ("/ng-rollout/3-1/training-token-capture/v1/responses", "/v1/responses"),
            ("/ng-rollout/{rollout}/v1/responses", "/v1/responses"),
            ("/ng-rollout/3-1/", "/"),
            ("/ng-rollout/3-1/training-token-capture", "/training-token-capture"),
            ("/ng-rollout/3-1/training-token-captured/a", "/training-token-captured/a"),
            // These are no such requests.
            ("/ng-rollout/3-1", "/ng-rollout/3-1"),
            ("/ng-rollout//a", "/ng-rollout//a"),
            ("/ng-rollouts/3-1/a", "/ng-rollouts/3-1/a"),
            ("/v1/ng-rollout/3-1/a", "/v1/ng-rollout/3-1/a"),
            ("*", "*"),
            ("", ""),
        ] {
            assert_eq!(prefixes.strip(path), left, "{path}");
        }
    }

    #[test]
    fn the_longest_prefix_goes_whatever_the_order() {
        for prefixes in [["/a", "a/{b}/"], ["/a/{b}", "/a"]] {
            assert_eq!(Prefixes::new(prefixes).strip("/a/b/c"), "/c");
        }
        assert_eq!(Prefixes::new([""; 0]).strip("/a/b"), "/a/b");
    }
}
