// What the page is made of: little, nothing from elsewhere, words without any script, and no motion for whoever wants none.

import assert from "node:assert/strict";
import { evening } from "./house.mjs";
import { USUAL, begin, chance } from "./table.mjs";

/** Everything that the first page loads, once packed and once as it is used. */
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

evening("the first page is light", async (house) => {
  const parts = await weigh(await house.visitor(), "/");
  const sum = (column) => parts.reduce((total, part) => total + part[column], 0);
  for (const [path, packed, plain] of parts) console.log(`  ${path}: ${packed} bytes packed, ${plain} plain`);
  console.log(`  the first page in all: ${sum(1)} bytes packed, ${sum(2)} plain`);
  assert.ok(sum(1) < 40_000, `${sum(1)} bytes packed`);
  assert.ok(sum(2) < 100_000, `${sum(2)} bytes plain`);
});

evening("no page is wider than its window", async (house) => {
  const visitor = await house.visitor();
  const games = await house.api("catalog");
  const made = await Promise.all(games.map(({ name }) => house.api("games", { game: name, second: { kind: "open" } })));
  for (const path of ["/", "/nowhere", ...made.map(({ url }) => url)]) {
    visitor.provokes(/status of 404/);
    await visitor.open(path);
    for (const width of [1280, 800, 390, 320]) {
      await visitor.page.setViewportSize({ width, height: 700 });
      await visitor.assertFits();
    }
  }
});

evening("without a script one reads, begins a game and moves", async (house) => {
  const visitor = await house.visitor({ javaScriptEnabled: false });
  const { page } = visitor;
  const table = await begin(visitor, "kalah", { numbers: USUAL, name: "Ann", opponent: "level-1" });
  assert.ok((await page.locator("svg.board .hit").count()) > 0);
  await page.getByLabel("Type a move").fill("1");
  await visitor.press(table.button("Move"));
  await page.locator("#moves a").first().waitFor();
  await table.act("Resign");
  await table.says(/Ann resigns/);
  await visitor.open("/");
  await page.getByRole("heading", { name: "Play a game" }).waitFor();
  assert.match(await page.locator("body").innerText(), /Recent games[\s\S]*Ann/);
});

/** Counts what flies over the board while moves are made. */
async function flights(house, motion) {
  const visitor = await house.visitor({ motion });
  const table = await begin(visitor, "kalah", { numbers: USUAL });
  await table.settled();
  await visitor.page.evaluate(() => {
    window.flown = 0;
    const count = (changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node instanceof Element && node.classList.contains("fly")) window.flown += 1;
      }
    };
    new MutationObserver(count).observe(document.querySelector("svg.board"), { childList: true, subtree: true });
  });
  await table.play(chance(1), 2);
  const flown = await visitor.page.evaluate(() => window.flown);
  await visitor.page.waitForFunction(() => !document.querySelector(".fly"), undefined, { timeout: 2000 });
  return flown;
}

evening("seeds fly where motion is welcome, and nowhere else", async (house) => {
  assert.ok((await flights(house, true)) > 0);
  assert.equal(await flights(house, false), 0);
});

evening("another site's form changes nothing here", async (house) => {
  const answer = await fetch(`${house.address}/games`, {
    method: "POST",
    headers: { Origin: "http://elsewhere.example", "Content-Type": "application/x-www-form-urlencoded" },
    body: "game=kalah&opponent=me",
  });
  assert.equal(answer.status, 403);
});
