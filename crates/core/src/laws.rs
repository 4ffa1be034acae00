//! Laws that hold in every game. Tests check them with random games, fuzzers with games of their choice.

use crate::{
    Board, BoardEvent, Bounds, Game, Indexed, Margin, Match, Notation, Outcome, Record, Side, Staged, Step,
    Token, View,
};
use std::collections::{HashMap, HashSet, VecDeque};

/// Larger layers are not tested: numbering may take much memory, and no table of them exists.
const LARGE_LAYER: u64 = 1 << 30;

/// Plays one game and checks the laws in every position. Each move is number `choose(n)` (modulo `n`) of the `n` legal moves.
/// Stops after `plies` moves. The error says which law was broken, and where.
///
/// # Examples
///
/// ```
/// use parlor_core::laws;
/// use parlor_games::kalah::Kalah;
///
/// // Always the first legal move, for at most 100 moves.
/// assert_eq!(laws::check(&Kalah::sized(3, 2)?, 100, &mut |_| 0), Ok(()));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn check<G: Notation + View>(
    game: &G,
    plies: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<(), String> {
    check_spec(game)?;
    let start = game.start();
    check_from(game, start, plies, choose)
}

/// Like [`check`], from any position.
pub fn check_from<G: Notation + View>(
    game: &G,
    start: G::Position,
    plies: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<(), String> {
    let mut game_so_far = Match::from_position(game.clone(), start);
    for _ in 0..plies {
        let moves = check_position(game, game_so_far.position())?;
        if moves.is_empty() {
            break;
        }
        let mv = moves[choose(moves.len()) % moves.len()];
        let picked = game.pick(game_so_far.position(), &mut |n| choose(n) % n.max(1), &mut Vec::new());
        let legal = picked.is_some_and(|mv| moves.contains(&mv));
        law(legal, || format!("{}: a move picked by chance is not legal: {picked:?}", game.spec()))?;
        check_move(game, game_so_far.position(), mv)?;
        check_path(&game_so_far, mv)?;
        game_so_far.make(mv);
        check_occurrences(&game_so_far)?;
    }
    check_position(game, game_so_far.position())?;
    check_record(&game_so_far)?;
    check_bounds(&game_so_far)
}

/// Checks the laws of position numbers along one game, and for numbers that `choose` draws from every layer up to that of the
/// start.
pub fn check_numbers<G: Indexed + Notation>(
    game: &G,
    plies: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<(), String> {
    let game = game.scoring_variant();
    let (family, mut pos) = (game.family(), game.start());
    let kept = family.spec();
    law(family.family().spec() == kept, || format!("{kept}: a family is not its own family"))?;
    for layer in 0..=game.layer(&pos) {
        let len = game.len(layer);
        law(len == family.len(layer), || {
            format!("{}, layer {layer}: {kept} has another length", game.spec())
        })?;
        if (1..LARGE_LAYER).contains(&len) {
            let bits = (0..4).fold(0, |bits, _| bits << 16 | (choose(1 << 16) as u64 & 0xffff));
            [0, len - 1, bits % len].into_iter().try_for_each(|index| check_number(&game, layer, index))?;
        }
    }
    let mut moves = Vec::new();
    for _ in 0..plies {
        if game.result(&pos).is_some() {
            break;
        }
        check_numbered(&game, &family, &pos)?;
        moves.clear();
        game.moves(&pos, &mut moves);
        let before = game.layer(&pos);
        game.play(&mut pos, moves[choose(moves.len()) % moves.len()]);
        let climbed = game.result(&pos).is_none() && game.layer(&pos) > before;
        law(!climbed, || format!("{} '{}': a move climbed here", game.spec(), game.write_position(&pos)))?;
    }
    Ok(())
}

/// Checks one number: its position has that number, nothing banked, and the first side to move.
fn check_number<G: Indexed + Notation>(game: &G, layer: u32, index: u64) -> Result<(), String> {
    let Some(pos) = game.position(layer, index).filter(|pos| game.result(pos).is_none()) else {
        return Ok(());
    };
    let place = |what: &str| {
        format!("{}, layer {layer}, number {index}, '{}': {what}", game.spec(), game.write_position(&pos))
    };
    let (back, number) = (game.layer(&pos), game.index(&pos));
    law((back, number) == (layer, index), || place(&format!("it has number {number} of layer {back}")))?;
    law(game.banked(&pos) == Margin(0), || place("something is banked"))?;
    law(game.turn(&pos) == Side::First, || place("the second side is to move"))
}

/// Checks the number of a position reached in play: the numbered position must have the same remaining game.
fn check_numbered<G: Indexed + Notation>(game: &G, family: &G, pos: &G::Position) -> Result<(), String> {
    let layer = game.layer(pos);
    if game.len(layer) >= LARGE_LAYER {
        return Ok(());
    }
    let index = game.index(pos);
    let place = |what: &str| {
        format!("{} '{}', number {index} of layer {layer}: {what}", game.spec(), game.write_position(pos))
    };
    law(index < game.len(layer), || place("the layer has fewer"))?;
    law((family.layer(pos), family.index(pos)) == (layer, index), || place("its family numbers otherwise"))?;
    let held = game.position(layer, index).ok_or_else(|| place("it has no position"))?;
    law(game.result(&held).is_none(), || place("its position is a finished game"))?;
    let same = (game.key(&held), game.count(&held)) == (game.key(pos), game.count(pos));
    law(same, || place(&format!("its position is '{}'", game.write_position(&held))))?;
    check_number(game, layer, index)
}

/// A slow and literal second implementation of the rules, to compare the fast one with. The two share no code.
pub trait Reference: Sized {
    /// The start position for these parameter values.
    fn start(values: &[u32]) -> Self;
    /// The legal moves as text, in listing order.
    fn moves(&self) -> Vec<String>;
    /// The position after a legal move.
    fn after(&self, mv: &str) -> Self;
    /// The margin seen by the side to move, once the game is over.
    fn result(&self) -> Option<i16>;
    /// The position in the game's notation.
    fn text(&self) -> String;
}

/// Plays one game with both implementations and compares text, moves and result in every position. Moves are chosen as in
/// [`check`].
pub fn check_reference<R: Reference, G: Notation>(
    game: &G,
    plies: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Result<(), String> {
    let (mut slow, mut fast) = (R::start(&game.values()), game.start());
    for ply in 0..plies {
        let mut moves = Vec::new();
        game.moves(&fast, &mut moves);
        let texts: Vec<String> = moves.iter().map(|&mv| game.write_move(mv)).collect();
        let text = game.write_position(&fast);
        let place = |what: String| format!("{} ply {ply} '{text}': {what}", game.spec());
        law(slow.text() == text, || place(format!("the reference has '{}'", slow.text())))?;
        law(slow.moves() == texts, || place(format!("{texts:?}; the reference has {:?}", slow.moves())))?;
        let result = game.result(&fast).map(|margin| margin.0);
        law(slow.result() == result, || place(format!("{result:?}; the reference has {:?}", slow.result())))?;
        if moves.is_empty() {
            break;
        }
        let chosen = choose(moves.len()) % moves.len();
        slow = slow.after(&texts[chosen]);
        game.play(&mut fast, moves[chosen]);
    }
    Ok(())
}

/// Counts move sequences with the slow rules, as [`crate::perft`] does with the fast ones: for the counts of `data/perft.txt`.
pub fn perft_reference<R: Reference>(pos: &R, depth: u32) -> u64 {
    let moves = pos.moves();
    match depth {
        0 => 1,
        1 => moves.len() as u64,
        _ => moves.iter().map(|mv| perft_reference(&pos.after(mv), depth - 1)).sum(),
    }
}

/// What positions with the same exact key must have in common: the result without the banked part, and the number of moves
/// after each move.
type Kin = (Option<i32>, Vec<u64>);

/// Visits positions from the start, nearest first, and compares those with the same exact key. Stops after `most` positions.
pub fn check_keys<G: Notation>(game: &G, most: usize) -> Result<(), String> {
    let game = game.scoring_variant();
    let (mut seen, mut kin) = (HashSet::from([game.start()]), HashMap::<u64, (Kin, G::Position)>::new());
    let (mut queue, mut moves) = (VecDeque::from([game.start()]), Vec::new());
    while let Some(pos) = queue.pop_front() {
        moves.clear();
        game.moves(&pos, &mut moves);
        let mut counts = Vec::with_capacity(moves.len());
        for &mv in &moves {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            counts.push(game.count(&next));
            if seen.len() < most && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
        if !game.exact_key(&pos) {
            continue;
        }
        counts.sort_unstable();
        let result = game.result(&pos).map(|margin| i32::from(margin.0) - i32::from(game.banked(&pos).0));
        let own = (result, counts);
        let (known, other) = kin.entry(game.key(&pos)).or_insert_with(|| (own.clone(), pos.clone()));
        law(*known == own, || {
            let (one, other) = (game.write_position(&pos), game.write_position(other));
            format!(
                "{} '{one}' has the exact key of '{other}', but other moves or another result",
                game.spec()
            )
        })?;
    }
    Ok(())
}

fn check_spec<G: Game>(game: &G) -> Result<(), String> {
    let spec = game.spec();
    let (name, rest) = crate::split_spec(&spec).map_err(|e| e.0)?;
    let values = crate::parse_values(name, G::PARAMETERS, rest).map_err(|e| e.0)?;
    law(values == game.values(), || format!("the spec '{spec}' does not read back"))?;
    law(G::new(&values).is_ok_and(|again| again.spec() == spec), || {
        format!("'{spec}' does not make itself again")
    })
}

/// Checks the laws of a single position and returns its moves.
fn check_position<G: Notation + View>(game: &G, pos: &G::Position) -> Result<Vec<G::Move>, String> {
    let text = game.write_position(pos);
    let place = |what: &str| format!("{} '{text}': {what}", game.spec());
    let back = game.parse_position(&text).map_err(|e| place(&format!("its text does not read back: {e}")))?;
    law(back == *pos, || place("its text reads back as another position"))?;
    law(game.key(&back) == game.key(pos), || place("its key is not always the same"))?;
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let over = game.result(pos);
    law(moves.is_empty() == over.is_some(), || place("moves exist after the end, or none before it"))?;
    law(game.count(pos) == moves.len() as u64, || place("the count of moves differs from the list"))?;
    let bounds = game.bounds(pos);
    law(bounds.lo <= bounds.hi, || place("the bounds cross"))?;
    if let Some(margin) = over {
        law(bounds.contain(margin), || place("the result lies outside the bounds"))?;
        law(!game.may_claim_repetition(pos), || place("a cycle can be claimed after the end"))?;
    }
    check_moves(game, pos, &moves).map_err(|what| place(&what))?;
    check_view(game, pos).map_err(|what| place(&what))?;
    Ok(moves)
}

fn check_moves<G: Notation + View>(game: &G, pos: &G::Position, moves: &[G::Move]) -> Result<(), String> {
    let mut texts = HashSet::new();
    let mut paths = Vec::new();
    let targets = game.targets().len();
    for &mv in moves {
        let text = game.write_move(mv);
        let back =
            game.parse_move(pos, &text).map_err(|e| format!("the move '{text}' does not read back: {e}"))?;
        law(back == mv, || format!("the move '{text}' reads back as another"))?;
        law(!game.run_together() || text.chars().count() == 1, || {
            format!("'{text}' cannot be run together")
        })?;
        let path = game.path(pos, mv);
        law(path.iter().all(|&t| usize::from(t) < targets), || {
            format!("the path of '{text}' leaves the board")
        })?;
        law(!path.is_empty(), || format!("the path of '{text}' is empty"))?;
        paths.push(path);
        law(texts.insert(text), || "two moves share a text".to_string())?;
    }
    // In sorted order a path that is a prefix of another stands right before one that it begins.
    paths.sort();
    let apart = paths.windows(2).all(|pair| !pair[1].starts_with(&pair[0]));
    law(apart, || "a path is the beginning of another".to_string())
}

fn check_view<G: View>(game: &G, pos: &G::Position) -> Result<(), String> {
    let cells = game.cells();
    let mut seen = HashSet::new();
    for mark in game.marks(pos) {
        law(usize::from(mark.cell) < cells.len(), || "a mark lies outside the board".to_string())?;
        law(seen.insert(mark.cell), || "a cell has two marks".to_string())?;
    }
    for event in game.settlement(pos, G::SEATS) {
        check_event(&event, cells.len())?;
    }
    let targets = game.targets().len();
    law(cells.iter().all(|c| c.target.is_none_or(|t| usize::from(t) < targets)), || {
        "a cell's target has no name".into()
    })
}

/// An event has a kind, a sentence, and cells of the board; a capture or a line names its cells.
fn check_event(event: &BoardEvent, cells: usize) -> Result<(), String> {
    let what = |what: &str| format!("the event {event:?} {what}");
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    law(!event.kind.is_empty() && event.kind.bytes().all(is_word), || what("has no word for its kind"))?;
    law(!event.text.is_empty(), || what("has no text"))?;
    law(event.cells.iter().all(|&cell| usize::from(cell) < cells), || what("lies outside the board"))?;
    let has_cells = [BoardEvent::CAPTURE, BoardEvent::LINE].contains(&event.kind);
    law(!has_cells || !event.cells.is_empty(), || what("has no cells"))
}

/// Checks that events are true: after another turn the same side moves; a line, a sweep or a side without a move ends the game.
fn check_move<G: Notation + View>(game: &G, pos: &G::Position, mv: G::Move) -> Result<(), String> {
    let mut next = pos.clone();
    game.play(&mut next, mv);
    let place = |what: &str| {
        format!("{} '{}' {}: {what}", game.spec(), game.write_position(pos), game.write_move(mv))
    };
    let side = game.turn(pos);
    let over = game.result(&next).is_some();
    let mut again = false;
    let cells = game.cells().len();
    for Staged { event, .. } in game.events(pos, mv, G::SEATS) {
        check_event(&event, cells).map_err(|what| place(&what))?;
        again |= event.kind == BoardEvent::ANOTHER_TURN;
        let ends = [BoardEvent::LINE, BoardEvent::NO_MOVE, BoardEvent::SWEEP].contains(&event.kind);
        law(over || !ends, || place("an event of the end, but the game goes on"))?;
    }
    law(over || again == (game.turn(&next) == side), || place("another turn is described wrongly"))?;
    check_steps(game, pos, mv, &next).map_err(|what| place(&what))
}

/// The content of a cell while steps are applied.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Counters(u16),
    /// `None` for a piece that was placed on the board: the marks after the move show what it is.
    Piece(Option<Token>),
}

impl Held {
    fn of(token: Token) -> Held {
        match token {
            Token::Count(count) => Held::Counters(count),
            piece => Held::Piece(Some(piece)),
        }
    }

    /// Whether the marks after the move show the same.
    fn is(self, after: Held) -> bool {
        self == after || matches!((self, after), (Held::Piece(None), Held::Piece(_)))
    }
}

/// The steps of a move, applied to the marks before it, give the marks after it.
fn check_steps<G: View>(game: &G, pos: &G::Position, mv: G::Move, next: &G::Position) -> Result<(), String> {
    let held = |pos| -> HashMap<u16, Held> {
        game.marks(pos).into_iter().map(|mark| (mark.cell, Held::of(mark.token))).collect()
    };
    let (mut board, after) = (held(pos), held(next));
    for Step { from, to, count } in game.steps(pos, mv) {
        let moved = match (from, to.and_then(|to| after.get(&to))) {
            (Some(cell), _) => leave(&mut board, cell, count)?,
            (None, Some(Held::Counters(_))) => Held::Counters(count),
            (None, _) => Held::Piece(None),
        };
        if let Some(cell) = to {
            arrive(&mut board, cell, moved)?;
        }
    }
    board.retain(|cell, held| *held != Held::Counters(0) || after.contains_key(cell));
    let wrong = after.iter().find(|(cell, shown)| !board.get(cell).is_some_and(|held| held.is(**shown)));
    let left = board.keys().find(|cell| !after.contains_key(cell));
    let differs = wrong.map(|(cell, _)| cell).or(left);
    law(differs.is_none(), || format!("its steps do not lead to the marks of cell {differs:?}"))
}

fn leave(board: &mut HashMap<u16, Held>, cell: u16, count: u16) -> Result<Held, String> {
    match board.get_mut(&cell) {
        Some(Held::Counters(held)) if *held >= count => {
            *held -= count;
            Ok(Held::Counters(count))
        }
        Some(&mut Held::Piece(piece)) if count == 1 => {
            board.remove(&cell);
            Ok(Held::Piece(piece))
        }
        _ => Err(format!("a step takes {count} from cell {cell}, which does not hold them")),
    }
}

fn arrive(board: &mut HashMap<u16, Held>, cell: u16, moved: Held) -> Result<(), String> {
    match (board.get_mut(&cell), moved) {
        (Some(Held::Counters(held)), Held::Counters(count)) => *held += count,
        (Some(_), _) => return Err(format!("a step goes to cell {cell}, which is occupied")),
        (None, moved) => {
            board.insert(cell, moved);
        }
    }
    Ok(())
}

/// The path of a move must lead back to the move.
fn check_path<G: Notation + View>(played: &Match<G>, mv: G::Move) -> Result<(), String> {
    let (game, pos) = (played.game(), played.position());
    let found = played.check_path(&game.path(pos, mv));
    law(found.as_deref() == Ok(game.write_move(mv).as_str()), || {
        format!("{} '{}': a path leads to {found:?}", game.spec(), game.write_position(pos))
    })
}

/// Occurrences must equal a plain count.
fn check_occurrences<G: Notation>(played: &Match<G>) -> Result<(), String> {
    let plain = played.positions().iter().filter(|pos| *pos == played.position()).count();
    law(played.occurrences() == plain, || {
        format!("{}: {} occurrences counted instead of {plain}", played.game().spec(), played.occurrences())
    })
}

fn check_record<G: Notation>(played: &Match<G>) -> Result<(), String> {
    let record = played.record();
    let text = record.to_string();
    let back = Record::parse(&text).map_err(|e| format!("a record does not read back: {e}\n{text}"))?;
    law(back == record, || format!("a record reads back as another:\n{text}"))?;
    let again = Match::replay(played.game().clone(), &back)
        .map_err(|e| format!("a record does not replay: {e}\n{text}"))?;
    law(again.position() == played.position(), || format!("a record replays to another position:\n{text}"))
}

/// Bounds are what the rules prove at once, whatever is played: every result on from a position lies inside its bounds.
fn check_bounds<G: Notation>(played: &Match<G>) -> Result<(), String> {
    let game = played.game();
    let Some(outcome) = played.result() else { return Ok(()) };
    for pos in played.positions() {
        let Bounds { lo, hi } = game.bounds(pos);
        let turn = game.turn(pos);
        let margin = relative(outcome, turn);
        let place = || format!("{} '{}'", game.spec(), game.write_position(pos));
        law(lo <= margin && margin <= hi, || {
            format!("{}: play led to {margin:?}, outside {lo:?}..{hi:?}", place())
        })?;
    }
    Ok(())
}

fn relative(outcome: Outcome, turn: Side) -> Margin {
    let by = outcome.by.unwrap_or(0) as i16;
    match outcome.winner {
        Some(side) if side != turn => Margin(-by),
        _ => Margin(by),
    }
}

fn law(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
