"""Times OpenSpiel's own random games, all in C++.

Standard input: `game rollouts seed` per line; standard output: the seconds that they took, one line each.

RandomRolloutEvaluator cannot be called from Python directly, but a search with one simulation only evaluates its position,
which runs the rollouts.
"""

import sys
import time

import pyspiel

for line in sys.stdin:
    name, rollouts, seed = line.split()
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(int(rollouts), int(seed))
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 100, False, int(seed), False)
    began = time.perf_counter()
    bot.mcts_search(state)
    print(time.perf_counter() - began, flush=True)
