//! A graph: its tasks in layers, from top to bottom. Tasks that do the same are grouped, so that a graph of 10,000 tasks
//! stays usable.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, SystemTime};

use blueque::tokio::Client;
use blueque::{GraphId, GraphInfo, GraphMember, Notice, Progress, Status, TaskId};

use crate::failure::Failure;

/// Maximum number of tasks that are read.
pub const TASKS: usize = 10_000;

/// Number of tasks that one call reads, which takes the server a few milliseconds.
const PAGE: u32 = 100;

/// Maximum number of nodes that are drawn of one layer.
const LAYER: usize = 12;

/// Number of nodes of a graph up to which nothing but arrays is grouped.
const SMALL: usize = 60;

/// Number of tasks of an opened group that are drawn one by one.
const OPENED: usize = 12;

/// Number of drawn tasks whose progress and title are read, running tasks first.
const RECORDS: usize = 100;

/// A node of the picture: a task, or a group of tasks.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Name of the group; the id of a single task.
    pub name: String,
    pub label: String,
    pub queue: String,
    /// The task of a node with one task.
    pub task: Option<TaskId>,
    /// Number of tasks in each state.
    pub states: BTreeMap<&'static str, u64>,
    pub tasks: u64,
    pub progress: Option<f64>,
    /// Run time of a single task's last attempt.
    pub took: Option<Duration>,
    /// Title of a single task.
    pub title: Option<String>,
    pub layer: usize,
    /// Place within the layer.
    pub place: usize,
}

impl Node {
    /// The state that a reader must see first.
    pub fn state(&self) -> &'static str {
        let order =
            ["failed", "started", "reserved", "pending", "scheduled", "waiting", "cancelled", "skipped", "complete"];
        order.iter().find(|state| self.states.contains_key(**state)).copied().unwrap_or("unknown")
    }

    /// The complete part, from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "for a bar")]
    pub fn done(&self) -> Option<f64> {
        if self.tasks > 1 {
            let done = self.states.get("complete").copied().unwrap_or(0);
            return Some(done as f64 / self.tasks as f64);
        }
        self.progress
    }
}

/// A drawn graph.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub info: GraphInfo,
    pub nodes: Vec<Node>,
    /// Edges between nodes by their indexes, with `true` for an edge that does not need success.
    pub edges: Vec<(usize, usize, bool)>,
    pub layers: usize,
    pub widest: usize,
    /// Number of tasks that were read.
    pub read: usize,
    pub states: BTreeMap<&'static str, u64>,
}

/// Reads the counts of a graph.
pub async fn head(client: &Client, id: &GraphId) -> Result<GraphInfo, Failure> {
    let page = client.call(&client.calls().show_graph(id, "0", 1)).await?;
    Ok(page.ok_or_else(|| Failure::missing(format!("There is no graph {id}.")))?.info)
}

/// Reads the notices of a graph.
pub async fn notices(client: &Client, id: &GraphId) -> Result<Vec<Notice>, Failure> {
    Ok(client.call(&client.calls().notices("graph", id.as_str())).await?)
}

/// Reads a graph.
pub async fn graph(client: &Client, id: &GraphId, open: &HashSet<String>) -> Result<Drawn, Failure> {
    let (mut cursor, mut info, mut tasks) = (Some("0".to_owned()), None, Vec::new());
    while let Some(at) = cursor.take_if(|_| tasks.len() < TASKS) {
        let page = client.call(&client.calls().show_graph(id, &at, PAGE)).await?;
        let page = page.ok_or_else(|| Failure::missing(format!("There is no graph {id}.")))?;
        info.get_or_insert(page.info);
        tasks.extend(page.tasks);
        cursor = page.next;
    }
    let info = info.ok_or_else(|| Failure::missing(format!("There is no graph {id}.")))?;
    let mut drawn = draw(info, &tasks, open);
    let mut single: Vec<&mut Node> = drawn.nodes.iter_mut().filter(|node| node.task.is_some()).collect();
    single.sort_by_key(|node| node.state() != "started");
    single.truncate(RECORDS);
    let now = SystemTime::now();
    let ids: Vec<TaskId> = single.iter().filter_map(|node| node.task.clone()).collect();
    for (node, info) in single.into_iter().zip(client.infos(&ids).await?) {
        let Some(info) = info else { continue };
        let end = info.updated().filter(|_| info.status().is_some_and(Status::is_finished));
        node.took = info.started().map(|from| end.unwrap_or(now).duration_since(from).unwrap_or_default());
        node.title = info.title().filter(|title| !title.is_empty());
        let progress = info.progress_bytes().filter(|_| node.state() == "started").map(Progress::read);
        node.progress = progress.and_then(|progress| progress.fraction);
    }
    Ok(drawn)
}

