// A finished game looked through: what each move was worth, by pictures and by words, and the way along it by arrow keys.

import assert from "node:assert/strict";
import { assertAccessible } from "./axe.mjs";
import { take } from "./camera.mjs";
import { evening } from "./house.mjs";
import { begin, chance } from "./table.mjs";

/** Presses a key and waits for the page of that ply. */
async function step(page, key, ply) {
  await page.keyboard.press(key);
  await page.locator(".steps").getByText(`Move ${ply} of`).waitFor();
}

evening("a finished game is looked through", async (house) => {
  const visitor = await house.visitor();
  const { page } = visitor;
  const table = await begin(visitor, "connect", { numbers: ["4", "4", "4"], name: "Ann" });
  await table.play(chance(8));
  const { plies } = await table.assertOver();
  await visitor.press(page.locator("#actions").getByRole("link", { name: "Analyse" }));
  await page.waitForURL(/\/analysis\?/);
  await step(page, "Home", 0);
  await step(page, "ArrowRight", 1);
  await step(page, "End", plies);
  for (let ply = plies - 1; ply >= plies - 3; ply -= 1) await step(page, "ArrowLeft", ply);

  // On so small a board everything is soon proven, and every move that can be touched says what it is worth.
  await page.getByText("All values are proven.").waitFor();
  const legal = await page.locator(".hit.can").count();
  assert.ok(legal > 0);
  assert.equal(await page.locator(".values tbody tr").count(), legal);
  assert.equal(await page.locator(".values .chip.proven").count(), legal);
  assert.equal(await page.locator(".badges .badge.proven").count(), legal);

  await page.locator(".graph .line").waitFor();
  await page.waitForFunction(() => !document.getElementById("mistakes")?.textContent.includes("whole game"));
  await assertAccessible(visitor, "an analysis");
  await take(visitor, "analysis");

  // A move that is tried out leads to its own line.
  await visitor.press(page.locator(".hit.can").first());
  await page.locator(".steps").getByText(`Move ${plies - 2} of ${plies - 2}`).waitFor();
});

evening("a position is asked for by the form, and proven and estimated are told apart", async (house) => {
  const visitor = await house.visitor();
  const { page } = visitor;
  await visitor.open("/analysis");
  await assertAccessible(visitor, "the form of an analysis");
  await page.getByLabel("Game", { exact: true }).selectOption("amazons");
  await visitor.press(page.getByRole("button", { name: "Analyse position" }));
  await page.locator(".values .chip.guess").first().waitFor();
  assert.match(await page.locator(".values .chip.guess").first().textContent(), /estimated/);
  await page.locator(".badges .badge").first().waitFor({ state: "attached" });
  await assertAccessible(visitor, "an analysis of a start");
  await take(visitor, "analysis-of-a-start");
});
