//! Bots, well-behaved and hostile. The limit [`LONG`] never passes if a test succeeds, and a
//! failure other than a timeout was noticed before the limit.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use allocation_counter::measure;

use super::{
    LONG, ask, assert_replies, eventually, interrupt, launch, reply_to, shell, started, state,
    unconfined,
};
use crate::{AskError, Bot, Failure, Launch, find_program};

/// A limit for bots that should miss it.
const SHORT: Duration = Duration::from_millis(100);

#[expect(clippy::unnecessary_wraps, reason = "it is compared with replies")]
fn line(text: &str) -> Result<String, Failure> {
    Ok(text.to_owned())
}

fn is_dead(pid: &str) -> bool {
    // We don't reap the orphans of a dead bot.
    matches!(state(pid), None | Some('Z' | 'X'))
}

#[test]
fn a_bot_answers_turn_after_turn() {
    let mut bot = shell("while read a; do read b; echo $b $a; done");
    for turn in 0..100 {
        let reply = reply_to(&mut bot, &format!("a{turn}\nb{turn}\n"), LONG);
        assert_eq!(reply, line(&format!("b{turn} a{turn}")));
    }
    assert_ends(bot, "stopped by the arena", "");
}

#[test]
fn an_instant_answer_allocates_nothing() {
    let mut bot = shell("while read a; do echo $a; done");
    for lines in [1, 2] {
        let prompt = "go\n".repeat(lines);
        let mut count = || {
            let ask = || {
                bot.ask(&prompt, lines, LONG, &mut |_| {}).unwrap();
            };
            measure(ask).count_total
        };
        // The first ones fill the buffers, and on a busy machine some aren't instant.
        let without = (0..100).filter(|_| count() == 0).count();
        assert!(without >= 10, "{lines} lines: only {without} of 100");
    }
}

fn assert_ends(bot: Bot, end: &str, stderr: &str) {
    let exit = bot.stop();
    assert_eq!((&*exit.to_string(), &*exit.stderr_tail), (end, stderr));
}

#[test]
fn the_seed_reaches_command_and_environment() {
    let shows = "echo $0 $1 $ARENA_SEED $OWN";
    let mut launch = launch(&["sh", "-c", shows, "{seed}", "-s={seed}{seed}"]);
    launch.env.insert("OWN".into(), "x{seed}".into());
    let reply = |launch: &Launch, seed| {
        ask(&mut Bot::start_in(&unconfined(launch), seed, &interrupt()).unwrap()).unwrap()
    };
    let seed = u64::MAX;
    let expected = format!("{seed} -s={seed}{seed} {seed} x{seed}");
    assert_eq!(reply(&launch, seed), expected);
    launch.env.insert("ARENA_SEED".into(), "mine".into());
    assert_eq!(reply(&launch, 5), "5 -s=55 mine x5");
}

#[test]
fn an_ended_process_has_crashed() {
    for (script, end) in [
        ("exit 101", "exit code 101"),
        ("read x; exit 0", "exit code 0"),
        ("printf 'no newline'; exit 7", "exit code 7"),
        ("kill -SEGV $$", "killed by signal 11 (SIGSEGV)"),
        ("read x; kill -KILL $$", "killed by signal 9 (SIGKILL)"),
    ] {
        let mut bot = shell(&format!("echo oops >&2; {script}"));
        for _ in 0..3 {
            assert_eq!(ask(&mut bot), Err(Failure::Crashed), "{script}");
        }
        assert_ends(bot, end, "oops\n");
    }
}

#[test]
fn full_lines_count_after_the_end() {
    let mut bot = shell("read x; printf 'one\\ntwo\\nthr'; exit 3");
    // At the second line the process ended long ago, and its input is closed.
    assert_replies(&mut bot, ["one", "two"]);
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    assert_eq!(bot.stop().to_string(), "exit code 3");
}

#[test]
fn an_exit_after_the_last_answer_is_told() {
    let mut bot = shell("echo $$; exit 3");
    let pid = ask(&mut bot).unwrap();
    eventually("the bot ends", || is_dead(&pid));
    assert_eq!(bot.stop().to_string(), "exit code 3");
}

#[test]
fn a_silent_bot_runs_out_of_time_and_is_killed_with_its_children() {
    let mut bot =
        shell("trap '' TERM HUP INT; sleep 1000 & echo $$ $!; while :; do sleep 1000; done");
    let pids = ask(&mut bot).unwrap();
    let (own, child) = pids.split_once(' ').unwrap();
    assert!(state(own).is_some() && state(child).is_some());
    assert_eq!(reply_to(&mut bot, "go\n", SHORT), Err(Failure::Timeout));
    assert_eq!(ask(&mut bot), Err(Failure::Timeout));
    assert_eq!(state(own), None, "the bot is killed and reaped");
    eventually("its child dies", || is_dead(child));
    let exit = bot.stop();
    assert!(exit.status.is_none());
}

