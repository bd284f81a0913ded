"use strict";
// Without this script the page still says everything: here are tables that sort, and the choice of light or dark.
(() => {
  const storage = (use) => { try { return use(window.localStorage); } catch { return null; } };
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");

  const theme = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  const label = () => { toggle.textContent = theme() === "dark" ? "Light" : "Dark"; };
  const chosen = storage((store) => store.getItem("arena-theme"));
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    storage((store) => store.setItem("arena-theme", root.dataset.theme));
    label();
  });
  dark.addEventListener("change", label);
  label();

  for (const time of document.querySelectorAll("time[data-seconds]")) {
    const date = new Date(Number(time.dataset.seconds) * 1000);
    if (Number.isNaN(date.getTime())) continue;
    time.dateTime = date.toISOString();
    time.textContent = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  }

  const data = document.getElementById("replay-data");
  if (data) {
    const replays = JSON.parse(data.textContent);
    ArenaReplay.mount(document.getElementById("viewer"), replays);
    // Where a fault's game can be watched, its number leads there.
    const numbers = new Set(replays.map((replay) => replay.number));
    for (const cell of document.querySelectorAll("td[data-game]")) {
      const number = Number(cell.dataset.game);
      if (!numbers.has(number)) continue;
      const link = document.createElement("a");
      link.href = "#replays";
      link.title = "Watch this game";
      link.append(...cell.childNodes);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        document.getElementById("replays").scrollIntoView();
        ArenaReplay.open(number);
      });
      cell.append(link);
    }
  }

  const value = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim();
    return cell.dataset.v === "" || cell.dataset.v === undefined ? -Infinity : Number(cell.dataset.v);
  };
  const sort = (head) => {
    const table = head.closest("table");
    const numeric = head.dataset.sort === "number";
    const column = head.cellIndex;
    // Numbers are wanted from the greatest down, but for ranks; words from A to Z.
    const first = numeric && !["#", "game"].includes(head.textContent.trim()) ? "descending" : "ascending";
    const before = head.getAttribute("aria-sort");
    const order = before === null ? first : before === "ascending" ? "descending" : "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const compare = numeric ? (a, b) => a - b || 0 : (a, b) => a.localeCompare(b, undefined, { numeric: true });
    const keyed = Array.from(table.tBodies[0].rows, (row) => [value(row, column, numeric), row]);
    keyed.sort(([a], [b]) => sign * compare(a, b));
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  };
  for (const head of document.querySelectorAll("table.sortable th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }
})();
