//! Draws every game in all its sample sizes, at the start and during a game, and checks the SVG.

use parlor_catalog::Entry;
use parlor_core::{Board, Glyph, Mark, Piece, Side, Token};
use parlor_fifth_game::games;
use parlor_render::{Badge, Figures, Frame, Scene};

/// Every sample size of every game.
fn sizes() -> impl Iterator<Item = (&'static Entry, &'static str)> {
    games().flat_map(|entry| entry.sizes().map(move |spec| (entry, spec)))
}

/// The board after this many moves, or at the end of a shorter game.
fn played(spec: &str, plies: usize) -> Box<dyn Board> {
    after(parlor_catalog::game(spec).expect("a game").board(), plies)
}

fn after(mut board: Box<dyn Board>, plies: usize) -> Box<dyn Board> {
    for ply in 0..plies {
        let moves = board.moves();
        let Some(text) = moves.get(ply * 7919 % moves.len().max(1)) else { break };
        board.play(text).expect("a legal move");
    }
    board
}

/// Calls `then` with the scene of a board.
fn with<T>(board: &dyn Board, turned: bool, then: impl FnOnce(&Scene<'_>) -> T) -> T {
    let (info, marks, (last, won)) = (board.info(), board.marks(), board.pointed_out());
    then(&Scene { id: "b", info: &info, marks: &marks, last: &last, won, turned })
}

fn all(mut check: impl FnMut(&str, &Scene<'_>)) {
    for (entry, spec) in sizes() {
        for (plies, turned) in [(0, false), (1, true), (25, false), (1000, true)] {
            let board = after(entry.game(spec).expect("a size").board(), plies);
            with(board.as_ref(), turned, |scene| check(spec, scene));
        }
    }
}

/// Checks that tags are nested and closed and that attributes are quoted.
fn check_tags(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("'<{piece}' is not closed"));
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "in …<{piece}");
        } else if !tag.ends_with('/') {
            assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
            open.push(tag.split([' ', '\n']).next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?} stay open");
}

#[test]
fn every_game_is_drawn_in_every_size_without_a_style_attribute() {
    all(|spec, scene| {
        let picture = parlor_render::svg(scene).into_string();
        check_tags(&picture);
        assert!(!picture.contains("style") && !picture.contains("NaN") && !picture.contains("inf"), "{spec}");
        assert!(
            picture.contains(&parlor_render::marks(scene).into_string()),
            "{spec}: the layer is what a move replaces"
        );
        check_tags(&parlor_render::file(scene));
    });
}

#[test]
fn every_target_has_one_hit_and_every_other_cell_none() {
    all(|spec, scene| {
        let picture = parlor_render::svg(scene).into_string();
        for target in 0..scene.info.targets.len() {
            assert_eq!(
                picture.matches(&format!("data-target=\"{target}\"")).count(),
                1,
                "{spec} target {target}"
            );
        }
        assert_eq!(picture.matches("class=\"hit\"").count(), scene.info.targets.len(), "{spec}");
        assert_eq!(parlor_render::labels(scene).len(), scene.info.targets.len());
    });
}

#[test]
fn everything_lies_inside_the_picture() {
    let number = |text: &str| text.parse::<f64>().expect("a number");
    all(|spec, scene| {
        let picture = parlor_render::svg(scene).into_string();
        let view =
            picture.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next()).expect("a size");
        let (width, height) = view.split_once(' ').map(|(w, h)| (number(w), number(h))).expect("two numbers");
        let body = picture.split("</defs>").nth(1).expect("layers");
        for (name, most) in [(" x=\"", width), (" y=\"", height), (" cx=\"", width), (" cy=\"", height)] {
            for at in body.split(name).skip(1).map(|rest| number(rest.split('"').next().expect("a value"))) {
                assert!((0.0..=most).contains(&at), "{spec}: {name}{at} of {most}");
            }
        }
    });
}

