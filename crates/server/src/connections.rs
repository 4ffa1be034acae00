//! Admission of connections: a limit per address, a limit in all, and a reserve for addresses with few connections. When a limit is
//! reached, the longest idle connection is closed first.

use crate::rate_limits;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    pub total: usize,
    /// Limit per address, or per IPv6 network of 64 bits. Trusted proxies are exempt.
    pub per_address: usize,
}

/// Upper bound of connections, whatever the number of files.
const MAX_CONNECTIONS: usize = 16_000;
/// Files that are not connections: the database, programs, tables, the log.
const OTHER_FILES: usize = 256;
/// An address with fewer connections than this may use the reserve.
const FEW: usize = 8;

impl Default for ConnectionLimits {
    fn default() -> ConnectionLimits {
        ConnectionLimits { total: MAX_CONNECTIONS, per_address: 256 }
    }
}

impl ConnectionLimits {
    /// The limits of a process that may have this many open files.
    pub fn for_files(files: usize) -> ConnectionLimits {
        let total = files.saturating_sub(OTHER_FILES).clamp(2 * FEW, MAX_CONNECTIONS);
        ConnectionLimits { total, ..ConnectionLimits::default() }
    }

    /// Connections that only addresses with few of them may open.
    fn reserve(&self) -> usize {
        self.total / 8
    }
}

/// The open connections, without any I/O. `H` is the caller's handle to close a connection.
struct ConnectionTable<H> {
    limits: ConnectionLimits,
    open: HashMap<u64, OpenConnection<H>>,
    /// By address: all connections, and the idle ones, oldest first.
    peers: HashMap<IpAddr, Peer>,
    /// Idle connections by the tick at which they became idle.
    idle: BTreeMap<u64, u64>,
    /// Counter that provides connection ids and ticks.
    ticks: u64,
}

struct OpenConnection<H> {
    address: IpAddr,
    /// Requests in progress. The request of a WebSocket never ends.
    requests: usize,
    /// The tick at which the last request ended.
    since: u64,
    handle: H,
}

#[derive(Default)]
struct Peer {
    open: usize,
    /// Pairs of tick and connection id.
    idle: BTreeSet<(u64, u64)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Admission<H> {
    /// Admitted, with its id; the other connection has to be closed, if there is one.
    Open(u64, Option<H>),
    Refused,
}

impl<H> ConnectionTable<H> {
    fn new(limits: ConnectionLimits) -> ConnectionTable<H> {
        ConnectionTable {
            limits,
            open: HashMap::new(),
            peers: HashMap::new(),
            idle: BTreeMap::new(),
            ticks: 0,
        }
    }

    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    /// Decides about a new connection, and evicts an idle one for it if necessary.
    fn admit(&mut self, address: IpAddr, is_proxy: bool, handle: H) -> Admission<H> {
        let own = self.peers.get(&address).map_or(0, |peer| peer.open);
        let free = self.limits.total.saturating_sub(self.open.len());
        let evicted = if !is_proxy && own >= self.limits.per_address {
            self.oldest_idle_of(address)
        } else if !is_proxy && own >= FEW && free <= self.limits.reserve() {
            self.oldest_idle_of_many()
        } else if free == 0 {
            self.oldest_idle_of_many().or_else(|| self.idle.values().next().copied())
        } else {
            return Admission::Open(self.insert(address, handle), None);
        };
        match evicted.and_then(|id| self.remove(id)) {
            Some(closed) => Admission::Open(self.insert(address, handle), Some(closed)),
            None => Admission::Refused,
        }
    }

    fn oldest_idle_of(&self, address: IpAddr) -> Option<u64> {
        self.peers.get(&address)?.idle.first().map(|(_, id)| *id)
    }

    /// The oldest idle connection of an address that has many.
    fn oldest_idle_of_many(&self) -> Option<u64> {
        let has_many = |id: &&u64| {
            let peer = self.open.get(id).and_then(|entry| self.peers.get(&entry.address));
            peer.is_some_and(|peer| peer.open > FEW)
        };
        self.idle.values().find(has_many).copied()
    }

