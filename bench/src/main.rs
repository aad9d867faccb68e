//! `make bench`: the cost of Blueque's scripts. Only ratios can be compared between machines.

mod batches;
mod before;
mod each;
mod elimination;
mod graphs;
mod held;
mod holds;
mod life;
mod logs;
mod programs;
mod questions;
mod server;
mod shared;
mod sizes;
mod steps;
mod tail;
mod throughput;
mod views;
mod waiting;
mod watchers;

use std::env;
use std::path::PathBuf;

use life::{Life, STEPS, args};
use server::{Result, Scripts, Server, info, median, timed};

/// Number of rounds in which floor and Blueque take turns.
const ROUNDS: usize = 500;

struct Goal {
    name: &'static str,
    measured: f64,
    target: f64,
}

fn main() -> Result<()> {
    let args: Vec<String> = env::args().collect();
    if let [_, mode, socket, first, spread] = args.as_slice()
        && mode == "listeners"
    {
        return waiting::listeners(&PathBuf::from(socket), first.parse()?, spread.parse()?);
    }
    if let [_, mode, kind, socket, slots] = args.as_slice()
        && mode == "holds"
    {
        return holds::run(kind, &PathBuf::from(socket), slots.parse()?);
    }
    if args.get(1).is_some_and(|mode| mode == "prints") {
        return logs::prints();
    }
    if let [_, mode, folder] = args.as_slice()
        && mode == "before"
    {
        return before::compare(&Scripts::Of(folder.into()));
    }
    let only = match args.as_slice() {
        [_, mode, names] if mode == "only" => Some(names.split(',').collect::<Vec<_>>()),
        _ => None,
    };
    let known = |name: &&&str| PARTS.iter().all(|(part, _)| part != *name);
    if let Some(unknown) = only.iter().flatten().find(known) {
        let names: Vec<&str> = PARTS.iter().map(|(part, _)| *part).collect();
        return Err(format!("there is no part {unknown}: {}", names.join(", ")).into());
    }
    let small = sizes::filled(1000)?;
    let mut connection = small.connect()?;
    let version = info(&mut connection, "server", "valkey_version:").map(|version| format!("Valkey {version}"));
    let version =
        version.or_else(|_| info(&mut connection, "server", "redis_version:").map(|v| format!("Redis {v}")))?;
    println!("{version}. Server time in microseconds; only ratios mean something on another machine.\n");
    let mut goals = Vec::new();
    for (name, part) in PARTS {
        if only.as_ref().is_none_or(|only| only.contains(&name)) {
            goals.extend(part(&small)?);
        }
    }
    verdicts(&goals);
    Ok(())
}

/// A part of the benchmark. It gets a server with 1,000 waiting tasks.
type Part = fn(&Server) -> Result<Vec<Goal>>;

const PARTS: [(&str, Part); 17] = [
    ("floor", |small| Ok(beside_the_floor(small)?.into())),
    ("aggregate", |small| Ok(vec![aggregated(small)?])),
    ("keys", |_| Ok(vec![keys()?])),
    ("sizes", |small| Ok(at_sizes(small)?.into())),
    ("submit", |_| Ok(batches()?.into())),
    ("graphs", |_| Ok(graphs()?.into())),
    ("steps", |small| Ok(vec![steps(small)?])),
    ("requests", requests),
    ("waiting", |_| Ok(waiting()?.into())),
    ("held", |_| Ok(held()?.into())),
    ("holds", |_| holds()),
    ("views", |_| Ok(views()?.into())),
    ("watchers", |_| Ok(watchers()?.into())),
    ("limits", |_| Ok(vec![shared_limits()?])),
    ("questions", |_| Ok(vec![questions()?])),
    ("programs", |_| Ok(programs()?.into())),
    ("logs", |_| Ok(logs()?.into())),
];

