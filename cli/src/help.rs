//! The help of the whole command: an overview in groups, and the topics `connection` and `exit-codes`.

use clap::Command;

/// The groups of the overview. Commands that share a line have a common text; a single command has its own.
const GROUPS: &str = "
Run and submit:
  worker
  submit, run, add        Submit a task, follow it too, or add a command line
  graph, schedule         Submit tasks that wait for others, or at intervals
  dev

Watch:
  ls, find                List tasks, or find them by state, tag, key or time
  show, why, describe     Show a task, why it does not run, or its program
  logs, output, wait      Show a log, fetch published files, or wait for the end
  history, events, usage  Show what happened, or what was used
  top, web                Watch on a live screen, or serve the page

Change tasks:
  cancel, retry           Cancel tasks, or run them again
  requeue, delete         Return tasks to their queue, or delete finished tasks
  hold, unhold            Hold waiting tasks, or let them start
  suspend, continue, signal  Stop programs, let them go on, or signal them
  edit, move, prioritise  Change parameters, options, the queue, or the priority
  depend, undepend        Change what a task waits for
  tag, note, track        Tag, annotate or track tasks
  bulk, notify            Change many tasks, or send waiting notices again

Queues and workers:
  queue
  config, limit           Change the settings and limits of queues
  workers, drain          List workers, or let them finish

Operate:
  ping, doctor            Check the connection, or server, settings and data
  profile, partition      Choose a server by name, or manage partitions
  admin
  completions
  task
";

const TOPICS: &str = "\
Help for a command:   blueque COMMAND --help
Help for all:         blueque help connection, blueque help exit-codes";

const FOOTER: &str = "Connection options: blueque help connection";

const EXIT_CODES: &str = "\
Exit codes:
  0  Done
  1  Failed, or findings
  2  Wrong usage
  3  No server
  4  Not found
  5  Refused by the state of the task
  6  Timed out
  7  The task was cancelled
  8  Nothing was due

blueque run exits with the exit code of a program that failed.
";

/// Words of other tools that are no command here, and what to write instead. Words for the same thing share a line.
pub const ELSEWHERE: [(&str, &str); 19] = [
    (
        "enqueue push put publish",
        "`blueque submit QUEUE '[\"parameters\"]'`, or for a command line `blueque add -- PROGRAM`; a held task starts after `blueque unhold ID`",
    ),
    ("sbatch batch", "`blueque add --script FILE`"),
    ("srun", "`blueque add --follow -- PROGRAM`"),
    ("squeue jobs tasks", "`blueque ls`"),
    ("sacct sreport report", "`blueque usage --since 1day`, or for the tasks `blueque ls --since 1day -o wide`"),
    ("sinfo nodes hosts", "`blueque workers`"),
    ("scancel abort stop terminate", "`blueque cancel ID`"),
    ("inspect get", "`blueque show ID`, or for the reason why it waits `blueque why ID`"),
    (
        "clean clear prune",
        "`blueque bulk delete QUEUE --dry-run`, which counts finished tasks; the server also removes them after a time: `blueque config --queue QUEUE show`",
    ),
    ("remove del", "`blueque delete ID`"),
    ("purge reset", "`blueque queue purge QUEUE --dry-run`"),
    (
        "pause stash",
        "`blueque suspend ID` for a running task, `blueque hold ID` for a waiting one, `blueque queue pause QUEUE` for a queue",
    ),
    (
        "resume unpause start",
        "`blueque continue ID` for a suspended task, `blueque unhold ID` for a held one, `blueque queue resume QUEUE` for a queue",
    ),
    (
        "scontrol",
        "`blueque show ID`, `blueque hold ID`, `blueque suspend ID`, `blueque requeue ID`, `blueque edit ID --max-run 8h`, or `blueque drain --worker NAME`",
    ),
    ("switch", "`blueque prioritise 10 ID`"),
    ("restart rerun", "`blueque retry ID`, or for a complete task `blueque submit QUEUE --id ID --again`"),
    ("follow attach", "`blueque logs -f ID`"),
    (
        "at crontab cron atq",
        "`blueque add --eta +2h -- PROGRAM`, or `blueque schedule add NAME --cron '0 22 * * *' -- PROGRAM`",
    ),
    ("group parallel", "`blueque worker QUEUE --slots 4`, a queue for each group"),
];

