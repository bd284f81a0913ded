// Boards: an SVG of one position of each game. Colours come from the page's variables, see viewer.css.
//
// `content` is a game as viewer.js describes it, `frame` what is drawn and `before` the position before it, if there is one;
// `names` are the bots by seat. `flipped` turns the board round, `kanji` letters shogi pieces in Japanese.

/** What the seats are called by their colours, see viewer.css. */
const COLOURS = ["blue", "orange", "green", "pink", "violet", "yellow", "turquoise", "brown"];

/** An arrow from the middle of one place to that of another; short of it, so that the piece stays free. */
const arrow = ([x, y], [toX, toY], type = "ar-arrow") => {
  const length = Math.hypot(toX - x, toY - y);
  if (length < 1) return null;
  const [dx, dy] = [(toX - x) / length, (toY - y) / length];
  const short = Math.min(20, 0.35 * length);
  const [endX, endY] = [toX - dx * short, toY - dy * short];
  const [baseX, baseY] = [endX - dx * 10, endY - dy * 10];
  return svg("g", { class: type }, svg("path", { d: `M${x} ${y}L${baseX} ${baseY}` }),
    svg("path", { class: "ar-tip", d: `M${endX} ${endY}L${baseX - dy * 5} ${baseY + dx * 5}L${baseX + dy * 5} ${baseY - dx * 5}z` }));
};

/** A drawing of this size; `shape` says how high it may become. */
const board = (width, height, label, ...children) =>
  svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "ar-svg",
    style: `max-width:${Math.round(width * 1.5)}px` }, ...children);

// ---- shogi ---------------------------------------------------------------------------------------------------

const KANJI = { K: "玉", G: "金", S: "銀", B: "角", R: "飛", P: "歩", "+S": "全", "+B": "馬", "+R": "龍", "+P": "と" };
const NAMES = { K: "king", G: "gold", S: "silver", B: "bishop", R: "rook", P: "pawn" };
const SQUARE = 56;

// The squares of a row as bots read it; a "+" belongs to the letter behind it.
const squares = (row) => row.match(/\+?./g) ?? [];
const seatOf = (piece) => (piece === piece.toUpperCase() ? 0 : 1);

const shogiPiece = (x, y, size, piece, { kanji, flipped }) => {
  const seat = seatOf(piece);
  const down = (seat === 1) !== flipped;
  const kind = piece.toUpperCase();
  const promoted = piece.startsWith("+");
  const at = (dx, dy) => `${x + (down ? -dx : dx) * size},${y + (down ? -dy : dy) * size}`;
  const outline = [[0, -0.44], [0.29, -0.3], [0.38, 0.41], [-0.38, 0.41], [-0.29, -0.3]].map(([dx, dy]) => at(dx, dy));
  const turned = kanji && down ? { transform: `rotate(180 ${x} ${y})` } : {};
  const lift = (kanji ? 0.24 : down ? 0.12 : 0.24) * size;
  return named(`${["black", "white"][seat]} ${promoted ? "promoted " : ""}${NAMES[kind.replace("+", "")] ?? kind}`,
    svg("polygon", { points: outline.join(" "), class: `ar-piece ar-edge${seat}` }),
    text(x, y + lift, promoted ? "ar-letter ar-promoted" : "ar-letter", kanji ? KANJI[kind] ?? kind : piece,
      { "font-size": size * (promoted && !kanji ? 0.4 : 0.46), ...turned }));
};

// Where a square written as file and rank lies.
const shogiSquare = (name) => [5 - Number(name[0]), Number(name[1]) - 1];

const countsOf = (hand) => {
  const counts = new Map();
  for (const letter of hand) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return counts;
};

// The pieces in a hand; those that came with the last move have a ring.
const shogiHand = (x, y, seat, { frame, before }, look) => {
  const counts = countsOf(frame.hands[seat]);
  const had = countsOf(before?.hands[seat] ?? frame.hands[seat]);
  const pieces = [...counts].map(([letter, count], at) => [
    count > (had.get(letter) ?? 0) && svg("circle", { cx: x + 86 + at * 46, cy: y, r: 22, class: "ar-new" }),
    shogiPiece(x + 86 + at * 46, y, 40, letter, look),
    count > 1 && svg("circle", { cx: x + 102 + at * 46, cy: y - 15, r: 8.5, class: "ar-badge" }),
    count > 1 && text(x + 102 + at * 46, y - 11, "ar-count", String(count)),
  ]);
  return svg("g", {}, svg("circle", { cx: x + 8, cy: y, r: 5, class: `ar-seat${seat}` }),
    text(x + 18, y + 4, "ar-label", COLOURS[seat]), ...pieces,
    counts.size === 0 && text(x + 66, y + 4, "ar-label ar-soft", "nothing in hand"));
};

