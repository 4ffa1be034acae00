// Run with: node --test
"use strict";

const assert = require("node:assert");
const test = require("node:test");
const { answer } = require("./bot.js");

const TURN = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t1 2 3 4 5 6\t1\t5000";

test("a turn is answered with a legal move", () => {
  for (let i = 0; i < 100; i += 1) assert.ok(["1", "2", "3", "4", "5", "6"].includes(answer(TURN)));
});

test("the only move is played", () => {
  assert.strictEqual(answer("turn\toware\tx\tf\t\t100"), "f");
});

test("news of games wants no answer", () => {
  assert.strictEqual(answer("new\tkalah:6,4\tfirst"), undefined);
  assert.strictEqual(answer("end\twin\tnormal"), undefined);
});
