// The replay viewer of the report page: ArenaReplay.mount(element, replays).
//
// `replays` is an array of what `Replay` in src/report/replays.rs serializes to: number, game, bots, scores, places,
// fates, reason, turns, tags, data. `data` is one game: JSON, gzip, base64, and is unpacked when the game is opened:
//
//   all that its record holds, see docs/csv.md, with the input of every step
//   steps_by_turn   how many steps each turn has
//   setting   what stays as it is for the whole game            } see Game::setting and Game::frame of arena-games;
//   frames    before the first question, and after every turn   } those of a game with a referee of its own have `notes`
//
// Everything that comes from bots goes through textContent. Colours come from the page's variables, see replay.css.
"use strict";

window.ArenaReplay = (() => {
  const TITLES = { minishogi: "MiniShogi", dice_shogi: "Dice Shogi", onitama: "Onitama", kutulu: "Code of Kutulu" };
  const TAGS = { asked: "asked for", fault: "fault", upset: "upset", loss: "worst loss", sample: "ordinary" };
  const FILTERS = { asked: "Asked for", fault: "Faults", upset: "Upsets", loss: "Worst losses", sample: "Ordinary" };
  const SPEEDS = [0.5, 1, 2, 5, 10];

  // ---- elements ------------------------------------------------------------------------------------------------

  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  };
  const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  const rect = (x, y, width, height, type, more) => svg("rect", { x, y, width, height, class: type, ...more });
  const text = (x, y, type, words, more) => svg("text", { x, y, class: type, ...more }, words);
  const named = (words, ...children) => svg("g", {}, svg("title", {}, words), ...children);
  const board = (width, height, label, ...children) =>
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "ar-svg",
      style: `max-width:${Math.round(width * 1.25)}px` }, ...children);

  // The turns of a game, with what was said in each.
  const turnsOf = ({ steps, steps_by_turn: counts, ms = [], host_late: late = [] }) => {
    const moves = steps.map((step, place) => ({ ...step, ms: ms[place] ?? null, late: late.includes(place) }));
    return counts.map((count) => moves.splice(0, count)).map((own) => ({ turn: own[0].turn, moves: own }));
  };

  const base64 = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const unpack = async (data) => {
    const stream = new Blob([base64(data)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };

  // ---- shogi ---------------------------------------------------------------------------------------------------

  const KANJI = { K: "玉", G: "金", S: "銀", B: "角", R: "飛", P: "歩", "+S": "全", "+B": "馬", "+R": "龍", "+P": "と" };
  const NAMES = { K: "king", G: "gold", S: "silver", B: "bishop", R: "rook", P: "pawn" };
  const SQUARE = 56;

  // The squares of a row as bots read it; a "+" belongs to the letter behind it.
  const squares = (row) => row.match(/\+?./g) ?? [];
  const seatOf = (piece) => (piece === piece.toUpperCase() ? 0 : 1);

  const shogiPiece = (x, y, size, piece, kanji) => {
    const seat = seatOf(piece);
    const kind = piece.toUpperCase();
    const promoted = piece.startsWith("+");
    const at = (dx, dy) => `${x + (seat ? -dx : dx) * size},${y + (seat ? -dy : dy) * size}`;
    const outline = [[0, -0.44], [0.29, -0.3], [0.38, 0.41], [-0.38, 0.41], [-0.29, -0.3]].map(([dx, dy]) => at(dx, dy));
    const turned = kanji && seat ? { transform: `rotate(180 ${x} ${y})` } : {};
    const lift = (kanji ? 0.24 : seat ? 0.12 : 0.24) * size;
    return named(`${["black", "white"][seat]} ${promoted ? "promoted " : ""}${NAMES[kind.replace("+", "")] ?? kind}`,
      svg("polygon", { points: outline.join(" "), class: `ar-piece ar-edge${seat}` }),
      text(x, y + lift, promoted ? "ar-letter ar-promoted" : "ar-letter", kanji ? KANJI[kind] ?? kind : piece,
        { "font-size": size * (promoted && !kanji ? 0.4 : 0.46), ...turned }));
  };

  // Where a square written as file and rank lies.
  const shogiSquare = (name) => [5 - Number(name[0]), Number(name[1]) - 1];

  const shogiHand = (x, y, frame, seat, names, kanji) => {
    const counts = new Map();
    for (const letter of frame.hands[seat]) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const pieces = [...counts].map(([letter, count], at) => [
      shogiPiece(x + 126 + at * 46, y, 40, letter, kanji),
      count > 1 && svg("circle", { cx: x + 142 + at * 46, cy: y - 15, r: 8.5, class: "ar-badge" }),
      count > 1 && text(x + 142 + at * 46, y - 11, "ar-count", String(count)),
    ]);
    return svg("g", {}, svg("circle", { cx: x + 8, cy: y, r: 5, class: `ar-seat${seat}` }),
      text(x + 20, y + 4, "ar-label", shorten(names[seat], 12)), ...pieces,
      counts.size === 0 && text(x + 112, y + 4, "ar-label ar-soft", "nothing in hand"));
  };

  const PIPS = { 1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
    5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]] };

  const die = (x, y, value) => named(`The die shows ${value}`, rect(x, y, 38, 38, "ar-die", { rx: 7 }),
    (PIPS[value] ?? []).map(([dx, dy]) => svg("circle", { cx: x + 19 + dx * 10, cy: y + 19 + dy * 10, r: 3.6, class: "ar-pip" })));

  const drawShogi = ({ frame, names, kanji }) => {
    const [left, top] = [12, 64];
    const side = 5 * SQUARE;
    const centre = (column, row) => [left + (column + 0.5) * SQUARE, top + (row + 0.5) * SQUARE];
    const cell = (column, row, type) => rect(left + column * SQUARE, top + row * SQUARE, SQUARE, SQUARE, type);
    const parts = [rect(left, top, side, side, "ar-wood")];
    const rows = frame.board.map(squares);
    if (frame.last) {
      const drop = frame.last.includes("*");
      const marked = drop ? [frame.last.slice(2, 4)] : [frame.last.slice(0, 2), frame.last.slice(2, 4)];
      marked.forEach((name, at) => parts.push(cell(...shogiSquare(name), at === marked.length - 1 ? "ar-to" : "ar-from")));
    }
    for (let line = 0; line <= 5; line += 1) {
      const at = line * SQUARE;
      parts.push(svg("path", { d: `M${left} ${top + at}h${side}M${left + at} ${top}v${side}`, class: "ar-line" }));
    }
    rows.forEach((row, y) => row.forEach((piece, x) => {
      if (piece === ".") return;
      if (frame.check && piece === (frame.side ? "k" : "K")) parts.push(cell(x, y, "ar-check"));
      parts.push(shogiPiece(...centre(x, y), SQUARE, piece, kanji));
    }));
    for (let at = 0; at < 5; at += 1) {
      const file = frame.die === 5 - at && !frame.reason ? "ar-coordinate ar-strong" : "ar-coordinate";
      parts.push(text(left + (at + 0.5) * SQUARE, top - 7, file, String(5 - at)));
      parts.push(text(left + side + 12, top + (at + 0.5) * SQUARE + 4, "ar-coordinate", String(at + 1)));
    }
    parts.push(shogiHand(left, 26, frame, 1, names, kanji), shogiHand(left, top + side + 34, frame, 0, names, kanji));
    if (frame.die) parts.push(die(left + side + 34, top + side / 2 - 19, frame.die));
    const label = `Board, rank 1 first: ${frame.board.join(" / ")}; in hand: ${frame.hands.map((hand) => hand || "nothing").join(" and ")}`;
    return board(left + side + (frame.die ? 84 : 26), top + side + 62, label, ...parts);
  };

  // ---- Onitama -------------------------------------------------------------------------------------------------

  const onitamaCard = (x, y, card, seat, used) => {
    const turn = seat ? -1 : 1;
    const steps = new Set((card?.moves ?? []).map(([dx, dy]) => `${dx * turn},${dy * turn}`));
    const cells = [];
    for (let dy = 2; dy >= -2; dy -= 1) {
      for (let dx = -2; dx <= 2; dx += 1) {
        const type = dx === 0 && dy === 0 ? "ar-card-own" : steps.has(`${dx},${dy}`) ? `ar-seat${seat}` : "ar-card-cell";
        cells.push(rect(x + 24 + (dx + 2) * 13, y + 24 + (2 - dy) * 13, 12, 12, type, { rx: 2 }));
      }
    }
    const name = card ? card.name : "?";
    return named(`${name}, card ${card?.id}`, rect(x, y, 112, 96, used ? "ar-card ar-used" : "ar-card", { rx: 6 }),
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

  const drawOnitama = ({ content, frame, names }) => {
    const [left, top] = [22, 128];
    const side = 5 * SQUARE;
    const cell = (column, row, type) => rect(left + column * SQUARE, top + row * SQUARE, SQUARE, SQUARE, type);
    const at = (name) => [name.toUpperCase().charCodeAt(0) - 65, 5 - Number(name[1])];
    const parts = [rect(left, top, side, side, "ar-mat"), cell(2, 0, "ar-shrine ar-edge1"), cell(2, 4, "ar-shrine ar-edge0")];
    const [used, step] = frame.last ? frame.last.split(" ") : [null, ""];
    if (/^[A-E][1-5][A-E][1-5]$/i.test(step)) {
      parts.push(cell(...at(step.slice(0, 2)), "ar-from"), cell(...at(step.slice(2, 4)), "ar-to"));
    }
    for (let line = 0; line <= 5; line += 1) {
      parts.push(svg("path", { d: `M${left} ${top + line * SQUARE}h${side}M${left + line * SQUARE} ${top}v${side}`, class: "ar-line" }));
    }
    frame.board.forEach((row, y) => [...row].forEach((piece, x) => {
      if (piece !== ".") parts.push(onitamaPiece(left + (x + 0.5) * SQUARE, top + (y + 0.5) * SQUARE, piece));
    }));
    for (let line = 0; line < 5; line += 1) {
      parts.push(text(left + (line + 0.5) * SQUARE, top + side + 15, "ar-coordinate", "ABCDE"[line]));
      parts.push(text(left - 11, top + (line + 0.5) * SQUARE + 4, "ar-coordinate", String(5 - line)));
    }
    const cards = new Map(content.setting.cards.map((card) => [card.id, card]));
    [[1, 22], [0, top + side + 42]].forEach(([seat, y]) => {
      parts.push(svg("circle", { cx: left + 6, cy: y - 9, r: 5, class: `ar-seat${seat}` }),
        text(left + 17, y - 5, "ar-label", shorten(names[seat], 34)));
      frame.hands[seat].forEach((id, place) => parts.push(onitamaCard(left + place * 124, y, cards.get(id), seat, false)));
    });
    const middle = top + side / 2;
    parts.push(text(left + side + 14, middle - 56, "ar-label ar-soft", `next for ${["white", "black"][frame.side]}`),
      onitamaCard(left + side + 14, middle - 48, cards.get(frame.centre), frame.side, used === String(frame.centre)));
    const label = `Board, row 5 first: ${frame.board.join(" / ")}`;
    return board(left + side + 132, top + side + 146, label, ...parts);
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

  const drawKutulu = ({ content, frame, names }) => {
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
      explorers(frame, names),
      of("yell").map(({ owner, target, time }) => named(`Yell of seat ${owner} at seat ${target}, ${time} turns`,
        svg("path", { d: `M${middle(frame.explorers[owner]).join(" ")}L${middle(frame.explorers[target]).join(" ")}`, class: "ar-yell" }),
        svg("circle", { cx: middle(frame.explorers[target])[0], cy: middle(frame.explorers[target])[1], r: 12, class: "ar-yell" }))),
    ];
    const label = `Map with ${frame.explorers.filter(({ alive }) => alive).length} explorers and ${frame.minions.length} minions`;
    return board(width * TILE, map.length * TILE, label, ...parts.flat(2));
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

  // ---- games with a referee of their own: the vocabulary of docs/referees.md ---------------------------------------

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
  const beside = ({ cards = [], bars = [], text: said = [] }, names) => [
    cards.length > 0 && html("ul", { class: "ar-hand" }, cards.map(({ seat, title: head = "", text: body = "" }) => html("li", { class: "ar-move" },
      html("p", {}, seat !== undefined && html("span", { class: `ar-swatch ar-back${seat}`, title: names[seat] ?? `seat ${seat}` }), html("b", {}, head)),
      body !== "" && html("p", {}, body)))),
    bars.filter(({ seat }) => seat === undefined).map(barOf), said.map((line) => html("p", { class: "ar-line-of-text" }, line))];

  const DRAW = { minishogi: drawShogi, dice_shogi: drawShogi, onitama: drawOnitama, kutulu: drawKutulu };
  const drawingOf = (game) => (Object.hasOwn(DRAW, game) ? DRAW[game] : drawAny);

  // ---- words ---------------------------------------------------------------------------------------------------

  const words = (name) => String(name).replaceAll("_", " ");
  const turns = (count) => (count === 1 ? "1 turn" : `${count} turns`);
  const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
  const title = (game) => (Object.hasOwn(TITLES, game) ? TITLES[game] : words(game));
  const shorten = (name, most) => ([...name].length > most ? `${[...name].slice(0, most - 1).join("")}…` : name);
  const ordinal = (place) => ["", "1st", "2nd", "3rd"][place] ?? `${place}th`;
  const milliseconds = (ms) => (ms === null || ms === undefined ? "" : `${ms >= 100 ? ms.toFixed(0) : ms.toFixed(ms >= 10 ? 1 : 2)} ms`);

  // ---- the viewer ----------------------------------------------------------------------------------------------

  let viewer = null;

  class Viewer {
    constructor(root, replays) {
      Object.assign(this, { root, replays, current: null, content: null, index: 0, speed: 2, timer: null, kanji: false,
        filter: { tag: "", game: "", bot: "" }, closed: new Set(), loading: 0 });
      root.replaceChildren();
      root.classList.add("arena-replay");
      if (replays.length === 0) {
        root.append(html("p", { class: "ar-soft-text" }, "No game is embedded in this page."));
        return;
      }
      this.build();
      this.list();
      this.open(replays[0]);
    }

    build() {
      this.games = html("ul", { class: "ar-games", "aria-label": "Games" });
      this.count = html("p", { class: "ar-soft-text ar-found", role: "status" });
      this.heading = html("h3", { class: "ar-heading" });
      this.players = html("ol", { class: "ar-players", "aria-label": "Players" });
      this.board = html("div", { class: "ar-board" });
      this.beside = html("div", { class: "ar-beside" });
      this.legend = html("div", {});
      this.result = html("p", { class: "ar-result" });
      this.failures = html("ul", { class: "ar-failures" });
      this.live = html("p", { class: "ar-turn-name", role: "status", "aria-live": "polite" });
      this.said = html("div", { class: "ar-said" });
      this.stage = html("div", { class: "ar-stage", tabindex: "0", role: "group",
        "aria-label": "Replay. Left and right arrow keys step, home and end jump, space plays." },
        this.heading, this.players, this.board, this.beside, this.controls(), this.result, this.failures, this.legend);
      this.root.append(this.filters(), html("div", { class: "ar-columns" },
        html("div", { class: "ar-choice" }, this.count, this.games), this.stage,
        html("section", { class: "ar-panel", "aria-label": "What was said in this turn" }, this.live, this.said)));
      this.onkey = (event) => this.key(event);
      this.root.addEventListener("keydown", this.onkey);
    }

    filters() {
      const tags = Object.keys(FILTERS).filter((tag) => this.replays.some((replay) => replay.tags.includes(tag)));
      // One tag for all games tells nothing apart.
      const apart = tags.length > 1 || this.replays.some((replay) => replay.tags.length === 0);
      const buttons = (apart ? ["", ...tags] : []).map((tag) => html("button", { type: "button", class: "ar-chip", "data-tag": tag,
        "aria-pressed": String(tag === ""), onclick: () => this.choose("tag", tag) },
        tag === "" ? "All" : FILTERS[tag], html("span", { class: "ar-chip-count" },
          String(this.replays.filter((replay) => tag === "" || replay.tags.includes(tag)).length))));
      this.chips = buttons;
      const select = (key, label, values, show) => html("label", { class: "ar-select" }, label,
        html("select", { onchange: (event) => this.choose(key, event.target.value) },
          html("option", { value: "" }, "all"), values.map((value) => html("option", { value }, show(value)))));
      const games = [...new Set(this.replays.map((replay) => replay.game))];
      const bots = [...new Set(this.replays.flatMap((replay) => replay.bots))].sort();
      return html("div", { class: "ar-filters" }, apart && html("div", { class: "ar-chips", role: "group", "aria-label": "Which games" }, buttons),
        games.length > 1 && select("game", "Game", games, title), select("bot", "Bot", bots, (bot) => shorten(bot, 30)));
    }

    controls() {
      const button = (label, sign, action) => html("button", { type: "button", class: "ar-button", "aria-label": label, title: label, onclick: action }, sign);
      const icon = (d) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d }));
      this.icons = { play: "M4 2l10 6l-10 6z", pause: "M4 2h3v12h-3zM9 2h3v12h-3z" };
      this.playing = button("Play", icon(this.icons.play), () => this.toggle());
      this.slider = html("input", { type: "range", min: "0", max: "0", value: "0", step: "1", class: "ar-slider", "aria-label": "Turn",
        oninput: () => { this.stop(); this.show(Number(this.slider.value)); } });
      this.place = html("span", { class: "ar-place", "aria-hidden": "true" });
      this.speeds = html("select", { "aria-label": "Speed", onchange: (event) => { this.speed = Number(event.target.value); this.again(); } },
        SPEEDS.map((speed) => html("option", { value: speed, selected: speed === this.speed }, `${speed}×`)));
      this.letters = html("label", { class: "ar-kanji" }, html("input", { type: "checkbox",
        onchange: (event) => { this.kanji = event.target.checked; this.show(this.index); } }), "kanji");
      return html("div", { class: "ar-controls" }, html("div", { class: "ar-buttons" },
        button("To the start", icon("M2 2h2.5v12h-2.5zM14 2v12l-9 -6z"), () => { this.stop(); this.show(0); }),
        button("One turn back", icon("M10.5 2l1.8 1.8l-4.2 4.2l4.2 4.2l-1.8 1.8l-6 -6z"), () => this.step(-1)), this.playing,
        button("One turn on", icon("M5.5 2l-1.8 1.8l4.2 4.2l-4.2 4.2l1.8 1.8l6 -6z"), () => this.step(1)),
        button("To the end", icon("M11.5 2h2.5v12h-2.5zM2 2v12l9 -6z"), () => { this.stop(); this.show(this.last()); })),
        this.slider, this.place, html("div", { class: "ar-settings" }, html("label", { class: "ar-select" }, "Speed", this.speeds), this.letters));
    }

    choose(key, value) {
      this.filter[key] = value;
      for (const chip of this.chips) chip.setAttribute("aria-pressed", String(chip.dataset.tag === this.filter.tag));
      this.list();
      const found = this.found();
      if (found.length > 0 && !found.includes(this.current)) this.open(found[0]);
    }

    found() {
      const { tag, game, bot } = this.filter;
      return this.replays.filter((replay) => (!tag || replay.tags.includes(tag)) && (!game || replay.game === game) && (!bot || replay.bots.includes(bot)));
    }

    list() {
      const found = this.found();
      this.count.textContent = found.length === this.replays.length ? `${found.length} games` : `${found.length} of ${this.replays.length} games`;
      this.games.replaceChildren(...found.map((replay) => html("li", {}, html("button", { type: "button", class: "ar-game",
        "data-number": replay.number, "aria-current": replay === this.current ? "true" : false, onclick: () => this.open(replay) },
        html("span", { class: "ar-game-top" }, html("b", {}, `#${replay.number}`), ` ${title(replay.game)}`,
          replay.tags.map((tag) => html("span", { class: `ar-tag ar-tag-${tag}` }, TAGS[tag] ?? tag))),
        html("span", { class: "ar-game-bots" }, replay.bots.map((bot, seat) => [seat > 0 && " – ",
          html("span", { class: replay.places[seat] === 1 ? "ar-first" : "" }, bot)])),
        html("span", { class: "ar-game-end" }, `${words(replay.reason)}, ${turns(replay.turns)}`)))));
    }

    async open(replay) {
      this.stop();
      this.current = replay;
      this.content = null;
      this.loading += 1;
      const ticket = this.loading;
      for (const button of this.games.querySelectorAll(".ar-game")) {
        if (button.dataset.number === String(replay.number)) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      }
      this.heading.replaceChildren(`Game ${replay.number}`, html("span", { class: "ar-soft-text" }, ` ${title(replay.game)}, ${turns(replay.turns)}`));
      try {
        const content = await unpack(replay.data);
        if (ticket !== this.loading) return;
        this.content = { ...content, ...replay, turns: turnsOf(content) };
        this.frames = content.frames;
        this.letters.hidden = !replay.game.endsWith("shogi");
        this.legend.replaceChildren(...(replay.game === "kutulu" ? [kutuluLegend()] : []));
        this.slider.max = String(this.last());
        this.failures.replaceChildren(...content.bots.map((bot, seat) => this.tellFailure(bot, seat)).filter(Boolean));
        this.show(0);
      } catch (error) {
        if (ticket !== this.loading) return;
        this.board.replaceChildren(html("p", { class: "ar-bad" }, `This game cannot be shown: ${error.message}`));
      }
    }

    last() { return this.content ? this.content.turns.length : 0; }

    show(index) {
      if (!this.content) return;
      this.index = Math.max(0, Math.min(index, this.last()));
      const frame = this.frames[this.index];
      const drawn = drawingOf(this.content.game)({ content: this.content, frame, names: this.content.bots, kanji: this.kanji });
      const below = drawingOf(this.content.game) === drawAny ? beside(frame, this.content.bots).flat(3).filter(Boolean) : [];
      this.board.replaceChildren(...[drawn].filter(Boolean));
      this.beside.replaceChildren(...below);
      this.slider.value = String(this.index);
      const turn = this.content.turns[this.index - 1];
      this.place.textContent = `${turn ? turn.turn : "start"} / ${this.current.turns}`;
      this.slider.setAttribute("aria-valuetext", turn ? `after turn ${turn.turn}` : "start");
      this.live.textContent = turn ? `Turn ${turn.turn} of ${this.current.turns}` : "Before the first turn";
      this.tellPlayers(frame);
      this.tellResult(frame);
      const notes = frame.notes && html("ul", { class: "ar-notes", "aria-label": "The referee" }, frame.notes.map((note) => html("li", {}, note)));
      this.said.replaceChildren(...(turn ? turn.moves.map((move) => this.tellMove(move)) : [this.tellStart()]), ...[notes].filter(Boolean));
    }

    tellPlayers(frame) {
      const { bots, places, fates } = this.content;
      this.players.classList.toggle("ar-four", bots.length > 2);
      this.players.replaceChildren(...bots.map((bot, seat) => {
        const over = frame.reason !== null;
        const explorer = frame.explorers?.[seat];
        const state = [over && `score ${frame.scores[seat]}, ${ordinal(places[seat])}`, over && fates[seat] !== "ok" && words(fates[seat]),
          !over && frame.due.includes(seat) && frame.due.length === 1 && "to move", explorer && !explorer.alive && !over && "gone"].filter(Boolean);
        const bar = explorer && html("span", { class: "ar-sanity", title: `sanity ${explorer.sanity} of 250` },
          html("span", { class: `ar-sanity-left ar-back${seat}`, style: `width:${Math.min(100, explorer.sanity / 2.5)}%` }));
        const stock = explorer && html("span", { class: "ar-soft-text ar-stock" }, `sanity ${explorer.sanity}, plans ${explorer.plans}, lights ${explorer.lights}`);
        return html("li", { class: "ar-player" }, html("span", { class: `ar-swatch ar-back${seat}`, "aria-hidden": "true" }),
          html("span", { class: "ar-bot", title: bot }, bot),
          html("span", { class: over && fates[seat] !== "ok" ? "ar-state ar-bad" : "ar-state" }, state.join(", ")), bar, stock,
          (frame.bars ?? []).filter((one) => one.seat === seat).map(barOf));
      }));
    }

    tellResult(frame) {
      if (frame.reason === null) {
        this.result.replaceChildren();
        return;
      }
      const first = this.content.bots.filter((_, seat) => this.content.places[seat] === 1);
      const verdict = first.length === 1 ? `${first[0]} wins` : first.length === this.content.bots.length ? "a draw" : `${first.join(", ")} share first place`;
      this.result.replaceChildren(html("b", {}, capital(words(frame.reason))), `: ${verdict}`);
    }

    // Leads to the turn in which a bot failed.
    tellFailure(bot, seat) {
      if (this.content.fates[seat] === "ok") return null;
      const at = this.content.turns.findLastIndex((turn) => turn.moves.some((move) => move.player === seat));
      const go = () => { this.stop(); this.show(at + 1); };
      return html("li", {}, html("span", { class: `ar-swatch ar-back${seat}`, "aria-hidden": "true" }),
        html("span", { class: "ar-bot", title: bot }, bot), html("span", { class: "ar-bad" }, words(this.content.fates[seat])),
        at >= 0 && html("button", { type: "button", class: "ar-go", onclick: go }, `show turn ${this.content.turns[at].turn}`));
    }

    tellStart() {
      const opening = this.content.options.opening ?? [];
      return html("div", { class: "ar-move" }, html("p", {}, opening.length === 0 ? "The bots play from the start position." : "Played before the bots were asked:"),
        opening.length > 0 && html("p", { class: "ar-answer" }, opening.join(", ")),
        html("p", { class: "ar-soft-text" }, `seed ${this.content.seed}`, this.content.unit === undefined ? "" : `, unit ${this.content.unit}`));
    }

    tellMove(move) {
      const seat = move.player;
      const own = this.content.turns.flatMap((turn) => turn.moves).filter((other) => other.player === seat);
      const failed = own.at(-1) === move && this.content.fates[seat] !== "ok";
      const fault = failed && this.content.faults?.find((one) => one.player === seat);
      // Toggles are told late, perhaps when another game is open.
      const key = this.keyOf(seat);
      const details = move.input !== undefined && html("details", { open: !this.closed.has(key), ontoggle: (event) => {
        if (event.target.open) this.closed.delete(key); else this.closed.add(key);
      } }, html("summary", {}, "what it was sent"), html("pre", { class: "ar-sent", tabindex: "0", "aria-label": `Input of seat ${seat}` }, move.input));
      return html("article", { class: failed ? "ar-move ar-failed" : "ar-move" },
        html("header", { class: "ar-move-top" }, html("span", { class: `ar-swatch ar-back${seat}`, "aria-hidden": "true" }),
          html("span", { class: "ar-bot", title: this.content.bots[seat] }, this.content.bots[seat]),
          html("span", { class: "ar-soft-text ar-ms" }, milliseconds(move.ms), move.late ? " (late because of the machine)" : "")),
        html("p", { class: "ar-answer" }, move.output === null ? html("span", { class: "ar-bad" }, `no answer: ${words(move.fault)}`) : move.output,
          failed && move.output !== null && html("span", { class: "ar-bad ar-why" }, words(this.content.fates[seat]))),
        fault && this.tellFault(fault), details);
    }

    // Whether inputs are folded is remembered for each seat; with four of them, three are folded at first.
    keyOf(seat) {
      const key = `${this.content.bots.length} ${seat}`;
      this.known ??= new Set();
      if (!this.known.has(key)) {
        this.known.add(key);
        if (this.content.bots.length > 2 && seat > 0) this.closed.add(key);
      }
      return key;
    }

    tellFault({ exit, unfinished, stderr }) {
      return html("div", { class: "ar-fault" }, html("p", {}, exit ?? "ended by the arena",
        unfinished && [", after ", html("code", {}, unfinished), " without an end of line"]),
        stderr && html("pre", { class: "ar-sent", tabindex: "0", "aria-label": "Standard error" }, stderr));
    }

    step(by) {
      this.stop();
      this.show(this.index + by);
    }

    toggle() {
      if (this.timer) this.stop();
      else {
        if (this.index === this.last()) this.show(0);
        this.run();
      }
    }

    run() {
      if (!this.content) return;
      this.mark(true);
      this.timer = setInterval(() => {
        this.show(this.index + 1);
        if (this.index === this.last()) this.stop();
      }, 1000 / this.speed);
    }

    again() {
      if (this.timer) {
        clearInterval(this.timer);
        this.run();
      }
    }

    stop() {
      clearInterval(this.timer);
      this.timer = null;
      this.mark(false);
    }

    mark(playing) {
      this.playing.setAttribute("aria-label", playing ? "Pause" : "Play");
      this.playing.title = playing ? "Pause" : "Play";
      this.playing.querySelector("path").setAttribute("d", playing ? this.icons.pause : this.icons.play);
      // While it plays, a screen reader is not told of every turn.
      this.live.setAttribute("aria-live", playing ? "off" : "polite");
    }

    key(event) {
      const target = event.target;
      if (event.altKey || event.ctrlKey || event.metaKey || target.matches("select, input, textarea, pre")) return;
      const actions = { ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
        Home: () => { this.stop(); this.show(0); }, End: () => { this.stop(); this.show(this.last()); }, " ": () => this.toggle() };
      if (!actions[event.key] || (event.key === " " && target.closest("button, summary"))) return;
      event.preventDefault();
      actions[event.key]();
    }

    state() {
      const shown = this.content !== null;
      const frame = shown ? this.frames[this.index] : null;
      const ended = shown && frame.reason !== null;
      const standing = (bot, seat) => ({ seat, bot, score: frame.scores[seat], place: this.content.places[seat], fate: this.content.fates[seat] });
      return { number: this.current?.number ?? null, game: this.current?.game ?? null, index: this.index, last: this.last(),
        playing: this.timer !== null, loaded: shown, reason: shown ? frame.reason : null,
        standings: ended ? this.content.bots.map(standing) : null };
    }

    leave() {
      if (this.timer) clearInterval(this.timer);
      if (this.onkey) this.root.removeEventListener("keydown", this.onkey);
    }
  }

  return {
    // Shows these games in `element`, whose content goes. There is one viewer in a page.
    mount(element, replays) {
      viewer?.leave();
      viewer = new Viewer(element, replays);
    },
    // Opens the game of this number and puts the keys to it. Returns whether it is embedded.
    open(number) {
      const replay = viewer?.replays.find((one) => one.number === number);
      if (!replay) return false;
      viewer.open(replay);
      viewer.stage.scrollIntoView({ block: "nearest" });
      viewer.stage.focus({ preventScroll: true });
      return true;
    },
    // For tests: number, game, index and last turn (0 is the start), playing, loaded; reason and standings of the
    // position shown, both null before the end.
    state: () => viewer?.state() ?? null,
  };
})();
