//! The frame of every page: head, navigation, the switch between places, messages.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::failure::Failure;
use crate::here::{FLASH, Here, link};

/// The pages of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    Now,
    Tasks,
    Graphs,
    Queues,
    Workers,
    Schedules,
    Audit,
    Server,
}

impl Tab {
    const ALL: [Self; 8] =
        [Self::Now, Self::Tasks, Self::Graphs, Self::Queues, Self::Workers, Self::Schedules, Self::Audit, Self::Server];

    fn name(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Tasks => "Tasks",
            Self::Graphs => "Graphs",
            Self::Queues => "Queues",
            Self::Workers => "Workers",
            Self::Schedules => "Schedules",
            Self::Audit => "Audit",
            Self::Server => "Server",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Now => "/",
            Self::Tasks => "/tasks",
            Self::Graphs => "/graphs",
            Self::Queues => "/queues",
            Self::Workers => "/workers",
            Self::Schedules => "/schedules",
            Self::Audit => "/audit",
            Self::Server => "/server",
        }
    }

    /// The second key of the shortcut `g` and a letter.
    fn key(self) -> &'static str {
        match self {
            Self::Now => "n",
            Self::Tasks => "t",
            Self::Graphs => "g",
            Self::Queues => "q",
            Self::Workers => "w",
            Self::Schedules => "s",
            Self::Audit => "a",
            Self::Server => "v",
        }
    }
}

impl Here {
    /// The whole page around its content, or around the error that kept the content from being read.
    pub fn page(&self, tab: Tab, title: &str, content: Result<Markup, Failure>) -> Response {
        let status = content.as_ref().map_or_else(Failure::status, |_| StatusCode::OK);
        let html = whole(self, tab, title, content);
        let mut answer = (status, axum::response::Html(html.into_string())).into_response();
        answer.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
        if self.flash.is_some() {
            let gone = format!("{FLASH}=; Path={}/; Max-Age=0; HttpOnly; SameSite=Strict", self.site.base());
            if let Ok(value) = header::HeaderValue::from_str(&gone) {
                answer.headers_mut().append(header::SET_COOKIE, value);
            }
        }
        answer
    }
}

/// A whole page.
fn whole(here: &Here, tab: Tab, title: &str, content: Result<Markup, Failure>) -> Markup {
    let asset = |name: &str| format!("{}{}", here.site.base(), here.site.assets().path(name));
    let environment = here.site.title();
    let away = content.as_ref().is_err_and(Failure::is_away);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                meta name="color-scheme" content="light dark";
                @if away { meta http-equiv="refresh" content="5"; }
                title { (title) " · " @if let Some(name) = environment { (name) " · " } "Blueque" }
                link rel="icon" href=(asset("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(asset("style.css"));
                script src=(asset("page.js")) defer {}
            }
            body data-role=(here.actor.role.as_str()) data-place=(here.place.name()) data-csrf=(here.csrf.token) {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(here.link("/")) { img src=(asset("icon.svg")) alt="" width="24" height="24"; "Blueque" }
                    @if let Some(name) = environment {
                        span.environment data-colour=(here.site.colour()) { (name) }
                    }
                    (places(here))
                    form.jump action=(here.link("/tasks")) role="search" aria-label="Find tasks, from every page" {
                        label.hidden for="jump" { "Find tasks" }
                        input #jump type="search" name="q" placeholder="Find tasks: id, title, state:failed, tag:…" autocomplete="off" data-key="/";
                    }
                    span.actor title=(format!("Role: {}", here.actor.role.as_str())) {
                        (here.actor.name) @if here.site.is_read_only() { " · read-only" }
                    }
                    @if here.csrf.logs_out {
                        form method="post" action=(format!("{}/logout", here.site.base())) {
                            input type="hidden" name="csrf" value=(here.csrf.token);
                            button.quiet { "Log out" }
                        }
                    }
                    button.help type="button" data-open="keys" aria-label="Keyboard shortcuts" { "?" }
                }
                nav.tabs aria-label="Pages" {
                    ul {
                        @for each in Tab::ALL {
                            li { a href=(here.link(each.path())) aria-current=[(each == tab).then_some("page")] data-go=(each.key()) data-name=(each.name()) { (each.name()) } }
                        }
                    }
                }
                div #banner.banner role="status" hidden[!away] {
                    @if away { "The server does not answer. This page tries again every 5 seconds." }
                }
                @if let Some(flash) = &here.flash {
                    p.flash role="status" data-kind=(if flash.good { "good" } else { "bad" }) { (flash.text) @if let Some(shows) = &flash.shows { " " a href=(shows) { "Show these tasks" } } }
                }
                main #main tabindex="-1" {
                    @match content {
                        Ok(content) => (content),
                        Err(failure) => (trouble(here, &failure)),
                    }
                }
                (keys())
            }
        }
    }
}

/// The switch between places. A place is a part of every path, so that no page mixes two places.
fn places(here: &Here) -> Markup {
    let places = here.site.places();
    html! {
        @if let [only] = places {
            span.place title=(only.address()) { (only.name()) }
        } @else {
            details.place {
                summary aria-label=(format!("Place: {}. Change", here.place.name())) { (here.place.name()) }
                ul {
                    @for place in places {
                        li {
                            a href=(link(&here.site, place, "/")) aria-current=[(place.name() == here.place.name()).then_some("true")] {
                                (place.name()) small { (place.address()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn trouble(here: &Here, failure: &Failure) -> Markup {
    html! {
        section.trouble data-trouble=(failure.status().as_u16()) {
            h1 {
                @if failure.is_away() { "The server does not answer" }
                @else if failure.status().as_u16() == 404 { "Not found" }
                @else if failure.status().as_u16() == 403 { "Not allowed" }
                @else { "This does not work" }
            }
            p { (failure.text()) }
            @if failure.is_away() {
                p { "Address: " code { (here.place.address()) } }
                p { "Tasks that run keep running. To check the connection, run:" }
                pre { code { "blueque ping" } }
            } @else {
                p { a href=(here.link("/")) { "Go to Now" } " or " a href=(here.link("/tasks")) { "find a task" } "." }
            }
        }
    }
}

/// The list of keyboard shortcuts.
fn keys() -> Markup {
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keyboard" }
            dl.keys {
                dt { kbd { "?" } } dd { "This list" }
                dt { kbd { "/" } } dd { "Find tasks" }
                @for tab in Tab::ALL {
                    dt { kbd { "g" } " " kbd { (tab.key()) } } dd { (tab.name()) }
                }
                dt { kbd { "j" } " " kbd { "k" } } dd { "Next and previous row" }
                dt { kbd { "Enter" } } dd { "Open the row" }
                dt { kbd { "x" } } dd { "Select the row" }
                dt { kbd { "Esc" } } dd { "Close what is open" }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}