fn graphs() -> Result<[Goal; 4]> {
    let server = sizes::filled(1000)?;
    let graphs::Submits { plain, apart, chain, fan } = graphs::submits(&server)?;
    println!("1,000 tasks until all are submitted, milliseconds of the server");
    for (name, took) in
        [("by two calls", plain), ("as a graph without edges", apart), ("a chain", chain), ("a fan", fan)]
    {
        println!("  {name:<30}{took:>9.2}{:>9.2}", took / plain);
    }
    let graphs::Ends { plain: complete, promoted, readied } = graphs::ends(&server)?;
    println!("  a complete                    {complete:>9.2}");
    println!("  a promote of one task         {promoted:>9.2}");
    println!("  a complete that readies one   {readied:>9.2}");
    let join = graphs::join()?;
    println!("  the last of 9,999 ends until the task that joins them is pending, ms {join:>9.2}\n");
    println!("{:<24}{:>12}{:>14}", "every other command", "1 graph", "1,000 graphs");
    let mut growth: f64 = 0.0;
    for (row, small, large) in graphs::growth()? {
        println!("  {row:<22}{small:>12.2}{large:>14.2}");
        if row != "cancel (middle)" {
            growth = growth.max(large / small);
        }
    }
    println!();
    Ok([
        Goal { name: "graph-of-1k-over-1k-tasks", measured: fan / plain, target: 1.5 },
        Goal { name: "ready-over-complete-and-promote", measured: readied / (complete + promoted), target: 1.3 },
        Goal { name: "milliseconds-until-a-join-is-pending", measured: join, target: 50.0 },
        Goal { name: "growth-with-1k-graphs", measured: growth, target: 1.25 },
    ])
}

fn steps(server: &Server) -> Result<Goal> {
    let steps::Steps { submit, complete, next, chain } = steps::steps(server)?;
    println!("a submit {submit:.2}, a complete {complete:.2}, with a next step {next:.2}, of a chain {chain:.2}\n");
    Ok(Goal { name: "step-over-complete-and-submit", measured: next / (complete + submit), target: 0.8 })
}

fn requests(server: &Server) -> Result<Vec<Goal>> {
    println!("requests per second (submit, reserve, start, complete by turns; client and server share the machine)");
    for connections in [1, 50] {
        println!("  {connections:>2} connections {:>9.0}", throughput::requests_per_second(server, connections)?);
    }
    Ok(Vec::new())
}

fn verdicts(goals: &[Goal]) {
    println!();
    for Goal { name, measured, target } in goals {
        let verdict = if measured <= target { "met" } else { "short" };
        println!("goal {name} {measured:.2} {target} {verdict}");
    }
}

fn table(name: &str, steps: [f64; 4]) {
    print!("  {name:<22}");
    for step in steps {
        print!("{step:>9.2}");
    }
    println!("{:>9.2}", steps.iter().sum::<f64>());
}

fn heading(what: &str) {
    print!("{what:<24}");
    for step in STEPS {
        print!("{step:>9}");
    }
    println!("{:>9}", "life");
}

/// Tasks with options: the printed name, the queue, the options.
type Choice = (&'static str, &'static str, &'static [&'static str]);

const OPTIONS: [Choice; 6] = [
    ("retries", "other", &["max_failures", "3"]),
    ("priority", "ranked", &["priority", "5"]),
    ("unique key", "other", &["unique", "*"]),
    ("limit of the queue", "limited", &[]),
    ("all four", "limited", &["max_failures", "3", "priority", "5", "unique", "*"]),
    ("with a key's limit", "keyed", &["max_failures", "3", "priority", "5", "unique", "*", "key", "tenant"]),
];

/// Creates the queues of these options.
fn queues(server: &Server) -> Result<()> {
    sizes::queue(server, "other", "max_failures", "")?;
    sizes::queue(server, "ranked", "max_failures", "")?;
    sizes::queue(server, "limited", "concurrency", "1000")?;
    sizes::queue(server, "keyed", "key_concurrency", "1000")
}

