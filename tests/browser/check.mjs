// Opens the page of a run that is being played, and the reports of seven runs: a duel, a gauntlet of all four games, a sweep, a tuning, one of bots that
// mean harm and two of games with a referee of their own. It looks at everything:
//
//   node check.mjs FOLDER     with FOLDER/duel, gauntlet, sweep, tune, harm, tictactoe and harvest; tests/browser/check.sh makes them
//
// The answer comes first, and the other parts in their order; the gauntlet takes six screens at most. The page of a run that is being played loads itself
// again, and what the reader has open stays. Lists of games agree with games.csv, keys work without a click. Nothing is said on the console, nothing is
// fetched; every section and every table is there and sorts; light, dark, 390 and 1400 px of width, and enough contrast; every mark of a drawing stands
// inside its box, and no label on another; every replay, brought to its end, shows the result of its record; and what bots write stays text.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const folder = resolve(process.argv[2]);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Chromium's own sandbox refuses root, which CI often is. The pages are our own.
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});

/** The records of a run by the numbers of their games. */
const recordsOf = (run) => new Map(readFileSync(join(folder, run, "records.jsonl"), "utf8").trim().split("\n")
  .map((line) => JSON.parse(line)).map((record) => [record.number, record]));

/** Opens the report of a run. `complaints` collects all that should not happen. */
const open = async (run, options, address = "") => {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const url = pathToFileURL(join(folder, run, "report.html")).href;
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (![url, "data:,"].includes(request.url().split("#")[0])) complaints.push(`request: ${request.url()}`);
  });
  await page.addInitScript(() => { window.harmed = 0; window.harm = () => { window.harmed += 1; }; });
  await page.goto(url + address);
  await page.waitForFunction(() => !document.getElementById("replay-data") || window.ArenaReplay?.state()?.loaded);
  const close = async (what) => {
    assert.deepEqual(complaints, [], what);
    assert.equal(await page.evaluate(() => window.harmed), 0, `${what}: a script of a bot ran`);
    await context.close();
  };
  return { page, close };
};

const screenshot = (page, name) => page.screenshot({ path: join(folder, `${name}.png`) });
const show = (page, selector) =>
  page.locator(selector).first().evaluate((element) => element.scrollIntoView({ behavior: "instant" }));

/** Shows what is folded, and the sections of all tabs. */
const unfold = async (page) => {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  await page.addStyleTag({ content: ".tabs > section { display: block !important; }" });
};

/** No part of the page but the inside of boxes that scroll is wider than the window. */
const fits = async (page) => {
  await unfold(page);
  assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth].join()),
    await page.evaluate(() => [innerWidth, innerWidth].join()));
};

/** Every table sorts by every column, both ways. Returns how many orders were looked at. */
const sorts = (page) => page.evaluate(() => {
  let looked = 0;
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.querySelectorAll("thead th[data-sort]")) {
      for (let time = 0; time < 2; time += 1) {
        head.querySelector("button").click();
        const order = head.getAttribute("aria-sort");
        const numeric = head.dataset.sort === "number";
        const cells = [...table.tBodies[0].rows].map((row) => row.cells[head.cellIndex]);
        // Texts without a number would stand in any order; what isn't known is nothing.
        const nothing = /^(–|\[.*\]|(won|lost) all)?$/;
        const isWords = (cell) => !cell.dataset.v && !nothing.test(cell.textContent.trim());
        if (numeric && cells.length > 1 && cells.every((cell) => !cell.dataset.v) && cells.some(isWords)) {
          throw new Error(`${table.parentElement.ariaLabel}, column ${head.textContent}, is said to be of numbers and has none`);
        }
        const values = cells.map((cell) => (numeric ? (cell.dataset.v === "" ? -Infinity : Number(cell.dataset.v)) : cell.textContent.trim()));
        if (order === "descending") values.reverse();
        const follows = (a, b) => (numeric ? a <= b : a.localeCompare(b, undefined, { numeric: true }) <= 0);
        if (!["ascending", "descending"].includes(order) || values.some((value, at) => at > 0 && !follows(values[at - 1], value))) {
          throw new Error(`${table.parentElement.ariaLabel}, column ${head.textContent}, is not ${order}: ${values}`);
        }
        if (table.querySelectorAll("[aria-sort]").length !== 1) throw new Error("two columns say that they are sorted");
        looked += 1;
      }
    }
  }
  return looked;
});

