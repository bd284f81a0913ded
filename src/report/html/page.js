// The page: tables that sort, the choice of light or dark, and the games. Without this script it still says everything else.

// ---- light and dark ----------------------------------------------------------------------------------------------

const DARK = window.matchMedia("(prefers-color-scheme: dark)");

const themes = () => {
  const root = document.documentElement;
  const toggle = document.getElementById("theme");
  const theme = () => root.dataset.theme || (DARK.matches ? "dark" : "light");
  const label = () => { toggle.textContent = theme() === "dark" ? "Light" : "Dark"; };
  const chosen = remembered("theme");
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    remember("theme", root.dataset.theme);
    label();
  });
  DARK.addEventListener("change", label);
  label();
};

// ---- tables ------------------------------------------------------------------------------------------------------

const valueOf = (row, column, numeric) => {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim();
  return cell.dataset.v === "" || cell.dataset.v === undefined ? -Infinity : Number(cell.dataset.v);
};

const sortBy = (head) => {
  const table = head.closest("table");
  const numeric = head.dataset.sort === "number";
  const column = head.cellIndex;
  // Numbers are wanted from the greatest down, but for ranks; words from A to Z.
  const first = numeric && !["#", "game", "first in game"].includes(head.textContent.trim()) ? "descending" : "ascending";
  const before = head.getAttribute("aria-sort");
  const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const compare = numeric ? (a, b) => a - b || 0 : (a, b) => a.localeCompare(b, undefined, { numeric: true });
  const keyed = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column, numeric), row]);
  keyed.sort(([a], [b]) => sign * compare(a, b));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
};

/** Makes the page alive: headings that sort, cells that lead to their games, times in words. */
const enliven = (canOpen) => {
  for (const head of document.querySelectorAll("table.sortable th[data-sort]")) {
    const button = html("button", { type: "button", onclick: () => sortBy(head) }, ...head.childNodes);
    head.append(button);
  }
  const link = (cell, href, words) => cell.append(html("a", { href, title: words }, ...cell.childNodes));
  for (const cell of document.querySelectorAll("td[data-game]")) {
    if (canOpen(Number(cell.dataset.game))) link(cell, `#game=${cell.dataset.game}`, "Watch this game");
  }
  for (const cell of document.querySelectorAll("td[data-games]")) {
    link(cell, `#${cell.dataset.games}`, cell.title || "List these games");
  }
  for (const time of document.querySelectorAll("time[data-seconds]")) {
    const date = new Date(Number(time.dataset.seconds) * 1000);
    if (Number.isNaN(date.getTime())) continue;
    time.dateTime = date.toISOString();
    time.textContent = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }
};

// ---- games -------------------------------------------------------------------------------------------------------

const topOf = (part) => part.getBoundingClientRect().top;
/** Where the reader is: the last part of the page that begins in the upper half of the window or above, and its top there. */
const place = () => {
  const parts = [document.body, ...document.querySelectorAll("main [id]")].filter((part) => part.checkVisibility());
  const part = parts.findLast((part) => topOf(part) < window.innerHeight / 2);
  return { id: part.id, top: topOf(part) };
};

/** How often the page of a run that is being played loads itself again, in milliseconds: as often as `arena report --follow` writes it. */
const AGAIN = 5000;