#[test]
fn a_dropped_bot_is_gone_with_its_children() {
    let mut bot = shell("sleep 1000 & echo $$ $!; kill -STOP $$");
    let pids = ask(&mut bot).unwrap();
    let (own, child) = pids.split_once(' ').unwrap();
    eventually("the bot stops itself", || state(own) == Some('T'));
    drop(bot);
    assert_eq!(state(own), None);
    eventually("its child dies", || is_dead(child));
}

#[test]
fn a_line_without_end_is_too_long() {
    let mut bot = shell("while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    for _ in 0..2 {
        assert_eq!(ask(&mut bot), Err(Failure::TooLong));
    }
}

#[test]
fn the_longest_line() {
    for end in ["\\n", "\\r", "\\r\\n"] {
        let script = format!("printf '%09999d{end}%010000d{end}' 1 1; sleep 1000");
        let mut bot = shell(&script);
        assert_eq!(ask(&mut bot), line(&format!("{:09999}", 1)), "{end}");
        assert_eq!(ask(&mut bot), Err(Failure::TooLong), "{end}");
    }
    // That is certain before any terminator.
    let mut bot = shell("printf '%010000d' 1; sleep 1000");
    assert_eq!(ask(&mut bot), Err(Failure::TooLong));
    // This may still be a line.
    assert_late(&mut shell("printf '%09999d' 1; sleep 1000"));
}

fn assert_late(bot: &mut Bot) {
    assert_eq!(reply_to(bot, "go\n", SHORT), Err(Failure::Timeout));
}

#[test]
fn endless_lines_answer_one_turn_each() {
    let mut bot = shell("i=0; while :; do echo line $i; i=$((i+1)); done");
    for turn in 0..20_000 {
        assert_eq!(ask(&mut bot), line(&format!("line {turn}")));
    }
}

#[test]
fn line_ends() {
    // The LF of the first line comes after the second question.
    let mut bot = shell(
        "printf 'one\\r'; read x; read x; printf '\\ntwo\\r\\nthree\\n\\rfive\\n'; sleep 1000",
    );
    assert_replies(&mut bot, ["one", "two", "three", "", "five"]);
    assert_late(&mut bot);
}

#[test]
fn lines_written_early_answer_later_questions() {
    let mut bot = shell("printf 'one\\ntwo\\n'; cat");
    // The third line answers the first prompt.
    for (prompt, reply) in [("1\n", "one"), ("2\n", "two"), ("3\n", "1"), ("", "2")] {
        assert_eq!(reply_to(&mut bot, prompt, LONG), line(reply));
    }
}

#[test]
fn any_bytes_are_text() {
    let mut bot = shell(r"printf 'a\000b\n\303\251\377\303\n\n'; sleep 1000");
    assert_replies(&mut bot, ["a\0b", "é\u{fffd}\u{fffd}", ""]);
}

#[test]
fn a_prompt_that_is_never_read() {
    let prompt = "0123456789abcde\n".repeat(1 << 16);
    let mut bot = shell("sleep 1000");
    assert_eq!(reply_to(&mut bot, &prompt, SHORT), Err(Failure::Timeout));
    let mut bot = shell("sleep 0.05; printf 'one\\ntwo\\n'; sleep 0.05; echo three; sleep 1000");
    for expected in ["one", "two", "three"] {
        assert_eq!(reply_to(&mut bot, &prompt, LONG), line(expected));
    }
}

#[test]
fn a_prompt_that_is_read_late_arrives_whole() {
    let numbers: Vec<String> = (0..200_000).map(|number: u32| number.to_string()).collect();
    let first = numbers.join("\n") + "\n";
    let second = "second\n".repeat(50_000);
    let prompts = first.clone() + &second + "end\n";
    let sums = format!("head -c {} | cksum", prompts.len());
    let mut bot = shell(&format!(
        "echo early; echo again; sleep 0.05; {sums}; sleep 1000"
    ));
    assert_eq!(reply_to(&mut bot, &first, LONG), line("early"));
    assert_eq!(reply_to(&mut bot, &second, LONG), line("again"));
    let answer = reply_to(&mut bot, "end\n", LONG).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), prompts).unwrap();
    let stdin = file.reopen().unwrap();
    let output = Command::new("cksum").stdin(stdin).output().unwrap();
    assert_eq!(answer, String::from_utf8(output.stdout).unwrap().trim_end());
}