const brightness = (page) => page.evaluate(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d");
  canvas.fillStyle = getComputedStyle(document.body).backgroundColor;
  canvas.fillRect(0, 0, 1, 1);
  return Math.max(...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3));
});

/** The games of a run as its table of rows has them. No field of these runs has a comma or a quote in it. */
const rowsOf = (run) => {
  const [head, ...lines] = readFileSync(join(folder, run, "games.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  return lines.map((line) => Object.fromEntries(head.map((name, at) => [name, line[at]])));
};

/** Every filter lists as many games as the rows have, and so does every cell that leads to games. */
const filters = async (page, rows) => {
  const seats = (row) => [1, 2, 3, 4].filter((seat) => row[`p${seat}_bot`]).map((seat) => ({ seat: seat - 1, bot: row[`p${seat}_bot`], place: Number(row[`p${seat}_place`]), fate: row[`p${seat}_fate`] }));
  const result = (all, { place }) => (place > 1 ? "lost" : all.filter((one) => one.place === 1).length > 1 ? "drawn" : "won");
  const meant = (row, { kind, bot, against, seat, result: wanted, map, reason, fault }) => {
    const all = seats(row);
    const own = all.filter((one) => (!bot || one.bot === bot) && (!seat || one.seat === Number(seat)) && (!wanted || result(all, one) === wanted)
      && (!fault || (fault === "any" ? one.fate !== "ok" : one.fate === fault)) && (!against || all.some((other) => other.bot === against && other !== one)));
    return own.length > 0 && (!kind || row.game === kind) && (!map || row.map === map) && (!reason || row.reason === reason);
  };
  const listed = async () => Number(/^\d+/.exec(await page.locator(".ar-found").textContent())[0]);
  const queries = await page.evaluate(() => [...document.querySelectorAll("td[data-games]")].map((cell) => cell.dataset.games));
  assert.ok(queries.length > 20);
  const listings = await page.evaluate(async (queries) => {
    const found = [];
    for (const query of queries) {
      location.hash = `#${query}`;
      await new Promise((done) => window.addEventListener("hashchange", done, { once: true }));
      found.push(Number(/^\d+/.exec(document.querySelector(".ar-found").textContent)[0]));
    }
    return found;
  }, [...new Set(queries)]);
  [...new Set(queries)].forEach((query, at) => assert.equal(listings[at], rows.filter((row) => meant(row, Object.fromEntries(new URLSearchParams(query)))).length, query));
  await page.locator(".ar-filters button", { hasText: "Clear filters" }).click();
  assert.equal(await listed(), rows.length);
  for (const [key, value, count] of [["turns_to", "20", rows.filter((row) => Number(row.turns) <= 20).length],
    ["search", rows[0].p2_bot, rows.filter((row) => seats(row).some(({ bot }) => bot.includes(rows[0].p2_bot))).length]]) {
    await page.locator(`[data-filter=${key}]`).fill(value);
    assert.equal(await listed(), count, key);
    await page.locator(`[data-filter=${key}]`).fill("");
  }
  await page.locator("[data-filter=bot]").selectOption(rows[0].p1_bot);
  assert.equal(await listed(), rows.filter((row) => meant(row, { bot: rows[0].p1_bot })).length);
  await page.locator(".ar-filters button", { hasText: "Clear filters" }).click();
  // The order, from the longest game down.
  await page.locator(".ar-games th button", { hasText: "turns" }).click();
  await page.locator(".ar-games th button", { hasText: "turns" }).click();
  assert.equal(Number(await page.locator(".ar-games tbody tr .ar-cell-turns").first().textContent()), Math.max(...rows.map(({ turns }) => Number(turns))));
  return listings.length;
};

/** Keys work without a click before, an address leads to a turn, and the board with its controls has room in a small window. */
const keys = async (run, numbers) => {
  const small = { viewport: { width: 1366, height: 650 } };
  for (const number of numbers) {
    const { page, close } = await open(run, small, `#game=${number}&turn=5`);
    const state = () => page.evaluate(() => ArenaReplay.state());
    const loaded = (number) => page.waitForFunction((number) => ArenaReplay.state().loaded && (number === undefined || ArenaReplay.state().number === number), number);
    await loaded(number);
    const { turn, index, last } = await state();
    assert.ok(turn <= 5 && turn >= 4, `game ${number} is at turn ${turn}`);
    const box = await page.evaluate(() => ["board", "controls"].map((part) => document.querySelector(`.ar-${part}`).getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
    assert.ok(box.flat().every((edge) => edge >= 0 && edge <= 650), `game ${number}: board and controls within 650 px, ${box}`);
    await page.keyboard.press("ArrowRight");
    assert.equal((await state()).index, index + 1);
    assert.equal(await page.evaluate(() => location.hash), `#game=${number}&turn=${(await state()).turn}`);
    for (let step = index + 1; step < last; step += 1) await page.keyboard.press("ArrowRight");
    assert.equal((await state()).index, last);
    await page.keyboard.press("Home");
    assert.equal((await state()).index, 0);
    await page.keyboard.press("End");
    assert.equal((await state()).index, last);
    await page.keyboard.press("Home");
    await page.keyboard.press(" ");
    assert.ok((await state()).playing);
    await page.keyboard.press(" ");
    await page.keyboard.press("f");
    await page.keyboard.press("?");
    assert.ok(await page.locator(".ar-help").isVisible());
    await page.keyboard.press("Escape");
    await page.locator(".ar-help").waitFor({ state: "hidden" });
    await page.keyboard.press("j");
    await loaded();
    const next = (await state()).number;
    assert.ok(next > number);
    await page.keyboard.press("k");
    await loaded(number);
    await screenshot(page, `keys-${number}`);
    await close(`keys, game ${number}`);
  }
};

/** The parts of a page in their order, the answer in large letters on the first screen, and its interval if the run has one. */
const answers = async (page, what, { several = false, intervals = 1 } = {}) => {
  const found = await page.evaluate(() => {
    const at = (selector) => document.querySelector(selector)?.getBoundingClientRect().top ?? null;
    const size = (element) => parseFloat(getComputedStyle(element).fontSize);
    return { order: [".answer", ".watch", "main table", "#watch", "#games", "#more", "#how"].map(at).filter((top) => top !== null),
      sizes: [...document.querySelectorAll(".answer")].map(size), intervals: document.querySelectorAll(".drawn tbody tr").length,
      answered: Math.max(...[...document.querySelectorAll(".answer, .drawn")].map((part) => part.getBoundingClientRect().bottom)),
      ticks: document.querySelector("header.top").innerText.includes("`") };
  });
  assert.deepEqual(found.order, [...found.order].sort((a, b) => a - b), `${what}: the order of the page`);
  assert.ok(found.sizes.length > 0 && found.sizes.every((size) => size === 24 || several), `${what}: an answer of 24 px, ${found.sizes}`);
  assert.ok(found.answered < 700, `${what}: the answer is on the first screen`);
  assert.equal(found.intervals, intervals, `${what}: intervals`);
  assert.ok(!found.ticks, `${what}: no backticks`);
};

/** Texts with too little contrast: 4.5 to 1 is needed. Grounds that aren't of one colour aren't looked at. */
const pale = (page) => page.evaluate(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour) => colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const complaints = new Set();
  for (const element of document.querySelectorAll("body *")) {
    const isText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "");
    if (!isText || !element.checkVisibility() || element.closest("svg, noscript, .unseen")) continue;
    const grounds = [];
    for (let box = element; box; box = box.parentElement) grounds.unshift(getComputedStyle(box).backgroundColor);
    const { color, opacity } = getComputedStyle(element);
    const ground = painted(grounds);
    const ink = painted([`rgb(${ground})`, color]).map((part, at) => part * opacity + ground[at] * (1 - opacity));
    const [light, dark] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) complaints.add(`${element.tagName}.${element.className}: ${contrast.toFixed(2)}`);
  }
  return [...complaints];
});

