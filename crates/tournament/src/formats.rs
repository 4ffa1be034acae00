//! Pairing systems: round robin, gauntlet, Swiss, knockout and ladder, each a function from the plan and the results so far
//! to the next stage. They use no randomness: ties are broken by the order of the players in the plan.

use crate::{
    TournamentPlan,
    schedule::{Meeting, Results, Schedule, Score, Stage},
};

/// After this many extra meetings of equals in a knockout the player who is higher in the list advances.
const EXTRA_MEETINGS: usize = 3;
/// Steps of the search for the pairings of a Swiss round before one more repeated pairing is allowed.
const TRIES: u32 = 100_000;

/// These pairings in all games of the plan, with this opening.
fn at_all_games(plan: &TournamentPlan, pairings: &[[usize; 2]], round: u64) -> Vec<Meeting> {
    let at = |game| pairings.iter().map(move |&players| Meeting { players, game, round });
    (0..plan.games.len()).flat_map(at).collect()
}

fn rounds_of(plan: &TournamentPlan, pairings: &[[usize; 2]]) -> Stage {
    let meetings = (0..plan.rounds).flat_map(|round| at_all_games(plan, pairings, round)).collect();
    Stage { meetings, byes: Vec::new() }
}

/// Every player meets every other player, in an order in which no player waits long.
pub(crate) fn round_robin(plan: &TournamentPlan) -> Stage {
    let players = plan.players.len();
    // The circle method: the first player stays in place and all others rotate by one place.
    let seats = players + players % 2;
    let mut pairings = Vec::new();
    for turn in 0..seats - 1 {
        let seated = |place: usize| if place == 0 { 0 } else { (place - 1 + turn) % (seats - 1) + 1 };
        for place in 0..seats / 2 {
            let (one, other) = (seated(place), seated(seats - 1 - place));
            if one < players && other < players {
                pairings.push([one.min(other), one.max(other)]);
            }
        }
    }
    rounds_of(plan, &pairings)
}

/// The first player meets every other player.
pub(crate) fn gauntlet(plan: &TournamentPlan) -> Stage {
    let pairings: Vec<[usize; 2]> = (1..plan.players.len()).map(|other| [0, other]).collect();
    rounds_of(plan, &pairings)
}

/// Sort key: points, then the points of the opponents, then the place in the list.
pub(crate) fn strength(player: usize, scores: &[Score]) -> (u64, u64, std::cmp::Reverse<usize>) {
    let met = scores[player].met.iter().map(|&other| scores[other].halves).sum();
    (scores[player].halves, met, std::cmp::Reverse(player))
}

/// Swiss pairing: players with about as many points meet. No pairing is repeated while that can be avoided, and the bye
/// goes to the player with the fewest points of those with the fewest byes.
pub(crate) fn swiss(plan: &TournamentPlan, schedule: &Schedule, results: &Results) -> Option<Stage> {
    let round = schedule.stages().len() as u64;
    if round >= plan.rounds {
        return None;
    }
    let scores = schedule.scores(plan, results);
    let mut order: Vec<usize> = (0..plan.players.len()).collect();
    order.sort_by_key(|&player| std::cmp::Reverse(strength(player, &scores)));
    // Candidates for the bye, the last of the table first; none if the number of players is even.
    let fewest = scores.iter().map(|score| score.byes).min().unwrap_or(0);
    let odd = order.iter().rev().filter(|&&player| scores[player].byes == fewest).map(|&player| Some(player));
    let left_over: Vec<Option<usize>> = if order.len() % 2 == 1 { odd.collect() } else { vec![None] };
    let choices = (0..=order.len()).flat_map(|repeats| left_over.iter().map(move |&bye| (repeats, bye)));
    choices.into_iter().find_map(|(repeats, bye)| {
        let mut seated: Vec<usize> = order.iter().copied().filter(|&player| Some(player) != bye).collect();
        let (mut pairings, mut tries) = (Vec::new(), TRIES);
        let done = pair(&mut seated, &scores, repeats, &mut pairings, &mut tries);
        done.then(|| Stage {
            meetings: at_all_games(plan, &pairings, round),
            byes: bye.into_iter().collect(),
        })
    })
}

