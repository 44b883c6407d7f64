//! Who may look.

use gym_telemetry_dashboard::page::{Page, Settings, Source, StartError};

use crate::support::Stage;

const PATHS: [&str; 6] = ["/", "/api/v1/views/fleet", "/api/v1/otlp", "/assets/page.js", "/metrics", "/nothing/here"];

#[tokio::test]
async fn a_host_that_is_a_name_is_turned_away() {
    let stage = Stage::new().await;
    for path in PATHS {
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.7"] {
            let reply = stage.get_with(path, &[("host", host)]).await;
            assert_eq!(reply.status, 421, "{path} of {host}");
        }
    }
    for host in ["localhost", "LocalHost:1234", "[::1]:80"] {
        assert_eq!(stage.get_with("/", &[("host", host)]).await.status, 200, "{host}");
    }
}

#[tokio::test]
async fn another_page_is_turned_away() {
    let stage = Stage::new().await;
    let own = stage.page.url();
    let own = own.trim_end_matches('/');
    for path in PATHS {
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
            let reply = stage.get_with(path, &[("origin", origin)]).await;
            assert_eq!(reply.status, 403, "{path} for {origin}");
        }
    }
    assert_eq!(stage.get_with("/", &[("origin", own)]).await.status, 200);
}

#[tokio::test]
async fn every_response_is_safe_to_show() {
    let stage = Stage::new().await;
    for path in PATHS {
        let reply = stage.get(path).await;
        let policy = reply.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
    }
    let page = stage.get("/").await.body;
    assert!(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"), "{page}");
    assert_eq!(page.matches("<script").count(), page.matches("<script src=\"/assets/").count());
}

#[tokio::test]
async fn beyond_loopback_a_token_is_needed() {
    let source = || Source::new(gym_telemetry_dashboard::history::History::new(Default::default()));
    let remote = Settings::new().address(([0, 0, 0, 0], 0).into());
    let error = Page::start(remote.clone(), source()).await.unwrap_err();
    assert!(matches!(error, StartError::NotLoopback { .. }), "{error}");
    let error = Page::start(remote.clone().allow_remote(""), source()).await.unwrap_err();
    assert!(matches!(error, StartError::EmptyToken { .. }), "{error}");
    Page::start(remote.allow_remote("word"), source()).await.unwrap().shutdown().await;
}

#[tokio::test]
async fn the_token_lets_in() {
    let stage = Stage::with(Settings::new().allow_remote("a b;ü")).await;
    for path in PATHS {
        assert_eq!(stage.get(path).await.status, 401, "{path}");
        assert_eq!(stage.get_with(path, &[("authorization", "Bearer a b;u")]).await.status, 401, "{path}");
    }
    assert_eq!(stage.get("/?token=wrong").await.status, 401);
    assert_eq!(stage.get("/healthz").await.status, 200);

    let reply = stage.get("/driver?token=a+b%3B%C3%BC").await;
    assert_eq!((reply.status, reply.header("location")), (303, Some("/driver")));
    let cookie = reply.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    assert_eq!(stage.get_with("/driver", &[("cookie", cookie)]).await.status, 200);
    // Whoever knows the token may come by any address, but by no name.
    assert_eq!(stage.get_with("/", &[("cookie", cookie), ("host", "10.0.0.7")]).await.status, 200);
    assert_eq!(stage.get_with("/", &[("cookie", cookie), ("host", "evil.example")]).await.status, 421);
}

#[tokio::test]
async fn a_program_brings_the_token_in_a_header() {
    let stage = Stage::with(Settings::new().allow_remote("wörd")).await;
    assert_eq!(stage.get_with("/metrics", &[("authorization", "Bearer wörd")]).await.status, 200);
    assert!(!format!("{:?}", Settings::new().allow_remote("word")).contains("word"));
}
