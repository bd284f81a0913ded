// The games of the run: a table that is filtered, searched and sorted. A game in it has number, game, bots, scores, places, fates (by
// seat), reason, turns, map (or null) and tags: see `PageGame` in src/report/replays/list.rs.

const TAGS = { asked: "asked for", fault: "fault", loss: "worst loss" };
const CHIPS = { asked: "Asked for", fault: "Faults", loss: "Worst losses" };
/** So many rows are drawn at a time. */
const ROWS = 100;

/** What became of a seat: won, drawn or lost; of more than two seats the first place counts. A single seat has only a score. */
const resultOf = ({ places }, seat) => {
  if (places.length === 1) return "";
  if (places[seat] > 1) return "lost";
  return places.filter((place) => place === 1).length > 1 ? "drawn" : "won";
};

/** Whether a game is meant. All filters are texts, an empty one is none; bot, seat, result and fault are of one and the same seat. */
const isMeant = (game, { tag, kind, bot, against, result, seat, map, reason, fault, turns_from: from, turns_to: to, search }) => {
  const seats = game.bots.map((_, at) => at).filter((at) => (!bot || game.bots[at] === bot) && (!seat || at === Number(seat))
    && (!result || resultOf(game, at) === result) && (!fault || (fault === "any" ? game.fates[at] !== "ok" : game.fates[at] === fault))
    && (!against || game.bots.some((other, place) => other === against && place !== at)));
  const within = (value, low, high) => (!low && !high) || (value !== undefined && value >= Number(low || 0) && value <= Number(high || Infinity));
  return seats.length > 0 && (!tag || game.tags.includes(tag)) && (!kind || game.game === kind) && (!map || game.map === map)
    && (!reason || game.reason === reason) && within(game.turns, from, to)
    && (!search || searched(game).includes(search.toLowerCase()));
};
const searched = (game) => [`game ${game.number}`, title(game.game), ...game.bots, words(game.reason), game.map ?? "", ...game.tags.map((tag) => TAGS[tag] ?? "")].join(" ").toLowerCase();

const NOTHING = { tag: "", kind: "", bot: "", against: "", result: "", seat: "", map: "", reason: "", fault: "", turns_from: "", turns_to: "", search: "" };

class Games {
  /** `canOpen` says whether a game can be watched, and `open` shows it. */
  constructor(games, canOpen, open) {
    Object.assign(this, { games, canOpen, open, filter: { ...NOTHING }, order: { key: "number", sign: 1 }, current: null, drawn: 0 });
    this.count = html("p", { class: "ar-soft-text ar-found", role: "status" });
    this.filters = html("div", { class: "ar-filters" });
    this.head = html("thead", {});
    this.body = html("tbody", {});
    this.box = html("div", { class: "ar-games", tabindex: "0", role: "region", "aria-label": "Games", onscroll: () => this.drawMore() },
      html("table", {}, this.head, this.body));
    this.folded = html("details", { class: "ar-folded", open: !NARROW.matches }, html("summary", {}, "Filters"), this.filters);
    NARROW.addEventListener("change", () => { this.folded.open = !NARROW.matches; });
    this.element = html("div", {}, this.folded, this.count, this.box);
    this.build();
    this.list();
  }

  // ---- filters ---------------------------------------------------------------------------------------------------