/// Measures the server's time per event that `aggregate` aggregates, with the calls that workers make.
fn aggregated(server: &Server) -> Result<Goal> {
    const EVENTS: f64 = 500.0;
    let mut connection = server.connect()?;
    let sha = server.scripts.load(&mut connection, "aggregate")?;
    let (mut life, mut took) = (Life::ours(server)?, Vec::new());
    for _ in 0..15 {
        for _ in 0..10 {
            life.round()?;
        }
        let (call, replies) = timed(&mut connection, &sha, "blueque", &[args(&["", "q", &EVENTS.to_string()])])?;
        let read = redis::from_redis_value::<Vec<f64>>(replies.into_iter().next().unwrap_or(redis::Value::Nil))?;
        if read.first() != Some(&EVENTS) {
            return Err("there are too few events to measure aggregate".into());
        }
        took.push(call / EVENTS);
    }
    let measured = median(took);
    println!("an event, added up by aggregate with {EVENTS} in a call: {measured:.2}\n");
    Ok(Goal { name: "aggregate-microseconds-per-event", measured, target: 3.0 })
}

fn beside_the_floor(server: &Server) -> Result<[Goal; 3]> {
    queues(server)?;
    let mut floor = Life::floor(server)?;
    let mut ours = Life::ours(server)?;
    for _ in 0..ROUNDS {
        floor.round()?;
        ours.round()?;
    }
    let (floor, ours) = (floor.medians(), ours.medians());
    let choices = OPTIONS.iter().map(|(_, queue, options)| Life::with(server, queue, options));
    let mut choices = choices.collect::<Result<Vec<_>>>()?;
    for _ in 0..ROUNDS {
        for life in &mut choices {
            life.round()?;
        }
    }
    heading("beside the floor");
    table("floor", floor);
    table("Blueque", ours);
    let mut all = f64::NAN;
    for ((name, ..), life) in OPTIONS.iter().zip(&choices) {
        let steps = life.medians();
        table(name, steps);
        if *name == "all four" {
            all = steps.iter().sum::<f64>() / floor.iter().sum::<f64>();
        }
    }
    let mut ratios = ours;
    for (ratio, floor) in ratios.iter_mut().zip(floor) {
        *ratio /= floor;
    }
    let life = ours.iter().sum::<f64>() / floor.iter().sum::<f64>();
    print!("  {:<22}", "ratio");
    for ratio in ratios {
        print!("{ratio:>9.2}");
    }
    println!("{life:>9.2}\n");
    let in_batches = elimination::print(ROUNDS / 5)? / floor.iter().sum::<f64>();
    Ok([
        Goal { name: "life-over-floor", measured: life, target: 3.0 },
        Goal { name: "life-with-all-four-over-floor", measured: all, target: 6.0 },
        Goal { name: "life-in-batches-of-32-over-floor", measured: in_batches, target: 1.6 },
    ])
}

/// Measures lives while tasks wait for a place of one of a few keys, and of many keys.
fn keys() -> Result<Goal> {
    let few = sizes::waiting_for_places(10)?;
    let many = sizes::waiting_for_places(10_000)?;
    let options: &[&str] = &["key", "another", "priority", "1"];
    let mut lives = [&few, &many].map(|server| Life::with(server, "keyed", options));
    for _ in 0..ROUNDS / 2 {
        for life in &mut lives {
            life.as_mut().map_err(|error| error.to_string())?.round()?;
        }
    }
    let mut sums = Vec::new();
    heading("beside full keys");
    for (name, life) in ["10 keys", "10k keys"].iter().zip(lives) {
        let steps = life?.medians();
        table(name, steps);
        sums.push(steps.iter().sum::<f64>());
    }
    println!();
    let [few, many] = sums.as_slice() else { return Err("two servers".into()) };
    Ok(Goal { name: "10k-over-10-keys", measured: many / few, target: 1.25 })
}

