//! The pages with the rules of the games.

use crate::test_server::TestServer;
use parlor_catalog::entries;
use parlor_core::rules_text::Block;
use parlor_testkit::{Database, on_both_databases};

on_both_databases! {
    async every_game_has_a_page_with_its_rules,
    async an_unknown_game_has_no_rules,
}

/// Largest size of a page in bytes. Compression reduces it to less than a tenth.
const LARGEST: usize = 100_000;

async fn every_game_has_a_page_with_its_rules(db: Database) {
    let server = TestServer::start(db).await;
    let list = server.get("/rules").await;
    let home = server.get("/").await;
    for entry in entries() {
        let path = format!("/rules/{}", entry.name);
        for text in [&list.text, &home.text] {
            assert!(text.contains(&format!("href=\"{path}\"")), "{path}");
        }
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        assert_eq!(page.headers["cache-control"], "public, max-age=300");
        assert!(page.text.len() < LARGEST, "{path}: {} bytes", page.text.len());
        assert!(!page.text.contains("style="), "{path}");
        let blocks = entry.rules().expect("rules");
        let count = |of: fn(&Block) -> bool| blocks.iter().filter(|block| of(block)).count();
        assert_eq!(page.text.matches("<h1>").count(), 1, "{path}");
        assert_eq!(page.text.matches("<h2 ").count(), count(|b| matches!(b, Block::Heading(_))), "{path}");
        assert_eq!(
            page.text.matches("<figure ").count(),
            count(|b| matches!(b, Block::Example(_))),
            "{path}"
        );
    }
}

async fn an_unknown_game_has_no_rules(db: Database) {
    let server = TestServer::start(db).await;
    assert_eq!(server.get("/rules/chess").await.status, 404);
}
