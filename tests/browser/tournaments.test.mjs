// A tournament that another process plays, seen while it goes on and when it is over.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertAccessible } from "./axe.mjs";
import { take } from "./camera.mjs";
import { evening } from "./house.mjs";

const SLOPPY = `process.stdin.on("data", (lines) => {
  if (/^quit/m.test(lines)) process.exit(0);
  if (!/^turn/m.test(lines)) return;
  console.error("no idea at all");
  console.log("nonsense");
});`;

/** Plays a small league into the database of the house; one of its bots fails. */
async function league(house) {
  writeFileSync(join(house.folder, "sloppy.js"), SLOPPY);
  const player = (name, spec) => `[[player]]\nname = ${JSON.stringify(name)}\nspec = ${JSON.stringify(spec)}\n`;
  const file = join(house.folder, "league.toml");
  const head = `name = "spring"\ngames = ["kalah:3,2"]\nrounds = 3\ntime = "move=1s"\n`;
  const players = [["ours", "engine:level=1"], ["chance <b>", "random"], ["sloppy", `bot:${process.execPath} sloppy.js`]];
  writeFileSync(file, head + players.map(([name, spec]) => player(name, spec)).join(""));
  const words = ["tournament", file, "--dir", house.folder, "--no-sandbox"];
  const played = spawn(process.env.PARLOR_BIN, words, { stdio: ["ignore", "ignore", "ignore"] });
  const [code] = await once(played, "exit");
  assert.equal(code, 0, "the tournament was not played");
}

evening("a tournament: standings, cross table, games and failures", async (house) => {
  const visitor = await house.visitor();
  const { page } = visitor;
  await visitor.open("/tournaments");
  await assertAccessible(visitor, "no tournaments");
  await league(house);
  await visitor.open("/tournaments");
  await assertAccessible(visitor, "tournaments");
  await visitor.press(page.getByRole("link", { name: "spring" }));
  await page.getByRole("heading", { name: "Standings" }).waitFor();
  assert.equal(await page.locator(".standings tbody tr").count(), 3);
  await page.getByText("chance <b>").first().waitFor();
  await page.locator(".failure").first().waitFor();
  await assertAccessible(visitor, "a tournament");
  await take(visitor, "tournament");
  await visitor.press(page.locator('a[href*="/games/"]').first());
  await page.locator("svg.board").waitFor();
  await assertAccessible(visitor, "a game of a tournament");
  await take(visitor, "tournament-game");
});
