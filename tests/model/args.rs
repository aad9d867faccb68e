//! Formats calls for the scripts, and replies in one form.

use crate::model::arguments::{HAS, KEYS, RATES, SETTINGS, listener, payload, queue, request};
use crate::model::controls::{CONTROLS, DESCRIBED, SIGNAL};
use crate::model::graphs::{parameters, text};
use crate::model::keys::{Reply, sorted};
use crate::model::ops::{Act, Asks, Bulk, Eta, IDS, Op, Order, Part, QUEUES, REASONS, SCHEDULES, SHARED, TAGS, Which};
use crate::model::peek::given;
use crate::model::state::decimal;

struct Args(&'static str, Vec<String>);

impl Args {
    fn of(command: &'static str) -> Self {
        Self(command, Vec::new())
    }

    fn arg(mut self, value: impl ToString) -> Self {
        self.1.push(value.to_string());
        self
    }

    fn option(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.arg(name).arg(value),
            None => self,
        }
    }

    fn asks(self, asks: &Asks) -> Self {
        let args = self.option("lease", asks.lease).option("request", asks.request.map(request));
        let args = args.option("pid", asks.pid).flag("woken", asks.woken.then_some(true));
        let (order, weights) = match &asks.order {
            None => (None, None),
            Some(Order::Strict) => (Some("strict"), None),
            Some(Order::Round) => (Some("round"), None),
            Some(Order::Weighted(weights)) => {
                let weights: Vec<String> = weights.iter().map(u32::to_string).collect();
                (Some("weighted"), Some(weights.join(",")))
            }
        };
        args.option("order", order).option("weights", weights)
    }

    /// The end of one attempt among several.
    fn end(self, id: &str, token: &str, act: &Act) -> Self {
        let again = |again: &Option<u32>| again.map_or_else(String::new, |again| again.to_string());
        let (how, body, group, again, cost) = match act {
            Act::Complete { result, cost } => ("complete", payload(*result), "", String::new(), cost),
            Act::Next { result, cost, go } => {
                ("complete", payload(*result), queue(go.queue.unwrap()), String::new(), cost)
            }
            Act::Fail { error, group, again: pause, last, cost } => {
                let how = if *last == Some(true) { "final" } else { "fail" };
                (how, payload(*error), if *group { "disk" } else { "" }, again(pause), cost)
            }
            Act::Release { reason, again: pause, uncounted, cost } => {
                let how = if *uncounted == Some(true) { "uncounted" } else { "release" };
                let reason = if *reason > 0 { REASONS[usize::from(*reason)] } else { "" };
                (how, "", reason, again(pause), cost)
            }
            other => panic!("no end: {other:?}"),
        };
        let args = self.arg(how).arg(id).arg(token).arg(body).arg(group).arg(again);
        args.arg(cost.map_or("", payload))
    }

    fn flag(self, name: &str, value: Option<bool>) -> Self {
        self.option(name, value.map(u8::from))
    }
}

fn time(eta: Option<Eta>) -> String {
    if let Some(Eta::At(us)) = eta { decimal(us) } else { String::new() }
}

/// The number of tasks of a graph with a key that run at once.
pub fn bound_text((name, key, places): (u8, u8, u32)) -> String {
    format!("{}/{}={places}", queue(name), KEYS[usize::from(key)])
}

/// Calls that may name their caller.
const NAMED: [&str; 25] = [
    "bulk",
    "cancel",
    "cancel_graph",
    "configure",
    "delete",
    "delete_queue",
    "describe",
    "drain",
    "edit",
    "hold",
    "limit",
    "move",
    "prioritise",
    "requeue",
    "resume",
    "resume_schedule",
    "retry",
    "retry_graph",
    "run_schedule",
    "schedule",
    "signal",
    "suspend",
    "unhold",
    "unschedule",
    "unsuspend",
];

impl Op {
    /// The command and its arguments after `now`; `None` for an operation that is not a call. Half of the calls that
    /// may name their caller do.
    pub fn args(&self) -> Option<(&'static str, Vec<String>)> {
        let (command, mut args) = self.unnamed()?;
        if NAMED.contains(&command) && args.iter().map(String::len).sum::<usize>().is_multiple_of(2) {
            args.extend(["by".to_owned(), "me".to_owned()]);
        }
        Some((command, args))
    }