/** Tables that scroll sideways. */
const scrolling = (page) => page.evaluate(() => [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => `${box.closest("section, details").id}: ${box.ariaLabel}, ${box.scrollWidth} px in ${box.clientWidth}`));

/** Brings every embedded game to its end, and compares the end with the record. */
const replays = async (page, records) => {
  // All within the page: a call from here takes longer than a game. The first games of each kind step by step, the others at once.
  const ends = await page.evaluate(async () => {
    const { state, open } = ArenaReplay;
    const press = (key) =>
      document.querySelector(".ar-stage").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const [ends, stepped] = [[], new Map()];
    for (const number of Object.keys(JSON.parse(document.getElementById("replay-data").textContent).data).map(Number)) {
      if (!open(number)) throw new Error(`game ${number} does not open`);
      const until = performance.now() + 30_000;
      while (!state().loaded || state().number !== number) {
        if (performance.now() > until) throw new Error(`game ${number} does not load: ${document.querySelector(".ar-board").textContent}`);
        await new Promise((done) => setTimeout(done));
      }
      const { last, game } = state();
      stepped.set(game, (stepped.get(game) ?? 0) + 1);
      if (stepped.get(game) > 5) press("End");
      else for (let step = 0; step < last; step += 1) press("ArrowRight");
      ends.push(state());
    }
    return ends;
  });
  for (const { number, index, last, reason, standings } of ends) {
    const record = records.get(number);
    assert.equal(index, last, `game ${number} ends where it should`);
    assert.equal(reason, record.reason, `game ${number}`);
    assert.deepEqual(standings.map(({ score }) => score), record.scores, `game ${number}`);
    assert.deepEqual(standings.map(({ bot }) => bot), record.bots, `game ${number}`);
  }
  return { count: ends.length, games: new Set(ends.map(({ game }) => game)) };
};

