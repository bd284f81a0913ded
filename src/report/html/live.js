// A page that is served while its run goes on (src/cli/watch.rs). Games are asked for one by one at game/NUMBER; events tell what is new:
//
//   parts   what stands in the elements of these ids, as HTML that the program made and in which all text is escaped
//   games   further games of the list; over   whether the run has ended; replaced   whether there is another run now
"use strict";

const STATUS = document.getElementById("live");

const say = (words, over) => {
  STATUS.textContent = words;
  STATUS.classList.toggle("over", over);
};

/** How the tables of a part are sorted, to sort them alike when it is replaced. */
const ordersOf = (part) => [...part.querySelectorAll("table.sortable")].map((table) => {
  const head = table.querySelector("th[aria-sort]");
  return head && [head.cellIndex, head.getAttribute("aria-sort")];
});

const replace = (id, markup) => {
  const part = document.getElementById(id);
  const orders = ordersOf(part);
  const open = new Set([...part.querySelectorAll("details[open]")].map((details) => details.textContent));
  part.replaceChildren(document.createRange().createContextualFragment(markup));
  enliven(part, () => true);
  for (const details of part.querySelectorAll("details")) details.open = open.has(details.textContent);
  part.querySelectorAll("table.sortable").forEach((table, at) => {
    const [column, order] = orders[at] ?? [];
    const head = table.tHead.rows[0].cells[column];
    for (let click = 0; head && head.getAttribute("aria-sort") !== order && click < 2; click += 1) sortBy(head);
  });
};

const load = async (number) => {
  const answer = await fetch(`game/${number}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};

const listen = (watching) => {
  const begin = () => { if (watching.viewer.game === null && known.size > 0) watching.begin(watching.games.games[0].number); };
  const known = new Set(watching.games.games.map(({ number }) => number));
  const events = new EventSource(`events?from=${known.size}`);
  begin();
  events.onopen = () => say("The run goes on; games come as they finish.", false);
  events.onerror = () => say("The page is not served any more: the run has ended, or was ended.", true);
  events.onmessage = ({ data }) => {
    const { parts = {}, games = [], over = false, replaced = false } = JSON.parse(data);
    if (replaced) window.location.reload();
    for (const [id, markup] of Object.entries(parts)) replace(id, markup);
    const added = games.filter(({ number }) => !known.has(number));
    for (const { number } of added) known.add(number);
    if (added.length > 0) watching.games.add(added);
    begin();
    if (!over) return;
    events.close();
    say("The run has ended.", true);
  };
};

start(load, () => true).then(listen);
