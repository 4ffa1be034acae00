"""Solves Connect-Four positions with BitBully, one per line, for the comparison with our solver in `cargo lab bench connect`.

In:  `clear MOVES` or `keep MOVES` (MOVES are columns from 1, or `-` for the empty board); `clear` empties the table first,
     untimed. Out: `value nodes seconds`, timed around the solver's call alone.
"""

import sys
import time

import bitbully.bitbully_core as core


def main():
    solver = core.BitBullyCore()
    for line in sys.stdin:
        table, moves = line.split()
        board = core.BoardCore()
        for column in moves.replace("-", ""):
            board.play(int(column) - 1)
        if table == "clear":
            solver.resetTranspositionTable()
        solver.resetNodeCounter()
        began = time.perf_counter()
        value = solver.mtdf(board, 0)
        seconds = time.perf_counter() - began
        print(value, solver.getNodeCounter(), f"{seconds:.9f}", flush=True)


main()
