//! The forms of the analysis page: one for a new analysis, one to play from a position.

use crate::{
    analysis::AnalysisLine,
    pages::{hidden, layout::Page},
};
use maud::{Markup, html};
use parlor_catalog::entries;
use parlor_core::{ParameterKind, Side, parse_values, split_spec};

/// The page with the form for a new analysis.
pub fn page() -> Page {
    let body = html! {
        div.hero {
            h1 { "Analyse" }
            p.muted { "Analyse a position or a whole game: the value of every move, the best line, and the mistakes." }
        }
        div.cards.wide {
            form.panel.stack action="/analysis" method="post" {
                h2 { "Position" }
                div.row.nowrap {
                    div.field {
                        label for="game" { "Game" }
                        select #game name="game" {
                            @for entry in entries() { option value=(entry.name) { (entry.title) } }
                        }
                    }
                    div.field {
                        label for="size" { "Size" }
                        input #size name="size" maxlength="40" placeholder="default" autocomplete="off";
                    }
                }
                div.field {
                    label for="start" { "Position " span.muted { "(default: the start position)" } }
                    input #start name="start" maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck="false";
                }
                div.field {
                    label for="moves" { "Moves from the position" }
                    input #moves name="moves" maxlength="8000" autocomplete="off" autocapitalize="off" spellcheck="false";
                }
                button type="submit" { "Analyse position" }
                details {
                    summary { "Notation of moves and positions" }
                    dl {
                        @for entry in entries() {
                            dt { strong { (entry.title) } }
                            dd { "Moves: " (entry.move_form) ". Positions: " (entry.position_form) "." }
                        }
                    }
                }
            }
            form.panel.stack action="/analysis" method="post" {
                h2 { "Game" }
                div.field {
                    label for="record" { "Paste a record " span.muted { "(.parlor file; its first game is analysed)" } }
                    textarea #record name="record" rows="9" maxlength="40000" spellcheck="false" required {}
                }
                button type="submit" { "Analyse game" }
            }
        }
        section.panel.stack.meaning aria-labelledby="meaning" {
            h2 #meaning { "Proven and estimated" }
            p { span.chip.proven.win { "✓ +8" } " is proven: the exact result with best play by both sides." }
            p { span.chip.guess.win { "~ +3" } " is an estimate from a search that has not reached the end of the game. It can be wrong." }
            p { "Values are from the point of view of the player who makes the move: positive wins, negative loses, 0 is a draw. In games without a score, an estimate is the win probability." }
        }
    };
    Page::new("Analyse", body)
}

/// A form that starts a game from the line's position.
pub fn play_from(line: &AnalysisLine) -> Markup {
    let position = line.board.position();
    let usual = line.host.board().position() == position;
    html! {
        form.panel.playfrom action="/games" method="post" {
            (sizes(&line.record.game))
            @if !usual { (hidden("start", &position)) }
            (hidden("side", if line.board.turn() == Side::First { "first" } else { "second" }))
            (hidden("private", "1"))
            label for="opponent" { "Play from here against" }
            div.row {
                select #opponent name="opponent" {
                    @for level in [1, 2, 4, 6, 8, 10] {
                        option value={ "level-" (level) } selected[level == 4] { "engine, level " (level) }
                    }
                    option value="open" { "another person (by link)" }
                    option value="me" { "yourself" }
                }
                button.plain type="submit" { "Play" }
            }
        }
    }
}

/// The parameters of a spec as hidden fields of the form for a new game.
fn sizes(spec: &str) -> Markup {
    let found = split_spec(spec).ok().and_then(|(name, rest)| {
        let entry = parlor_catalog::find(name).ok()?;
        Some((entry, parse_values(entry.name, entry.parameters, rest).ok()?))
    });
    let Some((entry, values)) = found else { return html! {} };
    html! {
        (hidden("game", entry.name))
        @for (parameter, value) in entry.parameters.iter().zip(values) {
            @match parameter.kind {
                ParameterKind::Number(..) => (hidden(&format!("{}-{}", entry.name, parameter.name), &value.to_string())),
                ParameterKind::Choice(words) => (hidden(&format!("{}-{}", entry.name, parameter.name), words.get(value as usize).unwrap_or(&""))),
            }
        }
    }
}
