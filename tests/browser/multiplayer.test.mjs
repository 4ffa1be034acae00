// Several visitors in one game: spectators, invitations, takebacks, resignation and clocks.

import assert from "node:assert/strict";
import { PHONE, browserTest } from "./server.mjs";
import { GamePage, begin, randomChoice } from "./game_page.mjs";

browserTest("a spectator sees every move without reloading and cannot move", async (server) => {
  const [player, watcher] = [await server.visitor(), await server.visitor({ size: PHONE })];
  const game = await begin(player, "kalah");
  await watcher.open(`/games/${game.id}`);
  const seen = new GamePage(watcher);
  let loads = 0;
  watcher.page.on("load", () => (loads += 1));
  const choose = randomChoice(5);
  for (let plies = 1; !(await game.settled()).over; plies += 1) {
    await game.move(choose);
    await seen.hasPlies(plies);
    const [own, other] = [await game.look(), await seen.look()];
    assert.deepEqual(other.moves, own.moves);
    assert.equal(other.picture, own.picture);
    assert.deepEqual(other.can, []);
    if (plies === 1) await assertCannotMove(watcher, game.id);
  }
  await seen.assertOver();
  assert.equal(loads, 0);
});

/** Asserts that a spectator can move neither by the page nor by the API. */
async function assertCannotMove(watcher, id) {
  watcher.expectsError(/status of 40[13]/);
  assert.equal(await watcher.page.locator("#actions form").count(), 0);
  const status = await watcher.page.evaluate(async (game) => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ ply: 1, path: [0] });
    return (await fetch(`/api/v1/games/${game}/moves`, { method: "POST", headers, body })).status;
  }, id);
  assert.ok([401, 403].includes(status), `a watcher's move was answered with ${status}`);
}

/** Starts a game between two visitors; the second one joins by the invitation link. */
async function invite(server, game, names = ["Ann", "Ben"], looks = [{}, {}]) {
  const [host, guest] = [await server.visitor(looks[0]), await server.visitor(looks[1])];
  const near = await begin(host, game, { opponent: "open", name: names[0] });
  const link = await host.page.locator("#link").inputValue();
  assert.ok(link.startsWith(server.address), link);
  await guest.open(link);
  await guest.page.getByLabel("Your name").fill(names[1]);
  await guest.press(guest.page.getByRole("button", { name: "Join game" }));
  await guest.page.waitForURL(/\/games\/\w+$/);
  return [near, new GamePage(guest)];
}

browserTest("a takeback is declined, then accepted; a resignation is shown to both players", async (server) => {
  const [ann, ben] = await invite(server, "connect", ["Ann", "Ben"], [{}, { size: PHONE }]);
  await ann.says("Your move.");
  await ann.move(() => 0);
  await ben.says("Your move.");
  await ben.move(() => 1);
  await ben.act("Take back");
  await ann.says("Ben asks to take back the last move.");
  await ann.act("Decline");
  await ben.button("Take back").waitFor();
  await ben.hasPlies(2);
  await ben.act("Take back");
  await ann.act("Agree");
  for (const game of [ann, ben]) await game.hasPlies(1);
  await ben.says("Your move.");
  await ben.move(() => 2);
  await ann.says("Your move.");

  assert.match(await ann.visitor.answerDialog(false, () => ann.act("Resign")), /resign this game/i);
  assert.equal((await ann.look()).over, false);
  await ann.visitor.answerDialog(true, () => ann.act("Resign"));
  for (const game of [ann, ben]) {
    const end = await game.assertOver();
    assert.match(end.says, /Ben/);
  }
  await ann.button("Rematch").waitFor();
});

browserTest("names with HTML are shown as text", async (server) => {
  const name = `<img src=x onerror=alert(1)>"'&`;
  const [ann, ben] = await invite(server, "kalah", [name, name]);
  const reader = await server.visitor();
  await ann.move(() => 0);
  for (const game of [ann, ben]) await game.hasPlies(1);
  await reader.open(`/games/${ann.id}`);
  for (const { page } of [ann, ben, reader]) {
    await page.locator("#plate-far").getByText(name, { exact: true }).waitFor();
    await page.locator("#plate-near").getByText(name, { exact: true }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    assert.ok((await page.title()).includes(name), await page.title());
  }
  await ann.visitor.answerDialog(true, () => ann.act("Resign"));
  await ann.assertOver();
  await reader.open("/");
  await reader.page.locator(".games").getByText(name).first().waitFor();
  assert.equal(await reader.page.locator("img").count(), 0);
  for (const path of ["/analysis?id=<b>x", "/games/<b>x", "/<script>alert(1)</script>"]) {
    reader.expectsError(/status of 4\d\d/);
    await reader.open(path);
    assert.equal(await reader.page.locator("main :is(b, script)").count(), 0);
  }
});

browserTest("a takeback against an engine needs no agreement", async (server) => {
  const visitor = await server.visitor();
  const game = await begin(visitor, "amazons", { opponent: "level-1" });
  const before = await game.settled();
  await game.move(() => 0);
  await game.hasPlies(2);
  await game.act("Take back");
  await game.hasPlies(0);
  const after = await game.settled();
  assert.equal(after.picture, before.picture);
  assert.deepEqual(after.can, before.can);
});

browserTest("clocks count down, and the game ends when time is up", async (server) => {
  const player = await server.visitor();
  await player.open("/");
  // Shorter than the choices of the form, but the server accepts it.
  const url = await player.page.evaluate(async () => {
    const body = new URLSearchParams({ game: "connect", opponent: "me", clock: "3s+0s" });
    return (await fetch("/games", { method: "POST", body })).url;
  });
  await player.open(url);
  const game = new GamePage(player);
  const clock = player.page.locator('.clock[data-side="first"]');
  for (let made = 0; made < 2; made += 1) await game.move(() => 0);
  const before = await clock.textContent();
  await clock.and(player.page.locator(".runs.low")).waitFor();
  await player.page.waitForFunction((was) => document.querySelector('.clock[data-side="first"]').textContent < was, before);
  await player.page.locator(".game.over").waitFor();
  const end = await game.assertOver();
  assert.match(end.says, /time/i);
  assert.equal(await clock.textContent(), "0:00.0");
});