const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]] };

// A 6 allows every file, and so does a file without a legal move.
const die = (x, y, value) => named(`The die shows ${value}`, text(x + 19, y - 8, "ar-coordinate", "die"),
  text(x + 19, y + 53, "ar-coordinate", value === 6 ? "any file" : `file ${value}`), rect(x, y, 38, 38, "ar-die", { rx: 7 }),
  (PIPS[value] ?? []).map(([dx, dy]) => svg("circle", { cx: x + 19 + dx * 10, cy: y + 19 + dy * 10, r: 3.6, class: "ar-pip" })));

const drawShogi = ({ frame, before, kanji, flipped }) => {
  const [left, top] = [12, 64];
  const side = 5 * SQUARE;
  // That of the move that is shown; the position after it has the one of the next move.
  const rolled = (before ?? frame).die;
  const view = ([column, row]) => (flipped ? [4 - column, 4 - row] : [column, row]);
  const centre = (place) => view(place).map((at, axis) => [left, top][axis] + (at + 0.5) * SQUARE);
  const cell = (place, type) => {
    const [column, row] = view(place);
    return rect(left + column * SQUARE, top + row * SQUARE, SQUARE, SQUARE, type);
  };
  const moved = frame.last ? (frame.last.match(/[1-5][1-5]/g) ?? []).map(shogiSquare) : [];
  const parts = [rect(left, top, side, side, "ar-wood"),
    moved.map((place, at) => cell(place, at === moved.length - 1 ? "ar-to" : "ar-from"))];
  for (let line = 0; line <= 5; line += 1) {
    const at = line * SQUARE;
    parts.push(svg("path", { d: `M${left} ${top + at}h${side}M${left + at} ${top}v${side}`, class: "ar-line" }));
  }
  frame.board.map(squares).forEach((row, y) => row.forEach((piece, x) => {
    if (piece === ".") return;
    if (frame.check && piece === (frame.side ? "k" : "K")) parts.push(cell([x, y], "ar-check"));
    parts.push(shogiPiece(...centre([x, y]), SQUARE, piece, { kanji, flipped }));
  }));
  if (moved.length === 2) parts.push(arrow(...moved.map(centre)));
  for (let at = 0; at < 5; at += 1) {
    const place = (view([at, at])[0] + 0.5) * SQUARE;
    const file = rolled === 5 - at ? "ar-coordinate ar-strong" : "ar-coordinate";
    parts.push(text(left + place, top - 7, file, String(5 - at)), text(left + side + 12, top + place + 4, "ar-coordinate", String(at + 1)));
  }
  const [above, below] = flipped ? [0, 1] : [1, 0];
  const look = { kanji, flipped };
  parts.push(shogiHand(left, 26, above, { frame, before }, look), shogiHand(left, top + side + 34, below, { frame, before }, look));
  if (rolled) parts.push(die(left + side + 34, top + side / 2 - 19, rolled));
  const label = `Board, rank 1 first: ${frame.board.join(" / ")}; in hand: ${frame.hands.map((hand) => hand || "nothing").join(" and ")}`;
  return board(left + side + (rolled ? 100 : 26), top + side + 62, label, ...parts.flat());
};

// A move as it is written: the piece, from where (- or x where it takes one) to where, + where it is promoted; * for a drop.
const writeShogi = (frame, before) => {
  const last = frame.last;
  const places = last?.match(/[1-5][1-5]/g) ?? [];
  if (places.length === 0) return last;
  const at = (position, name) => {
    const [x, y] = shogiSquare(name);
    return squares(position.board[y])[x];
  };
  if (places.length === 1) return `${at(frame, places[0]).toUpperCase()}*${places[0]}`;
  const [from, to] = places;
  const piece = before ? at(before, from) : at(frame, to);
  const takes = before && at(before, to) !== ".";
  const promoted = at(frame, to).length > piece.length;
  return `${piece.toUpperCase()}${from}${takes ? "x" : "-"}${to}${promoted ? "+" : ""}`;
};

