// Very long running tasks on Redis or Valkey.
export { Again, Context, Failure, type Handler, type Handlers, type LogFields, type Order, Stopped } from "./attempt.js";
export * as calls from "./calls.js";
export { Client, type ClientOptions, type Recurrence, type ScheduleOptions } from "./client.js";
export { LocalContext, type LocalOptions, localContext } from "./local-context.js";
export type { NodeRedis } from "./connection.js";
export * as contract from "./contract.js";
export {
  BluequeError, CancelledAtStart, ConnectionFailed, InvalidCall, Lost, NotFound, PayloadError, Refused, ReplyError, ServerError,
  TaskCancelled, TaskFailed, TimedOut, Unavailable, Unsuitable, Unverified,
} from "./errors.js";
export { GraphHandle } from "./graph-handle.js";
export {
  type Given, Graph, type GraphOptions, Group, type More, Node, type NodeOptions, Optional, type Submitted, TaskType, type Upstream, optional, taskType,
} from "./graph.js";
export type { Attempt, Hooks, Submit } from "./hooks.js";
export { type HandlerOptions, type Kind, type Limits } from "./handler-options.js";
export { task } from "./handler.js";
export { type Notice, type NoticeEnd, type NoticeEvent, type NoticeHeaders, Notices } from "./notices.js";
export { Json, type Serializer } from "./payload.js";
export { type EventsOptions, Queue, type TaskOptions } from "./queue.js";
export type { LogEntry, TaskRecord } from "./records.js";
export { Schedule } from "./schedule.js";
export { type EditOptions, Task, type Wait } from "./task.js";
export { type Argument, type Bytes, Call, type Names, type Reply, type Seconds, type Time } from "./wire.js";
export type { Why } from "./why.js";
export { Worker, type WorkerOptions } from "./worker.js";
export { type LeaseOptions, WorkItem, WorkQueue, type WorkQueueOptions } from "./work-queue.js";
