//! Tests of the composer on libraries of a few lines.

use std::collections::BTreeMap;
use std::path::Path;

use super::compose::Command;
use super::contract::{Contract, Sources};
use super::pieces::Library;
use super::rights::redis_commands;
use super::source::{Token, bare, rewrite, tokens};
use super::{folder, joined, tree};

/// The contract of the project with an additional command, or with another header for an existing command.
pub(super) fn with_command(name: &str, header: &str) -> Result<Contract, String> {
    let mut files = folder(Path::new("contract"), "toml").unwrap();
    let commands = tree(Path::new("lua/cmd")).unwrap().into_iter();
    let mut commands: BTreeMap<_, _> = commands.map(|(name, text)| (name, joined(&text))).collect();
    if commands.insert(name.to_owned(), header.to_owned()).is_none() {
        *files.get_mut("touches").unwrap() += &format!("{name} = \"\"\n");
    }
    Contract::read(&Sources { files, commands })
}

/// A piece that the end of every script uses.
const REPLY: &str = "local reply = {}\n\nfunction reply.refusal(raised)\n  return raised\nend\n";

fn library(files: &[(&str, &str)]) -> Result<Library, String> {
    let with_name = |(name, text): &(&str, &str)| ((*name).to_owned(), format!("local {name} = {{}}\n\n{text}\n"));
    let mut files: BTreeMap<String, String> = files.iter().map(with_name).collect();
    files.entry("reply".into()).or_insert(REPLY.into());
    Library::read(&files, "contract")?.with("contract", "contract.MOST = 5\n")
}

fn compose(files: &[(&str, &str)], command: &str) -> Result<String, String> {
    Command::read(library(files)?, command)?.compose(&BTreeMap::new())
}

fn composed(files: &[(&str, &str)], command: &str) -> String {
    compose(files, command).unwrap()
}

fn refused(files: &[(&str, &str)], command: &str) -> String {
    compose(files, command).unwrap_err()
}

/// Asserts that a script contains these parts in order.
fn in_order(script: &str, parts: &[&str]) {
    let mut rest = script;
    for part in parts {
        let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("no {part:?}, or not there, in\n{script}"));
        rest = after;
    }
}

const TASKS: (&str, &str) = (
    "tasks",
    "-- Used at every call.
-- @hot
function tasks.find(id)
  return id or tasks.none()
end

-- @hot
function tasks.other()
  return tasks.find()
end

-- Only to refuse.
function tasks.none()
  return tasks.deep() -- why
end

function tasks.deep()
  return 'none'
end

function tasks.unused()
  return 'unused'
end",
);

#[test]
fn a_script_is_its_header_hot_pieces_cold_ones_and_the_command() {
    let script = composed(&[TASKS], "--- Finds.\n-- @args id\n\n-- The task.\nreturn tasks.find(ARGV[1]) -- or none\n");
    let expected = "--- Finds.
-- @args id

local cold

local function tasks_find(id)
  return id or cold(2)()
end

function cold(number)
if number < 2 then
-- 1 reply.refusal
return function(raised)
  return raised
end
else
if number < 3 then
-- 2 tasks.none
return function()
  return cold(3)()
end
else
-- 3 tasks.deep
return function()
  return 'none'
end
end
end
end

local function command()
  return tasks_find(ARGV[1])
end

local ok, answer = pcall(command)
if ok then
  return answer
end
return cold(1)(answer)
";
    assert_eq!(script, expected);
}

#[test]
fn what_only_cold_pieces_use_is_cold_whatever_its_mark() {
    let script = composed(&[TASKS], "return tasks.other()\n");
    in_order(&script, &["local function tasks_find", "local function tasks_other", "cold(number)", "-- 2 tasks.none"]);
    let cold = ("cold", "function cold.first()\n  return tasks.find()\nend");
    let script = composed(&[TASKS, cold], "return cold.first()\n");
    assert!(script.contains("-- 3 tasks.find\n") && !script.contains("local function tasks_find"), "{script}");
}

