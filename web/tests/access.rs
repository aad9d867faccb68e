//! Who may use the page: logins, roles, tokens, proxies, and requests of other sites.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod http;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use blueque_web::Role;
use blueque_web::access::{Hash, UsersFile};
use http::{PASSWORD, Page};

#[test]
fn a_page_with_users_shows_nothing_before_the_login() {
    let page = Page::with_users();
    let answer = page.get("/main/tasks?q=a", &[]);
    assert_eq!((answer.status, answer.header("location")), (303, "/login?to=%2Fmain%2Ftasks%3Fq%3Da"));
    // The browser sends the cookie only to a page that it loads again after a link of another site.
    let link = page.get("/main/tasks", &["Sec-Fetch-Site: cross-site"]);
    assert!(link.status == 200 && link.body.contains("http-equiv=\"refresh\" content=\"0\""), "{link:?}");
    assert_eq!(page.get("/main/tasks", &["Sec-Fetch-Site: same-origin"]).status, 303);
    assert_eq!(page.get("/api/v1/main/queues", &[]).problem(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(page.get("/metrics", &[]).problem(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(page.post("/api/v1/main/delete_queue", &[], r#"{"queue":"q"}"#).status, 401);
    assert_eq!(page.form("/main/act/pause", &[], "queue=q").status, 303);
    for path in ["/login", "/healthz", "/readyz", "/robots.txt"] {
        assert_eq!(page.get(path, &[]).status, 200, "{path}");
    }
    let style = page
        .get("/login", &[])
        .body
        .split("href=\"")
        .find_map(|rest| rest.strip_prefix("/assets/").map(|rest| rest.split('"').next().unwrap().to_owned()));
    assert_eq!(page.get(&format!("/assets/{}", style.unwrap()), &[]).status, 200);
}

#[test]
fn a_login_leads_back_and_its_cookie_is_for_this_site_only() {
    let page = Page::with_users();
    let answer = page.form("/login", &[], "user=alice&password=correct+horse&to=%2Fmain%2Ftasks");
    assert_eq!((answer.status, answer.header("location")), (303, "/main/tasks"));
    let set = answer.header("set-cookie");
    assert!(set.contains("; Path=/; Max-Age=3600; HttpOnly; SameSite=Strict") && !set.contains("Secure"), "{set}");
    assert_eq!(page.get("/main/", &[&answer.cookie()]).status, 200);
    for to in [
        "https%3A%2F%2Fevil.example",
        "%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "javascript%3Aalert(1)",
        "%2F%0Aevil",
    ] {
        let answer = page.form("/login", &[], &format!("user=alice&password=correct+horse&to={to}"));
        assert_eq!(answer.header("location"), "/", "{to}");
        // Each success is forgotten, so the limit of attempts is not reached.
    }
}

#[test]
fn a_wrong_password_and_an_unknown_name_are_refused_alike() {
    let page = Page::with_users();
    let (wrong, unknown) = (page.login("alice", "wrong"), page.login("nobody", "wrong"));
    assert_eq!((wrong.status, unknown.status), (401, 401));
    assert_eq!(wrong.body.replace("alice", "X"), unknown.body.replace("nobody", "X"));
    assert!(wrong.headers.iter().all(|(name, _)| name != "set-cookie"));
}

#[test]
fn attempts_are_limited_for_an_address_even_with_the_right_password() {
    let page = Page::with_users();
    for number in 0..5 {
        assert_eq!(page.login(&format!("user{number}"), "wrong").status, 401);
    }
    let answer = page.login("alice", PASSWORD);
    assert_eq!(answer.status, 429);
    assert!((1..=31).contains(&answer.header("retry-after").parse::<u64>().unwrap()), "{answer:?}");
}

#[test]
fn failed_logins_of_strangers_keep_a_user_out_of_no_known_browser() {
    let page = Page::with(
        |file, access| access.users(file).proxies(["127.0.0.1".parse().unwrap()].into_iter().collect()),
        |web| web,
    );
    let login = |from: &str, browser: &str, password: &str| {
        let from = format!("X-Forwarded-For: {from}");
        page.form("/login", &[&from, browser], &format!("user=alice&password={password}"))
    };
    let desk = login("192.0.2.1", "Accept: */*", "correct+horse").browser();
    assert_eq!(page.get("/main/", &[&desk]).status, 303, "the proof lets nobody in");
    for number in 0..20 {
        assert_eq!(login(&format!("198.51.100.{number}"), "Accept: */*", "wrong").status, 401);
    }
    assert_eq!(login("203.0.113.1", "Accept: */*", "correct+horse").status, 429, "an unknown browser");
    assert_eq!(login("198.51.100.1", &desk, "correct+horse").status, 303, "a known browser");
    for _ in 0..5 {
        assert_eq!(login("203.0.113.2", &desk, "wrong").status, 401);
    }
    assert_eq!(login("203.0.113.2", &desk, "correct+horse").status, 429, "a known browser has a limit of its own");
    let (other, forged) = (page.form("/login", &[&desk], "user=olga&password=x"), desk.replace("alice", "olga"));
    assert_eq!((other.status, page.form("/login", &[&forged], "user=olga&password=x").status), (401, 401));
    // Neither counts for the browser: the cookie is one of alice.
    assert_eq!(login("203.0.113.3", &forged, "correct+horse").status, 429);
}

#[test]
fn a_client_with_many_connections_keeps_nobody_out() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    rustix::process::setrlimit(
        rustix::process::Resource::Nofile,
        rustix::process::Rlimit { current: limit.maximum, maximum: limit.maximum },
    )
    .unwrap();
    let page = Page::with_users();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let closed = runtime.block_on(async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut all = Vec::new();
        for _ in 0..2_000 {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(([127, 0, 0, 2], 0).into()).unwrap();
            let mut stream = socket.connect(page.address).await.unwrap();
            stream.write_all(b"GET /login HTTP/1.1\r\nHost: a\r\nX-Slow: ").await.unwrap();
            all.push(stream);
        }
        let (mut closed, mut byte) = (0, [0]);
        for stream in all.iter_mut().take(1_000) {
            // The server may have closed it before it read what was sent.
            closed += usize::from(stream.read(&mut byte).await.unwrap_or_default() == 0);
        }
        // The others are still open while another client asks.
        assert_eq!(page.get("/login", &[]).status, 200);
        closed
    });
    assert_eq!(closed, 1_000);
}

#[test]
fn a_session_ends_with_its_time_with_the_logout_and_with_a_new_password() {
    let expired = Page::with(|file, access| access.users(file).lifetime(Duration::ZERO), |web| web);
    let cookie = expired.login("alice", PASSWORD).cookie();
    assert_eq!(expired.get("/main/", &[&cookie]).status, 303, "the time has passed");

    let page = Page::with_users();
    let (cookie, csrf) = page.session("alice");
    assert_eq!(page.form("/logout", &[&cookie], "csrf=wrong").status, 403);
    assert_eq!(page.get("/main/", &[&cookie]).status, 200);
    assert_eq!(page.form("/logout", &[&cookie], &format!("csrf={csrf}")).status, 303);
    assert_eq!(page.get("/main/", &[&cookie]).status, 303, "a copy of the cookie has ended too");

    let (cookie, _) = page.session("alice");
    let hash = Hash::new("another password").unwrap();
    page.users().change(|users| users.change_user("alice", None, Some(hash))).unwrap();
    assert_eq!(page.get("/main/", &[&cookie]).status, 303);

    let (cookie, _) = page.session("olga");
    page.users().change(|users| users.remove_user("olga")).unwrap();
    assert_eq!(page.get("/main/", &[&cookie]).status, 303);
}

#[test]
fn a_changed_cookie_is_no_session() {
    let page = Page::with_users();
    let (cookie, _) = page.session("vera");
    for changed in [
        cookie.replace("vera", "alice"),
        cookie.replace("=vera/", "=vera/x"),
        format!("{cookie}x"),
        cookie.replace('.', ""),
    ] {
        assert_ne!(changed, cookie);
        assert_eq!(page.get("/main/", &[&changed]).status, 303, "{changed}");
    }
    let number = cookie.rsplit('/').next().unwrap().split('.').next().unwrap();
    let later = cookie.replace(number, &(number.parse::<u64>().unwrap() + 1000).to_string());
    assert_eq!(page.get("/main/", &[&later]).status, 303, "a later end");
}

#[test]
fn each_role_may_do_what_the_contract_gives_it() {
    let page = Page::with_users();
    let queue = page.client().queue("q").unwrap();
    queue.submit("x", blueque::Submit::default()).unwrap();
    let pause = r#"{"queue":"q","reason":"deploy"}"#;
    let submit = r#"{"queue":"q","tasks":[{"id":"t","parameters":1}]}"#;
    for (user, reads, submits, pauses) in [("vera", 200, 403, 403), ("olga", 200, 200, 403), ("alice", 200, 200, 200)] {
        let (cookie, csrf) = page.session(user);
        let csrf = format!("X-CSRF-Token: {csrf}");
        assert_eq!(page.get("/api/v1/main/queues", &[&cookie]).status, reads, "{user}");
        assert_eq!(page.post("/api/v1/main/submit", &[&cookie, &csrf], submit).status, submits, "{user}");
        let paused = page.post("/api/v1/main/pause", &[&cookie, &csrf], pause);
        assert_eq!(paused.status, pauses, "{user}: {paused:?}");
    }
    let audit = page.client().audit("0", &blueque::calls::AuditOptions::new()).unwrap();
    let by: Vec<_> = audit.items.iter().map(|entry| (entry.what.clone(), entry.by.clone())).collect();
    assert!(by.contains(&("pause".to_owned(), Some("alice".to_owned()))), "{by:?}");
}

#[test]
fn a_write_needs_the_token_of_its_session_and_its_own_origin() {
    let page = Page::with_users();
    let (cookie, csrf) = page.session("alice");
    let (_, other) = page.session("olga");
    let own = format!("Origin: http://{}", page.address);
    let write = |headers: &[&str], csrf: &str| {
        let headers = [&[cookie.as_str()], headers].concat();
        page.form("/main/act/pause", &headers, &format!("queue=q&reason=x&back=/main/&csrf={csrf}")).status
    };
    assert_eq!(write(&[&own], &csrf), 303);
    assert_eq!(write(&["Sec-Fetch-Site: same-origin", "Origin: null"], &csrf), 303);
    for (headers, token, what) in [
        (&[own.as_str()][..], "", "no token"),
        (&[own.as_str()], "wrong", "a wrong token"),
        (&[own.as_str()], other.as_str(), "the token of another session"),
        (&["Origin: http://evil.example"], csrf.as_str(), "another site"),
        (&["Origin: null"], csrf.as_str(), "a sandboxed page"),
        (&["Sec-Fetch-Site: cross-site"], csrf.as_str(), "another site, by the browser's word"),
        (&["Sec-Fetch-Site: same-site"], csrf.as_str(), "a neighbour"),
    ] {
        assert_eq!(write(headers, token), 403, "{what}");
    }
    // The API needs the token in its header, because no form can send it.
    let json = r#"{"queue":"q"}"#;
    assert_eq!(page.post("/api/v1/main/resume", &[&cookie], json).problem(), (403, "CSRF".to_owned()));
    assert_eq!(page.post("/api/v1/main/resume", &[&cookie, &format!("X-CSRF-Token: {csrf}")], json).status, 200);
    assert_eq!(page.form("/login", &["Origin: http://evil.example"], "user=alice&password=correct+horse").status, 403);
}

#[test]
fn a_page_without_a_login_answers_only_as_this_machine_and_to_itself() {
    let page = Page::open();
    page.client().queue("q").unwrap().submit("x", blueque::Submit::default()).unwrap();
    assert_eq!(page.get("/api/v1/main/queues", &[]).status, 200);
    assert_eq!(page.get("/api/v1/main/queues", &["Host: localhost:7733"]).status, 200);
    for host in ["evil.example", "evil.example:7733", "127.0.0.1.nip.io"] {
        let host = format!("Host: {host}");
        assert_eq!(page.get("/api/v1/main/queues", &[&host]).problem(), (421, "HOST".to_owned()), "{host}");
        assert_eq!(page.get("/main/", &[&host]).status, 421, "{host}");
    }
    let open = Page::with(|_, access| access.open("tester").hosts(["queue.example"]), |web| web);
    for (host, status) in [("10.1.2.3:7733", 200), ("compose-page", 200), ("queue.example", 200), ("evil.example", 421)]
    {
        assert_eq!(open.get("/api/v1/main/queues", &[&format!("Host: {host}")]).status, status, "{host}");
    }
    // A program may write JSON. A page of another site cannot, nor can it send a form.
    let json = r#"{"queue":"q","reason":"x"}"#;
    assert_eq!(page.post("/api/v1/main/pause", &[], json).status, 200);
    assert_eq!(page.post("/api/v1/main/resume", &["Origin: http://evil.example"], json).problem().1, "ORIGIN");
    assert_eq!(page.send("POST", "/api/v1/main/resume", &["Content-Type: text/plain"], json).problem().1, "CSRF");
    assert_eq!(page.form("/main/act/open", &[], "queue=q").status, 403);
}

#[test]
fn a_token_has_a_role_and_needs_no_form() {
    let page = Page::with_users();
    page.client().queue("q").unwrap().submit("x", blueque::Submit::default()).unwrap();
    let bearer = |text: &str| format!("Authorization: Bearer {text}");
    let (reader, admin) = (page.token("reader", Role::Viewer), page.token("robot", Role::Admin));
    assert_eq!(page.get("/api/v1/main/queues", &[&bearer(&reader)]).status, 200);
    let json = r#"{"queue":"q","reason":"x"}"#;
    assert_eq!(page.post("/api/v1/main/pause", &[&bearer(&reader)], json).problem(), (403, "FORBIDDEN".to_owned()));
    assert_eq!(page.post("/api/v1/main/pause", &[&bearer(&admin)], json).status, 200);
    assert_eq!(page.get("/api/v1", &[&bearer(&admin)]).json()["user"], "robot");
    for wrong in
        ["Authorization: Bearer", "Authorization: Bearer bq_wrong", "Authorization: Token x", &bearer(&reader[1..])]
    {
        assert_eq!(page.get("/api/v1/main/queues", &[wrong]).problem(), (401, "UNAUTHORIZED".to_owned()), "{wrong}");
    }
    page.users().change(|users| users.remove_token("robot")).unwrap();
    assert_eq!(page.post("/api/v1/main/pause", &[&bearer(&admin)], json).status, 401);
    let text = fs::read_to_string(page.folder.path().join("users")).unwrap();
    assert!(!text.contains(&reader), "the file has only the digest");
}

#[test]
fn the_header_of_a_proxy_counts_only_from_the_proxy() {
    let proxied = |from: &'static str| {
        Page::with(
            move |file, access| {
                let header = "x-forwarded-user".parse().unwrap();
                access
                    .users(file)
                    .proxies([from.parse().unwrap()].into_iter().collect())
                    .proxy_user(header, Role::Viewer)
            },
            |web| web,
        )
    };
    let page = proxied("127.0.0.0/8");
    let user = |headers: &[&str]| page.get("/api/v1", headers);
    let alice = user(&["X-Forwarded-User: alice"]).json();
    assert_eq!((&alice["user"], &alice["role"]), (&"alice".into(), &"admin".into()), "the role of the users file");
    let guest = user(&["X-Forwarded-User: CORP\\gast"]).json();
    assert_eq!((&guest["user"], &guest["role"]), (&"CORP-gast".into(), &"viewer".into()));
    assert_eq!(user(&["X-Forwarded-User: alice", "X-Forwarded-User: olga"]).problem(), (403, "PROXY".to_owned()));
    assert_eq!(user(&["X-Forwarded-User: "]).problem().0, 403);
    assert_eq!(user(&[]).status, 401);
    // The cookie of a login through https is for https only.
    let set = page.form("/login", &["X-Forwarded-Proto: https"], "user=alice&password=correct+horse");
    assert!(set.header("set-cookie").ends_with("; Secure"), "{set:?}");

    let page = proxied("10.0.0.0/8");
    assert_eq!(page.get("/api/v1", &["X-Forwarded-User: alice"]).problem(), (403, "PROXY".to_owned()));
    let set = page.form("/login", &["X-Forwarded-Proto: https"], "user=alice&password=correct+horse");
    assert!(!set.header("set-cookie").contains("Secure"));
}

#[test]
fn attempts_behind_a_proxy_are_counted_for_its_clients() {
    let page = Page::with(
        |file, access| access.users(file).proxies(["127.0.0.1".parse().unwrap()].into_iter().collect()),
        |web| web,
    );
    let login =
        |from: &str| page.form("/login", &[&format!("X-Forwarded-For: {from}")], "user=nobody&password=x").status;
    for _ in 0..5 {
        // What a client writes into the header itself comes first.
        assert_eq!(login("192.0.2.1, 198.51.100.7"), 401);
    }
    assert_eq!(login("192.0.2.2, 198.51.100.7"), 429);
    assert_eq!(login("198.51.100.7, 192.0.2.1"), 401);
}

#[test]
fn every_answer_keeps_other_sites_out() {
    let page = Page::with_users();
    let (cookie, _) = page.session("alice");
    for path in ["/main/", "/login", "/nosuch", "/api/v1/main/queues", "/healthz"] {
        let answer = page.get(path, &[&cookie]);
        let policy = answer.header("content-security-policy");
        for part in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"));
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "same-origin", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[test]
fn a_page_that_only_reads_refuses_every_write() {
    let page = Page::with(|file, access| access.users(file), |web| web.read_only(true));
    let (cookie, csrf) = page.session("alice");
    let csrf_header = format!("X-CSRF-Token: {csrf}");
    assert_eq!(
        page.post("/api/v1/main/pause", &[&cookie, &csrf_header], r#"{"queue":"q","reason":""}"#).problem(),
        (403, "READONLY".to_owned())
    );
    assert_eq!(page.form("/main/act/pause", &[&cookie], &format!("queue=q&csrf={csrf}")).status, 403);
    assert_eq!(page.form("/logout", &[&cookie], &format!("csrf={csrf}")).status, 303);
}

#[test]
fn a_users_file_that_others_can_read_is_refused() {
    let folder = http::support::Folder::new();
    let path = folder.path().join("users");
    let file = UsersFile::new(&path);
    file.change(|users| users.add_user("alice", Role::Admin, None)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let error = UsersFile::new(&path).users().unwrap_err().to_string();
    assert!(error.contains("chmod 600"), "{error}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    for (line, wrong) in [
        ("user bob king -", true),
        ("user a/b viewer -", true),
        ("token t admin abc", true),
        ("hello", true),
        ("# note", false),
        ("user bob viewer -", false),
    ] {
        fs::write(&path, format!("user alice admin -\n{line}\n")).unwrap();
        let read = UsersFile::new(&path).users();
        assert_eq!(read.is_err(), wrong, "{line}");
    }
    assert!(file.change(|users| users.add_user("bob", Role::Viewer, None)).is_err(), "a name is given once");
    assert!(file.change(|users| users.add_token("a b", Role::Viewer)).is_err());
}
