// Reloading, reconnecting, and a server crash in the middle of a game: nothing is lost.

import assert from "node:assert/strict";
import { PHONE, browserTest } from "./server.mjs";
import { USUAL, begin, randomChoice } from "./game_page.mjs";

browserTest("a reloaded page shows the same board, moves and seat", async (server) => {
  const game = await begin(await server.visitor(), "oware", { opponent: "level-1", name: "Ann" });
  await game.play(randomChoice(2), 3);
  const before = await game.settled();
  await game.page.reload();
  const after = await game.settled();
  assert.deepEqual(after, before);
  assert.match(await game.page.locator("#plate-near").textContent(), /Ann.*you/);
  await game.move(() => 0);
});

browserTest("a server that is killed and restarted loses nothing, and the page reconnects", async (server) => {
  const visitor = await server.visitor();
  const game = await begin(visitor, "kalah", { opponent: "level-1", numbers: USUAL });
  await game.play(randomChoice(4), 2);
  const before = await game.settled();
  visitor.expectsError(/net::ERR_/);
  await server.kill();
  await game.page.getByText("Connection lost").waitFor();
  await server.start();
  await game.page.locator("#problem").waitFor({ state: "hidden" });
  const after = await game.settled();
  assert.deepEqual(after, before);
  await game.move(randomChoice(1));
  await game.play(randomChoice(6), 2);
});

browserTest("the page reconnects after a 503 response", async (server) => {
  const visitor = await server.visitor();
  const game = await begin(visitor, "kalah");
  await game.settled();
  visitor.expectsError(/status of 503/);
  let refused = 0;
  await visitor.page.route("**/live", (route) => {
    refused += 1;
    return refused === 1 ? route.fulfill({ status: 503, body: "" }) : route.continue();
  });
  await visitor.page.reload();
  await game.settled();
  assert.equal(refused, 2);
  await game.move(() => 0);
});

browserTest("the page does not scroll while moves are made", async (server) => {
  const game = await begin(await server.visitor({ size: PHONE }), "amazons", { numbers: USUAL });
  await game.move(() => 0);
  const before = await game.page.evaluate(() => scrollY);
  for (let made = 0; made < 3; made += 1) await game.move(() => 0);
  assert.equal(await game.page.evaluate(() => scrollY), before);
});
