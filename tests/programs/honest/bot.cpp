// An honest bot whose work is spread over others, as the argument says:
// * `threads`: four threads search together, and like those of OpenMP spin for a moment before they sleep;
// * `ponder`: the same, but they work until the next prompt. arena stops them, and they do nothing against it;
// * `forks`: three children compute in each turn, each in a session of its own, and are waited for.
#include <atomic>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

const int PIECES = 60;
const int SPINS = 6;

// Reads a prompt of MiniShogi or Dice Shogi, and answers so that a game lasts long: the piece that stays furthest back moves.
// Nothing at the end of the input.
std::string next_answer() {
    static int seat = -1;
    std::string line, best;
    if (seat < 0) std::cin >> seat >> line;
    for (int i = 0; i < 8; i++) std::cin >> line;
    // The roll of Dice Shogi, or the last action.
    if (line.size() == 1) std::cin >> line;
    int count = 0;
    for (std::cin >> count; count > 0; count--) {
        std::cin >> line;
        if (best.empty() || (seat == 0 ? line[3] > best[3] : line[3] < best[3])) best = line;
    }
    return best;
}

// A piece of work, about 50 microseconds.
unsigned compute(unsigned seed) {
    for (int i = 0; i < 15'000; i++) seed = seed * 1664525 + (seed >> 7) + 1013904223;
    return seed;
}

std::atomic<int> turn{0}, left{0}, busy{0};
std::atomic<unsigned> sum{0};

void search_turns(bool ponders) {
    for (int seen = 0;;) {
        for (int spins = 0; turn == seen && (ponders || spins < SPINS); spins++) sum += compute(seen);
        turn.wait(seen);
        seen = turn;
        while (left-- > 0) sum += compute(seen);
        busy--;
    }
}

void search_in_threads() {
    busy = 4;
    left = PIECES;
    turn++;
    turn.notify_all();
    while (busy > 0) std::this_thread::yield();
}

void search_in_children() {
    for (unsigned child = 0; child < 3; child++) {
        if (fork() == 0) {
            setsid();
            unsigned found = child;
            for (int i = 0; i < PIECES / 3; i++) found = compute(found);
            _exit(found & 1);
        }
    }
    while (wait(nullptr) > 0) {}
}

int main(int, char **arguments) {
    const std::string mode = arguments[1];
    for (int i = 0; i < 4 && mode != "forks"; i++) std::thread(search_turns, mode == "ponder").detach();
    for (std::string answer; !(answer = next_answer()).empty();) {
        if (mode == "forks") search_in_children();
        else search_in_threads();
        std::cout << answer << std::endl;
    }
    _exit(0);
}
