"""Times OpenSpiel's own random games, all in C++.

Standard input: `game rollouts seed` a line; standard output: the seconds they took, a line each.

RandomRolloutEvaluator cannot be called from Python by itself, but a search of one simulation does nothing but evaluate the
position it is given, and that is the rollouts.
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
