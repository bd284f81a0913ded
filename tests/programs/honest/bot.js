// An honest bot: two worker threads search in each turn and leave garbage, and so does the first thread, which reads and answers.
const readline = require("readline");
const { Worker, isMainThread, parentPort } = require("worker_threads");

function compute(pieces) {
    const kept = [];
    for (let i = 0; i < pieces; i++) kept.push({ order: (i * 7919) % 1000, words: `piece ${i}`.split(" ") });
    return kept.sort((a, b) => a.order - b.order).length;
}

// Plays MiniShogi and Dice Shogi so that a game lasts long: the piece that stays furthest back moves.
async function play() {
    const workers = [1, 2].map(() => new Worker(__filename));
    const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    const back = (await next()) === "0" ? -1 : 1;
    await next();
    while ((await next()) !== undefined) {
        for (let i = 0; i < 6; i++) await next();
        // The roll of Dice Shogi, or the last action.
        if ((await next()).length === 1) await next();
        const actions = [];
        for (let count = Number(await next()); count > 0; count--) actions.push(await next());
        actions.sort((a, b) => back * (a.charCodeAt(3) - b.charCodeAt(3)));
        const found = workers.map((worker) => new Promise((resolve) => worker.once("message", resolve)));
        workers.forEach((worker) => worker.postMessage(1500));
        compute(500);
        await Promise.all(found);
        console.log(actions[0]);
    }
    process.exit();
}

if (isMainThread) play();
else parentPort.on("message", (pieces) => parentPort.postMessage(compute(pieces)));
