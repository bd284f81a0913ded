// The viewer: one game, turn by turn. `load(number)` gives a game, an object with
//
//   all that its record holds, see docs/reference/files.md, with the input of every step
//   places, fates   by seat; turns   how many there are, opening included
//   steps_by_turn   how many steps each turn has
//   setting   what stays as it is for the whole game            } see Game::setting and Game::frame of arena-games;
//   frames    before the first question, and after every turn   } those of a game with a referee of its own have `notes`

const SPEEDS = [0.5, 1, 2, 5, 10];
const KEYS = [["← →", "a turn back, a turn on"], ["Home End", "to the start, to the end"], ["Space", "play, pause"],
  ["j k", "next game, game before, of those listed"], ["f", "turn the board round"], ["?", "this help; Esc closes it"]];
const NARROW = window.matchMedia("(max-width: 44rem)");

/** The turns of a game, with what was said in each. */
const turnsOf = ({ steps, steps_by_turn: counts, ms = [], host_late: late = [] }) => {
  const moves = steps.map((step, place) => ({ ...step, ms: ms[place] ?? null, late: late.includes(place) }));
  return counts.map((count) => moves.splice(0, count)).map((own) => ({ turn: own[0].turn, moves: own }));
};

/** Numbers over the turns of a game, by name; of each seat a list of [index of the turn, value]. */
const curvesOf = ({ frames, moves, bots }) => {
  const curves = new Map();
  const add = (name, seat, at, value) => {
    if (!curves.has(name)) curves.set(name, bots.map(() => []));
    curves.get(name)[seat].push([at, value]);
  };
  frames.forEach((frame, at) => frame.explorers?.forEach(({ sanity, alive }, seat) => add("sanity", seat, at, alive ? sanity : 0)));
  const place = new Map(moves.map(({ turn }, at) => [turn, at + 1]));
  moves.forEach((turn, at) => turn.moves.forEach(({ player, metrics = {} }) => {
    for (const [key, value] of Object.entries(metrics)) {
      const [, name, named] = /^(.*?)(?:@(\d+))?$/.exec(key);
      add(name, player, named === undefined ? at + 1 : place.get(Number(named)) ?? at + 1, value);
    }
  }));
  return curves;
};

class Viewer {
  constructor(load) {
    Object.assign(this, { load, game: null, content: null, index: 0, timer: null, closed: new Set(), known: new Set(), loading: 0,
      speed: Number(remembered("speed")) || 2, kanji: remembered("kanji") === "yes", flipped: false, curve: "" });
    this.onmove = () => {};
    this.ongame = () => {};
    this.heading = html("h3", { class: "ar-heading" });
    this.players = html("ol", { class: "ar-players", "aria-label": "Players" });
    this.board = html("div", { class: "ar-board" });
    this.beside = html("div", { class: "ar-beside" });
    this.legend = html("div", {});
    this.result = html("p", { class: "ar-result" });
    this.failures = html("ul", { class: "ar-failures" });
    this.live = html("p", { class: "ar-turn-name", role: "status", "aria-live": "polite" });
    this.moves = html("ol", { class: "ar-moves", "aria-label": "Moves" });
    this.said = html("div", { class: "ar-said" });
    this.help = this.helpBox();
    this.stage = html("div", { class: "ar-stage", tabindex: "-1", role: "group", "aria-label": "Replay" },
      this.head(), this.players, this.board, this.controls(), this.result, this.beside, this.failures, this.legend);
    this.element = html("div", { class: "ar-columns" }, this.stage,
      html("section", { class: "ar-panel", "aria-label": "Moves, and what was said in this turn" }, this.moves, this.live, this.said), this.help);
    NARROW.addEventListener("change", () => this.show(this.index));
  }

  // ---- building --------------------------------------------------------------------------------------------------

  button(label, sign, action, type = "ar-button") {
    return html("button", { type: "button", class: type, "aria-label": label, title: label, onclick: action }, sign);
  }

  head() {
    return html("div", { class: "ar-head" }, this.heading,
      this.button("Game before (k)", "‹ game", () => this.ongame(-1), "ar-go"), this.button("Next game (j)", "game ›", () => this.ongame(1), "ar-go"),
      this.button("Keys (?)", "?", () => this.help.showModal(), "ar-go"));
  }

