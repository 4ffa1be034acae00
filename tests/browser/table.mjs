// The page of a game as a person sees it: what can be touched, what was played, what is said. It reads the page and nothing else,
// and knows no game.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The numbers of a game's smallest size, the first of its data/sizes.txt: a whole game is short there. A game of one size has none. */
export function smallest(game) {
  const sizes = readFileSync(new URL(`../../crates/games/src/${game}/data/sizes.txt`, import.meta.url), "utf8");
  const [, numbers = ""] = sizes.match(/^(?!#).+$/m)[0].split(":");
  return numbers.split(",").filter((number) => /^\d+$/.test(number));
}

/** No numbers of a size: a game starts as the form proposes it. */
export const USUAL = [];

/** Chooses on the home page and begins a game. */
export async function begin(visitor, game, { numbers = smallest(game), name = "", opponent = "me", side = "first", clock = "" } = {}) {
  const { page } = visitor;
  await visitor.open("/");
  await visitor.press(page.locator(`label[for="game-${game}"]`));
  const fields = page.locator(`input[name^="${game}-"]`);
  for (const [i, value] of numbers.entries()) await fields.nth(i).fill(value);
  await page.locator("#opponent").selectOption(opponent);
  await page.locator("#side").selectOption(side);
  await page.locator("#clock").selectOption(clock);
  await page.locator("#name").fill(name);
  await visitor.press(page.getByRole("button", { name: "Play", exact: true }));
  await page.waitForURL(/\/games\/\w+$/);
  return new Table(visitor);
}

/** Numbers that look like chance and are the same every time. */
export function chance(seed) {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

export class Table {
  constructor(visitor) {
    this.visitor = visitor;
    this.page = visitor.page;
    this.board = this.page.locator("svg.board");
  }

  get id() {
    return new URL(this.page.url()).pathname.split("/")[2];
  }

  /** What the page shows now. */
  look() {
    return this.page.evaluate(() => {
      const targets = (selector) => [...document.querySelectorAll(selector)].map((hit) => Number(hit.dataset.target));
      return {
        over: document.querySelector(".game")?.classList.contains("over") ?? false,
        plies: document.querySelectorAll("#moves a").length,
        moves: [...document.querySelectorAll("#moves a")].map((move) => move.textContent),
        can: targets(".hit.can"),
        chosen: targets(".hit.chosen"),
        says: document.getElementById("says")?.textContent ?? "",
        marks: document.querySelector(".marks")?.innerHTML ?? "",
        picture: document.getElementById("picture")?.textContent ?? "",
      };
    });
  }

  /** Waits until something can be touched, or nothing any more because the game is over. */
  async settled() {
    await this.page.waitForFunction(() => document.querySelector(".hit.can") || document.querySelector(".game.over"));
    return this.look();
  }

  async hasPlies(count) {
    await this.page.waitForFunction((wanted) => document.querySelectorAll("#moves a").length === wanted, count);
  }

  async says(pattern) {
    await this.page.locator("#says").filter({ hasText: pattern }).waitFor();
  }

  async touch(target) {
    await this.visitor.press(this.page.locator(`.hit[data-target="${target}"]`));
  }

  /** One whole move, target by target, each of those that the page marks; false if the game is over. */
  async move(choose) {
    let now = await this.settled();
    const { plies, over } = now;
    if (over) return false;
    while (!now.over && now.plies === plies && now.can.length > 0) {
      await this.touch(now.can[choose(now.can.length)]);
      now = await this.look();
    }
    await this.page.waitForFunction(
      (before) => document.querySelectorAll("#moves a").length > before || document.querySelector(".game.over"),
      plies,
    );
    return true;
  }

  /** Moves until the game is over, or that often. */
  async play(choose, most = Infinity) {
    for (let made = 0; made < most; made += 1) if (!(await this.move(choose))) return;
  }

  /** What every finished game shows. */
  async assertOver() {
    await this.page.locator(".game.over").waitFor();
    const end = await this.look();
    assert.match(end.says, /winner|wins|draw|tie/i, end.says);
    assert.deepEqual(end.can, []);
    await this.page.getByRole("link", { name: "Analyse" }).first().waitFor();
    return end;
  }

  button(name) {
    return this.page.locator("#actions").getByRole("button", { name, exact: true });
  }

  async act(name) {
    await this.visitor.press(this.button(name));
  }
}
