//! Spans and metrics of OpenTelemetry, by its semantic conventions for messaging.

use std::any::type_name;
use std::error::Error as StdError;
use std::fmt;
use std::process;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use opentelemetry::context::FutureExt;
use opentelemetry::global::{self, BoxedTracer};
use opentelemetry::metrics::{Counter, Histogram};
use opentelemetry::trace::{Link as SpanLink, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt, TraceState};
use opentelemetry::{Context as Surroundings, InstrumentationScope, KeyValue, SpanId, TraceFlags, TraceId};

use crate::calls::StartOptions;
use crate::client::ClientBuilder;
use crate::error::{Code, Error, Result};
use crate::link::Link;
use crate::model::TaskInfo;
use crate::names::TaskId;
use crate::options::trace_context;
use crate::submit_hooks::{AroundSubmit, RunSubmit, Submission};
use crate::worker::{AroundAttempt, Context, Failure, Hooks, Stopped};

/// Maximum number of upstreams to which the span of an attempt links.
const UPSTREAMS: usize = 32;

/// Bounds of the histograms of durations, in seconds. An attempt may take days.
const BOUNDS: [f64; 14] = [0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 60.0, 300.0, 1800.0, 3600.0, 21600.0, 86400.0];

/// Spans and metrics of OpenTelemetry, for clients and workers. Needs the feature `opentelemetry`.
///
/// A submit has a span, whose context goes with the task in its option [`trace`](crate::Submit::trace). An attempt has a
/// span in the same trace, with links to the previous attempt and to the upstreams, and is the parent of the spans of
/// its handler. The time until the first attempt, and each checkpoint, also have a span.
///
/// Both the tracer and the meter are the global ones at the time of [`Telemetry::new`]: set your providers before it.
/// A worker with telemetry makes two further calls for each attempt, to read the trace and to store the span.
///
/// ```no_run
/// use blueque::{Client, Submit, Telemetry, Worker};
///
/// # fn main() -> blueque::Result<()> {
/// // opentelemetry::global::set_tracer_provider(…)
/// let telemetry = Telemetry::new();
/// let client = Client::builder().telemetry(&telemetry).open("redis://127.0.0.1/")?;
/// client.queue("films")?.submit("movie-17", Submit::default())?;
/// let worker = Worker::builder(&client).queue("films")?.hooks(telemetry);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Telemetry(Arc<Instruments>);

struct Instruments {
    tracer: BoxedTracer,
    operations: Histogram<f64>,
    attempts: Histogram<f64>,
    sent: Counter<u64>,
    consumed: Counter<u64>,
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Telemetry")
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new()
    }
}

impl Telemetry {
    /// Uses the global providers of tracers and meters.
    #[must_use]
    pub fn new() -> Self {
        let scope = InstrumentationScope::builder("blueque").with_version(env!("CARGO_PKG_VERSION")).build();
        let (tracer, meter) = (global::tracer_with_scope(scope.clone()), global::meter_with_scope(scope));
        let duration = |name, about| {
            let histogram = meter.f64_histogram(name).with_unit("s").with_description(about);
            histogram.with_boundaries(BOUNDS.to_vec()).build()
        };
        let count = |name, about| meter.u64_counter(name).with_unit("{message}").with_description(about).build();
        Self(Arc::new(Instruments {
            operations: duration("messaging.client.operation.duration", "Duration of submits and checkpoints."),
            attempts: duration("messaging.process.duration", "Duration of handlers."),
            sent: count("messaging.client.sent.messages", "Number of submitted tasks."),
            consumed: count("messaging.client.consumed.messages", "Number of attempts."),
            tracer,
        }))
    }

    /// Returns the current context as variables for the environment of another program, which continues the trace. There
    /// are none if there is no span.
    ///
    /// ```
    /// std::process::Command::new("ffmpeg").envs(blueque::Telemetry::environment());
    /// ```
    pub fn environment() -> impl Iterator<Item = (&'static str, String)> {
        let trace = header(Surroundings::current().span().span_context()).unwrap_or_default();
        let values: Vec<String> = trace.splitn(2, ' ').filter(|value| !value.is_empty()).map(str::to_owned).collect();
        ["TRACEPARENT", "TRACESTATE"].into_iter().zip(values)
    }

