// What axe-core finds on the pages, at both sizes, by day and by night: nothing. And what it cannot see: that moves are announced.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, PHONE, SIZES, evening } from "./house.mjs";
import { begin, chance } from "./table.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Runs axe on the page as it stands; what it finds is told with the element that it found. */
async function violations(page, rules) {
  // The page's policy forbids scripts from elsewhere; the debugger may still bring one.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { violations: found } = await window.axe.run(document, { resultTypes: ["violations"], ...runOnly });
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 300)} ${failureSummary}`));
  }, rules);
}

/** The same page in all its looks. */
export async function assertAccessible(visitor, what) {
  const { page } = visitor;
  const found = [];
  for (const [sized, size] of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      // By night only the colours differ.
      const rules = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
      for (const one of await violations(page, rules)) found.push(`${what}, ${sized}, ${colorScheme}: ${one}`);
    }
  }
  await page.setViewportSize(visitor.touch ? PHONE : DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(found, []);
}

evening("axe finds nothing at home, on an error page and on an invitation", async (house) => {
  const [visitor, guest] = [await house.visitor(), await house.visitor()];
  const table = await begin(visitor, "kalah", { opponent: "open" });
  await assertAccessible(visitor, "a game that waits for somebody");
  await guest.open(await visitor.page.locator("#link").inputValue());
  await assertAccessible(guest, "an invitation");
  await visitor.open("/");
  await assertAccessible(visitor, "home");
  visitor.provokes(/status of 404/);
  await visitor.open("/nowhere");
  await assertAccessible(visitor, "an error");
  assert.ok(table);
});

evening("axe finds nothing in a game of each kind, nor when it is over", async (house) => {
  for (const { name } of await house.api("catalog")) {
    const visitor = await house.visitor();
    const table = await begin(visitor, name, { small: false, clock: "10m+5s" });
    await table.play(chance(9), 4);
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
