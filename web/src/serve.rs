//! Serves the page until the caller stops it.

mod connections;

use std::io;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use tokio::sync::oneshot;

use connections::{Client, Connections, QUIET, most};

/// Time that open requests have after the stop. Streams of events never end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// Number of threads that answer requests.
const THREADS: usize = 2;

/// Maximum number of threads that hash passwords.
const HASHING: usize = 4;

/// Serves a page on a listener until `stop` returns, and at most a second longer. `stop` runs in a thread of its own.
///
/// At most 1,000 connections are open, or fewer if the process may open fewer files. A further connection ends another
/// one, of the network with most connections: the oldest without any output, or else the one with the oldest output. A
/// connection without output for 60 seconds ends too, so that a request has 60 seconds to arrive.
///
/// # Errors
/// The errors of the listener and of the start of threads.
pub fn serve(page: Router, listener: TcpListener, stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(THREADS).max_blocking_threads(HASHING).enable_io().enable_time().build()?;
    let (asked, stopped) = oneshot::channel::<()>();
    let (told, ended) = mpsc::channel();
    std::thread::Builder::new().name("stop".to_owned()).spawn({
        let told = told.clone();
        move || {
            stop();
            // The page may have ended by itself.
            let _ = asked.send(());
            std::thread::sleep(GRACE);
            let _ = told.send(Ok(()));
        }
    })?;
    runtime.spawn(async move {
        let served = match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => {
                let page = page.layer(from_fn(with_address));
                let service = page.into_make_service_with_connect_info::<Client>();
                let stopped = async {
                    let _ = stopped.await;
                };
                axum::serve(Connections::new(listener, most(), QUIET), service).with_graceful_shutdown(stopped).await
            }
            Err(error) => Err(error),
        };
        let _ = told.send(served);
    });
    let served = ended.recv().unwrap_or(Ok(()));
    runtime.shutdown_background();
    served
}

/// Gives the address of the client to the page, as axum's own listener does.
async fn with_address(
    ConnectInfo(Client(address)): ConnectInfo<Client>,
    mut request: Request,
    next: Next,
) -> axum::response::Response {
    request.extensions_mut().insert(ConnectInfo(address));
    next.run(request).await
}
