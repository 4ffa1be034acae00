// A first bot for Parlor: it reads lines from the referee and answers each `turn` with a move.
"use strict";

const readline = require("node:readline");

/**
 * YOUR IDEAS GO HERE: return one of `moves`.
 *
 * game          such as "kalah:6,4"
 * position      the board as text; `parlor games` explains each game's
 * moves         the legal moves, such as ["1", "2", "3"]; never empty
 * soFar         the moves played so far
 * milliseconds  how long you may think; whoever takes longer loses
 */
function choose(game, position, moves, soFar, milliseconds) {
  // For a start any legal move will do. Better: judge what each move leads to, and return the best one.
  return moves[Math.floor(Math.random() * moves.length)];
}

/** What to say to a line of the referee; undefined where it wants no answer. */
function answer(line) {
  const [word, game, position, moves, soFar, milliseconds] = line.split("\t");
  if (word !== "turn") return undefined; // "new" and "end" tell of games; a bot may ignore them.
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