fn at_sizes(small: &Server) -> Result<[Goal; 5]> {
    let (middle, large, held) = (sizes::filled(100_000)?, sizes::filled(1_000_000)?, sizes::filled(12_000)?);
    let tasks = sizes::hold(&held, 100, 100)?;
    let servers = [small, &middle, &large, &held];
    let lives = sizes::lives(&servers, ROUNDS / 2)?;
    let costs = servers.map(|server| each::costs(server, 25)).into_iter().collect::<Result<Vec<_>>>()?;
    let (_, slow) = tail::watch(&large, || Ok((sizes::lives(&[&large], ROUNDS / 2)?, each::costs(&large, 10)?)))?;
    heading("with many others");
    let names = ["1k pending", "100k pending", "1M pending", "10k held, 2k pending"];
    for (name, steps) in names.iter().zip(&lives) {
        table(name, *steps);
    }
    println!("\n{:<24}{:>12}{:>12}{:>12}{:>12}", "every other command", "1k", "100k", "1M", "10k held");
    for (number, row) in each::ROWS.iter().enumerate() {
        print!("  {row:<22}");
        for column in &costs {
            print!("{:>12.2}", column.get(number).copied().unwrap_or(f64::NAN));
        }
        println!();
    }
    let life = |number: usize| lives.get(number).map_or(f64::NAN, |steps| steps.iter().sum());
    let heartbeat = sizes::heartbeat(&held, &tasks)?;
    println!("  heartbeat of 500 tasks, per task {heartbeat:.2}\n");
    slow.print();
    // A removal from the middle of the list takes the longest search.
    let growth =
        each::ROWS.iter().zip(0..).filter(|(row, _)| **row != "cancel (middle)").map(|(_, number): (_, usize)| {
            let cost = |column: usize| {
                costs.get(column).and_then(|all: &Vec<f64>| all.get(number)).copied().unwrap_or(f64::NAN)
            };
            cost(2) / cost(0)
        });
    let growth = growth.fold(0.0, f64::max);
    Ok([
        Goal { name: "1M-over-1k-pending", measured: life(2) / life(0), target: 1.25 },
        Goal { name: "slowest-growth-of-a-command", measured: growth, target: 1.25 },
        Goal { name: "heartbeat-microseconds-per-task", measured: heartbeat, target: 1.5 },
        Goal { name: "p99-milliseconds-at-1M", measured: slow.p99, target: 2.0 },
        Goal { name: "worst-milliseconds-at-1M", measured: slow.worst, target: 20.0 },
    ])
}

fn waiting() -> Result<[Goal; 3]> {
    let server = sizes::filled(0)?;
    let wake = waiting::wake(&server)?;
    println!("waiting");
    println!("  submit to reserved, median of 500: {wake:.3} ms");
    let idle = waiting::idle()?;
    println!("  {} idle listeners: {idle:.0} commands per second", waiting::LISTENERS);
    let storm = waiting::storm()?;
    println!("  one submit among them: {storm:.0} reserve calls");
    Ok([
        Goal { name: "wake-milliseconds", measured: wake, target: 2.0 },
        Goal { name: "idle-commands-per-second", measured: idle, target: 200.0 },
        Goal { name: "reserve-calls-per-submit", measured: storm, target: 10.0 },
    ])
}

fn shared_limits() -> Result<Goal> {
    let lives = shared::lives()?;
    heading("shared limits");
    for ((name, _), steps) in shared::KINDS.iter().zip(lives) {
        table(name, steps);
    }
    println!();
    let [_, one, three] = lives.map(|steps| steps.iter().sum::<f64>());
    Ok(Goal { name: "three-shared-limits-over-one", measured: three / one, target: 1.5 })
}

fn questions() -> Result<Goal> {
    let asked = questions::questions()?;
    println!("a million tasks in a thousand queues, microseconds of a call");
    let mut most: f64 = 0.0;
    for ((name, _), took) in questions::CALLED.iter().zip(&asked.calls) {
        println!("  {name:<30}{took:>9.0}");
        if !questions::LONGER.contains(name) {
            most = most.max(*took);
        }
    }
    for ((name, _), (calls, took)) in questions::WHOLE.iter().zip(&asked.whole) {
        println!("  {name:<30}{calls:>9} calls{took:>9.0} ms together");
    }
    println!();
    Ok(Goal { name: "milliseconds-of-a-question", measured: most / 1000.0, target: 1.0 })
}

