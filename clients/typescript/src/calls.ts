// A function for each command of the bundle, and types of its options and its reply.
// Made by generate.mjs from the bundle's manifest; do not edit.

import type * as contract from "./contract.js";
import type { Bytes, Call, Names, Seconds, Shape, Time, Type } from "./wire.js";
import * as wire from "./wire.js";

// The types of the contract.
const T = {
  action: {"form":"word","words":["cancel","retry","delete","purge","move","prioritise","hold","unhold","suspend","unsuspend","signal","requeue"]},
  ageing: {"form":"seconds","low":1,"high":604800},
  argumentCount: {"form":"whole","low":1,"high":1024},
  backoff: {"form":"word","words":["exponential","fixed"]},
  bounds: {"form":"text","high":65536},
  closed: {"form":"whole","low":0,"high":1},
  command: {"form":"text","high":65536},
  count: {"form":"whole","low":1,"high":500},
  countOrNone: {"form":"whole","low":0,"high":500},
  cursor: {"form":"text"},
  day: {"form":"text"},
  days: {"form":"whole","low":1,"high":14},
  deadline: {"form":"whole","low":0,"high":9007199254740991},
  delay: {"form":"seconds","low":0,"high":31536000},
  delayOrNone: {"form":"seconds","low":0,"high":31536000},
  edges: {"form":"whole","low":1,"high":1000},
  ended: {"form":"whole","low":0,"high":100},
  ending: {"form":"word","words":["complete","fail","final","release","uncounted"]},
  entry: {"form":"text"},
  every: {"form":"whole","low":1,"high":315360000},
  expiry: {"form":"whole","low":60,"high":31536000},
  failures: {"form":"whole","low":0,"high":1000},
  flag: {"form":"flag"},
  forgetAfter: {"form":"seconds","low":60,"high":604800},
  fraction: {"form":"decimal","low":0,"high":1},
  freeSlots: {"form":"whole","low":0,"high":100000},
  grace: {"form":"seconds","low":0,"high":86400},
  graph: {"form":"text","high":128},
  graphCount: {"form":"whole","low":1,"high":500},
  graphNotify: {"form":"text","high":1024},
  graphRoom: {"form":"whole","low":1024,"high":1099511627776},
  graphSize: {"form":"whole","low":1,"high":10000},
  group: {"form":"text","high":65536},
  has: {"form":"text","high":1024},
  hasCount: {"form":"whole","low":0,"high":32},
  host: {"form":"text","high":190},
  inputSize: {"form":"whole","low":1024,"high":16777216},
  inputs: {"form":"text","high":1048576},
  inputsOrNone: {"form":"text","high":1048576},
  keep: {"form":"whole","low":0,"high":10000000},
  keptAudit: {"form":"whole","low":100,"high":1000000},
  keptDays: {"form":"whole","low":0,"high":400},
  keptEvents: {"form":"whole","low":100,"high":100000},
  keptHistory: {"form":"whole","low":1,"high":1000},
  late: {"form":"whole","low":1,"high":31536000},
  lease: {"form":"seconds","low":1,"high":604800},
  limits: {"form":"text","high":600},
  limitsCount: {"form":"whole","low":1,"high":8},
  list: {"form":"word","words":["waiting","scheduled","pending","held","reserved","started","complete","failed","cancelled","all"]},
  listCursor: {"form":"text"},
  listener: {"form":"text","high":200},
  logSize: {"form":"whole","low":0,"high":268435456},
  logTail: {"form":"whole","low":1,"high":1048576},
  logText: {"form":"bytes","low":0,"high":65536},
  logsSize: {"form":"whole","low":0,"high":1099511627776},
  losses: {"form":"whole","low":0,"high":1000000000},
  methods: {"form":"text","high":8192},
  micros: {"form":"whole","low":0,"high":9007199254740991},
  missed: {"form":"word","words":["one","skip","all"]},
  moreInputs: {"form":"text","high":1048576},
  name: {"form":"text","high":128},
  nameOrNone: {"form":"text","high":128},
  names: {"form":"text"},
  need: {"form":"text","high":64},
  needs: {"form":"text","high":256},
  needsCount: {"form":"whole","low":1,"high":8},
  niceness: {"form":"whole","low":0,"high":19},
  noticeEvent: {"form":"word","words":["complete","failed","cancelled","pending","no-progress","deadline"]},
  noticeOf: {"form":"word","words":["task","graph"]},
  noticeOutcome: {"form":"word","words":["delivered","failed"]},
  noticeOwner: {"form":"text","high":129},
  notify: {"form":"text","high":1024},
  now: {"form":"seconds","low":0,"high":9007199254},
  number: {"form":"whole","low":0,"high":9007199254740991},
  onFailure: {"form":"word","words":["cancel","continue","hold"]},
  optionNames: {"form":"text","high":1024},
  order: {"form":"word","words":["strict","round","weighted"]},
  outcome: {"form":"word","words":["complete","failed","cancelled","released","lost","retrying","retry"]},
  overlap: {"form":"word","words":["skip","queue","cancel","allow"]},
  page: {"form":"whole","low":1,"high":500},
  partition: {"form":"text","high":32},
  partitionCount: {"form":"whole","low":1,"high":1000},
  pattern: {"form":"text","high":128},
  patternCount: {"form":"whole","low":1,"high":100},
  patternCursor: {"form":"text","high":132},
  patterns: {"form":"text","high":4096},
  pause: {"form":"text"},
  payload: {"form":"bytes","low":0,"high":1048576},
  payloadSize: {"form":"whole","low":0,"high":8388608},
  percent: {"form":"whole","low":0,"high":100},
  pid: {"form":"whole","low":1,"high":4194304},
  place: {"form":"text","high":1024},
  placeAnywhere: {"form":"text","high":1024},
  places: {"form":"whole","low":1,"high":1000000},
  placesOrDefault: {"form":"text"},
  priority: {"form":"whole","low":-1000,"high":1000},
  progressText: {"form":"bytes","low":0,"high":4096},
  queue: {"form":"text","high":128},
  queueCount: {"form":"whole","low":1,"high":32},
  queueCountOrNone: {"form":"whole","low":0,"high":32},
  queueOrAll: {"form":"text","high":128},
  queues: {"form":"text"},
  queuesOrNone: {"form":"text"},
  rate: {"form":"text"},
  rateOrDefault: {"form":"text"},
  reached: {"form":"word","words":["waiting","scheduled","pending","held","reserved","started","complete","failed","cancelled","deleted","moved"]},
  reasonWord: {"form":"text","high":128},
  recurrence: {"form":"text","high":256},
  releases: {"form":"whole","low":0,"high":1000000},
  repairCursor: {"form":"text"},
  retention: {"form":"seconds","low":0,"high":100000000000},
  scheduleName: {"form":"text","high":100},
  settingName: {"form":"text"},
  settingValue: {"form":"text"},
  shortText: {"form":"bytes","low":0,"high":1024},
  signal: {"form":"word","words":["ABRT","ALRM","HUP","INT","IO","PIPE","PROF","QUIT","TERM","URG","USR1","USR2","VTALRM","WINCH"]},
  slot: {"form":"whole","low":0,"high":100000000000},
  slotCount: {"form":"whole","low":0,"high":64},
  slots: {"form":"whole","low":1,"high":100000},
  span: {"form":"seconds","low":0,"high":9007199254740991},
  squares: {"form":"text"},
  starts: {"form":"whole","low":1,"high":1000},
  startsTime: {"form":"whole","low":1,"high":604800},
  status: {"form":"word","words":["waiting","scheduled","pending","held","reserved","started","complete","failed","cancelled"]},
  statuses: {"form":"words","words":["waiting","scheduled","pending","held","reserved","started","complete","failed","cancelled"]},
  step: {"form":"text","high":1024},
  stepCount: {"form":"whole","low":1,"high":100},
  steps: {"form":"text"},
  stored: {"form":"bytes","low":0,"high":8388608},
  tagCount: {"form":"whole","low":1,"high":16},
  tags: {"form":"text"},
  taken: {"form":"whole","low":1,"high":100},
  targetCount: {"form":"whole","low":1,"high":100},
  targets: {"form":"whole","low":1,"high":8},
  task: {"form":"text","high":128},
  template: {"form":"text"},
  text: {"form":"text"},
  time: {"form":"seconds","low":0,"high":100000000000},
  timeLimit: {"form":"seconds","low":1,"high":31536000},
  timeOrNone: {"form":"seconds","low":0,"high":100000000000},
  times: {"form":"whole","low":1,"high":1000000000},
  token: {"form":"whole","low":1,"high":9007199254740991},
  topologyVersion: {"form":"whole","low":1,"high":1000000000},
  topologyVersionOrNone: {"form":"whole","low":0,"high":999999999},
  trace: {"form":"text","high":568},
  trouble: {"form":"text"},
  uniquePolicy: {"form":"word","words":["reject","existing","replace","latest"]},
  uniqueTime: {"form":"seconds","low":1,"high":31536000},
  uniqueUntil: {"form":"text"},
  weight: {"form":"whole","low":1,"high":1000},
  weights: {"form":"text"},
} satisfies Record<string, Type>;

/** One of what `adopt` answers. */
export interface AdoptItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string;
  /** The token of the attempt. Every call of the owner carries the token. */
  readonly token: number;
  /** Number of attempts so far, including the new attempt. */
  readonly attempt: number;
  /** End of the lease. */
  readonly deadline: number;
  /** The length of the lease. */
  readonly lease: number;
  /** Outcome of the previous attempt; empty: there was no previous attempt. */
  readonly outcome: contract.Outcome | null;
  /** Number of attempts that were lost. */
  readonly losses: number;
  /** Number of attempts that failed. */
  readonly failures: number;
  /** The parameters, as submitted. */
  readonly parameters: Buffer;
  /** The checkpoint; nil: none was saved. */
  readonly checkpoint: Buffer | null;
}

