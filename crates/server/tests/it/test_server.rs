//! A server without sockets, which maps requests to responses.

use axum::{Router, body::Body, http::Request, response::Response};
use http_body_util::BodyExt;
use parlor_server::{RateLimits, Service, Settings, app};
use parlor_store::Store;
use parlor_testkit::Database;
use serde_json::Value;
use std::sync::Arc;
use tower::ServiceExt;

pub struct TestServer {
    pub service: Service,
    pub db: Arc<Database>,
    router: Router,
}

#[derive(Debug)]
pub struct TestResponse {
    pub status: u16,
    pub headers: axum::http::HeaderMap,
    pub text: String,
}

impl TestResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl TestServer {
    pub async fn start(db: impl Into<Arc<Database>>) -> TestServer {
        TestServer::with(db, |settings| settings.rate_limits = RateLimits::none()).await
    }

    /// Starts a server with changed settings.
    pub async fn with(db: impl Into<Arc<Database>>, change: impl FnOnce(&mut Settings)) -> TestServer {
        let db = db.into();
        let store = Store::connect(&db.url).await.expect("a store");
        let mut settings = Settings::new(store);
        change(&mut settings);
        let service = Service::new(settings);
        TestServer { router: app(service.clone()), service, db }
    }

    pub async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.expect("an answer")
    }

    pub async fn ask(&self, request: Request<Body>) -> TestResponse {
        let response = self.send(request).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        TestResponse { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    pub async fn get(&self, path: &str) -> TestResponse {
        self.ask(Request::get(path).body(Body::empty()).expect("a request")).await
    }

    pub async fn post(&self, path: &str, token: Option<&str>, body: &Value) -> TestResponse {
        let mut request = Request::post(path).header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.ask(request.body(Body::from(body.to_string())).expect("a request")).await
    }

    pub async fn form(&self, path: &str, cookie: Option<&str>, body: &str) -> TestResponse {
        let mut request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
        if let Some(cookie) = cookie {
            request = request.header("cookie", cookie.to_string());
        }
        self.ask(request.body(Body::from(body.to_string())).expect("a request")).await
    }

    pub async fn game(&self, body: Value) -> CreatedGame {
        let answer = self.post("/api/v1/games", None, &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        let json = answer.json();
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_string();
        CreatedGame { id: text("id"), token: text("token"), invitation: text("invitation") }
    }
}

pub struct CreatedGame {
    pub id: String,
    pub token: String,
    pub invitation: String,
}

impl CreatedGame {
    pub fn moves(&self) -> String {
        format!("/api/v1/games/{}/moves", self.id)
    }

    pub fn actions(&self) -> String {
        format!("/api/v1/games/{}/actions", self.id)
    }

    pub fn path(&self) -> String {
        format!("/api/v1/games/{}", self.id)
    }
}
