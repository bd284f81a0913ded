package com.codingame.gameengine.core;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Stands for a referee made with the SDK whose league decides the game: both seats answer once, and the league counts their answers. */
public class RefereeMain {
    static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    static String read() throws Exception {
        String[] header = IN.readLine().replaceAll("[\\[\\]]", "").split(" ");
        String last = "";
        for (int i = Integer.parseInt(header[1]); i > 0; i--) last = IN.readLine();
        return last;
    }

    static void send(String name, Object... lines) {
        System.out.println("[[" + name + "] " + lines.length + "]");
        for (Object line : lines) System.out.println(line);
    }

    public static void main(String[] args) throws Exception {
        int league = Integer.parseInt(System.getProperty("league.level", "20"));
        read();
        read();
        int[] scores = new int[2];
        for (int seat = 0; seat < 2; seat++) {
            send("VIEW", (seat == 0 ? "KEY_FRAME " : "INTERMEDIATE_FRAME ") + seat);
            send("NEXT_PLAYER_INPUT", "league " + league);
            send("NEXT_PLAYER_INFO", seat, 1, 1000);
            String answer = read();
            read();
            scores[seat] = answer.matches("\\d+") ? league * Integer.parseInt(answer) : -1;
        }
        send("VIEW", "KEY_FRAME 2");
        send("SUMMARY", "times " + league);
        send("SCORES", "0 " + scores[0], "1 " + scores[1]);
        System.out.flush();
    }
}
