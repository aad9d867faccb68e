//! A page on a real server, and a client that sends exactly the bytes of a test.
#![allow(dead_code)]

#[path = "../../../tests/support/mod.rs"]
pub mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use blueque_web::access::{Access, AccessBuilder, Hash, UsersFile};
use blueque_web::{Place, Role, Web};
use support::{Folder, Server};

/// A password of every user of the tests.
pub const PASSWORD: &str = "correct horse";

/// A page with its server.
pub struct Page {
    pub server: Server,
    pub folder: Folder,
    pub address: SocketAddr,
    /// Ends the page when it is dropped.
    _stop: mpsc::Sender<()>,
}

impl Page {
    /// A page without a login.
    pub fn open() -> Self {
        Self::with(|_, access| access.open("tester").only_loopback(true), |web| web)
    }

    /// A page with the users alice (admin), olga (operator) and vera (viewer).
    pub fn with_users() -> Self {
        Self::with(|file, access| access.users(file), |web| web)
    }

    pub fn with(access: impl FnOnce(UsersFile, AccessBuilder) -> AccessBuilder, web: impl FnOnce(Web) -> Web) -> Self {
        let (server, folder) = (Server::start(), Folder::new());
        let file = UsersFile::new(folder.path().join("users"));
        let hash = Hash::new(PASSWORD).unwrap();
        file.change(|users| {
            for (name, role) in [("alice", Role::Admin), ("olga", Role::Operator), ("vera", Role::Viewer)] {
                users.add_user(name, role, Some(hash.clone()))?;
            }
            Ok(())
        })
        .unwrap();
        let access = access(file, Access::builder()).build().unwrap();
        let place = Place::new("main", &server.url()).unwrap();
        let router = web(Web::builder().place(place).access(access)).build().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = mpsc::channel();
        thread::spawn(move || blueque_web::serve(router, listener, move || _ = stopped.recv()).unwrap());
        Self { server, folder, address, _stop: stop }
    }

    pub fn users(&self) -> UsersFile {
        UsersFile::new(self.folder.path().join("users"))
    }

    /// A token with a role.
    pub fn token(&self, name: &str, role: Role) -> String {
        self.users().change(|users| users.add_token(name, role)).unwrap()
    }

    pub fn client(&self) -> blueque::Client {
        blueque::Client::open(&self.server.url()).unwrap()
    }

    /// Sends a request with these headers, `Name: value`, and returns the answer.
    pub fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = self.stream(method, path, headers, body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::read(&String::from_utf8_lossy(&bytes))
    }

    pub fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.send("GET", path, headers, "")
    }

    /// Sends JSON.
    pub fn post(&self, path: &str, headers: &[&str], json: &str) -> Answer {
        self.send("POST", path, &[headers, &["Content-Type: application/json"]].concat(), json)
    }

    /// Sends a form.
    pub fn form(&self, path: &str, headers: &[&str], form: &str) -> Answer {
        self.send("POST", path, &[headers, &["Content-Type: application/x-www-form-urlencoded"]].concat(), form)
    }

    /// Sends a request, whose answer can be read line by line.
    pub fn stream(&self, method: &str, path: &str, headers: &[&str], body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect_timeout(&self.address, Duration::from_secs(30)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let host = if headers.iter().any(|header| header.starts_with("Host:")) {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let headers = headers.iter().fold(String::new(), |all, header| all + header + "\r\n");
        let length = if method == "GET" { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let text = format!("{method} {path} HTTP/1.1\r\n{host}{headers}{length}Connection: close\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Logs in, and returns the answer.
    pub fn login(&self, user: &str, password: &str) -> Answer {
        self.form("/login", &[], &format!("user={user}&password={}", password.replace(' ', "+")))
    }

    /// Logs in, and returns the header with the cookie and the token of forms.
    pub fn session(&self, user: &str) -> (String, String) {
        let cookie = self.login(user, PASSWORD).cookie();
        let page = self.get("/main/", &[&cookie]);
        let csrf = page.body.split("data-csrf=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        (cookie, csrf.to_owned())
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_lowercase(), value.to_owned())
        };
        Self { status, headers: lines.map(header).collect(), body: body.to_owned() }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The header with which a browser sends the session's cookie back.
    pub fn cookie(&self) -> String {
        self.own_cookie(false).expect("no cookie")
    }

    /// The header with which a browser sends back the proof that its user has logged in before.
    pub fn browser(&self) -> String {
        self.own_cookie(true).expect("no cookie")
    }

    fn own_cookie(&self, lasts: bool) -> Option<String> {
        let all = self.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value);
        let mut own = all.filter(|value| value.starts_with("blueque_") && !value.starts_with("blueque_flash"));
        let found = own.find(|value| value.contains("Max-Age=777") == lasts)?;
        Some(format!("Cookie: {}", found.split(';').next()?))
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Status and code of an error.
    pub fn problem(&self) -> (u16, String) {
        let json = self.json();
        assert!(!json["text"].as_str().unwrap().is_empty() && !json["remedy"].as_str().unwrap().is_empty(), "{json}");
        (self.status, json["code"].as_str().unwrap().to_owned())
    }
}

/// Reads lines of a stream up to a line with this beginning.
pub fn line_with(stream: &mut BufReader<TcpStream>, begin: &str) -> String {
    for line in stream.lines() {
        let line = line.unwrap();
        if let Some(rest) = line.strip_prefix(begin) {
            return rest.to_owned();
        }
    }
    panic!("the stream ended without {begin}");
}
