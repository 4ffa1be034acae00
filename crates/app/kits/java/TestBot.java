import java.util.List;

/** Run with: javac -d out Bot.java TestBot.java, then java -ea -cp out TestBot */
public class TestBot {
    private static final String TURN = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t1 2 3 4 5 6\t1\t5000";

    public static void main(String[] args) {
        for (int i = 0; i < 100; i++) {
            String move = Bot.answer(TURN);
            assert List.of("1", "2", "3", "4", "5", "6").contains(move) : "a turn is answered with a legal move, not " + move;
        }
        assert "f".equals(Bot.answer("turn\toware\tx\tf\t\t100")) : "the only move is played";
        assert Bot.answer("new\tkalah:6,4\tfirst") == null : "the news of a game wants no answer";
        assert Bot.answer("end\twin\tnormal") == null : "the end of a game wants no answer";
        if (!TestBot.class.desiredAssertionStatus()) {
            System.err.println("Nothing was tested: run it with java -ea");
            System.exit(1);
        }
        System.out.println("All tests pass.");
    }
}
