use std::{fmt, sync::Arc};

use matchit::{InsertError, Router};
use thiserror::Error;

/// The registered routes of a server, to find the one that a path belongs to.
///
/// Templates are written, and matched, as in axum: `/items/{id}`, `/files/{*path}`. Clones share them.
///
/// # Example
///
/// ```
/// use gym_telemetry_tower::RouteTemplates;
///
/// let routes = RouteTemplates::new(["/items/{id}", "/v1/responses"])?;
/// assert_eq!(routes.find("/items/7"), Some("/items/{id}"));
/// assert_eq!(routes.find("/wp-admin"), None);
/// # Ok::<_, gym_telemetry_tower::TemplateError>(())
/// ```
#[derive(Clone, Default)]
pub struct RouteTemplates {
    matcher: Arc<Router<Box<str>>>,
    count: usize,
}

/// A route template that axum would not take either.
#[derive(Debug, Error)]
#[error("`{template}` is no route template")]
pub struct TemplateError {
    template: String,
    source: InsertError,
}

impl RouteTemplates {
    /// These templates. One that matches the same paths as an earlier one is left out.
    ///
    /// # Errors
    ///
    /// When a template is malformed.
    pub fn new<T: AsRef<str>>(templates: impl IntoIterator<Item = T>) -> Result<Self, TemplateError> {
        let mut matcher = Router::new();
        let mut count = 0;
        for template in templates {
            let template = template.as_ref();
            match matcher.insert(template, template.into()) {
                Ok(()) => count += 1,
                Err(InsertError::Conflict { .. }) => {}
                Err(source) => return Err(TemplateError { template: template.to_owned(), source }),
            }
        }
        Ok(Self { matcher: Arc::new(matcher), count })
    }

    /// The template that a path belongs to.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&str> {
        self.matcher.at(path).ok().map(|found| &**found.value)
    }

    /// How many templates there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no templates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl fmt::Debug for RouteTemplates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RouteTemplates").field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_finds_its_template() {
        let routes = RouteTemplates::new(["/items/{id}", "/items/{id}/parts/{part}", "/files/{*path}"]).unwrap();
        for (path, template) in [
            ("/items/a%20b", Some("/items/{id}")),
            ("/items/1/parts/2", Some("/items/{id}/parts/{part}")),
            ("/files/a/b", Some("/files/{*path}")),
            ("/items", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(routes.find(path), template, "{path}");
        }
    }

    #[test]
    fn of_two_templates_for_the_same_paths_the_first_stays() {
        let routes = RouteTemplates::new(["/items/{id}", "/items/{item}"]).unwrap();
        assert_eq!((routes.find("/items/1"), routes.len()), (Some("/items/{id}"), 1));
    }

    #[test]
    fn a_malformed_template_is_an_error() {
        let error = RouteTemplates::new(["/items/{id"]).unwrap_err();
        assert_eq!(error.to_string(), "`/items/{id` is no route template");
        assert!(error.source().is_some());
    }

    proptest! {
        #[test]
        fn no_path_is_too_odd(path in "\\PC{0,40}", tail in "(/[a-z{}*:%.-]{0,6}){0,6}") {
            let routes = RouteTemplates::new(["/a/{b}", "/a/{b}/c", "/{*rest}"]).unwrap();
            for path in [format!("/{path}{tail}"), path, tail] {
                prop_assert!(routes.find(&path).is_none_or(|template| template.starts_with('/')));
            }
        }
    }
}