    fn start(&self, builder: SpanBuilder, parent: &Surroundings) -> Surroundings {
        parent.with_span(builder.start_with_context(&self.0.tracer, parent))
    }

    /// Runs a submit within its span.
    fn submit<'a>(&self, mut submit: Submission, run: RunSubmit<'a>) -> AroundSubmit<'a> {
        let (telemetry, queue) = (self.clone(), submit.queue.as_ref().map(ToString::to_string));
        Box::pin(async move {
            let common = attributes("submit", Some("send"), queue.as_deref());
            let mut all = common.clone();
            all.extend(submit.id.as_ref().map(|id| KeyValue::new("messaging.message.id", id.to_string())));
            all.extend(
                submit.graph.as_ref().map(|id| KeyValue::new("messaging.message.conversation_id", id.to_string())),
            );
            if submit.id.is_none() {
                all.push(KeyValue::new("messaging.batch.message_count", number(submit.tasks)));
            }
            let name = format!("submit {}", queue.as_deref().unwrap_or("graph"));
            let builder = SpanBuilder::from_name(name).with_kind(SpanKind::Producer).with_attributes(all);
            let within = telemetry.start(builder, &Surroundings::current());
            if let Some(trace) = header(within.span().span_context()).filter(|_| !submit.options.0.has("trace")) {
                submit.options = submit.options.trace(trace);
            }
            let (begun, tasks) = (Instant::now(), submit.tasks);
            let outcome = run(submit).with_context(within.clone()).await;
            let common = finish(&within, common, outcome.as_ref().err().map(|error| (kind(error), error.to_string())));
            telemetry.0.operations.record(begun.elapsed().as_secs_f64(), &common);
            telemetry.0.sent.add(tasks as u64, &common);
            outcome
        })
    }

    /// Starts the span of an attempt, after the span of the time for which the task has waited.
    async fn begin<L: Link>(&self, attempt: &Context<L>) -> Surroundings {
        let info = L::step(attempt.info()).await.ok();
        let trace = info.and_then(TaskInfo::trace).and_then(|trace| parse(&trace));
        let parent = trace.map_or_else(Surroundings::new, |trace| Surroundings::new().with_remote_span_context(trace));
        let (processor, queue) = (attempt.processor(), attempt.reservation().queue.as_str());
        let id = KeyValue::new("messaging.message.id", processor.id().to_string());
        if let Some(since) = info.and_then(available) {
            let mut all = attributes("wait", None, Some(queue));
            all.push(id.clone());
            let builder = SpanBuilder::from_name(format!("wait {queue}")).with_kind(SpanKind::Internal);
            self.start(builder.with_start_time(since).with_attributes(all), &parent).span().end();
        }
        let mut all = attributes("run", Some("process"), Some(queue));
        all.extend([
            id,
            KeyValue::new("messaging.client.id", processor.attempt().listener.to_string()),
            KeyValue::new("blueque.attempt", i64::from(attempt.reservation().attempt)),
        ]);
        all.extend(info.and_then(TaskInfo::method).map(|method| KeyValue::new("blueque.method", method)));
        let builder = SpanBuilder::from_name(format!("run {queue}")).with_kind(SpanKind::Consumer);
        let links = links(attempt, info).await;
        let within = self.start(builder.with_attributes(all).with_links(links), &parent);
        let span = within.span();
        if let Some(own) = header(span.span_context()).filter(|_| span.is_recording()) {
            let (client, token) = (processor.client(), attempt.reservation().token);
            // Without its span, the attempt is only missing among the links of later spans.
            let options = StartOptions::new().span(own);
            let _ = client.run(&client.calls().start(processor.id(), token, process::id(), &options)).await;
        }
        within
    }

    fn end<L: Link>(attempt: &Context<L>, outcome: &'static str, error: Option<&str>) {
        if let Some(within) = attempt.span.get() {
            let span = within.span();
            span.set_attribute(KeyValue::new("blueque.outcome", outcome));
            if let Some(error) = error {
                span.set_status(Status::error(error.to_owned()));
            }
            span.end();
        }
    }
}