/** The options of `adopt`. */
export interface AdoptOptions {
  /** Lease of the attempt. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const ADOPT_REPLY: Shape<AdoptItem[] | null> = wire.maybe(wire.rows<AdoptItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "token", property: "token", type: T.token },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "deadline", property: "deadline", type: T.deadline },
  { name: "lease", property: "lease", type: T.micros },
  { name: "outcome", property: "outcome", type: T.outcome, empty: true },
  { name: "losses", property: "losses", type: T.number },
  { name: "failures", property: "failures", type: T.number },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "checkpoint", property: "checkpoint", type: T.stored, nil: true },
]));

/**
 * Takes over a task from a listener whose process is dead, as a new attempt. The caller must have verified that
 *   the process is dead.
 *
 * @param listener The listener.
 * @param from The listener that holds the task.
 * @param queue The queue.
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOLISTENER, NOPERM, NOTASK, OTHERQUEUE, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: The reply of reserve; nil if the task ended instead, because it was cancelled or lost too often.
 */
export function adopt(listener: string, from: string, queue: string, id: string, options: AdoptOptions = {}): Call<AdoptItem[] | null> {
  return wire.call("adopt", [listener, from, queue, id], [
    ["lease", options.lease],
    ["request", options.request],
  ], ADOPT_REPLY, true, options);
}

/** What `aggregate` answers. */
export interface AggregateReply {
  /** Number of events that were read. */
  readonly read: number;
  /** More events are left to read. */
  readonly more: boolean;
  /** Number of events that were trimmed before they were read. */
  readonly missed: number;
}

const AGGREGATE_REPLY: Shape<AggregateReply> = wire.list<AggregateReply>([
  { name: "read", property: "read", type: T.number },
  { name: "more", property: "more", type: T.flag },
  { name: "missed", property: "missed", type: T.number },
]);

/**
 * Adds new events to the statistics of their days, each event once, and then trims the events.
 *
 * @param queue The queue.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of events read, 1 if there are more events, number of events that were trimmed before they were
 *   read.
 */
export function aggregate(queue: string, limit: number): Call<AggregateReply> {
  return wire.call("aggregate", [queue, limit], [
  ], AGGREGATE_REPLY, false);
}

const ANSWER_NOTICE_REPLY: Shape<"delivered" | "retrying" | "given_up" | "stale"> = wire.single({ name: "reply", property: "reply", words: ["delivered","retrying","given_up","stale"] });

/**
 * Reports the outcome of a delivery. A delivered notice is done, and the next notice of the task for the same
 *   target is due. A failed notice is due again after a delay, which grows from 5 seconds to an hour; after three
 *   days it is given up.
 *
 * @param of The kind of object that the notice is about.
 * @param subject The id of the task or the graph.
 * @param target The target.
 * @param token The token of the notice, from `take_notices`.
 * @param outcome The outcome of the delivery.
 * @param answer The answer of the target, or the error, for people.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `delivered`, `retrying` or `given_up`; `stale` if the notice was taken again or answered since.
 */
export function answerNotice(of: contract.NoticeOf, subject: string, target: string, token: number, outcome: contract.NoticeOutcome, answer: Bytes): Call<"delivered" | "retrying" | "given_up" | "stale"> {
  return wire.call("answer_notice", [of, subject, target, token, outcome, answer], [
  ], ANSWER_NOTICE_REPLY, false);
}

/** The options of `append_log`. */
export interface AppendLogOptions {
  /**
   * The offset of the text in the attempt's log, in bytes. With an offset, a text that is sent twice is added
   *   once.
   */
  readonly offset?: number | undefined;
}

const APPEND_LOG_REPLY: Shape<string | null> = wire.single({ name: "last", property: "last", type: T.entry, empty: true });

/**
 * Appends text to a task's log. The server keeps the beginning of the log and the latest part of the rest, until
 *   a day after the task has ended.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param source The source of the text, such as `stdout`.
 * @param text The text to append.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: Id of the last entry, or an empty string if no entry is kept.
 */
export function appendLog(id: string, token: number, source: string, text: Bytes, options: AppendLogOptions = {}): Call<string | null> {
  return wire.call("append_log", [id, token, source, text], [
    ["offset", options.offset],
  ], APPEND_LOG_REPLY, false, options);
}

/** What `attend` answers. */
export interface AttendReply {
  /** Number of the request in this attempt. */
  readonly number: number;
  /** The kind of the request. */
  readonly what: "suspend" | "unsuspend" | "signal" | "describe";
  /**
   * The name of the signal, without SIG; for `describe` the word `values` if the answer includes the values of
   *   the environment.
   */
  readonly detail: string | null;
}

/** The options of `attend`. */
export interface AttendOptions {
  /** Number of the request that the owner has carried out or refused. */
  readonly answered?: number | undefined;
  /** The reason why the owner cannot carry out this request. */
  readonly refused?: Bytes | undefined;
  /** The answer to a request of `describe`: a JSON object. */
  readonly described?: Bytes | undefined;
}

const ATTEND_REPLY: Shape<AttendReply | null> = wire.maybe(wire.list<AttendReply>([
  { name: "number", property: "number", type: T.number },
  { name: "what", property: "what", words: ["suspend","unsuspend","signal","describe"] },
  { name: "detail", property: "detail", type: T.name, empty: true },
]));

/**
 * Reads the next request to the owner of a task, after the order `attend`: to suspend the program, to continue
 *   it, to send it a signal, or to describe it. The owner answers each request, in order, with the next call.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: Number, kind and detail of the request; nil if no request is left.
 */
export function attend(id: string, token: number, options: AttendOptions = {}): Call<AttendReply | null> {
  return wire.call("attend", [id, token], [
    ["answered", options.answered],
    ["refused", options.refused],
    ["described", options.described],
  ], ATTEND_REPLY, false, options);
}

/** One of what `audit` answers. */
export interface AuditItem {
  /** The entry. */
  readonly entry: string;
  /** Time of the change. */
  readonly at: number;
  /** The author of the change; empty: unknown. */
  readonly by: string | null;
  /** The command. */
  readonly what: string;
  /** The kind of the changed object. */
  readonly of: "task" | "queue" | "key" | "shared" | "listener" | "schedule" | "graph" | "namespace";
  /** The name of the changed object; `QUEUE/KEY` for a key; empty for the namespace. */
  readonly on: string | null;
  /**
   * The previous value: the state of a task, its priority or its queue; the value of a setting; the limits of a
   *   key; `open`, `paused` or `stopped`; the recurrence of a schedule.
   */
  readonly before: string | null;
  /** The new value; for a bulk, the number of tasks that the step changed. */
  readonly after: string | null;
  /**
   * The reason; the name of the setting; the action and selection of a bulk; the queue and parameters of a
   *   schedule, by length and digest.
   */
  readonly detail: string | null;
}

/** What `audit` answers. */
export interface AuditReply {
  /** The last entry that was read; the value of `after` if no entry was read. */
  readonly last: string;
  /** Entries directly after `after` were trimmed, so the caller may have missed entries. */
  readonly missed: boolean;
  /** The entries. */
  readonly items: AuditItem[];
}

/** The options of `audit`. */
export interface AuditOptions {
  /** Only changes by this author. */
  readonly by?: string | undefined;
  /** Only changes by this command. */
  readonly what?: string | undefined;
  /** Only changes of the object with this name. */
  readonly on?: string | undefined;
}

const AUDIT_REPLY: Shape<AuditReply> = wire.list<AuditReply>([
  { name: "last", property: "last", type: T.entry },
  { name: "missed", property: "missed", type: T.flag },
], wire.rows<AuditItem>([
  { name: "entry", property: "entry", type: T.entry },
  { name: "at", property: "at", type: T.time },
  { name: "by", property: "by", type: T.name, empty: true },
  { name: "what", property: "what", type: T.name },
  { name: "of", property: "of", words: ["task","queue","key","shared","listener","schedule","graph","namespace"] },
  { name: "on", property: "on", type: T.text, empty: true },
  { name: "before", property: "before", type: T.text, empty: true },
  { name: "after", property: "after", type: T.text, empty: true },
  { name: "detail", property: "detail", type: T.text, empty: true },
]));

/**
 * Returns the audit entries after an entry. An audit entry records who changed what: settings, limits,
 *   priorities, pauses, drains, cancels, retries, moves, deletions, bulk actions, graphs and schedules. With
 *   `by`, `what` or `on`, returns only matching entries among the next `limit` entries.
 *
 * @param after The last entry that was read.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: The last entry examined (`after` again if there is none), 1 if entries right after `after` have been
 *   trimmed and may have been missed, then for each change: entry, at, by, what, of, on, before, after, detail.
 */
export function audit(after: string, limit: number, options: AuditOptions = {}): Call<AuditReply> {
  return wire.call("audit", [after, limit], [
    ["by", options.by],
    ["what", options.what],
    ["on", options.on],
  ], AUDIT_REPLY, false, options);
}

/** What `bulk` answers. */
export interface BulkReply {
  /** Start of the next step; 0 at the end. */
  readonly cursor: string;
  /** Number of tasks that the step read. */
  readonly looked: number;
  /** Number of tasks that the step changed. */
  readonly changed: number;
  /** Number of tasks that the step could not change because of their state, a unique name, or the new queue. */
  readonly refused: number;
}

/** The options of `bulk`. */
export interface BulkOptions {
  /** Tasks whose id begins with this text. */
  readonly prefix?: string | undefined;
  /** Tasks in one of these states. */
  readonly status?: Names | undefined;
  /** Tasks with this tag. */
  readonly tag?: string | undefined;
  /** Tasks with this method. */
  readonly method?: string | undefined;
  /** Tasks of this key. */
  readonly key?: string | undefined;
  /** Failed tasks of this group of errors; empty: failed tasks without a group. */
  readonly group?: string | undefined;
  /** Tasks created at this time or later. */
  readonly from?: Time | undefined;
  /** Tasks created at this time or earlier. */
  readonly to?: Time | undefined;
  /** The reason, for people; with the action `cancel`. */
  readonly reason?: Bytes | undefined;
  /** Kill the program at once. By default 0. */
  readonly force?: boolean | undefined;
  /** Take the task from its owner at once instead of waiting for the owner. By default 0. */
  readonly atOnce?: boolean | undefined;
  /** Forget the checkpoint and the progress. By default 0. */
  readonly fresh?: boolean | undefined;
  /** The new queue; with the actions `move` and `retry`. */
  readonly into?: string | undefined;
  /** The new priority; with the action `prioritise`. */
  readonly priority?: number | undefined;
  /** The signal, without SIG; with the action `signal`. */
  readonly signal?: contract.Signal | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const BULK_REPLY: Shape<BulkReply> = wire.list<BulkReply>([
  { name: "cursor", property: "cursor", type: T.step },
  { name: "looked", property: "looked", type: T.number },
  { name: "changed", property: "changed", type: T.number },
  { name: "refused", property: "refused", type: T.number },
]);

/**
 * Applies an action to all tasks of a queue that match the options, oldest first. A call examines up to 300 tasks
 *   and changes up to `limit` of them.
 *
 * @param queue The queue.
 * @param action The action for each task.
 * @param cursor Start of the step.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: Next cursor (0 at the end), number of tasks examined, changed and refused.
 */
export function bulk(queue: string, action: contract.Action, cursor: string, limit: number, options: BulkOptions = {}): Call<BulkReply> {
  return wire.call("bulk", [queue, action, cursor, limit], [
    ["prefix", options.prefix],
    ["status", options.status],
    ["tag", options.tag],
    ["method", options.method],
    ["key", options.key],
    ["group", options.group],
    ["from", options.from],
    ["to", options.to],
    ["reason", options.reason],
    ["force", options.force],
    ["at_once", options.atOnce],
    ["fresh", options.fresh],
    ["into", options.into],
    ["priority", options.priority],
    ["signal", options.signal],
    ["by", options.by],
    ["request", options.request],
  ], BULK_REPLY, true, options);
}

/** The options of `cancel`. */
export interface CancelOptions {
  /** Kill the program at once. By default 0. */
  readonly force?: boolean | undefined;
  /** Take the task from its owner at once instead of waiting for the owner. By default 0. */
  readonly atOnce?: boolean | undefined;
  /**
   * The task is not needed: it counts as skipped in its graph, and so do the tasks that only wait for it. By
   *   default 0.
   */
  readonly skip?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const CANCEL_REPLY: Shape<"cancelled" | "cancelling"> = wire.single({ name: "reply", property: "reply", words: ["cancelled","cancelling"] });

/**
 * Cancels a task. If an attempt holds the task, its owner is ordered to stop it, or with `force` to kill it. With
 *   `at_once` the task is cancelled immediately, even if its program is still running. With `skip` it was not
 *   needed: its graph counts it as skipped.
 *
 * @param id The task.
 * @param reason The reason, for people.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOBIG, WRONGKEY.
 * Reply: `cancelled`, or `cancelling` if its owner must stop it first.
 */
export function cancel(id: string, reason: Bytes, options: CancelOptions = {}): Call<"cancelled" | "cancelling"> {
  return wire.call("cancel", [id, reason], [
    ["force", options.force],
    ["at_once", options.atOnce],
    ["skip", options.skip],
    ["by", options.by],
    ["request", options.request],
  ], CANCEL_REPLY, true, options);
}

/** The options of `cancel_graph`. */
export interface CancelGraphOptions {
  /** Cancel only this task and the tasks that need it. */
  readonly task?: string | undefined;
  /** Kill the program at once. By default 0. */
  readonly force?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const CANCEL_GRAPH_REPLY: Shape<"cancelling"> = wire.single({ name: "reply", property: "reply", words: ["cancelling"] });

/**
 * Cancels all unfinished tasks of a graph. With `task`, cancels only this task and the tasks that need it,
 *   directly or indirectly. `run_deferred` does the work in steps. Outcomes that owners of these tasks report
 *   later are discarded.
 *
 * @param graph The graph.
 * @param reason The reason, for people.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `cancelling`.
 */
export function cancelGraph(graph: string, reason: Bytes, options: CancelGraphOptions = {}): Call<"cancelling"> {
  return wire.call("cancel_graph", [graph, reason], [
    ["task", options.task],
    ["force", options.force],
    ["by", options.by],
    ["request", options.request],
  ], CANCEL_GRAPH_REPLY, true, options);
}

/** One of what `changes` answers. */
export interface ChangesItem {
  /** The entry. */
  readonly entry: string;
  /** The task. */
  readonly id: string;
  /** The queue of the task at that time. */
  readonly queue: string;
  /**
   * The kind of change. `state`: a transition; `cancel`: a cancel request; `requeue`: an order to give the task
   *   back; `suspend`, `unsuspend` and `signal`: a request to the owner; `suspended`, `unsuspended`, `signalled`
   *   and `refused`: its answer; `track` and `untrack`: tracking began or ended.
   */
  readonly what: "state" | "progress" | "checkpoint" | "cancel" | "requeue" | "suspend" | "unsuspend" | "signal" | "suspended" | "unsuspended" | "signalled" | "refused" | "note" | "edit" | "track" | "untrack";
  /** The previous state; empty if the task has entered a new queue. */
  readonly from: contract.Reached | null;
  /** The state after the change. It differs from the previous state only if the kind is `state`. */
  readonly to: contract.Reached;
  /** Number of attempts at that time. */
  readonly attempt: number;
  /** Time of the change. */
  readonly at: number;
  /** The listener that made the change, or the author of the call; empty: unknown. */
  readonly by: string | null;
  /** The cause of the change: the command, the reason of a release, `lost` or `deadline`. */
  readonly why: string;
  /**
   * The progress, the note, the reason, the names of the edited options, or the beginning of the error; at most 1
   *   KiB.
   */
  readonly text: Buffer | null;
}

/** What `changes` answers. */
export interface ChangesReply {
  /** The last entry that was read; the value of `after` if no entry was read. */
  readonly last: string;
  /** Entries directly after `after` were trimmed, so the caller may have missed entries. */
  readonly missed: boolean;
  /** The entries. */
  readonly items: ChangesItem[];
}

/** The options of `changes`. */
export interface ChangesOptions {
  /** Only changes of this task. */
  readonly id?: string | undefined;
}

const CHANGES_REPLY: Shape<ChangesReply> = wire.list<ChangesReply>([
  { name: "last", property: "last", type: T.entry },
  { name: "missed", property: "missed", type: T.flag },
], wire.rows<ChangesItem>([
  { name: "entry", property: "entry", type: T.entry },
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "what", property: "what", words: ["state","progress","checkpoint","cancel","requeue","suspend","unsuspend","signal","suspended","unsuspended","signalled","refused","note","edit","track","untrack"] },
  { name: "from", property: "from", type: T.reached, empty: true },
  { name: "to", property: "to", type: T.reached },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "at", property: "at", type: T.time },
  { name: "by", property: "by", type: T.name, empty: true },
  { name: "why", property: "why", type: T.name },
  { name: "text", property: "text", type: T.stored, empty: true },
]));

/**
 * Returns the changes of tracked tasks after an entry, in all queues: transitions, progress, checkpoints,
 *   requests to cancel, requeues, notes, edits, and when tracking began and ended. With `id`, returns only
 *   changes of this task among the next `limit` entries.
 *
 * @param after The last entry that was read.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: The last entry examined (`after` again if there is none), 1 if entries right after `after` have been
 *   trimmed and may have been missed, then for each change: entry, id, queue, what, from, to, attempt, at, by,
 *   why, text.
 */
export function changes(after: string, limit: number, options: ChangesOptions = {}): Call<ChangesReply> {
  return wire.call("changes", [after, limit], [
    ["id", options.id],
  ], CHANGES_REPLY, false, options);
}

/** The options of `checkpoint`. */
export interface CheckpointOptions {
  /** Maximum size of the payload. By default 1048576. */
  readonly maxBytes?: number | undefined;
}

const CHECKPOINT_REPLY: Shape<"kept"> = wire.single({ name: "reply", property: "reply", words: ["kept"] });

/**
 * Stores a checkpoint, from which the next attempt continues.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param checkpoint The checkpoint for the next attempt.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `kept`.
 */
export function checkpoint(id: string, token: number, checkpoint: Bytes, options: CheckpointOptions = {}): Call<"kept"> {
  return wire.call("checkpoint", [id, token, checkpoint], [
    ["max_bytes", options.maxBytes],
  ], CHECKPOINT_REPLY, false, options);
}

/** The options of `complete`. */
export interface CompleteOptions {
  /** Maximum size of the payload. By default 1048576. */
  readonly maxBytes?: number | undefined;
  /** The cost of the attempt; `blueque worker` sends JSON. */
  readonly cost?: Bytes | undefined;
  /**
   * The queue in which the task goes on, instead of the queue of its next step. Empty: the task is complete, even
   *   if steps are left.
   */
  readonly next?: string | null | undefined;
  /** The parameters of the next step, instead of the result. */
  readonly parameters?: Bytes | undefined;
  /** The time at which the next step is due; by default at once. */
  readonly eta?: Time | undefined;
  /** Options to remove for the next step. */
  readonly unset?: string | undefined;
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** A name that only one task of the queue has at a time. */
  readonly unique?: string | undefined;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
}

const COMPLETE_REPLY: Shape<"complete" | "cancelled" | "failed"> = wire.single({ name: "reply", property: "reply", words: ["complete","cancelled","failed"] });

/**
 * Ends an attempt with its result. The task is complete, or continues with its next step in another queue.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param result The result of the task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, LOST, NOLIMIT, NOPERM, OVERDUE, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
 * Reply: `complete`; if the result was discarded: `cancelled` if another task caused a cancel of the task, or the
 *   task was cancelled before a further step; `failed` if the attempt was ordered to stop because of the task's
 *   deadline.
 */
export function complete(id: string, token: number, result: Bytes, options: CompleteOptions = {}): Call<"complete" | "cancelled" | "failed"> {
  return wire.call("complete", [id, token, result], [
    ["max_bytes", options.maxBytes],
    ["cost", options.cost],
    ["next", options.next],
    ["parameters", options.parameters],
    ["eta", options.eta],
    ["unset", options.unset],
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique", options.unique],
    ["unique_until", options.uniqueUntil],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
  ], COMPLETE_REPLY, false, options);
}

/** The options of `configure`. */
export interface ConfigureOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const CONFIGURE_REPLY: Shape<"configured"> = wire.single({ name: "reply", property: "reply", words: ["configured"] });

/**
 * Sets a setting of a queue, or with queue `*` the default for all queues. An empty value removes the setting.
 *
 * @param queue The queue; `*` for the defaults of all queues.
 * @param name The setting.
 * @param value Its new value.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: `configured`.
 */
export function configure(queue: string, name: string, value: string, options: ConfigureOptions = {}): Call<"configured"> {
  return wire.call("configure", [queue, name, value], [
    ["by", options.by],
  ], CONFIGURE_REPLY, false, options);
}

/** What `counts` answers. */
export interface CountsReply {
  /** Tasks that are waiting. */
  readonly waiting: number;
  /** Tasks that are scheduled. */
  readonly scheduled: number;
  /** Tasks that are pending. */
  readonly pending: number;
  /** Tasks that are held. */
  readonly held: number;
  /** Tasks that are reserved. */
  readonly reserved: number;
  /** Tasks that are started. */
  readonly started: number;
  /** Tasks that are complete. */
  readonly complete: number;
  /** Tasks that are failed. */
  readonly failed: number;
  /** Tasks that are cancelled. */
  readonly cancelled: number;
  /** Number of listeners that take tasks of the queue. */
  readonly listeners: number;
}

const COUNTS_REPLY: Shape<CountsReply> = wire.pairs<CountsReply>([
  { name: "waiting", property: "waiting", type: T.number },
  { name: "scheduled", property: "scheduled", type: T.number },
  { name: "pending", property: "pending", type: T.number },
  { name: "held", property: "held", type: T.number },
  { name: "reserved", property: "reserved", type: T.number },
  { name: "started", property: "started", type: T.number },
  { name: "complete", property: "complete", type: T.number },
  { name: "failed", property: "failed", type: T.number },
  { name: "cancelled", property: "cancelled", type: T.number },
  { name: "listeners", property: "listeners", type: T.number },
], {"absent":false,"open":false});

/**
 * Counts the tasks of a queue in each state. The time of a call grows with the number of listeners.
 *
 * @param queue The queue.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Name and number in turn: each state, in the order of its life, then `listeners`.
 */
export function counts(queue: string): Call<CountsReply> {
  return wire.call("counts", [queue], [
  ], COUNTS_REPLY, false);
}

/** The options of `delete`. */
export interface DeleteOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const DELETE_REPLY: Shape<"deleted"> = wire.single({ name: "reply", property: "reply", words: ["deleted"] });

/**
 * Deletes a finished task with its log and history.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: `deleted`.
 */
function delete_(id: string, options: DeleteOptions = {}): Call<"deleted"> {
  return wire.call("delete", [id], [
    ["by", options.by],
    ["request", options.request],
  ], DELETE_REPLY, true, options);
}
export { delete_ as delete };

/** The options of `delete_queue`. */
export interface DeleteQueueOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const DELETE_QUEUE_REPLY: Shape<"deleted"> = wire.single({ name: "reply", property: "reply", words: ["deleted"] });

/**
 * Removes a queue that has no tasks, no listeners and no schedules, with its settings, limits, events and
 *   statistics.
 *
 * @param queue The queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOQUEUE, NOTEMPTY, RETRY, SCHEMA, WRONGKEY.
 * Reply: `deleted`.
 */
export function deleteQueue(queue: string, options: DeleteQueueOptions = {}): Call<"deleted"> {
  return wire.call("delete_queue", [queue], [
    ["by", options.by],
    ["request", options.request],
  ], DELETE_QUEUE_REPLY, true, options);
}

/** The options of `depend`. */
export interface DependOptions {
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const DEPEND_REPLY: Shape<"waiting" | "pending" | "scheduled"> = wire.single({ name: "reply", property: "reply", words: ["waiting","pending","scheduled"] });

/**
 * Adds upstream tasks to a task that no attempt holds. A pending or scheduled task then waits, unless all of the
 *   added tasks have already ended. The result slots of the added tasks follow the slots that the task already
 *   has.
 *
 * @param id The task.
 * @param inputs Further tasks that the task waits for.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CYCLE, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
 * Reply: `waiting`, or `pending` or `scheduled` if the task waits for nothing.
 */
export function depend(id: string, inputs: string, options: DependOptions = {}): Call<"waiting" | "pending" | "scheduled"> {
  return wire.call("depend", [id, inputs], [
    ["request", options.request],
  ], DEPEND_REPLY, true, options);
}

/** The options of `describe`. */
export interface DescribeOptions {
  /** Include the values of the program's environment, except secrets. By default 0. */
  readonly values?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const DESCRIBE_REPLY: Shape<number> = wire.single({ name: "number", property: "number", type: T.number });

/**
 * Asks the owner of a task to describe its running program: processes, open files, environment, the end of its
 *   log.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
 * Reply: Number of the request in this attempt; `description` returns the answer once the field `controlled` has
 *   reached it.
 */
export function describe(id: string, options: DescribeOptions = {}): Call<number> {
  return wire.call("describe", [id], [
    ["values", options.values],
    ["by", options.by],
    ["request", options.request],
  ], DESCRIBE_REPLY, true, options);
}

const DESCRIPTION_REPLY: Shape<string | null> = wire.single({ name: "description", property: "description", type: T.text, empty: true });

/**
 * Returns the owner's answer to a request of `describe`: a JSON object. It is kept for 60 seconds.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param requestNumber Number of the request, from `describe`.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: The answer; empty if there is none, or no longer.
 */
export function description(id: string, token: number, requestNumber: number): Call<string | null> {
  return wire.call("description", [id, token, requestNumber], [
  ], DESCRIPTION_REPLY, false);
}

/** The options of `drain`. */
export interface DrainOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const DRAIN_REPLY: Shape<"draining" | "listening"> = wire.single({ name: "reply", property: "reply", words: ["draining","listening"] });

/**
 * Orders a listener to finish the tasks that it holds and to take no more tasks. The replies to the listener's
 *   heartbeats and reserves carry the order.
 *
 * @param queue The queue.
 * @param listener The listener.
 * @param on 1: drain; 0: withdraw the order.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: `draining`, or `listening`.
 */
export function drain(queue: string, listener: string, on: boolean, options: DrainOptions = {}): Call<"draining" | "listening"> {
  return wire.call("drain", [queue, listener, on], [
    ["by", options.by],
  ], DRAIN_REPLY, false, options);
}

/** The options of `edit`. */
export interface EditOptions {
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** A name that only one task of the queue has at a time. */
  readonly unique?: string | undefined;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
  /** Maximum size of the parameters. By default the setting `max_bytes`. */
  readonly maxBytes?: number | undefined;
  /** The new parameters. */
  readonly parameters?: Bytes | undefined;
  /** The new time at which the task is due; a time in the past: at once. */
  readonly eta?: Time | undefined;
  /** The new queue. The task goes behind all tasks that wait there. */
  readonly queue?: string | undefined;
  /** Options to remove from the task. If `eta` is removed, the task is due at once. */
  readonly unset?: string | undefined;
  /**
   * For a call of the owner: the token of its attempt. The call is refused if this attempt does not hold the
   *   task.
   */
  readonly token?: number | undefined;
  /** The author of the change; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** The reason, for people. */
  readonly reason?: Bytes | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const EDIT_REPLY: Shape<"pending" | "scheduled" | "held" | "waiting" | "reserved" | "started"> = wire.single({ name: "reply", property: "reply", words: ["pending","scheduled","held","waiting","reserved","started"] });

/**
 * Changes a task that has not ended: any part of its submission except its dependencies. While an attempt holds
 *   the task, only parts that do not affect this attempt can change. The task keeps its place in the queue,
 *   unless its queue, eta or priority changes. The history of the task records each edit.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, LOST, NOLIMIT, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, STATE,
 *   TOOBIG, TOOMANY, WRONGKEY.
 * Reply: Its state: `pending`, `scheduled`, `held`, `waiting`, `reserved` or `started`.
 */
export function edit(id: string, options: EditOptions = {}): Call<"pending" | "scheduled" | "held" | "waiting" | "reserved" | "started"> {
  return wire.call("edit", [id], [
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique", options.unique],
    ["unique_until", options.uniqueUntil],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
    ["max_bytes", options.maxBytes],
    ["parameters", options.parameters],
    ["eta", options.eta],
    ["queue", options.queue],
    ["unset", options.unset],
    ["token", options.token],
    ["by", options.by],
    ["reason", options.reason],
    ["request", options.request],
  ], EDIT_REPLY, true, options);
}

/** What `estimate` answers. */
export interface EstimateReply {
  /** The task's state. */
  readonly status: contract.Status;
  /** Expected or actual start of the task. */
  readonly start: number | null;
  /** Expected end of the task. */
  readonly end: number | null;
  /** The basis of the estimate. */
  readonly basis: "progress" | "history" | "both" | null;
  /** Number of completed runs in the statistics. */
  readonly runs: number;
  /** Mean duration of these runs. */
  readonly mean: number | null;
  /** The time of the call. */
  readonly now: number;
}

/** The options of `estimate`. */
export interface EstimateOptions {
  /** The progress of the attempt. By default 0. */
  readonly progress?: number | undefined;
}

const ESTIMATE_REPLY: Shape<EstimateReply> = wire.pairs<EstimateReply>([
  { name: "status", property: "status", type: T.status },
  { name: "start", property: "start", type: T.time, empty: true },
  { name: "end", property: "end", type: T.time, empty: true },
  { name: "basis", property: "basis", words: ["progress","history","both"], empty: true },
  { name: "runs", property: "runs", type: T.number },
  { name: "mean", property: "mean", type: T.span, empty: true },
  { name: "now", property: "now", type: T.time },
], {"absent":false,"open":false});

/**
 * Estimates when a task will start and end, from its progress (0 to 1) and the statistics of the last days.
 *   Without the option, the progress that the task has reported is used, if it is a number or contains a
 *   fraction.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
 * Reply: Name and value in turn: status start end basis (`progress`, `history` or `both`) runs mean now; unknown
 *   values are empty.
 */
export function estimate(id: string, options: EstimateOptions = {}): Call<EstimateReply> {
  return wire.call("estimate", [id], [
    ["progress", options.progress],
  ], ESTIMATE_REPLY, false, options);
}

/** One of what `events` answers. */
export interface EventsItem {
  /** The event. */
  readonly event: string;
  /** The task. */
  readonly id: string;
  /** The previous state; empty for a new task. */
  readonly from: contract.Reached | null;
  /** The new state. */
  readonly to: contract.Reached;
  /** Number of attempts at that time. */
  readonly attempt: number;
  /** Time of the transition. */
  readonly at: number;
  /** The listener that made the transition. */
  readonly by: string | null;
  /** The cause of the transition: the command, the reason of a release, or `lost`. */
  readonly why: string;
  /** Time at which the task entered the previous state. */
  readonly since: number | null;
}

/** What `events` answers. */
export interface EventsReply {
  /** The last event that was read; the value of `after` if no event was read. */
  readonly last: string;
  /** Events directly after `after` were trimmed, so the caller may have missed events. */
  readonly missed: boolean;
  /** The entries. */
  readonly items: EventsItem[];
}

/** The options of `events`. */
export interface EventsOptions {
  /** Only events of this task. */
  readonly id?: string | undefined;
}

const EVENTS_REPLY: Shape<EventsReply> = wire.list<EventsReply>([
  { name: "last", property: "last", type: T.entry },
  { name: "missed", property: "missed", type: T.flag },
], wire.rows<EventsItem>([
  { name: "event", property: "event", type: T.entry },
  { name: "id", property: "id", type: T.name },
  { name: "from", property: "from", type: T.reached, empty: true },
  { name: "to", property: "to", type: T.reached },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "at", property: "at", type: T.time },
  { name: "by", property: "by", type: T.listener, empty: true },
  { name: "why", property: "why", type: T.name },
  { name: "since", property: "since", type: T.time, empty: true },
]));

/**
 * Returns the transitions of a queue's tasks after an event. With `id`, returns only transitions of this task
 *   among the next `limit` events.
 *
 * @param queue The queue.
 * @param after The last event that was read.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: The last event examined (`after` again if there is none), 1 if events right after `after` have been
 *   trimmed and may have been missed, then for each transition: event, id, from, to, attempt, at, by, why, since.
 */
export function events(queue: string, after: string, limit: number, options: EventsOptions = {}): Call<EventsReply> {
  return wire.call("events", [queue, after, limit], [
    ["id", options.id],
  ], EVENTS_REPLY, false, options);
}

/** The options of `fail`. */
export interface FailOptions {
  /** The kind of the error, or its text; `groups` counts the failed tasks of each group. */
  readonly group?: string | undefined;
  /** Maximum size of the payload. By default 1048576. */
  readonly maxBytes?: number | undefined;
  /** Delay before the next attempt, instead of the delay in the settings. */
  readonly again?: Seconds | undefined;
  /** Fail the task even if retries are left. By default 0. */
  readonly final?: boolean | undefined;
  /** The cost of the attempt; `blueque worker` sends JSON. */
  readonly cost?: Bytes | undefined;
}

const FAIL_REPLY: Shape<"failed" | "retrying" | "cancelled"> = wire.single({ name: "reply", property: "reply", words: ["failed","retrying","cancelled"] });

/**
 * Ends an attempt with an error. The task is retried after a growing delay, until it has failed too often.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param error The error, for people.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `failed`, `retrying`, or `cancelled` if its cancel was requested, or if a newer task has replaced it.
 */
export function fail(id: string, token: number, error: Bytes, options: FailOptions = {}): Call<"failed" | "retrying" | "cancelled"> {
  return wire.call("fail", [id, token, error], [
    ["group", options.group],
    ["max_bytes", options.maxBytes],
    ["again", options.again],
    ["final", options.final],
    ["cost", options.cost],
  ], FAIL_REPLY, false, options);
}

/** What `find` answers. */
export interface FindReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** A task. */
  readonly items: string[];
}

/** The options of `find`. */
export interface FindOptions {
  /** Tasks whose id begins with this text. */
  readonly prefix?: string | undefined;
  /** Tasks in one of these states. */
  readonly status?: Names | undefined;
  /** Tasks with this tag. */
  readonly tag?: string | undefined;
  /** Tasks with this method. */
  readonly method?: string | undefined;
  /** Tasks of this key. */
  readonly key?: string | undefined;
  /** Failed tasks of this group of errors; empty: failed tasks without a group. */
  readonly group?: string | undefined;
  /** Tasks created at this time or later. */
  readonly from?: Time | undefined;
  /** Tasks created at this time or earlier. */
  readonly to?: Time | undefined;
}

const FIND_REPLY: Shape<FindReply> = wire.list<FindReply>([
  { name: "cursor", property: "cursor", type: T.placeAnywhere },
], wire.values<string>({ name: "id", property: "id", type: T.name }));

/**
 * Finds the ids of a queue's tasks that match all options, newest first: by creation, or with `group` and without
 *   `tag` by failure. A call examines up to 200 tasks. The queue `*` stands for all queues, one after another.
 *
 * @param queue The queue; `*` for all.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: Next cursor (0 at the end), then ids.
 */
export function find(queue: string, cursor: string, limit: number, options: FindOptions = {}): Call<FindReply> {
  return wire.call("find", [queue, cursor, limit], [
    ["prefix", options.prefix],
    ["status", options.status],
    ["tag", options.tag],
    ["method", options.method],
    ["key", options.key],
    ["group", options.group],
    ["from", options.from],
    ["to", options.to],
  ], FIND_REPLY, false, options);
}

/** One entry of a call of `finish_and_reserve`. */
export interface FinishAndReserveEach {
  /** The kind of end. */
  readonly ending: contract.Ending;
  /** The task. */
  readonly id: string;
  /** The token of the attempt. */
  readonly token: number;
  /** The result, or the error; empty for a release. */
  readonly body: Bytes;
  /** The group of a failure, the reason of a release, or the queue of the next step. */
  readonly group: string;
  /** Delay before the next attempt; empty: the delay of the settings for a failure, otherwise no delay. */
  readonly again: Seconds | null;
  /** The cost of the attempt; empty: not reported. */
  readonly cost: Bytes;
}

/** One of what `finish_and_reserve` answers. */
export interface FinishAndReserveItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string;
  /** The token of the attempt. Every call of the owner carries the token. */
  readonly token: number;
  /** Number of attempts so far, including the new attempt. */
  readonly attempt: number;
  /** End of the lease. */
  readonly deadline: number;
  /** The length of the lease. */
  readonly lease: number;
  /** Outcome of the previous attempt; empty: there was no previous attempt. */
  readonly outcome: contract.Outcome | null;
  /** Number of attempts that were lost. */
  readonly losses: number;
  /** Number of attempts that failed. */
  readonly failures: number;
  /** The parameters, as submitted. */
  readonly parameters: Buffer;
  /** The checkpoint; nil: none was saved. */
  readonly checkpoint: Buffer | null;
}

/** What `finish_and_reserve` answers. */
export interface FinishAndReserveReply {
  /**
   * A verdict for each end, separated by spaces: the reply of `complete`, `fail` or `release`, or an error code
   *   such as `LOST`.
   */
  readonly verdicts: string | null;
  /** The code of the error that kept the call from taking tasks. */
  readonly refusal: string | null;
  /** The entries. */
  readonly items: FinishAndReserveItem[];
}

/** The options of `finish_and_reserve`. */
export interface FinishAndReserveOptions {
  /** The process that works on the tasks. With `pid` the tasks are started at once. */
  readonly pid?: number | undefined;
  /** Lease of the attempt. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
  /** A wake-up was taken from the list. By default 0. */
  readonly woken?: boolean | undefined;
  /** Order in which the queues are asked. By default strict. */
  readonly order?: contract.Order | undefined;
  /** The share of each queue, for the order `weighted`. */
  readonly weights?: string | readonly number[] | undefined;
  /** Maximum size of the payload. By default 1048576. */
  readonly maxBytes?: number | undefined;
}

const FINISH_AND_RESERVE_REPLY: Shape<FinishAndReserveReply> = wire.list<FinishAndReserveReply>([
  { name: "verdicts", property: "verdicts", type: T.text, empty: true },
  { name: "refusal", property: "refusal", type: T.text, empty: true },
], wire.rows<FinishAndReserveItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "token", property: "token", type: T.token },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "deadline", property: "deadline", type: T.micros },
  { name: "lease", property: "lease", type: T.micros },
  { name: "outcome", property: "outcome", type: T.outcome, empty: true },
  { name: "losses", property: "losses", type: T.number },
  { name: "failures", property: "failures", type: T.number },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "checkpoint", property: "checkpoint", type: T.stored, nil: true },
]));

