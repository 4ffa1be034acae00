// A starter bot for Parlor: it reads lines from the referee and answers each `turn` with a move.
"use strict";

const readline = require("node:readline");

/**
 * YOUR STRATEGY GOES HERE: return one of `moves`.
 *
 * game          such as "kalah:6,4"
 * position      the board as text; see `parlor games` for its notation
 * moves         the legal moves, such as ["1", "2", "3"]; never empty
 * soFar         the moves played so far
 * milliseconds  time for this move; taking longer loses the game
 */
function choose(game, position, moves, soFar, milliseconds) {
  // Any legal move works. Better: evaluate the position after each move, and return the best move.
  return moves[Math.floor(Math.random() * moves.length)];
}

/** Returns the answer to a line from the referee; undefined if no answer is expected. */
function answer(line) {
  const [word, game, position, moves, soFar, milliseconds] = line.split("\t");
  if (word !== "turn") return undefined; // "new" and "end" announce games; a bot may ignore them.
  return choose(game, position, words(moves), words(soFar), Number(milliseconds));
}

/** The words of a text between spaces. */
function words(text) {
  return text.split(" ").filter((word) => word !== "");
}

function main() {
  const input = readline.createInterface({ input: process.stdin });
  input.on("line", (line) => {
    if (line.trim() === "quit") process.exit(0);
    const move = answer(line);
    if (move !== undefined) process.stdout.write(`${move}\n`);
  });
}

if (require.main === module) main();

module.exports = { answer, choose };
