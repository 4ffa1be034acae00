//! The lobby: a list in memory of the bots that wait for an opponent. A visitor who wants to play one reserves it; its connection
//! then receives the game. A name belongs to one connection at a time.

use crate::{new_game::LONGEST_NAME, problem::Problem, rate_limits, token::SeatToken};
use parlor_core::harmless;
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;
use utoipa::ToSchema;

/// Connections of bots at the same time, in all and per address.
const MAX_BOTS: usize = 4_000;
const MAX_BOTS_PER_ADDRESS: usize = 200;

/// A game assigned to a waiting bot.
#[derive(Debug)]
pub struct GameAssignment {
    /// The id of the game, as in URLs.
    pub id: String,
    /// The token by which the bot holds its seat.
    pub token: SeatToken,
}

struct WaitingEntry {
    /// Names of the games it plays; empty for all.
    games: Vec<String>,
    assignment: oneshot::Sender<GameAssignment>,
}

/// A bot that waits for an opponent over the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WaitingBot {
    /// The name by which a request for a new game selects the bot.
    pub name: String,
    /// Names of the games it plays; empty for all.
    pub games: Vec<String>,
}

#[derive(Default)]
struct LobbyState {
    /// The waiting bots by name.
    waiting: BTreeMap<String, WaitingEntry>,
    /// Reserved names, also of bots that play.
    names: HashSet<String>,
    /// Number of connections per address.
    per_address: HashMap<IpAddr, usize>,
    total: usize,
}

/// The bots that are connected to this server.
#[derive(Clone, Default)]
pub struct Lobby(Arc<Mutex<LobbyState>>);

/// A bot that was removed from the list and has no game yet. If this is dropped, it waits again.
pub struct ReservedBot(oneshot::Sender<GameAssignment>);

impl ReservedBot {
    /// Sends the game to the bot. Returns the assignment if the bot has disconnected.
    pub fn assign(self, assignment: GameAssignment) -> Result<(), GameAssignment> {
        self.0.send(assignment)
    }
}

/// Counts the connection of a bot against the limits until it is dropped.
pub struct LobbyPermit {
    lobby: Lobby,
    address: IpAddr,
}

impl Drop for LobbyPermit {
    fn drop(&mut self) {
        let mut state = self.lobby.state();
        state.total -= 1;
        if let Some(count) = state.per_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                state.per_address.remove(&self.address);
            }
        }
    }
}

/// A bot's name, reserved until this is dropped.
pub struct ReservedName {
    lobby: Lobby,
    name: String,
}

impl Drop for ReservedName {
    fn drop(&mut self) {
        let mut state = self.lobby.state();
        state.names.remove(&self.name);
        state.waiting.remove(&self.name);
    }
}

impl ReservedName {
    /// Lists the bot as waiting; the receiver gets its next game.
    pub fn wait(&self, games: &[String]) -> oneshot::Receiver<GameAssignment> {
        let (assignment, assigned) = oneshot::channel();
        let waiting = WaitingEntry { games: games.to_vec(), assignment };
        self.lobby.state().waiting.insert(self.name.clone(), waiting);
        assigned
    }
}

impl Lobby {
    fn state(&self) -> MutexGuard<'_, LobbyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection unless the lobby, or the share of its address, is full.
    pub fn enter(&self, address: IpAddr) -> Result<LobbyPermit, Problem> {
        let address = rate_limits::client_network(address);
        let mut state = self.state();
        let count = state.per_address.get(&address).copied().unwrap_or(0);
        if state.total >= MAX_BOTS || count >= MAX_BOTS_PER_ADDRESS {
            return Err(Problem::Busy("too many bots are connected"));
        }
        state.total += 1;
        state.per_address.insert(address, count + 1);
        Ok(LobbyPermit { lobby: self.clone(), address })
    }

