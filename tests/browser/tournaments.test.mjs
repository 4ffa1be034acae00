// The pages of a tournament that another process has played.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertAccessible } from "./axe.mjs";
import { takeScreenshots } from "./screenshots.mjs";
import { browserTest } from "./server.mjs";

const SLOPPY = `process.stdin.on("data", (lines) => {
  if (/^quit/m.test(lines)) process.exit(0);
  if (!/^turn/m.test(lines)) return;
  console.error("no idea at all");
  console.log("nonsense");
});`;

/** Plays a small tournament into the server's database; one of its bots fails. */
async function playTournament(server) {
  writeFileSync(join(server.folder, "sloppy.js"), SLOPPY);
  const player = (name, spec) => `[[player]]\nname = ${JSON.stringify(name)}\nspec = ${JSON.stringify(spec)}\n`;
  const file = join(server.folder, "league.toml");
  const head = `name = "spring"\ngames = ["kalah:3,2"]\nrounds = 3\ntime = "move=1s"\n`;
  const players = [["ours", "engine:level=1"], ["chance <b>", "random"], ["sloppy", `bot:${process.execPath} sloppy.js`]];
  writeFileSync(file, head + players.map(([name, spec]) => player(name, spec)).join(""));
  const args = ["tournament", file, "--dir", server.folder, "--no-sandbox"];
  const played = spawn(process.env.PARLOR_BIN, args, { stdio: ["ignore", "ignore", "ignore"] });
  const [code] = await once(played, "exit");
  assert.equal(code, 0, "the tournament was not played");
}

browserTest("a tournament: standings, cross table, games and failures", async (server) => {
  const visitor = await server.visitor();
  const { page } = visitor;
  await visitor.open("/tournaments");
  await assertAccessible(visitor, "no tournaments");
  await playTournament(server);
  await visitor.open("/tournaments");
  await assertAccessible(visitor, "tournaments");
  await visitor.press(page.getByRole("link", { name: "spring" }));
  await page.getByRole("heading", { name: "Standings" }).waitFor();
  assert.equal(await page.locator(".standings tbody tr").count(), 3);
  await page.getByText("chance <b>").first().waitFor();
  await page.locator(".failure").first().waitFor();
  await assertAccessible(visitor, "a tournament");
  await takeScreenshots(visitor, "tournament");
  await visitor.press(page.locator('a[href*="/games/"]').first());
  await page.locator("svg.board").waitFor();
  await assertAccessible(visitor, "a game of a tournament");
  await takeScreenshots(visitor, "tournament-game");
});