// ---- Onitama -------------------------------------------------------------------------------------------------

// As who sits in this seat uses it; `isNew` where it came with the last move.
const onitamaCard = (x, y, card, seat, isNew, flipped) => {
  const turn = (seat === 1) === flipped ? 1 : -1;
  const steps = new Set((card?.moves ?? []).map(([dx, dy]) => `${dx * turn},${dy * turn}`));
  const cells = [];
  for (let dy = 2; dy >= -2; dy -= 1) {
    for (let dx = -2; dx <= 2; dx += 1) {
      const type = dx === 0 && dy === 0 ? "ar-card-own" : steps.has(`${dx},${dy}`) ? `ar-seat${seat}` : "ar-card-cell";
      cells.push(rect(x + 24 + (dx + 2) * 13, y + 24 + (2 - dy) * 13, 12, 12, type, { rx: 2 }));
    }
  }
  const name = card ? card.name : "?";
  return named(`${name}, card ${card?.id}`, rect(x, y, 112, 96, isNew ? "ar-card ar-used" : "ar-card", { rx: 6 }),
    text(x + 8, y + 16, "ar-label ar-card-name", `${card?.id} ${name}`), ...cells);
};

const onitamaPiece = (x, y, piece) => {
  const seat = piece.toLowerCase() === "w" ? 0 : 1;
  const master = piece === piece.toUpperCase();
  const crown = `M${x - 11} ${y + 8}l-3 -15l8 6l6 -10l6 10l8 -6l-3 15z`;
  return named(`${["white", "black"][seat]} ${master ? "master" : "student"}`,
    svg("circle", { cx: x, cy: y, r: master ? 22 : 15, class: `ar-seat${seat} ar-disc` }),
    master && svg("path", { d: crown, class: "ar-crown" }));
};

// Where the cards lie: beside the board where there is room, else above and below.
const onitamaLayout = (narrow) => {
  const side = 5 * SQUARE;
  return narrow
    ? { left: 22, top: 128, hands: [[0, 22], [0, side + 170]], centre: [side + 36, 220], size: [side + 154, side + 274] }
    : { left: 22, top: 36, hands: [[side + 40, 24], [side + 40, 264]], centre: [side + 40, 144], size: [side + 280, 366] };
};

const drawOnitama = ({ content, frame, before, flipped, narrow }) => {
  const { left, top, hands, centre, size } = onitamaLayout(narrow);
  const side = 5 * SQUARE;
  const view = ([column, row]) => (flipped ? [4 - column, 4 - row] : [column, row]);
  const middleOf = (place) => view(place).map((at, axis) => [left, top][axis] + (at + 0.5) * SQUARE);
  const cell = (place, type) => {
    const [column, row] = view(place);
    return rect(left + column * SQUARE, top + row * SQUARE, SQUARE, SQUARE, type);
  };
  const at = (name) => [name.toUpperCase().charCodeAt(0) - 65, 5 - Number(name[1])];
  const moved = (frame.last?.match(/[A-E][1-5]/gi) ?? []).map(at);
  const parts = [rect(left, top, side, side, "ar-mat"), cell([2, 0], "ar-shrine ar-edge1"), cell([2, 4], "ar-shrine ar-edge0"),
    moved.map((place, index) => cell(place, index === 0 ? "ar-from" : "ar-to"))];
  for (let line = 0; line <= 5; line += 1) {
    parts.push(svg("path", { d: `M${left} ${top + line * SQUARE}h${side}M${left + line * SQUARE} ${top}v${side}`, class: "ar-line" }));
  }
  frame.board.forEach((row, y) => [...row].forEach((piece, x) => {
    if (piece !== ".") parts.push(onitamaPiece(...middleOf([x, y]), piece));
  }));
  if (moved.length === 2) parts.push(arrow(...moved.map(middleOf)));
  for (let line = 0; line < 5; line += 1) {
    const place = (view([line, line])[0] + 0.5) * SQUARE;
    parts.push(text(left + place, top + side + 15, "ar-coordinate", "ABCDE"[line]),
      text(left - 11, top + place + 4, "ar-coordinate", String(5 - line)));
  }
  const cards = new Map(content.setting.cards.map((card) => [card.id, card]));
  hands.forEach(([x, y], place) => {
    const seat = (place === 0) === flipped ? 0 : 1;
    parts.push(svg("circle", { cx: x + 6, cy: y - 9, r: 5, class: `ar-seat${seat}` }), text(x + 17, y - 5, "ar-label", COLOURS[seat]));
    frame.hands[seat].forEach((id, index) => {
      const isNew = before !== undefined && !before.hands[seat].includes(id);
      parts.push(onitamaCard(x + index * 120, y, cards.get(id), seat, isNew, flipped));
    });
  });
  const isNew = before !== undefined && before.centre !== frame.centre;
  parts.push(text(centre[0], centre[1] - 5, "ar-label", `next for ${COLOURS[frame.side]}`),
    onitamaCard(...centre, cards.get(frame.centre), frame.side, isNew, flipped));
  const label = `Board, row 5 first: ${frame.board.join(" / ")}`;
  return board(...size, label, ...parts.flat());
};

