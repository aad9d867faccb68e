//! At most one task with a name: `cargo run --example unique -- URL`.

use blueque::{Client, Code, Policy, Submit};

fn main() -> blueque::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "redis://127.0.0.1/".to_owned());
    let queue = Client::open(&url)?.queue("reports")?;
    let sales = |policy| Submit::default().unique("sales").unique_policy(policy);

    let first = queue.submit("monday", sales(Policy::Reject))?;
    match queue.submit("tuesday", sales(Policy::Reject)) {
        Err(error) if error.code() == Some(Code::Duplicate) => println!("reject: {error}"),
        other => println!("{other:?}"),
    }
    let same = queue.submit("wednesday", sales(Policy::Existing))?;
    println!("existing: {}", if same.id() == first.id() { "the first task" } else { "another task" });
    let second = queue.submit("thursday", sales(Policy::Replace))?;
    println!("replace: the first task is {}", first.info()?.status().map_or("unknown", blueque::Status::as_str));
    second.cancel("only an example")?;
    Ok(())
}
