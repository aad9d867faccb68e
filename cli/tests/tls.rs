//! The command, workers and supervisors by TLS: with each version of the protocol, the client's certificate, Sentinels
//! and a cluster; and the error for each refusal. The certificates are in `tests/tls`.

#![cfg(feature = "tls-rustls")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../tests/support/mod.rs"]
mod support;
#[path = "worker/world.rs"]
mod world;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use blueque::Status;
use support::{Folder, Server, eventually, free_port, free_ports, server_program};
use world::{Worker, World, result, status};

/// A file of `tests/tls`.
fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/tls").join(name).display().to_string()
}

/// The settings of a server with a certificate, without its port.
fn settings(certificate: &str) -> Vec<String> {
    let files = [certificate, "server.key", "ca.pem", "client.pem", "client.key"].map(file);
    let [client, key] = ["--tls-client-cert-file", "--tls-client-key-file"]; // for connections between servers
    let names = ["--tls-cert-file", "--tls-key-file", "--tls-ca-cert-file", client, key];
    names.into_iter().map(str::to_owned).zip(files).flat_map(|(name, file)| [name, file]).collect()
}

/// A server that accepts only TLS, and its port.
fn server(certificate: &str, more: &[&str]) -> (Server, String) {
    let port = free_port();
    let certificates = settings(certificate);
    let certificates: Vec<&str> = certificates.iter().map(String::as_str).collect();
    let args = ["--save", "", "--bind", "127.0.0.1", "--tls-port", &port];
    (Server::start_with(&[&args[..], &certificates, more].concat()), port)
}

/// A command that reaches the server by this URL, and trusts the authority of the tests.
fn by<'a>(command: &'a mut Command, url: &str) -> &'a mut Command {
    command.env("BLUEQUE_URL", url).env("BLUEQUE_CA", file("ca.pem"))
}

/// Runs a command: its exit code and all its output.
fn run(url: &str, variables: &[(&str, String)], args: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blueque"));
    by(&mut command, url).env("XDG_CONFIG_HOME", "/nonexistent").envs(variables.iter().cloned()).args(args);
    let output = command.output().unwrap();
    let all = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.code().unwrap(), all.concat())
}

fn worker(world: &World, url: &str, variables: &[(&str, String)], more: &[&str]) -> Worker {
    let args = [&["--queue", "q"], more].concat();
    let mut command = world.command(Path::new(env!("CARGO_BIN_EXE_blueque")), &args);
    Worker(by(&mut command, url).envs(variables.iter().cloned()).spawn().unwrap())
}

/// A program that waits for the file `go`, and then prints a result.
const WAITS: &str = "touch FOLDER/runs; while [ ! -e FOLDER/go ]; do sleep 0.05; done; echo '\"made\"'";

/// A task whose program runs to its end, though its worker is killed: its supervisor has a connection of its own.
fn runs_to_its_end(world: &World, url: &str, variables: &[(&str, String)]) {
    world.program("q", WAITS);
    for name in ["runs", "go"] {
        let _ = fs::remove_file(world.path(name));
    }
    let first = worker(world, url, variables, &[]);
    let task = world.submit("q", "[]");
    eventually("the program runs", || world.path("runs").exists().then_some(()));
    status(&task, Status::Started);
    first.kill();
    world.touch("go");
    status(&task, Status::Complete);
    assert_eq!(result(&task), "\"made\"");
    world.nothing_is_left();
}

#[test]
fn a_worker_and_its_supervisors_speak_each_version_of_tls_and_show_their_certificate() {
    let own = [("BLUEQUE_CERT", file("client.pem")), ("BLUEQUE_KEY", file("client.key"))];
    for version in ["TLSv1.2", "TLSv1.3"] {
        let (server, port) = server("server.pem", &["--tls-auth-clients", "yes", "--tls-protocols", version]);
        let world = World::on(server);
        let url = format!("rediss://localhost:{port}/");
        let (code, said) = run(&url, &own, &["ping"]);
        assert!(code < 2 && said.contains("rights       this user may"), "{version}: {code} {said}");
        runs_to_its_end(&world, &url, &own);
        let (code, said) = run(&url, &[], &["queue", "ls"]);
        assert_eq!(code, 3, "{version}: {said}");
        assert!(said.contains("the server refuses this client's certificate, or asks for one"), "{version}: {said}");
    }
}