#[test]
fn a_bot_that_closed_its_input_may_answer() {
    let mut bot = shell("exec <&-; echo one; sleep 0.05; echo two; echo three; sleep 1000");
    for expected in ["one", "two", "three"] {
        // Large enough to notice that the bot won't read it.
        let prompt = "x".repeat(1 << 20);
        assert_eq!(reply_to(&mut bot, &prompt, LONG), line(expected));
    }
    assert_late(&mut bot);
}

#[test]
fn a_bot_that_closed_its_output_has_crashed() {
    let mut bot = shell("echo one; exec >&-; echo gone >&2; sleep 1000");
    assert_eq!(ask(&mut bot), line("one"));
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    let exit = bot.stop();
    assert!(exit.status.is_none(), "{exit}");
}

#[test]
fn an_error_output_of_megabytes_is_drained() {
    let flood = "while read x; do head -c 3000000 /dev/zero | tr '\\0' e >&2; echo last $x >&2; echo $x; done";
    let mut bot = shell(flood);
    for turn in ["one", "two", "three"] {
        assert_eq!(reply_to(&mut bot, &format!("{turn}\n"), LONG), line(turn));
    }
    let exit = bot.stop();
    assert_eq!(exit.stderr_tail.len(), 4096);
    assert!(exit.stderr_tail.ends_with("eelast three\n"));
}

#[test]
fn floods_do_not_stop_the_clock() {
    // The shell keeps running, and holds the output open.
    assert_late(&mut shell("cat /dev/zero >&2; :"));
    assert_late(&mut shell("cat /dev/zero >&2 & cat /dev/zero >&2; :"));
}

#[test]
fn a_closed_error_output_is_no_fault() {
    assert_replies(&mut shell("exec 2>&-; cat"), ["go"; 3]);
}

#[test]
fn an_answer_may_come_byte_by_byte_but_gains_no_time() {
    let slow = "for byte in a b c d e f g h; do printf $byte; sleep 0.02; done";
    let mut bot = shell(&format!("{slow}; echo; sleep 1000"));
    assert_eq!(ask(&mut bot), line("abcdefgh"));
    assert_late(&mut shell(&format!("while :; do {slow}; done")));
}

#[test]
fn no_time_at_all_and_all_of_it() {
    for (limit, reply) in [
        (Duration::ZERO, Err(Failure::Timeout)),
        (Duration::MAX, line("go")),
    ] {
        assert_eq!(reply_to(&mut shell("cat"), "go\n", limit), reply);
    }
}

#[test]
fn a_crash_is_noticed_although_another_process_holds_the_pipes() {
    let mut bot = shell("sleep 1000 & printf unfinished; exit 4");
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    assert_eq!(bot.stop().to_string(), "exit code 4");
    let mut bot = shell("sleep 1000 & echo $!; exit 4");
    let child = ask(&mut bot).unwrap();
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    eventually("what the bot left behind is killed", || is_dead(&child));

    // A process that has left the group keeps running. The arena must not wait for it.
    let mut bot = shell("setsid sh -c 'echo $$; exec sleep 60' & read x; read x; exit 4");
    let child = ask(&mut bot).unwrap();
    assert_eq!(ask(&mut bot), Err(Failure::Crashed));
    assert_eq!(bot.stop().to_string(), "exit code 4");
    assert!(!is_dead(&child));
    let kill = Command::new("kill").arg(&child).status().unwrap();
    assert!(kill.success());
}

#[test]
fn an_interrupt_ends_every_wait() {
    let interrupt = interrupt();
    let silent = launch(&["sh", "-c", "exec sleep 1000"]);
    let waits: Vec<_> = (0..3)
        .map(|_| {
            let mut bot = Bot::start_in(&unconfined(&silent), 1, &interrupt).unwrap();
            thread::spawn(move || {
                bot.ask("go\n", 1, LONG, &mut |_| {})
                    .map(|answer| answer.reply.map(str::to_owned))
            })
        })
        .collect();
    let writes = unconfined(&launch(&["sh", "-c", "echo one; echo two; sleep 1000"]));
    let mut early = Bot::start_in(&writes, 1, &interrupt).unwrap();
    assert_eq!(ask(&mut early), line("one"));
    assert!(!interrupt.is_raised());
    interrupt.raise();
    interrupt.raise();
    assert!(interrupt.is_raised());
    for wait in waits {
        assert!(matches!(wait.join().unwrap(), Err(AskError::Interrupted)));
    }
    // Even with a line at hand.
    let asked = early.ask("go\n", 1, LONG, &mut |_| {});
    assert!(matches!(asked, Err(AskError::Interrupted)));
}

