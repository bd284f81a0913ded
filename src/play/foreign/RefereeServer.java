// Plays game after game of an SDK referee in one JVM, each with its classes loaded anew, so that
// no static state outlives a game; only libraries (guice, guava, gson, log4j) are loaded once.
//   java .. --add-opens java.base/java.lang=ALL-UNNAMED -cp DIR RefereeServer CLASSPATH MAIN_CLASS
// Standard input: games in protocol `codingame`, one after another. When main has returned and the
// process is ready for the next INIT it says `[[DONE] 0]`. It ends with 1 if main throws; with 0 at
// end of input, and when a game left threads or memory behind: start another one then.
import java.io.*;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.*;
import java.util.regex.*;

/** What one game has as its standard input: its own frames, then end of file. */
public class RefereeServer extends InputStream {
    static final Pattern HEADER = Pattern.compile("\\[\\[(\\w+)\\] (\\d{1,9})\\]\\s*");
    static final OutputStream STDOUT = new FileOutputStream(FileDescriptor.out);
    static final InputStream STDIN = new BufferedInputStream(System.in);
    static byte[] line = {};  // of the input, handed out up to `at`; empty at its end
    static int at, body;      // body: how many lines of its frame are still to come
    static boolean init;      // the line begins a game
    static volatile RefereeServer game;
    volatile boolean begun, over, failed;
    final PrintStream out = new PrintStream(new BufferedOutputStream(STDOUT, 1 << 16) {
        @Override public void close() throws IOException { flush(); }
    }, false, StandardCharsets.UTF_8);

    @Override public int read() throws IOException {
        byte[] b = new byte[1];
        return read(b, 0, 1) < 0 ? -1 : b[0] & 255;
    }

    /** At most one line, so that nobody reads ahead into the next game. */
    @Override public int read(byte[] b, int off, int len) throws IOException {
        out.flush();  // here only: all blocks up to a question in one write
        synchronized (RefereeServer.class) {
            if (at == line.length) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                for (int c = 0; c != '\n' && (c = STDIN.read()) >= 0; ) bytes.write(c);
                line = bytes.toByteArray();
                at = 0;
                Matcher header = HEADER.matcher(body > 0 ? "" : bytes.toString("ISO-8859-1"));  // a bot's line is none
                boolean frame = header.matches();
                init = frame && header.group(1).equals("INIT");
                body = frame ? Integer.parseInt(header.group(2)) : Math.max(body - 1, 0);
            }
            if (over || line.length == 0 || init && at == 0 && begun) return -1;
            begun = true;
            int n = Math.min(len, line.length - at);
            System.arraycopy(line, at, b, off, n);
            at += n;
            return n;
        }
    }

    public static void main(String[] args) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String path : args[0].split(File.pathSeparator)) {
            boolean all = path.endsWith("*");  // as in Java's own class path: every jar of the folder
            File[] files = {new File(path)};
            if (all) files = new File(path).getAbsoluteFile().getParentFile().listFiles((dir, name) -> name.toLowerCase().endsWith(".jar"));
            if (files == null) continue;
            Arrays.sort(files);
            for (File file : files) urls.add(file.toURI().toURL());
        }
        URL[] classpath = urls.toArray(new URL[0]);
        Pattern once = Pattern.compile(System.getProperty("server.once",  // "" : load all anew
                "(com\\.google|org\\.(apache|aopalliance|slf4j|ow2|objectweb)|javax|jakarta|net\\.sf\\.cglib)\\..*"));
        URLClassLoader libraries = new URLClassLoader(classpath, ClassLoader.getPlatformClassLoader()) {
            @Override protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (once.matcher(name).matches()) return super.findClass(name);
                throw new ClassNotFoundException(name);
            }
        };
        System.setProperty("java.class.path", args[0]);
        System.setProperty("log4j2.disableJmx", "true");  // log4j would keep the classes of each game
        System.setProperty("log4j.shutdownHookEnabled", "false");
        System.setProperty("Log4jContextSelector", "org.apache.logging.log4j.core.selector.BasicContextSelector");
        Properties properties = (Properties) System.getProperties().clone();
        Locale locale = Locale.getDefault();
        PrintStream err = System.err;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> game.out.flush()));
        ThreadGroup group = new ThreadGroup("games");
        List<WeakReference<?>> loaders = new LinkedList<>();
        for (int played = 1; ; played++) {
            game = new RefereeServer();
            game.begun = true;
            while (game.read(new byte[8192], 0, 8192) > 0) { }  // what the last game left unread
            if (line.length == 0) System.exit(0);
            game.begun = false;
            URLClassLoader loader = new URLClassLoader(classpath, libraries);
            loaders.add(new WeakReference<>(loader));
            System.setProperties((Properties) properties.clone());
            Locale.setDefault(locale);
            TimeZone.setDefault(null);
            Thread.setDefaultUncaughtExceptionHandler(null);
            System.setIn(game);
            System.setOut(game.out);
            System.setErr(err);
            Thread main = new Thread(group, () -> {
                try {
                    loader.loadClass(args[1]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                } catch (Throwable e) {
                    game.failed = true;
                    (e instanceof InvocationTargetException ? e.getCause() : e).printStackTrace(err);
                }
            }, "main");
            main.setContextClassLoader(loader);
            main.start();
            main.join();
            if (game.failed || !game.begun) System.exit(1);
            game.over = true;
            game.out.close();
            Thread[] left = new Thread[group.activeCount() + 64];
            group.enumerate(left);
            for (Thread thread : left) if (thread != null) thread.interrupt();
            for (Thread thread : left) {
                if (thread == null || thread.isDaemon()) continue;
                thread.join(1000);
                if (thread.isAlive()) end(err, thread + " goes on");
            }
            loader.close();
            if (played % 16 == 0) {
                System.gc();
                loaders.removeIf(old -> old.get() == null);
                if (loaders.size() > 8) end(err, loaders.size() + " games keep their classes");
            }
            STDOUT.write("[[DONE] 0]\n".getBytes());
        }
    }

    static void end(PrintStream err, String why) {
        err.println("RefereeServer ends: " + why);
        System.exit(0);
    }
}
