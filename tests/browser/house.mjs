// A Parlor of its own for every test, and the one browser that visits all of them. Whatever a page complains about, wherever it
// reaches beyond its server, and whatever dialog opens uncalled-for fails the test: a test says beforehand what it provokes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const SIZES = [["desktop", DESKTOP], ["phone", PHONE]];
/** Where pictures go, for people to look at. */
export const SCREENSHOTS = resolve(process.env.PARLOR_SCREENSHOTS ?? "screenshots");

/** Longer than anything takes on a busy machine. */
const PATIENCE = 20_000;

function chromiumPath() {
  if (process.env.PARLOR_CHROMIUM) return process.env.PARLOR_CHROMIUM;
  const folders = ["/usr/bin", ...(process.env.PATH ?? "").split(delimiter)];
  const found = folders.map((folder) => join(folder, "chromium")).find((path) => existsSync(path));
  assert.ok(found, "there is no chromium; set PARLOR_CHROMIUM to its path");
  return found;
}

let launched;
function browser() {
  const args = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  args.push("--disable-component-update", "--disable-sync");
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  launched ??= chromium.launch({ executablePath: chromiumPath(), args });
  return launched;
}
after(async () => (await launched)?.close());

/** A test with a server of its own. */
export function evening(name, play, options = []) {
  test(name, async (context) => {
    const house = new House(options);
    await house.open();
    try {
      await play(house, context);
      house.assertQuiet();
    } catch (error) {
      await house.keepPictures(name);
      throw error;
    } finally {
      await house.close();
    }
  });
}

/** A server, its database, and who visits it. */
export class House {
  constructor(options) {
    this.options = options;
    this.folder = mkdtempSync(join(tmpdir(), "parlor-browser-"));
    this.visitors = [];
    this.listen = "127.0.0.1:0";
  }

  /** Starts the server; after it was killed, at the same address with the same games. */
  async open() {
    const words = ["serve", "--listen", this.listen, "--database", join(this.folder, "games.db"), "--no-limits"];
    const program = process.env.PARLOR_BIN;
    assert.ok(program, "PARLOR_BIN is to be the path of parlor; cargo xtask test browser sets it");
    this.server = spawn(program, [...words, ...this.options], { stdio: ["ignore", "pipe", "inherit"] });
    this.gone = new Promise((done) => this.server.once("exit", done));
    this.address = await this.told();
    this.listen = new URL(this.address).host;
  }

  /** The address, from the sentence that says that it is open. */
  told() {
    return new Promise((done, fail) => {
      let said = "";
      this.server.stdout.on("data", (data) => {
        said += data;
        const open = /^Parlor is running at (http:\S+?)\/?$/m.exec(said);
        if (open) done(open[1]);
      });
      this.server.once("error", fail);
      this.server.once("exit", () => fail(new Error(`parlor ended before it was open: ${said}`)));
    });
  }

  /** The end of the server without a word of warning. */
  async kill() {
    this.server.kill("SIGKILL");
    await this.gone;
  }

  async close() {
    for (const visitor of this.visitors) await visitor.context.close();
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Somebody with a browser of their own: other cookies, and their own taste. */
  async visitor({ size = DESKTOP, dark = false, motion = false, ...rest } = {}) {
    const touch = size === PHONE;
    const context = await (await browser()).newContext({
      viewport: size,
      hasTouch: touch,
      isMobile: touch,
      colorScheme: dark ? "dark" : "light",
      reducedMotion: motion ? "no-preference" : "reduce",
      baseURL: this.address,
      ...rest,
    });
    context.setDefaultTimeout(PATIENCE);
    const visitor = new Visitor(this, context, await context.newPage(), touch);
    this.visitors.push(visitor);
    return visitor;
  }

  /** Asks the API, as a program would. */
  async api(path, body, token) {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const how = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const answer = await fetch(`${this.address}/api/v1/${path}`, how);
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.json();
  }

  assertQuiet() {
    assert.deepEqual(this.visitors.flatMap((visitor) => visitor.complaints), []);
  }

  async keepPictures(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const [i, { page, complaints }] of this.visitors.entries()) {
      const path = join(SCREENSHOTS, `failed-${name.replace(/\W+/g, "-")}-${i}.png`);
      await page.screenshot({ path }).catch(() => {});
      console.error(`${name}, visitor ${i} at ${page.url()}: ${path}`, complaints);
    }
  }
}

/** Somebody at a page, and what the page did that it should not have done. */
export class Visitor {
  constructor(house, context, page, touch) {
    Object.assign(this, { house, context, page, touch });
    this.complaints = [];
    this.provoked = [];
    this.requests = [];
    page.on("pageerror", (error) => this.complain(`error: ${error}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complain(`${message.type()}: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      if (!this.answersDialogs) this.complain(`dialog: ${dialog.message()}`);
      if (!this.answersDialogs) dialog.dismiss();
    });
    page.on("request", (request) => {
      this.requests.push(request);
      const host = new URL(request.url()).host;
      if (host !== this.house.listen) this.complain(`a request to ${request.url()}`);
    });
  }

  complain(what) {
    if (!this.provoked.some((pattern) => pattern.test(what))) this.complaints.push(what);
  }

  /** What this test brings about on purpose. */
  provokes(pattern) {
    this.provoked.push(pattern);
  }

  async open(path) {
    return this.page.goto(path);
  }

  /** The page ends with its foot, and nothing stands out of the window. */
  async assertFits() {
    const { page } = this;
    const { width } = page.viewportSize();
    const [wide, high, foot] = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const end = document.querySelector("footer.foot").getBoundingClientRect().bottom + scrollY;
      return [scrollWidth, scrollHeight, Math.max(end, innerHeight)];
    });
    assert.ok(wide <= width, `${page.url()} is ${wide} wide in ${width}`);
    assert.ok(high <= foot + 1, `${page.url()} goes on for ${high - foot} below its foot`);
  }

  /** By mouse or by finger. */
  async press(locator) {
    await (this.touch ? locator.tap() : locator.click());
  }

  /** What is answered to the next dialog, and what it asked. */
  async answering(yes, deed) {
    this.answersDialogs = true;
    const asked = new Promise((done) => {
      this.page.once("dialog", async (dialog) => {
        await (yes ? dialog.accept() : dialog.dismiss());
        done(dialog.message());
      });
    });
    await deed();
    const message = await asked;
    this.answersDialogs = false;
    return message;
  }
}
