// Run with: make test
#include "bot.hpp"

#include <cstdlib>
#include <iostream>

static void check(bool holds, const char* sentence) {
    if (holds) return;
    std::cerr << "This does not hold: " << sentence << std::endl;
    std::exit(1);
}

int main() {
    const std::string turn = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t1 2 3 4 5 6\t1\t5000";
    for (int i = 0; i < 100; ++i) {
        const std::string move = answer(turn).value_or("nothing");
        check(move.size() == 1 && move >= "1" && move <= "6", "a turn is answered with a legal move");
    }
    check(answer("turn\toware\tx\tf\t\t100") == "f", "the only move is played");
    check(!answer("new\tkalah:6,4\tfirst"), "the news of a game wants no answer");
    check(!answer("end\twin\tnormal"), "the end of a game wants no answer");
    std::cout << "All tests pass." << std::endl;
}