/**
 * Ends attempts like `complete`, `fail` or `release`, and takes the next tasks for the listener like `reserve`,
 *   in one call. A refused end does not affect the rest.
 *
 * @param listener The listener.
 * @param queues The queues to take tasks of, separated by commas; empty: only end attempts.
 * @param limit Maximum number of tasks to take.
 * @param each The entries.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: The verdicts on the ends, separated by spaces: the reply of the command for this end, or an error code;
 *   then the code of the error that prevented taking tasks, else an empty string; then for each task the reply of
 *   reserve.
 */
export function finishAndReserve(listener: string, queues: Names, limit: number, each: readonly FinishAndReserveEach[], options: FinishAndReserveOptions = {}): Call<FinishAndReserveReply> {
  return wire.call("finish_and_reserve", [listener, queues, limit, each.length, ...each.flatMap((one) => [one.ending, one.id, one.token, one.body, one.group, one.again, one.cost])], [
    ["pid", options.pid],
    ["lease", options.lease],
    ["request", options.request],
    ["woken", options.woken],
    ["order", options.order],
    ["weights", options.weights],
    ["max_bytes", options.maxBytes],
  ], FINISH_AND_RESERVE_REPLY, true, options);
}

/** What `get` answers. */
export interface GetReply {
  /** The state. */
  readonly status: contract.Status | null;
  /** The queue. */
  readonly queue: string | null;
  /** The parameters of the program that runs the task. */
  readonly parameters: Buffer | null;
  /** The result of the task. */
  readonly result: Buffer | null;
  /** The error with which the task failed. */
  readonly error: Buffer | null;
  /**
   * The kind of the error; `lost` and `released`: too many losses or releases; `deadline`: the deadline of the
   *   task has passed.
   */
  readonly group: string | null;
  /** The error of the last failed attempt, if the task was retried, cancelled, or past its deadline. */
  readonly lastError: Buffer | null;
  /** The kind of the last error. */
  readonly lastGroup: string | null;
  /** The listener of the attempt. */
  readonly node: string | null;
  /** The listener from which a client without scripts took the task. */
  readonly reclaimedNode: string | null;
  /** The process that runs the task. */
  readonly pid: number | null;
  /** Time of the task's creation. */
  readonly created: number | null;
  /** Time of the last change of state. */
  readonly updated: number | null;
  /** The time at which the task is due, or was due. */
  readonly eta: number | null;
  /** Number of attempts so far. A record without `attempt` was created by a client without scripts. */
  readonly attempt: number | null;
  /** The token of the current attempt. */
  readonly token: number | null;
  /** The token of the attempt that ended last. */
  readonly ended: number | null;
  /**
   * Outcome of the attempt that ended last. The hash lacks it if the task had no outcome before it completed;
   *   `get` returns it.
   */
  readonly outcome: contract.Outcome | null;
  /** The cost of an attempt, as its owner last reported it. */
  readonly cost: Buffer | null;
  /** The token of the attempt with this cost. */
  readonly costOf: number | null;
  /** The length of the lease. */
  readonly lease: number | null;
  /** The request id of the call that began the attempt. */
  readonly request: string | null;
  /** Time at which the task became pending after its eta. */
  readonly promoted: number | null;
  /** Time of the reservation. */
  readonly reserved: number | null;
  /** Time of the start. */
  readonly started: number | null;
  /** Number of attempts of this step that failed since the last `retry`. */
  readonly failures: number | null;
  /** Number of attempts of this step that were lost since the last `retry`. */
  readonly losses: number | null;
  /** Number of attempts of this step that were released since the last `retry`. */
  readonly releases: number | null;
  /** Number of releases of this step with `uncounted` since the last `retry`. */
  readonly uncounted: number | null;
  /** Number of losses since the task last reported progress, saved a checkpoint or was retried. */
  readonly stalledLosses: number | null;
  /** Number of the current run, counted from 1. */
  readonly round: number | null;
  /** The request id of the submit that began this run. */
  readonly roundRequest: string | null;
  /** The request id of the submit that queued a rerun. The rerun begins when the current run has ended. */
  readonly nextRound: string | null;
  /** Number of notes that were added to the history of the task. */
  readonly notes: number | null;
  /** Maximum lost attempts. */
  readonly maxLosses: number | null;
  /** The delay before the next attempt after a lost attempt. */
  readonly lostDelay: number | null;
  /** Maximum retries. */
  readonly maxFailures: number | null;
  /** Maximum releases. */
  readonly maxReleases: number | null;
  /** Growth of the delay from each retry to the next. */
  readonly backoff: contract.Backoff | null;
  /** The delay before the first retry. */
  readonly delay: number | null;
  /** The longest delay before a retry. */
  readonly maxDelay: number | null;
  /** Maximum part by which a delay is shortened. */
  readonly jitter: number | null;
  /** A line for people that says what the task does. */
  readonly title: string | null;
  /** The author of the submit. */
  readonly submitter: string | null;
  /** The method, which selects the program that a worker runs. */
  readonly method: string | null;
  /** The command line that the task runs, with its folder, its environment and its script. */
  readonly command: string | null;
  /** Maximum run time of an attempt. */
  readonly maxRun: number | null;
  /** Time before the end of `max_run` at which the program is warned. */
  readonly warn: number | null;
  /** Maximum time without a sign of life of the program. */
  readonly noProgress: number | null;
  /** Time between SIGTERM and SIGKILL when the program is stopped. */
  readonly grace: number | null;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice: number | null;
  /** The targets that are notified of events of the task, sorted. */
  readonly notify: string | null;
  /** The times of the `pending` notices that the task already has, separated by spaces. */
  readonly waited: string | null;
  /** Maximum size of the task's log. */
  readonly logBytes: number | null;
  /** The trace context of the submit. */
  readonly trace: string | null;
  /** The trace context of the last attempt that reported its span: the next attempt and dependents link to it. */
  readonly span: string | null;
  /** The lease of each attempt. */
  readonly ownLease: number | null;
  /** The queues that the task goes through after the current queue. */
  readonly steps: string | null;
  /** Number of completed steps. */
  readonly step: number | null;
  /** The priority. */
  readonly priority: number | null;
  /** The owner of the task, such as a tenant. */
  readonly key: string | null;
  /** Number of places that the task takes in each of its limits. */
  readonly weight: number | null;
  /** Needs of the task: what a listener must offer to run the task, sorted. */
  readonly needs: string | null;
  /** Shared limits in which the task takes places, sorted. */
  readonly limits: string | null;
  /** The unique name of the task. */
  readonly unique: string | null;
  /** The point until which the task holds the unique name. */
  readonly uniqueUntil: string | null;
  /** The rank of the task among the ranked tasks. */
  readonly rank: string | null;
  /** The key of the task has only one place. */
  readonly exclusive: boolean | null;
  /**
   * Flags of the task, one letter each: `r` ranked, `p` holds places, `u` unique name, `t` tags, `l` its own
   *   lease, `w` waits or waited for upstreams, `k` waits for at least N of a set, `d` has dependents, `g` part
   *   of a graph, `s` further steps, `e` deadline, `o` tracked, `a` a rerun is queued, `c` its owner was asked to
   *   suspend, to continue, to signal or to describe its program, `n` may have notices, `m` with notices of
   *   events that are due at a time, `x` skipped: no other task needs it, because what it waits to fail is
   *   complete; with `cancel` it is skipped once it has stopped.
   */
  readonly flags: string | null;
  /** The time by which the task must have ended. */
  readonly deadline: number | null;
  /** The eta was set by a retry, not by the submit. */
  readonly retryEta: boolean | null;
  /** The tags of the task, sorted. */
  readonly tags: string | null;
  /** Time of the cancel request that waits for the owner, or of the order to stop because of the deadline. */
  readonly cancel: number | null;
  /** The reason for the cancel. */
  readonly reason: string | null;
  /** Time of the request to the owner to give the task back. */
  readonly requeue: number | null;
  /**
   * The requests of `suspend`, `unsuspend`, `signal` and `describe` that wait for the owner: number, kind and
   *   detail of each, with a `;` after it.
   */
  readonly controls: string | null;
  /** Number of the latest request that the owner has answered. */
  readonly controlled: number | null;
  /** Number of the last request that the owner refused, and its reason. */
  readonly controlRefused: string | null;
  /** Time since which the program is suspended. */
  readonly suspended: number | null;
  /** Time at which the program was last continued. */
  readonly continued: number | null;
  /** The author of the `suspend`. */
  readonly suspendedBy: string | null;
  /** The author of the `hold`. */
  readonly heldBy: string | null;
  /** The task was returned to the front of the pending tasks, or is returned to the front when it is promoted. */
  readonly front: boolean | null;
  /** The progress of the attempt. */
  readonly progress: Buffer | null;
  /** Time of the progress report. */
  readonly progressed: number | null;
  /** The checkpoint for the next attempt. */
  readonly checkpoint: Buffer | null;
  /** Time at which the checkpoint was saved. */
  readonly checkpointed: number | null;
  /** The graph. */
  readonly graph: string | null;
  /** The name of the task within the graph. */
  readonly label: string | null;
  /** The inputs of the task, as submitted, without values. */
  readonly inputs: string | null;
  /** The length of each element of `parameters`. */
  readonly slots: string | null;
  /** Time at which all upstreams had ended. */
  readonly readied: number | null;
  /** The task whose end started the chain that ended this task. */
  readonly cause: string | null;
  /** Every outcome that the owner reports is discarded. */
  readonly discard: boolean | null;
  /** The position that this work has reached; `join`: see `ns_joined_ID`. */
  readonly cascade: string | null;
  /**
   * `UPDATED yes` if the result is JSON, otherwise `UPDATED no`; UPDATED is the time of the result. During the
   *   check: the position that the check has reached.
   */
  readonly checked: string | null;
  /** The schedule that created the task. */
  readonly schedule: string | null;
  /** The slot for which the schedule created the task. */
  readonly slot: number | null;
  /** The deadline to which a gap extended the lease. */
  readonly postponed: number | null;
  /** Fields of other programs and later versions. */
  readonly extra: Record<string, Buffer>;
}

const GET_REPLY: Shape<GetReply | null> = wire.maybe(wire.pairs<GetReply>([
  { name: "status", property: "status", type: T.status },
  { name: "queue", property: "queue", type: T.name },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "result", property: "result", type: T.stored },
  { name: "error", property: "error", type: T.stored },
  { name: "group", property: "group", type: T.group, empty: true },
  { name: "last_error", property: "lastError", type: T.stored },
  { name: "last_group", property: "lastGroup", type: T.group, empty: true },
  { name: "node", property: "node", type: T.listener },
  { name: "reclaimed_node", property: "reclaimedNode", type: T.text },
  { name: "pid", property: "pid", type: T.pid },
  { name: "created", property: "created", type: T.time },
  { name: "updated", property: "updated", type: T.time },
  { name: "eta", property: "eta", type: T.time },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "token", property: "token", type: T.token },
  { name: "ended", property: "ended", type: T.token, empty: true },
  { name: "outcome", property: "outcome", type: T.outcome },
  { name: "cost", property: "cost", type: T.shortText },
  { name: "cost_of", property: "costOf", type: T.token },
  { name: "lease", property: "lease", type: T.micros },
  { name: "request", property: "request", type: T.name, empty: true },
  { name: "promoted", property: "promoted", type: T.time },
  { name: "reserved", property: "reserved", type: T.time },
  { name: "started", property: "started", type: T.time },
  { name: "failures", property: "failures", type: T.number },
  { name: "losses", property: "losses", type: T.number },
  { name: "releases", property: "releases", type: T.number },
  { name: "uncounted", property: "uncounted", type: T.number },
  { name: "stalled_losses", property: "stalledLosses", type: T.number },
  { name: "round", property: "round", type: T.number },
  { name: "round_request", property: "roundRequest", type: T.name },
  { name: "next_round", property: "nextRound", type: T.name },
  { name: "notes", property: "notes", type: T.number },
  { name: "max_losses", property: "maxLosses", type: T.losses },
  { name: "lost_delay", property: "lostDelay", type: T.delay },
  { name: "max_failures", property: "maxFailures", type: T.failures },
  { name: "max_releases", property: "maxReleases", type: T.releases },
  { name: "backoff", property: "backoff", type: T.backoff },
  { name: "delay", property: "delay", type: T.delay },
  { name: "max_delay", property: "maxDelay", type: T.delay },
  { name: "jitter", property: "jitter", type: T.percent },
  { name: "title", property: "title", type: T.text, empty: true },
  { name: "submitter", property: "submitter", type: T.name },
  { name: "method", property: "method", type: T.name },
  { name: "command", property: "command", type: T.command },
  { name: "max_run", property: "maxRun", type: T.timeLimit },
  { name: "warn", property: "warn", type: T.timeLimit },
  { name: "no_progress", property: "noProgress", type: T.timeLimit },
  { name: "grace", property: "grace", type: T.grace },
  { name: "nice", property: "nice", type: T.niceness },
  { name: "notify", property: "notify", type: T.notify },
  { name: "waited", property: "waited", type: T.text },
  { name: "log_bytes", property: "logBytes", type: T.logSize },
  { name: "trace", property: "trace", type: T.trace },
  { name: "span", property: "span", type: T.trace },
  { name: "own_lease", property: "ownLease", type: T.micros },
  { name: "steps", property: "steps", type: T.steps },
  { name: "step", property: "step", type: T.number },
  { name: "priority", property: "priority", type: T.priority },
  { name: "key", property: "key", type: T.name },
  { name: "weight", property: "weight", type: T.weight },
  { name: "needs", property: "needs", type: T.needs },
  { name: "limits", property: "limits", type: T.limits },
  { name: "unique", property: "unique", type: T.name },
  { name: "unique_until", property: "uniqueUntil", type: T.uniqueUntil },
  { name: "rank", property: "rank", type: T.text },
  { name: "exclusive", property: "exclusive", type: T.flag },
  { name: "flags", property: "flags", type: T.text },
  { name: "deadline", property: "deadline", type: T.time },
  { name: "retry_eta", property: "retryEta", type: T.flag },
  { name: "tags", property: "tags", type: T.tags },
  { name: "cancel", property: "cancel", type: T.time },
  { name: "reason", property: "reason", type: T.text, empty: true },
  { name: "requeue", property: "requeue", type: T.time },
  { name: "controls", property: "controls", type: T.text },
  { name: "controlled", property: "controlled", type: T.number },
  { name: "control_refused", property: "controlRefused", type: T.text },
  { name: "suspended", property: "suspended", type: T.time },
  { name: "continued", property: "continued", type: T.time },
  { name: "suspended_by", property: "suspendedBy", type: T.text, empty: true },
  { name: "held_by", property: "heldBy", type: T.text, empty: true },
  { name: "front", property: "front", type: T.flag },
  { name: "progress", property: "progress", type: T.progressText },
  { name: "progressed", property: "progressed", type: T.time },
  { name: "checkpoint", property: "checkpoint", type: T.stored },
  { name: "checkpointed", property: "checkpointed", type: T.time },
  { name: "graph", property: "graph", type: T.name },
  { name: "label", property: "label", type: T.text, empty: true },
  { name: "inputs", property: "inputs", type: T.text },
  { name: "slots", property: "slots", type: T.text },
  { name: "readied", property: "readied", type: T.time },
  { name: "cause", property: "cause", type: T.name },
  { name: "discard", property: "discard", type: T.flag },
  { name: "cascade", property: "cascade", type: T.text },
  { name: "checked", property: "checked", type: T.text },
  { name: "schedule", property: "schedule", type: T.scheduleName },
  { name: "slot", property: "slot", type: T.slot },
  { name: "postponed", property: "postponed", type: T.deadline },
], {"absent":true,"open":true}));

/**
 * Returns the whole record of a task.
 *
 * @param id The task.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Nil if there is no such task; else field and value in turn.
 */
export function get(id: string): Call<GetReply | null> {
  return wire.call("get", [id], [
  ], GET_REPLY, false);
}

/** What `get_many` answers. */
export interface GetManyReply {
  /** The task whose record follows, with the fields that `get` returns. */
  readonly id: string | null;
  /** No task has this id. */
  readonly missing: boolean | null;
  /** Fields of other programs and later versions. */
  readonly extra: Record<string, Buffer>;
}

const GET_MANY_REPLY: Shape<GetManyReply[]> = wire.groups("id", wire.pairs<GetManyReply>([
  { name: "id", property: "id", type: T.name },
  { name: "missing", property: "missing", type: T.flag, absent: true },
], {"absent":true,"open":true}));

/**
 * Returns the records of up to 500 tasks, each with its id. The reply ends after 8 MiB: call again for the tasks
 *   that are not in it.
 *
 * @param ids The task.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each task its `id`, then field and value in turn, or `missing` if there is no such task.
 */
export function getMany(ids: readonly string[]): Call<GetManyReply[]> {
  return wire.call("get_many", [ids.length, ...ids], [
  ], GET_MANY_REPLY, false);
}

/** One of what `graphs` answers. */
export interface GraphsItem {
  /** The graph. */
  readonly id: string;
  /** `created` if all tasks of the graph have arrived, otherwise `staging`. */
  readonly state: "staging" | "created";
  /** Time at which the last task arrived. */
  readonly created: number;
  /** Number of tasks of the graph. */
  readonly total: number;
  /** Number of tasks that are not deleted. */
  readonly left: number;
  /** Number of complete tasks. */
  readonly complete: number;
  /** Number of failed tasks. */
  readonly failed: number;
  /** Number of cancelled tasks, without the skipped tasks. */
  readonly cancelled: number;
  /** Number of tasks that were not needed, because what they wait to fail is complete; not in `cancelled`. */
  readonly skipped: number;
  /** The name of the graph. */
  readonly name: string | null;
  /** The tags of the graph. */
  readonly tags: string | null;
}

/** What `graphs` answers. */
export interface GraphsReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: GraphsItem[];
}

const GRAPHS_REPLY: Shape<GraphsReply> = wire.list<GraphsReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<GraphsItem>([
  { name: "id", property: "id", type: T.name },
  { name: "state", property: "state", words: ["staging","created"] },
  { name: "created", property: "created", type: T.time },
  { name: "total", property: "total", type: T.number },
  { name: "left", property: "left", type: T.number },
  { name: "complete", property: "complete", type: T.number },
  { name: "failed", property: "failed", type: T.number },
  { name: "cancelled", property: "cancelled", type: T.number },
  { name: "skipped", property: "skipped", type: T.number },
  { name: "name", property: "name", type: T.text, empty: true },
  { name: "tags", property: "tags", type: T.tags, empty: true },
]));

/**
 * Lists the graphs of the namespace, newest first.
 *
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each graph: its id, `staging` or `created`, the time of its last
 *   submission, its number of tasks, the number of tasks that are not deleted, how many of these are complete,
 *   failed, cancelled and skipped, its name and its tags.
 */
export function graphs(cursor: string, limit: number): Call<GraphsReply> {
  return wire.call("graphs", [cursor, limit], [
  ], GRAPHS_REPLY, false);
}

/** One of what `groups` answers. */
export interface GroupsItem {
  /** The group; empty: failures without a group. */
  readonly group: string | null;
  /** Number of failed tasks of the group. */
  readonly tasks: number;
  /** The task that failed last. */
  readonly last: string | null;
  /** Time at which that task failed. */
  readonly at: number | null;
}

/** What `groups` answers. */
export interface GroupsReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: GroupsItem[];
}

const GROUPS_REPLY: Shape<GroupsReply> = wire.list<GroupsReply>([
  { name: "cursor", property: "cursor", type: T.place },
], wire.rows<GroupsItem>([
  { name: "group", property: "group", type: T.group, empty: true },
  { name: "tasks", property: "tasks", type: T.number },
  { name: "last", property: "last", type: T.name, empty: true },
  { name: "at", property: "at", type: T.time, empty: true },
]));

/**
 * Lists the groups of a queue's failures, largest first.
 *
 * @param queue The queue.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each group: its name, its number of failed tasks, the task that
 *   failed last, and the time of that failure.
 */
export function groups(queue: string, cursor: string, limit: number): Call<GroupsReply> {
  return wire.call("groups", [queue, cursor, limit], [
  ], GROUPS_REPLY, false);
}

/** What `handshake` answers. */
export interface HandshakeReply {
  /** The schema of the data. */
  readonly schema: number;
  /** The server's time. */
  readonly now: number;
  /** The namespace holds data. */
  readonly known: boolean;
  /** The eviction policy; empty: this user may not read it. */
  readonly policy: string | null;
  /** The namespace is for tests. */
  readonly test: boolean;
  /**
   * Commands that this user may not run: `NAME:COMMAND,COMMAND`, separated by spaces. Without `PUBLISH`
   *   (`messages:PUBLISH`), wake-ups and orders arrive late.
   */
  readonly lacks: string | null;
}

const HANDSHAKE_REPLY: Shape<HandshakeReply> = wire.list<HandshakeReply>([
  { name: "schema", property: "schema", type: T.number },
  { name: "now", property: "now", type: T.time },
  { name: "known", property: "known", type: T.flag },
  { name: "policy", property: "policy", type: T.text, empty: true },
  { name: "test", property: "test", type: T.flag },
  { name: "lacks", property: "lacks", type: T.text, empty: true },
]);

/**
 * Checks the server, the schema, the eviction policy and the permissions of this user. Clients call it first.
 *
 *
 * Errors: BADARG, BADNAME, EVICTION, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Schema; server time; 1 if the namespace holds data; the eviction policy, or an empty string if this user
 *   may not read it; 1 if the namespace is for tests; and the permissions that this user lacks:
 *   `NAME:COMMAND,COMMAND` for each command of the bundle that this user may not run, separated by spaces, and
 *   `messages:PUBLISH` if wake-ups and orders will be late.
 */
export function handshake(): Call<HandshakeReply> {
  return wire.call("handshake", [], [
  ], HANDSHAKE_REPLY, false);
}

/** One entry of a call of `heartbeat`. */
export interface HeartbeatEach {
  /** The task. */
  readonly id: string;
  /** The token of the attempt. */
  readonly token: number;
}

