import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Random;

/** A first bot for Parlor: it reads lines from the referee and answers each `turn` with a move. */
public class Bot {
    private static final Random RANDOM = new Random();

    /**
     * YOUR IDEAS GO HERE: return one of `moves`.
     *
     * @param game such as "kalah:6,4"
     * @param position the board as text; `parlor games` explains each game's
     * @param moves the legal moves, such as ["1", "2", "3"]; never empty
     * @param soFar the moves played so far
     * @param milliseconds how long you may think; whoever takes longer loses
     */
    static String choose(String game, String position, List<String> moves, List<String> soFar, long milliseconds) {
        // For a start any legal move will do. Better: judge what each move leads to, and return the best one.
        return moves.get(RANDOM.nextInt(moves.size()));
    }

    /** What to say to a line of the referee; null where it wants no answer. */
    static String answer(String line) {
        String[] fields = line.split("\t", -1);
        if (!fields[0].equals("turn")) {
            return null; // "new" and "end" tell of games; a bot may ignore them.
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
                System.out.flush(); // An answer that stays in a buffer never arrives.
            }
        }
    }
}