fn held() -> Result<[Goal; 2]> {
    let shares = held::shares()?;
    println!("100,000 tasks held by 10,000 workers, and as many listeners that wait, percent of a core of the server");
    println!("  heartbeats, lease 60 s {:>8.2}", shares.heartbeats);
    println!("  maintenance                 {:>8.2}", shares.maintenance);
    println!("  listeners that wait    {:>8.2}", shares.waiting);
    println!("  reports of the workers {:>8.2}", shares.reports);
    let deaths = held::deaths()?;
    println!("1,000 of them die at once");
    println!("  p99 of another client's submit: {:.2} ms before, {:.2} ms while", deaths.before, deaths.meanwhile);
    println!("  all their tasks are requeued within {:.1} s\n", deaths.until_requeued);
    Ok([
        Goal {
            name: "percent-of-a-core-for-100k-held",
            measured: shares.heartbeats + shares.maintenance + shares.waiting,
            target: 2.0,
        },
        Goal { name: "p99-milliseconds-while-1000-die", measured: deaths.meanwhile - deaths.before, target: 2.0 },
    ])
}

/// Measures the microseconds per task.
fn batches() -> Result<[Goal; 1]> {
    let [plain, with_request] = batches::prices(&sizes::filled(0)?)?;
    print!("{:<24}", "a task of a submit of");
    for size in batches::SIZES {
        print!("{size:>9}");
    }
    for (name, prices) in [("plain", &plain), ("with a request id", &with_request)] {
        print!("\n  {name:<22}");
        for price in prices {
            print!("{price:>9.2}");
        }
    }
    println!("\n");
    let alone = plain.first().copied().unwrap_or(f64::NAN);
    let batches = plain.iter().skip(1).chain(with_request.iter().skip(1));
    let dearest = batches.fold(0.0, |most: f64, price| most.max(price / alone));
    Ok([Goal { name: "dearest-batch-over-one-by-one", measured: dearest, target: 1.0 }])
}

/// Maximum number of tasks that `top` shows.
const RUNNING: usize = 200;

fn views() -> Result<[Goal; 3]> {
    let server = sizes::filled(1_000_000)?;
    let ls = views::took(&server, 20, &["ls"])? * 1000.0;
    let top = views::top(&server, "1000000")?;
    sizes::hold(&server, RUNNING / 10, 10)?;
    let full = views::top(&server, "reserved")?;
    let doctor = views::took(&server, 1, &["doctor", "--limit", "10000000"])?;
    println!("with 1M tasks\n  blueque ls {ls:.0} ms");
    for (what, top) in [("none", &top), ("200", &full)] {
        println!(
            "  blueque top, {what} running: {:.1} ms of the server in a second, first picture after {:.0} ms",
            top.second, top.first
        );
    }
    println!("  blueque doctor, all of them {doctor:.1} s\n");
    Ok([
        Goal { name: "ls-milliseconds-at-1M", measured: ls, target: 20.0 },
        Goal { name: "top-milliseconds-of-the-server-at-1M", measured: full.second, target: 10.0 },
        Goal { name: "doctor-seconds-at-1M", measured: doctor, target: 20.0 },
    ])
}

fn watchers() -> Result<[Goal; 2]> {
    let watched = watchers::watch(&sizes::filled(0)?)?;
    println!("{} watchers of a queue's events", watchers::WATCHERS);
    println!("  while nothing comes: {:.2} % of a core of the server", watched.idle);
    println!("  an event takes {:.0} us of the server more, for all of them", watched.event);
    println!(
        "  submit to read: {:.0} ms (median watcher), {:.0} ms until all have it, {:.0} ms at most\n",
        watched.one, watched.all, watched.longest
    );
    Ok([
        Goal { name: "percent-of-a-core-for-100-watchers", measured: watched.idle, target: 1.0 },
        // A watcher without new events polls every half second.
        Goal { name: "milliseconds-until-100-watchers-have-it", measured: watched.longest, target: 600.0 },
    ])
}