#[test]
fn a_mark_that_is_none_is_refused() {
    let marked = ("tasks", "-- @cold\nfunction tasks.find()\n  return 1\nend");
    assert_eq!(
        refused(&[marked], "return tasks.find()\n"),
        "lua/lib/**/tasks.lua: tasks.find is marked @cold, but the only marks are @hot and @inline"
    );
    let value = ("tasks", "-- @hot\ntasks.count = 1");
    assert_eq!(
        refused(&[value], "return tasks.count\n"),
        "lua/lib/**/tasks.lua: tasks.count is marked, but only functions can be"
    );
}

#[test]
fn pieces_come_after_what_they_need_wherever_they_stand() {
    let early = (
        "early",
        "-- @hot
function early.one()
  return early.two() + late.count
end

-- @hot
function early.two()
  return late.three()
end",
    );
    let late = (
        "late",
        "late.count = late.three()\n\n-- Not marked, but a value needs it.\nfunction late.three()\n  return 3\nend",
    );
    let script = composed(&[early, late], "return early.one()\n");
    in_order(
        &script,
        &[
            "local function late_three",
            "local function early_two",
            "local late_count = late_three()",
            "local function early_one",
        ],
    );
}

#[test]
fn functions_that_need_one_another_are_declared_ahead() {
    let both = "-- @hot
function tasks.even(n)
  return n == 0 or tasks.odd(n - 1)
end

-- @hot
function tasks.odd(n)
  return n > 0 and tasks.even(n - 1)
end";
    let script = composed(&[("tasks", both)], "return tasks.even(4)\n");
    in_order(&script, &["local tasks_even\n", "\nlocal function tasks_odd", "\nfunction tasks_even(n)"]);
}

#[test]
fn a_circle_among_values_is_named() {
    let circle =
        "tasks.first = tasks.make()\n\nfunction tasks.make()\n  return tasks.second\nend\n\ntasks.second = tasks.first";
    assert_eq!(
        refused(&[("tasks", circle)], "return 1\n"),
        "a value must be defined before its users, but this one needs itself: \
         tasks.first -> tasks.make -> tasks.second -> tasks.first"
    );
}

#[test]
fn a_constant_stands_where_it_is_used() {
    let files =
        [("tasks", "tasks.MOST = 5\n\ntasks.AGE = 3 * 60\n\ntasks.LIST = { 'a', 'b' }\n\ntasks.TWICE = tasks.MOST")];
    let script = composed(&files, "return x / tasks.AGE + v[tasks.MOST] + tasks.TWICE + #tasks.LIST\n");
    in_order(&script, &["  return x / (3 * 60) + v[5] + 5 + #{ 'a', 'b' }\n"]);
}

#[test]
fn a_constant_of_several_lines_is_one_text() {
    let files = [("tasks", "tasks.NAMES = ' a b'\n  .. ' c d'\n  .. ' '\n\ntasks.MOST = 1")];
    let script = composed(&files, "return find(tasks.NAMES, tasks.MOST)\n");
    in_order(&script, &["  return find(' a b c d ', 1)\n"]);
}

#[test]
fn constants_name_constants_alone() {
    let files = [("tasks", "tasks.now = 1\n\ntasks.LATER = tasks.now + 1")];
    assert_eq!(
        refused(&files, "return tasks.LATER\n"),
        "the constant tasks.LATER may only name other constants, not tasks.now"
    );
}

const PROBE: (&str, &str) = (
    "space",
    "-- Reads a key.
-- @inline
function space.probe(command, key)
  if space.touched then
    space.touch(key)
  end
  return redis.call(command, key)
end

space.touched = false

function space.touch(key)
  space.touched[key] = true
end

-- @inline
function space.both(key)
  space.probe('LLEN', key)
  space.probe('ZCARD', key .. '_')
end",
);

#[test]
fn what_is_called_as_a_statement_is_inlined() {
    let script =
        composed(&[PROBE], "local key = 'a'\nif key then\n  space.probe('HLEN', 'x(' .. key)\nend\nreturn key\n");
    let expected = "  if key then
    do
      local command, key = 'HLEN', 'x(' .. key
      if space_touched then
        cold(2)(key)
      end
      redis.call(command, key)
    end
  end
  return key
";
    in_order(&script, &[expected]);
    assert!(!script.contains("space.probe"), "{script}");
}

