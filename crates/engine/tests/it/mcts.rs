//! Monte Carlo tree search within a memory limit: node limits hold when the tree is full, the tree
//! recycles its memory, and what is proven stays true.

use parlor_core::{BadParams, Bounds, Evaluator, Game, Limits, Margin, Parameter, Side, Value, mix};
use parlor_engine::{Manual, Mcts, MctsResult};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// A P-game (Pearl 1980): a uniform tree whose leaves are won or lost at random. Every position has
/// `width` moves, and the game ends after `length` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PGame {
    width: u8,
    length: u8,
    seed: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    ply: u8,
    hash: u64,
}

impl Game for PGame {
    const NAME: &'static str = "p-game";
    const PARAMETERS: &'static [Parameter] = &[];

    type Position = Node;
    type Move = u8;

    fn new(_: &[u32]) -> Result<PGame, BadParams> {
        Err(BadParams("a P-game has no text".to_string()))
    }

    fn values(&self) -> Vec<u32> {
        Vec::new()
    }

    fn start(&self) -> Node {
        Node { ply: 0, hash: self.seed }
    }

    fn turn(&self, node: &Node) -> Side {
        Side::BOTH[usize::from(node.ply % 2)]
    }

    fn moves(&self, node: &Node, out: &mut Vec<u8>) {
        if node.ply < self.length {
            out.extend(0..self.width);
        }
    }

    fn play(&self, node: &mut Node, mv: u8) {
        *node = Node { ply: node.ply + 1, hash: mix([node.hash, u64::from(mv)]) };
    }

    fn result(&self, node: &Node) -> Option<Margin> {
        let margin = if node.hash.is_multiple_of(2) { 1 } else { -1 };
        (node.ply == self.length).then_some(Margin(margin))
    }

    fn largest_margin(&self) -> Margin {
        Margin(1)
    }

    fn key(&self, node: &Node) -> u64 {
        node.hash
    }

    fn bounds(&self, _: &Node) -> Bounds {
        Bounds { lo: Margin(-1), hi: Margin(1) }
    }
}

/// Evaluates a position by its hash, between odds of 1 to e and e to 1.
struct Noise;

impl Evaluator<PGame> for Noise {
    fn evaluate(&self, _: &PGame, node: &Node) -> Value {
        (node.hash >> 16) as Value % 1000
    }
}

/// In bytes; far less than the searches below would fill.
const LITTLE_MEMORY: usize = 300_000;

fn mcts(memory: usize, threads: usize) -> Mcts<PGame, Noise> {
    // A clock that advances at each reading: a search that never reaches its node limit ends all
    // the same.
    let mut mcts = Mcts::new(Noise, 1000.0, Arc::new(Manual::stepping(Duration::from_micros(1))));
    (mcts.memory, mcts.threads) = (memory, threads);
    mcts
}

fn search(mcts: &mut Mcts<PGame, Noise>, game: &PGame, nodes: u64) -> MctsResult<u8> {
    search_from(mcts, game, &game.start(), nodes)
}

fn search_from(mcts: &mut Mcts<PGame, Noise>, game: &PGame, node: &Node, nodes: u64) -> MctsResult<u8> {
    let limits = Limits { nodes: Some(nodes), time: Some(Duration::from_millis(50)), ..Limits::default() };
    mcts.run(game, node, &limits, &AtomicBool::new(false), &mut |_| ())
}

const LARGE: PGame = PGame { width: 20, length: 60, seed: 1 };

#[test]
fn a_full_tree_does_not_stop_the_count_of_nodes() {
    for threads in [1, 2, 4] {
        let result = search(&mut mcts(LITTLE_MEMORY, threads), &LARGE, 300_000);
        assert!(result.nodes >= 300_000, "{threads} threads: {} nodes", result.nodes);
        assert!(result.nodes < 300_000 + 20 * threads as u64, "{} nodes", result.nodes);
        assert_eq!(result.moves.len(), 20);
        assert!(result.moves.is_sorted_by(|one, next| one.visits >= next.visits));
    }
}

#[test]
fn a_full_tree_recycles_its_memory() {
    for threads in [1, 2] {
        let result = search(&mut mcts(LITTLE_MEMORY, threads), &LARGE, 300_000);
        let simulations: u64 = result.moves.iter().map(|stats| u64::from(stats.visits)).sum();
        // A simulation that adds a position to the tree counts 20 nodes, one that cannot counts 1.
        let expanded = (result.nodes - simulations) / 19;
        assert!(10 * expanded > 8 * simulations, "{expanded} of {simulations} with {threads} threads");
        assert!(result.moves[0].pv.len() >= 3, "the principal variation survives: {result:?}");
    }
}

#[test]
fn one_thread_with_a_node_limit_is_deterministic_when_the_tree_is_full() {
    let mut one = mcts(LITTLE_MEMORY, 1);
    let first = search(&mut one, &LARGE, 200_000);
    one.forget();
    assert_eq!(search(&mut one, &LARGE, 200_000), first);
    assert_eq!(search(&mut mcts(LITTLE_MEMORY, 1), &LARGE, 200_000), first);
}

#[test]
fn the_least_memory_still_gives_every_move_its_prior() {
    let result = search(&mut mcts(0, 2), &LARGE, 50_000);
    assert!(result.nodes >= 50_000 && result.moves.len() == 20);
}

#[test]
fn a_search_continues_from_a_tree_that_was_full() {
    let mut kept = mcts(LITTLE_MEMORY, 1);
    let mut node = LARGE.start();
    for _ in 0..6 {
        let result = search_from(&mut kept, &LARGE, &node, 60_000);
        assert!(result.nodes >= 60_000 && result.moves.len() == 20);
        LARGE.play(&mut node, result.moves[0].mv);
    }
}

/// Whether the side to move wins, by plain negamax.
fn wins(game: &PGame, node: &Node) -> bool {
    if let Some(margin) = game.result(node) {
        return margin.0 > 0;
    }
    (0..game.width).any(|mv| {
        let mut next = node.clone();
        game.play(&mut next, mv);
        !wins(game, &next)
    })
}

#[test]
fn what_is_proven_is_true_though_parts_of_the_tree_were_pruned() {
    let (mut pruned, mut won) = (0, 0);
    for (seed, threads) in (0..12).flat_map(|seed| [(seed, 1), (seed, 2)]) {
        let game = PGame { width: 6, length: 8 + (seed % 2) as u8, seed };
        let result = search(&mut mcts(0, threads), &game, 3_000_000);
        let proven = result.moves[0].proven.expect("the whole game fits into the node limit");
        assert_eq!(proven, wins(&game, &game.start()), "seed {seed}, {threads} threads");
        pruned += u32::from(result.nodes > 20_000);
        won += u32::from(proven);
    }
    assert!(pruned > 12 && (6..=18).contains(&won), "{pruned} trees were full, {won} games were won");
}
