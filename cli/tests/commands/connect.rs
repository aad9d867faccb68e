use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::support::{Server, eventually};
use crate::{Desk, left};

const SECRET: &str = "s3cret-of-mine";

fn guarded() -> Desk {
    Desk::on(Server::start_with(&["--save", "", "--requirepass", SECRET]))
}

#[test]
fn the_password_comes_from_the_environment_the_url_there_or_the_file() {
    let desk = guarded();
    let says = |command: &mut std::process::Command| left(command.output().unwrap());
    let without = says(&mut desk.command(&["queue", "ls"]));
    assert_eq!(without.code, 3, "{}", without.err);
    assert!(without.err.contains("asks for a password"), "{}", without.err);
    assert_eq!(says(desk.command(&["queue", "ls"]).env("BLUEQUE_PASSWORD", SECRET)).code, 0);
    let url = format!("{}?pass={SECRET}", desk.server.url());
    assert_eq!(says(desk.command(&["queue", "ls"]).env("BLUEQUE_URL", &url)).code, 0);
    let file = desk.home.path().join("blueque.toml");
    fs::write(&file, format!("url = \"{}\"\npassword = \"{SECRET}\"\n", desk.server.url())).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let with_file = || {
        let mut command = desk.command(&["queue", "ls"]);
        command.env_remove("BLUEQUE_URL").env("BLUEQUE_CONFIG", &file);
        command
    };
    let quiet = says(&mut with_file());
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(says(&mut with_file()).err.contains("chmod 600"));
    let other = Server::start_with(&["--save", ""]);
    let elsewhere = says(with_file().env("BLUEQUE_URL", other.url()));
    assert_eq!(elsewhere.code, 0, "the file's password is not sent to another server: {}", elsewhere.err);
    let secret = desk.home.path().join("secret");
    fs::write(&secret, format!("{SECRET}\n")).unwrap();
    fs::write(&file, format!("url = \"{}\"\npassword_file = \"{}\"\n", desk.server.url(), secret.display())).unwrap();
    let with_secret = |mode| {
        fs::set_permissions(&secret, fs::Permissions::from_mode(mode)).unwrap();
        says(desk.command(&["queue", "ls"]).env("BLUEQUE_CONFIG", &file))
    };
    let quiet = with_secret(0o600);
    assert_eq!((quiet.code, quiet.err.as_str()), (0, ""));
    let open = with_secret(0o644);
    assert_eq!(open.code, 0);
    assert!(open.err.contains(&format!("chmod 600 {}", secret.display())), "{}", open.err);
}

#[test]
fn a_user_without_a_password_is_refused_and_not_served_as_the_default_user() {
    let desk = Desk::new();
    let socket = format!("unix://{}", desk.server.socket().display());
    for url in [format!("{socket}?user=me"), "redis://me@127.0.0.1:1/".to_owned()] {
        let said = desk.refused(2, &["ls", "--url", &url]);
        assert!(said.contains("names the user me, but there is no password: set BLUEQUE_PASSWORD"), "{said}");
    }
    desk.ok(&["ls", "--url", &format!("{socket}?user=default")]);
}