#[test]
fn a_program_that_is_still_being_written_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bot");
    fs::copy(find_program("cat").unwrap(), &program).unwrap();
    let writer = fs::OpenOptions::new().append(true).open(&program).unwrap();
    let closing = thread::spawn(move || {
        thread::sleep(Duration::from_millis(30));
        drop(writer);
    });
    let mut bot = started(&launch(&[program.to_str().unwrap()]));
    assert_eq!(ask(&mut bot), line("go"));
    closing.join().unwrap();
}

/// A command, and the beginning of what is wrong with it.
const NO_PROGRAMS: &str = "
=can't find the program of an empty command: write the program first
DIR/none=can't find the program `DIR/none`: there is no such file in /
DIR/plain/none=can't find the program `DIR/plain/none`: there is no such file in /
DIR/=can't run `DIR/`: it is a folder
/dev/null=can't run `/dev/null`: it is not a regular file
no-such-program-anywhere=can't find the program `no-such-program-anywhere` in a folder of
DIR/plain=can't run `DIR/plain`: it may not be executed; try `chmod +x DIR/plain`
";

#[test]
fn programs_are_found_as_exec_does() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "").unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(find_program("sh").unwrap().is_absolute());
    assert_eq!(find_program("/bin/sh").unwrap(), Path::new("/bin/sh"));
    let cases = NO_PROGRAMS.replace("DIR", folder.path().to_str().unwrap());
    for case in cases.trim().lines() {
        let (command, problem) = case.split_once('=').unwrap();
        let error = find_program(command).unwrap_err().to_string();
        assert!(error.starts_with(problem), "{error}");
    }
}

#[test]
fn a_bot_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let assert_fails = |command: &[&str], problem: &str, hint: &str| {
        let started = Bot::start_in(&unconfined(&launch(command)), 1, &interrupt());
        let error = started.map(drop).unwrap_err().to_string();
        let problem = format!("can't start the bot `test`: {problem}");
        assert!(
            error.starts_with(&problem) && error.contains(hint),
            "{error}"
        );
    };
    assert_fails(&[], "can't find the program of an empty command: ", "");
    let missing = "can't find the program `./no-such-bot`: there is no such file in /";
    assert_fails(&["./no-such-bot"], missing, "");
    for (text, hint) in [
        ("echo one\n", "whose first line is not `#!`"),
        (
            "#!/no/such/interpreter\n",
            "interpreter or the loader that the file asks for is missing",
        ),
    ] {
        let path = folder.path().join("script");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let program = path.to_str().unwrap();
        assert_fails(&[program], &format!("can't run `{program}` ("), hint);
    }
}

#[test]
fn only_names_in_braces_that_have_a_value_are_filled_in() {
    let values =
        [("a", "1"), ("b-2", "{a}")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let values = BTreeMap::from(values);
    for (text, filled) in [
        ("", ""),
        ("plain", "plain"),
        ("{a}", "1"),
        ("x={a},y={b-2}!", "x=1,y={a}!"),
        ("{\"a\": {a}}", "{\"a\": 1}"),
        ("{}{1}{ a }{\u{e9}}{a", "{}{1}{ a }{\u{e9}}{a"),
        ("{{a}}", "{1}"),
        ("{c}{seed}", "{c}{seed}"),
    ] {
        assert_eq!(launch(&[text]).filled(&values).command, [filled], "{text}");
    }
}

/// A bot plays on if it waits for input and nothing else of it runs.
#[test]
fn a_bot_that_waits_for_its_next_question_is_not_about_to_crash() {
    let busy = "i=0; while [ $i != 99999 ]; do i=$((i+1)); done";
    let busy_reader = format!("exec 3<&0; read x; (read y <&3) & echo 1; {busy}; exit 3");
    for (script, crashes) in [
        ("while read x; do echo 1; done", false),
        ("sh -c 'while read x; do echo 1; done'; exit 3", false),
        ("read x; echo 1; exit 3", true),
        ("read x; echo 1; sleep 0.1; exit 3", true),
        (&busy_reader, true),
        (&busy_reader.replace(busy, "sleep 0.1"), true),
        ("read x; echo 1; exec 1>&-; read y", true),
    ] {
        let mut bot = shell(script);
        assert_eq!(ask(&mut bot), line("1"), "{script}");
        assert_eq!(bot.crashes_within(LONG), crashes, "{script}");
        let next = if crashes {
            Err(Failure::Crashed)
        } else {
            line("1")
        };
        assert_eq!(ask(&mut bot), next, "{script}");
    }
}
