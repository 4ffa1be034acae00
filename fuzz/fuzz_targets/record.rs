//! Parses any text as a file of records. A valid record is written and parses to the same record; replaying it
//! returns an error or a board whose record is the same game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_core::Record;
use parlor_fuzz::exercise;

fuzz_target!(|text: &str| {
    let Ok(records) = Record::parse_many(text) else { return };
    let written: String = records.iter().map(|record| format!("{record}\n")).collect();
    let again = Record::parse_many(&written).expect("what is written is read");
    assert_eq!(again, records, "{written}");
    for record in records {
        let Ok(game) = parlor_catalog::game(&record.game) else { continue };
        let Ok(board) = game.replay(&record) else { continue };
        exercise(&*board);
        let own = board.record();
        let replayed = game.replay(&own).expect("a board's own record replays");
        assert_eq!(replayed.position(), board.position());
        assert_eq!(replayed.record(), own);
    }
});
