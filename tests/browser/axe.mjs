// Runs axe-core on the current page, at both sizes and in both colour schemes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DESKTOP, PHONE, SIZES } from "./server.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The violations that axe finds, each with its element. */
async function violations(page, rules) {
  // The page's content security policy forbids foreign scripts; the debugger may still inject one.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async (runOnly) => {
    const { violations: found } = await window.axe.run(document, { resultTypes: ["violations"], ...runOnly });
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 300)} ${failureSummary}`));
  }, rules);
}

/** Asserts that axe finds no violation. */
export async function assertAccessible(visitor, what) {
  const { page } = visitor;
  const found = [];
  for (const [sized, size] of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      // Only the colours differ in the dark scheme.
      const rules = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
      for (const one of await violations(page, rules)) found.push(`${what}, ${sized}, ${colorScheme}: ${one}`);
    }
  }
  await page.setViewportSize(visitor.touch ? PHONE : DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(found, []);
}
