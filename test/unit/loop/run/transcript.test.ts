import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/core/message.ts';
import { userMessage } from '../../../../src/core/message.ts';
import type { Transcript } from '../../../../src/loop/run/transcript.ts';
import {
  append,
  compactedTo,
  markRewound,
  messagesOf,
  SentHistory,
  sentOf,
} from '../../../../src/loop/run/transcript.ts';

const ask = (text: string): Message => userMessage(text);
const exchange = (name: string): Message[] => [
  { role: 'assistant', content: [{ type: 'text', text: name }] },
  { role: 'tool', content: [] },
];
const texts = (messages: readonly Message[]): string[] =>
  messages.map((message) =>
    `${message.role} ${message.content[0]?.type === 'text' ? message.content[0].text : ''}`.trim(),
  );

describe('what is sent', () => {
  test('grows as the same array', () => {
    const history = new SentHistory();
    const first = append(undefined, ask('a'));
    const sent = history.sync(first);
    expect(history.sync(append(first, ...exchange('b')))).toBe(sent);
    expect(texts(sent)).toEqual(['user a', 'assistant b', 'tool']);
  });

  test('leaves rewound exchanges out, in another array, while the transcript keeps them marked', () => {
    const history = new SentHistory();
    const before = append(undefined, ask('a'), ...exchange('b'));
    const sent = history.sync(before);
    const after = markRewound(append(before, ...exchange('c')), 2);
    const again = history.sync(after);
    expect(again).not.toBe(sent);
    expect(texts(again)).toEqual(['user a']);
    expect(texts(messagesOf(after))).toEqual(['user a', 'assistant b', 'tool', 'assistant c', 'tool']);
    expect(
      messagesOf(after).filter((message) => message.role === 'assistant' && message.rewound === true),
    ).toHaveLength(2);
    expect(texts(messagesOf(before))).toEqual(['user a', 'assistant b', 'tool']);
  });

  test('is the compacted history and what came after it, while the transcript keeps everything', () => {
    const history = new SentHistory();
    const before = append(undefined, ask('a'), ...exchange('b'));
    history.sync(before);
    const compacted = append(compactedTo(before, [ask('short')]), ...exchange('c'));
    expect(texts(history.sync(compacted))).toEqual(['user short', 'assistant c', 'tool']);
    expect(texts(sentOf(compacted))).toEqual(['user short', 'assistant c', 'tool']);
    expect(texts(messagesOf(compacted))).toEqual(['user a', 'assistant b', 'tool', 'assistant c', 'tool']);
  });

  test('stays compacted when what came before the compaction is rewound', () => {
    const compacted = compactedTo(append(undefined, ask('a'), ...exchange('b')), [ask('short')]);
    const after = markRewound(append(compacted, ...exchange('c')), 2);
    expect(texts(sentOf(after))).toEqual(['user short']);
    expect(texts(messagesOf(after))).toEqual(['user a', 'assistant b', 'tool', 'assistant c', 'tool']);
  });

  test('is the same whether it grew step by step or is made at once', () => {
    const step = fc.constantFrom('exchange', 'user', 'rewind', 'compact');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const history = new SentHistory();
        let transcript: Transcript | undefined = append(undefined, ask('start'));
        for (const [index, kind] of steps.entries()) {
          if (kind === 'user') transcript = append(transcript, ask(`u${index}`));
          else if (kind === 'compact') transcript = compactedTo(transcript, [ask(`short${index}`)]);
          else transcript = append(transcript, ...exchange(`e${index}`));
          if (kind === 'rewind') transcript = markRewound(transcript, 1);
          expect(history.sync(transcript)).toEqual(sentOf(transcript));
        }
      }),
    );
  });
});
