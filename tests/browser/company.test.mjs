// Several people at one game: who watches, who is invited, who asks for a move back, who gives up, whose time is over.

import assert from "node:assert/strict";
import { PHONE, evening } from "./house.mjs";
import { Table, begin, chance } from "./table.mjs";

evening("whoever watches sees every move without reloading and cannot move", async (house) => {
  const [player, watcher] = [await house.visitor(), await house.visitor({ size: PHONE })];
  const table = await begin(player, "kalah");
  await watcher.open(`/games/${table.id}`);
  const seen = new Table(watcher);
  let loads = 0;
  watcher.page.on("load", () => (loads += 1));
  const choose = chance(5);
  for (let plies = 1; !(await table.settled()).over; plies += 1) {
    await table.move(choose);
    await seen.hasPlies(plies);
    const [own, other] = [await table.look(), await seen.look()];
    assert.deepEqual(other.moves, own.moves);
    assert.equal(other.picture, own.picture);
    assert.deepEqual(other.can, []);
    if (plies === 1) await assertCannotMove(watcher, table.id);
  }
  await seen.assertOver();
  assert.equal(loads, 0);
});

/** Neither by the page nor past it. */
async function assertCannotMove(watcher, id) {
  watcher.provokes(/status of 40[13]/);
  assert.equal(await watcher.page.locator("#actions form").count(), 0);
  const status = await watcher.page.evaluate(async (game) => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ ply: 1, path: [0] });
    return (await fetch(`/api/v1/games/${game}/moves`, { method: "POST", headers, body })).status;
  }, id);
  assert.ok([401, 403].includes(status), `a watcher's move was answered with ${status}`);
}

/** A game between two people, the second by the link that the first one sends. */
async function invite(house, game, names = ["Ann", "Ben"], looks = [{}, {}]) {
  const [host, guest] = [await house.visitor(looks[0]), await house.visitor(looks[1])];
  const near = await begin(host, game, { opponent: "open", name: names[0] });
  const link = await host.page.locator("#link").inputValue();
  assert.ok(link.startsWith(house.address), link);
  await guest.open(link);
  await guest.page.getByLabel("Your name").fill(names[1]);
  await guest.press(guest.page.getByRole("button", { name: "Join game" }));
  await guest.page.waitForURL(/\/games\/\w+$/);
  return [near, new Table(guest)];
}

evening("two people: a move back is declined, then agreed to; one gives up and both see it", async (house) => {
  const [ann, ben] = await invite(house, "connect", ["Ann", "Ben"], [{}, { size: PHONE }]);
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
  for (const table of [ann, ben]) await table.hasPlies(1);
  await ben.says("Your move.");
  await ben.move(() => 2);
  await ann.says("Your move.");

  assert.match(await ann.visitor.answering(false, () => ann.act("Resign")), /resign this game/i);
  assert.equal((await ann.look()).over, false);
  await ann.visitor.answering(true, () => ann.act("Resign"));
  for (const table of [ann, ben]) {
    const end = await table.assertOver();
    assert.match(end.says, /Ben/);
  }
  await ann.button("Rematch").waitFor();
});

evening("names are text, whatever stands in them", async (house) => {
  const name = `<img src=x onerror=alert(1)>"'&`;
  const [ann, ben] = await invite(house, "kalah", [name, name]);
  const reader = await house.visitor();
  await ann.move(() => 0);
  for (const table of [ann, ben]) await table.hasPlies(1);
  await reader.open(`/games/${ann.id}`);
  for (const { page } of [ann, ben, reader]) {
    await page.locator("#plate-far").getByText(name, { exact: true }).waitFor();
    await page.locator("#plate-near").getByText(name, { exact: true }).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
    assert.ok((await page.title()).includes(name), await page.title());
  }
  await ann.visitor.answering(true, () => ann.act("Resign"));
  await ann.assertOver();
  await reader.open("/");
  await reader.page.locator(".games").getByText(name).first().waitFor();
  assert.equal(await reader.page.locator("img").count(), 0);
  for (const path of ["/analysis?id=<b>x", "/games/<b>x", "/<script>alert(1)</script>"]) {
    reader.provokes(/status of 4\d\d/);
    await reader.open(path);
    assert.equal(await reader.page.locator("main :is(b, script)").count(), 0);
  }
});

evening("against an engine a move comes back at once", async (house) => {
  const visitor = await house.visitor();
  const table = await begin(visitor, "amazons", { opponent: "level-1" });
  const before = await table.settled();
  await table.move(() => 0);
  await table.hasPlies(2);
  await table.act("Take back");
  await table.hasPlies(0);
  const after = await table.settled();
  assert.equal(after.picture, before.picture);
  assert.deepEqual(after.can, before.can);
});

evening("clocks run down before one's eyes, and the flag falls", async (house) => {
  const player = await house.visitor();
  await player.open("/");
  // Shorter than any that the form offers; the server takes it from the form all the same.
  const game = await player.page.evaluate(async () => {
    const body = new URLSearchParams({ game: "connect", opponent: "me", clock: "3s+0s" });
    return (await fetch("/games", { method: "POST", body })).url;
  });
  await player.open(game);
  const table = new Table(player);
  const clock = player.page.locator('.clock[data-side="first"]');
  for (let made = 0; made < 2; made += 1) await table.move(() => 0);
  const before = await clock.textContent();
  await clock.and(player.page.locator(".runs.low")).waitFor();
  await player.page.waitForFunction((was) => document.querySelector('.clock[data-side="first"]').textContent < was, before);
  await player.page.locator(".game.over").waitFor();
  const end = await table.assertOver();
  assert.match(end.says, /time/i);
  assert.equal(await clock.textContent(), "0:00.0");
});
