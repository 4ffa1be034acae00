// Leaving and coming back, and a server that dies in the middle of a game: nothing is lost.

import assert from "node:assert/strict";
import { PHONE, evening } from "./house.mjs";
import { USUAL, begin, chance } from "./table.mjs";

evening("a page that is loaded anew shows the same board, moves and seat", async (house) => {
  const table = await begin(await house.visitor(), "oware", { opponent: "level-1", name: "Ann" });
  await table.play(chance(2), 3);
  const before = await table.settled();
  await table.page.reload();
  const after = await table.settled();
  assert.deepEqual(after, before);
  assert.match(await table.page.locator("#plate-near").textContent(), /Ann.*you/);
  await table.move(() => 0);
});

evening("a server that is killed and started again loses nothing, and the page finds it by itself", async (house) => {
  const visitor = await house.visitor();
  const table = await begin(visitor, "kalah", { opponent: "level-1", numbers: USUAL });
  await table.play(chance(4), 2);
  const before = await table.settled();
  visitor.provokes(/net::ERR_/);
  await house.kill();
  await table.page.getByText("Connection lost").waitFor();
  await house.open();
  await table.page.locator("#problem").waitFor({ state: "hidden" });
  const after = await table.settled();
  assert.deepEqual(after, before);
  await table.move(chance(1));
  await table.play(chance(6), 2);
});

evening("a refusal on the way is got over, too", async (house) => {
  const visitor = await house.visitor();
  const table = await begin(visitor, "kalah");
  await table.settled();
  visitor.provokes(/status of 503/);
  let refused = 0;
  await visitor.page.route("**/live", (route) => {
    refused += 1;
    return refused === 1 ? route.fulfill({ status: 503, body: "" }) : route.continue();
  });
  await visitor.page.reload();
  await table.settled();
  assert.equal(refused, 2);
  await table.move(() => 0);
});

evening("the page stays where it is looked at while moves are made", async (house) => {
  const table = await begin(await house.visitor({ size: PHONE }), "amazons", { numbers: USUAL });
  await table.move(() => 0);
  const before = await table.page.evaluate(() => scrollY);
  for (let made = 0; made < 3; made += 1) await table.move(() => 0);
  assert.equal(await table.page.evaluate(() => scrollY), before);
});
