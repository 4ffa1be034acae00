//! Rows that several tests store.

use parlor_store::{LiveGameRow, SeatRow};

/// A new game between two people.
pub fn game(id: &str) -> LiveGameRow {
    let seat = SeatRow { kind: "person".into(), name: "Ann".into(), spec: String::new() };
    LiveGameRow {
        id: id.into(),
        game: "kalah:6,4".into(),
        start: None,
        clock: None,
        seats: [seat.clone(), seat],
        listed: true,
        created: 0,
        touched: 0,
        plies: 0,
        ended: None,
        result: None,
        cause: None,
        rules: 2,
        deadline: None,
    }
}
