// The page's only script. The server renders all text and boards; the script inserts updates, turns clicks into moves, and animates
// seeds unless reduced motion is preferred. Without the script, the page works with forms.
// @ts-check

/**
 * @typedef {number[] | {[target: string]: Tree}} Tree Legal moves: targets that lead on, or that complete a move.
 * @typedef {{cell: number, count?: number, piece?: string, blocked?: boolean, glyph?: string, letter?: string}} Mark
 * @typedef {{left: number[], increment: number, delay?: number, period?: number, periods?: number[],
 *   running: string | null, at: number}} Clocks
 * @typedef {{seq: number, ply: number, asked: boolean, over: boolean, mover: string | null, board: string, labels: string[],
 *   marks: Mark[], tree: Tree | null, clocks: Clocks | null, say: string, html: {[id: string]: string}}} Frame
 */

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {string} id @returns {HTMLElement | null} */
const byId = (id) => document.getElementById(id);

/** Shows an error message, or hides it if the sentence is empty.
 * @param {string} sentence */
function showError(sentence) {
  const box = byId("problem");
  if (!box) return;
  box.textContent = sentence;
  box.hidden = sentence === "";
}

/** Sends a POST request and shows an error. Returns whether it succeeded.
 * @param {string} to @param {RequestInit} how */
async function send(to, how) {
  try {
    const headers = { ...(how.headers ?? {}), Accept: "application/problem+json" };
    const answer = await fetch(to, { ...how, method: "POST", headers });
    if (answer.ok) {
      showError("");
      return true;
    }
    const problem = await answer.json().catch(() => ({}));
    showError(problem.detail ?? "The server refused the request.");
  } catch {
    showError("Connection lost. Please try again.");
  }
  return false;
}

/** Replaces the content of an element unless it is unchanged. Keeps open details, and the focus if its element still exists.
 * @param {Element} element @param {string} html */
function put(element, html) {
  if (element.innerHTML === html) return;
  const unfolded = [...element.querySelectorAll("details[open][id]")].map((details) => details.id);
  const inside = element.contains(document.activeElement) ? document.activeElement : null;
  const typed = inside instanceof HTMLInputElement ? inside.value : "";
  element.innerHTML = html;
  for (const id of unfolded) byId(id)?.setAttribute("open", "");
  if (!inside) return;
  const again = inside.id ? byId(inside.id) : element.querySelector(inside.tagName.toLowerCase());
  if (again instanceof HTMLInputElement) again.value = typed;
  if (again instanceof HTMLElement) again.focus();
}

/** Turns clicks on a board into paths of targets, and passes on each complete path. */
class PathInput {
  /** @param {SVGSVGElement} board @param {(path: number[]) => void} complete */
  constructor(board, complete) {
    this.board = board;
    this.complete = complete;
    /** @type {Tree | null} */
    this.tree = null;
    /** @type {number[]} */
    this.path = [];
    /** @type {SVGGElement[]} */
    this.hits = [...board.querySelectorAll(/** @type {"g"} */ (".hits .hit"))];
    this.hits.sort((a, b) => Number(a.dataset.target) - Number(b.dataset.target));
    board.addEventListener("click", (event) => this.clicked(event));
    board.addEventListener("keydown", (event) => this.pressed(event));
    if (this.hits[0]) this.hits[0].setAttribute("tabindex", "0");
  }

  /** Sets the legal moves. @param {Tree | null} tree */
  offer(tree) {
    this.tree = tree;
    this.path = [];
    this.show();
  }

  /** @param {string[]} labels */
  name(labels) {
    this.labels = labels;
    this.show();
  }

  /** The subtree of legal moves after the path so far. */
  branch() {
    let at = this.tree;
    for (const target of this.path) {
      if (at === null || Array.isArray(at)) return null;
      at = at[target] ?? null;
    }
    return at;
  }

  /** The legal next targets. @returns {Set<number>} */
  nexts() {
    const at = this.branch();
    if (at === null) return new Set();
    return new Set(Array.isArray(at) ? at : Object.keys(at).map(Number));
  }

  show() {
    const nexts = this.nexts();
    this.board.classList.toggle("midway", this.path.length > 0);
    for (const [target, hit] of this.hits.entries()) {
      const can = nexts.has(target);
      const chosen = this.path.includes(target);
      hit.classList.toggle("can", can);
      hit.classList.toggle("chosen", chosen);
      hit.setAttribute("aria-disabled", String(!can && !chosen));
      const label = this.labels?.[target];
      if (label !== undefined) hit.setAttribute("aria-label", label + (chosen ? ", selected" : can ? ", can be played" : ""));
    }
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const hit = event.target instanceof Element ? event.target.closest(".hit") : null;
    if (!(hit instanceof SVGElement)) return;
    this.focus(hit);
    this.touch(Number(hit.dataset.target));
  }

