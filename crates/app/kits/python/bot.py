"""A starter bot for Parlor: it reads lines from the referee and answers each `turn` with a move."""

import random
import sys


def choose(game, position, moves, so_far, milliseconds):
    """YOUR STRATEGY GOES HERE: return one of `moves`.

    game          such as "kalah:6,4"
    position      the board as text; see `parlor games` for its notation
    moves         the legal moves, such as ["1", "2", "3"]; never empty
    so_far        the moves played so far
    milliseconds  time for this move; taking longer loses the game
    """
    # Any legal move works. Better: evaluate the position after each move, and return the best move.
    return random.choice(moves)


def answer(line):
    """Returns the answer to a line from the referee; None if no answer is expected."""
    fields = line.rstrip("\r\n").split("\t")
    if fields[0] != "turn":
        return None  # "new" and "end" announce games; a bot may ignore them.
    game, position, moves, so_far, milliseconds = fields[1:6]
    return choose(game, position, moves.split(), so_far.split(), int(milliseconds))


def main():
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        move = answer(line)
        if move is not None:
            print(move, flush=True)  # Without a flush the answer stays in the buffer.


if __name__ == "__main__":
    main()
