// Accessibility: axe-core on the pages, at both sizes and in both colour schemes; announcements of moves; screenshots.

import assert from "node:assert/strict";
import { assertAccessible } from "./axe.mjs";
import { takeScreenshots } from "./screenshots.mjs";
import { browserTest } from "./server.mjs";
import { USUAL, begin, randomChoice } from "./game_page.mjs";

browserTest("axe finds no violation on the home page, an error page and an invitation", async (server) => {
  const [visitor, guest] = [await server.visitor(), await server.visitor()];
  await begin(visitor, "kalah", { opponent: "open" });
  await assertAccessible(visitor, "a game that waits for an opponent");
  await guest.open(await visitor.page.locator("#link").inputValue());
  await assertAccessible(guest, "an invitation");
  await takeScreenshots(guest, "invitation");
  await visitor.open("/");
  await assertAccessible(visitor, "home");
  await takeScreenshots(visitor, "home");
  visitor.expectsError(/status of 404/);
  await visitor.open("/nowhere");
  await assertAccessible(visitor, "an error");
});

browserTest("axe finds no violation in each game, in progress and finished", async (server) => {
  for (const { name } of await server.api("catalog")) {
    const visitor = await server.visitor();
    const game = await begin(visitor, name, { numbers: USUAL, name: "Ann", clock: "10m+5s" });
    await game.play(randomChoice(11), 7);
    // In games whose moves have several parts, show an unfinished move.
    const { can } = await game.settled();
    await game.touch(can[0]);
    await takeScreenshots(visitor, name);
    await visitor.page.locator("summary").click();
    await assertAccessible(visitor, `${name}, in progress`);
    await visitor.answerDialog(true, () => visitor.press(game.page.locator("#actions .danger")));
    await game.assertOver();
    await assertAccessible(visitor, `${name}, finished`);
    await visitor.context.close();
  }
});

browserTest("moves are announced, and every cell has a unique label", async (server) => {
  const game = await begin(await server.visitor(), "amazons", { opponent: "level-1" });
  await game.settled();
  const names = await game.page.locator(".hit").evaluateAll((hits) => hits.map((hit) => hit.getAttribute("aria-label")));
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.some((name) => name.endsWith("can be played")));
  await game.move(() => 0);
  await game.hasPlies(2);
  await game.page.locator("#announce").filter({ hasText: /played .*\. Your move\./ }).waitFor({ state: "attached" });
});
