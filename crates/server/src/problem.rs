//! Problems: every reason to refuse a request, with its status, its type and one sentence. The API responds with
//! `application/problem+json` (RFC 9457); pages show the sentence.
//!
//! A visitor never sees the internals of a failure. The reason travels with the response as a [`Reason`] and goes to the log, see
//! [`app`](crate::app).

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use parlor_core::{capitalised, shortened};
use parlor_store::StoreError;
use serde::Serialize;
use std::any::Any;
use tokio::task::JoinError;
use utoipa::ToSchema;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// What the request asks for does not exist; the text names its kind, such as `game`.
    NotFound(&'static str),
    /// The request cannot be parsed or has an invalid value; the sentence says what would be accepted.
    BadInput(String),
    /// The request needs the token of a seat and has none.
    NoToken,
    NotYourSeat,
    NotYourTurn,
    /// The move is for another position: the ply of the move, and the current ply.
    Stale(u64, usize),
    /// The rules forbid the move: the reason.
    Illegal(String),
    /// The current state of the game does not allow the request, for the reason in the sentence.
    Refused(String),
    /// The request came from a page of another origin.
    ForeignOrigin,
    /// The request body is too large.
    TooLarge,
    /// The client exceeds its rate limit.
    TooOften,
    /// The server is overloaded: the reason.
    Busy(&'static str),
    /// An analysis was not started in time: its place in the queue.
    Queued(usize),
    /// Another server owns the game: its name, if it is known. The request is forwarded, so clients normally do not see this.
    Elsewhere(String),
    /// The database does not answer: the reason, for the log.
    DatabaseAway(String),
    /// A write failed, so nothing was changed: the reason, for the log.
    NotKept(String),
    /// A bug or a corrupt row in the database: the reason, for the log.
    Broken(String),
}

/// The reason for a failure of the server, attached to the response as an extension, for the log.
#[derive(Clone, Debug)]
pub struct Reason(pub String);

/// The body of an error response (problem details, RFC 9457).
#[derive(Serialize, ToSchema)]
pub struct ProblemBody {
    /// The problem type, a stable name such as `urn:parlor:problem:not-your-turn`.
    #[serde(rename = "type")]
    kind: String,
    /// The problem type in a few words.
    title: &'static str,
    /// The HTTP status code of the response.
    status: u16,
    /// A sentence that says what is wrong and what would be accepted.
    detail: String,
    /// The current ply of the game; only for a move that is for another position (`stale-ply`).
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<usize>,
    /// The place in the queue; only for an analysis that did not start in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<usize>,
}

impl Problem {
    /// Status code, problem type and title.
    pub fn status_and_type(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Problem::NotFound(_) => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Problem::BadInput(_) => (StatusCode::UNPROCESSABLE_ENTITY, "bad-input", "Invalid input"),
            Problem::NoToken => (StatusCode::UNAUTHORIZED, "no-token", "Token required"),
            Problem::NotYourSeat => (StatusCode::FORBIDDEN, "not-your-seat", "Not your seat"),
            Problem::NotYourTurn => (StatusCode::FORBIDDEN, "not-your-turn", "Not your turn"),
            Problem::Stale(..) => (StatusCode::CONFLICT, "stale-ply", "Position changed"),
            Problem::Illegal(_) => (StatusCode::UNPROCESSABLE_ENTITY, "illegal-move", "Illegal move"),
            Problem::Refused(_) => (StatusCode::CONFLICT, "refused", "Not possible now"),
            Problem::ForeignOrigin => (StatusCode::FORBIDDEN, "foreign-origin", "Wrong origin"),
            Problem::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Request too large"),
            Problem::TooOften => (StatusCode::TOO_MANY_REQUESTS, "too-often", "Too many requests"),
            Problem::Busy(_) | Problem::Queued(_) => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Busy"),
            Problem::Elsewhere(_) => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Busy"),
            Problem::DatabaseAway(_) => (StatusCode::SERVICE_UNAVAILABLE, "busy", "Busy"),
            Problem::NotKept(_) => (StatusCode::SERVICE_UNAVAILABLE, "not-kept", "Not saved"),
            Problem::Broken(_) => (StatusCode::INTERNAL_SERVER_ERROR, "broken", "Internal error"),
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            Problem::NotFound(what) => format!("This {what} does not exist. Check the address."),
            Problem::BadInput(sentence) | Problem::Refused(sentence) => as_sentence(sentence),
            Problem::NoToken => {
                "Only players of this game can do that. Send the token of your seat.".to_string()
            }
            Problem::NotYourSeat => {
                "You are not a player of this game. Send the token of one of its seats.".to_string()
            }
            Problem::NotYourTurn => "It is the other player's turn. Please wait for their move.".to_string(),
            Problem::Stale(..) => "The position has changed. Please move again.".to_string(),
            Problem::Illegal(why) => as_sentence(why),
            Problem::ForeignOrigin => {
                "The request comes from another website. Please use the pages of this server.".to_string()
            }
            Problem::TooLarge => "The request is too large; the limit is 64 KiB.".to_string(),
            Problem::TooOften => "Too many requests. Please try again in a moment.".to_string(),
            Problem::Busy(what) => format!("The server is busy: {what}. Please try again in a moment."),
            Problem::Queued(place) => {
                format!(
                    "The server is busy: the analysis is at position {place} in the queue. Please try again in a moment."
                )
            }
            Problem::Elsewhere(_) => {
                "The server is busy: another server runs this game. Please try again in a moment.".to_string()
            }
            Problem::DatabaseAway(_) => {
                "The server is busy: the database does not answer. Please try again in a moment.".to_string()
            }
            Problem::NotKept(_) => "The change could not be saved. Please try again.".to_string(),
            Problem::Broken(_) => "Internal server error. Nothing was changed.".to_string(),
        }
    }

    /// The reason to log: the internal one, or else the sentence of the response.
    pub fn reason(&self) -> String {
        match self {
            Problem::DatabaseAway(why) | Problem::NotKept(why) | Problem::Broken(why) => why.clone(),
            Problem::Elsewhere(owner) => format!("the game is owned by another server ({owner})"),
            Problem::Stale(meant, at) => format!("the move is for ply {meant}, but the game is at ply {at}"),
            other => other.sentence(),
        }
    }

    /// Whether the server caused the problem, so that the reason must be logged.
    pub fn is_failure(&self) -> bool {
        self.status_and_type().0.is_server_error()
    }

    /// Attaches the reason to a response of this problem, if it is a failure.
    pub fn attach_reason(&self, response: &mut Response) {
        if self.is_failure() {
            response.extensions_mut().insert(Reason(self.reason()));
        }
    }

    /// The problem of a system without random numbers, on which no token or id can be created.
    pub fn no_random() -> Problem {
        Problem::Broken("the system random number generator failed".to_string())
    }

    /// The problem of a task that has panicked; `what` names the kind of task.
    pub fn panicked(what: &str, error: JoinError) -> Problem {
        Problem::Broken(format!("{what} {}", end_of_task(error)))
    }
}