    fn insert(&mut self, address: IpAddr, handle: H) -> u64 {
        let (id, since) = (self.tick(), self.tick());
        self.open.insert(id, OpenConnection { address, requests: 0, since, handle });
        let peer = self.peers.entry(address).or_default();
        peer.open += 1;
        peer.idle.insert((since, id));
        self.idle.insert(since, id);
        id
    }

    fn begin(&mut self, id: u64) {
        let Some(entry) = self.open.get_mut(&id) else { return };
        entry.requests += 1;
        let (address, since) = (entry.address, entry.since);
        self.idle.remove(&since);
        if let Some(peer) = self.peers.get_mut(&address) {
            peer.idle.remove(&(since, id));
        }
    }

    fn end(&mut self, id: u64) {
        let since = self.tick();
        let Some(entry) = self.open.get_mut(&id) else { return };
        entry.requests = entry.requests.saturating_sub(1);
        if entry.requests > 0 {
            return;
        }
        entry.since = since;
        self.idle.insert(since, id);
        self.peers.entry(entry.address).or_default().idle.insert((since, id));
    }

    fn remove(&mut self, id: u64) -> Option<H> {
        let entry = self.open.remove(&id)?;
        self.idle.remove(&entry.since);
        if let Some(peer) = self.peers.get_mut(&entry.address) {
            peer.idle.remove(&(entry.since, id));
            peer.open -= 1;
            if peer.open == 0 {
                self.peers.remove(&entry.address);
            }
        }
        Some(entry.handle)
    }
}

/// Handle to the server's open connections.
#[derive(Clone)]
pub struct Connections(Arc<Mutex<ConnectionTable<Arc<Notify>>>>);

impl Connections {
    pub fn new(limits: ConnectionLimits) -> Connections {
        Connections(Arc::new(Mutex::new(ConnectionTable::new(limits))))
    }

    fn table(&self) -> MutexGuard<'_, ConnectionTable<Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits or refuses a connection. The flag tells whether another one was closed for it.
    pub fn admit(&self, address: IpAddr, is_proxy: bool) -> Option<(ConnectionSlot, bool)> {
        let close = Arc::new(Notify::new());
        match self.table().admit(rate_limits::client_network(address), is_proxy, close.clone()) {
            Admission::Refused => None,
            Admission::Open(id, closed) => {
                if let Some(closed) = &closed {
                    closed.notify_one();
                }
                Some((ConnectionSlot { id, connections: self.clone(), close }, closed.is_some()))
            }
        }
    }
}

/// The slot of an open connection; released on drop.
pub struct ConnectionSlot {
    id: u64,
    connections: Connections,
    close: Arc<Notify>,
}

impl ConnectionSlot {
    /// Notified when the connection has to be closed.
    pub fn closing(&self) -> Arc<Notify> {
        self.close.clone()
    }