#[test]
fn labels_name_each_target_and_its_content() {
    let label = |spec: &str, moves: &[&str], turned: bool, target: usize| {
        let mut board = parlor_catalog::game(spec).expect("a game").board();
        for text in moves {
            board.play(text).expect("legal");
        }
        with(board.as_ref(), turned, |scene| parlor_render::labels(scene)[target].clone())
    };
    assert_eq!(label("kalah", &[], false, 2), "pit 3, lower row: 4");
    assert_eq!(label("kalah", &[], true, 2), "pit 3, upper row: 4");
    assert_eq!(label("kalah", &["3"], false, 2), "pit 3, lower row: empty");
    assert_eq!(label("oware", &[], false, 0), "pit a: 4");
    assert_eq!(label("connect", &[], false, 3), "column 4: empty");
    assert_eq!(label("connect", &["4", "4", "4"], false, 3), "column 4: 2 Red pieces, 1 Black piece");
    assert_eq!(label("amazons", &[], false, 0), "a1: empty");
    assert_eq!(label("amazons", &[], false, 3), "d1: White piece");
    assert_eq!(label("amazons", &["d1-d2/d1"], false, 3), "d1: blocked");
}

#[test]
fn text_is_escaped_wherever_it_comes_from() {
    let board = played("amazons:4", 1);
    let (mut info, marks) = (board.info(), board.marks());
    info.title = "<script>&\"";
    info.cells.iter_mut().for_each(|cell| cell.name = "\"><script>".to_string());
    info.targets.iter_mut().for_each(|name| *name = "<script>'\"".to_string());
    let scene = Scene { id: "b", info: &info, marks: &marks, last: &[], won: false, turned: false };
    let badge = Badge { target: 0, text: "<script>".to_string(), proven: true, class: "win" };
    let frame = Frame { marks: marks.clone(), caption: vec!["<script>".to_string()], ..Frame::default() };
    let texts = [
        parlor_render::svg(&scene).into_string(),
        parlor_render::badges(&scene, &[badge]).into_string(),
        parlor_render::file(&scene),
        parlor_render::film(&info, false, &[frame.clone(), frame]),
    ];
    for text in texts {
        assert!(!text.contains("<script") && text.contains("&lt;script"), "{text}");
        check_tags(&text);
    }
}

#[test]
fn a_board_is_turned_unless_pieces_are_dropped_into_it() {
    let differs = |spec: &str| {
        let board = played(spec, 3);
        let drawn = |turned| with(board.as_ref(), turned, |scene| parlor_render::svg(scene).into_string());
        drawn(true) != drawn(false)
    };
    assert!(differs("kalah") && differs("amazons") && !differs("connect"));
}

#[test]
fn a_winning_line_has_a_stronger_highlight_than_a_last_move() {
    let mut board = parlor_catalog::game("connect").expect("a game").board();
    for text in ["1", "2", "1", "2", "1", "2"] {
        board.play(text).expect("legal");
    }
    let drawn = |board: &dyn Board| with(board, false, |scene| parlor_render::marks(scene).into_string());
    assert_eq!(drawn(board.as_ref()).matches("class=\"last\"").count(), 1);
    board.play("1").expect("legal");
    let won = drawn(board.as_ref());
    assert_eq!((won.matches("class=\"won\"").count(), won.matches("class=\"star\"").count()), (4, 4));
    assert!(!won.contains("class=\"last\""));
}