pub fn end_of_task(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => format!("panicked: {}", panic_message(panic.as_ref())),
        Err(cancelled) => cancelled.to_string(),
    }
}

pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// A reason as a sentence: capitalised, with a full stop, without control characters.
fn as_sentence(reason: &str) -> String {
    let whole = capitalised(&shortened(reason, 400));
    if whole.ends_with(['.', '!', '?']) { whole } else { format!("{whole}.") }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, kind, title) = self.status_and_type();
        let ply = if let &Problem::Stale(_, at) = &self { Some(at) } else { None };
        let queue = if let &Problem::Queued(place) = &self { Some(place) } else { None };
        let kind = format!("urn:parlor:problem:{kind}");
        let body = ProblemBody { kind, title, status: status.as_u16(), detail: self.sentence(), ply, queue };
        let mut response = (status, Json(body)).into_response();
        self.attach_reason(&mut response);
        let json = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, json);
        if status == StatusCode::TOO_MANY_REQUESTS || status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        match error {
            StoreError::Unavailable(why) => Problem::DatabaseAway(why),
            StoreError::Corrupt(..) => Problem::Broken(error.to_string()),
            other => Problem::NotKept(other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_become_sentences() {
        assert_eq!(as_sentence("hole 3 is empty"), "Hole 3 is empty.");
        assert_eq!(as_sentence("Is it?"), "Is it?");
        assert_eq!(as_sentence(""), ".");
    }
}