/** No column of a table is empty, three things about games have three names, and the board of Dice Shogi shows the die of the move. */
const told = async (number) => {
  const { page, close } = await open("gauntlet", {}, `#game=${number}&turn=1000`);
  await unfold(page);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("main table.sortable")].flatMap((table) => [...table.tHead.rows[0].cells].filter(({ cellIndex }) =>
    [...table.tBodies[0].rows].every(({ cells: { [cellIndex]: cell } }) => cell.textContent.trim() === "–" || cell.innerHTML === "")).map((head) => `${table.parentElement.ariaLabel}: ${head.textContent}`))), []);
  const names = ["nav a[href='#games']", "#games h2", ".ar-filters > button"].map((part) => page.locator(part).textContent());
  assert.equal(new Set(await Promise.all(names)).size, 3);
  const { frames } = JSON.parse(gunzipSync(Buffer.from(JSON.parse(await page.locator("#replay-data").textContent()).data[number], "base64")));
  for (let index = frames.length - 1; index >= 0; index -= 1) {
    assert.equal(await page.locator(".ar-board title", { hasText: "The die shows" }).textContent(), `The die shows ${frames[Math.max(0, index - 1)].die}`, `after ${index} turns`);
    await page.keyboard.press("ArrowLeft");
  }
  await close("what the gauntlet tells");
};

/** The list of the turns of Kutulu says what happened in them. */
const eventful = async (number) => {
  const { page, close } = await open("gauntlet", {}, `#game=${number}`);
  const turns = await page.locator(".ar-moves .ar-line").allTextContents();
  assert.ok(turns.every((turn) => /^\d+\. [a-z0-9,; ]+$/.test(turn)), turns.join("\n"));
  assert.ok(["loses", "is gone"].every((what) => turns.some((turn) => turn.includes(what))), turns.join("\n"));
  await close("the turns of Kutulu");
};

