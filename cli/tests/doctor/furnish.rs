//! Data of every feature, created with the commands of the contract.

use crate::Ward;

impl Ward {
    /// Data of every feature. The queue `plain` has the features of the first version, `lanes` has tasks in every
    /// order, `limits` has limits and rates, `names` has unique names and tags, and `groups` has failures.
    pub fn furnish(&mut self) {
        for setting in ["* keep 1000", "lanes ageing 3600", "limits key_concurrency 2", "limits concurrency 100"] {
            self.call(&format!("configure {setting}"));
        }
        self.schedules();
        self.plain();
        self.lanes();
        self.limits();
        self.names();
        self.groups();
        self.graphs();
        for queue in ["plain", "lanes", "limits", "names", "groups", "graphs"] {
            self.call(&format!("promote {queue} 500"));
            self.call(&format!("requeue_orphans {queue} 500"));
            self.call(&format!("aggregate {queue} 500"));
        }
        self.call("submit plain 1 late '' x");
        self.call("pause lanes me tidying stop 1");
    }

    fn plain(&mut self) {
        self.call("register plain host_1");
        for id in ["complete", "failed", "started", "pending", "cancelled"] {
            self.call(&format!("submit plain 1 {id} '' x"));
        }
        self.call("submit plain 1 scheduled 99999999999 x");
        self.call("submit plain 1 afterwards 99999999999 x priority 4");
        self.call("cancel cancelled no");
        let (id, token) = self.run("plain");
        self.call(&format!("append_log {id} {token} me hello"));
        self.call(&format!("complete {id} {token} x"));
        let (id, token) = self.run("plain");
        self.call(&format!("fail {id} {token} x"));
        let (id, token) = self.run("plain");
        self.call(&format!("release {id} {token}"));
        self.run("plain");
    }

    /// Tasks that wait for one upstream or for several, a task ended by its upstream, an incomplete graph, and a graph
    /// with a task that needs a cancelled task.
    fn graphs(&mut self) {
        self.call("register graphs host_1");
        for (id, options) in [
            ("step1", ""),
            ("step2", "inputs success=step1"),
            ("step3", "inputs result/0=step2~after=step1"),
            ("tidy", "inputs failure=step3"),
            ("stopped", ""),
            ("report", "inputs success=stopped"),
            ("dated", "deadline 99999999998 inputs success=step1"),
            ("sums", "inputs value/0=2~result/1=step1~result/2=step2"),
            ("either", "inputs some=step1~some=stopped~some=step2~least/2"),
        ] {
            let parameters = match id {
                "step3" => "''",
                "sums" => "17",
                _ => "x",
            };
            self.call(format!("submit graphs 1 {id} '' {parameters} {options}").trim_end());
        }
        self.call("cancel stopped no");
        self.call("submit_graph film 2 1 cut1 graphs '' x after=step1 ''");
        self.call("submit_graph held 2 2 held1 graphs '' x '' '' held2 graphs '' x success=held1 '' on_failure hold");
        while self.call("run_deferred 10").remove(1) != "0" {}
        self.call("cancel held1 no");
    }

    fn lanes(&mut self) {
        self.call("register lanes host_1 has gpu,memory=64");
        for (id, options) in [
            ("urgent", "priority 5"),
            ("idle", "priority -5"),
            ("able", "needs gpu,memory>=32"),
            ("unable", "needs tape"),
            ("unable2", "needs tape priority 3"),
            ("a1", "key a"),
            ("a2", "key a weight 2 priority 1"),
            ("a3", "key a needs tape"),
            ("b1", "key b needs tape priority -1"),
            ("gone", "key c needs tape"),
            ("moved", "key d"),
            ("heavy", "weight 3"),
        ] {
            self.call(&format!("submit lanes 1 {id} '' x {options}"));
        }
        self.call("submit lanes 1 later 99999999999 x priority 7 key e");
        self.call("cancel gone no");
        self.call("move moved limits");
        self.call("prioritise idle -9");
        self.call("prioritise unable2 0");
        self.call("submit lanes 1 plain1 '' x");
        self.call("prioritise plain1 2");
        let answer = self.call("reserve host_1 2 lanes plain order weighted weights 3,1");
        assert_eq!(answer[0], "urgent");
        let (id, token) = self.run("lanes");
        self.call(&format!("release {id} {token}"));
        self.run("lanes");
        self.run("lanes");
    }

