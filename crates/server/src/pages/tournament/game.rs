//! The page of one game of a tournament: the final board, the thinking times, a failure, and the moves, each linked to the analysis.

use super::{failures, file_name, games, place, short, text_file};
use crate::{
    pages::{Refusal, encoded, game::move_list, layout::Page},
    problem::Problem,
    rate_limits::RequestClass,
    service::Service,
    tournament_cache::CachedTournament,
    visitor::Visitor,
    wire::end_sentence,
};
use axum::{
    extract::{Path, State},
    response::Response,
};
use maud::{Markup, html};
use parlor_core::{Audience, Board, Record, Side, counted, harmless};
use parlor_league::{Snapshot, plain, public_spec};
use parlor_render::Scene;
use parlor_tournament::LedgerEntry;
use std::sync::Arc;

/// Width of the board as text, in characters.
const WIDTH: usize = 120;
/// Longest line of a record that is shown, in characters.
const LETTERS: usize = 2000;

/// Finds a game of a tournament by its number, counted from 1.
async fn find_game(
    service: &Service,
    visitor: &Visitor,
    name: &str,
    number: u64,
) -> Result<(Arc<CachedTournament>, u64), Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let shown = service.tournaments().get(name).await?;
    let slot = number.checked_sub(1).filter(|slot| shown.state.entries.contains_key(slot));
    Ok((shown, slot.ok_or(Problem::NotFound("game"))?))
}

pub async fn game(
    State(service): State<Service>,
    visitor: Visitor,
    Path((name, number)): Path<(String, u64)>,
) -> Result<Page, Refusal> {
    let (shown, slot) = find_game(&service, &visitor, &name, number).await?;
    let entry = shown.state.entries.get(&slot).ok_or(Problem::NotFound("game"))?;
    let names = entry.slot.seats.map(|seat| short(shown.name(seat)));
    let title = format!("{} – {}", names[0], names[1]);
    // A record that cannot be replayed is shown only as text.
    let board =
        parlor_catalog::game(&entry.record.game).ok().and_then(|game| game.replay(&entry.record).ok());
    let body = html! {
        p.crumbs { a href=(place(&name)) { (plain(&shown.plan.name, super::LONG)) } " · game " (number) (neighbours(&shown, slot)) }
        h1 { (title) }
        div.game.still {
            div.table-top {
                @match &board {
                    Some(board) => (picture(board.as_ref())),
                    None => p.error { "This game cannot be replayed. Its record is below." },
                }
            }
            div.side.stack {
                p.says { (result_text(&shown, entry, board.as_deref(), [&names[0], &names[1]])) }
                (facts(&shown, entry, board.as_deref()))
                div.actions {
                    a.button href=(analysis(&entry.record, entry.record.moves.len())) { "Analyse" }
                    a.button.plain href={ (place(&name)) "/games/" (number) "/record" } { "Record" }
                }
                (stderr_sections(&shown, entry))
                div.panel {
                    h2 { "Moves" }
                    @match &board {
                        Some(board) => (moves(&entry.record, board.as_ref())),
                        None => p { (harmless(&entry.record.moves.join(" "), LETTERS)) },
                    }
                }
                @if let Some(board) = &board { (as_text(board.as_ref(), [&names[0], &names[1]])) }
                details.panel { summary { "Record as text" } pre.tail tabindex="0" { (record_text(&entry.record)) } }
            }
        }
    };
    Ok(Page::new(title, body).wide())
}

fn neighbours(shown: &Snapshot, slot: u64) -> Markup {
    let at = |slot: u64| format!("{}/games/{}", place(&shown.plan.name), slot + 1);
    let before = shown.state.entries.range(..slot).next_back();
    let after = shown.state.entries.range(slot + 1..).next();
    html! {
        @if let Some((&slot, _)) = before { " · " a href=(at(slot)) rel="prev" { "previous game" } }
        @if let Some((&slot, _)) = after { " · " a href=(at(slot)) rel="next" { "next game" } }
    }
}