// A move with the name of its card, and x where it takes a piece.
const writeOnitama = (frame, before, content) => {
  const [card, step] = frame.last?.split(" ") ?? [];
  const name = content.setting.cards.find(({ id }) => String(id) === card)?.name;
  if (step === undefined || !/^[A-E][1-5][A-E][1-5]$/i.test(step)) return frame.last;
  const [from, to] = [step.slice(0, 2).toUpperCase(), step.slice(2, 4).toUpperCase()];
  const takes = before && before.board[5 - Number(to[1])]?.[to.charCodeAt(0) - 65] !== ".";
  return `${name ?? card} ${from}${takes ? "x" : "-"}${to}`;
};

// ---- Kutulu --------------------------------------------------------------------------------------------------

const TILE = 24;

// The cells that are at most so many steps away, as "x,y".
const within = (map, x, y, radius) => {
  const seen = new Set([`${x},${y}`]);
  let edge = [[x, y]];
  for (let step = 0; step < radius; step += 1) {
    edge = edge.flatMap(([cx, cy]) => [[cx, cy - 1], [cx + 1, cy], [cx, cy + 1], [cx - 1, cy]]).filter(([nx, ny]) => {
      const key = `${nx},${ny}`;
      if (seen.has(key) || (map[ny]?.[nx] ?? "#") === "#") return false;
      return seen.add(key);
    });
  }
  return seen;
};

const middle = ({ x, y }) => [(x + 0.5) * TILE, (y + 0.5) * TILE];

// `used`: where shelters stand.
const ground = (map, used) => map.flatMap((row, y) => row.flatMap((symbol, x) => {
  if (symbol === "#") return [rect(x * TILE, y * TILE, TILE + 0.4, TILE + 0.4, "ar-wall")];
  const [cx, cy] = middle({ x, y });
  if (symbol === "w") return [named("Wanderers appear here", svg("circle", { cx, cy, r: 8, class: "ar-spawn" }))];
  if (symbol === "U" && !used.has(`${x},${y}`)) return [rect(cx - 9, cy - 9, 18, 18, "ar-ruin", { rx: 3 })];
  return [];
}));

const shelter = (effect) => {
  const [x, y] = middle(effect);
  const house = `M${x - 9} ${y - 1}l9 -8l9 8v10h-18z`;
  return named(`Shelter, energy ${effect.energy}`, svg("path", { d: house, class: "ar-shelter" }),
    text(x, y + 7, "ar-tiny", String(effect.energy)));
};

const area = (effect, map, radius, type) => [...within(map, effect.x, effect.y, radius)].map((key) => {
  const [x, y] = key.split(",");
  return rect(x * TILE, y * TILE, TILE, TILE, type);
});

