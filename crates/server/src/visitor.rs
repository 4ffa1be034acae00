//! The client of a request: its address and its token. Also the extractors of bodies, forms and queries, with our problem responses.

use crate::{
    problem::Problem, proxies::TrustedProxies, rate_limits::client_network, service::Service,
    token::SeatToken,
};
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::{HeaderMap, Method, header, request::Parts},
};
use serde::de::DeserializeOwned;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Name of the cookie with the browser's token.
pub const COOKIE: &str = "parlor";

#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub SocketAddr);

/// The client of a request.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// The client's address, or the first address of its IPv6 network of 64 bits: what limits apply to.
    pub address: IpAddr,
    /// The token of the `Authorization` header, or of the browser's cookie.
    pub token: Option<SeatToken>,
}

impl Visitor {
    /// Hash of the visitor's token for a game.
    pub fn key(&self, game: &str) -> Option<String> {
        self.token.as_ref().map(|token| token.hash(game))
    }

    /// Returns the visitor's token or a new one, and whether it is new; then the response must contain it.
    pub fn token_or_new(self) -> Result<(SeatToken, bool), Problem> {
        let is_new = self.token.is_none();
        Ok((self.token.or_else(SeatToken::new).ok_or_else(Problem::no_random)?, is_new))
    }

    /// Hash of the visitor's token for a game; an error if the request has no token.
    pub fn require_key(&self, game: &str) -> Result<String, Problem> {
        self.key(game).ok_or(Problem::NoToken)
    }
}

impl FromRequestParts<Service> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, service: &Service) -> Result<Visitor, Problem> {
        let token = bearer(&parts.headers).or_else(|| cookie(&parts.headers));
        Ok(Visitor { address: client_network(address(parts, service.proxies())), token })
    }
}

/// The client's address. Without a peer, as in tests without sockets, it is the loopback address.
fn address(parts: &Parts, proxies: &TrustedProxies) -> IpAddr {
    let peer = parts.extensions.get::<PeerAddress>().map_or(Ipv4Addr::LOCALHOST.into(), |peer| peer.0.ip());
    let lines = parts.headers.get_all("x-forwarded-for").iter();
    // A line that is not text counts as an entry that is not an address.
    proxies.client(peer, lines.map(|line| line.to_str().unwrap_or_default()))
}

fn bearer(headers: &HeaderMap) -> Option<SeatToken> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    SeatToken::parse(value.strip_prefix("Bearer ")?.trim())
}

fn cookie(headers: &HeaderMap) -> Option<SeatToken> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    SeatToken::parse(pairs.find(|(name, _)| *name == COOKIE)?.1)
}

/// Whether a request may change something. Browsers report the origin of a request, and only our own pages may (CSRF protection).
pub fn is_own_origin(method: &Method, headers: &HeaderMap, public: Option<&str>) -> bool {
    let upgrades = headers.contains_key(header::UPGRADE);
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) && !upgrades {
        return true;
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return false;
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let Ok(origin) = origin.to_str() else { return false };
    if public.is_some_and(|public| public.trim_end_matches('/') == origin) {
        return true;
    }
    let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.is_some() && host == text("host")
}

/// JSON request body, extracted with our problem responses.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Service> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Service) -> Result<Body<T>, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
        if kind != Some("application/json") {
            return Err(Problem::BadInput("expected a JSON body with Content-Type: application/json".into()));
        }
        let bytes = body(request, service).await?;
        let read = serde_json::from_slice(&bytes);
        read.map(Body).map_err(|error| Problem::BadInput(format!("invalid JSON body: {error}")))
    }
}

/// The fields of a form, in order.
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// The first field of this name, trimmed; empty if there is none.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.trim())
    }
}

impl FromRequest<Service> for Fields {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Service) -> Result<Fields, Problem> {
        let bytes = body(request, service).await?;
        let uri = format!("/?{}", String::from_utf8_lossy(&bytes).trim());
        let read = uri.parse().ok().and_then(|uri| Query::<Vec<(String, String)>>::try_from_uri(&uri).ok());
        read.map(|Query(fields)| Fields(fields)).ok_or_else(|| {
            Problem::BadInput("invalid form data: expected application/x-www-form-urlencoded".into())
        })
    }
}

async fn body(request: Request, service: &Service) -> Result<Bytes, Problem> {
    Bytes::from_request(request, service).await.map_err(|error| match error.into_response_status() {
        413 => Problem::TooLarge,
        _ => Problem::BadInput("the request body is incomplete; please send the request again".into()),
    })
}

trait Status {
    fn into_response_status(self) -> u16;
}

impl Status for axum::extract::rejection::BytesRejection {
    fn into_response_status(self) -> u16 {
        self.status().as_u16()
    }
}

/// Query parameters, extracted with our problem responses.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Service> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Service) -> Result<Params<T>, Problem> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        read.map(|Query(params)| Params(params))
            .map_err(|error| Problem::BadInput(format!("invalid query parameters: {}", error.body_text())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect()
    }

    #[test]
    fn only_our_own_pages_change_anything() {
        let own = |pairs: &[(&'static str, &'static str)], public| {
            is_own_origin(&Method::POST, &headers(pairs), public)
        };
        assert!(own(&[("host", "a:1")], None), "no browser");
        assert!(own(&[("host", "a:1"), ("origin", "http://a:1")], None));
        assert!(!own(&[("host", "a:1"), ("origin", "http://a:2")], None));
        assert!(!own(&[("host", "a:1"), ("origin", "null")], None));
        assert!(!own(&[("host", "a:1"), ("sec-fetch-site", "cross-site")], None));
        assert!(own(&[("host", "inner"), ("origin", "https://p.org")], Some("https://p.org/")));
        assert!(!own(&[("host", "a:1"), ("origin", "https://evil.org")], Some("https://p.org")));
    }

    #[test]
    fn foreign_pages_may_read_but_not_open_sockets() {
        let from = headers(&[("host", "a"), ("origin", "http://b")]);
        assert!(is_own_origin(&Method::GET, &from, None));
        let mut upgrade = from;
        upgrade.insert("upgrade", "websocket".parse().expect("a value"));
        assert!(!is_own_origin(&Method::GET, &upgrade, None));
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let token = "0123456789abcdef0123456789abcdef";
        let mut with = HeaderMap::new();
        with.insert(header::COOKIE, format!("a=b; parlor={token}; c=d").parse().expect("a value"));
        assert_eq!(cookie(&with).map(|token| token.reveal().to_string()).as_deref(), Some(token));
    }
}
