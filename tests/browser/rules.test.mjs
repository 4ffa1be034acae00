// The rules of the games: readable without a script, light, and accessible.

import assert from "node:assert/strict";
import { assertAccessible } from "./axe.mjs";
import { takeScreenshots } from "./screenshots.mjs";
import { browserTest } from "./server.mjs";

browserTest("axe finds nothing on the rules of any game, and no page is wider than its window", async (server) => {
  const visitor = await server.visitor();
  await visitor.open("/rules");
  await assertAccessible(visitor, "the list of rules");
  await takeScreenshots(visitor, "rules");
  for (const { name } of await server.api("catalog")) {
    await visitor.open(`/rules/${name}`);
    await assertAccessible(visitor, `the rules of ${name}`);
    await takeScreenshots(visitor, `rules-${name}`);
    await visitor.page.setViewportSize({ width: 320, height: 700 });
    await visitor.assertFits();
  }
});

browserTest("without a script the rules are found from the home page and from a game", async (server) => {
  const visitor = await server.visitor({ javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open("/");
  await visitor.press(page.getByRole("link", { name: "Rules of Kalah" }));
  await page.getByRole("heading", { name: "Rules of Kalah", level: 1 }).waitFor();
  await visitor.press(page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Capture" }));
  await page.waitForURL(/#capture$/);
  const figures = await page.locator("figure.example").count();
  assert.ok(figures >= 3, `${figures} examples`);
  const boards = page.getByRole("img", { name: /^Board/ });
  assert.ok((await boards.count()) > figures);
  assert.match(await boards.first().getAttribute("aria-label"), /pit 1, lower row: 4/);
  const { url } = await server.api("games", { game: "kalah", second: { kind: "open" } });
  await visitor.open(url);
  await visitor.press(page.getByRole("link", { name: "rules", exact: true }));
  await page.waitForURL(/\/rules\/kalah$/);
});

browserTest("a page with rules is light", async (server) => {
  const visitor = await server.visitor();
  for (const { name } of await server.api("catalog")) {
    const responses = [];
    const keep = (response) => responses.push(response);
    visitor.page.on("response", keep);
    await visitor.page.goto(`/rules/${name}`, { waitUntil: "networkidle" });
    visitor.page.off("response", keep);
    const sizes = await Promise.all(responses.map(async (response) => (await response.body()).length));
    const sum = sizes.reduce((total, size) => total + size, 0);
    console.log(`  the rules of ${name}: ${sum} bytes plain`);
    assert.ok(sum < 150_000, `${name}: ${sum} bytes plain`);
  }
});
