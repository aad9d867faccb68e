//! A real cluster of three masters with a replica each, on which the slot of a namespace moves to and fro between two
//! masters all the time, under calls of a client for clusters.
//!
//! Expectations of a call while its slot is half moved:
//! - The call may return `RETRY`: then nothing was changed, and the call is repeated.
//! - A call that changes something otherwise returns what it returns on a single server.
//! - A call that only reads may return less for a moment: a wrong reply counts if the slot was whole all the time.
//! - If there are two reasons to refuse a call, and one of them is `BADARG`, the call may return `BADARG`.
//! - `finish_and_reserve`, whose parts are refused one by one, `reserve` with a `limit`, which ends before the first
//!   task that is not whole, and `heartbeat`, which succeeds in any case and may bring an order one heartbeat later,
//!   wait until the slot is whole.
//! - Maintenance may do less for a moment, and takes another server for a restart, after which owners get time to
//!   report. So it waits until the slot is whole, and where it was at first.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use redis::cluster::{ClusterClient, ClusterConnection};
use redis::{Arg, Cmd, RedisResult, Value};

use crate::slot_move::{self, Point};
use crate::support::Server;
use crate::support::receiver::{Ground, Right};

/// A call that is not done within this time hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// The longest that the slot is left whole, and the longest between two steps of a move, in microseconds.
const WHOLE: u64 = 6000;
const STEP: u64 = 500;

/// The most keys that move in a step.
const KEYS: u64 = 4;

/// State of the slot.
#[derive(Default)]
struct Place {
    /// True if the slot is at the second of the two nodes, or on the way from it.
    away: bool,
    half: bool,
}

#[derive(Default)]
struct Shared {
    /// Locked: nothing moves.
    place: Mutex<Place>,
    whole: Condvar,
    /// Number of steps that were begun or ended. Odd while a step is made.
    steps: AtomicU64,
    half: AtomicBool,
    moves: AtomicU64,
    keys: AtomicU64,
    over: AtomicBool,
}

impl Shared {
    fn hold(&self) -> MutexGuard<'_, Place> {
        self.place.lock().expect("the slot moves")
    }

    /// Holds the slot while it is whole.
    fn hold_whole(&self) -> MutexGuard<'_, Place> {
        self.hold_unless(|place| place.half)
    }

    /// Holds the slot while it is whole where it was at first.
    fn hold_at_home(&self) -> MutexGuard<'_, Place> {
        self.hold_unless(|place| place.half || place.away)
    }

    fn hold_unless(&self, unfit: fn(&mut Place) -> bool) -> MutexGuard<'_, Place> {
        let (place, waited) = self.whole.wait_timeout_while(self.hold(), LIMIT, unfit).expect("the slot moves");
        assert!(!waited.timed_out(), "the slot did not come to rest");
        place
    }

    /// Makes a step of a move.
    fn step<T>(&self, take: impl FnOnce(&mut Place) -> T) -> T {
        let mut place = self.hold();
        self.steps.fetch_add(1, Ordering::SeqCst);
        let taken = take(&mut place);
        self.half.store(place.half, Ordering::SeqCst);
        self.steps.fetch_add(1, Ordering::SeqCst);
        if !place.half {
            self.whole.notify_all();
        }
        taken
    }

    /// Moves the slot until it is over. The first two nodes take it in turn; the third one is another master.
    fn run(&self, slot: &str, points: &mut [Point], mut seed: u64) {
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        while !self.over.load(Ordering::SeqCst) {
            slot_move::agree(points);
            thread::sleep(Duration::from_micros(random(WHOLE)));
            let [one, two, third, ..] = points else { panic!("too few nodes") };
            let (from, to) = if self.hold().away { (two, one) } else { (one, two) };
            self.step(|place| {
                slot_move::begin(slot, from, to);
                place.half = true;
            });
            loop {
                let number = usize::try_from(1 + random(KEYS)).unwrap();
                let moved = self.step(|_| slot_move::carry(slot, number, from, to));
                self.keys.fetch_add(u64::try_from(moved).unwrap(), Ordering::SeqCst);
                thread::sleep(Duration::from_micros(random(STEP)));
                if moved < number && self.step(|place| Self::arrive(place, slot, from, to, third)) {
                    break;
                }
            }
            self.moves.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Ends a move if nothing is left to carry.
    fn arrive(place: &mut Place, slot: &str, from: &mut Point, to: &mut Point, third: &mut Point) -> bool {
        let left: u64 = from.cluster(&["COUNTKEYSINSLOT", slot]).unwrap();
        if left == 0 {
            slot_move::end(slot, to, [from, third]);
            *place = Place { away: !place.away, half: false };
        }
        left == 0
    }
}

/// The cluster, and a client of it.
pub struct Moving {
    client: ClusterConnection,
    /// The nodes that have the slot in turn.
    home: Point,
    away: Point,
    shared: Arc<Shared>,
    mover: Option<JoinHandle<()>>,
    /// Calls that returned `RETRY`, and calls that saw too little.
    retried: u64,
    less: u64,
    _nodes: Vec<Server>,
}

impl Moving {
    /// Starts the cluster and the moves. `namespace`: a name with a hash tag, whose slot moves.
    pub fn start(program: &Path, namespace: &str, seed: u64) -> Self {
        let (nodes, ports) = Server::start_cluster_of(program);
        let mut points: Vec<Point> = nodes.iter().map(|node| Point::new(node.connection())).collect();
        let slot: u16 = points[0].cluster(&["KEYSLOT", &format!("{namespace}_meta")]).unwrap();
        let owner = usize::from(slot > 5460) + usize::from(slot > 10922);
        points[..3].rotate_left(owner);
        let home = Point::new(nodes[owner].connection());
        let away = Point::new(nodes[(owner + 1) % 3].connection());
        let urls = ports.iter().map(|port| format!("redis://127.0.0.1:{port}/"));
        let builder = ClusterClient::builder(urls).min_retry_wait(1).max_retry_wait(20);
        let client = builder.connection_timeout(LIMIT).response_timeout(LIMIT).build().unwrap();
        let shared = Arc::new(Shared::default());
        let mover = thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.run(&slot.to_string(), &mut points, seed)
        });
        let client = client.get_connection().unwrap();
        Self { client, home, away, shared, mover: Some(mover), retried: 0, less: 0, _nodes: nodes }
    }

    /// Ends the moves, and returns a summary of them.
    pub fn end(mut self) -> String {
        self.shared.over.store(true, Ordering::SeqCst);
        self.mover.take().unwrap().join().expect("the slot moves");
        let [moves, keys] = [&self.shared.moves, &self.shared.keys].map(|number| number.load(Ordering::SeqCst));
        assert!(moves > 0 && keys > 0, "{moves} moves of {keys} keys");
        format!(
            "{moves} moves of the slot, {keys} of keys; {} calls repeated after RETRY, {} that saw too little",
            self.retried, self.less
        )
    }

    fn seen(&self) -> (u64, bool) {
        (self.shared.steps.load(Ordering::SeqCst), self.shared.half.load(Ordering::SeqCst))
    }
}

