// axe-core on a page as it stands, in all its looks: at both sizes, by day and by night.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, PHONE, SIZES } from "./house.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, each with the element that it found. */
async function violations(page, rules) {
  // The page's policy forbids scripts from elsewhere; the debugger may still bring one.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { violations: found } = await window.axe.run(document, { resultTypes: ["violations"], ...runOnly });
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 300)} ${failureSummary}`));
  }, rules);
}

/** Nothing may be found. */
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
