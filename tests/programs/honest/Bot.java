import java.util.Scanner;
import java.util.stream.IntStream;

/** An honest bot: a parallel stream that leaves 2 MB of garbage in each turn, beside the threads of the compiler and the collector. */
class Bot {
    static final int PIECES = 64;
    static final int[][] kept = new int[PIECES][];

    static int compute(int piece) {
        int[] numbers = new int[8192];
        for (int i = 1; i < numbers.length; i++) numbers[i] = numbers[i - 1] * 1664525 + piece;
        kept[piece] = numbers;
        return numbers[numbers.length - 1];
    }

    /** Plays MiniShogi and Dice Shogi so that a game lasts long: the piece that stays furthest back moves. */
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int seat = in.nextInt();
        in.next();
        while (in.hasNext()) {
            for (int i = 0; i < 7; i++) in.next();
            // The roll of Dice Shogi, or the last action.
            if (in.next().length() == 1) in.next();
            String best = null;
            for (int count = in.nextInt(); count > 0; count--) {
                String action = in.next();
                int further = best == null ? 0 : action.charAt(3) - best.charAt(3);
                if (best == null || (seat == 0 ? further > 0 : further < 0)) best = action;
            }
            IntStream.range(0, PIECES).parallel().map(Bot::compute).sum();
            System.out.println(best);
        }
    }
}
