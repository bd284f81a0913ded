//! Commands and options of other programs, and the ones that do the same here.

/// A row is an answer and the words that it answers: first words of a command line, and options,
/// some of them after their verb. The answer is a command, an option of the verbs that play, or a
/// sentence with these between backticks. The words are those of fastchess, cutechess-cli,
/// cg-brutaltester, psyleague and cgarena, and others that people try. The first row counts.
pub(super) const TABLE: &str = "
`arena duel GAME OLD NEW`, or `arena run CONFIG` | play game games
arena duel GAME OLD NEW | match fight versus vs battle contest challenge bout h2h head-to-head
arena duel GAME OLD NEW | --engine --each --quick --cmd --fcp --scp --both --conf --p --p1 --p2 --p3 --p4 --player
`arena duel GAME OLD NEW`, or `arena rate RUN` for runs that were played | compare diff
arena duel GAME OLD NEW --sprt 0,10 | regression fishtest
arena run CONFIG | tournament league ladder gauntlet round-robin roundrobin swiss knockout cup season r go
arena run CONFIG | launch exec execute serve server start evaluate eval benchmark bench simulate sim experiment sweep
arena run CONFIG | --config --conf-file -c -f
arena check GAME BOT | test validate lint try probe debug build compile make compliance --compliance --dry-run --check
arena init DIR | new create config configure setup generate scaffold template begin c
arena report RUN | show stats status results result standings leaderboard leaderboards scoreboard ranking table info
arena report RUN | summary view html s i --report --ratings --standings --best --recent --active
arena report RUN --follow | watch live monitor follow ui web dashboard --ratinginterval --scoreinterval --outcomeinterval
arena report RUN --follow | --watch
arena report RUN --html FILE | --html --page
arena report RUN --json | export json --output
arena report RUN --junit FILE | --junit
arena replay RUN | log logs replays history inspect --pgnout --pgn --epdout --log --logs --debug --replay -l
arena verify RUN | reproduce recheck --crc32
arena rate RUN RUN .. | merge combine --slice
arena rate RUN | rating ratings bayeselo ordo trueskill openskill glicko --model --resample
arena elo RUN | los significance confidence
arena elo --wdl 10,5,7 | wdl
arena elo --wdl W,D,L | elo --counts elo --penta elo --values
arena sprt --penta 1,2,3,4,5 | penta pentanomial llr
arena sprt --values 0,1/2,1 --counts 10,20,30 | counts
arena tune GAME BOT | optimize optimise spsa clop train tuning
arena import FILE | fetch download
arena list | ls languages variants protocols --protocols --variants --list
arena list rules GAME | rules rule statement statements protocol
arena list bots | bots engines players agents opponents --engines
only the referee ends a game; `arena list games` shows the games | --draw --resign --maxmoves --tb --tbpieces
only the referee ends a game; `arena list games` shows the games | --tbignore50 --tbadjudicate
arena list games | --variant --game
arena doctor | env health diagnose system machine
arena worker URL | workers client node agent cluster
arena --version | version --version -v
arena --help | usage man manual h
Ctrl-C stops a run, and `--resume --out DIR` continues it | stop kill quit pause cancel abort
a table [[bot]] in a config adds a bot, and `arena run CONFIG` plays it | add submit upload register promote b bot --src
without its table [[bot]], `arena run CONFIG` leaves a bot out | bot stop remove delete rm archive reject
NAME=COMMAND names a bot, as in `arena duel GAME old=./a new=./b` | rename update --name --description --new-name -d
the file of a referee is a game, as in `arena duel REFEREE OLD NEW` | referee --referee --jar -r -o --old
--resume --out DIR | continue resume restart --continue --recover --restart --autosaveinterval
--force --out DIR | clean clear reset wipe wipe-old-matches purge --overwrite --replace --clean
--games 200 | --games --rounds --count --matches --num-games --number -n -g
bots take all seats in turn, and `--games 200` counts each of these games | --repeat --swap --noswap --reverse -s
--seeds 3 | check --games check --rounds check -n check -g
--units 4000 | tune --games tune --rounds tune -n tune -g tune --iterations
--set clock.turn_ms=100 | --tc --st --time --movetime --turn-time --time-control --timeout --timemargin --turn-ms
--for 20m | --duration --max-time --time-limit --limit --minutes --hours
--jobs 2 | --concurrency --force-concurrency --threads --cores --cpus --parallel --processes --wait -t -w -p
--set run.pin=true | --use-affinity --affinity
--set run.format=gauntlet | --tournament --format --gauntlet
`--seed 1`, or `--set run.format=gauntlet` | --seeds
--seed 1 | --srand --random-seed --rng -i
--opening-plies 4 | --openings --opening --book --bookdepth --bookmode --plies
--sprt 0,10 | --elo0 --elo1 --alpha --beta --test
--out DIR | --dir --directory --folder --results --output-dir --event --site --outname
--quiet | --silent --testenv run -s
--verbose | --show-latency --latency --stats duel -v run -v tune -v report -v
--set run.stderr=turn | --stderr --trace
--set limits.memory_mb=512 | --memory --memory-mb --mem --ram
--sandbox off | --no-sandbox --unsafe
--idle 10m | --patience
";

/// The rows of a table: an answer, and words with blanks between.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter_map(|row| row.split_once(" | "))
}

/// Returns the beginning of the row of a table that has these words.
pub(super) fn find(table: &'static str, words: &str) -> Option<&'static str> {
    let words = format!(" {words} ");
    let (answer, _) = rows(table).find(|(_, row)| format!(" {row} ").contains(&words))?;
    Some(answer)
}

/// Returns what does the same as a word of another program, after `verb` or in place of one.
pub(super) fn answer(verb: &str, word: &str) -> Option<&'static str> {
    find(TABLE, &format!("{verb} {word}")).or_else(|| find(TABLE, word))
}

/// Returns an example of an option, from the answer that has one.
pub(super) fn example(option: &str) -> Option<&'static str> {
    let option = format!("{option} ");
    let (answer, place) =
        rows(TABLE).find_map(|(answer, _)| Some((answer, answer.find(&option)?)))?;
    answer[place..].split('`').next()
}