const gauntlet = async () => {
  const { page, close } = await open("gauntlet", { colorScheme: "light" });
  const records = recordsOf("gauntlet");
  const games = ["minishogi", "dice_shogi", "onitama", "kutulu"];
  for (const id of ["standings", "watch", "games", "more", "how"]) {
    assert.equal(await page.locator(`#${id}`).count(), 1, `part ${id}`);
    assert.equal(await page.locator(`nav a[href="#${id}"]`).count(), 1, `link to ${id}`);
  }
  await answers(page, "the gauntlet", { several: true, intervals: 4 });
  // A tab for each game, chosen by mouse or keyboard.
  const panels = () => page.evaluate(() => [...document.querySelectorAll(".tabs > section")].filter((part) => part.checkVisibility()).map(({ id }) => id));
  assert.deepEqual(await panels(), ["minishogi"]);
  await page.locator(".tabs > label", { hasText: "Kutulu" }).click();
  assert.deepEqual(await panels(), ["kutulu"]);
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(await panels(), ["onitama"]);
  await page.reload();
  await page.waitForFunction(() => window.ArenaReplay?.state()?.loaded);
  for (const game of games) {
    const parts = (id) => page.locator(`#${id} h3`).allTextContents();
    assert.deepEqual(await parts(game), ["Against each other"], game);
    const numbers = ["Response times in ms: first turn", "Response times in ms: later turns",
      "Response times in ms: the longest later turn of each game", "Fault rates", "By seat", "By reason of the end", ...(game === "kutulu" ? ["By map"] : [])];
    assert.deepEqual(await parts(`${game}-numbers`), numbers, game);
    assert.ok(await page.locator(`#${game} [aria-label=Standings] tbody tr`).count() >= 5, game);
    // A bot that won or lost everything has no rating to draw.
    const rated = page.locator(`#${game} [aria-label=Standings] tbody tr`).filter({ hasNotText: /(won|lost) all/ });
    assert.equal(await page.locator(`#${game} [aria-label=Standings] svg .point`).count(), await rated.count(), game);
  }
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip", "the first stop of the keyboard");
  assert.ok(await brightness(page) > 200, "light");
  await screenshot(page, "light");
  await unfold(page);
  const orders = await sorts(page);
  assert.ok(orders > 100, `${orders} orders`);
  const watched = await replays(page, records);
  assert.equal(watched.games.size, 4, "replays of all games");
  const rows = rowsOf("gauntlet");
  const lists = await filters(page, rows);
  const [dice, kutulu] = ["dice_shogi", "kutulu"].map((game) => Number(rows.find((row) => row.game === game).number));
  await told(dice);
  await eventful(kutulu);
  await keys("gauntlet", games.map((game) => Number(rows.find((row) => row.game === game).number)));
  await show(page, "#games");
  await screenshot(page, "light-replay");

  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await page.locator("#theme").click();
  assert.ok(await brightness(page) < 60, "dark by the button");
  await page.locator("#theme").click();
  assert.ok(await brightness(page) > 200, "light by the button");
  await page.emulateMedia({ media: "print" });
  assert.deepEqual(await panels(), games, "paper has no tabs");
  await screenshot(page, "print");
  await close("the gauntlet, light");

  const dark = await open("gauntlet", { colorScheme: "dark" });
  assert.ok(await brightness(dark.page) < 60, "dark by preference");
  await screenshot(dark.page, "dark");
  await show(dark.page, "#games");
  await screenshot(dark.page, "dark-replay");
  await unfold(dark.page);
  assert.deepEqual(await pale(dark.page), [], "contrast, dark");
  await dark.close("the gauntlet, dark");

  const phone = await open("gauntlet", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  await screenshot(phone.page, "phone");
  await show(phone.page, "#games");
  await screenshot(phone.page, "phone-replay");
  assert.equal(await phone.page.locator(".ar-filters").isVisible(), false, "filters are folded");
  assert.equal(await phone.page.locator(".scroll:has(.chart) .ends:visible").count(), 0, "the bar shows the interval");
  await fits(phone.page);
  await phone.close("the gauntlet on a phone");

  const wide = await open("gauntlet", { viewport: { width: 1400, height: 900 } });
  const screens = await wide.page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
  assert.ok(screens <= 6, `${screens.toFixed(1)} screens`);
  await screenshot(wide.page, "wide");
  await fits(wide.page);
  assert.deepEqual(await scrolling(wide.page), [], "tables at 1400 px");
  assert.deepEqual(await pale(wide.page), [], "contrast, light");
  await wide.close("the gauntlet, 1400 px");

  const timed = await open("gauntlet");
  const ms = await timed.page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  await timed.close("the gauntlet, timed");
  const size = statSync(join(folder, "gauntlet", "report.html")).size;
  assert.ok(size < 5_000_000, `${size} bytes`);
  console.log(`gauntlet: ${records.size} games, ${(size / 1e6).toFixed(2)} MB, loaded in ${ms.toFixed(0)} ms; ` +
    `${orders} orders of tables, ${watched.count} replays brought to their ends, ${lists} lists of games agree with games.csv`);
};

/** A duel: what it is, its answer with the interval, and no table that repeats them. */
const duel = async () => {
  for (const options of [{ viewport: { width: 1400, height: 900 } }, { viewport: { width: 390, height: 844 }, isMobile: true }]) {
    const { page, close } = await open("duel", options);
    await answers(page, "the duel");
    assert.doesNotMatch(await page.locator("header.top").textContent(), /round robin/);
    assert.equal(await page.locator("h3", { hasText: "Against each other" }).count(), 0);
    assert.deepEqual(await pale(page), [], "contrast");
    await page.locator(".watch a").click();
    await page.waitForFunction(() => document.querySelector(".ar-board").getBoundingClientRect().top < innerHeight);
    await screenshot(page, `duel-${options.viewport.width}`);
    await fits(page);
    if (!options.isMobile) assert.deepEqual(await scrolling(page), [], "tables of the duel");
    await close("the duel");
  }
  console.log("duel: one interval, drawn");
};

/** Labels of drawings that touch another one or stand out of their box, and drawings that show none. */
const crowded = (page) => page.evaluate(() => [...document.querySelectorAll("figure.plot")].flatMap((figure) => {
  const box = figure.getBoundingClientRect();
  const shown = (selector) => [...figure.querySelectorAll(selector)].map((label) => ({ label, at: label.getBoundingClientRect() }))
    .filter(({ at }) => at.width > 0);
  const complaints = [];
  for (const selector of [".axis span", ".levels span"]) {
    const labels = shown(selector);
    if (labels.length === 0) complaints.push(`no ${selector}`);
    for (const [place, { label, at }] of labels.entries()) {
      if (at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom) complaints.push(`outside: ${label.outerHTML}`);
      for (const { label: other, at: its } of labels.slice(place + 1)) {
        const apart = at.right <= its.left || its.right <= at.left || at.bottom <= its.top || its.bottom <= at.top;
        if (!apart) complaints.push(`${label.textContent} on ${other.textContent}`);
      }
      if (selector.startsWith(".axis") && place > 0 && at.left < labels[place - 1].at.right) complaints.push(`not in order: ${label.textContent}`);
      if (label.scrollWidth > label.clientWidth + 1 && label.title !== label.textContent) complaints.push(`cut without a title: ${label.outerHTML}`);
    }
  }
  return complaints;
}));

/** Drawings: their labels, their marks, and those marks that do not stand inside their box. */
const drawings = (page, selector) => page.evaluate((selector) => [...document.querySelectorAll(selector)].map((svg) => {
  const { width, height } = svg.viewBox.baseVal;
  const marks = [...svg.querySelectorAll("line:not(.grid), path, rect")];
  // Less than a pixel of the smallest drawing; places are rounded.
  const inside = ({ x, y, width: w, height: h }) => [x, y, width - x - w, height - y - h].every((room) => room >= -0.1);
  const outside = marks.filter((mark) => !inside(mark.getBBox())).map((mark) => mark.outerHTML);
  const { width: shown, height: tall } = svg.getBoundingClientRect();
  return { label: svg.ariaLabel, marks: marks.length, dots: svg.querySelectorAll(".dot").length, outside, isShown: shown > 100 && tall > 50 };
}), selector);

/** All drawings of a page are shown, with all marks in their boxes and no label on another. Returns how many there are. */
const drawnWell = async (page, what) => {
  await unfold(page);
  const drawn = await drawings(page, ".plot svg");
  assert.deepEqual(drawn.filter(({ outside, marks, isShown }) => outside.length > 0 || marks === 0 || !isShown), [], what);
  assert.deepEqual(await crowded(page), [], what);
  return drawn.length;
};

const sweep = async () => {
  const found = JSON.parse(readFileSync(join(folder, "sweep", "summary.json"), "utf8")).sweep;
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  let orders = 0;
  for (const colorScheme of ["light", "dark"]) {
    for (const [device, options] of [["desk", { viewport: { width: 1400, height: 900 } }], ["phone", phone]]) {
      const { page, close } = await open("sweep", { colorScheme, ...options });
      assert.equal(await page.locator("section#sweep h2").count(), 1);
      assert.equal(await page.locator('nav a[href="#sweep"]').count(), 1);
      const rows = await page.locator("#sweep table tbody tr").count();
      assert.equal(rows, found.variants.length);
      const drawn = await drawings(page, "#sweep .plot svg");
      assert.deepEqual(drawn.map(({ label }) => label), found.parameters.map((name) => `Elo of every variant over ${name}`));
      const finite = found.variants.filter(({ elo }) => elo !== null).length;
      const isOpen = ({ elo, lo95, hi95 }) => [elo, lo95, hi95].includes(null);
      assert.ok(found.variants.some(isOpen) && !found.variants.every(isOpen), "there are intervals with an end, and some without");
      for (const { label, marks, dots, outside, isShown } of drawn) {
        // The line of zero, an interval of each variant, and a mark of each that has an Elo.
        assert.deepEqual([marks, dots, outside, isShown], [1 + found.variants.length + finite, finite, [], true], label);
      }
      const words = await page.locator("#sweep figure .axis span").allTextContents();
      assert.ok(words.includes("<b>bold</b>"), `${words}`);
      assert.deepEqual(await crowded(page), [], `labels, ${device}`);
      const kinds = await page.locator("#sweep thead th").evaluateAll((heads) =>
        Object.fromEntries(heads.map((head) => [head.textContent.trim(), head.dataset.sort])));
      assert.deepEqual([kinds.depth, kinds.style, kinds.blunder], ["number", "text", "number"]);
      await answers(page, "the sweep", { intervals: 0 });
      await show(page, "#sweep");
      await screenshot(page, `sweep-${colorScheme}-${device}`);
      orders += await sorts(page);
      await fits(page);
      if (device === "desk") assert.deepEqual(await scrolling(page), [], "tables at 1400 px");
      await close(`the sweep, ${colorScheme}, ${device}`);
    }
  }
  console.log(`sweep: ${found.variants.length} variants, ${found.games} games; ${orders} orders of tables, all marks inside their drawings`);
};

/** A tuning: a row and a drawing for every parameter, whose path begins at the start and ends at the last centre. */
const tune = async () => {
  const found = JSON.parse(readFileSync(join(folder, "tune", "summary.json"), "utf8")).tune;
  const names = found.parameters.map(({ name }) => name);
  for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, { viewport: { width: 390, height: 844 }, isMobile: true }]) {
    const { page, close } = await open("tune", options);
    assert.equal(await page.locator('nav a[href="#tune"]').count(), 1);
    assert.deepEqual(await page.locator("#tune table tbody th").allTextContents(), names);
    const drawn = await drawings(page, "#tune svg");
    // The start, what is played at the end, and the way between.
    assert.deepEqual(drawn.map(({ label, marks, outside, isShown }) => [label, marks, outside, isShown]),
      names.map((name) => [`${name} over the units`, 3, [], true]));
    const blocks = await page.locator("#tune path").evaluateAll((paths) => paths.map((path) => path.getAttribute("d").split("L").length - 1));
    assert.deepEqual(blocks, names.map(() => found.units / found.block));
    assert.equal(await page.locator("#tune pre.command").textContent(), found.confirm);
    await answers(page, "the tuning", { intervals: 0 });
    await show(page, "#tune");
    await screenshot(page, `tune-${options.colorScheme ?? "phone"}`);
    await sorts(page);
    await fits(page);
    await close("the tuning");
  }
  console.log(`tune: ${names.length} parameters, ${found.units} units, all ways inside their drawings`);
};