/// Returns what to write instead of a word of another tool.
pub fn elsewhere(word: &str) -> Option<&'static str> {
    let known = |words: &str| words.split(' ').any(|known| known == word);
    ELSEWHERE.iter().find(|(words, _)| known(words)).map(|(_, line)| *line)
}

/// Options of other tools, and what to write instead where a command does not have the option.
pub const OPTIONS: [(&str, &str); 3] = [
    ("--detach --background --async", "`blueque submit QUEUE` and `blueque add -- PROGRAM` return at once"),
    ("--dependency --depends-on --after-ok", "`blueque submit QUEUE --after-success ID` waits for another task"),
    ("--parallel --concurrency --jobs", "`blueque worker QUEUE --slots 4` runs four tasks at once"),
];

/// Returns what to write instead of an option of another tool.
pub fn other_option(option: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(options, _)| options.split(' ').any(|known| known == option)).map(|(_, line)| *line)
}

/// Hides the global options on all pages, names their page, and sets the overview.
pub fn shaped(command: Command) -> Command {
    let overview = overview(&command);
    with_footer(command).mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg }).override_help(overview)
}

/// Returns the definition for man pages: the options of all commands, and the exit codes, are only on the first page.
pub fn manual(command: Command) -> Command {
    let mut command = with_footer(command).after_help(EXIT_CODES);
    command.build();
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_global_options))
}

fn without_global_options(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_global_options))
}

fn with_footer(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(command.after_help(FOOTER), |command, name| command.mut_subcommand(name, with_footer))
}

/// Returns the short help text of a subcommand, or an empty text.
fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map(ToString::to_string).unwrap_or_default()
}

fn overview(command: &Command) -> String {
    let title = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = format!("{title}\nUsage: blueque COMMAND [OPTIONS]\n");
    for line in GROUPS.lines() {
        match line.strip_prefix("  ").filter(|names| !names.contains(' ')) {
            Some(name) => page.push_str(&format!("  {name:<24}{}\n", about(command, name))),
            None => page.push_str(&format!("{line}\n")),
        }
    }
    page + "\n" + TOPICS + "\n"
}

/// Returns the page of a topic or of a command. `command` is the definition of the whole command line.
pub fn page(command: Command, words: &[String]) -> Option<String> {
    match words {
        [] => return Some(overview(&command)),
        [topic] if topic == "connection" => {
            let options = command.get_arguments().filter(|arg| arg.is_global_set()).cloned();
            let page = Command::new("blueque").disable_help_flag(true).args(options);
            let page = page.help_template("Options of all commands:\n\n{options}");
            return Some(format!("{}\n", page.clone().render_help()));
        }
        [topic] if topic == "exit-codes" => return Some(EXIT_CODES.to_owned()),
        _ => {}
    }
    let mut command = shaped(command);
    command.build();
    let found = words.iter().try_fold(&mut command, |command, word| command.find_subcommand_mut(word))?;
    Some(found.render_long_help().to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::CommandFactory;

    use super::{EXIT_CODES, GROUPS, overview};
    use crate::args::Cli;

    #[test]
    fn each_visible_command_is_in_one_group() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut visible: Vec<&str> = visible.map(clap::Command::get_name).collect();
        let lines = GROUPS.lines().filter_map(|line| line.strip_prefix("  "));
        let lines = lines.map(|line| line.split_once("  ").unwrap_or((line, "")));
        let mut listed: Vec<&str> = lines.clone().flat_map(|(names, _)| names.split(", ")).collect();
        visible.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, visible);
        // A line has the command's one-liner, or the common text of several commands.
        lines.for_each(|(names, text)| assert_eq!(!names.contains(", "), text.is_empty(), "{names:?}"));
    }

    #[test]
    fn the_overview_fits_on_a_screen() {
        let page = overview(&Cli::command());
        assert!((24..=40).contains(&page.lines().count()), "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    }

    #[test]
    fn the_exit_codes_are_those_of_the_page() {
        let (_, page) = include_str!("../../docs/reference/cli.md").split_once("\n## Exit codes\n").unwrap();
        let (page, _) = page.split_once("\n## ").unwrap();
        let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(' ')?.0.parse::<u8>().ok());
        let listed =
            EXIT_CODES.lines().filter_map(|line| line.strip_prefix("  ")?.split_once("  ")?.0.parse::<u8>().ok());
        let listed: Vec<u8> = listed.collect();
        assert!(listed.len() > 5 && rows.eq(listed.iter().copied()), "{listed:?}");
    }
}
