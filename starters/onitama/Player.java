// A first bot for Onitama. It rates every legal action by what it wins at once,
// less what the opponent can win in answer, and plays the best one.
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

class Player {
    static final int SIZE = 5;
    static final int WIN = 1000, STUDENT = 10;

    static class Card {
        int owner;      // 0 or 1, -1 for the card in the centre
        int id;
        List<int[]> steps = new ArrayList<>();      // {dx, dy} on the board as it is printed, for its owner
    }

    static class Position {
        char[][] board = new char[SIZE][];      // [y][x]: y 0 is row 1, x 0 is column A; wW are player 0, bB player 1
        List<Card> cards = new ArrayList<>();   // two of player 0, two of player 1, the centre
    }

    // The player whose piece this is, or -1 for an empty cell.
    static int owner(char piece) {
        if (piece == '.') return -1;
        return Character.toLowerCase(piece) == 'w' ? 0 : 1;
    }

    // What a move wins at once.
    static int gain(char[][] board, int x, int y, int toX, int toY) {
        char piece = board[y][x], target = board[toY][toX];
        int shrine = owner(piece) == 0 ? SIZE - 1 : 0;      // row of the opponent's shrine
        if (Character.isUpperCase(target)) return WIN;
        if (Character.isUpperCase(piece) && toX == 2 && toY == shrine) return WIN;
        return target == '.' ? 0 : STUDENT;
    }

    // The most that a player can win with one move.
    static int bestGain(char[][] board, List<Card> cards, int player) {
        int best = 0;
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                if (owner(board[y][x]) != player) continue;
                for (Card card : cards) {
                    if (card.owner != player) continue;
                    for (int[] step : card.steps) {
                        int toX = x + step[0], toY = y + step[1];
                        if (toX < 0 || toX >= SIZE || toY < 0 || toY >= SIZE) continue;
                        if (owner(board[toY][toX]) == player) continue;
                        best = Math.max(best, gain(board, x, y, toX, toY));
                    }
                }
            }
        }
        return best;
    }

    static int rate(Position position, String action, int me) {
        String move = action.split(" ")[1];     // "8 C1D2": card 8, from C1 to D2
        if (move.equals("PASS")) return 0;      // only when nothing can move
        int x = move.charAt(0) - 'A', y = move.charAt(1) - '1';
        int toX = move.charAt(2) - 'A', toY = move.charAt(3) - '1';
        int won = gain(position.board, x, y, toX, toY);
        if (won == WIN) return WIN;
        char[][] board = new char[SIZE][];
        for (int row = 0; row < SIZE; row++) board[row] = position.board[row].clone();
        board[toY][toX] = board[y][x];
        board[y][x] = '.';
        int shrine = me == 0 ? SIZE - 1 : 0;
        int distance = Math.max(Math.abs(toX - 2), Math.abs(toY - shrine));
        return won - bestGain(board, position.cards, 1 - me) - distance;
    }

    static String choose(Position position, List<String> actions, int me) {
        // Your idea here: exchange the cards after an action, and look further ahead.
        String best = null;
        int bestScore = 0;
        for (String action : actions) {
            int score = rate(position, action, me);
            if (best == null || score > bestScore) {
                best = action;
                bestScore = score;
            }
        }
        return best;
    }

    static Scanner in = new Scanner(System.in);

    static String readLine() {
        if (!in.hasNextLine()) System.exit(0);      // the game is over
        return in.nextLine();
    }

    static Position readPosition() {
        Position position = new Position();
        for (int y = SIZE - 1; y >= 0; y--) {
            position.board[y] = readLine().toCharArray();       // such as "w.W.b", row 5 first
        }
        for (int i = 0; i < 5; i++) {
            String[] numbers = readLine().split(" ");   // owner, card, and four steps dx dy, filled up with 0 0
            Card card = new Card();
            card.owner = Integer.parseInt(numbers[0]);
            card.id = Integer.parseInt(numbers[1]);
            for (int j = 2; j < numbers.length; j += 2) {
                int dx = Integer.parseInt(numbers[j]), dy = Integer.parseInt(numbers[j + 1]);
                if (dx != 0 || dy != 0) card.steps.add(new int[] {dx, dy});
            }
            position.cards.add(card);
        }
        return position;
    }

    public static void main(String[] args) {
        int me = Integer.parseInt(readLine());          // my player: 0 or 1
        while (true) {
            Position position = readPosition();
            int count = Integer.parseInt(readLine());   // number of legal actions
            List<String> actions = new ArrayList<>();
            for (int i = 0; i < count; i++) actions.add(readLine());

            System.out.println(choose(position, actions, me));
        }
    }
}
