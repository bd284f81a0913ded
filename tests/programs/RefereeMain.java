package com.codingame.gameengine.core;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Stands for the SDK in tests of how referees in Java are started: it plays one game, in which the seats are asked six times for
 * a number, and says which process that was. What a game leaves behind shows in the prompts of the next one, unless every game has
 * classes of its own. The option `leaves` names what is left behind all the same. A file `seats` in the class path fixes the number
 * of seats. A game for one player has a number as its test case; the sum of that and the answers is its score, and twelve in the
 * case 30 is a refused answer. In the case 7 both are lost.
 */
public class RefereeMain {
    static int played;
    static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    static List<String> read() throws Exception {
        String[] header = IN.readLine().replaceAll("[\\[\\]]", "").split(" ");
        List<String> lines = new ArrayList<>();
        for (int i = Integer.parseInt(header[1]); i > 0; i--) lines.add(IN.readLine());
        return lines;
    }

    static void send(String name, Object... lines) {
        System.out.println("[[" + name + "] " + lines.length + "]");
        for (Object line : lines) System.out.println(line);
    }

    public static void main(String[] args) throws Exception {
        List<String> init = read();
        read();
        String left = played++ + " " + System.getProperty("left") + " " + Locale.getDefault();
        if (init.contains("leaves=library")) left += " " + com.google.Library.played++;
        System.setProperty("left", "behind");
        Locale.setDefault(Locale.FRANCE);
        if (init.contains("leaves=thread")) {
            new Thread(() -> {
                while (true) try { Thread.sleep(1000); } catch (InterruptedException e) { }
            }).start();
        }
        int seats = Integer.parseInt(init.get(0));
        try (java.io.InputStream wanted = RefereeMain.class.getResourceAsStream("/seats")) {
            if (wanted != null && seats != wanted.read() - '0') {
                send("FAIL", "java.lang.IndexOutOfBoundsException: seat " + seats);
                return;
            }
        }
        long[] scores = new long[seats];
        for (int turn = 0; turn < 6; turn++) {
            if (turn == 0) send("SUMMARY", "process " + ProcessHandle.current().pid());
            send("NEXT_PLAYER_INPUT", init.get(1) + " turn " + turn + " after " + left);
            send("NEXT_PLAYER_INFO", turn % seats, 1, 5000);
            String answer = read().stream().findFirst().orElse("");
            read();
            scores[turn % seats] += answer.matches("\\d+") ? Long.parseLong(answer) : -1;
        }
        if (System.getProperty("game.mode").equals("solo")) {
            long points = scores[0] + Long.parseLong(init.get(1));
            boolean refused = points == 42;
            send("INFOS");
            send("INFOS", refused ? "¤RED¤$0: lost, twelve is too much§RED§" : "over", "Moves: 6");
            send("TOOLTIP", "month 6", 0);
            send("METADATA", refused ? "{}" : "{\"Points\":\"" + points + ".2\"}");
            scores[0] = refused || init.get(1).equals("7") ? 0 : 1;
        }
        Object[] lines = new Object[seats];
        for (int seat = 0; seat < seats; seat++) lines[seat] = seat + " " + scores[seat];
        send("SCORES", lines);
        System.out.flush();
    }
}
