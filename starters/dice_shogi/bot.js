// A first bot for Dice Shogi. It rates every legal action by what it wins at once,
// less what the opponent can take in answer, and plays the best one.

const SIZE = 5;
const VALUES = { P: 10, S: 30, G: 40, B: 50, R: 60, K: 0 };

// position.board[row][col]: a piece or null; row 0 is rank 1, col 0 is file 5
//   piece.kind: K, G, S, B, R or P
//   piece.promoted: true or false
//   piece.owner: 0 moves up the board, 1 moves down
// position.hands[player]: the pieces this player can drop, such as ['P', 'B']
// position.die: 1 to 5, the only file to go to, if any can; 6: any

function value(piece) {
    return VALUES[piece.kind] + (piece.promoted ? 20 : 0);
}

// The position after an action: "5453" moves, "4321+" moves and promotes, "P*43" drops.
function apply(position, action, player) {
    const board = position.board.map(line => [...line]);
    const hands = position.hands.map(hand => [...hand]);
    const row = action[3] - 1, col = 5 - action[2];
    if (action[1] === '*') {
        const kind = action[0].toUpperCase();
        hands[player].splice(hands[player].indexOf(kind), 1);
        board[row][col] = { kind, promoted: false, owner: player };
    } else {
        const fromRow = action[1] - 1, fromCol = 5 - action[0];
        const piece = board[fromRow][fromCol];
        if (board[row][col]) hands[player].push(board[row][col].kind);
        board[row][col] = { ...piece, promoted: piece.promoted || action.endsWith('+') };
        board[fromRow][fromCol] = null;
    }
    return { ...position, board, hands };
}

// Can the piece on one cell go to the other, whatever stands there?
function reaches(board, row, col, toRow, toCol) {
    const piece = board[row][col];
    const rows = toRow - row, cols = toCol - col;
    const forward = piece.owner === 0 ? -rows : rows;
    const distance = Math.max(Math.abs(rows), Math.abs(cols));
    const straight = rows === 0 || cols === 0, diagonal = Math.abs(rows) === Math.abs(cols);
    if (distance === 0) return false;
    if (piece.kind === 'B' || piece.kind === 'R') {
        if (distance === 1 && piece.promoted) return true;
        if (!(piece.kind === 'B' ? diagonal : straight)) return false;
        for (let i = 1; i < distance; i++) {
            if (board[row + rows / distance * i][col + cols / distance * i]) return false;
        }
        return true;
    }
    if (distance > 1) return false;
    if (piece.kind === 'K') return true;
    if (piece.kind === 'G' || piece.promoted) return forward >= 0 || cols === 0;
    if (piece.kind === 'S') return forward === 1 || diagonal;
    return forward === 1 && cols === 0;
}

// How much an action wins at once, and how much it leaves to the opponent.
function rate(position, action, me) {
    const board = apply(position, action, me).board;
    const row = action[3] - 1, col = 5 - action[2];
    const piece = board[row][col], captured = position.board[row][col];
    let score = captured ? value(captured) : 0;
    if (action.endsWith('+')) score += 20;
    if (piece.kind === 'K') score -= 5;     // the king stays at home

    let attacked = false;
    for (let r = 0; r < SIZE; r++) {
        for (let c = 0; c < SIZE; c++) {
            const other = board[r][c];
            if (!other || other.owner === me) continue;
            if (reaches(board, r, c, row, col)) attacked = true;
            if (other.kind === 'K') score -= Math.max(Math.abs(row - r), Math.abs(col - c));
        }
    }
    // The opponent can take it back on 2 of 6 rolls: the file of the piece, and the 6.
    return attacked ? score - Math.floor(value(piece) / 3) : score;
}

function choose(position, actions, me) {
    // Your idea here: a better rating, or a look at the answers of the opponent.
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
    for (let row = 0; row < SIZE; row++) {
        // Such as "r.+sgk": upper case is player 0, '+' is promoted.
        board.push(readLine().match(/\+?./g).map(cell => {
            if (cell === '.') return null;
            const letter = cell[cell.length - 1], kind = letter.toUpperCase();
            return { kind, promoted: cell.length > 1, owner: letter === kind ? 0 : 1 };
        }));
    }
    const hands = [];
    for (let player = 0; player < 2; player++) {
        const line = readLine();            // such as "PB", or "-" if empty
        hands.push(line === '-' ? [] : [...line.toUpperCase()]);
    }
    const die = parseInt(readLine());
    return { board, hands, die };
}

const me = parseInt(readLine());            // my player: 0 or 1
readLine();                                 // size of the board: always 5
while (true) {
    const position = readPosition();
    const lastAction = readLine();          // what the opponent just played, or "none"
    const count = parseInt(readLine());     // number of legal actions
    const actions = [];
    for (let i = 0; i < count; i++) actions.push(readLine());

    console.log(choose(position, actions, me));
}
