import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { LoopbackServer, LoopbackServerOptions } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';
import { root } from '../package/source-files.ts';
import { fixtures, run, startOnTerminal } from './cli.ts';

let server: LoopbackServer | undefined;
afterEach(() => server?.close());

/** Flags that name a server which plays this. */
async function played(options: LoopbackServerOptions): Promise<string[]> {
  server = await startLoopbackServer(options);
  return ['--base-url', `${server.origin}/v1`];
}

describe('a run that works', () => {
  test('prints the answer and nothing else on standard output', async () => {
    const { code, stdout, stderr } = await run([
      'run',
      'Hello?',
      ...(await played({ script: [{ text: 'Hello, you.\nYes.' }] })),
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello, you.\nYes.\n' });
    expect(stderr).toMatch(/turn 1\n {2}✓ answers\n\n✓ 1 turn, 1 request, .*; nothing failed\n$/);
    expect(stderr).not.toContain('\u001b');
  });

  test('asks for the reply in one piece with --no-stream', async () => {
    const { stdout } = await run(['run', 'Hello?', '--no-stream', ...(await played({ script: [{ text: 'Hi.' }] }))]);
    expect(stdout).toBe('Hi.\n');
    expect(server?.requests.map((request) => request.isStream)).toEqual([false]);
  });

  test('shows no trace with --quiet', async () => {
    expect(await run(['run', 'Hello?', '-q', ...(await played({ script: [{ text: 'Hi.' }] }))])).toEqual({
      code: 0,
      stdout: 'Hi.\n',
      stderr: '',
    });
  });

  test('shows the text as it comes on a terminal', async () => {
    const script = [{ text: ['There are ', 'three.'], stall: { after: 'text' as const } }];
    const { child, ended, shows } = startOnTerminal(['run', 'How many?', ...(await played({ script }))]);
    await shows(/\nThere are /);
    child.stdin?.write('\u0003');
    expect((await ended).code).toBe(130);
  });

  test('shows text on a terminal once, and begins anew after a cut', async () => {
    const script = [
      { text: ['There are ', 'two'], cut: { after: 'text' as const, how: 'reset' as const } },
      { text: ['There are ', 'three.'] },
    ];
    const { stdout } = await startOnTerminal(['run', 'How many?', ...(await played({ script }))]).ended;
    expect(stdout.match(/There are three\./g)).toHaveLength(1);
    expect(stdout).toMatch(/\nThere are \r?\n[^]*voids the text[^]*\nThere are three\.\r?\n/);
  });

  test('reads the question from standard input', async () => {
    await run(['run', '-', ...(await played({ script: [{ text: 'Hi.' }] }))], {}, 'From a pipe?');
    expect(server?.requests[0]?.view.messages.at(-1)).toMatchObject({ role: 'user', text: 'From a pipe?' });
  });

  test('uses the tools of a file, and says which', async () => {
    const script = [{ calls: [{ name: 'roll_dice', input: { sides: 6 } }] }, { text: 'Four.' }];
    const { code, stderr, stdout } = await run([
      'run',
      'Roll.',
      '--tools',
      join(fixtures, 'dice.mjs'),
      ...(await played({ script })),
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Four.\n' });
    expect(stderr).toMatch(/✓ roll_dice\(sides: 6\) +4\n/);
  });

  test('uses the tools file of the examples', async () => {
    const script = [{ calls: [{ name: 'get_weather', input: { city: 'London' } }] }, { text: 'Rain.' }];
    const tools = ['--tools', join(root, 'examples', 'tools.mjs')];
    const { code, stderr } = await run(['run', 'Weather?', ...tools, ...(await played({ script }))]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/✓ get_weather\(city: London\) +14 °C, light rain\n/);
  });

  test('colours the trace where that is forced, and never the answer', async () => {
    const { stdout, stderr } = await run(['run', 'Hello?', ...(await played({ script: [{ text: 'Hi.' }] }))], {
      FORCE_COLOR: '1',
    });
    expect(stdout).toBe('Hi.\n');
    expect(stderr).toContain('\u001b[32m');
  });

  test.each(['openai-responses', 'anthropic'] as const)('speaks %s', async (provider) => {
    const flags = await played({ script: [{ text: 'Hi.' }] });
    const url = provider === 'anthropic' ? flags.map((flag) => flag.replace(/\/v1$/, '')) : flags;
    expect(await run(['run', 'Hello?', '-q', '--provider', provider, '--model', 'm', ...url])).toMatchObject({
      code: 0,
      stdout: 'Hi.\n',
    });
  });

  test('finds an Ollama on this machine and says so', async () => {
    server = await startLoopbackServer({ script: [{ text: 'Hi.' }], models: ['qwen3:8b'] });
    const { code, stdout, stderr } = await run(['run', 'Hello?'], { OLLAMA_HOST: server.origin });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hi.\n' });
    expect(stderr).toContain(`qwen3:8b at ${server.origin}. Found Ollama`);
    expect(server.requests[0]?.wire).toBe('ollama');
  });
});

describe('--json', () => {
  test('is one document of the whole result', async () => {
    const { code, stdout } = await run([
      'run',
      'Hello?',
      '--json',
      ...(await played({ script: [{ status: 503 }, { text: 'Hi.' }] })),
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      text: 'Hi.',
      turns: 1,
      requests: 2,
      model: 'demo',
      failures: [{ kind: 'overloaded', status: 503 }],
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
  });

  test('tells of failures too', async () => {
    const { code, stdout } = await run([
      'run',
      'Hello?',
      '--json',
      ...(await played({ script: [{ status: 400, message: 'No.' }] })),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', failure: { kind: 'bad-request', status: 400 } });
  });

  test('tells why nothing was run', async () => {
    const { code, stdout } = await run(['run', 'Hello?', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      error: { message: expect.stringMatching(/No model/), hint: expect.any(String) },
    });
  });
});

describe('--json of a command that was called wrongly', () => {
  test.each([
    { name: 'without a question', args: ['run'], message: "missing required argument 'question'" },
    {
      name: 'with no turns',
      args: ['run', 'x', '--max-turns', '0'],
      message: /^option '--max-turns <count>' .* or more/,
    },
    {
      name: 'with an unknown option',
      args: ['run', 'x', '--tols', 'y'],
      message: /'--tols' \(Did you mean --tools\?\)$/,
    },
    { name: 'with an unknown word', args: ['run', 'x', '--slips', 'y'], message: /Allowed choices are ladder/ },
    { name: 'with an unknown story', args: ['demo', 'x'], message: /Allowed choices are temple/, help: 'demo' },
    { name: 'with an unknown command', args: ['rum'], message: /^unknown command 'rum'/, help: '' },
  ])('$name says so on standard output, too', async ({ args, message, help = 'run' }) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    const hint = ['oilcan', help, '--help'].filter((word) => word !== '').join(' ');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({ status: 'error', error: { message: expect.stringMatching(message), hint } });
    const { error } = JSON.parse(stdout) as { error: { message: string } };
    expect(stderr).toBe(`error: ${error.message}\nhint: ${hint}\n`);
  });
});

describe('what a person is told to do', () => {
  test('with a wrong key', async () => {
    const flags = await played({ script: [{ text: 'Hi.' }], apiKey: 'right' });
    const { code, stderr } = await run(['run', 'Hello?', '--api-key-env', 'BOX_KEY', '--model', 'demo', ...flags], {
      BOX_KEY: 'wrong-key-1234',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/✗ 401 key refused +nobody +can mend it here: the run stops at once/);
    expect(stderr).toMatch(/■ failed .*401/);
    expect(stderr).toMatch(/hint: .*key/i);
    expect(stderr).not.toContain('wrong-key-1234');
    expect(server?.requests).toHaveLength(1);
  });

  test('with a wrong model', async () => {
    const flags = await played({ script: [{ text: 'Hi.' }], models: ['right'] });
    const { code, stderr } = await run(['run', 'Hello?', '--model', 'wrong', ...flags]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/■ failed .*wrong/);
    expect(stderr).toMatch(/hint: .*model/i);
    expect(server?.requests).toHaveLength(1);
  });

  test('without a server', async () => {
    const { code, stdout, stderr } = await run([
      'run',
      'Hello?',
      '--base-url',
      'http://127.0.0.1:1/v1',
      '--model',
      'm',
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/✗ connection failed +code +waits .*, asks again \(2 of 4\)/);
    expect(stderr).toMatch(/■ failed .*127\.0\.0\.1:1/);
    expect(stderr).toMatch(/hint: /);
  });

  test('when a limit ends the run', async () => {
    const roll = { calls: [{ name: 'roll_dice', input: { sides: 6 } }] };
    const args = ['run', 'Roll.', '--max-turns', '1', '--tools', join(fixtures, 'dice.mjs')];
    const insists = await run([...args, ...(await played({ script: [roll, roll] }))]);
    expect(insists).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/■ stopped max-turns: /) });
    const answers = await run([...args, ...(await played({ script: [roll, { text: 'You rolled something.' }] }))]);
    expect(answers).toMatchObject({ code: 3, stdout: 'You rolled something.\n' });
  });

  test('when a limit of the command ends the run: which option raises it', async () => {
    const script = [{ calls: [{ name: 'roll_dice', input: { sides: 6 } }] }];
    const tools = ['--tools', join(fixtures, 'dice.mjs')];
    const { stderr } = await run([
      'run',
      'Roll.',
      '--max-turns',
      '3',
      ...tools,
      ...(await played({ script: () => script[0] ?? { text: '' } })),
    ]);
    expect(stderr).toMatch(/hint: Allow more turns: --max-turns 6\./);
  });

  test('with a key of a vendor in the environment that another server was not sent', async () => {
    const flags = await played({ script: [{ text: 'Hi.' }], apiKey: 'right' });
    const { code, stderr } = await run(['run', 'Hello?', '--model', 'demo', ...flags], {
      OPENAI_API_KEY: 'sk-vendor-1234',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/hint: No key was sent: OPENAI_API_KEY [^]*--api-key-env OPENAI_API_KEY/);
    expect(server?.requests[0]?.headers['authorization']).toBeUndefined();
  });

  test('with an address that is a web page', async () => {
    const page = { raw: '<!doctype html><title>Welcome</title>', contentType: 'text/html' };
    const flags = await played({ script: () => page });
    const { code, stderr } = await run(['run', 'Hello?', '-q', '--model', 'demo', ...flags]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^hint: Is http:.*\/v1 the base URL of a model's server\? Check --base-url/m);
  });

  test('with an address that is not there: the whole address', async () => {
    const flags = await played({ script: [{ status: 404, body: '404 page not found' }] });
    const { stderr } = await run(['run', 'Hello?', '-q', '--model', 'demo', ...flags]);
    expect(stderr).toMatch(/^hint: .*http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions: check --base-url/m);
  });

  test.each([
    { name: 'a failure', script: [{ status: 400, message: 'No.' }], code: 1, stderr: /^error: .*400: No\.\n$/ },
    {
      name: 'a stop',
      script: Array(2).fill({ calls: [{ name: 'roll_dice', input: { sides: 6 } }] }),
      code: 3,
      stderr: /^error: stopped by max-turns: .*\nhint: .*--max-turns 2\.\n$/,
    },
    {
      name: 'a run that waits for a person',
      script: [{ calls: [{ name: 'open_door', input: { door: 'red' } }] }],
      code: 4,
      stderr: /^error: the run waits for a person .*\nhint: .*on a terminal.*`agent\.resume`.*\n$/,
    },
  ])('without a trace, after $name', async ({ script, code, stderr }) => {
    const file = code === 4 ? 'approved.mjs' : 'dice.mjs';
    const args = ['run', 'Go.', '-q', '--max-turns', '1', '--tools', join(fixtures, file)];
    expect(await run([...args, ...(await played({ script }))])).toEqual({
      code,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    });
  });

  test('in JSON as well, laid out by nobody', async () => {
    const nothing = JSON.parse((await run(['run', 'Hello?', '--json'])).stdout) as { error: { hint: string } };
    expect(nothing.error.hint).not.toMatch(/\n | {2}/);
    const script = [{ calls: [{ name: 'open_door', input: { door: 'red' } }] }];
    const args = ['run', 'Go.', '--json', '--tools', join(fixtures, 'approved.mjs'), ...(await played({ script }))];
    expect(JSON.parse((await run(args)).stdout)).toMatchObject({
      status: 'suspended',
      hint: expect.stringMatching(/agent\.resume/),
    });
  });

  test.each([
    {
      name: 'with a question without quotes',
      args: ['run', 'hi', 'there'],
      message: /error: The question is 2 arguments\.\nhint: put it in quotes: oilcan run "hi there"\n/,
    },
    {
      name: 'with an address where nothing answers, and no model',
      args: ['run', 'x', '--base-url', 'http://127.0.0.1:1/v1'],
      message: /error: Nothing answers at http:\/\/127\.0\.0\.1:1\/v1\.\nhint: is the server running/,
    },
    {
      name: 'with a tools file that never finishes loading',
      args: ['run', 'x', '--tools', join(fixtures, 'never-loads.mjs')],
      message: /error: .*never-loads\.mjs never finishes loading: .*\nhint: /,
    },
    {
      name: 'with nothing to run with',
      args: ['run', 'Hello?'],
      message: /error: No model to ask[^]*hint: start a local model: ollama serve/,
    },
    { name: 'with an empty question', args: ['run', ''], message: /error: The question is empty\.\nhint: oilcan run/ },
    {
      name: 'with an unknown option',
      args: ['run', 'x', '--modle', 'y'],
      message: /error: unknown option '--modle'[^]*--model[^]*hint: oilcan run --help/,
    },
    { name: 'with an unknown command', args: ['rum'], message: /error: unknown command 'rum'[^]*hint: oilcan --help/ },
    {
      name: 'with an unknown command to be helped with',
      args: ['help', 'rum'],
      message: /error: There is no such command\.\nhint: oilcan --help/,
    },
    { name: 'without a question', args: ['run'], message: /error: missing required argument 'question'/ },
    {
      name: 'with a number that is none',
      args: ['run', 'x', '--max-turns', 'many'],
      message: /error: option '--max-turns <count>' argument 'many' is invalid\. It must be a whole number/,
    },
    {
      name: 'with an unknown wire',
      args: ['run', 'x', '--provider', 'morse'],
      message: /error: .*Allowed choices are openai, openai-responses, anthropic, ollama/,
    },
    {
      name: 'with a tools file that is not there',
      args: ['run', 'x', '--tools', 'nowhere.mjs'],
      message: /error: There is no file nowhere\.mjs\.\nhint: /,
    },
    {
      name: 'with a tools file that exports none',
      args: ['run', 'x', '--tools', join(fixtures, 'empty.mjs')],
      message: /error: .*empty\.mjs exports no tool\.\nhint: /,
    },
    {
      name: 'with a tools file that throws',
      args: ['run', 'x', '--tools', join(fixtures, 'broken.mjs')],
      message: /error: .*broken\.mjs can't be loaded: the file itself is broken\nhint: /,
    },
  ])('$name', async ({ args, message }) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('and the stack with --debug', async () => {
    const { stderr } = await run(['run', 'x', '--debug', '--tools', join(fixtures, 'broken.mjs')]);
    expect(stderr).toMatch(/^\s+at .*broken\.mjs/m);
  });
});
