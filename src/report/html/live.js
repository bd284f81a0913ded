// A page that is served while its run goes on (src/cli/watch.rs). Games are asked for one by one at game/NUMBER; events tell what is new:
//
//   parts   what stands in the elements of these ids, as HTML that the program made and in which all text is escaped
//   games   those of the list that are new, or not as they were; over   whether the run has ended; replaced   whether there is another run now
"use strict";

const STATUS = document.getElementById("live");

const say = (words, over) => {
  STATUS.textContent = words;
  STATUS.classList.toggle("over", over);
};

/** What readers did to the tables of a part, by section and title: how far they moved them, and how they sorted them. */
const nameOf = (box) => `${box.closest("section, details[id]")?.id} ${box.ariaLabel}`;
const tablesOf = (part) => new Map([...part.querySelectorAll(".scroll")].map((box) => {
  const head = box.querySelector("th[aria-sort]");
  return [nameOf(box), { left: box.scrollLeft, column: head?.textContent, order: head?.getAttribute("aria-sort") }];
}));

const replace = (part, markup) => {
  const tables = tablesOf(part);
  const keyOf = ({ id, textContent }) => id || textContent;
  const open = new Set([...part.querySelectorAll("details[open]")].map(keyOf));
  const tab = part.querySelector(".tabs > :checked")?.id;
  part.replaceChildren(document.createRange().createContextualFragment(markup));
  enliven(part, () => true);
  for (const details of part.querySelectorAll("details")) details.open = open.has(keyOf(details));
  const chosen = tab && document.getElementById(tab);
  if (chosen) chosen.checked = true;
  for (const box of part.querySelectorAll(".scroll")) {
    const { left = 0, column, order } = tables.get(nameOf(box)) ?? {};
    const head = [...box.querySelectorAll("th[data-sort]")].find(({ textContent }) => textContent === column);
    for (let click = 0; head && head.getAttribute("aria-sort") !== order && click < 2; click += 1) sortBy(head);
    box.scrollLeft = left;
  }
};

const load = async (number) => {
  const answer = await fetch(`game/${number}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};

const listen = (watching) => {
  const events = new EventSource("events");
  events.onopen = () => say("The run goes on; games come as they finish.", false);
  events.onerror = () => say("The page is not served any more: the run has ended, or was ended.", true);
  events.onmessage = ({ data }) => {
    const { parts = {}, games = [], over = false, replaced = false } = JSON.parse(data);
    if (replaced) window.location.reload();
    for (const [id, markup] of Object.entries(parts)) {
      const part = document.getElementById(id);
      redraw(part, () => replace(part, markup));
    }
    if (games.length > 0) watching.games.take(games);
    if (games.length > 0 && watching.viewer.game === null) watching.begin(games[0].number);
    if (!over) return;
    events.close();
    say("The run has ended.", true);
  };
};

start(load, () => true).then(listen);
