import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Random;

/** A starter bot for Parlor: it reads lines from the referee and answers each `turn` with a move. */
public class Bot {
    private static final Random RANDOM = new Random();

    /**
     * YOUR STRATEGY GOES HERE: return one of `moves`.
     *
     * @param game such as "kalah:6,4"
     * @param position the board as text; see `parlor games` for its notation
     * @param moves the legal moves, such as ["1", "2", "3"]; never empty
     * @param soFar the moves played so far
     * @param milliseconds time for this move; taking longer loses the game
     */
    static String choose(String game, String position, List<String> moves, List<String> soFar, long milliseconds) {
        // Any legal move works. Better: evaluate the position after each move, and return the best move.
        return moves.get(RANDOM.nextInt(moves.size()));
    }

    /** Returns the answer to a line from the referee; null if no answer is expected. */
    static String answer(String line) {
        String[] fields = line.split("\t", -1);
        if (!fields[0].equals("turn")) {
            return null; // "new" and "end" announce games; a bot may ignore them.
        }
        return choose(fields[1], fields[2], words(fields[3]), words(fields[4]), Long.parseLong(fields[5].trim()));
    }

    /** The words of a text between spaces. */
    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.trim().split(" +"));
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.trim().equals("quit"); line = in.readLine()) {
            String move = answer(line);
            if (move != null) {
                System.out.println(move);
                System.out.flush(); // Without a flush the answer stays in the buffer.
            }
        }
    }
}