#[test]
fn what_is_called_in_an_expression_stays_a_call() {
    let script = composed(&[PROBE], "local n =\n  space.probe('HLEN', 'x')\nreturn n + space.probe('LLEN', 'y')\n");
    in_order(&script, &["  local n =\n    cold(2)('HLEN', 'x')\n  return n + cold(2)('LLEN', 'y')\n"]);
}

#[test]
fn what_is_inlined_may_inline_others() {
    let script = composed(&[PROBE], "space.both(KEYS[1])\nreturn 1\n");
    in_order(
        &script,
        &["local key = KEYS[1]", "local command, key = 'LLEN', key", "end", "local command, key = 'ZCARD', key .. '_'"],
    );
}

const VALUES: (&str, &str) = (
    "space",
    "-- @inline
function space.two(key)
  local one = redis.call('LLEN', key)
  return one, {
    'one', 'two',
  }
end

-- @inline
function space.write(key, ...)
  redis.call('HSET', key, ...)
end

-- @inline
function space.outer(key)
  local one, two = space.two(key)
  return one .. two
end",
);

#[test]
fn the_values_of_new_locals_are_inlined() {
    let script = composed(&[VALUES], "local one, two = space.two(KEYS[1])\nreturn one .. two\n");
    let expected = "  local value_1_1, value_1_2
  do
    local key = KEYS[1]
    local one = redis.call('LLEN', key)
    value_1_1, value_1_2 = one, {
      'one', 'two',
    }
  end
  local one, two = value_1_1, value_1_2
  return one .. two
";
    in_order(&script, &[expected]);
    let script = composed(&[VALUES], "local one = space.outer(KEYS[1])\nreturn one\n");
    let inner = ["local value_2_1, value_2_2\n", "local one, two = value_2_1, value_2_2\n", "value_1_1 = one .. two\n"];
    in_order(&script, &["local value_1_1\n", inner[0], inner[1], inner[2], "local one = value_1_1\n"]);
}

#[test]
fn what_only_begins_as_a_call_of_an_inlined_function_stays_one() {
    let script = composed(&[VALUES], "local one = space.two(KEYS[1])\n  or 'none'\nreturn one\n");
    in_order(&script, &["local one = cold(2)(KEYS[1])\n    or 'none'\n"]);
}

#[test]
fn further_arguments_are_inlined_where_they_are_those_of_the_caller() {
    let wrapper = ("other", "function other.write(...)\n  space.write('key', ...)\n  space.write(...)\nend");
    let script = composed(&[VALUES, wrapper], "other.write(1, 2)\nspace.write('key', 'field', 1)\nreturn 1\n");
    in_order(&script, &["do\n    local key = 'key'\n    redis.call('HSET', key, ...)\n  end\n  cold(3)(...)\n"]);
    in_order(&script, &["cold(3)('key', 'field', 1)"]);
}

#[test]
fn what_cannot_be_inlined_is_refused() {
    let inline = |body: &str| refused(&[("a", &format!("-- @inline\nfunction a.b(...)\n{body}\nend"))], "return 1\n");
    assert!(inline("  if x then\n    return f()\n  end").contains("can only return at its end"));
    assert!(inline("  if x then\n    return 1\n  end\n  return 2").contains("can only return at its end"));
    let circle = "-- @inline\nfunction a.b()\n  a.c()\nend\n\n-- @inline\nfunction a.c()\n  a.b()\nend";
    assert_eq!(refused(&[("a", circle)], "return 1\n"), "a.b: a.c would be inlined into itself: a.c -> a.b -> a.c");
}