    /// The caller of this call, if the call names its caller.
    pub fn by(&self) -> &'static str {
        let named = self
            .args()
            .is_some_and(|(command, args)| NAMED.contains(&command) && args.last().is_some_and(|last| last == "me"));
        if named || matches!(self, Self::Pause { .. } | Self::PauseSchedule { on: true, .. }) { "me" } else { "" }
    }

    fn unnamed(&self) -> Option<(&'static str, Vec<String>)> {
        let here = |command, number: &u8| Args::of(command).arg(queue(*number));
        let args = match self {
            Self::Submit { queue: name, tasks, options, deadline, needs, .. } => {
                let mut args = here("submit", name).arg(tasks.len());
                for (id, eta, whole) in tasks {
                    args = args.arg(IDS[usize::from(*id)]).arg(time(*eta)).arg(parameters(needs, *whole));
                }
                let args = args.option("inputs", Some(text(needs, false)).filter(|text| !text.is_empty()));
                let args = args.option("deadline", deadline.map(|deadline| time(Some(deadline))));
                options.iter().fold(args, |args, (name, value)| args.option(name, Some(value)))
            }
            Self::Graph { graph, total, request, parts, name, on_failure, deadline, digest, bound, .. } => {
                let args = Args::of("submit_graph").arg(graph).arg(total).arg(parts.len());
                let part = |args: Args, part: &Part| {
                    let options = part.options.iter().map(|(name, value)| format!("{name}={value} "));
                    let deadline = part.deadline.map_or_else(String::new, |at| format!("deadline={} ", time(Some(at))));
                    let label = if part.label { "label=l" } else { "" };
                    let args = args.arg(part.task.id()).arg(queue(part.queue)).arg(time(part.eta));
                    let args = args.arg(parameters(&part.needs, part.parameters)).arg(text(&part.needs, false));
                    args.arg(options.collect::<String>() + &deadline + label)
                };
                let args = parts.iter().fold(args, part).option("name", name.then_some("film"));
                let args = args.option("on_failure", *on_failure);
                let args = args.option("deadline", deadline.map(|deadline| time(Some(deadline))));
                let args = args.option("bounds", bound.map(bound_text));
                let args = args.option("digest", digest.map(|digest| digest.to_string()));
                args.option("request", Some(format!("g{request}")))
            }
            Self::CancelGraph { graph, task, reason, force, .. } => Args::of("cancel_graph")
                .arg(graph)
                .arg(payload(*reason))
                .option("task", task.as_ref().map(Which::id))
                .flag("force", *force),
            Self::RetryGraph { graph, tasks, .. } => {
                let ids: Vec<&str> = tasks.iter().map(Which::id).collect();
                Args::of("retry_graph").arg(graph).option("task", Some(ids.join(",")).filter(|ids| !ids.is_empty()))
            }
            Self::Depend { task, needs, .. } => Args::of("depend").arg(task.id()).arg(text(needs, false)),
            Self::Undepend { task, up, .. } => Args::of("undepend").arg(task.id()).arg(up.id()),
            Self::Suspend { task, token, needs, reason } => Args::of("release")
                .arg(task.id())
                .arg(token.token())
                .option("inputs", Some(text(needs, false)))
                .option("reason", Some(REASONS[usize::from(*reason)]).filter(|_| *reason > 0)),
            Self::Settle { limit } => Args::of("run_deferred").arg(limit),
            Self::Edit { task, edit } => {
                let args = Args::of("edit").arg(task.id());
                let args = edit.options.iter().fold(args, |args, (name, value)| args.option(name, Some(value)));
                let args = args.option("unset", Some(edit.unset.join(",")).filter(|unset| !unset.is_empty()));
                args.option("parameters", edit.parameters.map(payload))
                    .option("eta", edit.eta.map(|eta| time(Some(eta))))
                    .option("deadline", edit.deadline.map(|at| time(Some(at))))
                    .option("queue", edit.queue.map(queue))
                    .option("token", edit.token.as_ref().map(|token| token.token()))
            }
            Self::Resubmit { queue: name, task, eta, parameters, options, deadline, request, once_more, .. } => {
                let args = here("submit", name).arg(1).arg(task.id()).arg(time(*eta)).arg(payload(*parameters));
                let args = options.iter().fold(args, |args, (name, value)| args.option(name, Some(value)));
                let args = args.option("deadline", deadline.map(|at| time(Some(at))));
                let args = args.flag("again", Some(true)).flag("once_more", once_more.then_some(true));
                args.option("request", Some(format!("s{request}")))
            }
            Self::ShowGraph { graph, cursor, limit, .. } => Args::of("show_graph").arg(graph).arg(cursor).arg(limit),
            Self::Reserve { listener: who, queues, limit, asks, .. } => {
                let args = Args::of("reserve").arg(listener(*who)).arg(queues.len());
                let args = queues.iter().fold(args, |args, number| args.arg(queue(*number)));
                args.option("limit", *limit).asks(asks)
            }
            Self::FinishAndReserve { listener: who, queues, limit, ends, asks, .. } => {
                let names: Vec<&str> = queues.iter().map(|number| queue(*number)).collect();
                let args =
                    Args::of("finish_and_reserve").arg(listener(*who)).arg(names.join(",")).arg(limit).arg(ends.len());
                ends.iter().fold(args, |args, (task, token, act)| args.end(task.id(), token.token(), act)).asks(asks)
            }
            Self::Owner { task, token, act } => return Some(act.args(task.id(), token.token())),
            Self::Heartbeat { queue: name, listener: who, lease, tasks } => {
                let args = here("heartbeat", name).arg(listener(*who)).arg(lease).arg(tasks.len());
                tasks.iter().fold(args, |args, (task, token)| args.arg(task.id()).arg(token.token()))
            }
            Self::Adopt { listener: who, from, queue: name, task, lease, request: again } => Args::of("adopt")
                .arg(listener(*who))
                .arg(listener(from.unwrap()))
                .arg(queue(name.unwrap()))
                .arg(task.id())
                .option("lease", *lease)
                .option("request", again.map(request)),
            Self::Cancel { task, reason, force, at_once } => {
                Args::of("cancel").arg(task.id()).arg(payload(*reason)).flag("force", *force).flag("at_once", *at_once)
            }
            Self::Requeue { task, at_once } => Args::of("requeue").arg(task.id()).flag("at_once", *at_once),
            Self::Retry { task, fresh, deadline } => Args::of("retry")
                .arg(task.id())
                .flag("fresh", *fresh)
                .option("deadline", deadline.map(|deadline| time(Some(deadline)))),
            Self::Delete { task } => Args::of("delete").arg(task.id()),
            Self::Get { task } => Args::of("get").arg(task.id()),
            Self::Promote { queue: name, limit } => here("promote", name).arg(limit),
            Self::RequeueOrphans { queue: name, limit } => here("requeue_orphans", name).arg(limit),
            Self::Prune { queue: name, limit, keep, seconds } => {
                here("prune", name).arg(limit).option("keep", *keep).option("seconds", *seconds)
            }
            Self::Ready { listener: who } => Args::of("ready").arg(listener(*who)).arg(0).arg(500).arg(1).arg("*"),
            Self::Register { queue: name, listener: who, has } => {
                here("register", name).arg(listener(*who)).option("has", has.map(|has| HAS[usize::from(has)]))
            }
            Self::Unregister { queue: name, listener: who } => here("unregister", name).arg(listener(*who)),
            Self::Pause { queue: name, reason, stop } => {
                here("pause", name).arg("me").arg(payload(*reason)).flag("stop", *stop)
            }
            Self::Configure { queue: name, setting, value } => {
                let (setting, values) = SETTINGS[usize::from(*setting)];
                let name = name.map_or("*", queue);
                Args::of("configure").arg(name).arg(setting).arg(values[usize::from(*value) % values.len()])
            }
            Self::Limit { queue: name, key, places, rate } => {
                let places = places.map_or("-".to_owned(), |places| places.to_string());
                let rate = rate.map_or("-", |rate| RATES[usize::from(rate)]);
                here("limit", name).arg(KEYS[usize::from(*key)]).arg(places).arg(rate)
            }
            Self::Share { limit, places, rate, expires } => {
                let places = places.map_or("-".to_owned(), |places| places.to_string());
                let rate = rate.map_or("-", |rate| RATES[usize::from(rate)]);
                let args = Args::of("limit").arg("*").arg(SHARED[usize::from(*limit)]).arg(places).arg(rate);
                args.option("expires", *expires)
            }
            Self::Maintenance { queues } => {
                let args = Args::of("maintenance").arg(queues.len());
                queues.iter().fold(args, |args, number| args.arg(queue(*number)))
            }
            Self::Peek { queue: name, limit, listener: who, has } => here("peek", name)
                .arg(limit)
                .option("listener", who.map(listener))
                .option("has", has.map(|has| HAS[usize::from(has)])),
            Self::Audit { id, limit, wanted, .. } => {
                let args = Args::of("audit").arg(id).arg(limit).option("by", wanted.by);
                args.option("what", wanted.what).option("on", wanted.on)
            }
            Self::Limits { queue: name, used } => here("limits", name).arg(0).arg(500).flag("used", Some(*used)),
            Self::Resume { queue: name } => here("resume", name),
            Self::Prioritise { task, priority } => Args::of("prioritise").arg(task.id()).arg(priority),
            Self::Control { task, what } => {
                let what = CONTROLS[usize::from(*what)];
                let args = Args::of(what).arg(task.id());
                if what == "signal" { args.arg(SIGNAL) } else { args }
            }
            Self::Hold { task, on } => Args::of(if *on { "hold" } else { "unhold" }).arg(task.id()),
            Self::Move { task, queue: name } => Args::of("move").arg(task.id()).arg(queue(*name)),
            Self::Tag { task, tags, on } => {
                let args = Args::of(if *on { "tag" } else { "untag" }).arg(task.id()).arg(tags.len());
                tags.iter().fold(args, |args, tag| args.arg(TAGS[usize::from(*tag)]))
            }
            Self::Bulk { queue: name, action } => {
                let of = |action| here("bulk", name).arg(action).arg(0).arg(500);
                match action {
                    Bulk::Purge => of("purge"),
                    Bulk::Cancel { force, at_once } => {
                        of("cancel").flag("force", Some(*force)).flag("at_once", Some(*at_once))
                    }
                    Bulk::Prioritise(priority) => of("prioritise").option("priority", Some(priority)),
                    Bulk::Control(what) => {
                        let what = CONTROLS[usize::from(*what)];
                        of(what).option("signal", (what == "signal").then_some(SIGNAL))
                    }
                    Bulk::Requeue => of("requeue"),
                    Bulk::Hold(on) => of(if *on { "hold" } else { "unhold" }),
                }
            }
            Self::Forget { queue: name } => here("delete_queue", name),
            Self::Schedule { name, plan } => {
                let args = Args::of("schedule").arg(SCHEDULES[usize::from(*name)]).arg(queue(plan.queue));
                let args =
                    args.arg(format!("every {} {}", plan.every, plan.offset)).arg(payload(plan.parameters)).arg(0);
                let args = args.option("overlap", Some(plan.overlap)).option("missed", Some(plan.missed));
                args.option("priority", plan.urgent.then_some(5))
            }
            Self::Tick { limit } => Args::of("tick").arg(limit),
            Self::RunSchedule { name } => {
                let name = SCHEDULES[usize::from(*name)];
                Args::of("run_schedule").arg(name).arg(format!("{name}-run"))
            }
            Self::PauseSchedule { name, on: true } => {
                Args::of("pause_schedule").arg(SCHEDULES[usize::from(*name)]).arg("me").arg("")
            }
            Self::PauseSchedule { name, .. } => Args::of("resume_schedule").arg(SCHEDULES[usize::from(*name)]),
            Self::Unschedule { name } => Args::of("unschedule").arg(SCHEDULES[usize::from(*name)]),
            Self::History { task } => Args::of("history").arg(task.id()).arg(0).arg(500),
            Self::Track { task, on } => {
                Args::of(if *on { "track" } else { "untrack" }).arg(task.id()).option("by", Some("me"))
            }
            Self::Note { task } => Args::of("note").arg(task.id()).arg("a word").option("by", Some("me")),
            Self::Aggregate { queue: name, limit } => here("aggregate", name).arg(limit),
            Self::Drain { queue: name, listener: who, on } => {
                here("drain", name).arg(listener(*who)).arg(u8::from(*on))
            }
            Self::Report { listener: who, queues, free, has, draining } => {
                let args = Args::of("report").arg(listener(*who)).arg(2).arg(free).arg(queues.len());
                let args = queues.iter().fold(args, |args, name| args.arg(queue(*name)));
                args.option("has", has.map(|has| HAS[usize::from(has)])).flag("draining", *draining)
            }
            Self::Workers => Args::of("workers").arg(0).arg(500),
            Self::Held { queue: name, listener: who } => here("list_held", name).arg(listener(*who)),
            Self::List { queue: name, status, cursor, limit } => here("list", name).arg(status).arg(cursor).arg(limit),
            Self::Counts { queue: name } => here("counts", name),
            Self::Listeners { queue: name } => here("listeners", name).arg(0).arg(500),
            Self::Queues => Args::of("queues").arg(0).arg(500),
            Self::Repair { queue: name, part } => here("repair", name).arg(format!("{part}:0")).arg(500),
            Self::Wake { .. } | Self::Restarted | Self::Again | Self::Overtaken | Self::Resend => return None,
        };
        Some((args.0, args.1))
    }

    /// Sorts unordered parts of a reply, and formats a score in one way.
    pub fn canonical(&self, reply: Reply) -> Reply {
        match self {
            Self::Get { .. } => match reply.sorted(0, 2) {
                Reply::List(mut items) => {
                    for pair in items.chunks_mut(2).filter(|pair| pair[0].as_text() == "flags") {
                        pair[1] = Reply::text(sorted(pair[1].as_text()));
                    }
                    Reply::List(items)
                }
                other => other,
            },
            Self::History { .. } => match reply {
                // The model does not have the outcome, group and error of an attempt, and what an edit changed.
                Reply::List(mut items) => {
                    for entry in items[1..].chunks_mut(13) {
                        entry[7..10].fill(Reply::text(""));
                        entry[12] = Reply::text("");
                        let text = entry[11].as_text();
                        entry[11] = match text.split_once(" does not begin: ") {
                            _ if entry[6].as_text() != "note" => Reply::text(""),
                            Some((round, why)) => Reply::text(format!("{round}: {}", why.split(' ').next().unwrap())),
                            None => Reply::text(text),
                        };
                    }
                    Reply::List(items)
                }
                other => other,
            },
            // The reasons why tasks are passed over are checked by `passed_over`.
            Self::Peek { .. } => match reply {
                Reply::List(items) => Reply::List(given(&items).to_vec()),
                other => other,
            },
            Self::Listeners { .. } => reply.sorted(1, 3),
            Self::Limits { .. } => reply.sorted(1, 6),
            Self::List { status: "reserved" | "started", .. } => reply.sorted(1, 1),
            Self::Promote { .. } => match reply {
                Reply::List(mut items) if items.len() == 3 && !items[2].as_text().is_empty() => {
                    items[2] = Reply::text(format!("{:.6}", items[2].as_text().parse::<f64>().unwrap()));
                    Reply::List(items)
                }
                other => other,
            },
            _ => reply,
        }
    }
}