const harm = async () => {
  const { page, close } = await open("harm", {});
  const records = recordsOf("harm");
  const names = [...new Set([...records.values()].flatMap((record) => record.bots))];
  assert.equal(names.length, 3);
  const shown = await page.locator("[aria-label=Standings] th[scope=row]").allTextContents();
  for (const name of names) assert.ok(shown.includes(name), `${name} is shown as it is`);
  assert.equal(await page.locator("#faults").count(), 1);
  assert.equal(await page.locator("#faults table").count(), 1, "one table of faults");
  assert.ok(await page.locator("#faults tbody tr").count() >= 6);
  await show(page, "#faults");
  await page.locator("#faults details summary").first().click();
  await screenshot(page, "faults");
  assert.ok((await page.locator("#faults td pre").allTextContents()).some((text) => text.includes("<script>harm()</script>")));
  const watched = await replays(page, records);
  // Nothing in the viewer hides or turns text. The third bot tries to.
  const [hiding] = [...records.values()].filter(({ bots }) => bots[0].includes("harm();"));
  await page.evaluate((number) => { window.location.hash = `#game=${number}&turn=1`; }, hiding.number);
  await page.waitForFunction((number) => ArenaReplay.state().number === number && ArenaReplay.state().index === 1, hiding.number);
  const said = await page.locator(".ar-said").textContent();
  assert.equal(said.split("harm()//\\u{202e}\\u{200b}").length, 3, `answer and standard error are escaped: ${said}`);
  assert.doesNotMatch(await page.locator("#viewer").innerHTML(), /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  // The number of a fault's game leads to its replay.
  const link = page.locator("#faults td[data-game] a").first();
  const number = Number(await link.textContent());
  await link.click();
  await page.waitForFunction((number) => ArenaReplay.state().loaded && ArenaReplay.state().number === number, number);
  // Nothing but our own elements: the script and the data, no picture.
  assert.deepEqual(await page.evaluate(() => [document.scripts.length, document.images.length]), [2, 0]);
  await sorts(page);
  await page.waitForTimeout(200);
  await close("bots that mean harm");
  const phone = await open("harm", { viewport: { width: 390, height: 844 }, isMobile: true });
  await fits(phone.page);
  await phone.close("bots that mean harm, on a phone");
  console.log(`harm: ${watched.count} replays, nothing ran`);
};

/** Games that are drawn from what their referee showed. */
const foreign = async () => {
  let count = 0;
  for (const run of ["tictactoe", "harvest"]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, close } = await open(run, { colorScheme });
      count += (await replays(page, recordsOf(run))).count;
      const [svg, bars] = [".ar-board svg", ".ar-players .ar-tally"].map((part) => page.locator(part));
      assert.deepEqual([await svg.count(), await bars.count()], [1, run === "harvest" ? 4 : 0]);
      assert.match(await svg.getAttribute("aria-label"), /^Board, from the top: /);
      await show(page, "#games");
      await screenshot(page, `${run}-${colorScheme}`);
      await fits(page);
      await close(`${run}, ${colorScheme}`);
    }
    const phone = await open(run, { viewport: { width: 390, height: 844 }, isMobile: true });
    await fits(phone.page);
    await phone.close(`${run}, on a phone`);
  }
  console.log(`games with a referee of their own: ${count} replays brought to their ends`);
};

