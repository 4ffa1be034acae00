// Page weight, layout, use without scripts, reduced motion, and cross-site requests.

import assert from "node:assert/strict";
import { browserTest } from "./server.mjs";
import { USUAL, begin, randomChoice } from "./game_page.mjs";

/** The resources that a page loads, with compressed and uncompressed sizes. */
async function weigh(visitor, path) {
  const responses = [];
  visitor.page.on("response", (response) => responses.push(response));
  await visitor.page.goto(path, { waitUntil: "networkidle" });
  const parts = responses.map(async (response) => {
    const sizes = await response.request().sizes();
    return [new URL(response.url()).pathname, sizes.responseBodySize, (await response.body()).length];
  });
  return Promise.all(parts);
}

browserTest("the home page is small", async (server) => {
  const parts = await weigh(await server.visitor(), "/");
  const sum = (column) => parts.reduce((total, part) => total + part[column], 0);
  for (const [path, packed, plain] of parts) console.log(`  ${path}: ${packed} bytes compressed, ${plain} uncompressed`);
  console.log(`  the home page: ${sum(1)} bytes compressed, ${sum(2)} uncompressed`);
  assert.ok(sum(1) < 40_000, `${sum(1)} bytes compressed`);
  assert.ok(sum(2) < 100_000, `${sum(2)} bytes uncompressed`);
});

browserTest("no page is wider than its window", async (server) => {
  const visitor = await server.visitor();
  const games = await server.api("catalog");
  const made = await Promise.all(games.map(({ name }) => server.api("games", { game: name, second: { kind: "open" } })));
  for (const path of ["/", "/nowhere", ...made.map(({ url }) => url)]) {
    visitor.expectsError(/status of 404/);
    await visitor.open(path);
    for (const width of [1280, 800, 390, 320]) {
      await visitor.page.setViewportSize({ width, height: 700 });
      await visitor.assertFits();
    }
  }
});

browserTest("without scripts a visitor can read, start a game and move", async (server) => {
  const visitor = await server.visitor({ javaScriptEnabled: false });
  const { page } = visitor;
  const game = await begin(visitor, "kalah", { numbers: USUAL, name: "Ann", opponent: "level-1" });
  assert.ok((await page.locator("svg.board .hit").count()) > 0);
  await page.getByLabel("Type a move").fill("1");
  await visitor.press(game.button("Move"));
  await page.locator("#moves a").first().waitFor();
  await game.act("Resign");
  await game.says(/Ann resigns/);
  await visitor.open("/");
  await page.getByRole("heading", { name: "Play a game" }).waitFor();
  assert.match(await page.locator("body").innerText(), /Recent games[\s\S]*Ann/);
});

/** Counts the animated seeds while moves are made. */
async function animatedSeeds(server, motion) {
  const visitor = await server.visitor({ motion });
  const game = await begin(visitor, "kalah", { numbers: USUAL });
  await game.settled();
  await visitor.page.evaluate(() => {
    window.flown = 0;
    const count = (changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node instanceof Element && node.classList.contains("fly")) window.flown += 1;
      }
    };
    new MutationObserver(count).observe(document.querySelector("svg.board"), { childList: true, subtree: true });
  });
  await game.play(randomChoice(1), 2);
  const flown = await visitor.page.evaluate(() => window.flown);
  await visitor.page.waitForFunction(() => !document.querySelector(".fly"), undefined, { timeout: 2000 });
  return flown;
}

browserTest("seeds are animated unless reduced motion is preferred", async (server) => {
  assert.ok((await animatedSeeds(server, true)) > 0);
  assert.equal(await animatedSeeds(server, false), 0);
});

browserTest("a form of another site is refused", async (server) => {
  const answer = await fetch(`${server.address}/games`, {
    method: "POST",
    headers: { Origin: "http://elsewhere.example", "Content-Type": "application/x-www-form-urlencoded" },
    body: "game=kalah&opponent=me",
  });
  assert.equal(answer.status, 403);
});