#[test]
fn a_password_is_never_shown() {
    let desk = guarded();
    let socket = format!("unix://{}?pass={SECRET}", desk.server.socket().display());
    let tcp = format!("redis://user:{SECRET}@127.0.0.1:1/");
    let slash = format!("redis://user:x/{SECRET}@h/");
    let odd = format!("redis://user:x?{SECRET}@{SECRET}:@h/ rediss://:{SECRET}@h");
    let cluster = format!("redis+cluster://:{SECRET}@127.0.0.1:1,127.0.0.1:2");
    let sentinel = format!("redis+sentinel://me:{SECRET}@127.0.0.1:1,127.0.0.1:2/films");
    let two = format!("unix:///x?pass=a unix:///y?pass={SECRET}&db=1");
    for (args, code) in [
        (vec!["--url", &tcp, "ls"], 2),
        (vec!["--url", &socket, "ls"], 2),
        (vec!["ls", "--bogus", &tcp], 2),
        (vec!["ls", "q", &tcp], 2),
        (vec!["ls", &tcp], 2),
        (vec!["ls", &slash], 2),
        (vec!["ls", &odd], 2),
        (vec!["ls", &two], 2),
        (vec!["submit", "q", "--id", &two], 2),
        (vec!["worker", "-q", &slash], 2),
        (vec!["--url", &cluster, "ls"], 2),
        (vec!["--url", &sentinel, "ls"], 2),
        (vec!["show", &tcp], 3), // the server asks for a password first
    ] {
        let left = desk.run(&args);
        assert_eq!(left.code, code, "{args:?}: {}", left.err);
        assert!(!left.err.contains(SECRET) && !left.out.contains(SECRET), "{args:?}: {}", left.err);
    }
    assert!(desk.refused(2, &["--url", &tcp, "ls"]).contains("BLUEQUE_PASSWORD"));
    for (url, password) in [
        (&tcp, ""),
        (&cluster, ""),
        (&sentinel, ""),
        (&socket, "wrong-secret"),
        (&format!("nonsense://x:{SECRET}@y"), ""),
        (&slash, ""),
    ] {
        for command in ["ls", "doctor"] {
            let output = desk.command(&[command]).env("BLUEQUE_URL", url).env("BLUEQUE_PASSWORD", password).output();
            let left = left(output.unwrap());
            assert!(left.code != 0 && !left.err.is_empty());
            let all = left.err + &left.out;
            assert!(!all.contains(SECRET) && !all.contains("wrong-secret"), "{all}");
        }
    }
    let file = desk.home.path().join("broken.toml");
    fs::write(&file, format!("password = \"{SECRET}\nurl = 1\n")).unwrap();
    let err = desk.refused(2, &["--config", &file.display().to_string(), "ls"]);
    assert!(err.contains("line") && !err.contains(SECRET), "{err}");
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let desk = Desk::new();
    let file = desk.home.path().join("c.toml");
    fs::write(&file, "namespace = \"from-file\"\n").unwrap();
    let path = file.display().to_string();
    let lives_in = |namespace: &str| {
        let key = format!("{namespace}_queues");
        redis::cmd("EXISTS").arg(key).query::<bool>(&mut desk.server.connection()).unwrap()
    };
    desk.ok(&["--config", &path, "submit", "q"]);
    assert!(lives_in("from-file"));
    let submitted =
        desk.command(&["submit", "q"]).env("BLUEQUE_CONFIG", &path).env("BLUEQUE_NAMESPACE", "from-env").output();
    assert!(submitted.unwrap().status.success() && lives_in("from-env"));
    let flag = desk.command(&["submit", "q", "--namespace", "from-flag"]).env("BLUEQUE_NAMESPACE", "unused").output();
    assert!(flag.unwrap().status.success() && lives_in("from-flag") && !lives_in("unused"));
    let usual = desk.home.path().join(".config/blueque");
    fs::create_dir_all(&usual).unwrap();
    fs::write(usual.join("config.toml"), "namespace = \"usual\"\n").unwrap();
    desk.ok(&["submit", "q"]);
    assert!(lives_in("usual"));
    fs::write(&file, "nmespace = \"x\"\n").unwrap();
    assert!(desk.refused(2, &["--config", &path, "ls"]).contains("unknown field `nmespace`"));
    desk.refused(2, &["--config", "/nowhere/at/all", "ls"]);
    desk.refused(2, &["--namespace", "a_b", "ls"]);
}

#[test]
fn a_server_that_is_away_is_its_own_exit_code() {
    let mut desk = Desk::new();
    desk.server.kill();
    assert!(desk.refused(3, &["ls"]).contains("unix://"));
    assert!(desk.refused(3, &["doctor"]).contains("no server at unix://"));
}

#[test]
fn a_worker_of_too_many_queues_or_of_one_twice_is_refused_before_it_registers() {
    let desk = Desk::new();
    let names: Vec<String> = (0..33).map(|n| format!("q{n}")).collect();
    let mut args = vec!["worker"];
    for name in &names {
        args.extend(["-q", name]);
    }
    args.extend(["--", "true"]);
    let said = desk.refused(2, &args);
    assert!(said.contains("at most 32 queues"), "{said}");
    assert!(desk.refused(2, &["worker", "-q", "a", "-q", "b", "-q", "a=2", "--", "true"]).contains("a twice"));
    let said = desk.refused(2, &["worker", "-q", "a", "--dir", "/nonexistent"]);
    assert!(said.contains("there is no folder /nonexistent: make it"), "{said}");
    assert_eq!(desk.ok(&["queue", "ls", "-o", "id"]), "");
}