    /// Reserves a name that no connected bot and no bot of the server has.
    pub fn reserve_name(&self, name: &str, house: &[String]) -> Result<ReservedName, Problem> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || harmless(name, LONGEST_NAME) != name {
            return Err(Problem::BadInput(format!(
                "name: expected 1 to {LONGEST_NAME} characters, like name=greedy"
            )));
        }
        let mut state = self.state();
        if house.iter().any(|bot| bot == name) || !state.names.insert(name.to_string()) {
            return Err(Problem::Refused(
                "a bot with this name is already connected; choose another name".to_string(),
            ));
        }
        drop(state);
        Ok(ReservedName { lobby: self.clone(), name: name.to_string() })
    }

    pub fn waiting(&self) -> Vec<WaitingBot> {
        let state = self.state();
        let listed = |(name, waiting): (&String, &WaitingEntry)| WaitingBot {
            name: name.clone(),
            games: waiting.games.clone(),
        };
        state.waiting.iter().map(listed).collect()
    }

    /// Removes a bot from the list, for a game of this name.
    pub fn reserve(&self, name: &str, game: &str) -> Result<ReservedBot, Problem> {
        let mut state = self.state();
        let Some(waiting) = state.waiting.get(name) else {
            return Err(Problem::Refused("no bot with this name is waiting; choose another bot".to_string()));
        };
        if !waiting.games.is_empty() && !waiting.games.iter().any(|known| known == game) {
            let games = waiting.games.join(", ");
            return Err(Problem::Refused(format!("this bot does not play the game; it plays {games}")));
        }
        match state.waiting.remove(name) {
            Some(waiting) => Ok(ReservedBot(waiting.assignment)),
            None => Err(Problem::Broken("a waiting bot is no longer in the list".to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[tokio::test]
    async fn a_reserved_bot_is_listed_again_when_it_waits_again() {
        let lobby = Lobby::default();
        let name = lobby.reserve_name("one", &[]).expect("a name");
        let assigned = name.wait(&["this".to_string()]);
        assert_eq!(lobby.waiting().len(), 1);
        assert!(matches!(lobby.reserve("one", "that"), Err(Problem::Refused(_))), "it plays only this");
        let reserved = lobby.reserve("one", "this").expect("it waits");
        assert!(lobby.reserve("one", "this").is_err(), "it is taken");
        drop(reserved);
        assert!(assigned.await.is_err(), "the reservation was dropped");
        let _assigned = name.wait(&[]);
        assert!(lobby.reserve("one", "that").is_ok(), "all games now");
        drop(name);
        assert!(lobby.waiting().is_empty());
    }

    #[test]
    fn a_name_is_held_by_one_bot_at_a_time() {
        let lobby = Lobby::default();
        let held = lobby.reserve_name("one", &["ours".to_string()]).expect("a name");
        assert!(matches!(lobby.reserve_name("one", &[]), Err(Problem::Refused(_))));
        assert!(matches!(lobby.reserve_name("ours", &["ours".to_string()]), Err(Problem::Refused(_))));
        for bad in ["", "  ", "a\u{7}b", &"x".repeat(41)] {
            assert!(matches!(lobby.reserve_name(bad, &[]), Err(Problem::BadInput(_))), "{bad:?}");
        }
        drop(held);
        assert!(lobby.reserve_name("one", &[]).is_ok());
    }

    #[test]
    fn one_address_cannot_fill_the_lobby() {
        let lobby = Lobby::default();
        let permits: Vec<LobbyPermit> =
            (0..MAX_BOTS_PER_ADDRESS).filter_map(|_| lobby.enter(HERE).ok()).collect();
        assert_eq!(permits.len(), MAX_BOTS_PER_ADDRESS);
        assert!(lobby.enter(HERE).is_err());
        assert!(lobby.enter(IpAddr::from([10, 0, 0, 1])).is_ok());
        drop(permits);
        assert!(lobby.enter(HERE).is_ok());
    }
}