// Beside explorers on the same cell, and each a little off those that came before.
const minion = (frame, { kind, x, y, state, time, target }, index) => {
  const here = (other) => other.x === x && other.y === y;
  const shift = frame.explorers.some((explorer) => explorer.alive && here(explorer)) ? -7 : 0;
  const before = Math.min(3, (frame.minions ?? []).slice(0, index).filter(here).length);
  const [cx, cy] = [middle({ x, y })[0] + shift + before * 3, middle({ x, y })[1] - shift - before * 3];
  const words = `${kind}, ${state}${state === "rushing" ? "" : ` ${time}`}${target === null ? "" : `, after seat ${target}`}`;
  const shape = kind === "slasher"
    ? svg("path", { d: `M${cx} ${cy - 9}L${cx + 9} ${cy + 7}H${cx - 9}z`, class: `ar-slasher ar-${state}` })
    : svg("path", { d: `M${cx - 7} ${cy + 8}v-8a7 7 0 0 1 14 0v8l-3.5 -3l-3.5 3l-3.5 -3z`, class: `ar-wanderer ar-${state}` });
  const mark = { spawning: String(time), stalking: "?", rushing: "!", stunned: "z" }[state];
  const prey = target !== null && frame.explorers[target]?.alive ? frame.explorers[target] : null;
  const line = prey && (state === "stalking" || state === "rushing")
    && svg("path", { d: `M${cx} ${cy}L${middle(prey).join(" ")}`, class: "ar-hunt" });
  return named(words, line, shape, mark && text(cx, cy + 5, state === "spawning" ? "ar-tiny" : "ar-tiny ar-mark", mark),
    prey && svg("circle", { cx: cx + 7, cy: cy - 7, r: 3, class: `ar-seat${target}` }));
};

// Those that share a cell stand side by side.
const explorers = (frame, names) => frame.explorers.map((explorer, seat) => {
  const here = frame.explorers.map((other, index) => ({ ...other, index }))
    .filter((other) => other.alive && other.x === explorer.x && other.y === explorer.y);
  const [cx, cy] = middle(explorer);
  if (!explorer.alive) {
    return named(`${names[seat]}, gone`, svg("path", { d: `M${cx - 5} ${cy - 5}l10 10m0 -10l-10 10`, class: `ar-gone ar-edge${seat}` }));
  }
  const place = here.findIndex((other) => other.index === seat);
  const angle = (2 * Math.PI * place) / here.length;
  const [r, spread] = here.length > 1 ? [6.5, 6] : [9.5, 0];
  const [x, y] = [cx + Math.cos(angle) * spread, cy + Math.sin(angle) * spread];
  return named(`${names[seat]}, sanity ${explorer.sanity}`, svg("circle", { cx: x, cy: y, r, class: `ar-seat${seat} ar-disc` }),
    text(x, y + (here.length > 1 ? 3 : 4.5), "ar-number", String(seat), { "font-size": here.length > 1 ? 9 : 13 }));
});

// The way that each explorer went last.
const ways = (frame, before) => frame.explorers.map((explorer, seat) => {
  const was = before?.explorers[seat];
  return was && explorer.alive && arrow(middle(was), middle(explorer), `ar-arrow ar-edge${seat} ar-way${seat}`);
});

const drawKutulu = ({ content, frame, before, names }) => {
  const setting = content.setting;
  const map = setting.map.map((row) => [...row]);
  const width = map[0]?.length ?? 1;
  const of = (kind) => frame.effects.filter((effect) => effect.kind === kind);
  const parts = [
    rect(0, 0, width * TILE, map.length * TILE, "ar-floor"),
    of("light").map((effect) => area(effect, map, setting.light_radius, "ar-light")),
    of("plan").map((effect) => area(effect, map, setting.plan_radius, "ar-plan")),
    ground(map, new Set(of("shelter").map(({ x, y }) => `${x},${y}`))),
    of("shelter").map(shelter),
    frame.minions.map((one, index) => minion(frame, one, index)),
    ways(frame, before),
    explorers(frame, names),
    of("yell").map(({ owner, target, time }) => named(`Yell of seat ${owner} at seat ${target}, ${time} turns`,
      svg("path", { d: `M${middle(frame.explorers[owner]).join(" ")}L${middle(frame.explorers[target]).join(" ")}`, class: "ar-yell" }),
      svg("circle", { cx: middle(frame.explorers[target])[0], cy: middle(frame.explorers[target])[1], r: 12, class: "ar-yell" }))),
  ];
  const label = `Map with ${frame.explorers.filter(({ alive }) => alive).length} explorers and ${frame.minions.length} minions`;
  return board(width * TILE, map.length * TILE, label, ...parts.flat(2));
};

