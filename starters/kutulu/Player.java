// A first bot for Code of Kutulu. It rates its own cell and the cells around it,
// flees from minions, keeps near the other explorers, and plans when it is calm.
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Scanner;

class Player {
    static final int FAR = 999;
    static final int SPAWNING = 0, WANDERING = 1, STALKING = 2, RUSHING = 3, STUNNED = 4;   // the states of minions

    // y grows downwards.
    record Cell(int x, int y) {}

    record Explorer(int id, Cell cell, int sanity, int plans, int lights) {}

    // kind: WANDERER or SLASHER; time: turns until it appears, or that it has left; target: id of an explorer, or -1.
    record Minion(String kind, Cell cell, int time, int state, int target) {}

    // kind: EFFECT_PLAN, EFFECT_LIGHT, EFFECT_YELL (at -1 -1) or EFFECT_SHELTER;
    // time: turns left, or the energy of a shelter; caster, receiver: ids of explorers, or -1.
    record Effect(String kind, Cell cell, int time, int caster, int receiver) {}

    static class Turn {
        List<Explorer> explorers = new ArrayList<>();   // I am the first
        List<Minion> minions = new ArrayList<>();
        List<Effect> effects = new ArrayList<>();
    }

    static String[] grid;   // '#' wall, 'w' spawn of wanderers, 'U' shelter, '.' floor

    static boolean isFloor(Cell cell) {
        if (cell.y < 0 || cell.y >= grid.length) return false;
        return cell.x >= 0 && cell.x < grid[cell.y].length() && grid[cell.y].charAt(cell.x) != '#';
    }

    static List<Cell> neighbours(Cell cell) {
        List<Cell> result = new ArrayList<>();
        for (int[] step : new int[][] {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}) {
            Cell next = new Cell(cell.x + step[0], cell.y + step[1]);
            if (isFloor(next)) result.add(next);
        }
        return result;
    }

    // Steps from a cell to every other one: [y][x], FAR if there is no way.
    static int[][] walk(Cell start) {
        int[][] steps = new int[grid.length][grid[0].length()];
        for (int[] line : steps) Arrays.fill(line, FAR);
        Queue<Cell> todo = new ArrayDeque<>();
        steps[start.y][start.x] = 0;
        todo.add(start);
        while (!todo.isEmpty()) {
            Cell cell = todo.remove();
            for (Cell next : neighbours(cell)) {
                if (steps[next.y][next.x] < FAR) continue;
                steps[next.y][next.x] = steps[cell.y][cell.x] + 1;
                todo.add(next);
            }
        }
        return steps;
    }

    static int manhattan(Cell a, Cell b) {
        return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
    }

    static int rate(Turn turn, Cell cell) {
        int[][] steps = walk(cell);
        int score = neighbours(cell).size();    // no dead ends
        for (Minion minion : turn.minions) {
            int distance = steps[minion.cell.y][minion.cell.x];
            int wait = minion.state == SPAWNING ? minion.time : 0;
            if (minion.kind.equals("WANDERER")) {
                int near = Math.max(0, 6 - distance - wait);
                score -= near * near;
            } else if (minion.state != STUNNED && wait <= 2) {
                // A slasher rushes at those it sees: in a line, with no wall between.
                boolean inLine = minion.cell.x == cell.x || minion.cell.y == cell.y;
                if (inLine && distance == manhattan(minion.cell, cell)) score -= 15;
            }
        }
        // Sanity goes slower within two cells of another explorer.
        int company = FAR, way = FAR;
        for (int i = 1; i < turn.explorers.size(); i++) {
            Cell other = turn.explorers.get(i).cell;
            company = Math.min(company, manhattan(cell, other));
            way = Math.min(way, steps[other.y][other.x]);
        }
        if (company > 2 && way < FAR) score -= 5 + way;
        for (Effect effect : turn.effects) {
            if (effect.kind.equals("EFFECT_SHELTER")) score += Math.max(0, 5 - steps[effect.cell.y][effect.cell.x]);
        }
        return score;
    }

    static String choose(Turn turn) {
        Explorer me = turn.explorers.get(0);
        boolean busy = false, calm = true;
        for (Effect effect : turn.effects) {
            if (effect.kind.equals("EFFECT_YELL") && effect.receiver == me.id) return "WAIT";   // I cannot move
            if (effect.caster == me.id) busy = true;
        }
        for (Minion minion : turn.minions) {
            if (minion.state != SPAWNING && manhattan(minion.cell, me.cell) <= 3) calm = false;
        }
        if (me.plans > 0 && me.sanity < 200 && !busy && calm) return "PLAN";

        // Your idea here: LIGHT leads minions elsewhere, YELL holds an explorer beside me for two turns.
        Cell best = me.cell;
        int bestScore = rate(turn, best);
        for (Cell cell : neighbours(me.cell)) {
            int score = rate(turn, cell);
            if (score > bestScore) {
                best = cell;
                bestScore = score;
            }
        }
        // Joined on every turn: Java takes tens of milliseconds for it once, and the first turn has them.
        String move = "MOVE " + best.x + " " + best.y;
        return manhattan(best, me.cell) == 0 ? "WAIT" : move;
    }

    static Scanner in = new Scanner(System.in);

    static String readLine() {
        if (!in.hasNextLine()) System.exit(0);      // the game is over
        return in.nextLine();
    }

    static Turn readTurn() {
        Turn turn = new Turn();
        int count = Integer.parseInt(readLine());   // number of entities
        for (int i = 0; i < count; i++) {
            String[] words = readLine().split(" ");
            String kind = words[0];
            int[] n = new int[7];
            for (int j = 1; j < 7; j++) n[j] = Integer.parseInt(words[j]);
            Cell cell = new Cell(n[2], n[3]);
            if (kind.equals("EXPLORER")) turn.explorers.add(new Explorer(n[1], cell, n[4], n[5], n[6]));
            else if (kind.startsWith("EFFECT")) turn.effects.add(new Effect(kind, cell, n[4], n[5], n[6]));
            else turn.minions.add(new Minion(kind, cell, n[4], n[5], n[6]));
        }
        return turn;
    }

    public static void main(String[] args) {
        readLine();                                     // width of the map
        grid = new String[Integer.parseInt(readLine())];    // height of the map
        for (int y = 0; y < grid.length; y++) grid[y] = readLine();
        String[] words = readLine().split(" ");
        int lossAlone = Integer.parseInt(words[0]);     // sanity lost per turn alone
        int lossInCompany = Integer.parseInt(words[1]); // and in company
        int spawnTime = Integer.parseInt(words[2]);     // turns until a wanderer appears
        int lifeTime = Integer.parseInt(words[3]);      // turns that it walks
        while (true) {
            System.out.println(choose(readTurn()));
        }
    }
}