impl<L: Link> ClientBuilder<L> {
    /// Adds spans and metrics of submits.
    #[must_use]
    pub fn telemetry(self, telemetry: &Telemetry) -> Self {
        let telemetry = telemetry.clone();
        self.around_submit(move |submit, run| telemetry.submit(submit, run))
    }
}

impl<L: Link> Hooks<L> for Telemetry {
    fn around_attempt<'a>(&'a self, attempt: &'a Context<L>, run: AroundAttempt<'a>) -> AroundAttempt<'a> {
        Box::pin(async move {
            let within = self.begin(attempt).await;
            self.0.consumed.add(1, &attributes("run", Some("process"), Some(attempt.reservation().queue.as_str())));
            run.with_context(attempt.span.get_or_init(|| within).clone()).await;
        })
    }

    fn before_attempt(&self, attempt: &Context<L>) -> Result<(), Failure> {
        let _ = attempt.begun.set(Instant::now());
        Ok(())
    }

    fn after_attempt(&self, attempt: &Context<L>, error: Option<&(dyn StdError + 'static)>) -> Result<(), Failure> {
        let mut all = attributes("run", Some("process"), Some(attempt.reservation().queue.as_str()));
        // An attempt that has obeyed an order is no error.
        if let Some(error) = error.filter(|error| !error.is::<Stopped>()) {
            let kind = KeyValue::new("error.type", error.downcast_ref().map_or_else(|| "_OTHER".to_owned(), kind));
            Surroundings::map_current(|here| here.span().set_attribute(kind.clone()));
            all.push(kind);
        }
        if let Some(begun) = attempt.begun.get() {
            self.0.attempts.record(begun.elapsed().as_secs_f64(), &all);
        }
        Ok(())
    }

    fn on_checkpoint(&self, attempt: &Context<L>, stored: &Result<()>, took: Duration) {
        let queue = attempt.reservation().queue.as_str();
        let common = attributes("checkpoint", None, Some(queue));
        let mut all = common.clone();
        all.push(KeyValue::new("messaging.message.id", attempt.processor().id().to_string()));
        let since = SystemTime::now().checked_sub(took).unwrap_or(SystemTime::UNIX_EPOCH);
        let builder = SpanBuilder::from_name(format!("checkpoint {queue}")).with_kind(SpanKind::Client);
        let parent = attempt.span.get().cloned().unwrap_or_else(Surroundings::current);
        let within = self.start(builder.with_start_time(since).with_attributes(all), &parent);
        let common = finish(&within, common, stored.as_ref().err().map(|error| (kind(error), error.to_string())));
        self.0.operations.record(took.as_secs_f64(), &common);
    }

    fn on_success(&self, attempt: &Context<L>) {
        Self::end(attempt, "complete", None);
    }

    fn on_failure(&self, attempt: &Context<L>, error: &str) {
        Self::end(attempt, "failed", Some(error));
    }

    fn on_retry(&self, attempt: &Context<L>, error: &str) {
        Self::end(attempt, "retrying", Some(error));
    }

    fn on_cancel(&self, attempt: &Context<L>) {
        Self::end(attempt, "cancelled", None);
    }

    fn on_release(&self, attempt: &Context<L>) {
        Self::end(attempt, "released", None);
    }

    fn on_lost(&self, attempt: &Context<L>) {
        Self::end(attempt, "lost", Some("the lease was lost"));
    }
}

/// Returns the attributes that spans and metrics share.
fn attributes(operation: &'static str, kind: Option<&'static str>, queue: Option<&str>) -> Vec<KeyValue> {
    let mut all =
        vec![KeyValue::new("messaging.system", "blueque"), KeyValue::new("messaging.operation.name", operation)];
    all.extend(kind.map(|kind| KeyValue::new("messaging.operation.type", kind)));
    all.extend(queue.map(|queue| KeyValue::new("messaging.destination.name", queue.to_owned())));
    all
}

