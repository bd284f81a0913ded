// Elements and words: what all parts of the page's script are made of. Text from bots becomes text nodes, never markup.

/** Escapes hidden characters, except for line ends and tabs: those of `is_hidden` in crates/section/src/text.rs. */
const harmless = (text) => String(text).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{NChar}]/gu, (c) =>
  (c === "\r" ? "\\r" : `\\u{${c.codePointAt(0).toString(16)}}`));

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    // Filters compare the values of options with those of games.
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : name === "value" ? value : harmless(value));
  }
  const shown = children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (child instanceof Node ? child : harmless(child))));
  return element;
};
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const rect = (x, y, width, height, type, more) => svg("rect", { x, y, width, height, class: type, ...more });
const text = (x, y, type, words, more) => svg("text", { x, y, class: type, ...more }, words);
const named = (words, ...children) => svg("g", {}, svg("title", {}, words), ...children);

/** Draws anew what stands in a box. Who has come to a part of it by keyboard stays at the same one. */
const redraw = (box, draw) => {
  const active = box.contains(document.activeElement) && document.activeElement !== box ? document.activeElement : null;
  const keyOf = (part) => part.dataset.tag ?? part.dataset.filter ?? part.getAttribute("href") ?? part.ariaLabel ?? part.textContent;
  const alike = (key) => [...box.querySelectorAll("a, button, summary, input, select, [tabindex]")].filter((part) => keyOf(part) === key);
  const [key, at] = active ? [keyOf(active), alike(keyOf(active)).indexOf(active)] : [];
  draw();
  if (active) alike(key)[at]?.focus({ preventScroll: true });
};

const TITLES = { minishogi: "MiniShogi", dice_shogi: "Dice Shogi", onitama: "Onitama", kutulu: "Code of Kutulu" };

const words = (name) => String(name).replaceAll("_", " ");
const turns = (count) => (count === 1 ? "1 turn" : `${count} turns`);
const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
const title = (game) => (Object.hasOwn(TITLES, game) ? TITLES[game] : words(game));
const ordinal = (place) => ["", "1st", "2nd", "3rd"][place] ?? `${place}th`;
const milliseconds = (ms) => (ms === null || ms === undefined ? "" : `${ms >= 100 ? ms.toFixed(0) : ms.toFixed(ms >= 10 ? 1 : 2)} ms`);

const base64 = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
/** What was packed as JSON, gzip and base64. */
const unpack = async (data) => {
  const stream = new Blob([base64(data)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};

/** What is remembered from visit to visit; nothing where the browser refuses. */
const remembered = (key) => { try { return window.localStorage.getItem(`arena-${key}`); } catch { return null; } };
const remember = (key, value) => { try { window.localStorage.setItem(`arena-${key}`, value); } catch { /* It is not. */ } };
