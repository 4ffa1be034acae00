//! Parser for the URL of `parlor join`: an invitation link, the URL of a game, or that of a server. Ambiguous URLs are refused.

use crate::error::CommandError;
use url::Url;

/// The server and game to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinTarget {
    /// Host and port.
    pub host: String,
    /// Whether to use TLS: the URL begins with `https://` or `wss://`.
    pub tls: bool,
    pub mode: JoinMode,
}

/// What to do on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinMode {
    /// Take the open seat of a game.
    Invitation {
        id: String,
        invitation: String,
    },
    Resume {
        id: String,
        token: String,
    },
    /// Register as a bot and wait for games.
    Wait,
}

impl JoinTarget {
    /// Parses a URL. A token requires the URL of a game.
    pub fn read(url: &str, token: Option<&str>) -> Result<JoinTarget, CommandError> {
        let address = Url::parse(url).map_err(|_| bad("not a URL", url))?;
        let tls = match address.scheme() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => return Err(bad("the scheme must be https or http", url)),
        };
        let (Some(host), Some(port)) = (address.host_str(), address.port_or_known_default()) else {
            return Err(bad("not a URL", url));
        };
        if !address.username().is_empty() {
            return Err(bad("the URL must not contain a user name", url));
        }
        let path = address.path();
        let id = path.strip_prefix("/games/").map(|id| id.trim_end_matches('/').to_string());
        let invitation = address.query_pairs().find(|(key, _)| key == "invitation").map(|(_, value)| value);
        if token.is_some_and(|token| !is_word(token)) {
            return Err(CommandError::Input("--token: expected 32 characters 0-9 and a-f".to_string()));
        }
        let mode = match (id, invitation, token) {
            (Some(id), _, _) if !is_word(&id) => return Err(bad("the game id is invalid", url)),
            (Some(id), _, Some(token)) => JoinMode::Resume { id, token: token.to_string() },
            (Some(id), Some(invitation), None) if is_word(&invitation) => {
                JoinMode::Invitation { id, invitation: invitation.to_string() }
            }
            (Some(_), Some(_), None) => return Err(bad("the invitation is invalid", url)),
            (Some(_), None, None) => {
                let why = "this game URL has no invitation; use the invitation link, or add --token TOKEN";
                return Err(CommandError::Input(why.to_string()));
            }
            (None, _, Some(_)) => {
                let why = "--token: expected the URL of a game, like http://host/games/ID";
                return Err(CommandError::Input(why.to_string()));
            }
            (None, _, None) if path == "/" => JoinMode::Wait,
            (None, _, None) => return Err(bad("unknown path", url)),
        };
        Ok(JoinTarget { host: format!("{host}:{port}"), tls, mode })
    }

    /// URL of a game, for the command that resumes it.
    pub fn game(&self, id: &str) -> String {
        format!("{}games/{id}", self.server())
    }

    /// URL of the server's page.
    pub fn server(&self) -> String {
        format!("{}://{}/", if self.tls { "https" } else { "http" }, self.host)
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

fn bad(why: &str, url: &str) -> CommandError {
    let url = parlor_core::shortened(url, 80);
    CommandError::Input(format!(
        "'{url}': {why}; expected an invitation link like http://host:4117/games/ID?invitation=… or a server like http://host:4117/"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_invitations_games_and_servers() {
        let read = |url, token| JoinTarget::read(url, token).expect("an address");
        let text = String::from;
        assert_eq!(
            read("http://a:1/", None),
            JoinTarget { host: text("a:1"), tls: false, mode: JoinMode::Wait }
        );
        assert_eq!(read("http://a.example", None).host, "a.example:80");
        assert_eq!(read("http://[::1]:9/", None).host, "[::1]:9");
        for (url, host) in [("https://a", "a:443"), ("wss://a:9/", "a:9"), ("https://[::1]/", "[::1]:443")] {
            assert_eq!((read(url, None).host.as_str(), read(url, None).tls), (host, true), "{url}");
        }
        assert_eq!(read("https://a/games/x2", Some("ff")).game("x2"), "https://a:443/games/x2");
        let invited = JoinMode::Invitation { id: text("x2"), invitation: text("ab12") };
        assert_eq!(read("http://a:1/games/x2?invitation=ab12", None).mode, invited);
        let held = JoinMode::Resume { id: text("x2"), token: text("ff") };
        assert_eq!(read("http://a:1/games/x2/", Some("ff")).mode, held);
        assert_eq!(
            read("http://a:1/games/x2?invitation=ab12#top", Some("ff")).mode,
            held,
            "a token takes precedence"
        );
    }

    #[test]
    fn errors_state_what_is_wrong_with_a_url() {
        for (url, token, sentence) in [
            ("ftp://a/", None, "scheme must be https or http"),
            ("a:1", None, "scheme must be https or http"),
            ("http://", None, "not a URL"),
            ("http://ann@a/", None, "user name"),
            ("http://a b/", None, "not a URL"),
            ("http://a/games/x", None, "has no invitation"),
            ("http://a/games/x/y", Some("ff"), "game id is invalid"),
            ("http://a/games/x?invitation=%20", None, "invitation"),
            ("http://a/games/x", Some("f f"), "--token"),
            ("http://a/", Some("ff"), "--token"),
            ("http://a/elsewhere", None, "unknown path"),
        ] {
            match JoinTarget::read(url, token) {
                Err(CommandError::Input(error)) => assert!(error.contains(sentence), "{url}: {error}"),
                other => panic!("{url}: {other:?}"),
            }
        }
    }
}