impl Ground for Moving {
    fn send(&mut self, cmd: &Cmd) -> RedisResult<Value> {
        // The script has its keys in its text: it needs all of them in one place.
        if cmd.args_iter().next() == Some(Arg::Simple(b"EVAL")) {
            let _whole = self.shared.hold_at_home();
            return cmd.query(&mut self.home.connection);
        }
        let end = Instant::now() + LIMIT;
        loop {
            let answer = cmd.query(&mut self.client);
            // A cluster counts as down for a while after its servers were starved of processor time.
            let unstable = answer.as_ref().is_err_and(|error| matches!(error.code(), Some("TRYAGAIN" | "CLUSTERDOWN")));
            if !unstable || Instant::now() > end {
                return answer;
            }
        }
    }

    fn call(&mut self, command: &str, cmd: &Cmd, right: Right) -> RedisResult<Value> {
        let role = blueque::bundle::command(command).unwrap().role();
        let in_parts = match command {
            "finish_and_reserve" | "heartbeat" => true,
            "reserve" => cmd.args_iter().any(|arg| arg == Arg::Simple(b"limit")),
            _ => false,
        };
        if role == Some("maintenance") || in_parts {
            let shared = Arc::clone(&self.shared);
            let _whole = if in_parts { shared.hold_whole() } else { shared.hold_at_home() };
            return self.send(cmd);
        }
        let end = Instant::now() + LIMIT;
        loop {
            let before = self.seen();
            let answer = self.send(cmd);
            let stable = before == (self.seen().0, false) && before.0.is_multiple_of(2);
            let code = answer.as_ref().err().and_then(|error| error.code());
            if stable || Instant::now() > end {
                return answer;
            } else if code == Some("RETRY") {
                self.retried += 1;
            } else if (role.is_none() || code == Some("BADARG")) && !right(&answer) {
                self.less += 1;
            } else {
                return answer;
            }
            thread::sleep(Duration::from_micros(STEP));
        }
    }

    fn everywhere(&mut self, cmd: &Cmd) -> Vec<Value> {
        let place = self.shared.hold();
        let (from, to) = if place.away { (&mut self.away, &mut self.home) } else { (&mut self.home, &mut self.away) };
        let mut found = vec![cmd.query(&mut from.connection).unwrap()];
        if place.half {
            redis::cmd("ASKING").exec(&mut to.connection).unwrap();
            found.push(cmd.query(&mut to.connection).unwrap());
        }
        found
    }

    fn empty(&mut self) {
        let _still = self.shared.hold();
        for point in [&mut self.home, &mut self.away] {
            redis::cmd("FLUSHALL").exec(&mut point.connection).unwrap();
        }
    }

    /// The count of changes is of no use, since the moves count as changes.
    fn writes(&mut self) -> Option<String> {
        None
    }

    fn run(&mut self) -> String {
        self.home.connection.run()
    }
}
