// A first bot for Onitama. It rates every legal action by what it wins at once,
// less what the opponent can win in answer, and plays the best one.

const SIZE = 5;
const WIN = 1000, STUDENT = 10;

// position.board[y][x]: y 0 is row 1, x 0 is column A; w and W are player 0, b and B player 1, '.' is empty
// position.cards: two of player 0, two of player 1, the one in the centre
//   card.owner: 0 or 1, -1 for the centre
//   card.id: the number of the card
//   card.steps: [dx, dy] on the board as it is printed, for its owner

// The player whose piece this is, or -1 for an empty cell.
function owner(piece) {
    if (piece === '.') return -1;
    return piece.toLowerCase() === 'w' ? 0 : 1;
}

function isMaster(piece) {
    return piece === 'W' || piece === 'B';
}

// What a move wins at once.
function gain(board, x, y, toX, toY) {
    const piece = board[y][x], target = board[toY][toX];
    const shrine = owner(piece) === 0 ? SIZE - 1 : 0;   // row of the opponent's shrine
    if (isMaster(target)) return WIN;
    if (isMaster(piece) && toX === 2 && toY === shrine) return WIN;
    return target === '.' ? 0 : STUDENT;
}

// The most that a player can win with one move.
function bestGain(board, cards, player) {
    let best = 0;
    for (let y = 0; y < SIZE; y++) {
        for (let x = 0; x < SIZE; x++) {
            if (owner(board[y][x]) !== player) continue;
            for (const card of cards) {
                if (card.owner !== player) continue;
                for (const [dx, dy] of card.steps) {
                    const toX = x + dx, toY = y + dy;
                    if (toX < 0 || toX >= SIZE || toY < 0 || toY >= SIZE) continue;
                    if (owner(board[toY][toX]) === player) continue;
                    best = Math.max(best, gain(board, x, y, toX, toY));
                }
            }
        }
    }
    return best;
}

function rate(position, action, me) {
    const move = action.split(' ')[1];      // "8 C1D2": card 8, from C1 to D2
    if (move === 'PASS') return 0;          // only when nothing can move
    const x = 'ABCDE'.indexOf(move[0]), y = move[1] - 1;
    const toX = 'ABCDE'.indexOf(move[2]), toY = move[3] - 1;
    const won = gain(position.board, x, y, toX, toY);
    if (won === WIN) return WIN;
    const board = position.board.map(line => [...line]);
    board[toY][toX] = board[y][x];
    board[y][x] = '.';
    const shrine = me === 0 ? SIZE - 1 : 0;
    const distance = Math.max(Math.abs(toX - 2), Math.abs(toY - shrine));
    return won - bestGain(board, position.cards, 1 - me) - distance;
}

function choose(position, actions, me) {
    // Your idea here: exchange the cards after an action, and look further ahead.
    let best = null, bestScore = 0;
    for (const action of actions) {
        const score = rate(position, action, me);
        if (best === null || score > bestScore) {
            best = action;
            bestScore = score;
        }
    }
    return best;
}

function readLine() {
    const line = readline();
    if (line === null) process.exit(0);     // the game is over
    return line;
}

function readPosition() {
    const board = [];
    for (let y = SIZE - 1; y >= 0; y--) {
        board[y] = [...readLine()];         // such as "w.W.b", row 5 first
    }
    const cards = [];
    for (let i = 0; i < 5; i++) {
        // Owner, card, and four steps dx dy, filled up with 0 0.
        const [owner, id, ...numbers] = readLine().split(' ').map(Number);
        const steps = [];
        for (let j = 0; j < numbers.length; j += 2) {
            const dx = numbers[j], dy = numbers[j + 1];
            if (dx !== 0 || dy !== 0) steps.push([dx, dy]);
        }
        cards.push({ owner, id, steps });
    }
    return { board, cards };
}

const me = parseInt(readLine());            // my player: 0 or 1
while (true) {
    const position = readPosition();
    const count = parseInt(readLine());     // number of legal actions
    const actions = [];
    for (let i = 0; i < count; i++) actions.push(readLine());

    console.log(choose(position, actions, me));
}
