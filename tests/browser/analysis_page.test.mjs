// The analysis page: labels of values, navigation by arrow keys, trying moves on the board, and use without scripts.

import assert from "node:assert/strict";
import { browserTest } from "./server.mjs";

/** The second side fails to block four in a row. */
const LINE = "game=connect:5,4&moves=3,1,3,1,3,1,3";

browserTest("every move shows its value, and proven values are marked by shape and text", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open(`/analysis?${LINE}&ply=5`);
  await page.locator(".how").filter({ hasText: "All values are proven." }).waitFor();
  assert.equal(await page.locator(".badges .badge.proven").count(), 5);
  assert.match(await page.locator(".values tbody tr").first().textContent(), /proven/);
  await page.locator("#mistakes .blunder").first().waitFor();
  assert.equal(await page.locator(".graph .dot").count(), 8);
});

browserTest("arrow keys step through the line, except in a form or on the board", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open(`/analysis?${LINE}`);
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL(/ply=6/);
  await page.keyboard.press("Home");
  await page.waitForURL(/ply=0/);
  await page.locator("#opponent").focus();
  await page.keyboard.press("ArrowRight");
  await page.locator(".hit").first().focus();
  await page.keyboard.press("ArrowRight");
  assert.match(page.url(), /ply=0/);
});

browserTest("clicks on the board try a move, and Back returns", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open("/analysis?game=amazons:4");
  for (let steps = 0; steps < 3; steps += 1) await page.locator(".hit.can").first().focus().then(() => page.keyboard.press("Enter"));
  await page.waitForURL(/moves=/);
  assert.equal(await page.locator(".moves a").count(), 1);
  await page.goBack();
  await page.locator(".hit.can").first().waitFor();
});

browserTest("without scripts there are estimates, and every position has its own URL", async (server) => {
  const visitor = await server.visitor({ javaScriptEnabled: false });
  const { page } = visitor;
  await visitor.open("/analysis");
  await page.locator("#game").selectOption("kalah");
  await page.locator("#moves").fill("3 6");
  await page.getByRole("button", { name: "Analyse position" }).click();
  await page.waitForURL(/game=kalah:6,4&moves=3,6/);
  assert.ok(await page.locator(".values .chip").count());
  await page.getByRole("link", { name: "Previous move" }).click();
  await page.waitForURL(/ply=1/);
});