/** What `heartbeat` answers. */
export interface HeartbeatReply {
  /** End of the leases. */
  readonly deadline: number;
  /** The order to the owner of the task. */
  readonly items: ("continue" | "attend" | "cancel" | "drain" | "stop" | "lost" | "kill")[];
}

const HEARTBEAT_REPLY: Shape<HeartbeatReply> = wire.list<HeartbeatReply>([
  { name: "deadline", property: "deadline", type: T.deadline },
], wire.values<"continue" | "attend" | "cancel" | "drain" | "stop" | "lost" | "kill">({ name: "order", property: "order", words: ["continue","attend","cancel","drain","stop","lost","kill"] }));

/**
 * Renews the leases of tasks that a listener holds, and returns an order for each task.
 *
 * @param queue The queue.
 * @param listener The listener.
 * @param lease The lease from now on.
 * @param each The entries.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Deadline, then for each task `continue`, `attend`, `cancel`, `drain`, `stop`, `kill` or `lost`.
 */
export function heartbeat(queue: string, listener: string, lease: Seconds, each: readonly HeartbeatEach[]): Call<HeartbeatReply> {
  return wire.call("heartbeat", [queue, listener, lease, each.length, ...each.flatMap((one) => [one.id, one.token])], [
  ], HEARTBEAT_REPLY, false);
}

/** One of what `history` answers. */
export interface HistoryItem {
  /** Number of the transition, from 1. */
  readonly number: number;
  /** Time of the transition. */
  readonly at: number | null;
  /** The previous state; empty for a new task. */
  readonly from: contract.Reached | null;
  /** The new state. */
  readonly to: contract.Reached;
  /** Number of attempts at that time. */
  readonly attempt: number;
  /** The listener that made the transition, or the author of the note or the edit. */
  readonly by: string | null;
  /**
   * The cause of the transition: the command, the reason of a release, or `lost`; `note` or `edit` for these
   *   entries. Empty: a client without scripts made the transition.
   */
  readonly why: string | null;
  /** The outcome of the attempt, if the transition ended an attempt. */
  readonly outcome: contract.Outcome | null;
  /** The kind of the error that ended that attempt. */
  readonly group: string | null;
  /** The first 256 bytes of the error that ended that attempt. */
  readonly error: Buffer | null;
  /** The cost of that attempt. */
  readonly cost: Buffer | null;
  /** The text of a note, or the reason of an edit. */
  readonly note: Buffer | null;
  /**
   * The data of a note; or the changes of an edit as JSON, `NAME: [before, after]`, with the sizes of the
   *   parameters in bytes.
   */
  readonly data: Buffer | null;
}

/** What `history` answers. */
export interface HistoryReply {
  /** The number of the last transition; the value of `after` if there was none. */
  readonly last: number;
  /** The entries. */
  readonly items: HistoryItem[];
}

const HISTORY_REPLY: Shape<HistoryReply> = wire.list<HistoryReply>([
  { name: "last", property: "last", type: T.number },
], wire.rows<HistoryItem>([
  { name: "number", property: "number", type: T.number },
  { name: "at", property: "at", type: T.time, empty: true },
  { name: "from", property: "from", type: T.reached, empty: true },
  { name: "to", property: "to", type: T.reached },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "by", property: "by", type: T.name, empty: true },
  { name: "why", property: "why", type: T.name, empty: true },
  { name: "outcome", property: "outcome", type: T.outcome, empty: true },
  { name: "group", property: "group", type: T.group, empty: true },
  { name: "error", property: "error", type: T.shortText, empty: true },
  { name: "cost", property: "cost", type: T.shortText, empty: true },
  { name: "note", property: "note", type: T.shortText, empty: true },
  { name: "data", property: "data", type: T.stored, empty: true },
]));

/**
 * Returns the transitions and notes of a task after a number: first the transitions that are kept of earlier
 *   attempts, then the transitions in its record.
 *
 * @param id The task.
 * @param after The number of the last transition that was read; 0 for none.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of the last transition (`after` again if there is none), then for each transition or note: its
 *   number, at, from, to, attempt, by, why; the outcome, group, beginning of the error and cost of an attempt
 *   that ended; the text and data of a note.
 */
export function history(id: string, after: number, limit: number): Call<HistoryReply> {
  return wire.call("history", [id, after, limit], [
  ], HISTORY_REPLY, false);
}

/** The options of `hold`. */
export interface HoldOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const HOLD_REPLY: Shape<"held"> = wire.single({ name: "reply", property: "reply", words: ["held"] });

/**
 * Holds a pending or scheduled task: it does not start until `unhold`.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: `held`.
 */
export function hold(id: string, options: HoldOptions = {}): Call<"held"> {
  return wire.call("hold", [id], [
    ["by", options.by],
    ["request", options.request],
  ], HOLD_REPLY, true, options);
}

/** The options of `limit`. */
export interface LimitOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** Delete the limit when no unfinished task, queued rerun or schedule has used it for this long. */
  readonly expires?: number | undefined;
}

const LIMIT_REPLY: Shape<"limited"> = wire.single({ name: "reply", property: "reply", words: ["limited"] });

/**
 * Sets the concurrency and the rate of one key of a queue, in place of the queue's settings; `-` stands for the
 *   queue's setting. With queue `*`, sets a shared limit: tasks of any queue count against it if they list it in
 *   their option `limits`; `-` stands for no bound. A shared limit with neither bound is removed; an unused
 *   shared limit is removed after `expires`.
 *
 * @param queue The queue; `*` for a shared limit.
 * @param key The key, or the name of the shared limit.
 * @param concurrency Places of the key.
 * @param rate Starts of the key.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTEMPTY, RETRY, SCHEMA, TOOMANY, WRONGKEY.
 * Reply: `limited`.
 */
export function limit(queue: string, key: string, concurrency: string, rate: string, options: LimitOptions = {}): Call<"limited"> {
  return wire.call("limit", [queue, key, concurrency, rate], [
    ["by", options.by],
    ["expires", options.expires],
  ], LIMIT_REPLY, false, options);
}

/** One of what `limits` answers. */
export interface LimitsItem {
  /** The key, or the name of the shared limit. */
  readonly key: string;
  /** Number of places; `-`: the queue's setting applies. */
  readonly concurrency: number | "-";
  /** The rate; `-`: the queue's setting applies. */
  readonly rate: string | "-";
  /** Number of places in use. */
  readonly used: number;
  /** Number of unfinished tasks and schedules that name the shared limit; `-` for a key. */
  readonly tasks: number | "-";
  /** Number of seconds after which an unused shared limit is deleted; `-`: never. */
  readonly expires: number | "-";
}

/** What `limits` answers. */
export interface LimitsReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: LimitsItem[];
}

/** The options of `limits`. */
export interface LimitsOptions {
  /** List keys with running tasks and their places in use, instead of keys with their own limits. By default 0. */
  readonly used?: boolean | undefined;
}

const LIMITS_REPLY: Shape<LimitsReply> = wire.list<LimitsReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<LimitsItem>([
  { name: "key", property: "key", type: T.name },
  { name: "concurrency", property: "concurrency", type: T.places, words: ["-"] },
  { name: "rate", property: "rate", type: T.rate, words: ["-"] },
  { name: "used", property: "used", type: T.number },
  { name: "tasks", property: "tasks", type: T.number, words: ["-"] },
  { name: "expires", property: "expires", type: T.expiry, words: ["-"] },
]));

/**
 * Lists the keys of a queue that have limits of their own, or with `used 1` the keys whose tasks are running.
 *   With queue `*`, lists the shared limits.
 *
 * @param queue The queue; `*` for the shared limits.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each key or shared limit: its name, its places (`-`: the queue's
 *   setting), its rate (also `-`), its places in use, the number of unfinished tasks that list the shared limit,
 *   and its `expires`; the last two are `-` if they do not apply.
 */
export function limits(queue: string, cursor: string, limit: number, options: LimitsOptions = {}): Call<LimitsReply> {
  return wire.call("limits", [queue, cursor, limit], [
    ["used", options.used],
  ], LIMITS_REPLY, false, options);
}

/** What `list` answers. */
export interface ListReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** A task. */
  readonly items: string[];
}

const LIST_REPLY: Shape<ListReply> = wire.list<ListReply>([
  { name: "cursor", property: "cursor", type: T.listCursor },
], wire.values<string>({ name: "id", property: "id", type: T.name }));

/**
 * Lists the ids of a queue's tasks in one state, or in `all` states. Pending tasks are listed by priority, then
 *   in the order in which they became pending, regardless of limits, needs, turns of keys and ageing; scheduled
 *   tasks by eta; reserved and started tasks in no order; `all` by creation; tasks in other states newest first.
 *
 * @param queue The queue.
 * @param status The list.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then ids.
 */
export function list(queue: string, status: contract.List, cursor: string, limit: number): Call<ListReply> {
  return wire.call("list", [queue, status, cursor, limit], [
  ], LIST_REPLY, false);
}

/** One of what `list_held` answers. */
export interface ListHeldItem {
  /** The task. */
  readonly id: string;
  /** The state of the task. */
  readonly status: contract.Status | null;
  /** The token of the attempt. */
  readonly token: number | null;
  /** Number of attempts so far. */
  readonly attempt: number;
  /** End of the lease. */
  readonly deadline: number | null;
  /** The process that runs the task. */
  readonly pid: number | null;
}

const LIST_HELD_REPLY: Shape<ListHeldItem[]> = wire.rows<ListHeldItem>([
  { name: "id", property: "id", type: T.name },
  { name: "status", property: "status", type: T.status, empty: true },
  { name: "token", property: "token", type: T.token, empty: true },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "deadline", property: "deadline", type: T.deadline, empty: true },
  { name: "pid", property: "pid", type: T.pid, empty: true },
]);

/**
 * Lists the tasks that a listener holds, newest first, and the tasks that it claimed from other listeners. Finds
 *   a reservation whose reply was lost.
 *
 * @param queue The queue.
 * @param listener The listener.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each task (500 at most): id status token attempt deadline pid.
 */
export function listHeld(queue: string, listener: string): Call<ListHeldItem[]> {
  return wire.call("list_held", [queue, listener], [
  ], LIST_HELD_REPLY, false);
}

/** One of what `listeners` answers. */
export interface ListenersItem {
  /** The listener. */
  readonly listener: string;
  /** Time at which the listener was last seen. */
  readonly seen: number | null;
  /** Number of tasks that the listener holds. */
  readonly held: number;
}

/** What `listeners` answers. */
export interface ListenersReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: ListenersItem[];
}

const LISTENERS_REPLY: Shape<ListenersReply> = wire.list<ListenersReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<ListenersItem>([
  { name: "listener", property: "listener", type: T.listener },
  { name: "seen", property: "seen", type: T.time, empty: true },
  { name: "held", property: "held", type: T.number },
]));

/**
 * Lists the listeners of a queue.
 *
 * @param queue The queue.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each listener: its id, when it was last seen, and the number of
 *   tasks that it holds.
 */
export function listeners(queue: string, cursor: string, limit: number): Call<ListenersReply> {
  return wire.call("listeners", [queue, cursor, limit], [
  ], LISTENERS_REPLY, false);
}

/** One of what `logs` answers. */
export interface LogsItem {
  /** Time at which the text was sent. */
  readonly at: number;
  /** The attempt that sent the text. */
  readonly attempt: number;
  /** The source of the text. */
  readonly source: string;
  /** The text. */
  readonly text: Buffer;
  /** The offset of the text in the attempt's log, in bytes; empty: unknown. */
  readonly offset: number | null;
}

/** What `logs` answers. */
export interface LogsReply {
  /** The last entry; the value of `after` if there was none. */
  readonly last: string;
  /** The entries. */
  readonly items: LogsItem[];
}

/** The options of `logs`. */
export interface LogsOptions {
  /** Begin this number of bytes before the end of the log. */
  readonly tail?: number | undefined;
}

const LOGS_REPLY: Shape<LogsReply> = wire.list<LogsReply>([
  { name: "last", property: "last", type: T.entry },
], wire.rows<LogsItem>([
  { name: "at", property: "at", type: T.time },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "source", property: "source", type: T.name },
  { name: "text", property: "text", type: T.logText },
  { name: "offset", property: "offset", type: T.number, empty: true },
]));

/**
 * Returns a task's log after an entry, or with `tail` the end of the log. A page ends after 1 MiB of text.
 *
 * @param id The task.
 * @param after The last entry that was read.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Id of the last entry (`after` again if there is none), then for each entry: its time, attempt, source,
 *   text and offset (empty if the sender passed none).
 */
export function logs(id: string, after: string, limit: number, options: LogsOptions = {}): Call<LogsReply> {
  return wire.call("logs", [id, after, limit], [
    ["tail", options.tail],
  ], LOGS_REPLY, false, options);
}

/** One of what `maintenance` answers. */
export interface MaintenanceItem {
  /** A cron schedule that needs more slots. */
  readonly name: string;
  /** The recurrence of the schedule. */
  readonly recurrence: string;
  /** The time after which the schedule needs slots. */
  readonly after: number;
}

/** What `maintenance` answers. */
export interface MaintenanceReply {
  /** The part of the maintenance that was done; empty: no part had work. */
  readonly part: "tick" | "run_deferred" | "promote" | "requeue_orphans" | "aggregate" | "prune" | "repair" | null;
  /** Amount of work done: number of tasks, or of events that `aggregate` read. */
  readonly number: number;
  /** More maintenance is due at once. */
  readonly more: boolean;
  /** Time at which the next part is due. */
  readonly next: number;
  /** The error of a part that failed and did nothing. The other parts continue. */
  readonly trouble: string | null;
  /** The entries. */
  readonly items: MaintenanceItem[];
}

const MAINTENANCE_REPLY: Shape<MaintenanceReply> = wire.list<MaintenanceReply>([
  { name: "part", property: "part", words: ["tick","run_deferred","promote","requeue_orphans","aggregate","prune","repair"], empty: true },
  { name: "number", property: "number", type: T.number },
  { name: "more", property: "more", type: T.flag },
  { name: "next", property: "next", type: T.time },
  { name: "trouble", property: "trouble", type: T.text, empty: true },
], wire.rows<MaintenanceItem>([
  { name: "name", property: "name", type: T.scheduleName },
  { name: "recurrence", property: "recurrence", type: T.recurrence },
  { name: "after", property: "after", type: T.slot },
]));

/**
 * Does the next part of the maintenance of the namespace and of these queues. The parts of the namespace are
 *   `tick` and `run_deferred`; the parts of a queue are `promote`, `requeue_orphans`, `aggregate`, `prune` and
 *   `repair`. The parts take turns, every two seconds, regardless of who calls. An error of one part is returned,
 *   and the rest continue.
 *
 * @param queues The queue.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: The part that was done, or an empty string; the amount of work done; 1 if more work is due at once; when
 *   the next work is due, in seconds; the error of the part, or an empty string; then for each cron schedule that
 *   needs more slots: its name, its recurrence, and the time after which it needs them.
 */
export function maintenance(queues: readonly string[]): Call<MaintenanceReply> {
  return wire.call("maintenance", [queues.length, ...queues], [
  ], MAINTENANCE_REPLY, false);
}

/** The options of `move`. */
export interface MoveOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const MOVE_REPLY: Shape<"moved"> = wire.single({ name: "reply", property: "reply", words: ["moved"] });

/**
 * Moves a waiting task to another queue, behind the tasks that already wait there. The task keeps its time,
 *   priority, key, needs, tags and unique name.
 *
 * @param id The task.
 * @param queue The new queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
 * Reply: `moved`.
 */
export function move(id: string, queue: string, options: MoveOptions = {}): Call<"moved"> {
  return wire.call("move", [id, queue], [
    ["by", options.by],
    ["request", options.request],
  ], MOVE_REPLY, true, options);
}

/** The options of `note`. */
export interface NoteOptions {
  /** The author of the note; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** Further data for programs, opaque; `blueque` sends a JSON object. */
  readonly data?: Bytes | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const NOTE_REPLY: Shape<"noted"> = wire.single({ name: "reply", property: "reply", words: ["noted"] });

/**
 * Adds a note to the history of a task, in any state. The setting `history` bounds notes and transitions
 *   together.
 *
 * @param id The task.
 * @param text The text.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `noted`.
 */
export function note(id: string, text: Bytes, options: NoteOptions = {}): Call<"noted"> {
  return wire.call("note", [id, text], [
    ["by", options.by],
    ["data", options.data],
    ["request", options.request],
  ], NOTE_REPLY, true, options);
}

/** One of what `notices` answers. */
export interface NoticesItem {
  /** The number of the notice, counted from 1. */
  readonly number: number;
  /** The target. */
  readonly target: string;
  /** The event. */
  readonly event: contract.NoticeEvent;
  /** Time of the event. */
  readonly at: number;
  /** Number of attempts at that time. */
  readonly attempt: number;
  /**
   * `open`: not delivered yet; `given_up`: not delivered within three days; `dropped`: never tried, because the
   *   outbox of the target was full.
   */
  readonly stage: "open" | "delivered" | "given_up" | "dropped";
  /** Number of tries to deliver the notice. */
  readonly tries: number;
  /** Time of the last answer. */
  readonly answered: number | null;
  /** The last answer of the target, or the last error; at most 1 KiB. */
  readonly answer: Buffer | null;
}

const NOTICES_REPLY: Shape<NoticesItem[]> = wire.rows<NoticesItem>([
  { name: "number", property: "number", type: T.number },
  { name: "target", property: "target", type: T.name },
  { name: "event", property: "event", type: T.noticeEvent },
  { name: "at", property: "at", type: T.time },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "stage", property: "stage", words: ["open","delivered","given_up","dropped"] },
  { name: "tries", property: "tries", type: T.number },
  { name: "answered", property: "answered", type: T.time, empty: true },
  { name: "answer", property: "answer", type: T.stored, empty: true },
]);

/**
 * Lists the notices of a task or a graph, oldest first: the last 64. The open notices of a deleted task are
 *   listed until they are delivered.
 *
 * @param of The kind of object.
 * @param subject The id of the task or the graph.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each notice its number, its target, the event, its time, the number of attempts of the task, its
 *   stage, the number of tries, and the time and text of the last answer of its target.
 */
export function notices(of: contract.NoticeOf, subject: string): Call<NoticesItem[]> {
  return wire.call("notices", [of, subject], [
  ], NOTICES_REPLY, false);
}

/** The options of `pause`. */
export interface PauseOptions {
  /** Also order running tasks to save a checkpoint and stop. By default 0. */
  readonly stop?: boolean | undefined;
}

const PAUSE_REPLY: Shape<"paused"> = wire.single({ name: "reply", property: "reply", words: ["paused"] });

/**
 * Stops a queue from giving out tasks. Running tasks continue; with `stop`, heartbeats order their owners to give
 *   them back.
 *
 * @param queue The queue.
 * @param by The user or program that asks for the pause.
 * @param reason The reason, for people.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `paused`.
 */
export function pause(queue: string, by: string, reason: Bytes, options: PauseOptions = {}): Call<"paused"> {
  return wire.call("pause", [queue, by, reason], [
    ["stop", options.stop],
  ], PAUSE_REPLY, false, options);
}

const PAUSE_SCHEDULE_REPLY: Shape<"paused"> = wire.single({ name: "reply", property: "reply", words: ["paused"] });

/**
 * Stops a schedule from creating tasks. Slots that pass during the pause create no tasks.
 *
 * @param name The schedule.
 * @param by The user or program that asks for the pause.
 * @param reason The reason, for people.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `paused`.
 */
export function pauseSchedule(name: string, by: string, reason: Bytes): Call<"paused"> {
  return wire.call("pause_schedule", [name, by, reason], [
  ], PAUSE_SCHEDULE_REPLY, false);
}

/** One of what `peek` answers. */
export interface PeekItem {
  /** The task. */
  readonly id: string;
  /**
   * The reason why the task is passed over. `paused`: the queue is paused; `draining`: the listener drains;
   *   `*_full`: the queue, the key or a shared limit has no free places; `*_rate`: its rate allows no start;
   *   `limit_turn`: other tasks go first at a shared limit; `behind`: an earlier task waits for several places,
   *   or is the next task of the key; `needs`: the listener lacks a need; `gone`: the task is no longer pending.
   *   Empty: the task is given out.
   */
  readonly why: "paused" | "draining" | "queue_full" | "queue_rate" | "behind" | "key_full" | "key_rate" | "needs" | "limit_full" | "limit_rate" | "limit_turn" | "gone" | null;
  /** Time until which a rate holds the task back. */
  readonly until: number | null;
}

/** The options of `peek`. */
export interface PeekOptions {
  /** The listener that asks. Its stored capabilities apply unless `has` is given. */
  readonly listener?: string | undefined;
  /** The capabilities that the listener offers to tasks with needs. */
  readonly has?: Names | undefined;
}

const PEEK_REPLY: Shape<PeekItem[]> = wire.rows<PeekItem>([
  { name: "id", property: "id", type: T.name },
  { name: "why", property: "why", words: ["paused","draining","queue_full","queue_rate","behind","key_full","key_rate","needs","limit_full","limit_rate","limit_turn","gone"], empty: true },
  { name: "until", property: "until", type: T.time, empty: true },
]);

/**
 * Lists the tasks of a queue that `reserve` would give out now, in this order, and the tasks that it would pass
 *   over, with the reason. Changes nothing. With `listener`, the reply is for this registered listener; with
 *   `has`, for a listener that offers this.
 *
 * @param queue The queue.
 * @param limit Maximum number of tasks that are given out, and maximum number of tasks that are passed over.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each task: its id; an empty string if it is given out, else the reason why it is passed over; and
 *   until when, if this is known. Tasks that are given out come first.
 */
export function peek(queue: string, limit: number, options: PeekOptions = {}): Call<PeekItem[]> {
  return wire.call("peek", [queue, limit], [
    ["listener", options.listener],
    ["has", options.has],
  ], PEEK_REPLY, false, options);
}

/** The options of `prioritise`. */
export interface PrioritiseOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const PRIORITISE_REPLY: Shape<"prioritised"> = wire.single({ name: "reply", property: "reply", words: ["prioritised"] });

/**
 * Changes the priority of a waiting task, and puts it behind the tasks of its queue that already have this
 *   priority.
 *
 * @param id The task.
 * @param priority The new priority.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: `prioritised`.
 */
export function prioritise(id: string, priority: number, options: PrioritiseOptions = {}): Call<"prioritised"> {
  return wire.call("prioritise", [id, priority], [
    ["by", options.by],
    ["request", options.request],
  ], PRIORITISE_REPLY, true, options);
}

const PROGRESS_REPLY: Shape<"kept"> = wire.single({ name: "reply", property: "reply", words: ["kept"] });

/**
 * Stores the progress of an attempt, for people to read.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param progress The progress of the task.
 *
 * Errors: BADARG, BADNAME, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: `kept`.
 */
export function progress(id: string, token: number, progress: Bytes): Call<"kept"> {
  return wire.call("progress", [id, token, progress], [
  ], PROGRESS_REPLY, false);
}

/** What `promote` answers. */
export interface PromoteReply {
  /** Number of tasks that became pending. */
  readonly promoted: number;
  /** More tasks are due. */
  readonly more: boolean;
  /** Time at which the next task is due. */
  readonly next: number | null;
}

const PROMOTE_REPLY: Shape<PromoteReply> = wire.list<PromoteReply>([
  { name: "promoted", property: "promoted", type: T.number },
  { name: "more", property: "more", type: T.flag },
  { name: "next", property: "next", type: T.time, empty: true },
]);

/**
 * Makes due scheduled tasks pending, and lets tasks start that a rate or a changed limit held back.
 *
 * @param queue The queue.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of tasks promoted, 1 if more tasks are due, and when the next task is due, in seconds, or an
 *   empty string.
 */
