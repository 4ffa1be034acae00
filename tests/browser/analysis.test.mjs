// The analysis of a finished game: values of the moves, graph, mistakes, and navigation by arrow keys.

import assert from "node:assert/strict";
import { assertAccessible } from "./axe.mjs";
import { takeScreenshots } from "./screenshots.mjs";
import { browserTest } from "./server.mjs";
import { begin, randomChoice } from "./game_page.mjs";

/** Presses a key and waits for the page of that ply. */
async function step(page, key, ply) {
  await page.keyboard.press(key);
  await page.locator(".steps").getByText(`Move ${ply} of`).waitFor();
}

browserTest("a finished game can be analysed", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  const game = await begin(visitor, "connect", { numbers: ["4", "4", "4"], name: "Ann" });
  await game.play(randomChoice(8));
  const { plies } = await game.assertOver();
  await visitor.press(page.locator("#actions").getByRole("link", { name: "Analyse" }));
  await page.waitForURL(/\/analysis\?/);
  await step(page, "Home", 0);
  await step(page, "ArrowRight", 1);
  await step(page, "End", plies);
  for (let ply = plies - 1; ply >= plies - 3; ply -= 1) await step(page, "ArrowLeft", ply);

  // On a small board everything is soon proven, and every legal move shows its value.
  await page.getByText("All values are proven.").waitFor();
  const legal = await page.locator(".hit.can").count();
  assert.ok(legal > 0);
  assert.equal(await page.locator(".values tbody tr").count(), legal);
  assert.equal(await page.locator(".values .chip.proven").count(), legal);
  assert.equal(await page.locator(".badges .badge.proven").count(), legal);

  await page.locator(".graph .line").waitFor();
  await page.waitForFunction(() => !document.getElementById("mistakes")?.textContent.includes("whole game"));
  await assertAccessible(visitor, "an analysis");
  await takeScreenshots(visitor, "analysis");

  // Trying a move opens its own line.
  await visitor.press(page.locator(".hit.can").first());
  await page.locator(".steps").getByText(`Move ${plies - 2} of ${plies - 2}`).waitFor();
});

browserTest("the form opens a position, and proven and estimated values look different", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open("/analysis");
  await assertAccessible(visitor, "the form of an analysis");
  await page.getByLabel("Game", { exact: true }).selectOption("amazons");
  await visitor.press(page.getByRole("button", { name: "Analyse position" }));
  await page.locator(".values .chip.guess").first().waitFor();
  assert.match(await page.locator(".values .chip.guess").first().textContent(), /estimated/);
  await page.locator(".badges .badge").first().waitFor({ state: "attached" });
  await assertAccessible(visitor, "an analysis of a start");
  await takeScreenshots(visitor, "analysis-of-a-start");
});
