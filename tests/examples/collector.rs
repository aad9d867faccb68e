//! A collector of OpenTelemetry: receives spans and metrics by OTLP over HTTP, as JSON.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

/// A received span.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    pub kind: u64,
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub links: Vec<String>,
    /// Text of the status, or empty.
    pub error: String,
    attributes: BTreeMap<String, String>,
}

impl Span {
    pub fn about(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }
}

pub struct Collector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Value>>>,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, received) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let all = Arc::clone(&received);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let all = Arc::clone(&all);
                thread::spawn(move || serve(connection, &all));
            }
        });
        Self { address, received }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The entries of all lists with this name, at any depth.
    fn all(&self, name: &str) -> Vec<Value> {
        let mut found = Vec::new();
        self.received.lock().unwrap().iter().for_each(|value| collect(value, name, &mut found));
        found
    }

    pub fn spans(&self) -> Vec<Span> {
        self.all("spans").iter().map(span).collect()
    }

    /// The data points of a metric.
    pub fn metric(&self, name: &str) -> Vec<Value> {
        let mut found = Vec::new();
        self.all("metrics")
            .iter()
            .filter(|metric| metric["name"] == name)
            .for_each(|metric| collect(metric, "dataPoints", &mut found));
        found
    }
}

fn collect(value: &Value, name: &str, found: &mut Vec<Value>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                match value {
                    Value::Array(entries) if field == name => found.extend(entries.iter().cloned()),
                    value => collect(value, name, found),
                }
            }
        }
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, name, found)),
        _ => {}
    }
}

fn span(value: &Value) -> Span {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let attribute = |entry: &Value| {
        let value = entry["value"].as_object().unwrap().values().next().unwrap().clone();
        (text(&entry["key"]), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    Span {
        name: text(&value["name"]),
        kind: value["kind"].as_u64().unwrap_or_default(),
        trace: text(&value["traceId"]),
        id: text(&value["spanId"]),
        parent: text(&value["parentSpanId"]),
        links: list("links").iter().map(|link| text(&link["spanId"])).collect(),
        error: text(&value["status"]["message"]),
        attributes: list("attributes").iter().map(attribute).collect(),
    }
}

/// Answers the requests of one connection.
fn serve(connection: TcpStream, all: &Mutex<Vec<Value>>) {
    let mut reader = BufReader::new(connection);
    loop {
        let mut length = 0;
        let mut line = String::new();
        while line.trim_end() != "" || length == 0 {
            line.clear();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        all.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}