export function promote(queue: string, limit: number): Call<PromoteReply> {
  return wire.call("promote", [queue, limit], [
  ], PROMOTE_REPLY, false);
}

/** What `prune` answers. */
export interface PruneReply {
  /** Number of tasks that were deleted. */
  readonly deleted: number;
  /** More tasks are left to delete. */
  readonly more: boolean;
}

/** The options of `prune`. */
export interface PruneOptions {
  /** Number of finished tasks to keep. By default the setting `keep`. */
  readonly keep?: number | undefined;
  /** Time for which finished tasks are kept. By default the setting `retain`. */
  readonly seconds?: Seconds | undefined;
}

const PRUNE_REPLY: Shape<PruneReply> = wire.list<PruneReply>([
  { name: "deleted", property: "deleted", type: T.number },
  { name: "more", property: "more", type: T.flag },
]);

/**
 * Deletes the oldest finished tasks: tasks beyond a number, and tasks older than an age. Keeps tasks whose
 *   results are still needed by other tasks. Also removes expired unique names, and the logs of tasks that ended
 *   a day ago.
 *
 * @param queue The queue.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of tasks deleted, 1 if more tasks must be deleted.
 */
export function prune(queue: string, limit: number, options: PruneOptions = {}): Call<PruneReply> {
  return wire.call("prune", [queue, limit], [
    ["keep", options.keep],
    ["seconds", options.seconds],
  ], PRUNE_REPLY, false, options);
}

/** One of what `queues` answers. */
export interface QueuesItem {
  /** The queue. */
  readonly queue: string;
  /** Number of listeners that take tasks of the queue. */
  readonly listeners: number;
  /** Author, time and reason of the pause. */
  readonly paused: string | null;
  /** `stop` if the pause also stops running tasks. */
  readonly stop: "stop" | null;
}

/** What `queues` answers. */
export interface QueuesReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: QueuesItem[];
}

const QUEUES_REPLY: Shape<QueuesReply> = wire.list<QueuesReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<QueuesItem>([
  { name: "queue", property: "queue", type: T.name },
  { name: "listeners", property: "listeners", type: T.number },
  { name: "paused", property: "paused", type: T.pause, empty: true },
  { name: "stop", property: "stop", words: ["stop"], empty: true },
]));

/**
 * Lists the queues of the namespace.
 *
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each queue: its name; the number of listeners that take its tasks;
 *   when it was paused, by whom and why, or an empty string; and `stop` if its running tasks are stopped.
 */
export function queues(cursor: string, limit: number): Call<QueuesReply> {
  return wire.call("queues", [cursor, limit], [
  ], QUEUES_REPLY, false);
}

/** One of what `ready` answers. */
export interface ReadyItem {
  /** The queue. */
  readonly queue: string;
  /** Number of the first matching pattern, counted from 1, not counting patterns that begin with `!`. */
  readonly pattern: number;
}

/** What `ready` answers. */
export interface ReadyReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /**
   * The name, without `NAMESPACE_`, of the list on which the listener waits if it finds no task; empty: call
   *   again after a second.
   */
  readonly list: string | null;
  /** The search for tasks from clients without scripts is not finished: call again at once. */
  readonly more: boolean;
  /** The entries. */
  readonly items: ReadyItem[];
}

/** The options of `ready`. */
export interface ReadyOptions {
  /** The capabilities that the listener offers to tasks with needs. */
  readonly has?: Names | undefined;
  /** A wake-up was taken from the list. By default 0. */
  readonly woken?: boolean | undefined;
  /**
   * For maintenance: also return queues that are paused, or whose tasks are due later or have an owner. The
   *   listener is not registered and gets no wake-ups. By default 0.
   */
  readonly live?: boolean | undefined;
}

const READY_REPLY: Shape<ReadyReply> = wire.list<ReadyReply>([
  { name: "cursor", property: "cursor", type: T.patternCursor },
  { name: "list", property: "list", type: T.text, empty: true },
  { name: "more", property: "more", type: T.flag },
], wire.rows<ReadyItem>([
  { name: "queue", property: "queue", type: T.name },
  { name: "pattern", property: "pattern", type: T.number },
]));

/**
 * Finds queues with tasks that match patterns, and registers the listener with them; the listener passes their
 *   names to `reserve`. Each call also does a part of the search for queues that clients without scripts have
 *   filled.
 *
 * @param listener The listener.
 * @param cursor Start of the page.
 * @param limit Maximum number of queues.
 * @param patterns A pattern of queues to take. A leading `!` leaves out the queues that match.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end); the list on which the listener waits if there is no task, or an empty string
 *   if it must ask again after a second; 1 if the search continues at once; then for each queue: its name and the
 *   number of the first pattern that it matches, not counting patterns that begin with `!`.
 */
export function ready(listener: string, cursor: string, limit: number, patterns: readonly string[], options: ReadyOptions = {}): Call<ReadyReply> {
  return wire.call("ready", [listener, cursor, limit, patterns.length, ...patterns], [
    ["has", options.has],
    ["woken", options.woken],
    ["live", options.live],
  ], READY_REPLY, false, options);
}

const REDELIVER_REPLY: Shape<number> = wire.single({ name: "number", property: "number", type: T.number });

/**
 * Makes notices of tasks and graphs for a target due at once, if they wait for their next try or were given up. A
 *   notice that was given up gets one more try. A notice that a worker is delivering stays as it is.
 *
 * @param target The target.
 * @param owners The id of a task, or `/` and the id of a graph.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of notices that are due now.
 */
export function redeliver(target: string, owners: readonly string[]): Call<number> {
  return wire.call("redeliver", [target, owners.length, ...owners], [
  ], REDELIVER_REPLY, false);
}

/** The options of `register`. */
export interface RegisterOptions {
  /** The capabilities that the listener offers to tasks with needs. */
  readonly has?: Names | undefined;
}

const REGISTER_REPLY: Shape<"registered" | "existing"> = wire.single({ name: "reply", property: "reply", words: ["registered","existing"] });

/**
 * Registers a listener with a queue, and stores what the listener offers to tasks with needs.
 *
 * @param queue The queue.
 * @param listener The listener.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, EVICTION, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: `registered`, or `existing`.
 */
export function register(queue: string, listener: string, options: RegisterOptions = {}): Call<"registered" | "existing"> {
  return wire.call("register", [queue, listener], [
    ["has", options.has],
  ], REGISTER_REPLY, false, options);
}

/** The options of `release`. */
export interface ReleaseOptions {
  /** The reason, as one word, for events and statistics. */
  readonly reason?: string | undefined;
  /** Delay before the next attempt, instead of the delay in the settings. */
  readonly again?: Seconds | undefined;
  /** Do not count the release, because it is not the task's fault. By default 0. */
  readonly uncounted?: boolean | undefined;
  /** Further upstreams, without results, that the task waits for before it runs again. */
  readonly inputs?: string | undefined;
  /** Another queue, in which the task goes on. */
  readonly into?: string | undefined;
  /** The cost of the attempt; `blueque worker` sends JSON. */
  readonly cost?: Bytes | undefined;
}

const RELEASE_REPLY: Shape<"released" | "cancelled" | "failed"> = wire.single({ name: "reply", property: "reply", words: ["released","cancelled","failed"] });

/**
 * Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children
 *   have ended. With `into`, puts the task into another queue, behind the tasks that already wait there. A
 *   release does not count as a failure. After too many releases the task fails. The task is cancelled if its
 *   cancel was requested, or if a newer task has replaced it by the policy `latest`.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, CYCLE, DUPLICATE, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
 * Reply: `released`, `cancelled` or `failed`; with `lost` always `lost`.
 */
export function release(id: string, token: number, options: ReleaseOptions = {}): Call<"released" | "cancelled" | "failed"> {
  return wire.call("release", [id, token], [
    ["reason", options.reason],
    ["again", options.again],
    ["uncounted", options.uncounted],
    ["inputs", options.inputs],
    ["into", options.into],
    ["cost", options.cost],
  ], RELEASE_REPLY, false, options);
}

/** The options of `release` with `lost`. */
export interface ReleaseLostOptions {
  /** The reason, as one word, for events and statistics. */
  readonly reason?: string | undefined;
  /** Delay before the next attempt, instead of the delay in the settings. */
  readonly again?: Seconds | undefined;
  /** Do not count the release, because it is not the task's fault. By default 0. */
  readonly uncounted?: boolean | undefined;
  /** Further upstreams, without results, that the task waits for before it runs again. */
  readonly inputs?: string | undefined;
  /** Another queue, in which the task goes on. */
  readonly into?: string | undefined;
  /** Count the release as a loss. The text describes how the attempt was lost. */
  readonly lost: Bytes;
  /** The cost of the attempt; `blueque worker` sends JSON. */
  readonly cost?: Bytes | undefined;
}

const RELEASE_LOST_REPLY: Shape<"lost"> = wire.single({ name: "reply", property: "reply", words: ["lost"] });

/**
 * Gives a task back to the front of its queue: at once, after a delay, or when other tasks such as its children
 *   have ended. With `into`, puts the task into another queue, behind the tasks that already wait there. A
 *   release does not count as a failure. After too many releases the task fails. The task is cancelled if its
 *   cancel was requested, or if a newer task has replaced it by the policy `latest`.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, CYCLE, DUPLICATE, LOST, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
 * Reply: `released`, `cancelled` or `failed`; with `lost` always `lost`.
 */
export function releaseLost(id: string, token: number, options: ReleaseLostOptions): Call<"lost"> {
  return wire.call("release", [id, token], [
    ["reason", options.reason],
    ["again", options.again],
    ["uncounted", options.uncounted],
    ["inputs", options.inputs],
    ["into", options.into],
    ["lost", options.lost],
    ["cost", options.cost],
  ], RELEASE_LOST_REPLY, false, options);
}

/** One of what `repair` answers. */
export interface RepairItem {
  /**
   * The listener that is responsible for a held task whose listener was removed from the queue: the `from` of
   *   `adopt`.
   */
  readonly from: string;
  /** The task. */
  readonly id: string;
  /** The state of the task. */
  readonly status: contract.Status;
  /** The listener that holds the task. */
  readonly holder: string;
  /** The process that runs the task. */
  readonly pid: number | null;
}

/** What `repair` answers. */
export interface RepairReply {
  /** Start of the next page; empty at the end. */
  readonly cursor: string | null;
  /** Number of repairs. */
  readonly repaired: number;
  /** Number of suspicious entries, which may still become correct without a repair. */
  readonly suspected: number;
  /** The entries. */
  readonly items: RepairItem[];
}

/** The options of `repair`. */
export interface RepairOptions {
  /** Time for which data must look wrong before it is repaired. By default 60. */
  readonly grace?: Seconds | undefined;
  /** Continue where the last call with `shared` of any client ended; the cursor must be empty. By default 0. */
  readonly shared?: boolean | undefined;
}

const REPAIR_REPLY: Shape<RepairReply> = wire.list<RepairReply>([
  { name: "cursor", property: "cursor", type: T.repairCursor, empty: true },
  { name: "repaired", property: "repaired", type: T.number },
  { name: "suspected", property: "suspected", type: T.number },
], wire.rows<RepairItem>([
  { name: "from", property: "from", type: T.listener },
  { name: "id", property: "id", type: T.name },
  { name: "status", property: "status", type: T.status },
  { name: "holder", property: "holder", type: T.listener },
  { name: "pid", property: "pid", type: T.pid, empty: true },
]));

/**
 * Repairs what clients without scripts leave behind, and what was deleted by hand. Each call examines one part of
 *   the queue.
 *
 * @param queue The queue.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (empty at the end), number of repairs, number of suspects, then for each held task whose
 *   listener was removed from the queue: the listener that is responsible for it, its id, status, holder and pid.
 */
export function repair(queue: string, cursor: string, limit: number, options: RepairOptions = {}): Call<RepairReply> {
  return wire.call("repair", [queue, cursor, limit], [
    ["grace", options.grace],
    ["shared", options.shared],
  ], REPAIR_REPLY, false, options);
}

/** The options of `report`. */
export interface ReportOptions {
  /** The capabilities that the listener offers to tasks with needs. */
  readonly has?: Names | undefined;
  /** The worker's name, for people. */
  readonly name?: string | undefined;
  /** The version of the worker's program. */
  readonly version?: string | undefined;
  /** The worker takes no further tasks. By default 0. */
  readonly draining?: boolean | undefined;
  /** The methods for which the worker has programs. */
  readonly methods?: Names | undefined;
  /** Number of attempts on the worker that failed in the last hour. */
  readonly failed?: number | undefined;
  /** The reason why the worker takes fewer tasks than it could, in one sentence. */
  readonly trouble?: Bytes | undefined;
  /** The patterns by which the worker takes queues. The call then lists the queues that the worker knows. */
  readonly patterns?: string | undefined;
}

const REPORT_REPLY: Shape<("continue" | "drain")[]> = wire.values<"continue" | "drain">({ name: "order", property: "order", words: ["continue","drain"] });

/**
 * Reports that a worker is alive, what it serves and how many of its slots are free. A worker reports every ten
 *   seconds. A worker that was forgotten is registered again.
 *
 * @param listener The listener.
 * @param slots Number of tasks that the worker runs at the same time.
 * @param free Number of free slots.
 * @param queues The queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOOBIG, WRONGKEY.
 * Reply: For each queue `continue`, or `drain` if the worker is ordered to drain it.
 */
export function report(listener: string, slots: number, free: number, queues: readonly string[], options: ReportOptions = {}): Call<("continue" | "drain")[]> {
  return wire.call("report", [listener, slots, free, queues.length, ...queues], [
    ["has", options.has],
    ["name", options.name],
    ["version", options.version],
    ["draining", options.draining],
    ["methods", options.methods],
    ["failed", options.failed],
    ["trouble", options.trouble],
    ["patterns", options.patterns],
  ], REPORT_REPLY, false, options);
}

/** The options of `requeue`. */
export interface RequeueOptions {
  /** Take the task from its owner at once instead of waiting for the owner. By default 0. */
  readonly atOnce?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const REQUEUE_REPLY: Shape<"requeuing" | "released" | "cancelled"> = wire.single({ name: "reply", property: "reply", words: ["requeuing","released","cancelled"] });

/**
 * Asks the owner of a task to give it back: the owner's heartbeats return `stop`. With `at_once` the task is
 *   taken from its owner immediately, even if its program is still running.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: `requeuing`; `released` or `cancelled` if the task was taken immediately, or had already been given
 *   back.
 */
export function requeue(id: string, options: RequeueOptions = {}): Call<"requeuing" | "released" | "cancelled"> {
  return wire.call("requeue", [id], [
    ["at_once", options.atOnce],
    ["by", options.by],
    ["request", options.request],
  ], REQUEUE_REPLY, true, options);
}

/** What `requeue_orphans` answers. */
export interface RequeueOrphansReply {
  /** Number of tasks that are pending again. */
  readonly requeued: number;
  /** Number of tasks that failed because they were lost too often. */
  readonly failed: number;
  /** Number of tasks that were cancelled because of a cancel request, or because a newer task has replaced them. */
  readonly cancelled: number;
  /** Number of tasks whose owner gets more time after a gap. */
  readonly postponed: number;
  /** More leases have expired. */
  readonly more: boolean;
  /** Number of listeners of the queue. */
  readonly listeners: number;
}

const REQUEUE_ORPHANS_REPLY: Shape<RequeueOrphansReply> = wire.list<RequeueOrphansReply>([
  { name: "requeued", property: "requeued", type: T.number },
  { name: "failed", property: "failed", type: T.number },
  { name: "cancelled", property: "cancelled", type: T.number },
  { name: "postponed", property: "postponed", type: T.number },
  { name: "more", property: "more", type: T.flag },
  { name: "listeners", property: "listeners", type: T.number },
]);

/**
 * Takes tasks with expired leases from their owners, and removes silent listeners and workers. The tasks go to
 *   the front of their queue, or are scheduled if they have a `lost_delay`.
 *
 * @param queue The queue.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of tasks requeued, failed, cancelled and postponed, 1 if more leases have expired, and the number
 *   of listeners of the queue.
 */
export function requeueOrphans(queue: string, limit: number): Call<RequeueOrphansReply> {
  return wire.call("requeue_orphans", [queue, limit], [
  ], REQUEUE_ORPHANS_REPLY, false);
}

/** One of what `reserve` answers. */
export interface ReserveItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string;
  /** The token of the attempt. Every call of the owner carries the token. */
  readonly token: number;
  /** Number of attempts so far, including the new attempt. */
  readonly attempt: number;
  /** End of the lease. */
  readonly deadline: number;
  /** The length of the lease. */
  readonly lease: number;
  /** Outcome of the previous attempt; empty: there was no previous attempt. */
  readonly outcome: contract.Outcome | null;
  /** Number of attempts that were lost. */
  readonly losses: number;
  /** Number of attempts that failed. */
  readonly failures: number;
  /** The parameters, as submitted. */
  readonly parameters: Buffer;
  /** The checkpoint; nil: none was saved. */
  readonly checkpoint: Buffer | null;
}

/** The options of `reserve`. */
export interface ReserveOptions {
  /** Maximum number of tasks to take. By default 1. */
  readonly limit?: number | undefined;
  /** The process that works on the tasks. With `pid` the tasks are started at once. */
  readonly pid?: number | undefined;
  /** Lease of the attempt. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
  /** A wake-up was taken from the list. By default 0. */
  readonly woken?: boolean | undefined;
  /** Order in which the queues are asked. By default strict. */
  readonly order?: contract.Order | undefined;
  /** The share of each queue, for the order `weighted`. */
  readonly weights?: string | readonly number[] | undefined;
}

const RESERVE_REPLY: Shape<ReserveItem[] | null> = wire.maybe(wire.rows<ReserveItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "token", property: "token", type: T.token },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "deadline", property: "deadline", type: T.deadline },
  { name: "lease", property: "lease", type: T.micros },
  { name: "outcome", property: "outcome", type: T.outcome, empty: true },
  { name: "losses", property: "losses", type: T.number },
  { name: "failures", property: "failures", type: T.number },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "checkpoint", property: "checkpoint", type: T.stored, nil: true },
]));

/**
 * Gives a listener the next task of the first queue that has a task, or up to `limit` tasks as if one by one.
 *   With `pid` the tasks are started at once.
 *
 * @param listener The listener.
 * @param queues The queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Nil, or for each task id queue token attempt deadline lease outcome losses failures parameters
 *   checkpoint; with `due`, the first value is when `maintenance` of these queues is due, in seconds, if there is
 *   no task, else an empty string.
 */
export function reserve(listener: string, queues: readonly string[], options: ReserveOptions = {}): Call<ReserveItem[] | null> {
  return wire.call("reserve", [listener, queues.length, ...queues], [
    ["limit", options.limit],
    ["pid", options.pid],
    ["lease", options.lease],
    ["request", options.request],
    ["woken", options.woken],
    ["order", options.order],
    ["weights", options.weights],
  ], RESERVE_REPLY, true, options);
}

/** One of what `reserve` with `due` answers. */
export interface ReserveDueItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string;
  /** The token of the attempt. Every call of the owner carries the token. */
  readonly token: number;
  /** Number of attempts so far, including the new attempt. */
  readonly attempt: number;
  /** End of the lease. */
  readonly deadline: number;
  /** The length of the lease. */
  readonly lease: number;
  /** Outcome of the previous attempt; empty: there was no previous attempt. */
  readonly outcome: contract.Outcome | null;
  /** Number of attempts that were lost. */
  readonly losses: number;
  /** Number of attempts that failed. */
  readonly failures: number;
  /** The parameters, as submitted. */
  readonly parameters: Buffer;
  /** The checkpoint; nil: none was saved. */
  readonly checkpoint: Buffer | null;
}

/** What `reserve` with `due` answers. */
export interface ReserveDueReply {
  /** Time at which `maintenance` of these queues is due; empty if there are tasks, and with `due 0`. */
  readonly due: number | null;
  /** The entries. */
  readonly items: ReserveDueItem[];
}

/** The options of `reserve` with `due`. */
export interface ReserveDueOptions {
  /** Maximum number of tasks to take. By default 1. */
  readonly limit?: number | undefined;
  /** The process that works on the tasks. With `pid` the tasks are started at once. */
  readonly pid?: number | undefined;
  /** Lease of the attempt. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
  /** A wake-up was taken from the list. By default 0. */
  readonly woken?: boolean | undefined;
  /** Order in which the queues are asked. By default strict. */
  readonly order?: contract.Order | undefined;
  /** The share of each queue, for the order `weighted`. */
  readonly weights?: string | readonly number[] | undefined;
  /** Begin the reply with the time at which `maintenance` is due. If there are tasks, this time is empty. */
  readonly due: boolean;
}

const RESERVE_DUE_REPLY: Shape<ReserveDueReply> = wire.list<ReserveDueReply>([
  { name: "due", property: "due", type: T.time, empty: true },
], wire.rows<ReserveDueItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "token", property: "token", type: T.token },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "deadline", property: "deadline", type: T.deadline },
  { name: "lease", property: "lease", type: T.micros },
  { name: "outcome", property: "outcome", type: T.outcome, empty: true },
  { name: "losses", property: "losses", type: T.number },
  { name: "failures", property: "failures", type: T.number },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "checkpoint", property: "checkpoint", type: T.stored, nil: true },
]));

/**
 * Gives a listener the next task of the first queue that has a task, or up to `limit` tasks as if one by one.
 *   With `pid` the tasks are started at once.
 *
 * @param listener The listener.
 * @param queues The queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, DRAINING, NOLISTENER, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Nil, or for each task id queue token attempt deadline lease outcome losses failures parameters
 *   checkpoint; with `due`, the first value is when `maintenance` of these queues is due, in seconds, if there is
 *   no task, else an empty string.
 */
export function reserveDue(listener: string, queues: readonly string[], options: ReserveDueOptions): Call<ReserveDueReply> {
  return wire.call("reserve", [listener, queues.length, ...queues], [
    ["limit", options.limit],
    ["pid", options.pid],
    ["lease", options.lease],
    ["request", options.request],
    ["woken", options.woken],
    ["order", options.order],
    ["weights", options.weights],
    ["due", options.due],
  ], RESERVE_DUE_REPLY, true, options);
}

/** The options of `reset_clock`. */
export interface ResetClockOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const RESET_CLOCK_REPLY: Shape<"reset" | "right"> = wire.single({ name: "reply", property: "reply", words: ["reset","right"] });

/**
 * Sets a clock that ran ahead back to the server's time. The call is refused while any task is held. New tokens
 *   continue from the highest token.
 *
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, HELD, NOPERM, RETRY, SCHEMA, TOOMANY, WRONGKEY.
 * Reply: `reset`, or `right` if the clock was not ahead.
 */
export function resetClock(options: ResetClockOptions = {}): Call<"reset" | "right"> {
  return wire.call("reset_clock", [], [
    ["by", options.by],
    ["request", options.request],
  ], RESET_CLOCK_REPLY, true, options);
}

/** The options of `resume`. */
export interface ResumeOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const RESUME_REPLY: Shape<"resumed"> = wire.single({ name: "reply", property: "reply", words: ["resumed"] });

/**
 * Lets a paused queue give out tasks again.
 *
 * @param queue The queue.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: `resumed`.
 */
export function resume(queue: string, options: ResumeOptions = {}): Call<"resumed"> {
  return wire.call("resume", [queue], [
    ["by", options.by],
  ], RESUME_REPLY, false, options);
}