/// Puts tasks into layers and groups.
fn draw(info: GraphInfo, tasks: &[GraphMember], open: &HashSet<String>) -> Drawn {
    // Each task follows its upstreams, so one pass finds the layers.
    let mut layers: HashMap<&TaskId, usize> = HashMap::with_capacity(tasks.len());
    for task in tasks {
        let above = task.upstreams.iter().filter_map(|(_, upstream)| layers.get(upstream)).max();
        layers.insert(&task.id, above.map_or(0, |layer| layer + 1));
    }
    let mut width: HashMap<usize, usize> = HashMap::new();
    let mut arrays: HashMap<(usize, &str), usize> = HashMap::new();
    let layer_of = |task: &GraphMember| layers.get(&task.id).copied().unwrap_or(0);
    for task in tasks {
        *width.entry(layer_of(task)).or_default() += 1;
        if let Some((array, _)) = blueque::element(&task.label) {
            *arrays.entry((layer_of(task), array)).or_default() += 1;
        }
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut node_of: HashMap<&TaskId, usize> = HashMap::with_capacity(tasks.len());
    let mut states = BTreeMap::new();
    let mut opened: HashMap<String, usize> = HashMap::new();
    for task in tasks {
        let layer = layer_of(task);
        let array = blueque::element(&task.label)
            .map(|(array, _)| array)
            .filter(|array| arrays.get(&(layer, *array)).is_some_and(|tasks| *tasks > 3));
        let crowded = tasks.len() > SMALL && width.get(&layer).is_some_and(|width| *width > LAYER);
        let group = match array {
            Some(array) => Some((format!("{layer}:{array}[]"), format!("{array}[…]"))),
            None if crowded => Some((format!("{layer}:{}", task.queue), format!("tasks of {}", task.queue))),
            None => None,
        };
        // A group that a reader has opened falls into its states, and an opened state into its first tasks.
        let state = task.outcome().unwrap_or("unknown");
        let group = group.and_then(|(name, label)| {
            if !open.contains(&name) {
                return Some((name, label));
            }
            let seen = opened.entry(name.clone()).or_insert(0_usize);
            *seen += 1;
            let part = format!("{name}:{state}");
            (*seen > OPENED && !open.contains(&part)).then(|| (part, format!("{label} {state}")))
        });
        let (name, label, single) = match group {
            Some((name, label)) => (name, label, false),
            None => (
                task.id.to_string(),
                if task.label.is_empty() { task.id.to_string() } else { task.label.clone() },
                true,
            ),
        };
        let at = *names.entry(name.clone()).or_insert_with(|| {
            nodes.push(Node {
                name,
                label,
                queue: task.queue.clone(),
                task: single.then(|| task.id.clone()),
                layer,
                ..Node::default()
            });
            nodes.len() - 1
        });
        node_of.insert(&task.id, at);
        *states.entry(state).or_default() += 1;
        if let Some(node) = nodes.get_mut(at) {
            *node.states.entry(state).or_default() += 1;
            node.tasks += 1;
        }
    }
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    let mut known = HashSet::new();
    for task in tasks {
        let Some(to) = node_of.get(&task.id) else { continue };
        for (kind, upstream) in &task.upstreams {
            let Some(from) = node_of.get(upstream) else { continue };
            if from != to && known.insert((*from, *to)) {
                edges.push((*from, *to, matches!(kind.as_str(), "after" | "failure" | "optional")));
            }
        }
    }
    arrange(&mut nodes, &edges);
    let count = nodes.iter().map(|node| node.layer + 1).max().unwrap_or(0);
    let widest = nodes.iter().map(|node| node.place + 1).max().unwrap_or(0);
    Drawn { info, nodes, edges, layers: count, widest, read: tasks.len(), states }
}

/// Orders each layer by the places of what is above, so that few edges cross.
fn arrange(nodes: &mut [Node], edges: &[(usize, usize, bool)]) {
    let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        layers.entry(node.layer).or_default().push(at);
    }
    let mut above: HashMap<usize, Vec<usize>> = HashMap::new();
    for (from, to, _) in edges {
        above.entry(*to).or_default().push(*from);
    }
    let mut places: HashMap<usize, usize> = HashMap::new();
    for all in layers.values_mut() {
        let centre = |at: &usize| -> usize {
            let found: Vec<usize> =
                above.get(at).into_iter().flatten().filter_map(|from| places.get(from).copied()).collect();
            // In thousandths of a place.
            if found.is_empty() { usize::MAX / 2 } else { found.iter().sum::<usize>() * 1_000 / found.len() }
        };
        all.sort_by_key(centre);
        for (place, at) in all.iter().enumerate() {
            places.insert(*at, place);
        }
    }
    for (at, place) in places {
        if let Some(node) = nodes.get_mut(at) {
            node.place = place;
        }
    }
}
