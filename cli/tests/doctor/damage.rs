//! Each manual damage is found, and the finding names the remedy.

use crate::Ward;

/// A server that is restored from a copy of its keys.
struct Copy {
    ward: Ward,
    keys: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Copy {
    fn new() -> Self {
        let mut ward = Ward::new();
        ward.furnish();
        let names: Vec<Vec<u8>> = ward.ask(&["KEYS", "*"]);
        let keys = names.into_iter().map(|key| {
            let dump: Vec<u8> = redis::cmd("DUMP").arg(&key).query(&mut ward.caller.0).unwrap();
            (key, dump)
        });
        let keys = keys.collect();
        Self { ward, keys }
    }

    /// Runs some commands and returns the findings. `TOKEN` and `RANK` of a task are replaced by its values.
    fn findings(&mut self, damage: &[&str]) -> Vec<String> {
        self.ward.plant(&["FLUSHALL"]);
        let mut all = redis::pipe();
        for (key, dump) in &self.keys {
            all.cmd("RESTORE").arg(key).arg(0).arg(dump);
        }
        all.exec(&mut self.ward.caller.0).unwrap();
        // Restored keys do not expire.
        for key in self.ward.ask::<Vec<String>>(&["KEYS", "blueque_r[ao][tu]*"]) {
            if key.contains("_rate_") || key.contains("_rounds_") {
                self.ward.plant(&["EXPIRE", &key, "1000"]);
            }
        }
        for line in damage {
            let words: Vec<String> = line.split(' ').map(|word| self.word(word)).collect();
            self.ward.plant(&words.iter().map(String::as_str).collect::<Vec<_>>());
        }
        self.look()
    }

    fn look(&self) -> Vec<String> {
        let (out, code) = self.ward.doctor(&[]);
        let findings: Vec<String> =
            out.lines().filter(|line| line.starts_with("FINDING")).map(ToOwned::to_owned).collect();
        assert_eq!(code, i32::from(!findings.is_empty()), "{out}");
        findings
    }

    /// The findings that a worker should repair within minutes, and that are still there after a worker has run.
    fn left_by_a_worker(&mut self, findings: &[String]) -> Vec<String> {
        let by_a_worker = |line: &String| line.contains("within minutes");
        if !findings.iter().any(by_a_worker) {
            return Vec::new();
        }
        for queue in ["plain", "lanes", "limits", "names", "groups", "graphs"].repeat(2) {
            let mut cursor = "''".to_owned();
            while !cursor.is_empty() {
                cursor = self.ward.call(&format!("repair {queue} {cursor} 500 grace 0")).remove(0);
            }
        }
        while self.ward.call("run_deferred 100").remove(1) != "0" {}
        self.look().into_iter().filter(by_a_worker).collect()
    }

    /// `<ID.FIELD>` is a field of a task's record; `~` is a space, `DAY` a day with statistics.
    fn word(&mut self, word: &str) -> String {
        if word.contains("DAY") {
            let days: Vec<String> = self.ward.ask(&["ZRANGE", "blueque_days_plain", "0", "0"]);
            return word.replace("DAY", &days[0]);
        }
        let Some((before, rest)) = word.split_once('<') else { return word.replace('~', " ") };
        let (field, after) = rest.split_once('>').unwrap();
        let (id, field) = field.split_once('.').unwrap();
        let value: String = self.ward.ask(&["HGET", &format!("blueque_task_{id}"), field]);
        format!("{before}{value}{after}").replace('~', " ")
    }
}

/// Each damage has at most three findings, one of them with this text.
fn found(damages: &[(&[&str], &str)]) {
    let mut copy = Copy::new();
    assert_eq!(copy.findings(&[]), Vec::<String>::new());
    let mut missed = Vec::new();
    for (damage, expected) in damages {
        let findings = copy.findings(damage);
        let told = findings.iter().any(|line| line.contains(expected) && line.contains(": "));
        if !told || findings.len() > 3 {
            missed.push(format!("{damage:?} should say {expected:?}:\n  {}", findings.join("\n  ")));
        }
        let left = copy.left_by_a_worker(&findings);
        if !left.is_empty() {
            missed.push(format!("{damage:?}: no worker sets this right:\n  {}", left.join("\n  ")));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn of_tasks_of_the_first_version() {
    found(&[
        (&["ZREM blueque_leases_plain started~<started.token>"], "started is started, but is not in leases of plain"),
        (
            &["ZREM blueque_scheduled_tasks_plain scheduled"],
            "scheduled is scheduled, but is not in scheduled_tasks of plain",
        ),
        (&["ZREM blueque_tasks_plain started"], "started is started, but is not in tasks of plain"),
        (&["ZREM blueque_tasks_plain pending"], "pending is pending, but is not in tasks of plain"),
        (&["ZADD blueque_tasks_plain 1 idle"], "idle is pending, but is in tasks of plain"),
        (
            &["LREM blueque_reserved_tasks_plain_host_1 0 started"],
            "started is started, but is not in the list of host_1",
        ),
        (&["RPUSH blueque_reserved_tasks_plain_host_1 started"], "started is twice in the list of host_1"),
        (&["RPUSH blueque_reserved_tasks_plain_host_1 pending"], "pending is pending, but is in the list of host_1"),
        (&["SREM blueque_started_tasks_plain host_1~1~started"], "started is started, but is not in started_tasks"),
        (&["SADD blueque_started_tasks_plain host_1~7~pending"], "pending is pending, but is in started_tasks"),
        (&["LPUSH blueque_pending_tasks_plain pending"], "pending is twice in pending_tasks of plain"),
        (&["LPUSH blueque_complete_tasks_plain pending"], "pending is pending, but is in complete_tasks of plain"),
        (
            &["LREM blueque_pending_tasks_plain 0 pending"],
            "is not in pending_tasks of plain: blueque cancel pending, then blueque retry pending",
        ),
        (
            &["LREM blueque_complete_tasks_plain 0 complete"],
            "is not in complete_tasks of plain: LPUSH blueque_complete_tasks_plain complete",
        ),
        (&["ZADD blueque_leases_plain 9999999999999999 pending~7"], "a worker drops it when it has run out"),
    ]);
}

#[test]
fn of_tasks_that_wait_for_others() {
    found(&[
        (&["DEL blueque_upstreams_step2"], "step2 is waiting, but for nothing"),
        (&["HSET blueque_upstreams_step2 complete success"], "step2 waits for complete, which is complete"),
        (&["HSET blueque_upstreams_step3 nobody after"], "step3 waits for nobody, which was deleted"),
        (&["ZADD blueque_dependents_held1 7 held2"], "held2 waits for held1, which is cancelled"),
        (&["ZREM blueque_waiting_tasks_graphs step2"], "step2 is waiting, but is not in waiting_tasks of graphs"),
        (&["ZREM blueque_deadlines dated"], "dated is waiting, but is not in the deadlines (at 99999999998.000000)"),
        (&["ZADD blueque_deadlines 99999999997 dated"], "but is in the deadlines (at 99999999997.000000) of graphs"),
        (&["ZADD blueque_deadlines 99999999998 complete"], "complete is complete, but is in the deadlines"),
        (&["ZADD blueque_deadlines 99999999998 nobody"], "nobody is in the deadlines, but has no record"),
        (&["ZADD blueque_waiting_tasks_graphs 7 pending"], "pending is pending, but is in waiting_tasks of graphs"),
        (&["ZREM blueque_dependents_step1 step2"], "step2 waits for step1, which does not list it as a dependent"),
        (&["HSET blueque_task_step3 flags wt"], "tidy waits for step3, which does not list it as a dependent"),
        (
            &["HSET blueque_inputs_either some 4"],
            "either waits for some of 3 and 0 tasks, of which 1 ended otherwise; counted are 4, 0 and 1",
        ),
        (
            &["HSET blueque_upstreams_either stopped some"],
            "either waits for some of 3 and 0 tasks, of which 0 ended otherwise; counted are 3, 0 and 1",
        ),
        (&["HSET blueque_inputs_either least 0"], "either is waiting, but enough of its set are complete"),
        (&["HSET blueque_inputs_either least 9"], "either waits for 9 of its set, but 3 are left"),
        (&["DEL blueque_inputs_either"], "either waits for some tasks of a set, but their number is missing"),
    ]);
}

#[test]
fn of_graphs_as_a_whole() {
    found(&[
        (
            &["HSET blueque_graph_held left 3"],
            "graph held counts 3 left, 0 complete, 0 failed, 1 cancelled, and of its tasks there are 2 left, 0 complete",
        ),
        (
            &["HSET blueque_graph_held cancelled many"],
            "held counts what is no number, and of its tasks there are 2 left",
        ),
        (
            &["HSET blueque_graph_held complete 1"],
            "1 complete, 0 failed, 1 cancelled, and of its tasks there are 2 left, 0 complete",
        ),
        (
            &["HSET blueque_graph_held left 1"],
            "1 cancelled: HSET blueque_graph_held left 2 complete 0 failed 0 cancelled 1",
        ),
        (&["ZREM blueque_graphs held"], "graph held is not in blueque_graphs: ZADD blueque_graphs"),
        (
            &["ZADD blueque_graphs 1 nobody"],
            "nobody is in blueque_graphs, but has no record: ZREM blueque_graphs nobody",
        ),
        (
            &["RENAME blueque_members_held blueque_members_ghost"],
            "blueque_members_ghost exists, but its graph does not",
        ),
        (
            &["ZADD blueque_chosen_ghost 1 x"],
            "blueque_chosen_ghost exists, but its graph does not: DEL blueque_chosen_",
        ),
        (&["ZADD blueque_deferred 1 complete"], "a step of task complete is overdue by"),
        (
            &["ZADD blueque_graphs_due 1 film 2 held"],
            "(blueque_graphs_due), and one of another: nobody does the maintenance: blueque admin maintenance --once",
        ),
    ]);
}

#[test]
fn what_is_left_to_do_is_no_finding_before_it_is_late_nor_once_it_is_done() {
    let mut ward = Ward::new();
    ward.furnish();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    ward.plant(&["ZADD", "blueque_deferred", &(now - 300).to_string(), "complete"]);
    assert_eq!(ward.doctor(&[]).1, 0);
    ward.plant(&["ZADD", "blueque_deferred", &(now - 3_600).to_string(), "complete"]);
    let (out, code) = ward.doctor(&[]);
    assert!(code == 1 && out.contains("a step of task complete is overdue by 1h"), "{out}");
    while ward.call("run_deferred 100").remove(1) != "0" {}
    assert_eq!(ward.doctor(&[]).1, 0);
}

#[test]
fn of_results_that_tasks_wait_for() {
    found(&[
        (&["DEL blueque_inputs_sums"], "sums waits for results, but blueque_inputs_sums is not there"),
        (&["HDEL blueque_inputs_sums 0"], "sums has or awaits 2 of the 3 elements of its input"),
        (&["HSET blueque_inputs_sums 0 1717"], "the input of sums has 4 bytes, and not 2 as stored"),
        (&["HSET blueque_inputs_idle slots 1 bytes 0"], "idle is pending, but blueque_inputs_idle exists"),
        (&["HSET blueque_upstreams_idle pending success"], "idle is pending, but blueque_upstreams_idle exists"),
        (&["SET blueque_joined_idle ["], "idle is pending, but blueque_joined_idle exists"),
        (
            &[
                "HSET blueque_upstreams_step3 complete result/1",
                "HDEL blueque_task_complete result",
                "ZADD blueque_deferred 1 complete",
                "HSET blueque_inputs_step3 slots 2",
            ],
            "step3 waits for the result of complete, which has no result",
        ),
    ]);
}

#[test]
fn of_tasks_in_the_lanes() {
    found(&[
        (
            &["ZREM blueque_pending_ranked_tasks_lanes <idle.rank>~idle"],
            "idle is pending, but is not in pending_ranked_tasks (priority -9) of lanes",
        ),
        (&["ZREM blueque_ranked_tasks_lanes <idle.rank>~idle"], "idle is pending, but is not in ranked_tasks"),
        (
            &["ZADD blueque_pending_ranked_tasks_lanes 3 <idle.rank>~idle"],
            "idle is pending, but is in pending_ranked_tasks (priority -3)",
        ),
        (&["ZADD blueque_ranked_tasks_lanes 0 17~pending"], "is in ranked_tasks (priority 0) of lanes"),
        (
            &["ZADD blueque_pending_ranked_tasks_lanes 0 17~complete"],
            "is in pending_ranked_tasks (priority 0) of lanes",
        ),
        (&["LPUSH blueque_pending_tasks_lanes idle"], "idle is pending, but is in pending_tasks of lanes"),
        (
            &["ZREM blueque_scheduled_ranked_tasks_plain afterwards"],
            "afterwards is scheduled, but is not in scheduled_ranked_tasks of plain",
        ),
        (
            &["ZADD blueque_scheduled_tasks_plain 99999999999 afterwards"],
            "afterwards is scheduled, but is in scheduled_tasks of plain",
        ),
        (&["LPUSH blueque_pending_tasks_lanes nobody"], "nobody is in pending_tasks of lanes, but has no record"),
        (&["HDEL blueque_task_idle rank"], "its record has no rank: HSET blueque_task_idle rank"),
        (
            &["HDEL blueque_task_idle rank flags", "LPUSH blueque_pending_tasks_lanes idle"],
            "idle is pending, but is in pending_ranked_tasks",
        ),
        (&["DEL blueque_task_unable2"], "unable2 is in pending_ranked_tasks (priority 0) of lanes, but has no record"),
        (&["ZREM blueque_key_tasks_limits/full <full4.rank>~full4~1"], "full4 is pending, but is not in key_tasks"),
        (
            &["ZADD blueque_key_tasks_limits/full 9 7~ghost~1"],
            "ghost is in key_tasks (priority -9) of limits, but has no record",
        ),
    ]);
}

#[test]
fn of_needs_and_turns() {
    found(&[
        (&["HSET blueque_needs_lanes tape 2~7"], "blueque_needs_lanes counts 2 7 of tape, and 4 wait"),
        (&["HSET blueque_needs_lanes disk 9~1"], "blueque_needs_lanes counts 9 1 of disk, and 0 wait"),
        (&["HSET blueque_needs_lanes disk many"], "says many of disk"),
        (&["HDEL blueque_turns_lanes b/2"], "key b (needs 2) of lanes has tasks and free places, and no turn"),
        (&["HSET blueque_turns_lanes zzz/ 0~17"], "key zzz of lanes has a turn, and no task waits"),
        (&["HSET blueque_turns_lanes b/2 1~17"], "has a turn that does not match its first task"),
        (&["ZREM blueque_ranked_tasks_lanes/2 <b1.rank>~/b"], "key b has its turn, and does not stand in"),
        (&["ZADD blueque_ranked_tasks_lanes 0 17~/b"], "b: its position in blueque_ranked_tasks_lanes does not match"),
        (&["HSET blueque_turns_lanes zzz 0000000000000017"], "contains key zzz, but none of its tasks waits or runs"),
    ]);
}

#[test]
fn of_places_and_limits() {
    found(&[
        (&["HSET blueque_places_limits a:ghost~7 1~"], "ghost is in the places (1) of limits, but has no record"),
        (&["HSET blueque_places_limits a:slow2~7 1~"], "slow2 is pending, but is in the places (1) of limits"),
        (&["HDEL blueque_places_limits a:slow1~<slow1.token>"], "slow1 is reserved, but is not in the places (1 slow)"),
        (
            &["HSET blueque_places_limits a:slow1~<slow1.token> 2~slow"],
            "slow1 is reserved, but is in the places (2 slow)",
        ),
        (&["HSET blueque_places_limits a:slow1~<slow1.token> none"], "says none of the attempt slow1"),
        (&["HSET blueque_places_limits k:slow 3"], "says k:slow is 3, and the running attempts take 1"),
        (&["HSET blueque_places_limits k:other 1"], "says k:other is 1, and the running attempts take 0"),
        (&["HDEL blueque_places_limits k:slow"], "does not say k:slow, and the running attempts take 1"),
        (&["HSET blueque_places_limits extra 17"], "says extra is 17, and the running attempts take 3"),
        (&["HSET blueque_limits_limits slow many"], "says many of slow, and must say PLACES"),
        (&["HSET blueque_shared_places database 3"], "says 3 of database, and the running attempts have 2 places"),
        (&["HDEL blueque_shared_places licence"], "says nothing of licence, and the running attempts have 1 places"),
        (&["HSET blueque_shared_limits database many"], "says many of database, and must say PLACES"),
        (&["HDEL blueque_shared_limits database"], "limits: there is no shared limit database"),
        (&["HSET blueque_shared_limits database 1~-"], "the shared limit database has 1 places, and these take 2 each"),
        (&["HSET blueque_shared_tasks database 0"], "says 0 of database, and must say how many tasks"),
        (&["HSET blueque_shared_expires nothing 60"], "says when nothing expires, and there is no such shared limit"),
        (&["HSET blueque_shared_expires spare 60", "HSET blueque_shared_limits spare 1~-"], "spare is to expire"),
        (&["PERSIST blueque_rate_limits/slow"], "blueque_rate_limits/slow does not expire"),
        (&["PERSIST blueque_rounds_host_1"], "blueque_rounds_host_1 does not expire"),
        (&["HSET blueque_has_limits ghost_1 gpu"], "ghost_1 has capabilities in limits, but is not registered"),
    ]);
}

#[test]
fn of_names_tags_and_groups() {
    found(&[
        (&["HSET blueque_unique_names done over~end"], "over is complete, but is in the unique names as done (end)"),
        (
            &["HSET blueque_unique_names odd ghost~end"],
            "ghost is in the unique names as odd (end) of names, but has no record",
        ),
        (&["HDEL blueque_unique_names waits"], "waits is pending, but is not in the unique names as waits (end)"),
        (&["HSET blueque_task_stays unique waits"], "stays is pending, but is not in the unique names as waits (end)"),
        (
            &["HSET blueque_unique_names till_start first~start"],
            "first is started, but is in the unique names as till_start",
        ),
        (&["ZREM blueque_timed_names timed"], "holds the unique name timed for a time"),
        (&["HSET blueque_unique_names odd nothing"], "says nothing of odd, and must say ID"),
        (
            &["ZREM blueque_tag_names/green waits", "ZREM blueque_tags_names green"],
            "waits is pending, but is not in the tag green",
        ),
        (
            &["ZADD blueque_tag_names/green 1 stays", "ZADD blueque_tags_names 2 green"],
            "stays is pending, but is in the tag green",
        ),
        (&["ZADD blueque_tags_names 5 green"], "names counts 5 tasks of the tag green, and has 1"),
        (&["ZADD blueque_tags_names 5 grey"], "names counts 5 tasks of the tag grey, and has 0"),
        (
            &["ZREM blueque_group_groups/oom oom", "ZADD blueque_groups_groups 2 oom"],
            "oom is failed, but is not in the failure group oom",
        ),
        (
            &["ZREM blueque_group_groups/ bare", "ZREM blueque_groups_groups "],
            "bare is failed, but is not in the failures without a group",
        ),
        (
            &["ZADD blueque_group_groups/oom 1 retried", "ZADD blueque_groups_groups 4 oom"],
            "retried is complete, but is in the failure group oom",
        ),
        (&["ZADD blueque_groups_groups 5 oom"], "groups counts 5 tasks of the group oom, and has 3"),
        (&["ZADD blueque_groups_groups 5 lost/#/of/#"], "groups counts 5 tasks of the group lost/#/of/#, and has 1"),
    ]);
}

#[test]
fn of_schedules() {
    found(&[
        (&["ZREM blueque_schedules ticks"], "schedule ticks is not in blueque_schedules"),
        (&["ZADD blueque_schedules 17 ticks"], "schedule ticks is in blueque_schedules at 17"),
        (&["ZADD blueque_schedules 17 nobody"], "schedule nobody is in an index, but does not exist"),
        (&["DEL blueque_schedule_ticks"], "schedule ticks is in an index, but does not exist"),
        (&["ZREM blueque_low_schedules cron"], "schedule cron needs slots"),
        (&["ZADD blueque_low_schedules 1 ticks"], "schedule ticks is in blueque_low_schedules, but needs"),
        (&["HDEL blueque_schedule_ticks next", "ZADD blueque_schedules +inf ticks"], "schedule ticks has no next slot"),
        (
            &["HSET blueque_schedule_ticks next 9999999999", "ZADD blueque_schedules 9999999999 ticks"],
            "does not fit its recurrence",
        ),
        (&["HSET blueque_schedule_ticks next 5", "ZADD blueque_schedules 5 ticks"], "dealt with already"),
        (&["HSET blueque_schedule_ticks paused 1"], "schedule ticks has a next slot, but is paused"),
        (&["HDEL blueque_schedule_ticks queue"], "schedule ticks has no queue"),
    ]);
}

#[test]
fn of_streams_statistics_and_settings() {
    found(&[
        (&["DEL blueque_statistics_plain/DAY"], "plain has no statistics of 2"),
        (&["ZREM blueque_days_plain DAY"], "is not in blueque_days_plain"),
        (&["ZADD blueque_days_plain 1 19700102"], "plain has no statistics of 19700102"),
        (
            &["COPY blueque_history_backs blueque_history_nobody"],
            "blueque_history_nobody exists, but its task does not",
        ),
        (
            &["EVAL for~i=1,65~do~redis.call('XADD',KEYS[1],'*','text','')~end 1 blueque_log_failed"],
            "blueque_log_failed keeps 65 entries and has no sizes in blueque_logged_failed",
        ),
        (&["HSET blueque_meta logs 5"], "blueque_meta says that all logs have 5 bytes, and they have 105"),
        (&["ZREM blueque_logs complete"], "blueque_log_complete is not in blueque_logs"),
        (&["ZADD blueque_logs 1 nobody"], "blueque_logs names nobody, which has no blueque_logged_nobody"),
        (
            &["EVAL for~i=1,99~do~redis.call('XADD',KEYS[1],'*','text','')~end 1 blueque_log_complete"],
            "blueque_log_complete keeps 100 entries, more than the 105 bytes according to blueque_logged_complete",
        ),
        (&["HSET blueque_meta settings keep=x"], "settings has keep=x, which is no setting"),
        (&["HSET blueque_meta settings:plain odd=1"], "settings:plain has odd=1, which is no setting"),
        (&["HSET blueque_meta settings:plain rate=0/5"], "settings:plain has rate=0/5"),
        (&["HSET blueque_meta settings max_losses=1.5"], "settings has max_losses=1.5, which is no setting"),
        (&["HSET blueque_meta settings:plain audit=500"], "settings:plain has audit=500, which is no setting"),
        (&["HSET blueque_meta odd 1"], "the field odd, which is unknown"),
        (&["SET blueque_tag_plain x"], "blueque_tag_plain is unknown"),
        (&["SET blueque_places_plain x"], "blueque_places_plain is a string and must be a hash"),
    ]);
}

#[test]
fn needs_that_nobody_has_are_named_and_at_their_bound_a_finding() {
    let mut ward = Ward::new();
    ward.call("register q host_1 has gpu=2,disk");
    for needs in ["gpu>=2,disk", "gpu<2", "tape", "tape priority 1"] {
        let id = needs.replace([' ', ',', '<', '>', '='], "-");
        ward.call(&format!("submit q 1 {id} '' x needs {needs}"));
    }
    let (out, code) = ward.doctor(&[]);
    assert!(out.contains("q: no worker has what these need (tasks): gpu<2 (1); tape (2)"), "{out}");
    assert_eq!(code, 1, "{out}");
    ward.call("pause q me moving");
    assert_eq!(ward.doctor(&[]).1, 0, "a note while the queue is paused");
    ward.call("resume q");
    for number in 0..61 {
        ward.call(&format!("submit q 1 n{number} '' x needs n{number}"));
    }
    let (out, code) = ward.doctor(&[]);
    assert!(out.contains("with 64 different needs, new ones are refused"), "{out}");
    assert_eq!(code, 1, "{out}");
}
