//! `blueque web`: where it listens, who it lets in, and how it starts and ends.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use support::{Folder, Server, eventually, free_port};

fn command(folder: &Folder, url: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    command.args(args).env_clear().env("BLUEQUE_URL", url).env("XDG_CONFIG_HOME", folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(folder: &Folder, args: &[&str], input: &str) -> Output {
    let mut child = command(folder, "redis://127.0.0.1:1/", args).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), output.stderr.as_slice()].concat()).into_owned()
}

/// A running page.
struct Page {
    child: Child,
    url: String,
}

impl Page {
    fn start(folder: &Folder, url: &str, args: &[&str]) -> Self {
        let args = [&["web", "--listen", "127.0.0.1:0"], args].concat();
        let mut child = command(folder, url, &args).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }

    fn connect(&self, path: &str, headers: &str) -> TcpStream {
        let host = self.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let mut stream = TcpStream::connect_timeout(&host.parse().unwrap(), Duration::from_secs(30)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n").unwrap();
        stream
    }

    fn get(&self, path: &str, headers: &str) -> String {
        let mut text = Vec::new();
        self.connect(path, headers).read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Sends SIGTERM, and returns how long the end took.
    fn end(&mut self) -> Duration {
        let begin = Instant::now();
        nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(self.child.id().cast_signed()),
            nix::sys::signal::Signal::SIGTERM,
        )
        .unwrap();
        let status = eventually("the page ends", || self.child.try_wait().unwrap());
        assert!(status.success(), "{status}");
        begin.elapsed()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_page_starts_while_the_server_is_away_and_ends_soon_with_streams_open() {
    let folder = Folder::new();
    let port = free_port();
    let mut page = Page::start(&folder, &format!("redis://127.0.0.1:{port}/"), &[]);
    assert!(page.url.starts_with("http://127.0.0.1:"), "{}", page.url);
    assert!(page.get("/healthz", "").starts_with("HTTP/1.1 200"));
    assert!(page.get("/readyz", "").starts_with("HTTP/1.1 503"));
    let away = page.get("/blueque/", "");
    assert!(away.starts_with("HTTP/1.1 503") && away.contains("The server does not answer"), "{away}");
    page.end();

    let server = Server::start();
    let mut page = Page::start(&folder, &server.url(), &[]);
    let queue = blueque::Client::open(&server.url()).unwrap().queue("q").unwrap();
    queue.submit("x", blueque::Submit::default()).unwrap();
    let mut streams: Vec<_> =
        (0..20).map(|_| BufReader::new(page.connect("/api/v1/events?queue=q&after=0", ""))).collect();
    for stream in &mut streams {
        let found = stream.lines().map_while(Result::ok).any(|line| line.starts_with("data: "));
        assert!(found, "an event came");
    }
    let took = page.end();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn other_users_of_the_machine_cannot_use_a_page_without_a_login() {
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let (folder, server) = (Folder::new(), Server::start());
    let page = Page::start(&folder, &server.url(), &[]);
    let host = page.url.strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    let (address, port) = host.split_once(':').unwrap();
    let request = format!("GET /api/v1 HTTP/1.1\\r\\nHost: {host}\\r\\nConnection: close\\r\\n\\r\\n");
    let script = format!("exec 3<>/dev/tcp/{address}/{port}; printf '{request}' >&3; exec cat <&3");
    let get = |user: u32| {
        let output = Command::new("bash").args(["-c", &script]).uid(user).gid(user).current_dir("/").output().unwrap();
        text(&output)
    };
    assert!(get(0).starts_with("HTTP/1.1 200"), "{}", get(0));
    let refused = get(65534);
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("\"USER\""), "{refused}");
    // A page with users is for all who log in.
    let added = run(&folder, &["web", "user", "add", "alice", "--password-stdin"], "correct horse\n");
    assert!(added.status.success(), "{}", text(&added));
    let page = Page::start(&folder, &server.url(), &[]);
    assert!(page.get("/login", "").starts_with("HTTP/1.1 200"));
}

#[test]
fn other_machines_need_users_or_an_explicit_word() {
    let folder = Folder::new();
    let refused = run(&folder, &["web", "--listen", "0.0.0.0:0"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused).contains("blueque web user add NAME") && text(&refused).contains("--no-auth"),
        "{}",
        text(&refused)
    );

    let added =
        run(&folder, &["web", "user", "add", "alice", "--role", "admin", "--password-stdin"], "correct horse\n");
    assert!(added.status.success(), "{}", text(&added));
    let page = Page::start(&folder, "redis://127.0.0.1:1/", &[]);
    assert!(page.get("/blueque/", "").contains("location: /login"), "the users file is used by itself");
    drop(page);

    let open = Folder::new();
    for _ in 0..2 {
        let mut page = Page::start(&open, "redis://127.0.0.1:1/", &["--no-auth"]);
        let mut said = page.child.stderr.take().unwrap();
        page.end();
        let mut warning = String::new();
        said.read_to_string(&mut warning).unwrap();
        assert!(warning.contains("warning: --no-auth"), "{warning}");
    }
}

#[test]
fn users_and_tokens_are_added_listed_changed_and_removed() {
    let folder = Folder::new();
    let ok = |args: &[&str], input: &str| {
        let output = run(&folder, args, input);
        assert!(output.status.success(), "{args:?}: {}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let fails = |args: &[&str], input: &str, code: i32| {
        let output = run(&folder, args, input);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
        text(&output)
    };
    ok(&["web", "user", "add", "alice", "--password-stdin"], "correct horse\n");
    ok(&["web", "user", "add", "bob", "--role", "operator", "--no-password"], "");
    assert!(
        fails(&["web", "user", "add", "alice", "--password-stdin"], "correct horse\n", 5).contains("exists already")
    );
    assert!(fails(&["web", "user", "add", "carol", "--password-stdin"], "short\n", 2).contains("at least 8"));
    assert!(fails(&["web", "user", "add", "a b", "--no-password"], "", 2).contains("is no name"));
    fails(&["web", "user", "add", "dave"], "correct horse\n", 2);
    ok(&["web", "user", "role", "alice", "admin"], "");
    ok(&["web", "user", "password", "bob", "--password-stdin"], "another password\n");
    fails(&["web", "user", "remove", "nobody"], "", 4);
    let listed = ok(&["web", "user", "ls", "-o", "jsonl"], "");
    assert_eq!(
        listed,
        "{\"name\":\"alice\",\"role\":\"admin\",\"login\":\"password\"}\n{\"name\":\"bob\",\"role\":\"operator\",\"login\":\"password\"}\n"
    );
    let token = ok(&["web", "token", "add", "ci", "--role", "operator"], "");
    assert!(token.starts_with("bq_") && token.trim().len() == 46, "{token}");
    let page = Page::start(&folder, "redis://127.0.0.1:1/", &[]);
    let answer = page.get("/api/v1", &format!("Authorization: Bearer {}\r\n", token.trim()));
    assert!(
        answer.starts_with("HTTP/1.1 200")
            && answer.contains("\"role\":\"operator\"")
            && answer.contains("\"user\":\"ci\""),
        "{answer}"
    );
    ok(&["web", "token", "remove", "ci"], "");
    let answer = page.get("/api/v1", &format!("Authorization: Bearer {}\r\n", token.trim()));
    assert!(answer.starts_with("HTTP/1.1 401"), "the running page notices: {answer}");
    ok(&["web", "user", "remove", "bob"], "");
    let text = std::fs::read_to_string(folder.path().join("blueque/web-users")).unwrap();
    assert!(text.contains("user alice admin $argon2id$") && !text.contains("bob") && !text.contains("horse"), "{text}");
}

#[test]
fn a_page_has_several_places_below_its_path() {
    let folder = Folder::new();
    let (one, other) = (Server::start(), Server::start());
    let places = folder.path().join("places");
    std::fs::write(&places, format!("# places\none={0}#a\ntwo={0}#b\nthree={1}\n", one.url(), other.url())).unwrap();
    let args =
        ["--place", places.to_str().unwrap(), "--base-path", "/queue", "--title", "production", "--colour", "red"];
    let page = Page::start(&folder, &one.url(), &args);
    assert!(page.url.ends_with("/queue/"), "{}", page.url);
    let listed = page.get("/queue/api/v1", "");
    assert!(listed.contains(r#""places":[{"name":"one"},{"name":"three"},{"name":"two"}]"#), "{listed}");
    assert!(page.get("/healthz", "").starts_with("HTTP/1.1 404"));
    for place in ["one", "two", "three"] {
        let shown = page.get(&format!("/queue/{place}/"), "");
        assert!(shown.starts_with("HTTP/1.1 200") && shown.contains("production"), "{shown}");
    }
    assert!(page.get("/queue/four/", "").starts_with("HTTP/1.1 404"));
}

#[test]
fn no_page_shows_the_password_of_the_server() {
    let folder = Folder::new();
    let (mut server, port) = Server::start_at_port(&["--requirepass", "hunter2"]);
    let url = format!("redis://127.0.0.1:{port}/");
    let args = ["web", "--listen", "127.0.0.1:0"];
    let mut child = command(&folder, &url, &args).env("BLUEQUE_PASSWORD", "hunter2").spawn().unwrap();
    let mut shown = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut shown).unwrap();
    let page = Page { child, url: shown.trim().to_owned() };
    let all =
        |page: &Page| ["/blueque/", "/api/v1", "/api/v1/blueque/queues", "/metrics"].map(|path| page.get(path, ""));
    let there = all(&page);
    server.kill();
    let away = all(&page);
    assert!(there[2].starts_with("HTTP/1.1 200") && away[2].starts_with("HTTP/1.1 503"), "{there:?} {away:?}");
    assert!(there.iter().chain(&away).all(|text| !text.contains("hunter2")), "{there:?} {away:?}");
}

#[test]
fn wrong_options_are_refused_with_the_right_form() {
    let folder = Folder::new();
    for (args, part) in [
        (&["--listen", "nowhere"][..], "HOST:PORT"),
        (&["--base-path", "queue"], "base path"),
        (&["--proxy-user-header", "X-User"], "--proxy-from"),
        (&["--proxy-user-header", "X User", "--proxy-from", "10.0.0.1"], "name of a header"),
        (&["--proxy-user-header", "X-User", "--proxy-from", "10.0.0.0/99"], "10.0.0.0/8"),
        (&["--no-auth", "--users", "file"], "cannot be used with"),
        (&["--users", "missing"], "has no users"),
        (&["--durability", "fsync"], "--durability"),
    ] {
        let output = run(&folder, &[&["web"], args].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert!(text(&output).contains(part), "{args:?}: {}", text(&output));
    }
}