impl Act {
    fn args(&self, id: &str, token: &str) -> (&'static str, Vec<String>) {
        let of = |command| Args::of(command).arg(id).arg(token);
        let args = match self {
            Self::Start { pid, lease } => of("start").arg(pid).option("lease", *lease),
            Self::Progress(progress) => of("progress").arg(payload(*progress)),
            Self::Checkpoint(checkpoint) => of("checkpoint").arg(payload(*checkpoint)),
            Self::Attend { answered, refused } => {
                let args = of("attend").option("answered", *answered).option("refused", refused.then_some("no"));
                args.option("described", answered.map(|_| DESCRIBED))
            }
            Self::Complete { result, cost } => of("complete").arg(payload(*result)).option("cost", cost.map(payload)),
            Self::Fail { error, group, again, last, cost } => of("fail")
                .arg(payload(*error))
                .option("group", group.then_some("disk"))
                .option("again", *again)
                .flag("final", *last)
                .option("cost", cost.map(payload)),
            Self::Release { reason, again, uncounted, cost } => of("release")
                .option("reason", Some(REASONS[usize::from(*reason)]).filter(|_| *reason > 0))
                .option("again", *again)
                .flag("uncounted", *uncounted)
                .option("cost", cost.map(payload)),
            Self::Into { queue: name, reason, again, uncounted, cost } => of("release")
                .option("into", Some(queue(*name)))
                .option("reason", Some(REASONS[usize::from(*reason)]).filter(|_| *reason > 0))
                .option("again", *again)
                .flag("uncounted", *uncounted)
                .option("cost", cost.map(payload)),
            Self::Next { result, cost, go } => {
                let next = go.queue.map(|number| QUEUES.get(usize::from(number)).copied().unwrap_or_default());
                let args = of("complete").arg(payload(*result)).option("next", next);
                let args = go.options.iter().fold(args, |args, (name, value)| args.option(name, Some(value)));
                args.option("unset", Some(go.unset.join(",")).filter(|unset| !unset.is_empty()))
                    .option("deadline", go.deadline.map(|at| time(Some(at))))
                    .option("parameters", go.parameters.map(payload))
                    .option("eta", go.eta.map(|eta| time(Some(eta))))
                    .option("cost", cost.map(payload))
            }
            Self::Lost => of("release").option("lost", Some("killed")),
        };
        (args.0, args.1)
    }
}
