//! Bots that wait for whoever asks: a list in memory of who they are and what they play. Whoever wants to play one takes it from
//! the list; its connection hears of it and plays. A name is held by one connection at a time.

use crate::{create::LONGEST_NAME, limits, problem::Problem, token::Token};
use parlor_core::harmless;
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;
use utoipa::ToSchema;

/// Bots that may be there at the same time, and of one address.
const MOST: usize = 4_000;
const MOST_OF_ONE: usize = 200;

/// A game assigned to a waiting bot.
#[derive(Debug)]
pub struct Call {
    /// As in the game's URLs.
    pub id: String,
    /// The bot holds its seat by this token.
    pub token: Token,
}

struct Waiting {
    /// The names of the games it plays; empty: all.
    games: Vec<String>,
    call: oneshot::Sender<Call>,
}

/// A bot that waits, as everybody may see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Offered {
    /// What it is called.
    pub name: String,
    /// The names of the games it plays; empty: all.
    pub games: Vec<String>,
}

#[derive(Default)]
struct Inside {
    /// Waiting bots by name.
    waiting: BTreeMap<String, Waiting>,
    /// All names that are held, also of those that play.
    names: HashSet<String>,
    /// Connections per address.
    there: HashMap<IpAddr, usize>,
    all: usize,
}

/// The bots of a server that come over the network.
#[derive(Clone, Default)]
pub struct Lobby(Arc<Mutex<Inside>>);

/// A bot that was taken from the list and has not been told yet; dropped, it waits again.
pub struct Taken(oneshot::Sender<Call>);

impl Taken {
    /// Tells it which game; gives the game back if it has gone in the meantime.
    pub fn tell(self, call: Call) -> Result<(), Call> {
        self.0.send(call)
    }
}

/// A connection of a bot, counted while it lasts.
pub struct Place {
    lobby: Lobby,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.lobby.inside();
        inside.all -= 1;
        if let Some(there) = inside.there.get_mut(&self.address) {
            *there -= 1;
            if *there == 0 {
                inside.there.remove(&self.address);
            }
        }
    }
}

/// A bot's name, reserved until this is dropped.
pub struct Named {
    lobby: Lobby,
    name: String,
}

impl Drop for Named {
    fn drop(&mut self) {
        let mut inside = self.lobby.inside();
        inside.names.remove(&self.name);
        inside.waiting.remove(&self.name);
    }
}

impl Named {
    /// Lists the bot as waiting; the receiver gets its next game.
    pub fn wait(&self, games: &[String]) -> oneshot::Receiver<Call> {
        let (call, called) = oneshot::channel();
        let waiting = Waiting { games: games.to_vec(), call };
        self.lobby.inside().waiting.insert(self.name.clone(), waiting);
        called
    }
}

impl Lobby {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection unless the lobby, or the share of its address, is full.
    pub fn enter(&self, address: IpAddr) -> Result<Place, Problem> {
        let address = limits::prefix(address);
        let mut inside = self.inside();
        let there = inside.there.get(&address).copied().unwrap_or(0);
        if inside.all >= MOST || there >= MOST_OF_ONE {
            return Err(Problem::Busy("too many bots are connected"));
        }
        inside.all += 1;
        inside.there.insert(address, there + 1);
        Ok(Place { lobby: self.clone(), address })
    }

    /// Holds a name. It must be free, also of the bots that the server runs.
    pub fn name(&self, name: &str, house: &[String]) -> Result<Named, Problem> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || harmless(name, LONGEST_NAME) != name {
            return Err(Problem::BadInput(format!(
                "name: expected 1 to {LONGEST_NAME} characters, like name=greedy"
            )));
        }
        let mut inside = self.inside();
        if house.iter().any(|bot| bot == name) || !inside.names.insert(name.to_string()) {
            return Err(Problem::Refused(
                "a bot of that name is already connected; choose another name".to_string(),
            ));
        }
        drop(inside);
        Ok(Named { lobby: self.clone(), name: name.to_string() })
    }

    /// The waiting bots.
    pub fn offered(&self) -> Vec<Offered> {
        let inside = self.inside();
        let offered = |(name, waiting): (&String, &Waiting)| Offered {
            name: name.clone(),
            games: waiting.games.clone(),
        };
        inside.waiting.iter().map(offered).collect()
    }

    /// Takes a bot from the list, for a game of this name.
    pub fn take(&self, name: &str, game: &str) -> Result<Taken, Problem> {
        let mut inside = self.inside();
        let Some(waiting) = inside.waiting.get(name) else {
            return Err(Problem::Refused("no bot of that name is waiting; choose another bot".to_string()));
        };
        if !waiting.games.is_empty() && !waiting.games.iter().any(|known| known == game) {
            let games = waiting.games.join(", ");
            return Err(Problem::Refused(format!("that bot does not play this game; it plays {games}")));
        }
        match inside.waiting.remove(name) {
            Some(waiting) => Ok(Taken(waiting.call)),
            None => Err(Problem::Broken("a waiting bot is no longer in the list".to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[tokio::test]
    async fn a_bot_that_is_taken_is_offered_again_when_it_waits_again() {
        let lobby = Lobby::default();
        let named = lobby.name("one", &[]).expect("a name");
        let called = named.wait(&["this".to_string()]);
        assert_eq!(lobby.offered().len(), 1);
        assert!(matches!(lobby.take("one", "that"), Err(Problem::Refused(_))), "it plays only this");
        let taken = lobby.take("one", "this").expect("it waits");
        assert!(lobby.take("one", "this").is_err(), "it is taken");
        drop(taken);
        assert!(called.await.is_err(), "whoever took it gave it back");
        let _called = named.wait(&[]);
        assert!(lobby.take("one", "that").is_ok(), "all games now");
        drop(named);
        assert!(lobby.offered().is_empty());
    }

    #[test]
    fn a_name_is_held_by_one_bot_at_a_time() {
        let lobby = Lobby::default();
        let held = lobby.name("one", &["ours".to_string()]).expect("a name");
        assert!(matches!(lobby.name("one", &[]), Err(Problem::Refused(_))));
        assert!(matches!(lobby.name("ours", &["ours".to_string()]), Err(Problem::Refused(_))));
        for bad in ["", "  ", "a\u{7}b", &"x".repeat(41)] {
            assert!(matches!(lobby.name(bad, &[]), Err(Problem::BadInput(_))), "{bad:?}");
        }
        drop(held);
        assert!(lobby.name("one", &[]).is_ok());
    }

    #[test]
    fn one_address_has_not_all_the_places() {
        let lobby = Lobby::default();
        let places: Vec<Place> = (0..MOST_OF_ONE).filter_map(|_| lobby.enter(HERE).ok()).collect();
        assert_eq!(places.len(), MOST_OF_ONE);
        assert!(lobby.enter(HERE).is_err());
        assert!(lobby.enter(IpAddr::from([10, 0, 0, 1])).is_ok());
        drop(places);
        assert!(lobby.enter(HERE).is_ok());
    }
}
