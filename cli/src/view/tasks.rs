//! A list of tasks, in each format.

use blueque::{Status, TaskId};

use super::task::TaskView;
use crate::output::screen::screen;
use crate::output::{Format, line, many, one_line, say};
use crate::session::Session;
use crate::states::shown;

/// Tasks as they are printed, in this order.
pub enum TaskList {
    Ids(Vec<String>),
    Tasks(Vec<TaskView>),
}

impl TaskList {
    /// Reads the data that the output format needs.
    pub fn of(session: &Session, ids: Vec<String>) -> anyhow::Result<Self> {
        // With several partitions, the records are also needed, because they determine the order.
        let only_ids = session.format == Format::Id && !session.is_one_of_many();
        if only_ids { Ok(Self::Ids(ids)) } else { Self::records(session, &ids) }
    }

    /// Reads the records of the tasks.
    pub fn records(session: &Session, ids: &[String]) -> anyhow::Result<Self> {
        Ok(Self::Tasks(tasks(session, ids)?))
    }

    /// Reports on a terminal how many tasks are listed, by their states. `more`: true if there are more tasks.
    pub fn say_totals(&self, session: &Session, more: bool) {
        let Self::Tasks(tasks) = self else { return };
        let for_people = session.format == Format::Table && screen().is_some();
        if !for_people || more || tasks.len() == 1 || session.is_one_of_many() {
            return;
        }
        if tasks.is_empty() {
            say("no tasks");
            return;
        }
        let number = |state: &Status| tasks.iter().filter(|task| task.status == state.as_str()).count();
        let states = shown().into_iter().map(|state| (number(&state), state)).filter(|(number, _)| *number > 0);
        let states: Vec<String> = states.map(|(number, state)| format!("{number} {}", state.as_str())).collect();
        say(format!("{}: {}", many(tasks.len(), "task"), states.join(", ")));
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Ids(ids) => ids.is_empty(),
            Self::Tasks(tasks) => tasks.is_empty(),
        }
    }

    /// Writes the list. `rank`: the sort key of a task among the tasks of other partitions, smallest first.
    pub fn write(&self, session: &Session, rank: impl Fn(&TaskView) -> String) -> anyhow::Result<()> {
        match self {
            Self::Ids(ids) => Ok(ids.iter().try_for_each(|id| line(one_line(&session.global(id))))?),
            Self::Tasks(tasks) => session.write_ranked(tasks, rank),
        }
    }

    /// Writes the list. A table on a terminal is cut to the height of the terminal. Returns the number of tasks left
    /// out.
    pub fn write_screen(&self, session: &Session) -> anyhow::Result<usize> {
        if let (Self::Tasks(tasks), Format::Table, Some((_, height))) = (self, session.format, screen())
            // Three lines are reserved: the headings, the line below them, and the line of the cursor.
            && let Some((shown, hidden)) = tasks.split_at_checked(height.saturating_sub(3).max(1))
        {
            session.write(shown)?;
            return Ok(hidden.len());
        }
        self.write(session, |_| String::new()).map(|()| 0)
    }
}

/// Reads the records of the tasks. A task that was deleted since the list was read is left out.
fn tasks(session: &Session, ids: &[String]) -> anyhow::Result<Vec<TaskView>> {
    // Clients without scripts may have created ids of any form.
    let ids: Vec<TaskId> = ids.iter().filter_map(|id| TaskId::new(id.as_str()).ok()).collect();
    let infos = session.client.infos(&ids)?;
    let found = ids.iter().zip(infos).filter_map(|(id, info)| Some(TaskView::brief(id.as_str(), &info?)));
    Ok(found.collect())
}