  build() {
    const all = (values) => [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b), undefined, { numeric: true }));
    const bots = all(this.games.flatMap(({ bots: names }) => names));
    const seats = Math.max(...this.games.map(({ bots: names }) => names.length));
    const fates = all(this.games.flatMap((game) => game.fates)).filter((fate) => fate !== "ok");
    const has = (key) => this.games.some((game) => game[key] !== undefined);
    this.filters.replaceChildren(...[this.chips(),
      this.select("kind", "Game", all(this.games.map(({ game }) => game)), title),
      this.select("bot", "Bot", bots, (bot) => bot, 1), seats > 1 && this.select("against", "Against", bots),
      seats > 1 && this.select("result", "Result", ["won", "drawn", "lost"]), this.select("seat", "Seat", Array.from({ length: seats }, (_, seat) => String(seat))),
      has("map") && this.select("map", "Map", all(this.games.flatMap(({ map }) => map ?? []))),
      this.select("reason", "End", all(this.games.map(({ reason }) => reason)), words),
      fates.length > 0 && this.select("fault", "Fault", ["any", ...fates], words, 1),
      this.range("turns", "Turns"),
      this.input("search", "Search", { type: "search", placeholder: "bot, end, game 29" }),
      html("button", { type: "button", class: "ar-go", onclick: () => this.choose({}) }, "Clear filters")].filter(Boolean));
  }

  chips() {
    const tags = Object.keys(CHIPS).filter((tag) => this.games.some((game) => game.tags.includes(tag)));
    const count = (tag) => this.games.filter((game) => tag === "" || game.tags.includes(tag)).length;
    return html("div", { class: "ar-chips", role: "group", "aria-label": "Which games" }, ["", ...tags].map((tag) =>
      html("button", { type: "button", class: "ar-chip", "data-tag": tag, "aria-pressed": String(tag === this.filter.tag), onclick: () => this.set("tag", tag) },
        tag === "" ? "All" : CHIPS[tag], html("span", { class: "ar-chip-count" }, String(count(tag))))));
  }

  /** A choice of values, if there are at least so many. */
  select(key, label, values, show = (value) => value, least = 2) {
    if (values.length < least) return null;
    return html("label", { class: "ar-select" }, html("span", {}, label),
      html("select", { "data-filter": key, onchange: (event) => this.set(key, event.target.value) }, html("option", { value: "" }, "all"),
        values.map((value) => html("option", { value, selected: value === this.filter[key] }, show(value)))));
  }

  input(key, label, attributes) {
    return html("label", { class: "ar-select" }, html("span", {}, label), html("input", { "data-filter": key, value: this.filter[key], "aria-label": label, ...attributes,
      oninput: (event) => this.set(key, event.target.value) }));
  }

  range(key, label) {
    const [from, to] = ["from", "to"].map((end) => html("input", { type: "number", min: "0", "data-filter": `${key}_${end}`, value: this.filter[`${key}_${end}`],
      "aria-label": `${label}, ${end}`, oninput: (event) => this.set(`${key}_${end}`, event.target.value) }));
    return html("span", { class: "ar-select" }, html("span", {}, label), from, "to", to);
  }

  set(key, value) {
    this.filter[key] = value;
    for (const chip of this.filters.querySelectorAll(".ar-chip")) chip.setAttribute("aria-pressed", String(chip.dataset.tag === this.filter.tag));
    this.list();
  }

  /** Filters by these values and no others. */
  choose(filter) {
    this.filter = { ...NOTHING, ...filter };
    redraw(this.filters, () => this.build());
    this.list();
  }

  // ---- the table -------------------------------------------------------------------------------------------------

  /** The columns that have something to say of the games that are listed. */
  columnsOf() {
    const has = (is) => this.shown.some(is);
    const areAlone = this.games.every(({ bots }) => bots.length === 1);
    return [["number", "#"], has(({ game }) => game !== this.shown[0].game) && ["game", "game"], ["bots", areAlone ? "bot" : "bots"], areAlone && ["scores", "score"],
      has(({ map }) => map) && ["map", "map"], ["reason", "end"], ["turns", "turns"],
      has(({ tags }) => tags.some((tag) => TAGS[tag])) && ["tags", ""]].filter(Boolean);
  }

  found() {
    const { key, sign } = this.order;
    const value = (game) => (key === "scores" ? Number(game.scores[0]) : Array.isArray(game[key]) ? game[key].join(" ") : game[key] ?? -1);
    const compare = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
    const found = this.games.filter((game) => isMeant(game, this.filter));
    return key === "number" && sign === 1 ? found : found.sort((a, b) => sign * compare(value(a), value(b)) || a.number - b.number);
  }

  sort(key) {
    this.order = { key, sign: this.order.key === key ? -this.order.sign : 1 };
    this.list();
  }

  /** Lists the games that are meant. */
  list() {
    this.shown = this.found();
    this.columns = this.columnsOf();
    const [some, all] = [this.shown.length, this.games.length];
    this.count.textContent = some === all ? `${all} games` : `${some} of ${all} games`;
    const order = (key) => (this.order.key === key ? { "aria-sort": this.order.sign === 1 ? "ascending" : "descending" } : {});
    this.head.replaceChildren(html("tr", {}, this.columns.map(([key, name]) => html("th", { scope: "col", ...order(key) },
      name !== "" && html("button", { type: "button", onclick: () => this.sort(key) }, name)))));
    this.body.replaceChildren();
    this.drawn = 0;
    this.box.scrollTop = 0;
    this.drawMore();
  }

  /** Draws rows until there are some below the edge. */
  drawMore() {
    while (this.drawn < this.shown.length && (this.drawn === 0 || this.box.scrollTop + 2 * this.box.clientHeight > this.box.scrollHeight)) {
      const rows = this.shown.slice(this.drawn, this.drawn + ROWS);
      this.drawn += rows.length;
      this.body.append(...rows.map((game) => this.row(game)));
      if (this.box.clientHeight === 0) return;
    }
  }

  row(game) {
    const watchable = this.canOpen(game.number);
    const cells = {
      number: () => (watchable ? html("a", { href: `#game=${game.number}`, title: "Watch this game" }, String(game.number)) : String(game.number)),
      game: () => title(game.game), map: () => game.map ?? "", reason: () => words(game.reason), turns: () => String(game.turns),
      bots: () => game.bots.map((bot, seat) => [seat > 0 && " – ", html("span", { class: [game.places[seat] === 1 && game.bots.length > 1 ? "ar-first" : "", game.fates[seat] === "ok" ? "" : "ar-bad"].join(" "),
        title: `seat ${seat}, ${ordinal(game.places[seat])}, score ${game.scores[seat]}${game.fates[seat] === "ok" ? "" : `, ${words(game.fates[seat])}`}` }, bot)]),
      scores: () => String(game.scores[0]),
      tags: () => game.tags.map((tag) => TAGS[tag] && html("span", { class: `ar-tag ar-tag-${tag}` }, TAGS[tag])),
    };
    return html("tr", { "data-number": game.number, "aria-current": game.number === this.current ? "true" : false, class: watchable ? "" : "ar-unseen",
      title: watchable ? undefined : "Not in this page: arena replay shows it", onclick: () => watchable && this.open(game.number) },
    this.columns.map(([key]) => html("td", { class: `ar-cell-${key}` }, cells[key]())));
  }

  // ---- which game is shown ---------------------------------------------------------------------------------------

  mark(number) {
    this.current = number;
    for (const row of this.body.rows) {
      if (row.dataset.number === String(number)) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  /** Moves the list, and not the page, until the game that is shown is in sight. */
  bring() {
    const { box } = this;
    const row = this.body.querySelector("[aria-current]");
    if (!row) return;
    const [top, bottom] = [row.offsetTop - this.head.offsetHeight, row.offsetTop + row.offsetHeight].map((edge) => edge - box.scrollTop);
    if (top < 0 || bottom > box.clientHeight) box.scrollTop = row.offsetTop - box.clientHeight / 2;
  }

  /** The number of the next game of those listed that can be watched, or of the one before. */
  next(by) {
    const numbers = this.shown.map(({ number }) => number).filter((number) => this.canOpen(number));
    const at = numbers.indexOf(this.current);
    return at < 0 ? numbers[0] : numbers[at + by];
  }
}

