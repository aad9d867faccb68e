//! The cost of a task of a `submit`, by the number of tasks in one call.

use crate::life::{args, id};
use crate::server::{Args, Result, Server, median, timed};

/// Numbers of tasks in one call.
pub const SIZES: [usize; 4] = [1, 10, 100, 500];

/// Number of tasks of a size that are measured together.
const TOGETHER: usize = 500;

const ROUNDS: usize = 40;

/// Returns the microseconds of server time per task at each size: without and with a request id. With a request id,
/// `submit_many` gets the first answer again after a lost reply.
pub fn prices(server: &Server) -> Result<[Vec<f64>; 2]> {
    let mut connection = server.connect()?;
    let sha = server.scripts.load(&mut connection, "submit")?;
    let mut took = [(); 2].map(|()| vec![Vec::new(); SIZES.len()]);
    for _ in 0..ROUNDS {
        for (row, with_request) in took.iter_mut().zip([false, true]) {
            for (size, column) in SIZES.iter().zip(row) {
                let calls: Vec<Args> = (0..TOGETHER / size).map(|_| call(*size, with_request)).collect();
                let (each, _) = timed(&mut connection, &sha, "blueque", &calls)?;
                column.push(each / f64::from(u32::try_from(*size)?));
            }
        }
    }
    Ok(took.map(|row| row.into_iter().map(median).collect()))
}

fn call(tasks: usize, with_request: bool) -> Args {
    let mut call = args(&["", "q", &tasks.to_string()]);
    for _ in 0..tasks {
        call.extend([id(), String::new(), "{}".to_owned()]);
    }
    if with_request {
        call.extend(["request".to_owned(), id()]);
    }
    call
}