/// Pairs the first with the next it has not met, and so on, with backtracking; at most `repeats` pairings are repeated.
fn pair(
    order: &mut Vec<usize>,
    scores: &[Score],
    repeats: usize,
    pairings: &mut Vec<[usize; 2]>,
    tries: &mut u32,
) -> bool {
    if order.is_empty() {
        return true;
    }
    if *tries == 0 {
        return false;
    }
    *tries -= 1;
    let one = order.remove(0);
    for place in 0..order.len() {
        let again = usize::from(scores[one].met.contains(&order[place]));
        if again > repeats {
            continue;
        }
        let other = order.remove(place);
        pairings.push([one, other]);
        if pair(order, scores, repeats - again, pairings, tries) {
            return true;
        }
        pairings.pop();
        order.insert(place, other);
    }
    order.insert(0, one);
    false
}

/// The next stage of a knockout, or the final ranking when it is over.
pub(crate) fn knockout(
    plan: &TournamentPlan,
    schedule: &Schedule,
    results: &Results,
) -> Result<Stage, Vec<usize>> {
    let mut alive = bracket(plan.players.len());
    let (mut stage, mut out) = (0, Vec::new());
    while alive.len() > 1 {
        let ties: Vec<[usize; 2]> =
            alive.chunks_exact(2).filter_map(|tie| Some([tie[0]?, tie[1]?])).collect();
        let byes = alive.chunks_exact(2).filter_map(|tie| tie[0].xor(tie[1])).collect();
        if stage == schedule.stages().len() {
            return Ok(Stage { byes, ..rounds_of(plan, &ties) });
        }
        let mut points = vec![0_i64; plan.players.len()];
        count(schedule, stage, results, &mut points);
        stage += 1;
        for extra in 0..EXTRA_MEETINGS as u64 {
            let level: Vec<[usize; 2]> =
                ties.iter().copied().filter(|[one, other]| points[*one] == points[*other]).collect();
            if level.is_empty() {
                break;
            }
            if stage == schedule.stages().len() {
                let meetings = at_all_games(plan, &level, plan.rounds + extra);
                return Ok(Stage { meetings, byes: Vec::new() });
            }
            count(schedule, stage, results, &mut points);
            stage += 1;
        }
        let mut losers = Vec::new();
        alive = alive
            .chunks_exact(2)
            .map(|tie| match *tie {
                [Some(one), Some(other)] => {
                    let first =
                        (points[one], std::cmp::Reverse(one)) > (points[other], std::cmp::Reverse(other));
                    losers.push(if first { other } else { one });
                    Some(if first { one } else { other })
                }
                [one, other] => one.or(other),
                _ => None,
            })
            .collect();
        losers.sort_by_key(|&loser| (std::cmp::Reverse(points[loser]), loser));
        out.push(losers);
    }
    let winner = alive.into_iter().flatten();
    Err(winner.chain(out.into_iter().rev().flatten()).collect())
}

/// Places of a knockout such that the first two of the list can meet only in the final, the first four only in the last two
/// rounds, and so on. Byes go to the first of the list.
fn bracket(players: usize) -> Vec<Option<usize>> {
    let mut places = vec![0];
    while places.len() < players {
        let size = 2 * places.len();
        places = places.into_iter().flat_map(|place| [place, size - 1 - place]).collect();
    }
    places.into_iter().map(|place| Some(place).filter(|&place| place < players)).collect()
}

/// Adds each player's points minus those of its opponents in a stage.
fn count(schedule: &Schedule, stage: usize, results: &Results, points: &mut [i64]) {
    for (number, meeting) in schedule.meetings(stage) {
        if let Some([one, other]) = schedule.halves(number, results) {
            let [first, second] = meeting.players;
            points[first] += one as i64 - other as i64;
            points[second] += other as i64 - one as i64;
        }
    }
}

/// The next stage of a ladder, or the final ranking when it is over. Neighbours meet, alternately starting with the first and
/// the second place; the winner takes the higher place.
pub(crate) fn ladder(
    plan: &TournamentPlan,
    schedule: &Schedule,
    results: &Results,
) -> Result<Stage, Vec<usize>> {
    let mut order: Vec<usize> = (0..plan.players.len()).collect();
    for round in 0..plan.rounds {
        // Two players are always neighbours.
        let from = if order.len() == 2 { 0 } else { (round % 2) as usize };
        if round as usize == schedule.stages().len() {
            let pairings: Vec<[usize; 2]> =
                order[from..].chunks_exact(2).map(|two| [two[0], two[1]]).collect();
            return Ok(Stage { meetings: at_all_games(plan, &pairings, round), byes: Vec::new() });
        }
        let mut points = vec![0; order.len()];
        count(schedule, round as usize, results, &mut points);
        for two in order[from..].chunks_exact_mut(2) {
            if points[two[1]] > points[two[0]] {
                two.swap(0, 1);
            }
        }
    }
    Err(order)
}