  /** @param {number} target */
  touch(target) {
    if (this.nexts().has(target)) {
      const path = [...this.path, target];
      if (Array.isArray(this.branch())) {
        // No further input until the server has answered.
        this.tree = null;
        this.path = path;
        this.show();
        this.complete(path);
        return;
      }
      this.path = path;
    } else {
      // Start a new path, or clear the path.
      this.path = [];
      if (this.nexts().has(target) && !Array.isArray(this.tree)) this.path = [target];
    }
    this.show();
  }

  /** @param {SVGElement} hit */
  focus(hit) {
    for (const other of this.hits) other.setAttribute("tabindex", other === hit ? "0" : "-1");
    hit.focus({ preventScroll: true });
  }

  /** Arrow keys move the focus to the nearest target in that direction; Enter and space select it; Escape clears the path.
   * @param {KeyboardEvent} event */
  pressed(event) {
    const hit = document.activeElement instanceof SVGElement ? document.activeElement : null;
    if (!hit?.classList.contains("hit") || event.ctrlKey || event.altKey || event.metaKey) return;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const direction = directions[/** @type {keyof typeof directions} */ (event.key)];
    if (direction) {
      const next = this.nearest(hit, direction[0], direction[1]);
      if (next) this.focus(next);
    } else if (event.key === "Enter" || event.key === " ") {
      this.touch(Number(hit.dataset.target));
    } else if (event.key === "Escape") {
      this.path = [];
      this.show();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @param {SVGElement} from @param {number} dx @param {number} dy */
  nearest(from, dx, dy) {
    const [x, y] = [Number(from.dataset.x), Number(from.dataset.y)];
    /** @type {SVGElement | null} */
    let best = null;
    let least = Infinity;
    for (const hit of this.hits) {
      const [ax, ay] = [Number(hit.dataset.x) - x, Number(hit.dataset.y) - y];
      const [along, across] = [ax * dx + ay * dy, Math.abs(ax * dy) + Math.abs(ay * dx)];
      const far = along + 3 * across;
      if (hit !== from && along > 0.5 && far < least) [best, least] = [hit, far];
    }
    return best;
  }
}

/** Animates counters from the cell they left to the cells they reached, one after the other round the board.
 * @param {SVGSVGElement} board @param {Mark[]} before @param {Mark[]} after */
function animateSeeds(board, before, after) {
  const layer = board.querySelector(".marks");
  if (calm.matches || !layer) return;
  /** @param {Mark[]} marks */
  const counts = (marks) => new Map(marks.filter((m) => m.count !== undefined).map((m) => [m.cell, m.count ?? 0]));
  const [old, now] = [counts(before), counts(after)];
  const changes = [...now].map(([cell, count]) => ({ cell, by: count - (old.get(cell) ?? 0) })).filter(({ by }) => by !== 0);
  const source = changes.filter(({ by }) => by < 0).sort((a, b) => a.by - b.by)[0];
  const grown = changes.filter(({ by }) => by > 0);
  if (!source || grown.length === 0) return;
  /** @param {number} cell */
  const place = (cell) => {
    const ground = board.querySelector(`.ground [data-cell="${cell}"]`);
    return ground instanceof SVGElement ? [Number(ground.dataset.x), Number(ground.dataset.y)] : [0, 0];
  };
  const { width, height } = board.viewBox.baseVal;
  const from = place(source.cell);
  /** The counterclockwise angle from the source to a place. @param {number[]} at */
  const turn = (at) => {
    /** @param {number[]} p */
    const angle = (p) => Math.atan2(height / 2 - p[1], (p[0] - width / 2) * (height / width));
    return (angle(at) - angle(from) + 4 * Math.PI) % (2 * Math.PI);
  };
  const order = grown.map(({ cell }) => ({ cell, at: place(cell) })).sort((a, b) => turn(a.at) - turn(b.at));
  order.forEach(({ cell, at }, i) => {
    const seed = document.createElementNS("http://www.w3.org/2000/svg", "use");
    seed.setAttribute("href", `#${board.id}-seed${i % 6}`);
    seed.setAttribute("class", `seed s${i % 3} fly`);
    layer.append(seed);
    const group = layer.querySelector(`[data-cell="${cell}"]`);
    const delay = Math.min(60 * i, 900);
    const frames = [
      { transform: `translate(${from[0]}px, ${from[1]}px)` },
      { transform: `translate(${(from[0] + at[0]) / 2}px, ${(from[1] + at[1]) / 2 - 30}px)` },
      { transform: `translate(${at[0]}px, ${at[1]}px)` },
    ];
    seed.animate(frames, { duration: 320, delay, fill: "both", easing: "ease-in-out" }).onfinish = () => seed.remove();
    group?.animate([{ opacity: 0.35 }, { opacity: 1 }], { duration: 320, delay, fill: "backwards" });
  });
}

/** Counts the clocks down between frames. */
class ClockDisplay {
  constructor() {
    /** @type {Clocks | null} */
    this.clocks = null;
    this.ahead = 0;
    setInterval(() => this.show(), 100);
  }

  /** @param {Clocks | null} clocks @param {number} now The server's time. */
  set(clocks, now) {
    this.clocks = clocks;
    this.ahead = now - Date.now();
    this.show();
  }

  show() {
    if (!this.clocks) return;
    for (const clock of document.querySelectorAll(".clock[data-side]")) {
      const side = clock instanceof HTMLElement ? clock.dataset.side : "";
      const runs = this.clocks.running === side;
      const gone = runs ? Date.now() + this.ahead - this.clocks.at : 0;
      const [left, text] = remaining(this.clocks, side === "first" ? 0 : 1, gone);
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("low", left < 10_000);
      clock.classList.toggle("runs", runs);
    }
  }
}

/**
 * The remaining time of a side after its clock has run for a time, in milliseconds and as text. A delay passes first; after
 * the base time of byo-yomi the current period and the number of periods are shown.
 * @param {Clocks} clocks @param {number} side @param {number} gone @returns {[number, string]}
 */
function remaining(clocks, side, gone) {
  const left = clocks.left[side] - Math.max(0, gone - (clocks.delay ?? 0));
  if (!clocks.period || !clocks.periods) return [Math.max(0, left), clockText(Math.max(0, left))];
  if (left > 0) return [left, `${clockText(left)} × ${clocks.periods[side]}`];
  const lost = Math.floor(-left / clocks.period);
  const periods = Math.max(0, clocks.periods[side] - lost);
  const rest = periods > 0 ? clocks.period + left + lost * clocks.period : 0;
  return [rest, `${clockText(rest)} × ${periods}`];
}

/** @param {number} left */
function clockText(left) {
  const [hours, minutes, seconds] = [Math.floor(left / 3_600_000), Math.floor(left / 60_000) % 60, Math.floor(left / 1000) % 60];
  if (hours >= 24) return `${Math.floor(hours / 24)}d ${hours % 24}h`;
  if (hours > 0) return `${hours}:${String(minutes).padStart(2, "0")}:${String(seconds).padStart(2, "0")}`;
  const tenths = left < 10_000 ? `.${Math.floor(left / 100) % 10}` : "";
  return `${minutes}:${String(seconds).padStart(2, "0")}${tenths}`;
}

/** Updates the page of a live game. @param {HTMLElement} page */
function watchGame(page) {
  const board = page.querySelector("svg.board");
  if (!(board instanceof SVGSVGElement)) return;
  const clocks = new ClockDisplay();
  /** @type {Frame | null} */
  let last = null;
  const input = new PathInput(board, async (path) => {
    const body = JSON.stringify({ ply: last?.ply ?? 0, path });
    const accepted = await send(page.dataset.moves ?? "", { body, headers: { "Content-Type": "application/json" } });
    if (!accepted && last) input.offer(last.tree);
  });
  /** @param {MessageEvent} event */
  const show = (event) => {
    /** @type {{now: number, frame: Frame}} */
    const { now, frame } = JSON.parse(event.data);
    showError("");
    for (const [id, html] of Object.entries(frame.html)) {
      const part = byId(id);
      if (part) put(part, html);
    }
    const marks = board.querySelector(".marks");
    if (marks && (!last || last.board !== frame.board)) {
      marks.innerHTML = frame.board;
      if (last && frame.ply > last.ply) animateSeeds(board, last.marks, frame.marks);
    }
    input.name(frame.labels);
    input.offer(frame.tree);
    clocks.set(frame.clocks, now);
    page.classList.toggle("asked", frame.asked);
    page.classList.toggle("over", frame.over);
    const announce = byId("announce");
    if (announce && last && frame.seq !== last.seq) announce.textContent = frame.say;
    revealLastMove();
    document.title = document.title.replace(/^(● )?/, frame.asked && !frame.over ? "● " : "");
    last = frame;
  };
  const listen = () => {
    const events = new EventSource(page.dataset.live ?? "");
    events.addEventListener("frame", show);
    events.addEventListener("error", () => {
      if (events.readyState !== EventSource.OPEN) showError("Connection lost. Reconnecting…");
      // A browser reconnects by itself after a network error, but not after an HTTP error.
      if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
  };
  listen();
}

/** Scrolls the list of moves to the last move. The page itself does not scroll. */
function revealLastMove() {
  const move = document.querySelector(".moves .now");
  const list = move?.closest(".moves");
  if (!move || !list) return;
  const [inner, outer] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inner.bottom > outer.bottom) list.scrollTop += inner.bottom - outer.bottom;
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top;
}

/** Updates the page of a tournament in progress. @param {HTMLElement} page */
function watchTournament(page) {
  const events = new EventSource(page.dataset.parts ?? "");
  events.addEventListener("parts", (event) => {
    /** @type {{over: boolean, html: {[id: string]: string}}} */
    const { over, html } = JSON.parse(event.data);
    for (const [id, part] of Object.entries(html)) {
      const place = byId(id);
      if (!place) continue;
      const left = place.querySelector(".scroll")?.scrollLeft ?? 0;
      put(place, part);
      const scroll = place.querySelector(".scroll");
      if (scroll) scroll.scrollLeft = left;
    }
    if (over) events.close();
  });
}

/** Sends the forms of a live game without leaving the page; resigning needs confirmation. */
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.act === undefined) return;
  event.preventDefault();
  if (form.dataset.act === "resign" && !confirm("Resign this game?")) return;
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  const accepted = await send(form.action, { body: fields });
  const typed = form.querySelector("input[name=move]");
  if (accepted && typed instanceof HTMLInputElement) typed.value = "";
});

