import { describe, expect, test } from 'vitest';
import { bodyOf, modes } from './bodies.ts';
import type { Mode, SaidReply } from './bodies.ts';
import { decode, sse, summary, wireIds } from './decode.ts';
import type { WireId } from './decode.ts';

// What has to be the same on every wire, as a stream and in one piece.

const everywhere: readonly { readonly wire: WireId; readonly mode: Mode }[] = wireIds.flatMap((wire) =>
  modes.map((mode) => ({ wire, mode })),
);

const read = (wire: WireId, mode: Mode, said: SaidReply): string => summary(decode(wire, bodyOf(wire, mode, said)));

/** The summary without its last word, the finish reason. */
const calls = (wire: WireId, mode: Mode, said: SaidReply): string => read(wire, mode, said).replace(/ \S+$/, '');

const reply = (wire: WireId, mode: Mode, said: SaidReply): { warnings?: readonly string[] | undefined } => {
  const { assembled } = decode(wire, bodyOf(wire, mode, said));
  if (assembled.type !== 'reply') throw new Error(`No reply but ${JSON.stringify(assembled)}`);
  return assembled.reply;
};

const pay = (id: string | undefined, args = '{"amount":5}'): NonNullable<SaidReply['calls']>[number] => ({
  id,
  name: 'pay',
  args,
});