#[test]
fn every_glyph_is_drawn_by_a_definition_of_the_same_picture() {
    let board = played("amazons:4", 0);
    let info = board.info();
    let glyphs = [Glyph::Stone, Glyph::Disc, Glyph::Crown, Glyph::Arrow, Glyph::Letter('K')];
    for (side, glyph) in Side::BOTH.into_iter().flat_map(|side| glyphs.map(|glyph| (side, glyph))) {
        let marks = [Mark { cell: 0, token: Token::Piece(Piece { side, glyph }) }];
        let scene = Scene { id: "b", info: &info, marks: &marks, last: &[], won: false, turned: false };
        for picture in [parlor_render::svg(&scene), parlor_render::still(&scene), parlor_render::tile(&scene)]
        {
            let picture = picture.into_string();
            check_tags(&picture);
            let used = picture.split("href=\"#").nth(1).and_then(|rest| rest.split('"').next());
            let used = used.unwrap_or_else(|| panic!("{glyph:?} is not drawn"));
            assert!(picture.contains(&format!("id=\"{used}\"")), "{glyph:?}: {used} is not defined");
            assert_eq!(picture.contains(">K</text>"), glyph == Glyph::Letter('K'), "{glyph:?}");
        }
    }
}

#[test]
fn marks_outside_the_board_are_not_drawn() {
    let board = played("connect", 2);
    let (info, mut marks) = (board.info(), board.marks());
    marks.push(Mark { cell: 9999, ..marks[0] });
    let scene = Scene { id: "b", info: &info, marks: &marks, last: &[9999], won: true, turned: false };
    assert_eq!(parlor_render::marks(&scene).into_string().matches("class=\"disc").count(), 2);
}

#[test]
fn a_film_shows_every_position_once_and_ends_with_the_last_one() {
    for (entry, spec) in sizes() {
        let played = |plies| after(entry.game(spec).expect("a size").board(), plies);
        let frames: Vec<Frame> = (0..=12)
            .map(|plies| {
                let board = played(plies);
                let (last, won) = board.pointed_out();
                Frame { marks: board.marks(), last, won, caption: vec![format!("{plies}.")] }
            })
            .collect();
        let film = parlor_render::film(&played(0).info(), false, &frames);
        check_tags(&film);
        assert!(film.contains("prefers-reduced-motion") && film.contains(">12.</text>"), "{spec}");
    }
}

#[test]
fn the_style_sheet_is_small_and_loads_no_other_file() {
    assert!(parlor_render::CSS.len() < 32 * 1024, "{} bytes", parlor_render::CSS.len());
    assert!(!parlor_render::CSS.contains("url(") && !parlor_render::CSS.contains("@import"));
    let balance =
        parlor_render::CSS.matches('{').count() as i64 - parlor_render::CSS.matches('}').count() as i64;
    assert_eq!(balance, 0);
}

#[test]
fn figures_share_equal_parts_and_describe_the_board() {
    for (entry, spec) in sizes() {
        let game = entry.game(spec).expect("a size");
        let boards = [0, 0, 9].map(|plies| after(game.board(), plies));
        let mut figures = Figures::new("f", boards[0].info());
        let [first, again, later] = boards
            .each_ref()
            .map(|board| with(board.as_ref(), false, |scene| figures.figure(scene, "Board")));
        let definitions = figures.definitions().into_string();
        check_tags(&definitions);
        assert_eq!(first.into_string(), again.into_string(), "{spec}");
        let later = later.into_string();
        check_tags(&later);
        assert_eq!(definitions.matches("id=\"f-ground").count(), 1, "{spec}");
        for used in later.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert_eq!(definitions.matches(&format!("id=\"{used}\"")).count(), 1, "{spec}: {used}");
        }
    }
    let label = |spec: &str, plies: usize| {
        let board = played(spec, plies);
        let mut figures = Figures::new("f", board.info());
        let figure = with(board.as_ref(), false, |scene| figures.figure(scene, "Board")).into_string();
        figure.split("aria-label=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_string)
    };
    assert_eq!(label("connect", 0).as_deref(), Some("Board: empty"));
    assert_eq!(label("connect", 1).as_deref(), Some("Board: column 1, row 1: Red piece"));
    assert_eq!(label("kalah:1,2", 0).as_deref(), Some("Board: pit 1, lower row: 2; pit 1, upper row: 2"));
}