    fn limits(&mut self) {
        self.call("register limits host_1");
        self.call("limit * database 3 -");
        self.call("limit * licence 9 5/3600");
        for (number, queue) in [(1, "limits"), (2, "limits"), (3, "lanes")] {
            self.call(&format!("submit {queue} 1 shared{number} '' x limits database:2,licence"));
        }
        for number in 1..=4 {
            self.call(&format!("submit limits 1 full{number} '' x key full max_failures 2"));
        }
        self.call("limit limits slow - 1/3600");
        for number in 1..=2 {
            self.call(&format!("submit limits 1 slow{number} '' x key slow"));
        }
        self.call("limit limits roomy 5 -");
        self.call("submit limits 1 roomy '' x key roomy weight 4");
        let mut ids = Vec::new();
        while let [id, _, token, ..] = self.call("reserve host_1 1 limits").as_slice() {
            ids.push(id.clone());
            if id == "full1" {
                let (id, token) = (id.clone(), token.clone());
                self.call(&format!("start {id} {token} 1"));
                self.call(&format!("fail {id} {token} x again 0"));
            }
        }
        assert!(ids.contains(&"slow1".to_owned()) && !ids.contains(&"slow2".to_owned()), "{ids:?}");
        self.call("submit limits 1 exclusive1 '' x unique exclusive unique_policy latest");
        self.run("limits");
        self.call("submit limits 1 exclusive2 '' x unique exclusive unique_policy latest");
        self.call("submit limits 1 exclusive3 '' x unique exclusive unique_policy latest");
        // The limit is lowered while its tasks run.
        self.call("limit limits roomy 3 -");
        self.call("submit limits 1 roomy2 '' x key roomy");
    }

    fn names(&mut self) {
        self.call("register names host_1");
        self.call("submit names 1 first '' x unique till_end tags red,blue");
        self.call("submit names 1 second '' x unique till_start unique_until start tags red");
        self.call("submit names 1 third '' x unique timed unique_until 3600");
        self.call("submit names 1 over '' x unique done");
        let held: Vec<_> = (0..4).map(|_| self.run("names")).collect();
        for (id, token) in held {
            match id.as_str() {
                "second" => drop(self.call(&format!("release {id} {token}"))),
                "third" | "over" => drop(self.call(&format!("complete {id} {token} x"))),
                _ => {}
            }
        }
        self.call("delete third");
        self.call("submit names 1 waits '' x unique waits tags green");
        self.call("tag waits 2 red blue");
        self.call("untag first 1 red");
        self.call("submit names 1 stays '' x unique stays");
        self.call("cancel stays no");
        self.call("retry stays");
        self.call("register latest host_1");
        self.call("submit latest 1 drained '' x unique n unique_policy latest");
        let (_, token) = self.run("latest");
        self.call(&format!("checkpoint drained {token} x"));
        self.call(&format!("release drained {token} reason drain"));
        self.call("submit latest 1 newer '' x unique n unique_policy latest");
    }

    fn groups(&mut self) {
        self.call("register groups host_1");
        for id in ["oom", "oom2", "bare", "again", "retried"] {
            self.call(&format!("submit groups 1 {id} '' x max_failures 0"));
        }
        let held: Vec<_> = (0..5).map(|_| self.run("groups")).collect();
        for (id, token) in held {
            let group = if id == "bare" { "" } else { " group oom" };
            self.call(&format!("fail {id} {token} x{group}"));
        }
        self.call("retry retried");
        self.call("submit groups 1 backs '' x max_failures 3 delay 1000");
        let (id, token) = self.run("groups");
        assert_eq!(id, "retried");
        self.call(&format!("complete {id} {token} x"));
        let (id, token) = self.run("groups");
        self.call(&format!("fail {id} {token} x group net"));
        self.call("submit groups 1 words '' x max_failures 0");
        let (id, token) = self.run("groups");
        self.call(&format!("fail {id} {token} x group lost/7/of/9"));
    }

    /// Must come first, because time never runs backwards.
    fn schedules(&mut self) {
        let seconds: Vec<String> = self.ask(&["TIME"]);
        let before = (seconds[0].parse::<u64>().unwrap() - 1_000).to_string();
        for schedule in [
            "ticks plain every~60~5 x 0 tags nightly",
            "ends plain every~60~0 x 0 times 1",
            "rests plain every~60~0 x 0",
            "cron plain cron~Europe/Rome~0~3~*~*~* x 2 9999999999 99999999999",
        ] {
            self.caller.call_at(&before, &format!("schedule {schedule}"));
        }
        self.caller.call_at(&before, "pause_schedule rests me tidying");
        assert_eq!(self.call("tick 100")[0], "2");
        self.call("run_schedule cron by_hand");
        for _ in 0..3 {
            self.call("register plain host_1");
            let (id, token) = self.run("plain");
            self.call(&format!("complete {id} {token} x"));
        }
    }
}
