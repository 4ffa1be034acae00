//! The router: all routes of the service, and the middleware that every request passes.

use crate::{
    api, pages,
    problem::{Problem, Reason, panic_message},
    service::{Service, now},
    token,
    visitor::{self, is_own_origin},
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use parlor_core::shortened;
use parlor_store::StoreError;
use std::{any::Any, time::Duration};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, limit::RequestBodyLimitLayer,
    timeout::TimeoutLayer,
};

/// Largest request body, in bytes.
const LARGEST_BODY: usize = 64 << 10;
/// Time limit for receiving a request and starting its response. Streams start at once.
const LONGEST_REQUEST: Duration = Duration::from_secs(20);
/// Longest path in the log, in characters; a longer path is truncated.
const LONGEST_PATH: usize = 200;
/// The Content-Security-Policy: only resources of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The router of the whole service, which maps requests to responses without sockets.
pub fn app(service: Service) -> Router {
    let router = Router::new()
        .nest("/api/v1", api::routes().fallback(not_found))
        .merge(pages::routes())
        .route("/healthz", get(healthy))
        .route("/metrics", get(metrics))
        .fallback(pages::page_not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(RequestBodyLimitLayer::new(LARGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, LONGEST_REQUEST))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(|panic: Box<dyn Any + Send>| {
            Problem::Broken(format!("panicked: {}", panic_message(panic.as_ref()))).into_response()
        }))
        // The outermost layer, which sees the responses of all others.
        .layer(middleware::from_fn_with_state(service.clone(), guard))
        .with_state(service);
    // A router adds the header `Allow` outside its own layers.
    Router::new().fallback_service(router).layer(middleware::map_response(name_allowed_methods))
}

/// Middleware of every request: refuses changes from other origins, adds security headers to the response, and logs failures of
/// the server.
async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let mut response = if is_own_origin(request.method(), request.headers(), service.public_url()) {
        next.run(request).await
    } else {
        Problem::ForeignOrigin.into_response()
    };
    service.metrics().requests.add(1);
    if response.status().is_client_error() || response.status().is_server_error() {
        service.metrics().refused.add(1);
    }
    let status = response.status();
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        service.metrics().errors.add(1);
        log_failure(&method, uri.path(), &response);
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // URLs may contain invitations.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        // Standalone pictures have their own policy.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Logs failures of the server and requests that took too long. The query is omitted, because it may contain tokens and
/// invitations.
fn log_failure(method: &Method, path: &str, response: &Response) {
    let status = response.status().as_u16();
    let (path, game) = (shortened(path, LONGEST_PATH), game_in(path));
    let reason = match response.extensions().get::<Reason>() {
        Some(Reason(reason)) => reason.clone(),
        None if status == 408 => format!("no response within {} s", LONGEST_REQUEST.as_secs()),
        None => "unknown".to_string(),
    };
    match status {
        500 => tracing::error!(%method, path, status, game, reason, "request failed"),
        _ => tracing::warn!(%method, path, status, game, reason, "request failed"),
    }
}

/// The id of the game in a path.
fn game_in(path: &str) -> Option<&str> {
    let mut parts = path.split('/').skip_while(|part| *part != "games").skip(1);
    parts.next().filter(|id| token::is_game_id(id))
}

async fn not_found() -> Problem {
    Problem::NotFound("address")
}

async fn wrong_method() -> StatusCode {
    StatusCode::METHOD_NOT_ALLOWED
}

/// Turns the response to a wrong method into a problem that names the allowed methods, from the header `Allow` of
/// the router.
async fn name_allowed_methods(response: Response) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let headers = response.headers();
    let allow = headers.get(header::ALLOW).and_then(|allow| allow.to_str().ok()).unwrap_or_default();
    // HEAD is allowed wherever GET is.
    let methods: Vec<&str> = allow.split(',').filter(|method| *method != "HEAD").collect();
    let sentence = format!("method not allowed; use {}", methods.join(" or "));
    let mut named = Problem::BadInput(sentence).into_response();
    *named.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    for (name, value) in headers.iter().filter(|(name, _)| **name != header::CONTENT_LENGTH) {
        named.headers_mut().entry(name).or_insert_with(|| value.clone());
    }
    named
}

/// The health check for load balancers and supervisors. From the first failed write until a write succeeds it
/// returns 503 with the class of the reason. The check itself writes one row, at most once a second.
async fn healthy(State(service): State<Service>) -> Response {
    let Err(error) = service.store().check_health(now()).await else { return "ok\n".into_response() };
    let class = match error {
        StoreError::Unavailable(_) => "the database does not answer",
        StoreError::DiskFull(_) => "no disk space left for the database",
        _ => "writes to the database fail",
    };
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, format!("failing: {class}\n")).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    response.extensions_mut().insert(Reason(error.to_string()));
    response
}

async fn metrics(State(service): State<Service>) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], service.metrics_page()).into_response()
}

// Tests without sockets set the address of the client.
pub use visitor::PeerAddress;

#[cfg(test)]
mod tests {
    use super::game_in;

    #[test]
    fn the_game_of_a_path_is_found() {
        assert_eq!(game_in("/api/v1/games/bg35n8F5tf/moves"), Some("bg35n8F5tf"));
        assert_eq!(game_in("/games/bg35n8F5tf"), Some("bg35n8F5tf"));
        for none in ["/games", "/api/v1/games/", "/tournaments/spring/games/1", "/healthz", "/games/%1b"] {
            assert_eq!(game_in(none), None, "{none}");
        }
    }
}
