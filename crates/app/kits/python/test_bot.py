"""Run with: python3 -m unittest"""

import unittest

import bot

TURN = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t1 2 3 4 5 6\t1\t5000\n"


class BotTest(unittest.TestCase):
    def test_a_turn_is_answered_with_a_legal_move(self):
        for _ in range(100):
            self.assertIn(bot.answer(TURN), ["1", "2", "3", "4", "5", "6"])

    def test_the_only_move_is_played(self):
        self.assertEqual(bot.answer("turn\toware\tx\tf\t\t100\n"), "f")

    def test_news_of_games_wants_no_answer(self):
        self.assertIsNone(bot.answer("new\tkalah:6,4\tfirst\n"))
        self.assertIsNone(bot.answer("end\twin\tnormal\n"))


if __name__ == "__main__":
    unittest.main()