/** The page of a run that is being played loads itself again. Games come, and what the reader has open stays. The last page stays as it is. */
const started = [];
const followed = async () => {
  const out = join(folder, "followed");
  rmSync(out, { recursive: true, force: true });
  const arena = (...args) => started.push(spawn(join(folder, "..", "debug", "arena"), args, { stdio: "ignore" }));
  const until = async (file, lines) => {
    while (!existsSync(join(out, file)) || readFileSync(join(out, file), "utf8").split("\n").length <= lines) await setTimeout(100);
  };
  arena("run", "configs/gauntlet.toml", "--games", "200", "--jobs", "1", "--out", out, "--quiet");
  await until("records.jsonl", 50);
  arena("report", out, "--follow");
  await until("report.html", 1);
  const { page, close } = await open("followed", { viewport: { width: 1366, height: 650 } }, "#game=3&turn=5");
  await page.locator("[data-filter=kind]").selectOption("onitama");
  await page.locator(".tabs > label", { hasText: "Kutulu" }).click();
  await page.locator("#onitama-numbers > summary").click();
  await show(page, ".ar-stage");
  await page.keyboard.press("ArrowRight");
  // How many games there are, and what is open.
  const seen = () => page.evaluate(() => [Number(/(\d+) games$/.exec(document.querySelector(".ar-found").textContent)[1]), {
    number: ArenaReplay.state().number, turn: ArenaReplay.state().turn, top: Math.round(document.querySelector(".ar-stage").getBoundingClientRect().top), folded: document.querySelector("#onitama-numbers").open,
    tabs: [...document.querySelectorAll(".tabs > section")].filter((part) => part.checkVisibility()).map(({ id }) => id),
    filter: document.querySelector("[data-filter=kind]").value }]);
  const [before, opened] = await seen();
  assert.ok(opened.number === 3 && opened.turn > 4);
  const counts = [before];
  while (await page.evaluate(() => "played" in document.body.dataset)) {
    await page.waitForFunction((before) => window.ArenaReplay?.state().loaded && (!("played" in document.body.dataset)
      || Number(/(\d+) games$/.exec(document.querySelector(".ar-found").textContent)[1]) > before), counts.at(-1), { timeout: 300_000 });
    // The page scrolls once its game is there, and browsers round where to.
    await page.waitForFunction((top) => Math.abs(document.querySelector(".ar-stage")?.getBoundingClientRect().top - top) < 5, opened.top);
    const [games, still] = await seen();
    assert.deepEqual({ ...still, top: opened.top }, opened, `what is open after ${games} games`);
    if (counts.length === 1) await screenshot(page, "followed");
    counts.push(games);
  }
  assert.ok(counts.length > 2 && counts.at(-1) === rowsOf("followed").length, `${counts} games`);
  await page.evaluate(() => { window.isSame = true; });
  await page.waitForTimeout(7000);
  assert.ok(await page.evaluate(() => window.isSame), "the page of a run that has ended stays");
  await close("a run that is followed");
  console.log(`followed: a page of ${counts.join(", ")} games`);
};

try {
  await followed();
  await duel();
  await gauntlet();
  await sweep();
  await tune();
  await harm();
  await foreign();
} finally {
  for (const one of started) one.kill("SIGTERM");
  await browser.close();
}
