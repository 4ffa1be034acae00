// Test fixture: one Parlor server per test, and one browser shared by all tests. A test fails on any console error or warning, on any
// request to another host and on any unexpected dialog; it declares the errors that it causes on purpose with `expectsError`.

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
/** The folder for screenshots, which people look at. */
export const SCREENSHOTS = resolve(process.env.PARLOR_SCREENSHOTS ?? "screenshots");

/** Timeout of each step in milliseconds, generous for busy machines. */
const TIMEOUT = 20_000;

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

/** Registers a test with its own server. */
export function browserTest(name, run, options = []) {
  test(name, async (context) => {
    const server = new TestServer(options);
    await server.start();
    try {
      await run(server, context);
      server.assertNoErrors();
    } catch (error) {
      await server.saveScreenshots(name);
      throw error;
    } finally {
      await server.close();
    }
  });
}

/** A server with its database, and the visitors' browser contexts. */
export class TestServer {
  constructor(options) {
    this.options = options;
    this.folder = mkdtempSync(join(tmpdir(), "parlor-browser-"));
    this.visitors = [];
    this.listen = "127.0.0.1:0";
  }

  /** Starts the server; after `kill`, at the same address with the same database. */
  async start() {
    const args = ["serve", "--listen", this.listen, "--database", join(this.folder, "games.db"), "--no-limits"];
    const program = process.env.PARLOR_BIN;
    assert.ok(program, "PARLOR_BIN must be the path of parlor; cargo xtask test browser sets it");
    this.server = spawn(program, [...args, ...this.options], { stdio: ["ignore", "pipe", "inherit"] });
    this.exited = new Promise((done) => this.server.once("exit", done));
    this.address = await this.readAddress();
    this.listen = new URL(this.address).host;
  }

  /** Reads the address from the server's output. */
  readAddress() {
    return new Promise((done, fail) => {
      let output = "";
      this.server.stdout.on("data", (data) => {
        output += data;
        const ready = /^Parlor is running at (http:\S+?)\/?$/m.exec(output);
        if (ready) done(ready[1]);
      });
      this.server.once("error", fail);
      this.server.once("exit", () => fail(new Error(`parlor exited before it was ready: ${output}`)));
    });
  }

  /** Kills the server without a clean shutdown. */
  async kill() {
    this.server.kill("SIGKILL");
    await this.exited;
  }

  async close() {
    for (const visitor of this.visitors) await visitor.context.close();
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Opens a browser context for another visitor, with its own cookies and preferences. */
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
    context.setDefaultTimeout(TIMEOUT);
    const visitor = new Visitor(this, context, await context.newPage(), touch);
    this.visitors.push(visitor);
    return visitor;
  }

  /** Calls the JSON API. */
  async api(path, body, token) {
    const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const request = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.address}/api/v1/${path}`, request);
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  }

  assertNoErrors() {
    assert.deepEqual(this.visitors.flatMap((visitor) => visitor.errors), []);
  }

  async saveScreenshots(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const [i, { page, errors }] of this.visitors.entries()) {
      const path = join(SCREENSHOTS, `failed-${name.replace(/\W+/g, "-")}-${i}.png`);
      await page.screenshot({ path }).catch(() => {});
      console.error(`${name}, visitor ${i} at ${page.url()}: ${path}`, errors);
    }
  }
}

/** A visitor's page, which records errors. */
export class Visitor {
  constructor(server, context, page, touch) {
    Object.assign(this, { server, context, page, touch });
    this.errors = [];
    this.expected = [];
    this.requests = [];
    page.on("pageerror", (error) => this.recordError(`error: ${error}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.recordError(`${message.type()}: ${message.text()}`);
    });
    page.on("dialog", (dialog) => {
      if (!this.answersDialogs) this.recordError(`dialog: ${dialog.message()}`);
      if (!this.answersDialogs) dialog.dismiss();
    });
    page.on("request", (request) => {
      this.requests.push(request);
      const host = new URL(request.url()).host;
      if (host !== this.server.listen) this.recordError(`a request to ${request.url()}`);
    });
  }

  recordError(what) {
    if (!this.expected.some((pattern) => pattern.test(what))) this.errors.push(what);
  }

  /** Declares an error that the test causes on purpose. */
  expectsError(pattern) {
    this.expected.push(pattern);
  }

  async open(path) {
    return this.page.goto(path);
  }

  /** Asserts that the page ends with its footer and is not wider than the window. */
  async assertFits() {
    const { page } = this;
    const { width } = page.viewportSize();
    const [wide, high, foot] = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const end = document.querySelector("footer.foot").getBoundingClientRect().bottom + scrollY;
      return [scrollWidth, scrollHeight, Math.max(end, innerHeight)];
    });
    assert.ok(wide <= width, `${page.url()} is ${wide} px wide in a window of ${width} px`);
    assert.ok(high <= foot + 1, `${page.url()} continues for ${high - foot} px below its footer`);
  }

  /** Clicks or taps, depending on the device. */
  async press(locator) {
    await (this.touch ? locator.tap() : locator.click());
  }

  /** Runs an action, answers the dialog that it opens, and returns the dialog's message. */
  async answerDialog(yes, action) {
    this.answersDialogs = true;
    const asked = new Promise((done) => {
      this.page.once("dialog", async (dialog) => {
        await (yes ? dialog.accept() : dialog.dismiss());
        done(dialog.message());
      });
    });
    await action();
    const message = await asked;
    this.answersDialogs = false;
    return message;
  }
}