  helpBox() {
    const close = html("form", { method: "dialog" }, html("button", { class: "ar-go" }, "Close"));
    return html("dialog", { class: "ar-help", "aria-label": "Keys" },
      html("dl", {}, KEYS.map(([key, words]) => [html("dt", {}, key), html("dd", {}, words)])), close);
  }

  controls() {
    const icon = (d) => svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d }));
    this.icons = { play: "M4 2l10 6l-10 6z", pause: "M4 2h3v12h-3zM9 2h3v12h-3z" };
    this.playing = this.button("Play", icon(this.icons.play), () => this.toggle());
    this.slider = html("input", { type: "range", min: "0", max: "0", value: "0", step: "1", class: "ar-slider", "aria-label": "Turn",
      oninput: () => this.go(Number(this.slider.value)) });
    this.track = html("div", { class: "ar-track" }, this.slider);
    this.place = html("span", { class: "ar-place", "aria-hidden": "true" });
    return html("div", { class: "ar-controls" }, this.track, html("div", { class: "ar-buttons" },
      this.button("To the start", icon("M2 2h2.5v12h-2.5zM14 2v12l-9 -6z"), () => this.go(0)),
      this.button("One turn back", icon("M10.5 2l1.8 1.8l-4.2 4.2l4.2 4.2l-1.8 1.8l-6 -6z"), () => this.go(this.index - 1)), this.playing,
      this.button("One turn on", icon("M5.5 2l-1.8 1.8l4.2 4.2l-4.2 4.2l1.8 1.8l6 -6z"), () => this.go(this.index + 1)),
      this.button("To the end", icon("M11.5 2h2.5v12h-2.5zM2 2v12l9 -6z"), () => this.go(this.last()))),
      this.place, this.settings());
  }

  settings() {
    const speeds = html("select", { "aria-label": "Speed", onchange: (event) => { this.speed = Number(event.target.value); remember("speed", this.speed); this.again(); } },
      SPEEDS.map((speed) => html("option", { value: speed, selected: speed === this.speed }, `${speed}×`)));
    this.letters = html("label", { class: "ar-kanji" }, html("input", { type: "checkbox", checked: this.kanji,
      onchange: (event) => { this.kanji = event.target.checked; remember("kanji", this.kanji ? "yes" : "no"); this.show(this.index); } }), "kanji");
    this.round = this.button("Turn the board round (f)", "⇅", () => this.flip(), "ar-go");
    this.names = html("select", { "aria-label": "Chart", onchange: () => { this.curve = this.names.value; this.chart(); } });
    return html("div", { class: "ar-settings" }, html("label", { class: "ar-select" }, "Speed", speeds), this.letters, this.round, this.names);
  }

  // ---- a game ----------------------------------------------------------------------------------------------------

  /** Shows a game at a turn: 0 is the start, what is beyond the end the end. Of one that is not in the list no more than its number is known. */
  async open(game, turn = 0) {
    this.stop();
    Object.assign(this, { game, content: null });
    this.loading += 1;
    const ticket = this.loading;
    this.entitle();
    try {
      const content = await this.load(game.number);
      if (ticket !== this.loading) return;
      this.game = { game: content.game, turns: content.turns, ...game };
      this.entitle();
      this.take(content);
      this.show(this.indexOf(turn));
    } catch (error) {
      if (ticket !== this.loading) return;
      this.board.replaceChildren(html("p", { class: "ar-bad" }, `This game cannot be shown: ${error.message}`));
    }
  }

  entitle() {
    const { number, game, turns: count, map } = this.game;
    const facts = game === undefined ? "" : ` ${title(game)}, ${turns(count)}${map ? `, map ${map}` : ""}`;
    this.heading.replaceChildren(`Game ${number}`, html("span", { class: "ar-soft-text" }, facts));
  }

  take(content) {
    this.content = { ...content, moves: turnsOf(content) };
    const drawing = drawingOf(content.game);
    this.letters.hidden = drawing !== drawShogi;
    this.round.hidden = drawing !== drawShogi && drawing !== drawOnitama;
    this.legend.replaceChildren(...(drawing === drawKutulu ? [kutuluLegend()] : []));
    this.slider.max = String(this.last());
    this.failures.replaceChildren(...content.bots.map((bot, seat) => this.tellFailure(bot, seat)).filter(Boolean));
    this.curves = curvesOf(this.content);
    if (!this.curves.has(this.curve)) this.curve = this.curves.keys().next().value ?? "";
    this.names.replaceChildren(...[...this.curves.keys()].map((name) => html("option", { value: name, selected: name === this.curve }, name)));
    this.names.hidden = this.curves.size < 2;
    this.chart();
    this.listMoves();
  }

  /** The place of a turn, which the game counts, among those that bots played. */
  indexOf(turn) {
    const at = this.content.moves.findLastIndex((one) => one.turn <= turn);
    return turn > this.content.turns ? this.last() : at + 1;
  }

  turn() { return this.content?.moves[this.index - 1]?.turn ?? 0; }

  last() { return this.content ? this.content.moves.length : 0; }

  /** What was played in a turn, as people write it, or as the bots did. */
  notation(index) {
    const { moves, frames } = this.content;
    const answers = moves[index - 1].moves.map(({ output, fault }) => (output === null ? words(fault) : output.split("\n")[0]));
    // A position after an answer that wasn't played still has the last move.
    const isPlayed = frames[index].last === undefined || frames[index].last !== frames[index - 1].last;
    return (isPlayed && written(this.content, index)) || answers.join(" · ");
  }

  listMoves() {
    this.moves.classList.toggle("ar-long", this.content.bots.length > 2);
    this.moves.replaceChildren(...this.content.moves.map(({ turn, moves }, at) => html("li", {},
      html("button", { type: "button", class: `ar-line ar-of${moves.length === 1 ? moves[0].player : "-all"}`, onclick: () => this.go(at + 1) },
        html("span", { class: "ar-soft-text" }, `${turn}. `), this.notation(at + 1)))));
  }

  /** Numbers over the turns, behind the slider. */
  chart() {
    const lines = this.curves.get(this.curve) ?? [];
    const values = lines.flat().map(([, value]) => value);
    this.track.classList.toggle("ar-charted", values.length > 0);
    this.track.querySelector("svg")?.remove();
    if (values.length === 0) return;
    const [low, high] = [Math.min(0, ...values), Math.max(...values)];
    const at = ([index, value]) => `${(1000 * index) / Math.max(1, this.last())} ${(60 - (56 * (value - low)) / (high - low || 1)).toFixed(1)}`;
    this.cursor = svg("path", { class: "ar-cursor" });
    this.track.prepend(svg("svg", { viewBox: "0 0 1000 62", preserveAspectRatio: "none", role: "img", class: "ar-chart",
      "aria-label": `${this.curve} over the turns, from ${low} to ${high}` },
      lines.map((line, seat) => line.length > 0 && svg("path", { d: `M${line.map(at).join("L")}${line.length === 1 ? "h0" : ""}`, class: `ar-curve ar-edge${seat}` })), this.cursor));
    this.track.title = harmless(`${this.curve}, from ${low} to ${high}`);
  }

  // ---- a turn ----------------------------------------------------------------------------------------------------

  show(index) {
    if (!this.content) return;
    const { content, kanji, flipped } = this;
    this.index = Math.max(0, Math.min(index, this.last()));
    const [before, frame] = [content.frames[this.index - 1], content.frames[this.index]];
    const draw = drawingOf(content.game);
    const drawn = draw({ content, frame, before, names: content.bots, kanji, flipped, narrow: NARROW.matches });
    this.board.replaceChildren(...[drawn].filter(Boolean));
    this.beside.replaceChildren(...(draw === drawAny ? besides(frame, content.bots) : []));
    this.slider.value = String(this.index);
    this.cursor?.setAttribute("d", `M${(1000 * this.index) / Math.max(1, this.last())} 0v62`);
    this.place.textContent = `${this.turn() || "start"} / ${content.turns}`;
    this.slider.setAttribute("aria-valuetext", this.turn() ? `after turn ${this.turn()}` : "start");
    this.live.textContent = harmless(this.caption());
    this.tellPlayers(frame);
    this.tellResult(frame);
    this.tellTurn(frame);
    this.onmove();
  }

  /** The turn in a sentence, which is read out. */
  caption() {
    if (this.index === 0) return "Before the first turn";
    const { bots, moves, turns: count } = this.content;
    const played = moves[this.index - 1].moves;
    const who = played.length === 1 ? `: ${bots[played[0].player]} plays ${this.notation(this.index)}` : "";
    return `Turn ${this.turn()} of ${count}${who}`;
  }

  tellTurn({ notes }) {
    for (const line of this.moves.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
    const line = this.moves.children[this.index - 1]?.firstChild;
    line?.setAttribute("aria-current", "true");
    // Only the list moves, not the page.
    if (line) this.moves.scrollTop = line.offsetTop - this.moves.clientHeight / 2;
    const turn = this.content.moves[this.index - 1];
    const list = notes && html("ul", { class: "ar-notes", "aria-label": "The referee" }, notes.map((note) => html("li", {}, note)));
    this.said.replaceChildren(...(turn ? turn.moves.map((move) => this.tellMove(move)) : [this.tellStart()]), ...[list].filter(Boolean));
  }

  tellPlayers(frame) {
    const { bots, places, fates } = this.content;
    this.players.classList.toggle("ar-four", bots.length > 2);
    this.players.replaceChildren(...bots.map((bot, seat) => {
      const over = frame.reason !== null;
      const explorer = frame.explorers?.[seat];
      const state = [over && `score ${frame.scores[seat]}${bots.length > 1 ? `, ${ordinal(places[seat])}` : ""}`, over && fates[seat] !== "ok" && words(fates[seat]),
        !over && frame.due.includes(seat) && frame.due.length === 1 && "to move", explorer && !explorer.alive && !over && "gone"].filter(Boolean);
      const bar = explorer && html("span", { class: "ar-sanity", title: `sanity ${explorer.sanity} of 250` },
        html("span", { class: `ar-sanity-left ar-back${seat}`, style: `width:${Math.min(100, explorer.sanity / 2.5)}%` }));
      const stock = explorer && html("span", { class: "ar-soft-text ar-stock" }, `sanity ${explorer.sanity}, plans ${explorer.plans}, lights ${explorer.lights}`);
      return html("li", { class: "ar-player" }, html("span", { class: `ar-swatch ar-back${seat}`, title: `seat ${seat}, ${COLOURS[seat]}` }),
        html("span", { class: "ar-bot" }, bot),
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
    const verdict = this.content.bots.length === 1 ? `score ${frame.scores[0]}` : first.length === 1 ? `${first[0]} wins` : first.length === this.content.bots.length ? "a draw" : `${first.join(", ")} share first place`;
    this.result.replaceChildren(html("b", {}, capital(words(frame.reason))), harmless(`: ${verdict}`));
  }

  // Leads to the turn in which a bot failed.
  tellFailure(bot, seat) {
    if (this.content.fates[seat] === "ok") return null;
    const at = this.content.moves.findLastIndex((turn) => turn.moves.some((move) => move.player === seat));
    return html("li", {}, html("span", { class: `ar-swatch ar-back${seat}`, "aria-hidden": "true" }),
      html("span", { class: "ar-bot" }, bot), html("span", { class: "ar-bad" }, words(this.content.fates[seat])),
      at >= 0 && html("button", { type: "button", class: "ar-go", onclick: () => this.go(at + 1) }, `show turn ${this.content.moves[at].turn}`));
  }

  tellStart() {
    const { options: { opening = [] }, seed, unit, battle, bots } = this.content;
    const ladder = battle?.agents?.map(({ score }, seat) => score !== undefined && `${bots[seat]} ${score.toFixed(2)}`).filter(Boolean);
    return html("div", { class: "ar-move" }, html("p", {}, opening.length === 0 ? "The bots play from the start position." : "Played before the bots were asked:"),
      opening.length > 0 && html("p", { class: "ar-answer" }, opening.join(", ")),
      html("p", { class: "ar-soft-text" }, `seed ${seed}`, unit === undefined ? "" : `, unit ${unit}`, battle?.id ? `, battle ${battle.id}` : ""),
      ladder?.length > 0 && html("p", { class: "ar-soft-text" }, `ladder scores: ${ladder.join(", ")}`));
  }

  tellMove(move) {
    const { player: seat, output, fault, ms, late, input, stderr, metrics } = move;
    const { bots, fates, faults } = this.content;
    const own = this.content.moves.flatMap((turn) => turn.moves).filter((other) => other.player === seat);
    const failed = own.at(-1) === move && fates[seat] !== "ok";
    const told = failed && faults?.find((one) => one.player === seat);
    return html("article", { class: failed ? "ar-move ar-failed" : "ar-move" },
      html("header", { class: "ar-move-top" }, html("span", { class: `ar-swatch ar-back${seat}`, "aria-hidden": "true" }),
        html("span", { class: "ar-bot" }, bots[seat]),
        html("span", { class: "ar-soft-text ar-ms" }, milliseconds(ms), late ? " (late because of the machine)" : "")),
      html("p", { class: "ar-answer" }, output === null ? html("span", { class: "ar-bad" }, `no answer: ${words(fault)}`) : output,
        failed && output !== null && html("span", { class: "ar-bad ar-why" }, words(fates[seat]))),
      metrics && html("p", { class: "ar-soft-text" }, Object.entries(metrics).map(([name, value]) => `${name} ${value}`).join(", ")),
      stderr !== undefined && this.folded(seat, "standard error", stderr), told && this.tellFault(told, seat),
      input !== undefined && this.folded(seat, "what it was sent", input));
  }

  // Text that may be folded away. Whether it is, is remembered for each seat; with four of them, three are folded at first.
  folded(seat, head, content) {
    const key = `${this.content.bots.length} ${seat} ${head}`;
    if (!this.known.has(key) && this.content.bots.length > 2 && seat > 0) this.closed.add(key);
    this.known.add(key);
    const ontoggle = (event) => { if (event.target.open) this.closed.delete(key); else this.closed.add(key); };
    return html("details", { open: !this.closed.has(key), ontoggle }, html("summary", {}, head),
      html("pre", { class: "ar-sent", tabindex: "0", "aria-label": `${capital(head)}, seat ${seat}` }, content));
  }

  tellFault({ exit, unfinished, stderr }, seat) {
    return html("div", { class: "ar-fault" }, html("p", {}, exit ?? (this.content.battle ? words(this.content.fates[seat]) : "ended by the arena"),
      unfinished && [", after ", html("code", {}, unfinished), " without an end of line"]),
      stderr && html("pre", { class: "ar-sent", tabindex: "0", "aria-label": "Standard error" }, stderr));
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  go(index) {
    this.stop();
    this.show(index);
  }

  flip() {
    this.flipped = !this.flipped;
    this.show(this.index);
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
    if (!this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
    this.mark(false);
    this.onmove();
  }

  mark(playing) {
    this.playing.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.playing.title = playing ? "Pause" : "Play";
    this.playing.querySelector("path").setAttribute("d", playing ? this.icons.pause : this.icons.play);
    // While it plays, a screen reader is not told of every turn.
    this.live.setAttribute("aria-live", playing ? "off" : "polite");
  }

  /** For tests: where the viewer stands; reason and standings of the position shown are null before the end. */
  state() {
    const shown = this.content !== null;
    const frame = shown ? this.content.frames[this.index] : null;
    const ended = shown && frame.reason !== null;
    const standing = (bot, seat) => ({ seat, bot, score: frame.scores[seat], place: this.content.places[seat], fate: this.content.fates[seat] });
    return { number: this.game?.number ?? null, game: this.game?.game ?? null, index: this.index, turn: this.turn(), last: this.last(),
      playing: this.timer !== null, loaded: shown, reason: shown ? frame.reason : null,
      standings: ended ? this.content.bots.map(standing) : null };
  }
}

