// An analysis as a person uses it: values that are told apart, arrow keys along the line, moves tried on the board, a graph to follow.

import assert from "node:assert/strict";
import { evening } from "./house.mjs";

/** The second side lets a fourth in a row happen. */
const LINE = "game=connect:5,4&moves=3,1,3,1,3,1,3";

evening("every move carries its value, and what is proven says so in shape and words", async (house) => {
  const visitor = await house.visitor();
  const { page } = visitor;
  await visitor.open(`/analysis?${LINE}&ply=5`);
  await page.locator(".how").filter({ hasText: "All values are proven." }).waitFor();
  assert.equal(await page.locator(".badges .badge.proven").count(), 5);
  assert.match(await page.locator(".values tbody tr").first().textContent(), /proven/);
  await page.locator("#mistakes .blunder").first().waitFor();
  assert.equal(await page.locator(".graph .dot").count(), 8);
});

evening("arrow keys walk along the line, but not away from a form or the board", async (house) => {
  const visitor = await house.visitor();
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

evening("a touch on the board tries a move, and back is back", async (house) => {
  const visitor = await house.visitor();
  const { page } = visitor;
  await visitor.open("/analysis?game=amazons:4");
  for (let steps = 0; steps < 3; steps += 1) await page.locator(".hit.can").first().focus().then(() => page.keyboard.press("Enter"));
  await page.waitForURL(/moves=/);
  assert.equal(await page.locator(".moves a").count(), 1);
  await page.goBack();
  await page.locator(".hit.can").first().waitFor();
});

evening("without a script there are estimates, and every position has its address", async (house) => {
  const visitor = await house.visitor({ javaScriptEnabled: false });
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