#[test]
fn each_refusal_of_a_certificate_ends_a_command_with_its_remedy() {
    let (_good, port) = server("server.pem", &["--tls-auth-clients", "no"]);
    let (_expired, late) = server("expired.pem", &["--tls-auth-clients", "no"]);
    let (_plain, without) = Server::start_at_port(&[]);
    let with = |parameters: &str| format!("rediss://localhost:{port}/{parameters}");
    let folder = Folder::new();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "no certificate\n").unwrap();
    for (url, said) in [
        (format!("rediss://localhost:{late}/"), "the server's certificate has expired: renew it"),
        (format!("rediss://[::ffff:127.0.0.1]:{port}/"), "the server's certificate is for another name"),
        (with(&format!("?ca={}", file("client.pem"))), "no known authority vouches for the server's certificate"),
        (with("?ca=/nonexistent"), "a file of the address cannot be read (/nonexistent: No such file"),
        (with(&format!("?ca={}", empty.display())), "the file of the authority's certificates is unusable"),
        (with(&format!("?cert={}&key={}", file("client.pem"), file("ca.pem"))), "certificate or its key is unusable"),
        (
            with(&format!("?cert={}&key={}", file("client.pem"), file("server.key"))),
            "certificate or its key is unusable",
        ),
        (format!("rediss://localhost:{without}/"), "no answer from the server within"),
        (format!("redis://localhost:{port}/"), "cannot be used"),
    ] {
        let (code, all) = run(&url, &[], &["queue", "ls"]);
        assert!(code == 3 || code == 2, "{url}: {code} {all}");
        assert!(all.contains(said) && !all.contains("panicked"), "{url}: {all}");
    }
}

/// A Sentinel that accepts only TLS, killed when dropped.
struct Sentinel {
    child: Child,
    _folder: Folder,
}

impl Sentinel {
    fn start(master: &str) -> (Self, String) {
        let (folder, port) = (Folder::new(), free_port());
        let certificates = settings("server.pem");
        let lines: Vec<String> =
            certificates.chunks(2).map(|pair| format!("{} {}\n", pair[0].trim_start_matches('-'), pair[1])).collect();
        let text = format!(
            "port 0\ntls-port {port}\nbind 127.0.0.1\ntls-replication yes\ntls-auth-clients no\n{}\
             sentinel monitor films 127.0.0.1 {master} 1\n",
            lines.concat()
        );
        fs::write(folder.path().join("sentinel.conf"), text).unwrap();
        let mut program = Command::new(server_program());
        program.arg(folder.path().join("sentinel.conf")).arg("--sentinel").stdout(Stdio::null());
        (Self { child: program.spawn().unwrap(), _folder: folder }, port)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn sentinels_lead_to_a_master_by_tls() {
    let (server, master) = server("server.pem", &["--tls-auth-clients", "no", "--tls-replication", "yes"]);
    let (_sentinel, port) = Sentinel::start(&master);
    let world = World::on(server);
    let url = format!("rediss+sentinel://localhost:{port}/films");
    eventually("the Sentinel knows the master", || (run(&url, &[], &["queue", "ls"]).0 == 0).then_some(()));
    runs_to_its_end(&world, &url, &[]);
}

#[test]
fn a_cluster_leads_to_the_node_of_a_namespace_by_tls() {
    let ports = free_ports::<4>();
    let nodes = [0, 2].map(|at| {
        let certificates = settings("server.pem");
        let certificates: Vec<&str> = certificates.iter().map(String::as_str).collect();
        let args = ["--save", "", "--bind", "127.0.0.1", "--tls-port", &ports[at], "--cluster-port", &ports[at + 1]];
        let cluster = ["--cluster-enabled", "yes", "--tls-cluster", "yes", "--tls-auth-clients", "no"];
        Server::start_with(&[&args[..], &cluster, &certificates].concat())
    });
    let ask = |node: usize, words: &[&str]| -> String {
        let reply = redis::cmd("CLUSTER").arg(words).query::<redis::Value>(&mut nodes[node].connection()).unwrap();
        redis::from_redis_value(reply).unwrap()
    };
    for (node, range) in [["0", "8191"], ["8192", "16383"]].into_iter().enumerate() {
        ask(node, &["ADDSLOTSRANGE", range[0], range[1]]);
        ask(node, &["SET-CONFIG-EPOCH", &(node + 1).to_string()]);
    }
    ask(0, &["MEET", "127.0.0.1", &ports[2], &ports[3]]);
    for node in [0, 1] {
        eventually("the node works", || ask(node, &["INFO"]).contains("cluster_state:ok").then_some(()));
    }
    // A namespace whose slot is on the second node.
    let namespace =
        (0..100).map(|n| format!("{{n{n}}}")).find(|name| ask(0, &["KEYSLOT", name]).parse::<u32>().unwrap() > 8191);
    let namespace = namespace.unwrap();
    let url = format!("rediss+cluster://localhost:{}/", ports[0]);
    let named = [("BLUEQUE_NAMESPACE", namespace.clone())];
    let (code, said) = run(&url, &named, &["ping"]);
    assert!(code < 2 && said.contains(&format!("names 127.0.0.1:{}", ports[2])), "{code} {said}");
    let [_first, second] = nodes;
    let client = blueque::Client::builder().namespace(namespace.parse().unwrap());
    let client = client.open(&second.url()).unwrap();
    runs_to_its_end(&World::reached(second, client), &url, &named);
}
