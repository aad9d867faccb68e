//! The cost of graphs, compared with the same tasks without edges, and as the number of graphs grows.

use std::time::Instant;

use blueque::handles::SubmittedGraph;
use blueque::{Client, Graph, Status};
use redis::{Connection, Value};

use crate::each::{self, Each};
use crate::life::{args, attempt, id};
use crate::server::{Args, Result, Scripts, Server, call, load_command, median, scripts_called, timed};
use crate::sizes;

/// Number of tasks of a graph.
const TASKS: usize = 1_000;

const ROUNDS: usize = 20;

/// Number of upstreams of a join. With the join itself they make the largest graph.
const JOINED: usize = 9_999;

/// Number of tasks in one batch of ends.
const BATCH: usize = 20;

fn client(server: &Server) -> Result<Client> {
    Ok(Client::open(&format!("unix://{}", server.socket().display()))?)
}

/// Returns a graph: a task, its dependents, and a task that joins their results.
fn fan(tasks: usize, queue: &str) -> Graph {
    let graph = Graph::new();
    let first = graph.task(queue, "split", &1);
    let join = graph.join(queue, "join").label("join");
    for number in 2..tasks {
        join.result_of(&graph.task(queue, "work", &number).needs(&first));
    }
    graph
}

/// Submits a graph and releases all its tasks, as a client and workers do.
fn submit(server: &Server, graph: &Graph) -> Result<SubmittedGraph> {
    let made = client(server)?.submit_graph(graph)?;
    settle(&mut server.connect()?)?;
    Ok(made)
}

/// Calls `run_deferred` until no work is left.
fn settle(connection: &mut Connection) -> Result<()> {
    let settle = load_command(connection, "run_deferred")?;
    while call(&settle, "blueque", &args(&["", "100"])).query::<(u32, u32)>(connection)?.1 == 1 {}
    Ok(())
}

/// Returns the milliseconds that the server spends in scripts.
fn scripts<T>(connection: &mut Connection, run: impl FnOnce() -> Result<T>) -> Result<f64> {
    redis::cmd("CONFIG").arg("RESETSTAT").exec(connection)?;
    run()?;
    Ok(scripts_called(connection)?.1 * 1e3)
}

/// Cost of 1,000 tasks submitted in calls of 500, and as a graph: milliseconds of the server's scripts, until all tasks
/// without open upstreams are pending.
pub struct Submits {
    pub plain: f64,
    pub apart: f64,
    pub chain: f64,
    pub fan: f64,
}

pub fn submits(server: &Server) -> Result<Submits> {
    let mut connection = server.connect()?;
    let one = load_command(&mut connection, "submit")?;
    let mut took = [const { Vec::new() }; 4];
    let (apart, chain) = (Graph::new(), Graph::new());
    let mut last = chain.task("q", "work", &0);
    for number in 1..TASKS {
        last = chain.task("q", "work", &number).needs(&last);
    }
    for number in 0..TASKS {
        apart.task("q", "work", &number);
    }
    let fan = fan(TASKS, "q");
    let mut watched = server.connect()?;
    for _ in 0..ROUNDS {
        let [plain, graphs @ ..] = &mut took;
        plain.push(scripts(&mut watched, || {
            for _ in 0..TASKS / 500 {
                let mut values = args(&["", "q", "500"]);
                for number in 0..500 {
                    values.extend([id(), String::new(), format!("[{number}]")]);
                }
                call(&one, "blueque", &values).exec(&mut connection)?;
            }
            Ok(())
        })?);
        for (took, graph) in graphs.iter_mut().zip([&apart, &chain, &fan]) {
            took.push(scripts(&mut watched, || submit(server, graph))?);
        }
    }
    let [plain, apart, chain, fan] = took.map(median);
    Ok(Submits { plain, apart, chain, fan })
}

/// Microseconds of a `complete` without dependents, of the promotion of one task, and of a `complete` that makes one
/// dependent ready.
pub struct Ends {
    pub plain: f64,
    pub promoted: f64,
    pub readied: f64,
}