fn picture(board: &dyn Board) -> Markup {
    let (info, marks, (last, won)) = (board.info(), board.marks(), board.pointed_out());
    parlor_render::still(&Scene { id: "board", info: &info, marks: &marks, last: &last, won, turned: false })
}

fn result_text(shown: &Snapshot, entry: &LedgerEntry, board: Option<&dyn Board>, names: [&str; 2]) -> Markup {
    let told = match (&entry.violation, board, entry.record.ending) {
        (None, Some(board), Some(ending)) => Some(end_sentence(board, names, ending)),
        _ => None,
    };
    html! {
        @if let Some(violation) = &entry.violation { span.failure { (violation.kind) } " " (failures::sentence(shown, entry, violation)) ". " }
        @if let Some(told) = told { (told) } @else { (games::score(entry)) }
    }
}

fn facts(shown: &Snapshot, entry: &LedgerEntry, board: Option<&dyn Board>) -> Markup {
    let seats = board.map(|board| board.info().seats);
    html! {
        div.scroll {
            table.data {
                thead { tr { th scope="col" { "Side" } th scope="col" { "Player" } th.num scope="col" { "Time used" } } }
                tbody {
                    @for side in Side::BOTH {
                        @let player = &shown.plan.players[entry.slot.seats[side.index()]];
                        tr {
                            td { (seats.map_or(side.to_string(), |seats| seats[side.index()].to_string())) }
                            th scope="row" { (short(&player.name)) " " span.muted.spec { (plain(public_spec(&player.spec), 40)) } }
                            td.num { (failures::time_text(entry.thought[side.index()])) }
                        }
                    }
                }
            }
        }
        p.muted {
            (entry.record.game) " · round " (entry.slot.round + 1) " · " (games::score(entry)) " · " (games::end(entry)) " · "
            (counted(entry.record.moves.len() as u64, "move"))
        }
    }
}

/// What the programs wrote to standard error.
fn stderr_sections(shown: &Snapshot, entry: &LedgerEntry) -> Markup {
    html! {
        @for side in Side::BOTH {
            @let aside = &entry.asides[side.index()];
            @if !aside.trim().is_empty() {
                div.panel {
                    h2 { "Standard error of " (short(shown.name(entry.slot.seats[side.index()]))) }
                    (failures::stderr_tail(aside, &format!("tail-{side}")))
                }
            }
        }
    }
}

fn moves(record: &Record, board: &dyn Board) -> Markup {
    let texts: Vec<&str> = record.moves.iter().map(String::as_str).collect();
    move_list(&texts, &board.movers(), texts.len(), |ply| analysis(record, ply))
}

/// URL of the analysis of a position.
fn analysis(record: &Record, ply: usize) -> String {
    let start = record.start.as_ref().map_or(String::new(), |start| format!("&start={}", encoded(start)));
    let moves = encoded(&record.moves.join(" "));
    format!("/analysis?game={}{start}&moves={moves}&ply={ply}", encoded(&record.game))
}

fn as_text(board: &dyn Board, names: [&str; 2]) -> Markup {
    html! {
        details.panel {
            summary { "Board as text" }
            pre tabindex="0" role="group" aria-label="Board as text" { (board.draw(Audience { names, width: WIDTH }).to_string()) }
            p.muted { (board.position()) }
        }
    }
}

fn record_text(record: &Record) -> String {
    let lines: Vec<String> = record.to_string().lines().map(|line| harmless(line, LETTERS)).collect();
    lines.join("\n")
}

/// Sends the record of the game as a text file.
pub async fn record(
    State(service): State<Service>,
    visitor: Visitor,
    Path((name, number)): Path<(String, u64)>,
) -> Result<Response, Problem> {
    let (shown, slot) = find_game(&service, &visitor, &name, number).await?;
    let entry = shown.state.entries.get(&slot).ok_or(Problem::NotFound("game"))?;
    Ok(text_file(&format!("{}-{number}.parlor", file_name(&name)), entry.record.to_string()))
}