fn holds() -> Result<Vec<Goal>> {
    println!("a worker that holds {} tasks with a lease of 60 s", holds::HELD);
    let mut goals = Vec::new();
    let kinds = [
        ("threads", ["kibibytes-of-a-task-on-a-thread", "percent-of-a-core-for-500-on-threads"], 32.0),
        ("async", ["kibibytes-of-an-asynchronous-task", "percent-of-a-core-for-500-asynchronous"], 8.0),
    ];
    for (kind, [memory, share], target) in kinds {
        let cost = holds::cost(&sizes::filled(0)?, kind)?;
        println!(
            "  {kind:<8} {:>6.1} KiB each, {:>5.2} % of a core for all, all run after {:.2} s",
            cost.kibibytes, cost.share, cost.until_all_run
        );
        goals.push(Goal { name: memory, measured: cost.kibibytes, target });
        goals.push(Goal { name: share, measured: cost.share, target: 1.0 });
    }
    println!();
    Ok(goals)
}

fn logs() -> Result<[Goal; 4]> {
    let flow = logs::flow(&sizes::filled(0)?)?;
    println!("{} programs, each of which prints 1 MiB in a second", logs::PROGRAMS);
    println!("  server {:.2} % of a core, supervisors {:.1} %", flow.server, flow.supervisors);
    println!("  calls in a second for each: {:.1}", flow.calls);
    println!("  the longest wait of a print {:?}, the latest end {:?} late", flow.stall, flow.late);
    println!(
        "  keys of a log: {:.0} KiB; on the disk: {:.1} %; without first or last line: {}",
        flow.kibibytes,
        flow.on_disk * 100.0,
        flow.lacking
    );
    Ok([
        Goal { name: "percent-of-a-core-for-20-logs", measured: flow.server, target: 2.0 },
        Goal { name: "milliseconds-a-print-waits", measured: flow.stall.as_secs_f64() * 1000.0, target: 100.0 },
        // The target is 160 KiB of text, the value of the setting, and the overhead of a stream.
        Goal { name: "kibibytes-of-a-log-in-redis", measured: flow.kibibytes, target: 200.0 },
        Goal { name: "logs-without-their-first-or-last-line", measured: flow.lacking, target: 0.0 },
    ])
}

fn programs() -> Result<[Goal; 5]> {
    println!("programs");
    let latency = programs::start_latency(&sizes::filled(0)?)?;
    println!("  submit to a program's first instruction, median of 50: {latency:.1} ms");
    let (resident, share) = programs::quiet(&sizes::filled(0)?)?;
    println!("  the supervisor of a quiet task: {resident:.1} MiB resident, {share:.3} % of a core");
    let (until_all_run, each) = programs::at_once(&sizes::filled(0)?)?;
    println!("  {} programs at once: all run after {until_all_run:.1} s, {each:.1} MiB each", programs::AT_ONCE);
    let (took, log) = programs::flood(&sizes::filled(0)?)?;
    println!("  a program that writes {} MiB: {took:.1} s, its log takes {log:.0} KiB in Redis", programs::FLOOD >> 20);
    Ok([
        Goal { name: "program-start-milliseconds", measured: latency, target: 20.0 },
        Goal { name: "supervisor-mebibytes", measured: resident, target: 8.0 },
        Goal { name: "supervisor-percent-of-a-core", measured: share, target: 0.1 },
        Goal { name: "seconds-until-200-programs-run", measured: until_all_run, target: 60.0 },
        // The target is 64 entries of at most 8 KiB, and the overhead of a stream.
        Goal { name: "flood-kibibytes-in-redis", measured: log, target: 640.0 },
    ])
}
