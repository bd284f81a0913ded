// A first bot for Onitama. It rates every legal action by what it wins at once,
// less what the opponent can win in answer, and plays the best one.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace std;

const int SIZE = 5;
const int WIN = 1000, STUDENT = 10;

struct Card {
    int owner, id;                  // owner: 0 or 1, -1 for the card in the centre
    vector<pair<int, int>> steps;   // (dx, dy) on the board as it is printed, for its owner
};

struct Position {
    char board[SIZE][SIZE];     // [y][x]: y 0 is row 1, x 0 is column A; wW are player 0, bB player 1
    vector<Card> cards;         // two of player 0, two of player 1, the centre
};

// The player whose piece this is, or -1 for an empty cell.
int owner(char piece) {
    if (piece == '.') return -1;
    return tolower(piece) == 'w' ? 0 : 1;
}

// What a move wins at once.
int gain(const Position& position, int x, int y, int toX, int toY) {
    char piece = position.board[y][x], target = position.board[toY][toX];
    int shrine = owner(piece) == 0 ? SIZE - 1 : 0;      // row of the opponent's shrine
    if (isupper(target)) return WIN;
    if (isupper(piece) && toX == 2 && toY == shrine) return WIN;
    return target == '.' ? 0 : STUDENT;
}

// The most that a player can win with one move.
int bestGain(const Position& position, int player) {
    int best = 0;
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            if (owner(position.board[y][x]) != player) continue;
            for (const Card& card : position.cards) {
                if (card.owner != player) continue;
                for (auto [dx, dy] : card.steps) {
                    int toX = x + dx, toY = y + dy;
                    if (toX < 0 || toX >= SIZE || toY < 0 || toY >= SIZE) continue;
                    if (owner(position.board[toY][toX]) == player) continue;
                    best = max(best, gain(position, x, y, toX, toY));
                }
            }
        }
    }
    return best;
}

int rate(Position position, const string& action, int me) {
    string move = action.substr(action.find(' ') + 1);      // "8 C1D2": card 8, from C1 to D2
    if (move == "PASS") return 0;                           // only when nothing can move
    int x = move[0] - 'A', y = move[1] - '1', toX = move[2] - 'A', toY = move[3] - '1';
    int won = gain(position, x, y, toX, toY);
    if (won == WIN) return WIN;
    position.board[toY][toX] = position.board[y][x];
    position.board[y][x] = '.';
    int shrine = me == 0 ? SIZE - 1 : 0;
    int distance = max(abs(toX - 2), abs(toY - shrine));
    return won - bestGain(position, 1 - me) - distance;
}

string choose(const Position& position, const vector<string>& actions, int me) {
    // Your idea here: exchange the cards after an action, and look further ahead.
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
    for (int y = SIZE - 1; y >= 0; y--) {
        string line = readLine();       // such as "w.W.b", row 5 first
        for (int x = 0; x < SIZE; x++) position.board[y][x] = line[x];
    }
    for (int i = 0; i < 5; i++) {
        istringstream line(readLine());     // owner, card, and four steps dx dy, filled up with 0 0
        Card card;
        line >> card.owner >> card.id;
        int dx, dy;
        while (line >> dx >> dy) {
            if (dx != 0 || dy != 0) card.steps.push_back({dx, dy});
        }
        position.cards.push_back(card);
    }
    return position;
}

int main() {
    int me = stoi(readLine());      // my player: 0 or 1
    while (true) {
        Position position = readPosition();
        int count = stoi(readLine());       // number of legal actions
        vector<string> actions;
        for (int i = 0; i < count; i++) actions.push_back(readLine());

        cout << choose(position, actions, me) << endl;
    }
}