    /// Tracks the requests of this connection.
    pub fn requests(&self) -> Requests {
        Requests { id: self.id, connections: self.connections.clone() }
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.table().remove(self.id);
    }
}

/// Tracks the requests of one connection.
pub struct Requests {
    id: u64,
    connections: Connections,
}

impl Requests {
    /// A request that is in progress until the value is dropped.
    pub fn begin(&self) -> InProgress {
        self.connections.table().begin(self.id);
        InProgress { id: self.id, connections: self.connections.clone(), upgraded: false }
    }
}

pub struct InProgress {
    id: u64,
    connections: Connections,
    upgraded: bool,
}

impl InProgress {
    /// The connection has become a WebSocket, so the request never ends.
    pub fn upgrade(&mut self) {
        self.upgraded = true;
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        if !self.upgraded {
            self.connections.table().end(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn table(total: usize, per_address: usize) -> ConnectionTable<u32> {
        ConnectionTable::new(ConnectionLimits { total, per_address })
    }

    fn open<H: std::fmt::Debug>(admission: Admission<H>) -> (u64, Option<H>) {
        match admission {
            Admission::Open(id, closed) => (id, closed),
            Admission::Refused => panic!("refused"),
        }
    }

    #[test]
    fn an_address_at_its_limit_loses_its_own_oldest_silent_connection() {
        let mut table = table(100, 2);
        let first = open(table.admit(address(1), false, 1)).0;
        open(table.admit(address(1), false, 2));
        assert_eq!(open(table.admit(address(1), false, 3)).1, Some(1));
        assert!(!table.open.contains_key(&first));
        assert_eq!(open(table.admit(address(2), false, 4)).1, None, "another address");
    }

    #[test]
    fn an_address_whose_connections_are_all_busy_is_refused_at_its_limit() {
        let mut table = table(100, 2);
        for handle in [1, 2] {
            let id = open(table.admit(address(1), false, handle)).0;
            table.begin(id);
        }
        assert_eq!(table.admit(address(1), false, 3), Admission::Refused);
    }

    #[test]
    fn a_trusted_proxy_has_no_limit_of_its_own() {
        let mut table = table(100, 2);
        for handle in 0..100 {
            assert_eq!(open(table.admit(address(1), true, handle)).1, None);
        }
        assert_eq!(open(table.admit(address(1), true, 100)).1, Some(0), "all places are taken");
    }

    #[test]
    fn the_reserve_is_for_addresses_with_few_connections() {
        let mut table = table(80, 80);
        for handle in 0..70 {
            let id = open(table.admit(address(1), false, handle)).0;
            table.begin(id);
        }
        assert_eq!(table.admit(address(1), false, 70), Admission::Refused);
        assert_eq!(open(table.admit(address(2), false, 71)).1, None);
    }

    #[test]
    fn a_full_server_closes_the_oldest_silent_connection_of_an_address_that_has_many() {
        let mut table = table(16, 16);
        open(table.admit(address(9), false, 100));
        let mut ids = Vec::new();
        for handle in 0..13 {
            ids.push(open(table.admit(address(1), false, handle)).0);
        }
        open(table.admit(address(3), false, 101));
        open(table.admit(address(4), false, 102));
        table.begin(ids[0]);
        assert_eq!(open(table.admit(address(2), false, 103)).1, Some(1), "0 is busy, 100 has few");
    }

    #[test]
    fn a_full_server_without_silent_connections_refuses() {
        let mut table = table(4, 4);
        for last in 0..4 {
            let id = open(table.admit(address(last), false, 0)).0;
            table.begin(id);
        }
        assert_eq!(table.admit(address(9), false, 0), Admission::Refused);
    }

    #[test]
    fn a_connection_is_silent_again_when_its_request_ends() {
        let mut table = table(1, 1);
        let id = open(table.admit(address(1), false, 1)).0;
        table.begin(id);
        assert_eq!(table.admit(address(2), false, 2), Admission::Refused);
        table.end(id);
        assert_eq!(open(table.admit(address(2), false, 2)).1, Some(1));
    }

    #[test]
    fn closed_connections_are_removed_from_all_indexes() {
        let connections = Connections::new(ConnectionLimits { total: 10, per_address: 3 });
        let (slot, _) = connections.admit(address(1), false).expect("a place");
        let mut request = slot.requests().begin();
        request.upgrade();
        drop((request, slot));
        let table = connections.table();
        assert!(table.open.is_empty() && table.peers.is_empty() && table.idle.is_empty());
    }

    #[test]
    fn an_ipv6_network_of_64_bits_is_one_address() {
        let connections = Connections::new(ConnectionLimits { total: 10, per_address: 1 });
        let _one = connections.admit("2001:db8::1".parse().expect("an address"), false).expect("a place");
        let (_other, closed) =
            connections.admit("2001:db8::2".parse().expect("an address"), false).expect("a place");
        assert!(closed);
    }

    #[test]
    fn the_number_of_files_bounds_the_connections() {
        assert_eq!(ConnectionLimits::for_files(1024).total, 768);
        assert_eq!(ConnectionLimits::for_files(1 << 20).total, MAX_CONNECTIONS);
        assert_eq!(ConnectionLimits::for_files(10).total, 16);
    }
}