/** Makes invitation links absolute and shows a button that copies them. */
for (const field of document.querySelectorAll("input[data-link]")) {
  if (!(field instanceof HTMLInputElement)) continue;
  field.value = new URL(field.value, location.href).href;
  field.addEventListener("focus", () => field.select());
  const button = document.querySelector(`button[data-copy="${field.id}"]`);
  if (button instanceof HTMLButtonElement && navigator.clipboard) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    });
  }
}

const game = document.querySelector(".game[data-live]");
if (game instanceof HTMLElement) watchGame(game);

const tournament = document.querySelector("[data-parts]");
if (tournament instanceof HTMLElement) watchTournament(tournament);

/** Inserts the parts of an analysis page as they arrive. @param {string | undefined} address @param {SVGSVGElement} board */
function watchAnalysis(address, board) {
  if (!address) return;
  const events = new EventSource(address);
  events.addEventListener("parts", (event) => {
    /** @type {{done: boolean, html: {[id: string]: string}}} */
    const { done, html } = JSON.parse(event.data);
    for (const [id, text] of Object.entries(html)) {
      const part = id === "badges" ? board.querySelector(".badges") : byId(id);
      if (!part) continue;
      const top = part.querySelector(".scroll")?.scrollTop ?? 0;
      put(part, text);
      part.querySelector(".scroll")?.scrollTo({ top, behavior: "instant" });
    }
    if (done) events.close();
  });
  events.addEventListener("problem", (event) => {
    showError(JSON.parse(event.data).detail);
    events.close();
  });
}

/** The analysis page: clicks try moves, arrow keys step through the line. @param {HTMLElement} page */
function initAnalysis(page) {
  const board = page.querySelector("svg.board");
  if (!(board instanceof SVGSVGElement)) return;
  const input = new PathInput(board, (path) => location.assign(page.dataset.touch + path.join(".")));
  const offer = () => input.offer(JSON.parse(byId("tree")?.textContent ?? "[]"));
  offer();
  // The browser may restore the page from its cache with an unfinished path.
  addEventListener("pageshow", offer);
  // A visitor who steps quickly through the moves requests no analysis.
  setTimeout(() => {
    watchAnalysis(page.dataset.judge, board);
    watchAnalysis(page.dataset.story, board);
  }, 150);
  revealLastMove();
  document.addEventListener("keydown", (event) => {
    const at = document.activeElement;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (at?.matches("input, select, textarea, summary, .hit, [role=group]")) return;
    const steps = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    const link = step && document.querySelector(`a[data-step="${step}"][href]`);
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    location.assign(link.href);
  });
}

const studied = document.querySelector(".study");
if (studied instanceof HTMLElement) initAnalysis(studied);
