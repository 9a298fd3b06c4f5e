import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import type { LoopbackServer, LoopbackStep } from '../../src/testing/loopback-server.ts';
import { startLoopbackServer } from '../../src/testing/loopback-server.ts';

// The loopback server stands in for real vendors, so the vendors' own clients must be able to talk to it, and what they send by
// themselves must pass its strict checks.

const story: readonly LoopbackStep[] = [
  { calls: [{ name: 'look', input: { at: 'door' } }] },
  { text: 'It is rusted shut.' },
];

/** Runs a client against the server; the server's own findings are part of the verdict. */
async function against(steps: readonly LoopbackStep[], talk: (server: LoopbackServer) => Promise<void>): Promise<void> {
  await using server = await startLoopbackServer({ script: steps });
  await talk(server);
  expect(server.violations).toEqual([]);
  expect(server.strays).toEqual([]);
  expect(server.scriptErrors).toEqual([]);
}

const parameters = { type: 'object' as const, properties: { at: { type: 'string' } }, required: ['at'] };

test.each([false, true])('OpenAI, Chat Completions (stream: %s)', async (stream) => {
  await against(story, async ({ origin }) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'k', maxRetries: 0 });
    const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'look', parameters } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Look.' }];
    const ask = async (): Promise<OpenAI.ChatCompletionMessage> => {
      const body = { model: 'demo', messages, tools, stream_options: null };
      if (!stream) return (await client.chat.completions.create({ ...body })).choices[0]!.message;
      const { stream_options: _none, ...rest } = body;
      return client.chat.completions.stream(rest).finalMessage();
    };
    const reply = await ask();
    const [call] = reply.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'look', arguments: '{"at":"door"}' } });
    messages.push(reply, { role: 'tool', tool_call_id: call!.id, content: 'Rust.' });
    expect((await ask()).content).toBe('It is rusted shut.');
  });
});

test.each([false, true])('OpenAI, Responses, going on with what the server keeps (stream: %s)', async (stream) => {
  await against(story, async ({ origin }) => {
    const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'k', maxRetries: 0 });
    const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'look', parameters, strict: false }];
    const ask = async (body: OpenAI.Responses.ResponseCreateParamsNonStreaming): Promise<OpenAI.Responses.Response> =>
      stream ? client.responses.stream({ ...body, stream: true }).finalResponse() : client.responses.create(body);
    const first = await ask({ model: 'demo', input: 'Look.', tools });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(call).toMatchObject({ name: 'look', arguments: '{"at":"door"}' });
    expect(first).toMatchObject({ tools: [], tool_choice: 'auto', parallel_tool_calls: true });
    const second = await ask({
      model: 'demo',
      previous_response_id: first.id,
      tools,
      input: [{ type: 'function_call_output', call_id: call!.call_id, output: 'Rust.' }],
    });
    expect(second.output_text).toBe('It is rusted shut.');
    expect((await client.responses.retrieve(first.id)).id).toBe(first.id);
  });
});

test.each([false, true])('Anthropic, Messages, with a tool of its own beside ours (stream: %s)', async (stream) => {
  await against(story, async ({ origin }) => {
    const client = new Anthropic({ baseURL: origin, apiKey: 'k', maxRetries: 0 });
    const tools: Anthropic.ToolUnion[] = [
      { name: 'look', input_schema: parameters },
      { type: 'web_search_20250305', name: 'web_search' },
    ];
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Look.' }];
    const ask = async (): Promise<Anthropic.Message> => {
      const body = { model: 'demo', max_tokens: 99, messages, tools };
      return stream ? client.messages.stream(body).finalMessage() : client.messages.create(body);
    };
    expect((await client.messages.countTokens({ model: 'demo', messages, tools })).input_tokens).toBeGreaterThan(0);
    const reply = await ask();
    const call = reply.content.find((block) => block.type === 'tool_use');
    expect(call).toMatchObject({ name: 'look', input: { at: 'door' } });
    messages.push(
      { role: 'assistant', content: reply.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call!.id, content: 'Rust.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'rust' } },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          { type: 'text', text: 'Rust is iron oxide.' },
        ],
      },
      { role: 'user', content: 'And the door?' },
    );
    expect((await ask()).content).toMatchObject([{ text: 'It is rusted shut.' }]);
  });
});

test.each([false, true])('Ollama, its own chat (stream: %s)', async (stream) => {
  await against(story, async ({ origin }) => {
    const client = new Ollama({ host: origin });
    const messages: { role: string; content: string; tool_calls?: never }[] = [{ role: 'user', content: 'Look.' }];
    const tools = [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters } }];
    const ask = async (): Promise<{ content: string; tool_calls?: unknown }> => {
      if (!stream) return (await client.chat({ model: 'demo', messages, tools, stream: false })).message;
      let content = '';
      let tool_calls: unknown;
      for await (const { message } of await client.chat({ model: 'demo', messages, tools, stream: true })) {
        content += message.content;
        tool_calls ??= message.tool_calls;
      }
      return { content, tool_calls };
    };
    const reply = await ask();
    expect(reply.tool_calls).toMatchObject([{ function: { name: 'look', arguments: { at: 'door' } } }]);
    messages.push(
      { role: 'assistant', content: '', tool_calls: reply.tool_calls as never },
      { role: 'tool', content: 'Rust.' },
    );
    expect((await ask()).content).toBe('It is rusted shut.');
  });
});
