// Pictures of the pages, for people to look at: every page at both sizes, by day and by night. Nothing is compared.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SCREENSHOTS, SIZES, evening } from "./house.mjs";
import { begin, chance } from "./table.mjs";

/** Takes the page in all its looks. */
async function take(visitor, name) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const { page } = visitor;
  for (const [sized, size] of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${sized}-${colorScheme}.png`), fullPage: true });
    }
  }
}

evening("pictures of home and of a game of each kind", async (house) => {
  for (const { name } of await house.api("catalog")) {
    const visitor = await house.visitor();
    const table = await begin(visitor, name, { small: false, name: "Ann", clock: "10m+5s" });
    await table.play(chance(11), 9);
    // Something to see of a move that is half made.
    const { can } = await table.settled();
    if (can.length > 0) await table.touch(can[0]);
    await take(visitor, name);
  }
  const visitor = await house.visitor();
  await visitor.open("/");
  await take(visitor, "home");
});
