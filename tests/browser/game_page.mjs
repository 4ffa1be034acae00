// Page object for the page of a game: legal targets, moves and messages. It reads only the page and serves every game.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** The size parameters of a game's smallest size, the first line of its data/sizes.txt, so that a whole game is short. */
export function smallest(game) {
  const sizes = readFileSync(new URL(`../../crates/games/src/${game}/data/sizes.txt`, import.meta.url), "utf8");
  const [, numbers = ""] = sizes.match(/^(?!#).+$/m)[0].split(":");
  return numbers.split(",").filter((number) => /^\d+$/.test(number));
}

/** No size parameters: the form's default size. */
export const USUAL = [];

/** Starts a game with the form on the home page. */
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
  return new GamePage(visitor);
}

/** A seeded random number generator. */
export function randomChoice(seed) {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

export class GamePage {
  constructor(visitor) {
    this.visitor = visitor;
    this.page = visitor.page;
    this.board = this.page.locator("svg.board");
  }

  get id() {
    return new URL(this.page.url()).pathname.split("/")[2];
  }

  /** The current state of the page. */
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

  /** Waits until there is a legal move or the game is over. */
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

  /** Makes a move, choosing each target among the legal ones; returns false if the game is over. */
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

  /** Makes moves until the game is over, at most `most`. */
  async play(choose, most = Infinity) {
    for (let made = 0; made < most; made += 1) if (!(await this.move(choose))) return;
  }

  /** Asserts what every finished game shows. */
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
