//! Serves the page for the server in `BLUEQUE_URL`: `cargo run -p blueque-web --example serve`.

use std::env;

use blueque_web::{Place, Web};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = env::var("BLUEQUE_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let listen = env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:7733".to_owned());
    let web = Web::builder().place(Place::new("default", &url)?).base_path(env::var("BASE_PATH").unwrap_or_default());
    let web = match env::var("TITLE") {
        Ok(title) => web.title(title).colour("red"),
        Err(_) => web,
    };
    let router = web.read_only(env::var("READ_ONLY").is_ok()).build()?;
    let listener = tokio::net::TcpListener::bind(&listen).await?;
    println!("http://{listen}/");
    Ok(axum::serve(listener, router).await?)
}
