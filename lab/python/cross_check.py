"""Replays games in OpenSpiel and compares every step.

Standard input: one game per line, as JSON:
  {"name": "oware", "game": "oware", "steps": [[player, action, [legal, ...]], ...], "sign": 1, "scores": [25, 23]}
Standard output, at the end: {"totals": {name: [games, steps, differences]}, "first": the first difference, or null}.
"""

import json
import sys

import pyspiel


def mancala_scores(state):
    board = [round(x) for x in state.observation_tensor(0)[:14]]
    return [sum(board[1:8]), sum(board[8:14]) + board[0]]


def oware_scores(state):
    return [round(x * 48) for x in state.observation_tensor(0)[12:]]


SCORES = {"mancala": mancala_scores, "oware": oware_scores}


def differ(what, ours, theirs):
    return None if ours == theirs else f"{what}: ours {ours}, OpenSpiel's {theirs}"


def compare_step(state, player, legal):
    return (
        differ("the end has come", False, state.is_terminal())
        or differ("player to move", player, state.current_player())
        or differ("legal actions", legal, sorted(state.legal_actions()))
    )


def compare_end(state, transcript):
    difference = differ("the end has come", True, state.is_terminal()) or differ(
        "result", transcript["sign"], int(state.returns()[0])
    )
    scores = SCORES.get(transcript["name"])
    return difference or (scores and differ("scores", transcript["scores"], scores(state)))


def compare(game, transcript):
    """What differs first, as a sentence; None if nothing does."""
    state = game.new_initial_state()
    for number, (player, action, legal) in enumerate(transcript["steps"]):
        difference = compare_step(state, player, legal)
        if difference:
            return where(transcript, number, difference, state)
        state.apply_action(action)
    difference = compare_end(state, transcript)
    return difference and where(transcript, len(transcript["steps"]), difference, state)


def where(transcript, number, difference, state):
    played = [action for _, action, _ in transcript["steps"][:number]]
    return f"{transcript['game']} after {number} actions {played}\n{difference}\n{state}"


def main():
    games, totals, first = {}, {}, None
    for line in sys.stdin:
        transcript = json.loads(line)
        spec = transcript["game"]
        if spec not in games:
            games[spec] = pyspiel.load_game(spec)
        difference = compare(games[spec], transcript)
        total = totals.setdefault(transcript["name"], [0, 0, 0])
        total[0] += 1
        total[1] += len(transcript["steps"])
        total[2] += difference is not None
        first = first or difference
    json.dump({"totals": totals, "first": first}, sys.stdout)


main()
