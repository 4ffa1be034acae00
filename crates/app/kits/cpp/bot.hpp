// What the bot thinks: main.cpp talks to the referee, test.cpp tries this file out.
#pragma once

#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using Words = std::vector<std::string>;

// A random number below n.
inline std::size_t random_below(std::size_t n) {
    static std::mt19937 generator{std::random_device{}()};
    return std::uniform_int_distribution<std::size_t>{0, n - 1}(generator);
}

// YOUR STRATEGY GOES HERE: return one of `moves`.
//
// game          such as "kalah:6,4"
// position      the board as text; see `parlor games` for its notation
// moves         the legal moves, such as {"1", "2", "3"}; never empty
// so_far        the moves played so far
// milliseconds  time for this move; taking longer loses the game
inline std::string choose(const std::string& game, const std::string& position, const Words& moves,
                          const Words& so_far, long milliseconds) {
    // Any legal move works. Better: evaluate the position after each move, and return the best move.
    return moves[random_below(moves.size())];
}

// The parts of a text between separators; parts may be empty.
inline Words split(const std::string& text, char separator) {
    Words parts{""};
    for (char c : text) {
        if (c == separator) {
            parts.emplace_back();
        } else if (c != '\r' && c != '\n') {
            parts.back() += c;
        }
    }
    return parts;
}

// The words of a text between spaces.
inline Words words(const std::string& text) {
    std::istringstream in{text};
    Words found;
    for (std::string word; in >> word;) found.push_back(word);
    return found;
}

// Returns the answer to a line from the referee; nothing if no answer is expected.
inline std::optional<std::string> answer(const std::string& line) {
    const Words fields = split(line, '\t');
    if (fields[0] != "turn" || fields.size() < 6) return {};  // "new" and "end" may be ignored.
    return choose(fields[1], fields[2], words(fields[3]), words(fields[4]), std::stol(fields[5]));
}
