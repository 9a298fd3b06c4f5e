import { z } from 'zod';
import { createAgent, scripted, tool } from '../../src/index.ts';
import { prepareInput } from '../../src/loop/input/prepare-input.ts';
import type { AgentOptions, JsonObject, ScriptStep, Tool } from '../../src/index.ts';

/** A call with the declaration of its tool. */
export interface CorpusCall {
  readonly name: string;
  readonly declaration: { readonly name: string; readonly description: string; readonly parameters: JsonObject };
  readonly input: JsonObject;
}

/** Calls by reply, and texts that are no calls. */
export interface Corpus {
  readonly replies: readonly (readonly CorpusCall[])[];
  readonly declarations: readonly CorpusCall['declaration'][];
  readonly questions: readonly string[];
}

/** What came of one reply of a model. */
export interface Asked {
  readonly ran: readonly { readonly name: string; readonly input: unknown }[];
  /** What the model was told of calls that were not run; '' where it was told nothing. */
  readonly told: string;
  readonly isAnswer: boolean;
}

const tools = new Map<string, Tool>();
let ran: { name: string; input: unknown }[] = [];

/** The tool of a declaration. It remembers what it was run with. */
export function toolOf({ name, description, parameters }: CorpusCall['declaration']): Tool {
  const wireName = toolName(name);
  const key = `${wireName} ${JSON.stringify(parameters)}`;
  const known = tools.get(key);
  if (known !== undefined) return known;
  const made = tool({
    name: wireName,
    description: description === '' ? 'A tool.' : description,
    schema: z.fromJSONSchema({ type: 'object', ...parameters }),
    jsonSchema: { type: 'object', ...parameters },
    execute: (input: unknown) => {
      ran.push({ name: wireName, input });
      return 'done';
    },
  });
  tools.set(key, made);
  return made;
}

/** A name that every vendor takes: `math.factorial` as `math_factorial`. */
export function toolName(name: string): string {
  return name.replace(/[^\w-]/g, '_').slice(0, 64);
}

/** Gives the reply to an agent with these tools, and sees what comes of it. */
export async function ask(
  given: readonly Tool[],
  step: ScriptStep,
  options: Partial<AgentOptions> = {},
): Promise<Asked> {
  ran = [];
  const provider = scripted([step, 'End.']);
  const agent = createAgent({ provider, tools: given, slips: 'result', maxTurns: 2, ...options });
  const result = await agent.stream('Do it.').result;
  const told = (provider.requests[1]?.messages ?? []).flatMap((message) =>
    message.role === 'tool' ? message.content.filter((part) => part.isError).flatMap((part) => part.content) : [],
  );
  if (result.status !== 'completed')
    throw new Error(`The run ended as ${result.status}: ${JSON.stringify(step).slice(0, 500)}`);
  return {
    ran,
    told: told.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    isAnswer: provider.requests.length === 1,
  };
}

/** What comes of a call with its arguments as the model wrote them, read and checked without a run around it. */
export function readRaw({ declaration }: CorpusCall, rawArguments: string): Asked {
  const made = toolOf(declaration);
  const { name } = made;
  const prepared = prepareInput(made, {
    type: 'tool-call',
    id: 'a',
    name,
    arguments: { text: rawArguments },
    isComplete: true,
  });
  if (prepared instanceof Promise) throw new Error('It should be synchronous.');
  const { ok } = prepared;
  return { ran: ok ? [{ name, input: prepared.input }] : [], told: ok ? '' : prepared.text, isAnswer: false };
}

/** True where exactly these calls ran, with exactly these arguments. */
export function isRight({ ran: found }: Asked, calls: readonly CorpusCall[]): boolean {
  const wanted = calls.map(({ name, input }) => ({ name: toolName(name), input }));
  return JSON.stringify(sorted(found)) === JSON.stringify(sorted(wanted));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** The calls that a tool takes as they are, each once. */
export function validCalls(replies: Corpus['replies']): CorpusCall[] {
  const seen = new Set<string>();
  return replies.flat().filter((call) => {
    const key = JSON.stringify([call.name, call.input, call.declaration.parameters]);
    if (seen.has(key)) return false;
    seen.add(key);
    return isValid(call);
  });
}

/** The replies of several calls that are all valid. */
export function parallelReplies(replies: Corpus['replies']): (readonly CorpusCall[])[] {
  return replies.filter((calls) => calls.length > 1 && calls.every(isValid));
}

function isValid({ declaration, input }: CorpusCall): boolean {
  const checked = toolOf(declaration).options.schema['~standard'].validate(structuredClone(input));
  if (checked instanceof Promise || checked.issues !== undefined) return false;
  return JSON.stringify(sorted(checked.value)) === JSON.stringify(sorted(input));
}
