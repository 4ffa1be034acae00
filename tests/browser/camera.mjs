// Takes pictures of a page in all its looks, for people to look at.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DESKTOP, SCREENSHOTS, SIZES } from "./house.mjs";

/** The whole page, at both sizes, by day and by night. */
export async function take(visitor, name) {
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