/** The least loss of sanity that isn't just that of a turn. */
const HIT = 20;

// What happened in a turn: who cast what, was hit, or is gone; else who moved.
const writeKutulu = (frame, before) => {
  const yellOf = (seat, { effects }) => effects.find(({ kind, owner }) => kind === "yell" && owner === seat);
  const [events, moved, waited] = [[], [], []];
  frame.explorers.forEach((now, seat) => {
    const was = before.explorers[seat];
    if (!was.alive) return;
    const yell = yellOf(seat, before) ? null : yellOf(seat, frame);
    const did = [now.lights < was.lights && "lights", now.plans < was.plans && "plans", yell && `yells at ${COLOURS[yell.target]}`,
      now.alive ? was.sanity - now.sanity >= HIT && `loses ${was.sanity - now.sanity}` : "is gone"].filter(Boolean);
    if (did.length > 0) events.push(`${COLOURS[seat]} ${did.join(", ")}`);
    else (now.x === was.x && now.y === was.y ? waited : moved).push(COLOURS[seat]);
  });
  if (events.length > 0) return events.join("; ");
  if (waited.length === 0 || moved.length === 0) return moved.length === 0 ? "all wait" : "all move";
  return `${waited.join(", ")} ${waited.length === 1 ? "waits" : "wait"}`;
};

const kutuluLegend = () => {
  const sample = (words, ...drawing) => html("li", {}, svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, ...drawing), words);
  const nobody = { explorers: [] };
  const slasher = (state, time) => minion(nobody, { kind: "slasher", x: 0, y: 0, state, time, target: null });
  const wanderer = (state, time) => minion(nobody, { kind: "wanderer", x: 0, y: 0, state, time, target: null });
  return html("ul", { class: "ar-legend" }, sample("wanderer", wanderer("wandering", 9)), sample("slasher", slasher("wandering", 0)),
    sample("appears in 3", wanderer("spawning", 3)), sample("stalks", slasher("stalking", 1)), sample("rushes", slasher("rushing", 0)),
    sample("stunned", slasher("stunned", 4)), sample("shelter, energy", shelter({ x: 0, y: 0, energy: 8 })),
    sample("yell", svg("path", { d: "M2 12h7", class: "ar-yell" }), svg("circle", { cx: 16, cy: 12, r: 6, class: "ar-yell" })),
    sample("light", rect(2, 2, 20, 20, "ar-light")), sample("plan", rect(2, 2, 20, 20, "ar-plan")));
};

// ---- games with a referee of their own: the vocabulary of docs/how-to/referees.md ---------------------------------------

const colourOf = ({ seat, colour }) => (seat !== undefined ? `ar-seat${seat}` : colour !== undefined ? `ar-colour-${colour}` : "ar-plain");
// What is written on a colour that is the same in both themes.
const inkOn = ({ seat, colour }) => (seat !== undefined || colour === undefined ? ""
  : ["light", "grey", "yellow"].includes(colour) ? " ar-on-light" : " ar-on-dark");
// As large as fits into a width.
const fitting = (words, size, width) => Math.min(size, (width * 1.6) / Math.max(1, [...words].length));
const centred = (x, y, type, words, size) => text(x, y + size * 0.35, type, words, { "font-size": size });

const cellsOf = (grid, legend, side) => grid.flatMap((row, y) => [...row].flatMap((symbol, x) => {
  const listed = Object.hasOwn(legend, symbol);
  if (!listed && (symbol === "." || symbol === " ")) return [];
  const look = listed ? legend[symbol] : { text: symbol };
  const words = look.text ?? "";
  const filled = look.seat !== undefined || look.colour !== undefined;
  // Other colours are pale in cells.
  const ink = look.colour === "light" || look.colour === "dark" ? inkOn(look) : "";
  return [filled && rect(x * side, y * side, side, side, `ar-cell ${colourOf(look)}`),
    words !== "" && centred((x + 0.5) * side, (y + 0.5) * side, `ar-inscription${ink}`, words, fitting(words, side * 0.55, side * 0.9))];
}));