#[test]
fn wrong_usage_is_its_own_exit_code_and_help_is_none() {
    let desk = Desk::new();
    for args in [&[][..], &["bogus"], &["ls", "--bogus"], &["ls", "-o", "xml"]] {
        desk.refused(2, args);
    }
    let said = desk.refused(2, &["worker", "-q", "q", "--env", "A=1", "--", "true"]);
    assert!(said.contains("'A=1' for '--env <NAME>': must be a name alone"), "{said}");
    let said = desk.refused(2, &["worker", "-q", "q", "--publish", "/dev/null/x", "--", "/bin/true"]);
    assert!(said.contains("nothing can be published in /dev/null/x: /dev/null/x: Not a directory"), "{said}");
    let said = desk.refused(2, &["dev", "--dir", "/bin", "-q", "a b"]);
    assert!(said.contains("'a b' for '--queue <QUEUE>'") && !said.contains("This is the server's URL"), "{said}");
    for (word, named) in [
        ("pause", &["blueque suspend ID", "blueque hold ID", "blueque queue pause QUEUE"][..]),
        ("stash", &["blueque hold ID"]),
        ("start", &["blueque continue ID", "blueque unhold ID", "blueque queue resume QUEUE"]),
        ("enqueue", &["blueque unhold ID"]),
        ("scontrol", &["blueque hold ID", "blueque drain --worker NAME"]),
    ] {
        let said = desk.refused(2, &[word, "x"]);
        assert!(named.iter().all(|line| said.contains(line)), "{word}: {said}");
    }
    let help = desk.ok(&["--help"]);
    assert!(help.contains("blueque help exit-codes") && !help.contains("supervise"), "{help}");
    assert!(desk.ok(&["--version"]).starts_with("blueque "));
}

#[test]
fn a_namespace_for_tests_is_refused_unless_the_environment_says_that_this_is_a_test() {
    let mut desk = Desk::for_tests();
    desk.client();
    desk.ok(&["submit", "q", "--id", "t"]);
    desk.tests = false;
    let said = desk.refused(1, &["ls"]);
    assert!(said.contains("TEST: this namespace is for tests"), "{said}");
    assert!(desk.run(&["doctor"]).out.contains("this namespace is for tests: its clock may show any time"));
}

#[test]
fn a_url_that_asks_for_tls_is_never_served_without() {
    let desk = Desk::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let url = format!("rediss://user:{SECRET}@127.0.0.1:{}/", server.local_addr().unwrap().port());
    let mut child = desk.command(&["queue", "ls"]).env("BLUEQUE_URL", url).spawn().unwrap();
    let mut heard = Vec::new();
    let ended = eventually("the command gives up", || {
        if let Ok((mut connection, _)) = server.accept() {
            connection.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            let mut bytes = [0; 4096];
            let read = connection.read(&mut bytes).unwrap_or(0);
            heard.push(bytes[..read].to_vec());
        }
        child.try_wait().unwrap()
    });
    assert_ne!(ended.code(), Some(0));
    let left = left(child.wait_with_output().unwrap());
    assert!(!left.err.contains("panicked"), "{}", left.err);
    for bytes in heard.iter().filter(|bytes| !bytes.is_empty()) {
        assert_eq!(bytes[0], 0x16, "the beginning of a handshake");
        assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()));
    }
}

#[test]
fn a_port_that_speaks_another_protocol_is_named_at_once() {
    let desk = Desk::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/", port.local_addr().unwrap());
    std::thread::spawn(move || {
        for caller in port.incoming() {
            let mut caller = caller.unwrap();
            let _ = caller.read(&mut [0; 512]);
            let _ = caller.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    for command in [&["queue", "ls"][..], &["submit", "q"], &["doctor"]] {
        let said = left(desk.command(command).env("BLUEQUE_URL", &url).output().unwrap());
        let all = said.out + &said.err;
        assert!(all.contains("it answers, but is no Redis or Valkey"), "{command:?}: {all}");
        assert!(!all.contains("no answer") && said.code == if command == ["doctor"] { said.code } else { 3 }, "{all}");
    }
}

#[test]
fn a_password_file_that_cannot_be_read_is_a_wrong_use() {
    let desk = Desk::new();
    let file = desk.home.path().join("secret");
    for (why, text) in [("No such file or directory", None), ("it is empty", Some(""))] {
        if let Some(text) = text {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let said = left(desk.command(&["queue", "ls"]).env("BLUEQUE_PASSWORD_FILE", &file).output().unwrap());
        let wanted = format!("the password file cannot be read ({}: {why}", file.display());
        assert!(said.code == 2 && said.err.contains(&wanted), "{} {}", said.code, said.err);
    }
}

#[test]
fn a_server_whose_publish_has_another_name_is_used_without_it() {
    let desk = Desk::on(Server::start_with(&["--save", "", "--rename-command", "PUBLISH", "hidden"]));
    desk.ok(&["submit", "q", "--id", "t"]);
    assert_eq!(desk.json(&["show", "t"])["status"], "pending");
}