#[test]
fn an_unknown_piece_is_refused() {
    assert_eq!(refused(&[TASKS], "return tasks.gone()\n"), "tasks.gone is not in the library");
    let wrong = ("other", "function other.one()\n  return tasks.gone()\nend");
    assert_eq!(refused(&[TASKS, wrong], "return 1\n"), "other.one: tasks.gone is not in the library");
    assert_eq!(
        refused(
            &[("tasks", "function tasks.a()\n  return 1\nend\n\nfunction tasks.a()\n  return 2\nend")],
            "return 1\n"
        ),
        "lua/lib/**/tasks.lua: tasks.a is defined twice"
    );
    assert_eq!(
        refused(&[("tasks", "print(1)")], "return 1\n"),
        "lua/lib/**/tasks.lua: neither a function nor a value of tasks: print(1)"
    );
}

#[test]
fn a_local_that_hides_a_library_is_refused() {
    for hiding in [
        "local tasks = {}",
        "local function tasks(x)",
        "local a, tasks = 1, 2",
        "for _, tasks in pairs(t) do",
        "for tasks = 1, 2 do",
        "call(function(x, tasks)",
        "local function f(x, tasks)",
    ] {
        assert_eq!(
            refused(&[TASKS], &format!("  {hiding}\n")),
            format!("a local hides the library `tasks`, give it another name: {hiding}")
        );
    }
    composed(&[TASKS], "local a = { tasks = 1 }\nlocal b = tasks, a\nx(tasks)\nreturn a.tasks.find\n");
}

fn named(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    rewrite(code, |table, name| {
        found.push(format!("{table}.{name}"));
        None
    });
    found
}

#[test]
fn members_are_named_outside_of_strings_and_comments_alone() {
    assert_eq!(named("state.move(task, 'args.plain', \"args.next\") -- args.none"), ["state.move"]);
    assert_eq!(named("return record.find(id) or a.state.plan..x.y"), ["record.find", "a.state", "x.y"]);
    assert_eq!(named("a([[ x.y ]], b.c, [==[ x.y ]] ]=] x.y ]==], d.e)"), ["b.c", "d.e"]);
    assert_eq!(named("a.b --[[ x.y\n x.y ]] c.d --[==[ ]] x.y ]==] e.f --[ x.y\ng.h"), ["a.b", "c.d", "e.f", "g.h"]);
    assert_eq!(named("t[a.b[1]]"), ["a.b"]);
}

#[test]
fn a_quote_of_the_other_kind_or_behind_a_backslash_ends_no_string() {
    assert_eq!(named(r#"if find(text, "can't") then state.move() end -- isn't"#), ["state.move"]);
    assert_eq!(named(r#"find("can't, state.move won't") args.next()"#), ["args.next"]);
    assert_eq!(named(r"say('it\'s args.plain', state.move())"), ["state.move"]);
    assert_eq!(named(r"say('\\', state.move())"), ["state.move"]);
    assert_eq!(named(r#"say('a "', state.move(), '" b')"#), ["state.move"]);
}

#[test]
fn no_character_is_lost_among_the_tokens() {
    let code = "a.b = 'x' --[[ y ]] .. [[z]] -- ü\n\n\t{ 1.5, -2 }";
    assert_eq!(tokens(code).into_iter().map(Token::as_str).collect::<String>(), code);
}

#[test]
fn comments_leave_with_the_lines_that_held_nothing_else() {
    assert_eq!(bare("-- a\nf() -- b\n  -- c\n  g('-- d')\n\nh()\n-- e\n"), "f()\n  g('-- d')\n\nh()\n");
    assert_eq!(bare("a--[[b]]c [[ -- d\n  -- e ]] -- f"), "a c [[ -- d\n  -- e ]] ");
    assert_eq!(bare("if a -- b\n  and c then\n--[[ d\n]]\nend\n"), "if a\n  and c then\nend\n");
}

#[test]
fn redis_commands_are_found_behind_strings() {
    let found = redis_commands("say(\"can't\") redis.call('HSET', key) redis.pcall(\"ZADD\", 'x')").unwrap();
    assert_eq!(found, ["HSET", "ZADD"]);
    assert!(redis_commands("say(\"can't\") redis.call('FROB', key)").unwrap_err().starts_with("FROB is in no list"));
    assert_eq!(redis_commands("x() -- redis.call('FROB')").unwrap(), Vec::<String>::new());
}
