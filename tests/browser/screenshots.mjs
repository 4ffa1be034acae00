// Takes screenshots of a page at both sizes and in both colour schemes, for people to look at.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, SCREENSHOTS, SIZES } from "./server.mjs";

export async function takeScreenshots(visitor, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const { page } = visitor;
  for (const [sized, size] of SIZES) {
    await page.setViewportSize(size);
    await visitor.assertFits();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${sized}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
}
