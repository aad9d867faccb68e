//! Passes the spans of a task of the runtime on to the thread that blocks for it.

/// Returns the work, which enters the current spans of the caller.
pub(super) fn with_spans<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    #[cfg(feature = "opentelemetry")]
    let work = {
        let here = opentelemetry::Context::current();
        move || {
            let _entered = here.attach();
            work()
        }
    };
    #[cfg(feature = "tracing")]
    let work = {
        let here = tracing::Span::current();
        move || here.in_scope(work)
    };
    work
}
