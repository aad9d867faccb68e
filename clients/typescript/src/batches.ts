// Splits the tasks of a graph into the calls of `submit_graph`.
import type * as calls from "./calls.js";
import { CALL_BYTES, INPUTS_OF_CALL, TASKS_OF_CALL } from "./contract.js";
import { InvalidCall } from "./errors.js";

/** The beginning of the entry that follows all entries of a set. */
export const LEAST = "least/";

/** An entry of inputs, with the bytes of its value. */
interface Input {
  readonly text: string;
  readonly value: Buffer;
}

/** A task, or some of its inputs. */
interface Part {
  readonly task: calls.SubmitGraphEach;
  /** The parameters of a task without upstreams among them. */
  readonly whole: Buffer;
  readonly inputs: readonly Input[];
}

const isValue = ({ text }: Input): boolean => text.startsWith("value/");
const sum = (inputs: readonly Input[]): number => inputs.reduce((all, { value }) => all + value.length, 0);
/** True if the task is sent in several calls. */
const isLong = ({ inputs }: Part): boolean => inputs.length > INPUTS_OF_CALL || sum(inputs) > CALL_BYTES;

function parted(task: calls.SubmitGraphEach): Part {
  const data = Buffer.from(task.parameters as string);
  let at = 0;
  const inputs = task.inputs.split(" ").filter(Boolean).map((text) => {
    const value = data.subarray(at, (at += text.startsWith("value/") ? Number(text.split("=")[1]) : 0));
    return { text, value };
  });
  return { task, whole: data.subarray(at), inputs };
}

/**
 * Splits the entries into calls. A task with more inputs than a call takes is repeated with its further inputs.
 *
 * The call with the last task creates the graph. If that task is sent in several calls, the task before it is sent
 * together with its last part.
 */
export function batches(each: readonly calls.SubmitGraphEach[]): calls.SubmitGraphEach[][] {
  const parts = each.map(parted);
  const [second, last] = [parts.at(-2), parts.at(-1)];
  if (!last) throw new InvalidCall("BADARG", "the graph has no tasks.");
  if (!second || !isLong(last)) return filled(parts);
  const others = last.inputs.filter((input) => !isValue(input));
  const own = others.filter(({ text }) => text.slice(text.indexOf("=") + 1) === second.task.id);
  const late = new Set(own.length ? own : others.slice(0, 1));
  for (const input of others) if (input.text.startsWith(LEAST)) late.add(input); // after all entries of the set
  if (isLong(second) || second.inputs.length + late.size > INPUTS_OF_CALL) {
    const ids = `${second.task.id} and ${last.task.id}`;
    throw new InvalidCall("BADARG", `the last tasks of the graph, ${ids}, have over ${INPUTS_OF_CALL} inputs each: one of them may.`);
  }
  const early = { ...last, inputs: last.inputs.filter((input) => !late.has(input)) };
  const rest = { ...last, whole: Buffer.alloc(0), inputs: [...late] };
  return [...filled([...parts.slice(0, -2), early]), ...filled([second, rest])];
}

function filled(parts: readonly Part[]): calls.SubmitGraphEach[][] {
  const done: calls.SubmitGraphEach[][] = [];
  let [batch, count, size]: [calls.SubmitGraphEach[], number, number] = [[], 0, 0];
  for (const part of parts) {
    for (const [number, inputs] of chunks(part).entries()) {
      const values = Buffer.concat([...(number ? [] : [part.whole]), ...inputs.map(({ value }) => value)]);
      const texts = inputs.map(({ text }) => text).join(" ");
      const own = values.length + texts.length + part.task.options.length;
      const same = batch.at(-1)?.id === part.task.id;
      if (same || (batch.length && (batch.length === TASKS_OF_CALL || count + inputs.length > INPUTS_OF_CALL || size + own > CALL_BYTES))) {
        done.push(batch);
        [batch, count, size] = [[], 0, 0];
      }
      batch.push({ ...part.task, parameters: values, inputs: texts });
      count += inputs.length;
      size += own;
    }
  }
  return [...done, batch];
}

/** Splits the inputs of a task into calls, with at least one upstream in each call. */
function chunks(part: Part): (readonly Input[])[] {
  if (!isLong(part)) return [part.inputs];
  const done: Input[][] = [];
  const values = part.inputs.filter(isValue);
  const others = part.inputs.filter((input) => !isValue(input));
  let [atValue, atOther] = [0, 0];
  while (atValue < values.length || atOther < others.length) {
    const first = others[atOther++];
    if (!first) {
      const text = `the task ${part.task.id} has too many or too large values: put some of them into one.`;
      throw new InvalidCall("BADARG", text);
    }
    const chunk = [first];
    let size = 0;
    for (let next; chunk.length < INPUTS_OF_CALL && (next = values[atValue]) && (size === 0 || size + next.value.length <= CALL_BYTES); ) {
      chunk.push(next);
      size += next.value.length;
      atValue += 1;
    }
    if (atValue === values.length) {
      const more = others.slice(atOther, atOther + INPUTS_OF_CALL - chunk.length);
      chunk.push(...more);
      atOther += more.length;
    }
    done.push(chunk);
  }
  return done;
}
