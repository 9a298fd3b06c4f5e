// The temple from scratch: an agent loop that survives, with nothing but fetch.
//
//     BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 node scratch.ts      (or --base-url, --model, --api-key)
//
// Three layers, each with one question:
//   1. ask()     The server failed. Will it work if I ask again?     The model never hears of it.
//   2. answer()  The model erred, or a tool has something to say.    The model reads it as the tool's result.
//   3. play()    Is this going anywhere?                             After too many errors in a row, stop.

const BASE_URL = setting('--base-url', 'BASE_URL', 'http://127.0.0.1:11434/v1');
const MODEL = setting('--model', 'MODEL', 'qwen3');
const API_KEY = setting('--api-key', 'OPENAI_API_KEY', 'none');
const MAX_ATTEMPTS = 5;
const MAX_TURNS = 20;
const MAX_ERRORS_IN_A_ROW = 4;
const TIMEOUT_MS = 120_000;

function setting(flag: string, variable: string, otherwise: string): string {
  const index = process.argv.indexOf(flag);
  return (index > 0 ? process.argv[index + 1] : process.env[variable]) ?? otherwise;
}

// --- The world: a door, a rusted lock, a key and an oil can. --------------------------------------------------------

const room = { isOiled: false, isOpen: false };

function find(target: string): void {
  if (!/door|lock/i.test(target)) throw new Error('There is no such thing here. You see a door with a lock.');
}

function lookAt(target: string): string {
  find(target);
  if (room.isOpen) return 'The door stands open.';
  return room.isOiled ? 'A bronze door. Its lock shines with oil.' : 'A bronze door, shut. Its lock is red with rust.';
}

function use(item: string, target: string): string {
  find(target);
  if (item === 'oil_can') {
    room.isOiled = true;
    return 'The oil runs into the lock. It moves freely now.';
  }
  if (!room.isOiled) throw new Error('The lock is rusted shut. Oil it first: use oil_can with lock.');
  room.isOpen = true;
  return 'The key turns. The temple door swings open.';
}

interface Tool {
  description: string;
  properties: Record<string, { type: 'string'; enum?: string[] }>;
  run(input: Record<string, string>): string;
}

const tools = new Map(
  Object.entries<Tool>({
    look_at: {
      description: 'Look at something in the room.',
      properties: { target: { type: 'string' } },
      run: ({ target = '' }) => lookAt(target),
    },
    use: {
      description: 'Use something that you carry with something in the room.',
      properties: { item: { type: 'string', enum: ['key', 'oil_can'] }, target: { type: 'string' } },
      run: ({ item = '', target = '' }) => use(item, target),
    },
  }),
);

// --- 1. The retry layer: failures of the server and the network. -----------------------------------------------------

interface Call {
  id: string;
  function: { name: string; arguments: string };
}
interface Reply {
  content?: string | null;
  tool_calls?: Call[] | null;
}

/** Something that asking again may cure, after `waitMs` where the server names a time. */
class Passing extends Error {
  waitMs = 0;
}

async function askOnce(messages: object[]): Promise<Reply> {
  const declared = [...tools].map(([name, { description, properties }]) => ({
    type: 'function',
    function: { name, description, parameters: { type: 'object', properties, required: Object.keys(properties) } },
  }));
  const response = await fetch(`${BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify({ model: MODEL, messages, tools: declared }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (response.status === 429 || response.status >= 500) {
    const failure = new Passing(`The server answered ${response.status}.`);
    failure.waitMs = Number(response.headers.get('retry-after')) * 1000 || 0;
    throw failure;
  }
  // Any other error is ours (a wrong key, a wrong model): asking again can't help.
  if (!response.ok) throw new Error(`The server answered ${response.status}: ${text}`);
  const body = JSON.parse(text) as { choices?: { message?: Reply }[] };
  const reply = body.choices?.[0]?.message;
  if (!reply?.content && !reply?.tool_calls?.length) throw new Passing('The reply was empty.');
  return reply;
}

async function ask(messages: object[]): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await askOnce(messages);
    } catch (thrown) {
      const error = thrown as Error;
      // TypeError is how fetch says "no connection", SyntaxError is a body that was cut, TimeoutError is silence.
      const isPassing = error instanceof Passing || /^(Type|Syntax|Timeout)Error$/.test(error.name);
      if (!isPassing || attempt === MAX_ATTEMPTS) throw error;
      console.error(`   (${error.message} Asking again.)`);
      const asked = error instanceof Passing ? error.waitMs : 0;
      await new Promise((resolve) => setTimeout(resolve, asked + Math.random() * 250 * 2 ** attempt));
    }
  }
}

// --- 2. The tool layer: every call gets exactly one answer, and an error is an answer. -------------------------------

function answer({ name, arguments: json }: Call['function']): { content: string; isError: boolean } {
  try {
    const tool = tools.get(name);
    if (!tool) throw new Error(`There is no such tool. The tools are ${[...tools.keys()].join(' and ')}.`);
    return { content: tool.run(readInput(json, tool)), isError: false };
  } catch (error) {
    // Written for the model: what is wrong, and what to do instead.
    return { content: `Error: ${(error as Error).message}`, isError: true };
  }
}

function readInput(json: string, { properties }: Tool): Record<string, string> {
  if (asJson(json) === undefined) throw new Error('The arguments were not valid JSON. Send one JSON object.');
  const input = JSON.parse(json) as Record<string, string> | null;
  for (const [key, { enum: words }] of Object.entries(properties)) {
    const value = input?.[key];
    if (typeof value !== 'string') throw new Error(`"${key}" must be a string.`);
    if (words && !words.includes(value)) throw new Error(`"${key}" must be one of ${words.join(', ')}.`);
  }
  return input ?? {};
}

function asJson(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

// --- 3. The loop: ask, answer, ask again; stop when it goes nowhere. -------------------------------------------------

async function play(question: string): Promise<string> {
  const system = 'You play a text adventure through tools. Say only what the tools have shown you.';
  const messages: object[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
  let errorsInARow = 0;
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    const { content: text, tool_calls } = await ask(messages);
    const calls = tool_calls ?? [];
    if (calls.length === 0) return text ?? '';
    // A strict server refuses arguments that are not JSON, so broken ones can't go back as they came.
    const sent = calls.map(({ id, function: { name, arguments: json } }) => {
      return { id, type: 'function', function: { name, arguments: asJson(json) ?? '{}' } };
    });
    messages.push({ role: 'assistant', content: text ?? null, tool_calls: sent });
    for (const call of calls) {
      const { content, isError } = answer(call.function);
      console.error(`${turn}. ${call.function.name}(${call.function.arguments}) -> ${content}`);
      messages.push({ role: 'tool', tool_call_id: call.id, content });
      errorsInARow = isError ? errorsInARow + 1 : 0;
      if (errorsInARow === MAX_ERRORS_IN_A_ROW) throw new Error(`${errorsInARow} errors in a row: giving up.`);
    }
  }
  throw new Error(`No answer after ${MAX_TURNS} turns: giving up.`);
}

console.log(await play('Open the temple door.'));

export {};