/** The options of `resume_schedule`. */
export interface ResumeScheduleOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const RESUME_SCHEDULE_REPLY: Shape<"resumed"> = wire.single({ name: "reply", property: "reply", words: ["resumed"] });

/**
 * Lets a paused schedule create tasks again, starting with its next slot.
 *
 * @param name The schedule.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
 * Reply: `resumed`.
 */
export function resumeSchedule(name: string, options: ResumeScheduleOptions = {}): Call<"resumed"> {
  return wire.call("resume_schedule", [name], [
    ["by", options.by],
  ], RESUME_SCHEDULE_REPLY, false, options);
}

/** The options of `retry`. */
export interface RetryOptions {
  /** Forget the checkpoint and the progress. By default 0. */
  readonly fresh?: boolean | undefined;
  /** A new deadline. */
  readonly deadline?: Time | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const RETRY_REPLY: Shape<"pending" | "waiting"> = wire.single({ name: "reply", property: "reply", words: ["pending","waiting"] });

/**
 * Retries a failed or cancelled task, and resets its counts of failures and losses to zero.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, DUPLICATE, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, STATE, STOPPING, UPSTREAM,
 *   WRONGKEY.
 * Reply: `pending`, or `waiting` if a task that it waits for runs again.
 */
export function retry(id: string, options: RetryOptions = {}): Call<"pending" | "waiting"> {
  return wire.call("retry", [id], [
    ["fresh", options.fresh],
    ["deadline", options.deadline],
    ["by", options.by],
    ["request", options.request],
  ], RETRY_REPLY, true, options);
}

/** The options of `retry_graph`. */
export interface RetryGraphOptions {
  /** Rerun these tasks and everything downstream, even complete tasks. */
  readonly task?: Names | undefined;
  /** A new deadline of the graph and of its rerun tasks. */
  readonly deadline?: Time | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const RETRY_GRAPH_REPLY: Shape<"retrying"> = wire.single({ name: "reply", property: "reply", words: ["retrying"] });

/**
 * Reruns the failed and cancelled tasks of a graph; complete tasks keep their results. With `task`, reruns these
 *   tasks and everything downstream of them, including complete tasks. Repeated calls with `task` add up: tasks
 *   of earlier calls that have not stopped yet also rerun. `run_deferred` does the work in steps.
 *
 * @param graph The graph.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, OVERDUE, RETRY, SCHEMA, WRONGKEY.
 * Reply: `retrying`.
 */
export function retryGraph(graph: string, options: RetryGraphOptions = {}): Call<"retrying"> {
  return wire.call("retry_graph", [graph], [
    ["task", options.task],
    ["deadline", options.deadline],
    ["by", options.by],
    ["request", options.request],
  ], RETRY_GRAPH_REPLY, true, options);
}

/** What `run_deferred` answers. */
export interface RunDeferredReply {
  /** Number of dependents that were notified of the end of an upstream. */
  readonly settled: number;
  /** More work is left for `run_deferred`. */
  readonly more: boolean;
}

const RUN_DEFERRED_REPLY: Shape<RunDeferredReply> = wire.list<RunDeferredReply>([
  { name: "settled", property: "settled", type: T.number },
  { name: "more", property: "more", type: T.flag },
]);

/**
 * Does the next step of deferred work in task graphs, and of tasks past their deadlines. Overdue tasks come
 *   first: they fail, or if an attempt holds them, their owners are ordered to stop. Dependents are notified of
 *   the end of a task if the call that ended it did not notify them: because the dependents were many or the
 *   result was long, or because another task caused the end. Tasks that nothing needs after the end of another
 *   task are cancelled. Queued rounds of tasks begin. The tasks of new graphs are released. Cancels and retries
 *   of graphs continue. Graphs whose tasks did not all arrive within 10 minutes are removed.
 *
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of tasks, 1 if more work is due.
 */
export function runDeferred(limit: number): Call<RunDeferredReply> {
  return wire.call("run_deferred", [limit], [
  ], RUN_DEFERRED_REPLY, false);
}

/** What `run_schedule` answers. */
export interface RunScheduleReply {
  /** `created` if this call created the task, otherwise `existing`. */
  readonly outcome: "created" | "existing";
  /** The task. */
  readonly id: string;
}

/** The options of `run_schedule`. */
export interface RunScheduleOptions {
  /** Policy while the last task is unfinished, instead of the schedule's overlap. */
  readonly overlap?: contract.Overlap | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const RUN_SCHEDULE_REPLY: Shape<RunScheduleReply> = wire.list<RunScheduleReply>([
  { name: "outcome", property: "outcome", words: ["created","existing"] },
  { name: "id", property: "id", type: T.name },
]);

/**
 * Creates a task of a schedule at once, in addition to its slots, even if the schedule is paused or has ended.
 *
 * @param name The schedule.
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOSCHEDULE, OTHERQUEUE, OVERDUE, RETRY, SCHEMA,
 *   STATE, TOOBIG, TOOMANY, WRONGKEY.
 * Reply: `created` or `existing`, and the id of the task.
 */
export function runSchedule(name: string, id: string, options: RunScheduleOptions = {}): Call<RunScheduleReply> {
  return wire.call("run_schedule", [name, id], [
    ["overlap", options.overlap],
    ["by", options.by],
    ["request", options.request],
  ], RUN_SCHEDULE_REPLY, true, options);
}

/** The options of `schedule`. */
export interface ScheduleOptions {
  /** Policy for a slot while the last task is unfinished. By default skip. */
  readonly overlap?: contract.Overlap | undefined;
  /** Policy for slots that passed while no client was running. By default one. */
  readonly missed?: contract.Missed | undefined;
  /** Maximum delay with which a missed slot still creates its task. By default 60. */
  readonly late?: number | undefined;
  /** Earliest time of a slot. */
  readonly start?: Time | undefined;
  /** Latest time of a slot. */
  readonly end?: Time | undefined;
  /** Maximum number of tasks that the schedule creates. */
  readonly times?: number | undefined;
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** A name that only one task of the queue has at a time. */
  readonly unique?: string | undefined;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Policy if another task holds the unique name. By default reject. */
  readonly uniquePolicy?: contract.UniquePolicy | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /** Maximum size of the parameters. By default the setting `max_bytes`. */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SCHEDULE_REPLY: Shape<"created" | "changed" | "existing"> = wire.single({ name: "reply", property: "reply", words: ["created","changed","existing"] });

/**
 * Creates a schedule, or changes the schedule with this name.
 *
 * @param name The schedule.
 * @param queue The queue.
 * @param recurrence The recurrence of the slots.
 * @param parameters The parameters of the program that runs the task.
 * @param slots The time at which a slot is due.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOLIMIT, NOPERM, RETRY, SCHEMA, TOOBIG, TOOMANY, WRONGKEY.
 * Reply: `created`, `changed`, or `existing` if nothing differs.
 */
export function schedule(name: string, queue: string, recurrence: string, parameters: Bytes, slots: readonly number[], options: ScheduleOptions = {}): Call<"created" | "changed" | "existing"> {
  return wire.call("schedule", [name, queue, recurrence, parameters, slots.length, ...slots], [
    ["overlap", options.overlap],
    ["missed", options.missed],
    ["late", options.late],
    ["start", options.start],
    ["end", options.end],
    ["times", options.times],
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique", options.unique],
    ["unique_until", options.uniqueUntil],
    ["unique_policy", options.uniquePolicy],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_bytes", options.maxBytes],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
    ["by", options.by],
    ["request", options.request],
  ], SCHEDULE_REPLY, true, options);
}

/** One of what `schedules` answers. */
export interface SchedulesItem {
  /** The schedule. */
  readonly name: string;
  /** The queue of its tasks. */
  readonly queue: string;
  /** The recurrence of the schedule. */
  readonly recurrence: string;
  /** The state of the schedule; `dry`: a client must supply the next slots. */
  readonly state: "active" | "paused" | "ended" | "dry";
  /** The next slot. */
  readonly next: number | null;
  /** Number of tasks created. */
  readonly made: number;
  /** Number of slots skipped because of the overlap policy or an error. */
  readonly skipped: number;
  /** Number of slots passed over: too late, or replaced by a later slot. */
  readonly passed: number;
  /** The last task of the schedule. */
  readonly lastTask: string | null;
  /** The last error of the schedule. */
  readonly error: string | null;
  /** The title of its tasks. */
  readonly title: string | null;
  /** The program and its arguments as a JSON list, if its tasks run a command line. */
  readonly argv: string | null;
}

/** What `schedules` answers. */
export interface SchedulesReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: SchedulesItem[];
}

const SCHEDULES_REPLY: Shape<SchedulesReply> = wire.list<SchedulesReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<SchedulesItem>([
  { name: "name", property: "name", type: T.scheduleName },
  { name: "queue", property: "queue", type: T.name },
  { name: "recurrence", property: "recurrence", type: T.recurrence },
  { name: "state", property: "state", words: ["active","paused","ended","dry"] },
  { name: "next", property: "next", type: T.slot, empty: true },
  { name: "made", property: "made", type: T.number },
  { name: "skipped", property: "skipped", type: T.number },
  { name: "passed", property: "passed", type: T.number },
  { name: "last_task", property: "lastTask", type: T.name, empty: true },
  { name: "error", property: "error", type: T.trouble, empty: true },
  { name: "title", property: "title", type: T.text, empty: true },
  { name: "argv", property: "argv", type: T.text, empty: true },
]));

/**
 * Lists the schedules of the namespace, by their next slot.
 *
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each schedule: its name, queue, recurrence, state (`active paused
 *   ended dry`), next slot, tasks created, slots skipped, slots passed over, last task, last error, and of its
 *   tasks the title and the arguments of the command line; values that do not apply are empty.
 */
export function schedules(cursor: string, limit: number): Call<SchedulesReply> {
  return wire.call("schedules", [cursor, limit], [
  ], SCHEDULES_REPLY, false);
}

/** The options of `set_topology`. */
export interface SetTopologyOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const SET_TOPOLOGY_REPLY: Shape<"stored"> = wire.single({ name: "reply", property: "reply", words: ["stored"] });

/**
 * Stores the topology: the partition that this namespace is from now on, and the names of all partitions.
 *   `former` is the version that the caller has read, or 0 if none is stored. The call is refused if another
 *   client has changed the topology since, or if the new version is not greater.
 *
 * @param former The version that is stored; 0: none.
 * @param version The new version.
 * @param partition The partition of this namespace. It never changes.
 * @param members The name of a partition.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, TOPOLOGY, WRONGKEY.
 * Reply: `stored`.
 */
export function setTopology(former: number, version: number, partition: string, members: readonly string[], options: SetTopologyOptions = {}): Call<"stored"> {
  return wire.call("set_topology", [former, version, partition, members.length, ...members], [
    ["by", options.by],
  ], SET_TOPOLOGY_REPLY, false, options);
}

/** One of what `settings` answers. */
export interface SettingsItem {
  /** The setting. */
  readonly name: string;
  /** The value of the setting; empty: no limit. */
  readonly value: string | null;
  /** The place where the value is set. */
  readonly from: "queue" | "namespace" | "default";
}

const SETTINGS_REPLY: Shape<SettingsItem[]> = wire.rows<SettingsItem>([
  { name: "name", property: "name", type: T.settingName },
  { name: "value", property: "value", type: T.settingValue, empty: true },
  { name: "from", property: "from", words: ["queue","namespace","default"] },
]);

/**
 * Returns the settings in effect for a queue, or with queue `*` the defaults for all queues.
 *
 * @param queue The queue; `*` for the defaults of all queues.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each setting: its name, its value (empty: no limit) and the level where it is set: `queue`,
 *   `namespace` or `default`.
 */
export function settings(queue: string): Call<SettingsItem[]> {
  return wire.call("settings", [queue], [
  ], SETTINGS_REPLY, false);
}

/** One of what `show_graph` answers. */
export interface ShowGraphItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string | null;
  /** The state of the task. */
  readonly status: contract.Status | "deleted";
  /** Number of open upstreams. */
  readonly open: number;
  /** The other task that caused the end of the task. */
  readonly cause: string | null;
  /** The name of the task within the graph. */
  readonly label: string | null;
  /** The inputs of the task, as submitted, without values. */
  readonly inputs: string | null;
  /** The task was not needed: it is `cancelled`, and counts as skipped. */
  readonly skipped: boolean;
}

/** What `show_graph` answers. */
export interface ShowGraphReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** `created` if all tasks of the graph have arrived, otherwise `staging`. */
  readonly state: "staging" | "created";
  /** Time at which the last task arrived. */
  readonly created: number;
  /** Number of tasks of the graph. */
  readonly total: number;
  /** The name of the graph. */
  readonly name: string | null;
  /** Number of complete tasks. */
  readonly complete: number;
  /** Number of failed tasks. */
  readonly failed: number;
  /** Number of cancelled tasks, without the skipped tasks. */
  readonly cancelled: number;
  /** Number of tasks that were not needed, because what they wait to fail is complete; not in `cancelled`. */
  readonly skipped: number;
  /**
   * The current operation on the tasks of the graph: all or some are cancelled, failed and cancelled tasks are
   *   retried, or some tasks are rerun.
   */
  readonly doing: "cancel" | "retry" | "rerun" | null;
  /** The entries. */
  readonly items: ShowGraphItem[];
}

const SHOW_GRAPH_REPLY: Shape<ShowGraphReply | null> = wire.maybe(wire.list<ShowGraphReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
  { name: "state", property: "state", words: ["staging","created"] },
  { name: "created", property: "created", type: T.time },
  { name: "total", property: "total", type: T.number },
  { name: "name", property: "name", type: T.text, empty: true },
  { name: "complete", property: "complete", type: T.number },
  { name: "failed", property: "failed", type: T.number },
  { name: "cancelled", property: "cancelled", type: T.number },
  { name: "skipped", property: "skipped", type: T.number },
  { name: "doing", property: "doing", words: ["cancel","retry","rerun"], empty: true },
], wire.rows<ShowGraphItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name, empty: true },
  { name: "status", property: "status", type: T.status, words: ["deleted"] },
  { name: "open", property: "open", type: T.number },
  { name: "cause", property: "cause", type: T.name, empty: true },
  { name: "label", property: "label", type: T.text, empty: true },
  { name: "inputs", property: "inputs", type: T.text, empty: true },
  { name: "skipped", property: "skipped", type: T.flag },
])));

/**
 * Returns the tasks of a graph, in the order in which they were submitted.
 *
 * @param graph The graph.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Nil if there is no such graph; else next cursor (0 at the end), `staging` or `created`, the time of its
 *   last submission, its number of tasks, its name; how many tasks are complete, failed, cancelled and skipped;
 *   the action in progress: `cancel`, `retry`, `rerun`, or empty; then for each task: its id, its queue (empty if
 *   the task was deleted), its status, the number of tasks that it still waits for, the task that caused its end
 *   (empty if there is none), its label, its inputs as submitted, and 1 if it was skipped.
 */
export function showGraph(graph: string, cursor: string, limit: number): Call<ShowGraphReply | null> {
  return wire.call("show_graph", [graph, cursor, limit], [
  ], SHOW_GRAPH_REPLY, false);
}

/** What `show_schedule` answers. */
export interface ShowScheduleReply {
  /** The recurrence of the schedule. */
  readonly recurrence: string | null;
  /** The queue of the schedule's tasks. */
  readonly queue: string | null;
  /** The parameters of the schedule's tasks. */
  readonly parameters: Buffer | null;
  /** The options of the schedule's tasks. */
  readonly options: string | null;
  /** Policy for a slot while the last task is unfinished. */
  readonly overlap: contract.Overlap | null;
  /** Policy for slots that passed while no client was running. */
  readonly missed: contract.Missed | null;
  /** Maximum delay with which a missed slot still creates its task. */
  readonly late: number | null;
  /** Earliest time of a slot. */
  readonly start: number | null;
  /** Latest time of a slot. */
  readonly end: number | null;
  /** Maximum number of tasks that the schedule creates. */
  readonly times: number | null;
  /** Time of the schedule's creation. */
  readonly created: number | null;
  /** Time of the last change. */
  readonly changed: number | null;
  /** The time up to which all slots are handled. */
  readonly done: number | null;
  /** The next slot. */
  readonly next: number | null;
  /** Time at which a slot that was held back is checked again. */
  readonly held: number | null;
  /** The known slots of a cron schedule. */
  readonly slots: string | null;
  /** The known slots are the last slots of the schedule. */
  readonly final: boolean | null;
  /** Time at which the last slot was handled. */
  readonly ended: number | null;
  /** Author, time and reason of the pause. */
  readonly paused: string | null;
  /** Number of tasks created. */
  readonly made: number | null;
  /** Number of slots skipped because of the overlap policy or an error. */
  readonly skipped: number | null;
  /** Number of slots passed over: too late, or replaced by a later slot. */
  readonly passed: number | null;
  /** The last slot that created a task. */
  readonly lastSlot: number | null;
  /** The last task of the schedule. */
  readonly lastTask: string | null;
  /** Time at which the last task was created. */
  readonly lastAt: number | null;
  /** The last error of the schedule. */
  readonly error: string | null;
  /** The unfinished tasks of the schedule. */
  readonly tasks: string | null;
  /** The state of the schedule; `dry`: a client must supply the next slots. */
  readonly state: "active" | "paused" | "ended" | "dry" | null;
  /** Fields of other programs and later versions. */
  readonly extra: Record<string, Buffer>;
}

const SHOW_SCHEDULE_REPLY: Shape<ShowScheduleReply> = wire.pairs<ShowScheduleReply>([
  { name: "recurrence", property: "recurrence", type: T.recurrence },
  { name: "queue", property: "queue", type: T.name },
  { name: "parameters", property: "parameters", type: T.stored },
  { name: "options", property: "options", type: T.template, empty: true },
  { name: "overlap", property: "overlap", type: T.overlap },
  { name: "missed", property: "missed", type: T.missed },
  { name: "late", property: "late", type: T.late },
  { name: "start", property: "start", type: T.time },
  { name: "end", property: "end", type: T.time },
  { name: "times", property: "times", type: T.times },
  { name: "created", property: "created", type: T.time },
  { name: "changed", property: "changed", type: T.time },
  { name: "done", property: "done", type: T.time },
  { name: "next", property: "next", type: T.slot },
  { name: "held", property: "held", type: T.slot },
  { name: "slots", property: "slots", type: T.text },
  { name: "final", property: "final", type: T.flag },
  { name: "ended", property: "ended", type: T.time },
  { name: "paused", property: "paused", type: T.pause },
  { name: "made", property: "made", type: T.number },
  { name: "skipped", property: "skipped", type: T.number },
  { name: "passed", property: "passed", type: T.number },
  { name: "last_slot", property: "lastSlot", type: T.slot },
  { name: "last_task", property: "lastTask", type: T.name },
  { name: "last_at", property: "lastAt", type: T.time },
  { name: "error", property: "error", type: T.trouble },
  { name: "tasks", property: "tasks", type: T.text },
  { name: "state", property: "state", words: ["active","paused","ended","dry"] },
], {"absent":true,"open":true});

/**
 * Returns the fields of a schedule.
 *
 * @param name The schedule.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
 * Reply: Field and value in turn, and its `state`: `active`, `paused`, `ended`, or `dry` (a client must supply
 *   its next slots).
 */
export function showSchedule(name: string): Call<ShowScheduleReply> {
  return wire.call("show_schedule", [name], [
  ], SHOW_SCHEDULE_REPLY, false);
}

/** The options of `signal`. */
export interface SignalOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SIGNAL_REPLY: Shape<number> = wire.single({ name: "number", property: "number", type: T.number });

/**
 * Asks the owner of a task to send its program a signal, once.
 *
 * @param id The task.
 * @param signal The signal, without SIG.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
 * Reply: Number of the request in this attempt; the owner has answered it when the field `controlled` has reached
 *   it.
 */
export function signal(id: string, signal: contract.Signal, options: SignalOptions = {}): Call<number> {
  return wire.call("signal", [id, signal], [
    ["by", options.by],
    ["request", options.request],
  ], SIGNAL_REPLY, true, options);
}

/** The options of `start`. */
export interface StartOptions {
  /** Lease of the attempt. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The trace context of the attempt, to which the next attempt and dependents link. */
  readonly span?: string | undefined;
}

const START_REPLY: Shape<number> = wire.single({ name: "deadline", property: "deadline", type: T.deadline });

/**
 * Reports that a process works on the reserved task, and renews its lease.
 *
 * @param id The task.
 * @param token The token of the attempt.
 * @param pid The process that runs the task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CANCELLED, LOST, NOPERM, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: Deadline.
 */
export function start(id: string, token: number, pid: number, options: StartOptions = {}): Call<number> {
  return wire.call("start", [id, token, pid], [
    ["lease", options.lease],
    ["span", options.span],
  ], START_REPLY, false, options);
}

/** What `statistics` answers. */
export interface StatisticsReply {
  /** The day of the following numbers; `total`: all days of the call. */
  readonly day: string | "total" | null;
  /** The first day of the call. */
  readonly first: string | null;
  /** The last day of the call. */
  readonly last: string | null;
  /** The day before the first day: the `until` of the next page. */
  readonly before: string | null;
  /** Number of tasks created. */
  readonly submitted: number | null;
  /** Number of attempts started. */
  readonly started: number | null;
  /** Number of tasks that completed. */
  readonly complete: number | null;
  /** Number of tasks that failed. */
  readonly failed: number | null;
  /** Number of tasks that were cancelled. */
  readonly cancelled: number | null;
  /** Number of attempts that failed. */
  readonly failures: number | null;
  /** Number of attempts that retried a failed attempt. */
  readonly retries: number | null;
  /** Number of attempts that were lost. */
  readonly losses: number | null;
  /** Number of attempts that were released. */
  readonly releases: number | null;
  /** Number of events that were trimmed before they were counted. */
  readonly missed: number | null;
  /** Number of tasks that were reserved. */
  readonly waitCount: number | null;
  /** Total time for which these tasks were pending. */
  readonly waitSum: number | null;
  /** Sum of the squares of these pending times. */
  readonly waitSquares: string | null;
  /** Shortest of these pending times. */
  readonly waitLeast: number | null;
  /** Longest of these pending times. */
  readonly waitMost: number | null;
  /**
   * `*` is a bound in seconds: number of these pending times up to this bound and above the previous bound;
   *   `over`: above four weeks.
   */
  readonly wait: Record<string, number>;
  /** Number of attempts that ran. */
  readonly runCount: number | null;
  /** Total running time of these attempts. */
  readonly runSum: number | null;
  /** Sum of the squares of these running times. */
  readonly runSquares: string | null;
  /** Shortest of these running times. */
  readonly runLeast: number | null;
  /** Longest of these running times. */
  readonly runMost: number | null;
  /**
   * `*` is a bound in seconds: number of these running times up to this bound and above the previous bound;
   *   `over`: above four weeks.
   */
  readonly run: Record<string, number>;
  /** Number of attempts that completed their task. */
  readonly doneCount: number | null;
  /** Total running time of these attempts. */
  readonly doneSum: number | null;
  /** Sum of the squares of these running times. */
  readonly doneSquares: string | null;
  /** Shortest of these running times. */
  readonly doneLeast: number | null;
  /** Longest of these running times. */
  readonly doneMost: number | null;
  /**
   * `*` is a bound in seconds: number of these running times up to this bound and above the previous bound;
   *   `over`: above four weeks.
   */
  readonly done: Record<string, number>;
}

/** The options of `statistics`. */
export interface StatisticsOptions {
  /** The last day; today if absent. */
  readonly until?: string | undefined;
  /** Only attempts by listeners of this host, counted by outcome. At most 100 hosts are recorded each day. */
  readonly host?: string | undefined;
}

