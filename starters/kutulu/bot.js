// A first bot for Code of Kutulu. It rates its own cell and the cells around it,
// flees from minions, keeps near the other explorers, and plans when it is calm.

const FAR = 999;
const SPAWNING = 0, WANDERING = 1, STALKING = 2, RUSHING = 3, STUNNED = 4;  // the states of minions

// cell: { x, y }, where y grows downwards
// turn.explorers, of whom I am the first: id, cell, sanity, plans, lights
// turn.minions:
//   kind: WANDERER or SLASHER
//   cell
//   time: turns until it appears, or that it has left
//   state
//   target: id of an explorer, or -1
// turn.effects:
//   kind: EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL or EFFECT_SHELTER
//   cell: of a yell -1 -1
//   time: turns left; of a shelter, its energy
//   caster, receiver: ids of explorers, or -1

const grid = [];    // '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor

function isFloor(cell) {
    const line = grid[cell.y];
    return line !== undefined && cell.x >= 0 && cell.x < line.length && line[cell.x] !== '#';
}

function neighbours({ x, y }) {
    return [{ x, y: y - 1 }, { x: x + 1, y }, { x, y: y + 1 }, { x: x - 1, y }].filter(isFloor);
}

// Steps from a cell to every other one: [y][x], FAR if there is no way.
function walk(start) {
    const steps = grid.map(line => Array(line.length).fill(FAR));
    const todo = [start];
    steps[start.y][start.x] = 0;
    for (const cell of todo) {
        for (const next of neighbours(cell)) {
            if (steps[next.y][next.x] < FAR) continue;
            steps[next.y][next.x] = steps[cell.y][cell.x] + 1;
            todo.push(next);
        }
    }
    return steps;
}

function manhattan(a, b) {
    return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
}

function rate(turn, cell) {
    const steps = walk(cell);
    let score = neighbours(cell).length;    // no dead ends
    for (const minion of turn.minions) {
        const distance = steps[minion.cell.y][minion.cell.x];
        const wait = minion.state === SPAWNING ? minion.time : 0;
        if (minion.kind === 'WANDERER') {
            const near = Math.max(0, 6 - distance - wait);
            score -= near * near;
        } else if (minion.state !== STUNNED && wait <= 2) {
            // A slasher rushes at those it sees: in a line, with no wall between.
            const inLine = minion.cell.x === cell.x || minion.cell.y === cell.y;
            if (inLine && distance === manhattan(minion.cell, cell)) score -= 15;
        }
    }
    // Sanity goes slower within two cells of another explorer.
    let company = FAR, way = FAR;
    for (const other of turn.explorers.slice(1)) {
        company = Math.min(company, manhattan(cell, other.cell));
        way = Math.min(way, steps[other.cell.y][other.cell.x]);
    }
    if (company > 2 && way < FAR) score -= 5 + way;
    for (const effect of turn.effects) {
        if (effect.kind === 'EFFECT_SHELTER') score += Math.max(0, 5 - steps[effect.cell.y][effect.cell.x]);
    }
    return score;
}

function choose(turn) {
    const me = turn.explorers[0];
    let busy = false, calm = true;
    for (const effect of turn.effects) {
        if (effect.kind === 'EFFECT_YELL' && effect.receiver === me.id) return 'WAIT';  // I cannot move
        if (effect.caster === me.id) busy = true;
    }
    for (const minion of turn.minions) {
        if (minion.state !== SPAWNING && manhattan(minion.cell, me.cell) <= 3) calm = false;
    }
    if (me.plans > 0 && me.sanity < 200 && !busy && calm) return 'PLAN';

    // Your idea here: LIGHT leads minions elsewhere, YELL holds an explorer beside me for two turns.
    let best = me.cell, bestScore = rate(turn, best);
    for (const cell of neighbours(me.cell)) {
        const score = rate(turn, cell);
        if (score > bestScore) {
            best = cell;
            bestScore = score;
        }
    }
    return best === me.cell ? 'WAIT' : `MOVE ${best.x} ${best.y}`;
}

function readLine() {
    const line = readline();
    if (line === null) process.exit(0);     // the game is over
    return line;
}

function readTurn() {
    const turn = { explorers: [], minions: [], effects: [] };
    const count = parseInt(readLine());     // number of entities
    for (let i = 0; i < count; i++) {
        const [kind, ...numbers] = readLine().split(' ');
        const [id, x, y, a, b, c] = numbers.map(Number);
        const cell = { x, y };
        if (kind === 'EXPLORER') turn.explorers.push({ id, cell, sanity: a, plans: b, lights: c });
        else if (kind.startsWith('EFFECT')) turn.effects.push({ kind, cell, time: a, caster: b, receiver: c });
        else turn.minions.push({ kind, cell, time: a, state: b, target: c });
    }
    return turn;
}

readLine();                                 // width of the map
const height = parseInt(readLine());        // height of the map
for (let y = 0; y < height; y++) grid.push(readLine());
// Sanity lost per turn alone and in company, turns until a wanderer appears and that it walks.
const [lossAlone, lossInCompany, spawnTime, lifeTime] = readLine().split(' ').map(Number);
while (true) {
    console.log(choose(readTurn()));
}