describe.each(everywhere)('$wire, $mode', ({ wire, mode }) => {
  test.each([
    { name: 'a call repeated with its id is one', said: [pay('a'), pay('a')], is: 'pay#a({"amount":5})' },
    {
      name: 'so is one whose keys stand in another order',
      said: [pay('a', '{"amount":5,"to":{"x":1,"y":2}}'), pay('a', '{"to":{"y":2,"x":1},"amount":5}')],
      is: 'pay#a({"amount":5,"to":{"x":1,"y":2}})',
    },
    {
      name: 'three times, with another one between',
      said: [pay('a'), pay('b', '{}'), pay('a'), pay('a')],
      is: 'pay#a({"amount":5}) pay#b({})',
    },
    {
      name: 'equal calls with other ids are two',
      said: [pay('a'), pay('b')],
      is: 'pay#a({"amount":5}) pay#b({"amount":5})',
    },
    {
      name: 'one id with other arguments is two calls',
      said: [pay('a'), pay('a', '{"amount":6}')],
      is: 'pay#a({"amount":5}) pay#a({"amount":6})',
    },
  ])('$name', ({ said, is }) => {
    expect(calls(wire, mode, { calls: said })).toBe(is);
  });

  test.each(['length', 'max_tokens', 'max_new_tokens', 'MAX_TOKENS', 'model_length', 'token_limit'])(
    'of a reply that ended with %s the last call is never complete, however whole it looks',
    (end) => {
      const said = { calls: [pay('a'), pay('b', '{"amount":6}')], end };
      expect(read(wire, mode, said)).toBe('pay#a({"amount":5}) !pay#b({"amount":6}) length');
      expect(read(wire, mode, { calls: [pay('a')], end })).toBe('!pay#a({"amount":5}) length');
      // What is repeated was perhaps cut, too.
      expect(read(wire, mode, { calls: [pay('a'), pay('a')], end })).toBe('!pay#a({"amount":5}) length');
    },
  );

  test.each([
    'abort',
    'cancelled',
    'timeout',
    'time_limit',
    'engine_overloaded',
    'overloaded_error',
    'error: connection reset by peer',
    'server_error',
    'insufficient_system_resource',
    'USER_CANCEL',
    'upstreamDisconnected',
    'requestTimedOut',
    'repetition',
  ])('half a reply that ended with %s is an error of the server', (end) => {
    expect(read(wire, mode, { text: 'The answer is', calls: [pay('a')], end })).toBe('error-payload');
  });

  test.each(['BLOCKLIST', 'guardrail_intervened', 'content_filtered', 'SAFETY', 'IMAGE_SAFETY', 'SPII', 'sensitive'])(
    'half a reply that ended with %s was filtered',
    (end) => {
      expect(read(wire, mode, { text: 'The answer is', end })).toBe('"The answer is" content-filter');
    },
  );

  test.each(['MALFORMED_FUNCTION_CALL', 'malformed_tool_use', 'UNEXPECTED_TOOL_CALL'])(
    'a reply that ended with %s is malformed',
    (end) => {
      expect(read(wire, mode, { text: 'The answer is', end })).toBe('malformed');
    },
  );

  test('arguments without the name of a tool are no call', () => {
    expect(read(wire, mode, { calls: [{ id: 'a', args: '{"amount":5}' }] })).toBe('malformed');
  });

  test('figures of zero are unknown', () => {
    expect(reply(wire, mode, { text: 'Hi', usage: [0, 0] })).toMatchObject({ usage: {} });
    expect(reply(wire, mode, { text: 'Hi', usage: [0, 0] })).not.toMatchObject({ usage: { outputTokens: 0 } });
    expect(reply(wire, mode, { text: 'Hi', usage: [7, 3] })).toMatchObject({
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });
});

describe.each(everywhere.filter(({ wire }) => wire !== 'openai-responses'))('$wire, $mode', ({ wire, mode }) => {
  test.each(['eventually', 'OTHER', 'x'])('the unknown word %s is told as a warning', (end) => {
    expect(read(wire, mode, { text: 'Hi', end })).toBe('"Hi" other');
    expect(reply(wire, mode, { text: 'Hi', end })).toMatchObject({
      warnings: [`The server ended the reply with an unknown word: ${end}.`],
    });
  });

  test.each(['stop', 'end_turn', 'COMPLETE', 'eos_token', 'STOP', 'stop_sequence', 'endTurn'])(
    'the known word %s is not',
    (end) => {
      expect(read(wire, mode, { text: 'Hi', end })).toBe('"Hi" stop');
      expect(reply(wire, mode, { text: 'Hi', end }).warnings).toBeUndefined();
    },
  );
});

/** The bytes of a body, with others in the place of each marker. */
const withBytes = (body: string, marker: string, bytes: readonly number[]): Uint8Array => {
  const [first = '', ...rest] = body.split(marker);
  const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
  return Uint8Array.from([...encode(first), ...rest.flatMap((part) => [...bytes, ...encode(part)])]);
};

describe.each(everywhere)('$wire, $mode', ({ wire, mode }) => {
  const text = bodyOf(wire, mode, { text: 'Caf@!' });
  const call = bodyOf(wire, mode, { calls: [pay('a', '{"to":"Caf@!"}')] });

  test.each([
    { name: 'Latin-1', bytes: [0xe9] },
    { name: 'half a character', bytes: [0xe2, 0x82] },
    { name: 'half of a surrogate pair', bytes: [0xed, 0xa0, 0x80] },
    { name: 'an overlong form', bytes: [0xc0, 0xaf] },
    { name: 'no bytes of text', bytes: [0xff, 0xfe] },
  ])('bytes that are not UTF-8 are malformed: $name', ({ bytes }) => {
    for (const body of [text, call]) {
      expect(summary(decode(wire, withBytes(body, '@', bytes)))).toBe('malformed');
      const all = withBytes(body, '@', bytes);
      expect(
        summary(
          decode(
            wire,
            Array.from(all, (byte) => Uint8Array.of(byte)),
          ),
        ),
      ).toBe('malformed');
    }
  });

  test('characters that are sent as replacement characters are read', () => {
    expect(summary(decode(wire, withBytes(text, '@', [0xef, 0xbf, 0xbd])))).toContain('"Caf\ufffd!"');
  });

  test('a character that the end of the body cuts is never read as another one', () => {
    const cutBody = withBytes(text, '@', [0xc3]);
    const at = cutBody.indexOf(0xc3);
    expect(summary(decode(wire, cutBody.subarray(0, at + 1)))).toBe('malformed');
  });

  test('what is nested deeper than any real reply is malformed, and what is less deep can be written again', () => {
    const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const nested = (levels: number): string =>
      bodyOf(wire, mode, { text: 'Hi' }).replace(/(?<=^(?:data: )?\{)/, `"extra_content":${deep(levels)},`);
    expect(summary(decode(wire, nested(6000)))).toBe('malformed');
    const { assembled } = decode(wire, nested(100));
    expect(assembled.type).toBe('reply');
    expect(JSON.stringify(assembled)).toContain('Hi');
  });
});

describe('data of vendors is never so deep that the result can not be written as JSON', () => {
  // The host can't write it as a value.
  const encode = (value: unknown): string =>
    JSON.stringify(value).replace('"DEEP"', `${'{"a":'.repeat(6000)}1${'}'.repeat(6000)}`);
  const rows: readonly { readonly name: string; readonly wire: WireId; readonly body: string }[] = [
    {
      name: 'reasoning_details',
      wire: 'openai-chat',
      body: `data: ${encode({ choices: [{ delta: { content: 'Hi', reasoning_details: [{ type: 'x', data: 'DEEP' }] }, finish_reason: 'stop' }] })}\n\n`,
    },
    {
      name: 'extra_content',
      wire: 'openai-chat',
      body: encode({
        choices: [
          {
            message: { tool_calls: [{ id: 'a', extra_content: 'DEEP', function: { name: 'f', arguments: '{}' } }] },
            finish_reason: 'stop',
          },
        ],
      }),
    },
    {
      name: 'server_tool_use',
      wire: 'anthropic',
      body: encode({
        type: 'message',
        content: [{ type: 'server_tool_use', id: 's', name: 'x', input: 'DEEP' }],
        stop_reason: 'pause_turn',
      }),
    },
    {
      name: 'an item of the server',
      wire: 'openai-responses',
      body: encode({ object: 'response', output: [{ type: 'reasoning', encrypted_content: 'x', more: 'DEEP' }] }),
    },
    {
      name: 'arguments',
      wire: 'ollama',
      body: encode({ message: { tool_calls: [{ function: { name: 'f', arguments: 'DEEP' } }] }, done: true }),
    },
  ];

  test.each(rows)('$name', ({ wire, body }) => {
    expect(summary(decode(wire, body))).toBe('malformed');
  });

  test('pieces of the input of a tool of the server', () => {
    const input = `${'{"a":'.repeat(6000)}1${'}'.repeat(6000)}`;
    const events = [
      { type: 'message_start', message: { content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id: 's', name: 'x', input: {} },
      },
      ...(input.match(/.{1,1000}/g) ?? []).map((partial_json) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'message_delta', delta: { stop_reason: 'pause_turn' } },
      { type: 'message_stop' },
    ];
    const { assembled } = decode('anthropic', sse(...events));
    expect(assembled.type).toBe('reply');
    expect(() => JSON.stringify(assembled)).not.toThrow();
  });
});

describe('all fields that say how a Chat reply ended are read', () => {
  const choice = (more: object): object => ({ index: 0, message: { content: 'The answer is' }, ...more });
  const chunk = (more: object): object => ({ choices: [{ index: 0, delta: {}, ...more }] });
  const rows: readonly { readonly name: string; readonly more: object; readonly top?: object; readonly is: string }[] =
    [
      { name: 'the vendor behind a router was cut', more: { native_finish_reason: 'MAX_TOKENS' }, is: 'length' },
      {
        name: 'the vendor behind a router failed',
        more: { native_finish_reason: 'engine_error' },
        is: 'error-payload',
      },
      { name: 'the vendor behind a router filtered', more: { native_finish_reason: 'SAFETY' }, is: 'content-filter' },
      { name: 'the vendor says the same in its words', more: { native_finish_reason: 'end_turn' }, is: 'stop' },
      {
        name: 'a filter took something out',
        more: { content_filter_results: { hate: { filtered: false }, violence: { filtered: true, severity: 'high' } } },
        is: 'content-filter',
      },
      {
        name: 'the filters took nothing out',
        more: { content_filter_results: { hate: { filtered: false }, error: { code: 'content_filter_error' } } },
        is: 'stop',
      },
      {
        name: 'a filter of the prompt',
        more: {},
        top: {
          prompt_filter_results: [{ prompt_index: 0, content_filter_results: { jailbreak: { filtered: true } } }],
        },
        is: 'content-filter',
      },
      { name: 'an error beside the choice', more: {}, top: { base_resp: { status_code: 1008 } }, is: 'error-payload' },
      { name: 'none beside the choice', more: {}, top: { base_resp: { status_code: 0 } }, is: 'stop' },
    ];

  test.each(rows)('$name', ({ more, top = {}, is }) => {
    const plain = JSON.stringify({ choices: [choice({ finish_reason: 'stop', ...more })], ...top });
    expect(summary(decode('openai-chat', plain)).split(' ').at(-1)).toBe(is);
    const stream = sse(
      { choices: [{ index: 0, delta: { content: 'The answer is' } }], ...top },
      chunk({ finish_reason: 'stop', ...more }),
      '[DONE]',
    );
    expect(summary(decode('openai-chat', stream)).split(' ').at(-1)).toBe(is);
  });

  test('a later word takes a graver one before it not back', () => {
    const stream = sse(chunk({ delta: { content: 'x' }, finish_reason: 'length' }), chunk({ finish_reason: 'stop' }));
    expect(summary(decode('openai-chat', stream))).toBe('"x" length');
  });
});

describe('all fields that say how a Responses reply ended are read', () => {
  const message = (status: string): object => ({ type: 'message', status, content: [{ text: 'The answer is' }] });
  test.each([
    { name: 'a text that is incomplete', status: 'completed', output: [message('incomplete')], is: 'length' },
    { name: 'a text that failed', status: 'completed', output: [message('failed')], is: 'error-payload' },
    { name: 'a text whose status nobody changed', status: 'completed', output: [message('in_progress')], is: 'stop' },
    { name: 'an unknown status', status: 'eventually', output: [message('completed')], is: 'other' },
    { name: 'a status that says it failed', status: 'expired', output: [message('completed')], is: 'error-payload' },
  ])('$name', ({ status, output, is }) => {
    const response = { object: 'response', status, output };
    expect(
      summary(decode('openai-responses', JSON.stringify(response)))
        .split(' ')
        .at(-1),
    ).toBe(is);
    expect(
      summary(decode('openai-responses', sse({ type: 'response.completed', response })))
        .split(' ')
        .at(-1),
    ).toBe(is);
  });
});
