"""A first bot for Parlor: it reads lines from the referee and answers each `turn` with a move."""

import random
import sys


def choose(game, position, moves, so_far, milliseconds):
    """YOUR IDEAS GO HERE: return one of `moves`.

    game          such as "kalah:6,4"
    position      the board as text; `parlor games` explains each game's
    moves         the legal moves, such as ["1", "2", "3"]; never empty
    so_far        the moves played so far
    milliseconds  how long you may think; whoever takes longer loses
    """
    # For a start any legal move will do. Better: judge what each move leads to, and return the best one.
    return random.choice(moves)


def answer(line):
    """What to say to a line of the referee; None where it wants no answer."""
    fields = line.rstrip("\r\n").split("\t")
    if fields[0] != "turn":
        return None  # "new" and "end" tell of games; a bot may ignore them.
    game, position, moves, so_far, milliseconds = fields[1:6]
    return choose(game, position, moves.split(), so_far.split(), int(milliseconds))


def main():
    for line in sys.stdin:
        if line.strip() == "quit":
            break
        move = answer(line)
        if move is not None:
            print(move, flush=True)  # An answer that stays in a buffer never arrives.


if __name__ == "__main__":
    main()