const STATISTICS_REPLY: Shape<StatisticsReply[]> = wire.groups("day", wire.pairs<StatisticsReply>([
  { name: "day", property: "day", type: T.day, words: ["total"] },
  { name: "first", property: "first", type: T.day },
  { name: "last", property: "last", type: T.day },
  { name: "before", property: "before", type: T.day, empty: true },
  { name: "submitted", property: "submitted", type: T.number },
  { name: "started", property: "started", type: T.number },
  { name: "complete", property: "complete", type: T.number },
  { name: "failed", property: "failed", type: T.number },
  { name: "cancelled", property: "cancelled", type: T.number },
  { name: "failures", property: "failures", type: T.number },
  { name: "retries", property: "retries", type: T.number },
  { name: "losses", property: "losses", type: T.number },
  { name: "releases", property: "releases", type: T.number },
  { name: "missed", property: "missed", type: T.number },
  { name: "wait.count", property: "waitCount", type: T.number },
  { name: "wait.sum", property: "waitSum", type: T.span },
  { name: "wait.squares", property: "waitSquares", type: T.squares },
  { name: "wait.least", property: "waitLeast", type: T.span },
  { name: "wait.most", property: "waitMost", type: T.span },
  { name: "wait.*", property: "wait", type: T.number },
  { name: "run.count", property: "runCount", type: T.number },
  { name: "run.sum", property: "runSum", type: T.span },
  { name: "run.squares", property: "runSquares", type: T.squares },
  { name: "run.least", property: "runLeast", type: T.span },
  { name: "run.most", property: "runMost", type: T.span },
  { name: "run.*", property: "run", type: T.number },
  { name: "done.count", property: "doneCount", type: T.number },
  { name: "done.sum", property: "doneSum", type: T.span },
  { name: "done.squares", property: "doneSquares", type: T.squares },
  { name: "done.least", property: "doneLeast", type: T.span },
  { name: "done.most", property: "doneMost", type: T.span },
  { name: "done.*", property: "done", type: T.number },
], {"absent":true,"open":false}));

/**
 * Returns the statistics of a queue by day, and for all these days together. Includes the events that `aggregate`
 *   has read. With `host`, returns the statistics of attempts that ended on this host.
 *
 * @param queue The queue.
 * @param days Number of days.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Name and value in turn: `day` and `total`, the `first` and the `last` day and the day `before` the first
 *   (YYYYMMDD), then the values of all these days; then for each day that has values, earliest first, `day` and
 *   its date (YYYYMMDD) and its values.
 */
export function statistics(queue: string, days: number, options: StatisticsOptions = {}): Call<StatisticsReply[]> {
  return wire.call("statistics", [queue, days], [
    ["until", options.until],
    ["host", options.host],
  ], STATISTICS_REPLY, false, options);
}

/** One entry of a call of `submit`. */
export interface SubmitEach {
  /** The task. */
  readonly id: string;
  /** The time at which the task is due; empty: at once. */
  readonly eta: Time | null;
  /** The parameters of the program that runs the task. */
  readonly parameters: Bytes;
}

/** The options of `submit`. */
export interface SubmitOptions {
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Policy if another task holds the unique name. By default reject. */
  readonly uniquePolicy?: contract.UniquePolicy | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /** Maximum size of the parameters. By default the setting `max_bytes`. */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
  /** The inputs that the tasks wait for, such as `success=ID`. */
  readonly inputs?: string | undefined;
  /**
   * With `again`: if the task is running, run it again after the current run, unless it is cancelled. By default
   *   0.
   */
  readonly onceMore?: boolean | undefined;
  /** Hold the new tasks: they do not start until `unhold`. By default 0. */
  readonly hold?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SUBMIT_REPLY: Shape<("created" | "existing")[]> = wire.values<"created" | "existing">({ name: "outcome", property: "outcome", words: ["created","existing"] });

/**
 * Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
 *   other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With
 *   `once_more` as well, a task that an attempt holds begins a new round when the current round has ended.
 *
 * @param queue The queue.
 * @param each The entries.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
 *   TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
 * Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
 *   `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
 *   `later`, and the number of the round.
 */
export function submit(queue: string, each: readonly SubmitEach[], options: SubmitOptions = {}): Call<("created" | "existing")[]> {
  return wire.call("submit", [queue, each.length, ...each.flatMap((one) => [one.id, one.eta, one.parameters])], [
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique_until", options.uniqueUntil],
    ["unique_policy", options.uniquePolicy],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_bytes", options.maxBytes],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
    ["inputs", options.inputs],
    ["once_more", options.onceMore],
    ["hold", options.hold],
    ["by", options.by],
    ["request", options.request],
  ], SUBMIT_REPLY, true, options);
}

/** What `submit` with `again` answers. */
export interface SubmitAgainReply {
  /**
   * Outcome: `created` for a new task, `again` for a rerun, `changed` if a waiting task was updated, `existing`
   *   if the task already has these values, `later` if the rerun begins after the current run.
   */
  readonly outcome: "created" | "again" | "changed" | "existing" | "later";
  /** Number of the run, from 1; absent with `again 0`. */
  readonly round: number | null;
}

/** The options of `submit` with `again`. */
export interface SubmitAgainOptions {
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** A name that only one task of the queue has at a time. */
  readonly unique?: string | undefined;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Policy if another task holds the unique name. By default reject. */
  readonly uniquePolicy?: contract.UniquePolicy | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /** Maximum size of the parameters. By default the setting `max_bytes`. */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
  /** The inputs that the tasks wait for, such as `success=ID`. */
  readonly inputs?: string | undefined;
  /** Submit an existing task again: a finished task runs again, a waiting task is updated. */
  readonly again: boolean;
  /**
   * With `again`: if the task is running, run it again after the current run, unless it is cancelled. By default
   *   0.
   */
  readonly onceMore?: boolean | undefined;
  /** Hold the new tasks: they do not start until `unhold`. By default 0. */
  readonly hold?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SUBMIT_AGAIN_REPLY: Shape<SubmitAgainReply> = wire.list<SubmitAgainReply>([
  { name: "outcome", property: "outcome", words: ["created","again","changed","existing","later"] },
  { name: "round", property: "round", type: T.number, absent: true },
]);

/**
 * Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
 *   other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With
 *   `once_more` as well, a task that an attempt holds begins a new round when the current round has ended.
 *
 * @param queue The queue.
 * @param each The entries.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
 *   TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
 * Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
 *   `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
 *   `later`, and the number of the round.
 */
export function submitAgain(queue: string, each: readonly SubmitEach[], options: SubmitAgainOptions): Call<SubmitAgainReply> {
  return wire.call("submit", [queue, each.length, ...each.flatMap((one) => [one.id, one.eta, one.parameters])], [
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique", options.unique],
    ["unique_until", options.uniqueUntil],
    ["unique_policy", options.uniquePolicy],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_bytes", options.maxBytes],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
    ["inputs", options.inputs],
    ["again", options.again],
    ["once_more", options.onceMore],
    ["hold", options.hold],
    ["by", options.by],
    ["request", options.request],
  ], SUBMIT_AGAIN_REPLY, true, options);
}

/** What `submit` with `unique` answers. */
export interface SubmitUniqueReply {
  /**
   * `created` if this call created the task; `existing` if another task has the unique name; `replaced` if
   *   another task had the name until this call.
   */
  readonly outcome: "created" | "existing" | "replaced";
  /** The task that has or had the unique name. */
  readonly id: string | null;
}

/** The options of `submit` with `unique`. */
export interface SubmitUniqueOptions {
  /** A line for people that says what the task does. Lists show it instead of the parameters. */
  readonly title?: Bytes | undefined;
  /** The author of the submit, such as `USER\@HOST`: lists and reports select tasks by it. */
  readonly submitter?: string | undefined;
  /** The method, which selects the program that a worker runs if its queue has several. */
  readonly method?: string | undefined;
  /**
   * The command line that the task runs instead of a program of the worker: JSON such as
   *   `{"argv":["sleep","5"]}`, as `blueque add` writes it. Only workers with `--allow-commands` run it, so the
   *   task also needs `commands`.
   */
  readonly command?: string | undefined;
  /** Priority from -1000 to 1000. A higher priority goes first. By default 0. */
  readonly priority?: number | undefined;
  /** Maximum retries after failures. By default the setting `max_failures`. */
  readonly maxFailures?: number | undefined;
  /** Growth of the delay from each retry to the next. By default the setting `backoff`. */
  readonly backoff?: contract.Backoff | undefined;
  /** Delay before the first retry. By default the setting `delay`. */
  readonly delay?: Seconds | undefined;
  /** Longest delay before a retry. By default the setting `max_delay`. */
  readonly maxDelay?: Seconds | undefined;
  /** Maximum part by which a delay is shortened, in percent. By default the setting `jitter`. */
  readonly jitter?: number | undefined;
  /** Maximum lost attempts before the task fails; 1000000000 for no limit. By default the setting `max_losses`. */
  readonly maxLosses?: number | undefined;
  /**
   * Delay before the next attempt after a lost attempt. Without a delay the task goes to the front at once. By
   *   default the setting `lost_delay`.
   */
  readonly lostDelay?: Seconds | undefined;
  /** Maximum releases before the task fails. By default the setting `max_releases`. */
  readonly maxReleases?: number | undefined;
  /** Lease of each attempt, instead of the worker's lease. By default the setting `lease`. */
  readonly lease?: Seconds | undefined;
  /** The owner of the task, such as a tenant: keys take turns and have limits. */
  readonly key?: string | undefined;
  /** Number of places that the task takes in each of its limits. By default 1. */
  readonly weight?: number | undefined;
  /**
   * Needs that a listener must satisfy to run the task, such as `gpu,transcoder>=3`. `cpus`, `memory` (in bytes)
   *   and `gpus` are shares of the host, which `blueque worker` gives to the task alone.
   */
  readonly needs?: Names | undefined;
  /**
   * Shared limits in which the task takes places, such as `database:2,gpu`. The task takes its places in all
   *   these limits at the same time.
   */
  readonly limits?: string | undefined;
  /** A name that only one task of the queue has at a time. */
  readonly unique: string;
  /** The point until which the task holds its unique name. By default end. */
  readonly uniqueUntil?: string | Seconds | undefined;
  /** Policy if another task holds the unique name. By default reject. */
  readonly uniquePolicy?: contract.UniquePolicy | undefined;
  /** Names to find the task by, at most 16. */
  readonly tags?: Names | undefined;
  /** The time by which the task must have ended. After this time an unfinished task fails. */
  readonly deadline?: Time | undefined;
  /** Maximum size of the parameters. By default the setting `max_bytes`. */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum run time of an attempt. `blueque worker` stops the program at its end, unless the program has asked
   *   for more time; a shorter limit of the worker applies instead.
   */
  readonly maxRun?: Seconds | undefined;
  /** Time before the end of `max_run` at which the program gets SIGUSR1 as a warning. */
  readonly warn?: Seconds | undefined;
  /** Maximum time without an event, a checkpoint or output of the program. */
  readonly noProgress?: Seconds | undefined;
  /** Time between SIGTERM and SIGKILL when the program is stopped. By default the setting `grace`. */
  readonly grace?: Seconds | undefined;
  /** Niceness of the program, in addition to the worker's. */
  readonly nice?: number | undefined;
  /**
   * The targets that are notified of events of the task, such as `ops:failed,chat:end+pending=1h`: names that
   *   workers have in their configuration. Without events a target is notified of every end; `none`: no target,
   *   even if the queue has the setting `notify`.
   */
  readonly notify?: string | undefined;
  /** Maximum size of the task's log on the server; 0 for none. By default the setting `log_bytes`. */
  readonly logBytes?: number | undefined;
  /**
   * The context of the submit in the W3C Trace Context: `traceparent`, and after a space `tracestate`. The worker
   *   continues this trace, and a program gets it in `TRACEPARENT` and `TRACESTATE`.
   */
  readonly trace?: string | undefined;
  /**
   * The queues that the task goes through after the first queue. The task enters each queue when it has completed
   *   its step in the previous queue.
   */
  readonly steps?: Names | undefined;
  /** The inputs that the tasks wait for, such as `success=ID`. */
  readonly inputs?: string | undefined;
  /**
   * With `again`: if the task is running, run it again after the current run, unless it is cancelled. By default
   *   0.
   */
  readonly onceMore?: boolean | undefined;
  /** Hold the new tasks: they do not start until `unhold`. By default 0. */
  readonly hold?: boolean | undefined;
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SUBMIT_UNIQUE_REPLY: Shape<SubmitUniqueReply> = wire.list<SubmitUniqueReply>([
  { name: "outcome", property: "outcome", words: ["created","existing","replaced"] },
  { name: "id", property: "id", type: T.name, absent: true },
]);

/**
 * Adds tasks to a queue. A new task is pending, scheduled if its eta is in the future, or waiting if it waits for
 *   other tasks. With `again`, a finished task begins a new round, and a waiting task is changed. With
 *   `once_more` as well, a task that an attempt holds begins a new round when the current round has ended.
 *
 * @param queue The queue.
 * @param each The entries.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA, STATE,
 *   TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
 * Reply: For each task `created`, or `existing` if the id was submitted before; with a unique name `existing` or
 *   `replaced`, and the id of the other task; with `again` the word `created`, `again`, `changed`, `existing` or
 *   `later`, and the number of the round.
 */
export function submitUnique(queue: string, each: readonly SubmitEach[], options: SubmitUniqueOptions): Call<SubmitUniqueReply> {
  return wire.call("submit", [queue, each.length, ...each.flatMap((one) => [one.id, one.eta, one.parameters])], [
    ["title", options.title],
    ["submitter", options.submitter],
    ["method", options.method],
    ["command", options.command],
    ["priority", options.priority],
    ["max_failures", options.maxFailures],
    ["backoff", options.backoff],
    ["delay", options.delay],
    ["max_delay", options.maxDelay],
    ["jitter", options.jitter],
    ["max_losses", options.maxLosses],
    ["lost_delay", options.lostDelay],
    ["max_releases", options.maxReleases],
    ["lease", options.lease],
    ["key", options.key],
    ["weight", options.weight],
    ["needs", options.needs],
    ["limits", options.limits],
    ["unique", options.unique],
    ["unique_until", options.uniqueUntil],
    ["unique_policy", options.uniquePolicy],
    ["tags", options.tags],
    ["deadline", options.deadline],
    ["max_bytes", options.maxBytes],
    ["max_run", options.maxRun],
    ["warn", options.warn],
    ["no_progress", options.noProgress],
    ["grace", options.grace],
    ["nice", options.nice],
    ["notify", options.notify],
    ["log_bytes", options.logBytes],
    ["trace", options.trace],
    ["steps", options.steps],
    ["inputs", options.inputs],
    ["once_more", options.onceMore],
    ["hold", options.hold],
    ["by", options.by],
    ["request", options.request],
  ], SUBMIT_UNIQUE_REPLY, true, options);
}

/** One entry of a call of `submit_graph`. */
export interface SubmitGraphEach {
  /** The task. */
  readonly id: string;
  /** The queue. */
  readonly queue: string;
  /** The time at which the task is due; empty: at once. */
  readonly eta: Time | null;
  /** The parameters of the program that runs the task. */
  readonly parameters: Bytes;
  /** The tasks and values that the task waits for; empty: none. */
  readonly inputs: string;
  /**
   * `NAME=VALUE`, separated by spaces: the options of the task and its `label`; spaces, control bytes and `%` in
   *   a value are `%XX`.
   */
  readonly options: string;
}

/** The options of `submit_graph`. */
export interface SubmitGraphOptions {
  /** The name of the graph, for people. */
  readonly name?: Bytes | undefined;
  /** Policy for the other tasks when a task fails. By default cancel. */
  readonly onFailure?: contract.OnFailure | undefined;
  /** Tags of the graph. The tasks of the graph have their own tags. */
  readonly tags?: Names | undefined;
  /**
   * Maximum number of running tasks for each of these keys. Each maximum is set as the `limit` of its key while
   *   the graph exists.
   */
  readonly bounds?: string | undefined;
  /** The deadline of all tasks that have no earlier deadline. */
  readonly deadline?: Time | undefined;
  /** The targets that are notified when all tasks of the graph have ended. The tasks have their own targets. */
  readonly notify?: string | undefined;
  /** The trace of all tasks that have no `trace` of their own. */
  readonly trace?: string | undefined;
  /** The submitter of all tasks that name none. */
  readonly submitter?: string | undefined;
  /**
   * A digest of the whole document, the same in all its calls. A graph is refused if its id was submitted with
   *   another digest; without a digest nothing is compared.
   */
  readonly digest?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SUBMIT_GRAPH_REPLY: Shape<"staged" | "created" | "existing"> = wire.single({ name: "reply", property: "reply", words: ["staged","created","existing"] });

/**
 * Submits the tasks of a graph, which wait for one another, up to 500 in a call. The call that submits the last
 *   task creates the graph; until then no other command finds the tasks. A task must come after all tasks that it
 *   waits for.
 *
 * @param graph An id for the graph, the same in all its calls.
 * @param total Number of tasks of the whole graph.
 * @param each The entries.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, CLOSED, DUPLICATE, NOLIMIT, NOPERM, NOTASK, OTHERQUEUE, OVERDUE, RETRY, SCHEMA,
 *   TOOBIG, TOOMANY, UPSTREAM, WRONGKEY.
 * Reply: `staged` while tasks are missing, `created`, or `existing` if this graph was created before.
 */
export function submitGraph(graph: string, total: number, each: readonly SubmitGraphEach[], options: SubmitGraphOptions = {}): Call<"staged" | "created" | "existing"> {
  return wire.call("submit_graph", [graph, total, each.length, ...each.flatMap((one) => [one.id, one.queue, one.eta, one.parameters, one.inputs, one.options])], [
    ["name", options.name],
    ["on_failure", options.onFailure],
    ["tags", options.tags],
    ["bounds", options.bounds],
    ["deadline", options.deadline],
    ["notify", options.notify],
    ["trace", options.trace],
    ["submitter", options.submitter],
    ["digest", options.digest],
    ["request", options.request],
  ], SUBMIT_GRAPH_REPLY, true, options);
}

const SUPPLY_TIMES_REPLY: Shape<"told" | "stale"> = wire.single({ name: "reply", property: "reply", words: ["told","stale"] });

/**
 * Supplies the next slots of a cron schedule: the slots after a time that `tick` returned, or after the last slot
 *   of an earlier call. A count of 0 means that there are no further slots.
 *
 * @param name The schedule.
 * @param recurrence The recurrence of the slots.
 * @param after The time after which the slots begin, as returned by `tick`.
 * @param slots The time at which a slot is due.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
 * Reply: `told`, or `stale` if the schedule has changed since.
 */
export function supplyTimes(name: string, recurrence: string, after: number, slots: readonly number[]): Call<"told" | "stale"> {
  return wire.call("supply_times", [name, recurrence, after, slots.length, ...slots], [
  ], SUPPLY_TIMES_REPLY, false);
}

/** The options of `suspend`. */
export interface SuspendOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const SUSPEND_REPLY: Shape<"suspending" | "suspended"> = wire.single({ name: "reply", property: "reply", words: ["suspending","suspended"] });

/**
 * Asks the owner of a task to suspend its program: the owner's heartbeats return `attend`. The lease lives on,
 *   and the task keeps its places.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
 * Reply: `suspending`; `suspended` if the program is suspended already.
 */
export function suspend(id: string, options: SuspendOptions = {}): Call<"suspending" | "suspended"> {
  return wire.call("suspend", [id], [
    ["by", options.by],
    ["request", options.request],
  ], SUSPEND_REPLY, true, options);
}

const TAG_REPLY: Shape<string[]> = wire.values<string>({ name: "tag", property: "tag", type: T.name });

/**
 * Adds tags to a task, in any state.
 *
 * @param id The task.
 * @param tags A tag.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOMANY, WRONGKEY.
 * Reply: All tags of the task.
 */
export function tag(id: string, tags: readonly string[]): Call<string[]> {
  return wire.call("tag", [id, tags.length, ...tags], [
  ], TAG_REPLY, false);
}

/** One of what `tags` answers. */
export interface TagsItem {
  /** The tag. */
  readonly tag: string;
  /** Number of tasks with the tag. */
  readonly tasks: number;
}

/** What `tags` answers. */
export interface TagsReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: TagsItem[];
}

const TAGS_REPLY: Shape<TagsReply> = wire.list<TagsReply>([
  { name: "cursor", property: "cursor", type: T.place },
], wire.rows<TagsItem>([
  { name: "tag", property: "tag", type: T.name },
  { name: "tasks", property: "tasks", type: T.number },
]));

/**
 * Lists the tags of a queue's tasks, most used first.
 *
 * @param queue The queue.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each tag: its name and its number of tasks.
 */
export function tags(queue: string, cursor: string, limit: number): Call<TagsReply> {
  return wire.call("tags", [queue, cursor, limit], [
  ], TAGS_REPLY, false);
}

/** One of what `take_notices` answers. */
export interface TakeNoticesItem {
  /** The kind of object that the notice is about. */
  readonly of: contract.NoticeOf;
  /** The id of the task or the graph. */
  readonly subject: string;
  /** The number of the notice among the notices of the task or graph, counted from 1. */
  readonly number: number;
  /** The token for `answer_notice`. */
  readonly token: number;
  /** The target. */
  readonly target: string;
  /** The event. */
  readonly event: contract.NoticeEvent;
  /** Time of the event. */
  readonly at: number;
  /** Number of attempts at that time; 0 for a graph. */
  readonly attempt: number;
  /** The state before the event. */
  readonly from: contract.Reached | null;
  /**
   * The cause of the event: the command, the reason of a release, or `lost`; `end` for a graph; the event itself
   *   if it was due at a time.
   */
  readonly why: string;
  /** The listener that made the transition, or the author of the call. */
  readonly by: string | null;
  /**
   * The beginning of the error, or the reason of a cancel; for a graph its numbers of tasks; the asked time of an
   *   event that was due at a time. At most 1 KiB.
   */
  readonly text: Buffer;
  /** Number of earlier tries to deliver the notice. */
  readonly tries: number;
  /** The queue of the task; empty if the task was deleted. */
  readonly queue: string | null;
  /** The title of the task, or the name of the graph. */
  readonly title: string | null;
  /** The method of the task. */
  readonly method: string | null;
}

const TAKE_NOTICES_REPLY: Shape<TakeNoticesItem[]> = wire.rows<TakeNoticesItem>([
  { name: "of", property: "of", type: T.noticeOf },
  { name: "subject", property: "subject", type: T.name },
  { name: "number", property: "number", type: T.number },
  { name: "token", property: "token", type: T.number },
  { name: "target", property: "target", type: T.name },
  { name: "event", property: "event", type: T.noticeEvent },
  { name: "at", property: "at", type: T.time },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "from", property: "from", type: T.reached, empty: true },
  { name: "why", property: "why", type: T.name },
  { name: "by", property: "by", type: T.name, empty: true },
  { name: "text", property: "text", type: T.stored },
  { name: "tries", property: "tries", type: T.number },
  { name: "queue", property: "queue", type: T.name, empty: true },
  { name: "title", property: "title", type: T.text, empty: true },
  { name: "method", property: "method", type: T.name, empty: true },
]);

/**
 * Takes due notices of targets, for their delivery: of each task and graph the first notice that is not
 *   delivered. A notice that is not answered within 60 seconds is given to the next caller.
 *
 * @param limit Maximum number of notices of each target.
 * @param targets The name of a target that the caller can reach.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each notice `task` or `graph`, its id, the number of the notice, the token for `answer_notice`, the
 *   target, the event, its time, the number of attempts of the task, the state before, the cause, its author, the
 *   text, the number of earlier tries, and from the record its queue, its title or name, and its method.
 */
export function takeNotices(limit: number, targets: readonly string[]): Call<TakeNoticesItem[]> {
  return wire.call("take_notices", [limit, targets.length, ...targets], [
  ], TAKE_NOTICES_REPLY, false);
}

/** One of what `targets` answers. */
export interface TargetsItem {
  /** The target. */
  readonly target: string;
  /** Number of tasks and graphs with open notices. */
  readonly open: number;
  /** Time at which the next open notice is due, or its delivery must be answered. */
  readonly due: number | null;
  /** Number of tasks and graphs with notices that were given up. */
  readonly givenUp: number;
}

const TARGETS_REPLY: Shape<TargetsItem[]> = wire.rows<TargetsItem>([
  { name: "target", property: "target", type: T.name },
  { name: "open", property: "open", type: T.number },
  { name: "due", property: "due", type: T.time, empty: true },
  { name: "given_up", property: "givenUp", type: T.number },
]);

/**
 * Lists the targets with notices that are not delivered, by name.
 *
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: For each target its name, the number of tasks and graphs with open notices, when the next of these
 *   notices is due, and the number of tasks and graphs with notices that were given up.
 */
export function targets(): Call<TargetsItem[]> {
  return wire.call("targets", [], [
  ], TARGETS_REPLY, false);
}

/** One of what `tick` answers. */
export interface TickItem {
  /** A cron schedule that needs more slots. */
  readonly name: string;
  /** The recurrence of the schedule. */
  readonly recurrence: string;
  /** The time after which the schedule needs slots. */
  readonly after: number;
}

/** What `tick` answers. */
export interface TickReply {
  /** Number of tasks created. */
  readonly made: number;
  /** More slots are due. */
  readonly more: boolean;
  /** Time at which the next slot is due. */
  readonly next: number | null;
  /** The entries. */
  readonly items: TickItem[];
}

const TICK_REPLY: Shape<TickReply> = wire.list<TickReply>([
  { name: "made", property: "made", type: T.number },
  { name: "more", property: "more", type: T.flag },
  { name: "next", property: "next", type: T.slot, empty: true },
], wire.rows<TickItem>([
  { name: "name", property: "name", type: T.scheduleName },
  { name: "recurrence", property: "recurrence", type: T.recurrence },
  { name: "after", property: "after", type: T.slot },
]));

/**
 * Creates the tasks of due slots. An error of one schedule is recorded in this schedule and does not affect other
 *   schedules.
 *
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Number of tasks created, 1 if more slots are due, and when the next slot is due, in seconds, or an empty
 *   string; then for each cron schedule that needs more slots: its name, its recurrence, and the time after which
 *   it needs them.
 */
export function tick(limit: number): Call<TickReply> {
  return wire.call("tick", [limit], [
  ], TICK_REPLY, false);
}

/** What `topology` answers. */
export interface TopologyReply {
  /** The version; 0: none is stored. */
  readonly version: number;
  /** The partition of this namespace; empty: none. */
  readonly partition: string | null;
  /** The name of a partition. */
  readonly items: string[];
}

const TOPOLOGY_REPLY: Shape<TopologyReply> = wire.list<TopologyReply>([
  { name: "version", property: "version", type: T.topologyVersionOrNone },
  { name: "partition", property: "partition", type: T.partition, empty: true },
], wire.values<string>({ name: "member", property: "member", type: T.partition }));

/**
 * Returns the stored topology: the partition that this namespace is, and the names of all partitions.
 *
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Version of the topology (0 if none is stored); the name of this partition (empty if none is stored);
 *   then the names of all partitions.
 */
export function topology(): Call<TopologyReply> {
  return wire.call("topology", [], [
  ], TOPOLOGY_REPLY, false);
}

/** The options of `track`. */
export interface TrackOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const TRACK_REPLY: Shape<"tracked"> = wire.single({ name: "reply", property: "reply", words: ["tracked"] });

/**
 * Tracks a task: until `untrack`, or until the task is deleted, `changes` returns each of its changes, in every
 *   queue.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, TOOMANY, WRONGKEY.
 * Reply: `tracked`.
 */
export function track(id: string, options: TrackOptions = {}): Call<"tracked"> {
  return wire.call("track", [id], [
    ["by", options.by],
  ], TRACK_REPLY, false, options);
}

/** One of what `tracked` answers. */
export interface TrackedItem {
  /** The task. */
  readonly id: string;
  /** The queue of the task. */
  readonly queue: string;
  /** The state of the task. */
  readonly status: contract.Status;
  /** Time since which the task is tracked. */
  readonly since: number;
}

/** What `tracked` answers. */
export interface TrackedReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: TrackedItem[];
}

const TRACKED_REPLY: Shape<TrackedReply> = wire.list<TrackedReply>([
  { name: "cursor", property: "cursor", type: T.place },
], wire.rows<TrackedItem>([
  { name: "id", property: "id", type: T.name },
  { name: "queue", property: "queue", type: T.name },
  { name: "status", property: "status", type: T.status },
  { name: "since", property: "since", type: T.time },
]));

/**
 * Lists the tracked tasks of the namespace, newest first.
 *
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each task: its id, its queue, its state and when tracking began.
 */
export function tracked(cursor: string, limit: number): Call<TrackedReply> {
  return wire.call("tracked", [cursor, limit], [
  ], TRACKED_REPLY, false);
}

/** One of what `undelivered` answers. */
export interface UndeliveredItem {
  /** The kind of object that the notice is about. */
  readonly of: contract.NoticeOf;
  /** The id of the task or the graph. */
  readonly subject: string;
  /** The number of the notice among the notices of the task or graph, counted from 1. */
  readonly number: number;
  /** The event. */
  readonly event: contract.NoticeEvent;
  /** Time of the event. */
  readonly at: number;
  /** Number of attempts at that time; 0 for a graph. */
  readonly attempt: number;
  /** `open`: not delivered yet; `given_up`: not delivered within three days. */
  readonly stage: "open" | "given_up";
  /** Number of tries to deliver the notice. */
  readonly tries: number;
  /** Time of the last answer. */
  readonly answered: number | null;
  /** The last answer of the target, or the last error; at most 1 KiB. */
  readonly answer: Buffer | null;
  /**
   * Time of the next try, or until which the present try must be answered; empty if the notice waits for an
   *   earlier one or was given up.
   */
  readonly due: number | null;
}

/** What `undelivered` answers. */
export interface UndeliveredReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: UndeliveredItem[];
}