pub fn ends(server: &Server) -> Result<Ends> {
    let mut connection = server.connect()?;
    sizes::queue(server, "first", "max_failures", "")?;
    sizes::queue(server, "then", "max_failures", "")?;
    // The namespace keeps its own time, as in a namespace for tests.
    redis::cmd("HSET").arg(&["blueque_meta", "test", "1"]).exec(&mut connection)?;
    let [submit, reserve, complete, promote] = ["submit", "reserve", "complete", "promote"];
    let run = |connection: &mut Connection, command: &str, calls: &[Args]| -> Result<(f64, Vec<Value>)> {
        let sha = load_command(connection, command)?;
        timed(connection, &sha, "blueque", calls)
    };
    let mut took = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS * 5 {
        let [plain, promoted, readied] = &mut took;
        for (with_dependents, took) in [(false, plain), (true, readied)] {
            let ids: Vec<String> = (0..BATCH).map(|_| id()).collect();
            let calls: Vec<Args> = ids.iter().map(|id| args(&["", "first", "1", id, "", "{}"])).collect();
            run(&mut connection, submit, &calls)?;
            if with_dependents {
                let inputs = |up: &String| args(&["", "then", "1", &id(), "", "", "inputs", &format!("result/0={up}")]);
                run(&mut connection, submit, &ids.iter().map(inputs).collect::<Vec<_>>())?;
            }
            let (_, held) = run(&mut connection, reserve, &vec![args(&["", "host_1", "1", "first"]); BATCH])?;
            let held = held.into_iter().map(attempt).collect::<Result<Vec<_>>>()?;
            let calls: Vec<Args> = held.iter().map(|(id, token)| args(&["", id, token, r#"{"ok":true}"#])).collect();
            took.push(run(&mut connection, complete, &calls)?.0);
        }
        let eta = |_| args(&["4000000000", "then", "1", &id(), "4000000001", "{}"]);
        run(&mut connection, submit, &(0..BATCH).map(eta).collect::<Vec<_>>())?;
        let calls = vec![args(&["4000000002", "then", "1"]); BATCH];
        promoted.push(run(&mut connection, promote, &calls)?.0);
    }
    redis::cmd("HDEL").arg(&["blueque_meta", "test"]).exec(&mut connection)?;
    let [plain, promoted, readied] = took.map(median);
    Ok(Ends { plain, promoted, readied })
}

/// Returns the milliseconds from the end of the last of 9,999 tasks until the task that joins their results is pending.
pub fn join() -> Result<f64> {
    let server = sizes::filled(0)?;
    let mut connection = server.connect()?;
    let graph = Graph::new();
    let join = graph.join("joins", "join").label("join");
    for number in 0..JOINED {
        join.result_of(&graph.task("q", "work", &number));
    }
    let made = submit(&server, &graph)?;
    let join = client(&server)?.task(made.task("join").ok_or("no join")?.as_str())?;
    let (reserve, complete) = (load_command(&mut connection, "reserve")?, load_command(&mut connection, "complete")?);
    let mut until = f64::NAN;
    for _ in 0..JOINED {
        let reply: Value = call(&reserve, "blueque", &args(&["", "host_1", "1", "q"])).query(&mut connection)?;
        let (id, token) = attempt(reply)?;
        let began = Instant::now();
        call(&complete, "blueque", &args(&["", &id, &token, r#"{"frames":1440}"#])).exec(&mut connection)?;
        if join.info()?.status() == Some(Status::Pending) {
            until = began.elapsed().as_secs_f64() * 1e3;
        }
    }
    Ok(until)
}

/// Returns the rows of all commands, with 8,000 pending tasks and one graph of 1,000 tasks, and with a million tasks in
/// 1,000 graphs.
pub fn growth() -> Result<Vec<(&'static str, f64, f64)>> {
    let (small, large) = (sizes::filled(8_000)?, sizes::filled(8_000)?);
    let fan = fan(TASKS, "graphs");
    submit(&small, &fan)?; // both have the same queues
    for _ in 0..1_000 {
        submit(&large, &fan)?;
    }
    let mut sides = [&small, &large].map(|server| Each::new(&Scripts::Own, server));
    for _ in 0..40 {
        for side in &mut sides {
            side.as_mut().map_err(|error| error.to_string())?.round()?;
        }
    }
    let [small, large] = sides;
    let (small, large) = (small?.medians(), large?.medians());
    Ok(each::ROWS.into_iter().zip(small).zip(large).map(|((name, small), large)| (name, small, large)).collect())
}
