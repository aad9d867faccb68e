//! Passwords stay where they were given. A file argument is read up to a limit, and an error repeats an argument
//! without its control sequences.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::support::{Server, eventually, within};
use crate::{Desk, Left, left};

const SECRET: &str = "s3cret-of-mine";

/// Time limit for a command that must not wait.
const PROMPT: Duration = Duration::from_secs(30);

fn guarded() -> Server {
    Server::start_with(&["--save", "", "--requirepass", SECRET])
}

impl Desk {
    fn file(&self, name: &str, mode: u32, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// A command without a server in its environment.
    fn bare(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        command.env_remove("BLUEQUE_URL");
        command
    }

    fn with_config(&self, config: &Path, args: &[&str]) -> Command {
        let mut command = self.bare(args);
        command.env("BLUEQUE_CONFIG", config);
        command
    }
}

fn says(command: &mut Command) -> Left {
    left(command.output().unwrap())
}

#[test]
fn a_profile_is_a_server_of_its_own_with_its_namespace_and_password() {
    let desk = Desk::on(guarded());
    let open = Server::start();
    let secret = desk.file("secret", 0o600, SECRET);
    let text = format!(
        "url = \"{}\"\n[profiles.prod]\nurl = \"{}\"\nnamespace = \"films\"\npassword_file = \"{}\"\ncolour = \"red\"\n",
        open.url(),
        desk.server.url(),
        secret.display()
    );
    let config = desk.home.path().join(".config/blueque");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), text).unwrap();
    let bare = |args: &[&str]| {
        let mut command = desk.bare(args);
        command.env("HOME", desk.home.path()).env_remove("XDG_CONFIG_HOME");
        command
    };
    let ok = |args: &[&str]| {
        let left = says(&mut bare(args));
        assert_eq!(left.code, 0, "{args:?}: {}", left.err);
        left.out
    };
    ok(&["submit", "plain"]);
    ok(&["--profile", "prod", "submit", "named", "--id", "of-prod"]);
    let queue = |left: String| left.lines().nth(1).map(|line| line.split(' ').next().unwrap().to_owned());
    assert_eq!(queue(ok(&["queue", "ls"])).as_deref(), Some("plain"));
    assert_eq!(queue(says(bare(&["queue", "ls"]).env("BLUEQUE_PROFILE", "prod")).out).as_deref(), Some("named"));
    ok(&["profile", "use", "prod"]);
    assert_eq!(queue(ok(&["queue", "ls"])).as_deref(), Some("named"));
    let listed = ok(&["profile", "-o", "json"]);
    assert!(listed.contains(r#""current":true"#) && !listed.contains(SECRET), "{listed}");
    let elsewhere = says(bare(&["queue", "ls"]).env("BLUEQUE_URL", open.url()));
    assert_eq!(queue(elsewhere.out).as_deref(), Some("plain"), "the environment overrides the file");
    ok(&["profile", "use", "--none"]);
    assert_eq!(queue(ok(&["queue", "ls"])).as_deref(), Some("plain"));
    for (args, variable, text) in [
        (
            &["--profile", "prod", "ls"][..],
            Some("BLUEQUE_URL"),
            "the profile prod has its own server, and BLUEQUE_URL is set",
        ),
        (&["--profile", "prod", "ls"], Some("BLUEQUE_PASSWORD"), "and BLUEQUE_PASSWORD is set: unset it"),
        (&["--profile", "nope", "ls"], None, "has no profile nope: it has prod"),
        (&["profile", "use", "nope"], None, "has no profile nope: it has prod"),
        (&["--config", "x", "profile", "use", "prod"], None, "leave out --config"),
        (&["--profile", "prod", "--url", "redis://x/", "ls"], None, "cannot be used with"),
    ] {
        let mut command = bare(args);
        command.envs(variable.map(|name| (name, open.url())));
        let left = says(&mut command);
        assert!(left.code == 2 && left.err.contains(text), "{args:?}: {}", left.err);
    }
    fs::write(config.join("config.toml"), "[profiles.a]\npassword = \"x\"\n").unwrap();
    assert!(says(&mut bare(&["ls"])).err.contains("names no server for it"));
    fs::write(config.join("config.toml"), "colour = \"red\"\n").unwrap();
    assert!(says(&mut bare(&["ls"])).err.contains("`colour` outside a profile"));
}

#[test]
fn the_password_of_the_file_goes_only_to_places_that_the_file_names() {
    let desk = Desk::on(guarded());
    // A second server with the same password: it serves every client that sends the password.
    let other = guarded();
    let (own, foreign) = (desk.server.url(), other.url());
    let secret = desk.file("secret", 0o600, SECRET);
    let list = desk.file("list", 0o600, format!("1={own}\n"));
    let graph =
        desk.file("graph.json", 0o600, r#"[{"task_id": {"shard": "1", "id": "a"}, "method": "m", "args": []}]"#);
    let graph = graph.to_str().unwrap();
    let unknown = |said: &str| said.contains("asks for a password") || said.contains("NOAUTH");
    for places in [
        format!("url = \"{own}\""),
        format!("topology = \"1={own}\""),
        format!("topology = \"{}\"", list.display()),
        format!("url = \"{own}\"\ntopology = \"1={own}\""),
    ] {
        for password in [format!("password = \"{SECRET}\""), format!("password_file = \"{}\"", secret.display())] {
            let config = desk.file("config.toml", 0o600, format!("{places}\n{password}\n"));
            let list = format!("1={foreign}");
            let shard = format!("1={foreign}#blueque");
            let more = format!("2={foreign}");
            for args in [
                &["--url", &foreign, "queue", "ls"][..],
                &["--topology", &list, "partition"],
                &["ping", &foreign],
                &["graph", "submit", "--shard", &shard, graph],
                &["--topology", &format!("1={own}"), "partition", "add", &more],
            ] {
                let said = says(&mut desk.with_config(&config, args));
                let all = said.err + &said.out;
                assert!(said.code != 0 && unknown(&all), "{places}: {args:?}: {all}");
            }
            for (name, value) in [("BLUEQUE_URL", &foreign), ("BLUEQUE_TOPOLOGY", &list)] {
                for args in [&["queue", "ls"][..], &["ping"]] {
                    let said = says(desk.with_config(&config, args).env(name, value));
                    let all = said.err + &said.out;
                    assert!(said.code != 0 && unknown(&all), "{places}: {name}: {all}");
                }
            }
            // The URL names the same server as the configuration does.
            for args in [&["--url", &own, "queue", "ls"][..], &["--url", &format!("{own}?db=0"), "queue", "ls"]] {
                let said = says(&mut desk.with_config(&config, args));
                assert_eq!(said.code, 0, "{places}: {args:?}: {}{}", said.err, said.out);
            }
            let ping = says(&mut desk.with_config(&config, &["ping", &own]));
            assert!(ping.out.contains(" answers in "), "{}{}", ping.err, ping.out);
            let you = says(&mut desk.with_config(&config, &["--url", &format!("{own}?user=you"), "queue", "ls"]));
            assert!(you.err.contains("names the user you, but there is no password"), "{}", you.err);
        }
    }
    let config = desk.file("config.toml", 0o600, format!("password = \"{SECRET}\"\n"));
    for args in [&["queue", "ls"][..], &["--url", &own, "queue", "ls"]] {
        let said = says(&mut desk.with_config(&config, args));
        let wanted = "has a password, but names no server for it: add `url` or `topology`";
        assert!(said.code == 2 && said.err.contains(wanted), "{args:?}: {} {}", said.code, said.err);
    }
}

#[test]
fn a_user_of_a_partition_without_a_password_is_refused_as_that_of_a_url_is() {
    let desk = Desk::new();
    let list = format!("1={}?user=me", desk.server.url());
    let said = says(&mut desk.bare(&["--topology", &list, "partition"]));
    assert!(said.code == 2 && said.err.contains("names the user me, but there is no password"), "{}", said.err);
}

#[test]
fn no_argument_holds_a_password() {
    let desk = Desk::new();
    let own = format!("1={}", desk.server.url());
    let long = format!("redis://u:{SECRET}@127.0.0.1:1/");
    let bad = [
        long.clone(),
        format!("redis://:{SECRET}@127.0.0.1:1/"),
        format!("redis://u:two words {SECRET}@127.0.0.1:1/"),
        format!("unix:///run/x?pass={SECRET}"),
        format!("unix:///run/x?PASS={SECRET}"),
        format!("unix:///run/x?db=1&password={SECRET}"),
        format!("unix:///run/x?p%61ss={SECRET}"),
        format!("redis://127.0.0.1:1/?auth={SECRET}"),
        format!("redis+sentinel://u:{SECRET}@127.0.0.1:1,127.0.0.1:2/m"),
        format!("redis:u:{SECRET}@h"),
    ];
    for url in &bad {
        let named = format!("2={url}");
        let two = format!("{own},{named}");
        for args in [
            &["--url", url, "queue", "ls"][..],
            &["--url", url, "worker", "-q", "q", "--", "true"],
            &["--topology", &named, "queue", "ls"],
            &["--topology", &two, "queue", "ls"],
            &["ping", url],
            &["--topology", &own, "partition", "add", &named],
            &["graph", "submit", "--shard", &named, "/nosuch"],
            &["queue", "ls", &named],
            &["ls", url],
            &["submit", "q", "--id", url],
        ] {
            let said = says(&mut desk.bare(args));
            let all = said.err + &said.out;
            // Without slashes the text may be the name of a queue.
            let refused = said.code == 2 || ["graph", "ls", "submit"].contains(&args[0]) && url.starts_with("redis:u");
            assert!(refused && !all.contains(SECRET), "{args:?}: {} {all}", said.code);
        }
    }
    for (args, flag) in [
        (&["--url", &long, "queue", "ls"][..], "--url"),
        (&["ping", &long], "the address"),
        (&["--topology", &format!("{own},2={long}"), "queue", "ls"], "--topology"),
        (&["--topology", &own, "partition", "add", &format!("2={long}")], "NAME=URL"),
        (&["graph", "submit", "--shard", &format!("2={long}"), "/nosuch"], "--shard"),
    ] {
        let said = says(&mut desk.bare(args)).err;
        assert!(said.contains(&format!("{flag} holds a password, which every user")), "{args:?}: {said}");
    }
    let said = says(&mut desk.bare(&["--topology", &own, "partition", "add", "2"]));
    assert!(said.code == 2 && said.err.contains("must be NAME=URL"), "{}", said.err);
}

#[test]
fn a_parameter_of_a_url_that_is_not_known_is_refused_wherever_the_url_comes_from() {
    let desk = Desk::new();
    for parameter in ["PASS", "password", "passphrase", "Db", "timeout"] {
        let url = format!("{}?{parameter}={SECRET}", desk.server.url());
        let config = desk.file("config.toml", 0o600, format!("url = \"{url}\"\n"));
        for command in
            [desk.bare(&["queue", "ls"]).env("BLUEQUE_URL", &url), &mut desk.with_config(&config, &["queue", "ls"])]
        {
            let said = says(command);
            assert!(said.code == 2 && !said.err.contains(SECRET), "{parameter}: {} {}", said.code, said.err);
            assert!(said.err.contains("the URL has a parameter that is not known: it may have"), "{}", said.err);
        }
    }
    for text in [format!("1=redis:u:{SECRET}@h"), format!("1=u:{SECRET}@h"), format!("{SECRET}?pw=1")] {
        let config = desk.file("config.toml", 0o600, format!("topology = \"{text}\"\n"));
        for command in [
            &mut desk.bare(&["--topology", &text, "queue", "ls"]),
            desk.bare(&["queue", "ls"]).env("BLUEQUE_TOPOLOGY", &text),
            &mut desk.with_config(&config, &["queue", "ls"]),
        ] {
            let said = says(command);
            assert!(said.code == 2 && !said.err.contains(SECRET), "{text}: {} {}", said.code, said.err);
        }
    }
}

#[test]
fn the_list_that_clients_need_can_be_used_and_has_no_passwords() {
    let servers = [guarded(), guarded(), guarded()];
    let desk = Desk::on(guarded());
    let with = |at: usize| format!("{}={}?pass={SECRET}", at + 1, servers[at].url());
    let topology = format!("{},{}", with(0), with(1));
    let first = says(desk.bare(&["partition", "add"]).env("BLUEQUE_TOPOLOGY", &topology));
    assert_eq!(first.code, 0, "{}", first.err);
    let more = format!("3={}#other", servers[2].url());
    let mut add = desk.bare(&["partition", "add", &more]);
    let added = says(add.env("BLUEQUE_TOPOLOGY", &topology).env("BLUEQUE_PASSWORD", SECRET));
    assert_eq!((added.code, added.out.as_str()), (0, "version 2: 1 2 3\n"), "{}", added.err);
    assert!(!added.err.contains(SECRET), "{}", added.err);
    let list = added.err.split("give them ").nth(1).unwrap().split_whitespace().next().unwrap();
    let wanted: Vec<String> = (0..3).map(|at| format!("{}={}", at + 1, servers[at].url())).collect();
    assert_eq!(list, format!("{}#other", wanted.join(",")));
    assert!(added.err.contains("without their passwords"), "{}", added.err);
    let mut ls = desk.bare(&["partition", "-o", "id"]);
    let shown = says(ls.env("BLUEQUE_TOPOLOGY", list).env("BLUEQUE_PASSWORD", SECRET));
    assert_eq!((shown.code, shown.out.as_str()), (0, "1\n2\n3\n"), "{}", shown.err);
}

#[test]
fn a_file_with_a_password_that_others_may_read_causes_one_warning_whatever_form_it_has() {
    let desk = Desk::on(guarded());
    let own = desk.server.url();
    let inline = format!("1={own}?pass={SECRET}");
    says(desk.bare(&["partition", "add"]).env("BLUEQUE_TOPOLOGY", &inline));
    let warned = |said: &Left, path: &Path| {
        assert_eq!(said.code, 0, "{}", said.err);
        assert_eq!(said.err.matches(&format!("chmod 600 {}", path.display())).count(), 1, "{}", said.err);
        assert!(!said.err.contains(SECRET), "{}", said.err);
    };
    let list = desk.file("list", 0o644, format!("# these\n{inline}\n"));
    warned(&says(&mut desk.bare(&["--topology", list.to_str().unwrap(), "queue", "ls"])), &list);
    for text in [
        format!("topology = \"{inline}\"\n"),
        format!("url = \"{own}?pass={SECRET}\"\n"),
        format!("url = \"{own}\"\npassword = \"{SECRET}\"\n"),
        format!("topology = \"1=redis://u:{SECRET}@127.0.0.1:1/\"\nurl = \"{own}?pass={SECRET}\"\n"),
    ] {
        let config = desk.file("config.toml", 0o644, text);
        // The warning does not depend on the server's address: other users may read the file.
        let mut command = desk.with_config(&config, &["--url", &own, "queue", "ls"]);
        warned(&says(command.env("BLUEQUE_PASSWORD", SECRET)), &config);
    }
    let secret = desk.file("secret", 0o644, SECRET);
    warned(&says(desk.bare(&["--url", &own, "queue", "ls"]).env("BLUEQUE_PASSWORD_FILE", &secret)), &secret);
    for file in [&list, &secret] {
        fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let quiet = says(&mut desk.bare(&["--topology", list.to_str().unwrap(), "queue", "ls"]));
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
}

/// Waits for a command that must end soon, with a gibibyte of memory.
fn ended(command: &Command, what: &str) -> Left {
    let mut bounded = Command::new("sh");
    bounded.args(["-c", "ulimit -v 1048576; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    bounded.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    bounded.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut child = bounded.spawn().unwrap();
    let found =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| within(PROMPT, what, || child.try_wait().unwrap())));
    if found.is_err() {
        let _ = child.kill();
    }
    let said = left(child.wait_with_output().unwrap());
    assert!(found.is_ok(), "{what}: it waits");
    said
}

#[test]
fn a_file_argument_is_read_with_a_bound_and_no_pipe_is_waited_for() {
    let desk = Desk::new();
    desk.ok(&["submit", "q", "--id", "t"]);
    let pipe = desk.home.path().join("pipe");
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let big = desk.file("big", 0o600, vec![b'#'; 9 << 20]);
    let (pipe, big) = (pipe.to_str().unwrap().to_owned(), big.to_str().unwrap().to_owned());
    for (file, why) in
        [("/dev/zero", "it is a device, not a file"), (&pipe, "it is a pipe, not a file"), (&big, "bytes")]
    {
        for args in [
            &["--config", file, "queue", "ls"][..],
            &["--topology", file, "partition"],
            &["events", "q", "--resume", file],
        ] {
            let said = ended(&desk.bare_but_for(args), &format!("{args:?}"));
            assert!(said.code == 2 && said.err.contains(why), "{args:?}: {} {}", said.code, said.err);
        }
        for (name, args) in [("BLUEQUE_CONFIG", &["queue", "ls"][..]), ("BLUEQUE_PASSWORD_FILE", &["queue", "ls"])] {
            let mut command = desk.command(args);
            command.env(name, file);
            let said = ended(&command, name);
            assert_eq!(said.code, 2, "{name}: {file}: {}", said.err);
        }
        if cfg!(feature = "tls-rustls") {
            let mut command = desk.bare(&["--url", "rediss://127.0.0.1:1/", "queue", "ls"]);
            command.env("BLUEQUE_CA", file);
            let said = ended(&command, "BLUEQUE_CA");
            assert!(said.code != 0 && !said.err.contains("memory"), "{file}: {}", said.err);
        }
    }
    for (file, why) in [("/dev/zero", "8 MiB"), (&pipe, "nobody writes to this pipe"), (&big, "8 MiB")] {
        let at = format!("@{file}");
        for args in [
            &["submit", "q", &at, "--raw"][..],
            &["submit", "q", "--params", &at, "--raw"],
            &["graph", "submit", file],
            &["task", "result", &at],
        ] {
            let mut command = desk.command(args);
            command.env("BLUEQUE_RESULT", desk.home.path().join("result"));
            let said = ended(&command, &format!("{args:?}"));
            let why = if args[0] == "graph" && why == "8 MiB" { "8388608" } else { why };
            assert!(said.code != 0 && said.err.contains(why), "{args:?}: {} {}", said.code, said.err);
        }
    }
    // A pipe that somebody writes to is read like stdin.
    let binary = env!("CARGO_BIN_EXE_blueque");
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(format!("{binary} submit q --id u @<(sleep 0.2; echo '[17]')"));
    let said = says(shell.env_clear().env("PATH", "/usr/bin:/bin").env("BLUEQUE_URL", desk.server.url()));
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(desk.json(&["show", "u"])["parameters"], serde_json::json!([17]));
    // A link, such as that of a mounted secret, is followed.
    let config = desk.file("real.toml", 0o600, "namespace = \"linked\"\n");
    let link = desk.home.path().join("link.toml");
    std::os::unix::fs::symlink(&config, &link).unwrap();
    assert_eq!(desk.ok(&["--config", link.to_str().unwrap(), "queue", "ls", "-o", "id"]), "");
}

impl Desk {
    /// A command of this server; with --topology, the environment contains no server.
    fn bare_but_for(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        if args.contains(&"--topology") {
            command.env_remove("BLUEQUE_URL");
        }
        command
    }
}

#[test]
fn a_usage_error_repeats_arguments_without_what_a_terminal_obeys() {
    let desk = Desk::new();
    let evil = "a\u{1b}[31mb\u{1b}]0;title\u{7}c\u{9b}2Jd\u{202e}e\u{2066}f\u{3164}g\u{2800}h\u{ad}i\u{34f}j\u{115f}k\u{e0041}l";
    for args in [
        &["submit", evil][..],
        &["submit", "q", "--bogus", evil],
        &["ls", "-o", evil],
        &[evil],
        &["worker", "-q", evil],
        &["ls", "--since", evil],
        &["--url", evil, "ls"],
        &["--topology", evil, "ls"],
        &["--config", evil, "ls"],
        &["--namespace", evil, "ls"],
        &["--durability", evil, "ls"],
        &["graph", "submit", evil],
        &["submit", "q", &format!("@{evil}")],
        &["ping", evil],
    ] {
        let said = desk.refused(2, args);
        let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || (evil.contains(c) && !c.is_ascii());
        assert!(!said.chars().any(bad), "{args:?}: {said:?}");
    }
    let said = desk.refused(2, &["ls", "--bogus"]);
    assert!(said.contains("unexpected argument '--bogus' found") && said.ends_with("'--help'.\n"), "{said:?}");
    // The same arguments on a terminal.
    let mut script = Command::new("script");
    let line = format!("{} submit \"$EVIL\"", env!("CARGO_BIN_EXE_blueque"));
    script.args(["-qec", &line, "/dev/null"]).env("EVIL", evil).env("TERM", "xterm");
    let shown = String::from_utf8_lossy(&script.output().unwrap().stdout).into_owned();
    assert!(shown.contains("error") && !shown.contains("]0;title") && !shown.contains('\u{9b}'), "{shown:?}");
    assert!(!shown.contains("\u{1b}[31mb") && !shown.contains('\u{202e}'), "{shown:?}");
    eventually("the server lives", || desk.run(&["queue", "ls"]).err.is_empty().then_some(()));
}
