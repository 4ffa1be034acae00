// What axe-core finds on the pages, at both sizes, by day and by night: nothing. And what it cannot see: that moves are announced,
// and what it looks like; of that there are pictures.

import assert from "node:assert/strict";
import { assertAccessible } from "./axe.mjs";
import { take } from "./camera.mjs";
import { evening } from "./house.mjs";
import { USUAL, begin, chance } from "./table.mjs";

evening("axe finds nothing at home, on an error page and on an invitation", async (house) => {
  const [visitor, guest] = [await house.visitor(), await house.visitor()];
  await begin(visitor, "kalah", { opponent: "open" });
  await assertAccessible(visitor, "a game that waits for somebody");
  await guest.open(await visitor.page.locator("#link").inputValue());
  await assertAccessible(guest, "an invitation");
  await take(guest, "invitation");
  await visitor.open("/");
  await assertAccessible(visitor, "home");
  await take(visitor, "home");
  visitor.provokes(/status of 404/);
  await visitor.open("/nowhere");
  await assertAccessible(visitor, "an error");
});

evening("axe finds nothing in a game of each kind, nor when it is over", async (house) => {
  for (const { name } of await house.api("catalog")) {
    const visitor = await house.visitor();
    const table = await begin(visitor, name, { numbers: USUAL, name: "Ann", clock: "10m+5s" });
    await table.play(chance(11), 7);
    // A move half made, where a move has several parts.
    const { can } = await table.settled();
    await table.touch(can[0]);
    await take(visitor, name);
    await visitor.page.locator("summary").click();
    await assertAccessible(visitor, `${name}, being played`);
    await visitor.answering(true, () => visitor.press(table.page.locator("#actions .danger")));
    await table.assertOver();
    await assertAccessible(visitor, `${name}, over`);
    await visitor.context.close();
  }
});

evening("each move is announced, and every cell says what it is", async (house) => {
  const table = await begin(await house.visitor(), "amazons", { opponent: "level-1" });
  await table.settled();
  const names = await table.page.locator(".hit").evaluateAll((hits) => hits.map((hit) => hit.getAttribute("aria-label")));
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.some((name) => name.endsWith("can be played")));
  await table.move(() => 0);
  await table.hasPlies(2);
  await table.page.locator("#announce").filter({ hasText: /played .*\. Your move\./ }).waitFor({ state: "attached" });
});