// A shape of radius r round a point.
const shapeOf = (shape, x, y, r, type) => {
  const path = (d, more = "") => svg("path", { d, class: `${type}${more}` });
  switch (shape) {
    case "none": return null;
    case "square": return rect(x - r, y - r, 2 * r, 2 * r, `${type} ar-disc`, { rx: r / 5 });
    case "diamond": return path(`M${x} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`, " ar-disc");
    case "triangle": return path(`M${x} ${y - r}l${r} ${1.8 * r}h${-2 * r}z`, " ar-disc");
    case "cross": return path(`M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`, " ar-outline");
    case "ring": return svg("circle", { cx: x, cy: y, r, class: `${type} ar-outline` });
    default: return svg("circle", { cx: x, cy: y, r, class: `${type} ar-disc` });
  }
};

const tokenOf = (token, side, names) => {
  const [x, y] = [(token.x + 0.5) * side, (token.y + 0.5) * side];
  const { shape = "circle", size = 0.8, label = "" } = token;
  const r = (Math.max(0, size) * side) / 2;
  const bare = shape === "none" || shape === "ring" || shape === "cross";
  const of = token.seat === undefined ? "" : names[token.seat] ?? `seat ${token.seat}`;
  return named([of, label].filter((word) => word !== "").join(", "), shapeOf(shape, x, y, r, colourOf(token)),
    label !== "" && centred(x, y, bare ? "ar-inscription" : `ar-number${inkOn(token)}`, label, fitting(label, r * 1.2, 1.5 * r)));
};

const drawAny = ({ frame, names }) => {
  const { grid = [], legend = {}, tokens = [] } = frame;
  const [columns, rows] = grid.length > 0 ? [[...grid[0]].length, grid.length] : frame.size ?? [0, 0];
  if (columns === 0) return null;
  const side = Math.max(8, Math.min(48, 640 / Math.max(columns, rows)));
  const lines = grid.length === 0 ? "" : [
    Array.from({ length: rows + 1 }, (_, y) => `M0 ${y * side}h${columns * side}`).join(""),
    Array.from({ length: columns + 1 }, (_, x) => `M${x * side} 0v${rows * side}`).join("")].join("");
  const label = grid.length > 0 ? `Board, from the top: ${grid.join(" / ")}` : `Field of ${columns} by ${rows} with ${tokens.length} tokens`;
  return board(columns * side, rows * side, label, rect(0, 0, columns * side, rows * side, "ar-ground"),
    cellsOf(grid, legend, side), svg("path", { d: lines, class: "ar-lattice" }), tokens.map((token) => tokenOf(token, side, names)));
};

const barOf = ({ name = "", value, max, seat }) => html("span", { class: "ar-tally" },
  html("span", { class: "ar-soft-text ar-stock" }, `${name} ${max === undefined ? value : `${value} of ${max}`}`.trim()),
  max > 0 && html("span", { class: "ar-sanity" }, html("span", { class: `ar-sanity-left ${seat === undefined ? "ar-back" : `ar-back${seat}`}`,
    style: `width:${Math.max(0, Math.min(100, (100 * value) / max))}%` })));

// What stands below a board: cards, what is counted of nobody, and text.
const besides = ({ cards = [], bars = [], text: said = [] }, names) => [
  cards.length > 0 && html("ul", { class: "ar-hand" }, cards.map(({ seat, title: head = "", text: body = "" }) => html("li", { class: "ar-move" },
    html("p", {}, seat !== undefined && html("span", { class: `ar-swatch ar-back${seat}`, title: names[seat] ?? `seat ${seat}` }), html("b", {}, head)),
    body !== "" && html("p", {}, body)))),
  bars.filter(({ seat }) => seat === undefined).map(barOf), said.map((line) => html("p", { class: "ar-line-of-text" }, line))].flat().filter(Boolean);

const DRAW = { minishogi: drawShogi, dice_shogi: drawShogi, onitama: drawOnitama, kutulu: drawKutulu };
const drawingOf = (game) => (Object.hasOwn(DRAW, game) ? DRAW[game] : drawAny);

const WRITE = { minishogi: writeShogi, dice_shogi: writeShogi, onitama: writeOnitama, kutulu: writeKutulu };
/** What was played last, as people write it; nothing in games without such a way. */
const written = (content, index) => (Object.hasOwn(WRITE, content.game)
  ? WRITE[content.game](content.frames[index], content.frames[index - 1], content) : null);