/** The options of `undelivered`. */
export interface UndeliveredOptions {
  /** List the notices that were given up, not the open ones. By default 0. */
  readonly givenUp?: boolean | undefined;
}

const UNDELIVERED_REPLY: Shape<UndeliveredReply> = wire.list<UndeliveredReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<UndeliveredItem>([
  { name: "of", property: "of", type: T.noticeOf },
  { name: "subject", property: "subject", type: T.name },
  { name: "number", property: "number", type: T.number },
  { name: "event", property: "event", type: T.noticeEvent },
  { name: "at", property: "at", type: T.time },
  { name: "attempt", property: "attempt", type: T.number },
  { name: "stage", property: "stage", words: ["open","given_up"] },
  { name: "tries", property: "tries", type: T.number },
  { name: "answered", property: "answered", type: T.time, empty: true },
  { name: "answer", property: "answer", type: T.stored, empty: true },
  { name: "due", property: "due", type: T.time, empty: true },
]));

/**
 * Lists the open notices of a target by the time at which they are due, or with `given_up` its given-up notices
 *   by the time at which they were given up. A page has all these notices of up to `limit` tasks and graphs.
 *
 * @param target The target.
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each notice: `task` or `graph`, its id, the number of the notice,
 *   the event, its time, the number of attempts of the task, its stage, the number of tries, the time and text of
 *   the last answer, and when it is due; empty if it waits for an earlier notice or was given up.
 */
export function undelivered(target: string, cursor: string, limit: number, options: UndeliveredOptions = {}): Call<UndeliveredReply> {
  return wire.call("undelivered", [target, cursor, limit], [
    ["given_up", options.givenUp],
  ], UNDELIVERED_REPLY, false, options);
}

/** The options of `undepend`. */
export interface UndependOptions {
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const UNDEPEND_REPLY: Shape<"waiting" | "pending" | "scheduled"> = wire.single({ name: "reply", property: "reply", words: ["waiting","pending","scheduled"] });

/**
 * Removes an upstream task from a waiting task. A task without upstream tasks is ready to run. A result that the
 *   task expected from the removed upstream task is `null`.
 *
 * @param id The task.
 * @param upstream An upstream of the task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, UPSTREAM, WRONGKEY.
 * Reply: `waiting`, or `pending` or `scheduled` if this was the last upstream task.
 */
export function undepend(id: string, upstream: string, options: UndependOptions = {}): Call<"waiting" | "pending" | "scheduled"> {
  return wire.call("undepend", [id, upstream], [
    ["request", options.request],
  ], UNDEPEND_REPLY, true, options);
}

/** The options of `unhold`. */
export interface UnholdOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const UNHOLD_REPLY: Shape<"pending" | "scheduled"> = wire.single({ name: "reply", property: "reply", words: ["pending","scheduled"] });

/**
 * Releases a held task: it is pending, behind the tasks that wait there, or scheduled if its eta is in the
 *   future.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, WRONGKEY.
 * Reply: `pending` or `scheduled`.
 */
export function unhold(id: string, options: UnholdOptions = {}): Call<"pending" | "scheduled"> {
  return wire.call("unhold", [id], [
    ["by", options.by],
    ["request", options.request],
  ], UNHOLD_REPLY, true, options);
}

const UNREGISTER_REPLY: Shape<"unregistered" | "absent"> = wire.single({ name: "reply", property: "reply", words: ["unregistered","absent"] });

/**
 * Removes a listener that holds no task from a queue.
 *
 * @param queue The queue.
 * @param listener The listener.
 *
 * Errors: BADARG, BADNAME, HELD, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: `unregistered`, or `absent`.
 */
export function unregister(queue: string, listener: string): Call<"unregistered" | "absent"> {
  return wire.call("unregister", [queue, listener], [
  ], UNREGISTER_REPLY, false);
}

/** The options of `unschedule`. */
export interface UnscheduleOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const UNSCHEDULE_REPLY: Shape<"removed"> = wire.single({ name: "reply", property: "reply", words: ["removed"] });

/**
 * Removes a schedule. The tasks that it has created remain.
 *
 * @param name The schedule.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOSCHEDULE, RETRY, SCHEMA, WRONGKEY.
 * Reply: `removed`.
 */
export function unschedule(name: string, options: UnscheduleOptions = {}): Call<"removed"> {
  return wire.call("unschedule", [name], [
    ["by", options.by],
    ["request", options.request],
  ], UNSCHEDULE_REPLY, true, options);
}

/** The options of `unsuspend`. */
export interface UnsuspendOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
  /** A random id, the same for all repetitions of this call: a repeated call returns the first reply. */
  readonly request?: string | undefined;
}

const UNSUSPEND_REPLY: Shape<"continuing" | "continued"> = wire.single({ name: "reply", property: "reply", words: ["continuing","continued"] });

/**
 * Asks the owner of a suspended task to continue its program.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, STATE, TOOMANY, WRONGKEY.
 * Reply: `continuing`; `continued` if the program is not suspended.
 */
export function unsuspend(id: string, options: UnsuspendOptions = {}): Call<"continuing" | "continued"> {
  return wire.call("unsuspend", [id], [
    ["by", options.by],
    ["request", options.request],
  ], UNSUSPEND_REPLY, true, options);
}

const UNTAG_REPLY: Shape<string[]> = wire.values<string>({ name: "tag", property: "tag", type: T.name });

/**
 * Removes tags from a task, in any state.
 *
 * @param id The task.
 * @param tags A tag.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
 * Reply: The remaining tags of the task.
 */
export function untag(id: string, tags: readonly string[]): Call<string[]> {
  return wire.call("untag", [id, tags.length, ...tags], [
  ], UNTAG_REPLY, false);
}

/** The options of `untrack`. */
export interface UntrackOptions {
  /** The author of the call, for `audit`; `blueque` sends `USER\@HOST`. */
  readonly by?: string | undefined;
}

const UNTRACK_REPLY: Shape<"untracked"> = wire.single({ name: "reply", property: "reply", words: ["untracked"] });

/**
 * Stops tracking a task. Its earlier changes stay in the stream.
 *
 * @param id The task.
 * @param options Further options.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
 * Reply: `untracked`.
 */
export function untrack(id: string, options: UntrackOptions = {}): Call<"untracked"> {
  return wire.call("untrack", [id], [
    ["by", options.by],
  ], UNTRACK_REPLY, false, options);
}

/** What `why` answers. */
export interface WhyReply {
  /** The state. */
  readonly status: contract.Status;
  /** The queue. */
  readonly queue: string;
  /** Time at which a scheduled task is due. */
  readonly eta: number | null;
  /** Who paused the queue, when and why. */
  readonly paused: string | null;
  /**
   * Number of tasks before a pending task, up to 10,000. Empty if the task is in no list, for example after a pop
   *   by a client without scripts.
   */
  readonly ahead: number | null;
  /** Number of listeners that take tasks of the queue now, or as soon as they have a free slot. */
  readonly listeners: number;
  /** The listener of the attempt. */
  readonly node: string | null;
  /** End of the lease of the attempt. */
  readonly deadline: number | null;
  /** Time of the cancel request that waits for the owner. */
  readonly cancel: number | null;
  /** The time of the call. */
  readonly now: number;
  /** The priority. */
  readonly priority: number;
  /** The owner of the task, such as a tenant. */
  readonly key: string | null;
  /** Number of places that the task takes in each of its limits. */
  readonly weight: number;
  /** Needs of the task: what a listener must offer to run the task. */
  readonly needs: string | null;
  /** Number of attempts that failed. */
  readonly failures: number;
  /** Number of attempts that were lost. */
  readonly losses: number;
  /** Number of listeners that satisfy a pending task's needs, among the first 1,000. */
  readonly able: number | null;
  /** Number of places of the queue. */
  readonly concurrency: number | null;
  /** Number of the queue's places in use. */
  readonly used: number | null;
  /** Time at which the rate of the queue allows a start. */
  readonly rateUntil: number | null;
  /** Number of places of the key. */
  readonly keyConcurrency: number | null;
  /** Number of the key's places in use. */
  readonly keyUsed: number | null;
  /** Time at which the rate of the key allows a start. */
  readonly keyRateUntil: number | null;
  /** Needs that no listener has. */
  readonly lacking: string | null;
  /** Number of attempts that were released. */
  readonly releases: number;
  /** Number of attempts that were released uncounted. */
  readonly uncounted: number;
  /** The order for the owner. */
  readonly order: "attend" | "cancel" | "stop" | "kill" | null;
  /** Number of listeners without a free slot. */
  readonly full: number;
  /** Number of listeners that drain. */
  readonly draining: number;
  /** Number of listeners that seem to be dead. */
  readonly silent: number;
  /** Number of open upstreams. */
  readonly open: number | null;
  /** One of the open upstreams. */
  readonly upstream: string | null;
  /**
   * If that upstream also waits: the first task along the chain of upstreams that does not wait. The call follows
   *   at most 100 tasks; to continue, call again with the returned task.
   */
  readonly last: string | null;
  /** Number of slots of the task's input. */
  readonly slots: number | null;
  /** Number of upstreams of the task's set that must still become complete. */
  readonly least: number | null;
  /** Number of upstreams of the set that may still become complete. */
  readonly chances: number | null;
  /** The deadline of the task. */
  readonly endBy: number | null;
  /** The shared limits in which the task takes places. */
  readonly shared: string | null;
  /** The first shared limit that keeps the task from running. */
  readonly limit: string | null;
  /** Number of places that the task takes in this limit. */
  readonly limitWeight: number | null;
  /** Number of places of this limit. */
  readonly limitConcurrency: number | null;
  /** Number of the limit's places in use; empty: the limit does not exist. */
  readonly limitUsed: number | null;
  /** Time at which the rate of this limit allows a start. */
  readonly limitRateUntil: number | null;
  /** The queue that goes first at this limit. */
  readonly limitTurn: string | null;
}

const WHY_REPLY: Shape<WhyReply> = wire.pairs<WhyReply>([
  { name: "status", property: "status", type: T.status },
  { name: "queue", property: "queue", type: T.name },
  { name: "eta", property: "eta", type: T.time, empty: true },
  { name: "paused", property: "paused", type: T.pause, empty: true },
  { name: "ahead", property: "ahead", type: T.number, empty: true },
  { name: "listeners", property: "listeners", type: T.number },
  { name: "node", property: "node", type: T.listener, empty: true },
  { name: "deadline", property: "deadline", type: T.deadline, empty: true },
  { name: "cancel", property: "cancel", type: T.time, empty: true },
  { name: "now", property: "now", type: T.time },
  { name: "priority", property: "priority", type: T.priority },
  { name: "key", property: "key", type: T.name, empty: true },
  { name: "weight", property: "weight", type: T.weight },
  { name: "needs", property: "needs", type: T.needs, empty: true },
  { name: "failures", property: "failures", type: T.number },
  { name: "losses", property: "losses", type: T.number },
  { name: "able", property: "able", type: T.number, empty: true, absent: true },
  { name: "concurrency", property: "concurrency", type: T.places, empty: true, absent: true },
  { name: "used", property: "used", type: T.number, absent: true },
  { name: "rate_until", property: "rateUntil", type: T.time, empty: true, absent: true },
  { name: "key_concurrency", property: "keyConcurrency", type: T.places, empty: true, absent: true },
  { name: "key_used", property: "keyUsed", type: T.number, absent: true },
  { name: "key_rate_until", property: "keyRateUntil", type: T.time, empty: true, absent: true },
  { name: "lacking", property: "lacking", type: T.needs, empty: true, absent: true },
  { name: "releases", property: "releases", type: T.number },
  { name: "uncounted", property: "uncounted", type: T.number },
  { name: "order", property: "order", words: ["attend","cancel","stop","kill"], empty: true },
  { name: "full", property: "full", type: T.number },
  { name: "draining", property: "draining", type: T.number },
  { name: "silent", property: "silent", type: T.number },
  { name: "open", property: "open", type: T.number, absent: true },
  { name: "upstream", property: "upstream", type: T.name, absent: true },
  { name: "last", property: "last", type: T.name, absent: true },
  { name: "slots", property: "slots", type: T.number, absent: true },
  { name: "least", property: "least", type: T.number, absent: true },
  { name: "chances", property: "chances", type: T.number, absent: true },
  { name: "end_by", property: "endBy", type: T.time, absent: true },
  { name: "shared", property: "shared", type: T.limits, absent: true },
  { name: "limit", property: "limit", type: T.need, absent: true },
  { name: "limit_weight", property: "limitWeight", type: T.weight, absent: true },
  { name: "limit_concurrency", property: "limitConcurrency", type: T.places, empty: true, absent: true },
  { name: "limit_used", property: "limitUsed", type: T.number, empty: true, absent: true },
  { name: "limit_rate_until", property: "limitRateUntil", type: T.time, empty: true, absent: true },
  { name: "limit_turn", property: "limitTurn", type: T.name, empty: true, absent: true },
], {"absent":false,"open":false});

/**
 * Returns the facts that decide whether and when a task runs.
 *
 * @param id The task.
 *
 * Errors: BADARG, BADNAME, NOPERM, NOTASK, RETRY, SCHEMA, WRONGKEY.
 * Reply: Name and value in turn: status queue eta paused ahead listeners node deadline cancel now priority key
 *   weight needs able concurrency used rate_until key_concurrency key_used key_rate_until lacking failures losses
 *   releases uncounted order full draining silent open upstream last slots least chances end_by shared limit
 *   limit_weight limit_concurrency limit_used limit_rate_until limit_turn; values that do not apply are empty.
 */
export function why(id: string): Call<WhyReply> {
  return wire.call("why", [id], [
  ], WHY_REPLY, false);
}

/** One of what `workers` answers. */
export interface WorkersItem {
  /** The listener of the worker. */
  readonly listener: string;
  /** The name of the worker, for people. */
  readonly name: string | null;
  /** The version of the worker's program. */
  readonly version: string | null;
  /** The queues of the worker, or the patterns by which it takes queues. */
  readonly queues: string;
  /** The capabilities that the worker offers. */
  readonly has: string | null;
  /** Number of tasks that the worker runs at the same time. */
  readonly slots: number;
  /** Number of free slots. */
  readonly free: number;
  /** The queues that the worker drains. */
  readonly drained: string | null;
  /** Time since which the worker reports. */
  readonly since: number;
  /** Time at which the listener was last seen. */
  readonly seen: number;
  /** `alive` if the worker reported in the last 30 s, otherwise `dead`. */
  readonly life: "alive" | "dead";
  /** The methods for which the worker has programs. */
  readonly methods: string | null;
  /** The reason why the worker takes fewer tasks than it could. */
  readonly trouble: string | null;
  /**
   * `ending` if the worker itself reports that it drains: it ends once its tasks have ended, and an order to
   *   drain can no longer be withdrawn.
   */
  readonly ending: "ending" | null;
  /** Number of attempts on the worker that failed in the last hour; empty if the worker does not report it. */
  readonly failed: number | null;
}

/** What `workers` answers. */
export interface WorkersReply {
  /** Start of the next page; 0 at the end. */
  readonly cursor: string;
  /** The entries. */
  readonly items: WorkersItem[];
}

const WORKERS_REPLY: Shape<WorkersReply> = wire.list<WorkersReply>([
  { name: "cursor", property: "cursor", type: T.cursor },
], wire.rows<WorkersItem>([
  { name: "listener", property: "listener", type: T.listener },
  { name: "name", property: "name", type: T.name, empty: true },
  { name: "version", property: "version", type: T.name, empty: true },
  { name: "queues", property: "queues", type: T.queues },
  { name: "has", property: "has", type: T.has, empty: true },
  { name: "slots", property: "slots", type: T.slots },
  { name: "free", property: "free", type: T.freeSlots },
  { name: "drained", property: "drained", type: T.queues, empty: true },
  { name: "since", property: "since", type: T.time },
  { name: "seen", property: "seen", type: T.time },
  { name: "life", property: "life", words: ["alive","dead"] },
  { name: "methods", property: "methods", type: T.methods, empty: true },
  { name: "trouble", property: "trouble", type: T.text, empty: true },
  { name: "ending", property: "ending", words: ["ending"], empty: true },
  { name: "failed", property: "failed", type: T.number, empty: true },
]));

/**
 * Lists the workers of the namespace that report.
 *
 * @param cursor Start of the page.
 * @param limit Maximum number of entries that the call reads or changes.
 *
 * Errors: BADARG, BADNAME, NOPERM, RETRY, SCHEMA, WRONGKEY.
 * Reply: Next cursor (0 at the end), then for each worker: its listener, name and version; its queues, or the
 *   patterns that select its queues, separated by commas; what it offers, separated by commas; its slots and free
 *   slots; the queues that it drains; when its reports began, and when it was last seen; `alive` or `dead`; the
 *   methods that it has programs for, separated by commas (`*`: any); its problems; `ending` if it drains and
 *   ends, else empty; and how many of its attempts failed in the last hour.
 */
export function workers(cursor: string, limit: number): Call<WorkersReply> {
  return wire.call("workers", [cursor, limit], [
  ], WORKERS_REPLY, false);
}
