// A starter bot for Parlor: it reads lines from the referee and answers each `turn` with a move.
// The part to change is `choose` in bot.hpp.
#include "bot.hpp"

#include <iostream>

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        if (words(line) == Words{"quit"}) break;
        if (const auto move = answer(line)) {
            std::cout << *move << std::endl;  // endl flushes the buffer.
        }
    }
}
