// A first bot for Code of Kutulu. It rates its own cell and the cells around it,
// flees from minions, keeps near the other explorers, and plans when it is calm.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

using namespace std;

const int FAR = 999;
enum { SPAWNING, WANDERING, STALKING, RUSHING, STUNNED };   // the states of minions

struct Cell {
    int x, y;       // y grows downwards
};

struct Explorer {
    int id;
    Cell cell;
    int sanity, plans, lights;
};

struct Minion {
    string kind;    // WANDERER or SLASHER
    Cell cell;
    int time;       // turns until it appears, or that it has left
    int state;
    int target;     // id of an explorer, or -1
};

struct Effect {
    string kind;    // EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL or EFFECT_SHELTER
    Cell cell;      // of a yell: -1 -1
    int time;       // turns left; of a shelter, its energy
    int caster, receiver;   // ids of explorers, or -1
};

struct Turn {
    vector<Explorer> explorers;     // I am the first
    vector<Minion> minions;
    vector<Effect> effects;
};

vector<string> grid;    // '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor

bool isFloor(Cell cell) {
    if (cell.y < 0 || cell.y >= (int)grid.size()) return false;
    return cell.x >= 0 && cell.x < (int)grid[cell.y].size() && grid[cell.y][cell.x] != '#';
}

vector<Cell> neighbours(Cell cell) {
    vector<Cell> result;
    for (Cell next : {Cell{cell.x, cell.y - 1}, {cell.x + 1, cell.y}, {cell.x, cell.y + 1}, {cell.x - 1, cell.y}}) {
        if (isFloor(next)) result.push_back(next);
    }
    return result;
}

// Steps from a cell to every other one: [y][x], FAR if there is no way.
vector<vector<int>> walk(Cell start) {
    vector<vector<int>> steps(grid.size(), vector<int>(grid[0].size(), FAR));
    queue<Cell> todo;
    steps[start.y][start.x] = 0;
    todo.push(start);
    while (!todo.empty()) {
        Cell cell = todo.front();
        todo.pop();
        for (Cell next : neighbours(cell)) {
            if (steps[next.y][next.x] < FAR) continue;
            steps[next.y][next.x] = steps[cell.y][cell.x] + 1;
            todo.push(next);
        }
    }
    return steps;
}

int manhattan(Cell a, Cell b) {
    return abs(a.x - b.x) + abs(a.y - b.y);
}

int rate(const Turn& turn, Cell cell) {
    vector<vector<int>> steps = walk(cell);
    int score = neighbours(cell).size();    // no dead ends
    for (const Minion& minion : turn.minions) {
        int distance = steps[minion.cell.y][minion.cell.x];
        int wait = minion.state == SPAWNING ? minion.time : 0;
        if (minion.kind == "WANDERER") {
            int near = max(0, 6 - distance - wait);
            score -= near * near;
        } else if (minion.state != STUNNED && wait <= 2) {
            // A slasher rushes at those it sees: in a line, with no wall between.
            bool inLine = minion.cell.x == cell.x || minion.cell.y == cell.y;
            if (inLine && distance == manhattan(minion.cell, cell)) score -= 15;
        }
    }
    // Sanity goes slower within two cells of another explorer.
    int company = FAR, way = FAR;
    for (size_t i = 1; i < turn.explorers.size(); i++) {
        Cell other = turn.explorers[i].cell;
        company = min(company, manhattan(cell, other));
        way = min(way, steps[other.y][other.x]);
    }
    if (company > 2 && way < FAR) score -= 5 + way;
    for (const Effect& effect : turn.effects) {
        if (effect.kind == "EFFECT_SHELTER") score += max(0, 5 - steps[effect.cell.y][effect.cell.x]);
    }
    return score;
}

string choose(const Turn& turn) {
    const Explorer& me = turn.explorers[0];
    bool busy = false, calm = true;
    for (const Effect& effect : turn.effects) {
        if (effect.kind == "EFFECT_YELL" && effect.receiver == me.id) return "WAIT";    // I cannot move
        if (effect.caster == me.id) busy = true;
    }
    for (const Minion& minion : turn.minions) {
        if (minion.state != SPAWNING && manhattan(minion.cell, me.cell) <= 3) calm = false;
    }
    if (me.plans > 0 && me.sanity < 200 && !busy && calm) return "PLAN";

    // Your idea here: LIGHT leads minions elsewhere, YELL holds an explorer beside me for two turns.
    Cell best = me.cell;
    int bestScore = rate(turn, best);
    for (Cell cell : neighbours(me.cell)) {
        int score = rate(turn, cell);
        if (score > bestScore) {
            best = cell;
            bestScore = score;
        }
    }
    if (manhattan(best, me.cell) == 0) return "WAIT";
    return "MOVE " + to_string(best.x) + " " + to_string(best.y);
}

string readLine() {
    string line;
    if (!getline(cin, line)) exit(0);   // the game is over
    return line;
}

Turn readTurn() {
    Turn turn;
    int count = stoi(readLine());       // number of entities
    for (int i = 0; i < count; i++) {
        istringstream line(readLine());
        string kind;
        int id, x, y, a, b, c;
        line >> kind >> id >> x >> y >> a >> b >> c;
        if (kind == "EXPLORER") turn.explorers.push_back({id, {x, y}, a, b, c});
        else if (kind == "WANDERER" || kind == "SLASHER") turn.minions.push_back({kind, {x, y}, a, b, c});
        else turn.effects.push_back({kind, {x, y}, a, b, c});
    }
    return turn;
}

int main() {
    readLine();                         // width of the map
    int height = stoi(readLine());      // height of the map
    for (int y = 0; y < height; y++) grid.push_back(readLine());
    istringstream line(readLine());
    // Sanity lost per turn alone and in company, turns until a wanderer appears and that it walks.
    int lossAlone, lossInCompany, spawnTime, lifeTime;
    line >> lossAlone >> lossInCompany >> spawnTime >> lifeTime;
    while (true) {
        cout << choose(readTurn()) << endl;
    }
}