/** Joins the list of games, the viewer, the keys and the address. */
class Watching {
  constructor(list, load, canOpen) {
    this.viewer = new Viewer(load);
    this.games = new Games(list, canOpen, (number) => this.open(number, 0));
    this.viewer.ongame = (by) => this.next(by);
    // While it plays, the address stays: browsers allow few changes.
    this.viewer.onmove = () => { if (!this.viewer.timer && this.isAsked) window.history.replaceState(null, "", this.address()); };
    for (const [id, { element }] of [["viewer", this.viewer], ["list", this.games]]) {
      const root = document.getElementById(id);
      root.classList.add("arena-replay");
      root.replaceChildren(element);
    }
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Shows a game that somebody asked for, and brings it into sight. Returns whether it can be watched. */
  open(number, turn) {
    if (!this.games.canOpen(number)) return false;
    this.isAsked = true;
    this.games.mark(number);
    this.games.bring();
    this.shown = this.viewer.open(this.known(number), turn).then(() => this.bring());
    this.viewer.stage.focus({ preventScroll: true });
    return true;
  }

  /** Begins with what the address says, or else with this game, if there is one; that does not move the page. */
  async begin(number) {
    if (!this.follow() && number !== null) {
      this.games.mark(number);
      this.shown = this.viewer.open(this.known(number), 0);
    }
    await this.shown;
  }

  /** What is known of a game before it is loaded: the list has an end. */
  known(number) {
    return this.games.games.find((one) => one.number === number) ?? { number };
  }

  next(by) {
    const number = this.games.next(by);
    if (number !== undefined) this.open(number, 0);
  }

  /** What the reader has open: the tabs and folded parts that were not open at first, the filter, the game and its turn. */
  address() {
    const said = new URLSearchParams(Object.entries(this.games.filter).filter(([, value]) => value !== ""));
    for (const { id } of document.querySelectorAll(".tabs > :checked:not([checked]), details[id][open]")) said.append("open", id);
    if (this.viewer.game) said.append("game", this.viewer.game.number);
    if (this.viewer.game) said.append("turn", this.viewer.turn());
    return `#${said}`;
  }

  /** Does what the address says. Returns whether it names a game that can be watched. */
  follow() {
    const said = new URLSearchParams(window.location.hash.slice(1));
    for (const id of said.getAll("open")) Object.assign(document.getElementById(id) ?? {}, { checked: true, open: true });
    const filter = Object.fromEntries([...said].filter(([key]) => Object.hasOwn(NOTHING, key)));
    if (Object.keys(filter).length > 0) {
      this.games.choose(filter);
      document.getElementById("games").scrollIntoView();
    }
    return said.has("game") && this.open(Number(said.get("game")), Number(said.get("turn") ?? 0));
  }

  /** Loads the page again once the reader has done nothing for a while, to come back to the same place. */
  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (document.hidden || this.viewer.timer || this.viewer.help.open) return this.wait();
      window.history.replaceState(place(), "", this.address());
      window.location.reload();
    }, AGAIN);
  }

  key(event) {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || target.closest("select, input:not([type=range]), textarea, dialog")) return;
    const { viewer } = this;
    const actions = { ArrowLeft: () => viewer.go(viewer.index - 1), ArrowRight: () => viewer.go(viewer.index + 1), Home: () => viewer.go(0),
      End: () => viewer.go(viewer.last()), " ": () => viewer.toggle(), j: () => this.next(1), k: () => this.next(-1), f: () => viewer.flip(),
      "?": () => viewer.help.showModal() };
    // Boxes that scroll sideways, and what space presses, have these keys for themselves; and the page where no board is in sight.
    const sideways = ["ArrowLeft", "ArrowRight"].includes(key) && target.closest(".scroll, pre");
    const pressed = key === " " && target.closest("button, summary, a");
    const pages = ["Home", "End", " "].includes(key) && !this.isInSight();
    if (!Object.hasOwn(actions, key) || sideways || pressed || pages) return;
    event.preventDefault();
    this.isAsked = true;
    actions[key]();
    if (key.startsWith("Arrow") && !this.isInSight()) this.bring();
  }

  /** Whether the board is in sight. */
  isInSight() {
    const { top, bottom } = this.viewer.board.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  }

  bring() {
    if (!this.isInSight()) this.viewer.stage.scrollIntoView({ behavior: "instant" });
  }
}

const start = async () => {
  themes();
  const { list, data: packed, first } = JSON.parse(document.getElementById("replay-data").textContent);
  const canOpen = (number) => Object.hasOwn(packed, number);
  enliven(canOpen);
  const watching = new Watching(await unpack(list), (number) => unpack(packed[number]), canOpen);
  // For tests.
  window.ArenaReplay = { state: () => watching.viewer.state(), open: (number) => watching.open(number, 0) };
  const back = window.history.state;
  await watching.begin(first);
  const settle = () => window.scrollBy({ top: topOf(document.getElementById(back.id) ?? document.body) - back.top, behavior: "instant" });
  if (back) settle();
  // The layout of a new page moves once more after its first frame.
  if (back) requestAnimationFrame(() => requestAnimationFrame(settle));
  if (!("played" in document.body.dataset)) return;
  for (const doing of ["input", "keydown", "pointerdown", "scroll"]) window.addEventListener(doing, () => watching.wait(), true);
  watching.wait();
};

start();

