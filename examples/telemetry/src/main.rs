//! Submits and runs tasks whose spans and metrics go to a collector of OpenTelemetry:
//! `cargo run -p blueque-example-telemetry -- redis://127.0.0.1/`.
//!
//! The collector is that of `OTEL_EXPORTER_OTLP_ENDPOINT`, by default `http://localhost:4318`, and gets JSON. A request
//! submits a film, whose first attempt fails, and a graph of three tasks. A film is transcoded by a program, which finds
//! the trace in its environment.

use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use blueque::{Client, Context, Graph, HandlerError, Stop, Submit, Telemetry, Worker};
use opentelemetry::global;
use opentelemetry::trace::{TraceContextExt, Tracer};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;

const LIMIT: Duration = Duration::from_secs(30);

/// A small HTTP client for the exporters.
#[derive(Clone, Debug)]
struct Http(ureq::Agent);

impl Http {
    fn new() -> Self {
        let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(10)));
        Self(config.http_status_as_error(false).build().into())
    }
}

#[async_trait]
impl HttpClient for Http {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let mut answer = self.0.run(Request::from_parts(parts, body.to_vec()))?;
        let body = answer.body_mut().read_to_vec()?;
        Ok(Response::builder().status(answer.status()).body(body.into())?)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "a handler owns its parameters")]
fn transcode(film: String, cx: &Context) -> Result<String, HandlerError> {
    cx.checkpoint(&"half")?;
    if cx.reservation().attempt == 1 {
        return Err("the disk is full".into());
    }
    global::tracer("example").in_span("transcode", |_| {
        let mut program = Command::new("sh");
        program.args(["-c", "printf '%s %s' \"$1\" \"$TRACEPARENT\"", "sh", &film]);
        let output = program.envs(Telemetry::environment()).output()?;
        Ok(String::from_utf8(output.stdout)?)
    })
}

fn run(url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (http, json) = (Http::new(), Protocol::HttpJson);
    let spans = SpanExporter::builder().with_http().with_http_client(http.clone()).with_protocol(json).build()?;
    let metrics = MetricExporter::builder().with_http().with_http_client(http).with_protocol(json).build()?;
    let spans = SdkTracerProvider::builder().with_batch_exporter(spans).build();
    let metrics = SdkMeterProvider::builder().with_periodic_exporter(metrics).build();
    global::set_tracer_provider(spans.clone());
    global::set_meter_provider(metrics.clone());

    let telemetry = Telemetry::new();
    let client = Client::builder().telemetry(&telemetry).open(url)?;
    let builder = Worker::builder(&client).queue("films")?.handle_method("transcode", transcode);
    let builder = builder.handle_method("count", |films: Vec<u32>, _: &Context| Ok(films.len()));
    let worker = builder.slots(2).hooks(telemetry).build()?;
    let running = thread::spawn({
        let worker = worker.clone();
        move || worker.run()
    });

    global::tracer("example").in_span("request", |request| -> blueque::Result<()> {
        println!("trace {}", request.span().span_context().trace_id());
        let how = Submit::default().method("transcode").max_failures(1).delay(Duration::ZERO);
        let film = client.queue("films")?.submit("movie-17", how)?;
        println!("result {}", film.result::<String>(LIMIT)?);
        let graph = Graph::new();
        let counts = [graph.task("films", "count", &[1]), graph.task("films", "count", &[1, 2])];
        counts.iter().fold(graph.join("films", "count").label("all"), |all, count| all.result_of(count));
        let made = client.submit_graph(&graph)?;
        made.graph.wait(LIMIT)?;
        println!("graph {}", made.graph.id());
        Ok(())
    })?;
    worker.stop(Stop::Drain);
    running.join().map_err(|_| "the worker panicked")??;
    spans.shutdown()?;
    metrics.shutdown()?;
    Ok(())
}

fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: blueque-example-telemetry URL");
        return ExitCode::from(2);
    };
    match run(&url) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("blueque-example-telemetry: {error}");
            ExitCode::FAILURE
        }
    }
}
