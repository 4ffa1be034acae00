// Whole games of every kind, from the home page to the result: with a mouse, with a touch screen, and one with the keyboard only.

import assert from "node:assert/strict";
import { SIZES, PHONE, browserTest } from "./server.mjs";
import { GamePage, begin, randomChoice, smallest } from "./game_page.mjs";

for (const [sized, size] of SIZES) {
  browserTest(`every game is played to its end, ${sized}`, async (server) => {
    for (const { name } of await server.api("catalog")) {
      const visitor = await server.visitor({ size });
      // In long games the engine makes half of the moves.
      const both = size !== PHONE && smallest(name).length > 0;
      const game = await begin(visitor, name, { opponent: both ? "me" : "level-1" });
      await game.play(randomChoice(7));
      const end = await game.assertOver();
      console.log(`  ${name}: ${end.plies} moves; ${end.says}`);
      await visitor.context.close();
    }
  });
}

/** Presses Tab until an element has the focus; fails if it cannot be reached. */
async function tabTo(page, selector) {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
  }
  assert.fail(`Tab does not lead to ${selector}`);
}

/** The positions of the focus on the board and of a target. */
function places(page, target) {
  return page.evaluate((wanted) => {
    const at = (hit) => [Number(hit.dataset.x), Number(hit.dataset.y)];
    const [here, there] = [document.activeElement, document.querySelector(`.hit[data-target="${wanted}"]`)];
    return { here: at(here), there: at(there), done: here === there, target: here.dataset.target };
  }, target);
}

/** Moves the focus to a target with the arrow keys. */
async function arrowTo(page, target) {
  let stuck = 0;
  for (let presses = 0; presses < 60; presses += 1) {
    const { here, there, done, target: before } = await places(page, target);
    if (done) return;
    const [dx, dy] = [there[0] - here[0], there[1] - here[1]];
    const sideways = Math.abs(dx) > Math.abs(dy) !== (stuck > 0);
    await page.keyboard.press(sideways ? (dx < 0 ? "ArrowLeft" : "ArrowRight") : dy < 0 ? "ArrowUp" : "ArrowDown");
    stuck = (await places(page, target)).target === before ? stuck + 1 : 0;
    assert.ok(stuck < 3, `arrows do not lead to target ${target}`);
  }
  assert.fail(`arrows do not lead to target ${target}`);
}

browserTest("a whole game with the keyboard only", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open("/");
  await tabTo(page, "[name=game]");
  for (let i = 0; i < 9; i += 1) {
    if (await page.evaluate(() => document.activeElement?.value === "amazons")) break;
    await page.keyboard.press("ArrowDown");
  }
  for (const field of ["amazons-columns", "amazons-rows"]) {
    await tabTo(page, `[name="${field}"]`);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("4");
  }
  await tabTo(page, "#opponent");
  await page.keyboard.type("Two");
  assert.equal(await page.locator("#opponent").inputValue(), "me");
  await tabTo(page, "button[type=submit]");
  await Promise.all([page.waitForURL(/\/games\//), page.keyboard.press("Enter")]);
  const game = new GamePage(visitor);
  await game.settled();
  await tabTo(page, ".hit");
  const choose = randomChoice(3);
  for (;;) {
    const now = await game.settled();
    if (now.over) break;
    await arrowTo(page, now.can[choose(now.can.length)]);
    await page.keyboard.press(choose(2) ? "Enter" : "Space");
    await page.waitForFunction(
      ([plies, chosen]) =>
        document.querySelectorAll("#moves a").length !== plies || document.querySelectorAll(".hit.chosen").length !== chosen,
      [now.plies, now.chosen.length],
    );
  }
  await game.assertOver();
});
