// A first bot for Dice Shogi. It rates every legal action by what it wins at once,
// less what the opponent can take in answer, and plays the best one.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace std;

const int SIZE = 5;
const map<char, int> VALUES = {{'.', 0}, {'P', 10}, {'S', 30}, {'G', 40}, {'B', 50}, {'R', 60}, {'K', 0}};

struct Piece {
    char kind = '.';        // K, G, S, B, R or P; '.' is an empty cell
    bool promoted = false;
    int owner = -1;         // 0 moves up the board, 1 moves down
};

struct Position {
    Piece board[SIZE][SIZE];    // [row][col]: row 0 is rank 1, col 0 is file 5
    string hands[2];            // the pieces each player can drop, such as "PB"
    int die;                    // 1 to 5: the only file to go to, if any can; 6: any
};

int value(const Piece& piece) {
    return VALUES.at(piece.kind) + (piece.promoted ? 20 : 0);
}

// The position after an action: "5453" moves, "4321+" moves and promotes, "P*43" drops.
Position apply(Position position, const string& action, int player) {
    Piece& target = position.board[action[3] - '1']['5' - action[2]];
    string& hand = position.hands[player];
    if (action[1] == '*') {
        char kind = toupper(action[0]);
        hand.erase(hand.find(kind), 1);
        target = {kind, false, player};
    } else {
        Piece& source = position.board[action[1] - '1']['5' - action[0]];
        if (target.owner >= 0) hand += target.kind;
        target = source;
        if (action.back() == '+') target.promoted = true;
        source = Piece();
    }
    return position;
}

// Can the piece on one cell go to the other, whatever stands there?
bool reaches(const Position& position, int row, int col, int toRow, int toCol) {
    const Piece& piece = position.board[row][col];
    int rows = toRow - row, cols = toCol - col;
    int forward = piece.owner == 0 ? -rows : rows;
    int distance = max(abs(rows), abs(cols));
    bool straight = rows == 0 || cols == 0, diagonal = abs(rows) == abs(cols);
    if (distance == 0) return false;
    if (piece.kind == 'B' || piece.kind == 'R') {
        if (distance == 1 && piece.promoted) return true;
        if (!(piece.kind == 'B' ? diagonal : straight)) return false;
        for (int i = 1; i < distance; i++) {
            if (position.board[row + rows / distance * i][col + cols / distance * i].owner >= 0) return false;
        }
        return true;
    }
    if (distance > 1) return false;
    if (piece.kind == 'K') return true;
    if (piece.kind == 'G' || piece.promoted) return forward >= 0 || cols == 0;
    if (piece.kind == 'S') return forward == 1 || diagonal;
    return forward == 1 && cols == 0;
}

// How much an action wins at once, and how much it leaves to the opponent.
int rate(const Position& position, const string& action, int me) {
    Position after = apply(position, action, me);
    int row = action[3] - '1', col = '5' - action[2];
    const Piece& piece = after.board[row][col];
    int score = value(position.board[row][col]);    // what it captures
    if (action.back() == '+') score += 20;
    if (piece.kind == 'K') score -= 5;              // the king stays at home

    bool attacked = false;
    for (int r = 0; r < SIZE; r++) {
        for (int c = 0; c < SIZE; c++) {
            const Piece& other = after.board[r][c];
            if (other.owner != 1 - me) continue;
            if (reaches(after, r, c, row, col)) attacked = true;
            if (other.kind == 'K') score -= max(abs(row - r), abs(col - c));
        }
    }
    // The opponent can take it back on 2 of 6 rolls: the file of the piece, and the 6.
    return attacked ? score - value(piece) / 3 : score;
}

string choose(const Position& position, const vector<string>& actions, int me) {
    // Your idea here: a better rating, or a look at the answers of the opponent.
    string best;
    int bestScore = 0;
    for (const string& action : actions) {
        int score = rate(position, action, me);
        if (best.empty() || score > bestScore) {
            best = action;
            bestScore = score;
        }
    }
    return best;
}

string readLine() {
    string line;
    if (!getline(cin, line)) exit(0);   // the game is over
    return line;
}

Position readPosition() {
    Position position;
    for (int row = 0; row < SIZE; row++) {
        string line = readLine();       // such as "r.+sgk": upper case is player 0, '+' is promoted
        size_t i = 0;
        for (int col = 0; col < SIZE; col++) {
            Piece& piece = position.board[row][col];
            if (line[i] == '+') {
                piece.promoted = true;
                i++;
            }
            char letter = line[i++];
            if (letter == '.') continue;
            piece.kind = toupper(letter);
            piece.owner = isupper(letter) ? 0 : 1;
        }
    }
    for (string& hand : position.hands) {
        for (char letter : readLine()) {    // such as "PB", or "-" if empty
            if (letter != '-') hand += toupper(letter);
        }
    }
    position.die = stoi(readLine());
    return position;
}

int main() {
    int me = stoi(readLine());      // my player: 0 or 1
    readLine();                     // size of the board: always 5
    while (true) {
        Position position = readPosition();
        string lastAction = readLine();     // what the opponent just played, or "none"
        int count = stoi(readLine());       // number of legal actions
        vector<string> actions;
        for (int i = 0; i < count; i++) actions.push_back(readLine());

        cout << choose(position, actions, me) << endl;
    }
}