/// Ends a span. Returns the attributes with the kind of the error.
fn finish(within: &Surroundings, mut all: Vec<KeyValue>, error: Option<(String, String)>) -> Vec<KeyValue> {
    let span = within.span();
    if let Some((kind, text)) = error {
        let kind = KeyValue::new("error.type", kind);
        span.set_attribute(kind.clone());
        span.set_status(Status::error(text));
        all.push(kind);
    }
    span.end();
    all
}

fn kind(error: &Error) -> String {
    error.code().as_ref().map_or_else(|| type_name::<Error>().to_owned(), |code: &Code| code.to_string())
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns since when a task could run, if this is known: not for a retry without a delay.
fn available(info: &TaskInfo) -> Option<SystemTime> {
    let known = info.attempt() == 1 || info.promoted().is_some() && info.failures() > 0;
    [info.created(), info.readied(), info.promoted()].into_iter().flatten().max().filter(|_| known)
}

/// Returns links to the span of the previous attempt, and to the spans of the upstreams.
async fn links<L: Link>(attempt: &Context<L>, info: Option<&TaskInfo>) -> Vec<SpanLink> {
    let Some(info) = info else { return Vec::new() };
    let link = |kind: &'static str, id: &TaskId, trace: Option<String>| {
        let about = vec![KeyValue::new("blueque.link", kind), KeyValue::new("messaging.message.id", id.to_string())];
        Some(SpanLink::new(parse(&trace?)?, about, 0))
    };
    let mut links: Vec<SpanLink> = link("previous", attempt.processor().id(), info.span()).into_iter().collect();
    let mut upstreams: Vec<TaskId> = Vec::new();
    for entry in info.inputs().unwrap_or_default().split(' ').filter(|entry| !entry.starts_with("value/")) {
        let id = entry.split_once('=').and_then(|(_, id)| TaskId::new(id).ok());
        upstreams.extend(id.filter(|id| upstreams.len() < UPSTREAMS && !upstreams.contains(id)));
    }
    if !upstreams.is_empty() {
        let found = L::step(attempt.processor().client().infos(&upstreams)).await.unwrap_or_default();
        links.extend(upstreams.iter().zip(found).filter_map(|(id, info)| {
            let info = info?;
            link("upstream", id, info.span().or_else(|| info.trace()))
        }));
    }
    links
}

/// Writes a context as the contract's `trace`. Returns `None` for an invalid context.
fn header(context: &SpanContext) -> Option<String> {
    let (trace, span, flags) = (context.trace_id(), context.span_id(), context.trace_flags().to_u8());
    let parent = format!("00-{trace}-{span}-{flags:02x}");
    context.is_valid().then(|| trace_context(&parent, &context.trace_state().header()))
}

/// Reads a `trace` of the contract.
fn parse(trace: &str) -> Option<SpanContext> {
    let (parent, state) = trace.split_once(' ').unwrap_or((trace, ""));
    let mut parts = parent.split('-').skip(1);
    let (id, span) = (TraceId::from_hex(parts.next()?).ok()?, SpanId::from_hex(parts.next()?).ok()?);
    let flags = TraceFlags::new(u8::from_str_radix(parts.next()?, 16).ok()?);
    let context = SpanContext::new(id, span, flags, true, state.parse::<TraceState>().unwrap_or_default());
    context.is_valid().then_some(context)
}

#[cfg(test)]
mod tests {
    use super::{header, parse};

    #[test]
    fn a_trace_is_read_as_it_is_written() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        for trace in [parent.to_owned(), format!("{parent} a=b,c=d")] {
            assert_eq!(parse(&trace).as_ref().and_then(header), Some(trace));
        }
        for wrong in ["", "00", "00-1-2", "00-x-y-z", &parent.replace(|c: char| c != '-', "0")] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
