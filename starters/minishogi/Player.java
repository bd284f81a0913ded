// A first bot for Mini Shogi. It rates every legal action by what it wins at once,
// less what the opponent can take in answer, and plays the best one.
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

class Player {
    static final int SIZE = 5;
    static final Map<Character, Integer> VALUES = Map.of('P', 10, 'S', 30, 'G', 40, 'B', 50, 'R', 60, 'K', 0);

    static class Piece {
        char kind;          // K, G, S, B, R or P
        boolean promoted;
        int owner;          // 0 moves up the board, 1 moves down

        Piece(char kind, boolean promoted, int owner) {
            this.kind = kind;
            this.promoted = promoted;
            this.owner = owner;
        }

        int value() {
            return VALUES.get(kind) + (promoted ? 20 : 0);
        }
    }

    static class Position {
        Piece[][] board = new Piece[SIZE][SIZE];    // [row][col], null is an empty cell; row 0 is rank 1, col 0 file 5
        String[] hands = new String[2];             // the pieces each player can drop, such as "PB"
    }

    // The position after an action: "5453" moves, "4321+" moves and promotes, "P*43" drops.
    static Position apply(Position before, String action, int player) {
        Position after = new Position();
        for (int row = 0; row < SIZE; row++) after.board[row] = before.board[row].clone();
        after.hands = before.hands.clone();
        int row = action.charAt(3) - '1', col = '5' - action.charAt(2);
        if (action.charAt(1) == '*') {
            char kind = Character.toUpperCase(action.charAt(0));
            after.hands[player] = after.hands[player].replaceFirst(String.valueOf(kind), "");
            after.board[row][col] = new Piece(kind, false, player);
        } else {
            int fromRow = action.charAt(1) - '1', fromCol = '5' - action.charAt(0);
            Piece piece = before.board[fromRow][fromCol], captured = before.board[row][col];
            // Not with +, which takes tens of milliseconds when it first joins strings.
            if (captured != null) after.hands[player] = after.hands[player].concat(String.valueOf(captured.kind));
            after.board[row][col] = new Piece(piece.kind, piece.promoted || action.endsWith("+"), player);
            after.board[fromRow][fromCol] = null;
        }
        return after;
    }

    // Can the piece on one cell go to the other, whatever stands there?
    static boolean reaches(Piece[][] board, int row, int col, int toRow, int toCol) {
        Piece piece = board[row][col];
        int rows = toRow - row, cols = toCol - col;
        int forward = piece.owner == 0 ? -rows : rows;
        int distance = Math.max(Math.abs(rows), Math.abs(cols));
        boolean straight = rows == 0 || cols == 0, diagonal = Math.abs(rows) == Math.abs(cols);
        if (distance == 0) return false;
        if (piece.kind == 'B' || piece.kind == 'R') {
            if (distance == 1 && piece.promoted) return true;
            if (!(piece.kind == 'B' ? diagonal : straight)) return false;
            for (int i = 1; i < distance; i++) {
                if (board[row + rows / distance * i][col + cols / distance * i] != null) return false;
            }
            return true;
        }
        if (distance > 1) return false;
        if (piece.kind == 'K') return true;
        if (piece.kind == 'G' || piece.promoted) return forward >= 0 || cols == 0;
        if (piece.kind == 'S') return forward == 1 || diagonal;
        return forward == 1 && cols == 0;
    }

    // How much an action wins at once, and how much it leaves to the opponent.
    static int rate(Position position, String action, int me) {
        Piece[][] board = apply(position, action, me).board;
        int row = action.charAt(3) - '1', col = '5' - action.charAt(2);
        Piece piece = board[row][col], captured = position.board[row][col];
        int score = captured == null ? 0 : captured.value();
        if (action.endsWith("+")) score += 20;
        if (piece.kind == 'K') score -= 5;      // the king stays at home

        boolean attacked = false;
        for (int r = 0; r < SIZE; r++) {
            for (int c = 0; c < SIZE; c++) {
                Piece other = board[r][c];
                if (other == null || other.owner == me) continue;
                if (reaches(board, r, c, row, col)) attacked = true;
                if (other.kind == 'K') score -= Math.max(Math.abs(row - r), Math.abs(col - c));
            }
        }
        return attacked ? score - piece.value() : score;
    }

    static String choose(Position position, List<String> actions, int me) {
        // Your idea here: a better rating, or a look at the answers of the opponent.
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
        for (int row = 0; row < SIZE; row++) {
            String line = readLine();       // such as "r.+sgk": upper case is player 0, '+' is promoted
            int i = 0;
            for (int col = 0; col < SIZE; col++) {
                boolean promoted = line.charAt(i) == '+';
                if (promoted) i++;
                char letter = line.charAt(i++);
                if (letter == '.') continue;
                int owner = Character.isUpperCase(letter) ? 0 : 1;
                position.board[row][col] = new Piece(Character.toUpperCase(letter), promoted, owner);
            }
        }
        for (int player = 0; player < 2; player++) {
            position.hands[player] = readLine().toUpperCase().replace("-", "");     // such as "PB", or "-" if empty
        }
        return position;
    }

    public static void main(String[] args) {
        int me = Integer.parseInt(readLine());          // my player: 0 or 1
        readLine();                                     // size of the board: always 5
        while (true) {
            Position position = readPosition();
            String lastAction = readLine();             // what the opponent just played, or "none"
            int count = Integer.parseInt(readLine());   // number of legal actions
            List<String> actions = new ArrayList<>();
            for (int i = 0; i < count; i++) actions.add(readLine());

            System.out.println(choose(position, actions, me));
        }
    }
}
