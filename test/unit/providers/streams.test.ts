import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineParser } from '../../../src/providers/ndjson.ts';
import { MAX_EVENT_CHARS, SseParser } from '../../../src/providers/sse.ts';
import { Utf8Chunks } from '../../../src/providers/utf8.ts';

const events = (...chunks: string[]): string[] => {
  const seen: string[] = [];
  const parser = new SseParser((data, event) => {
    seen.push(event === '' ? data : `${event}|${data}`);
    return false;
  });
  for (const chunk of chunks) parser.push(chunk);
  parser.end();
  return seen;
};

describe('server-sent events', () => {
  test.each([
    { name: 'one event', chunks: ['data: a\n\n'], are: ['a'] },
    { name: 'two in one chunk', chunks: ['data: a\n\ndata: b\n\n'], are: ['a', 'b'] },
    { name: 'one in many chunks', chunks: ['da', 'ta', ': ', 'a', '\n', '\n'], are: ['a'] },
    { name: 'no space', chunks: ['data:a\n\n'], are: ['a'] },
    { name: 'two spaces: one belongs to the value', chunks: ['data:  a\n\n'], are: [' a'] },
    { name: 'several lines of data', chunks: ['data: a\ndata: b\n\n'], are: ['a\nb'] },
    { name: 'a name', chunks: ['event: e\ndata: a\n\ndata: b\n\n'], are: ['e|a', 'b'] },
    { name: 'a name after the data', chunks: ['data: a\nevent: e\n\n'], are: ['e|a'] },
    { name: 'a comment', chunks: [': x\n\n:\n\ndata: a\n\n'], are: ['a'] },
    { name: 'a name without data', chunks: ['event: e\n\ndata: a\n\n'], are: ['a'] },
    { name: 'CRLF', chunks: ['data: a\r\n\r\ndata: b\r\n\r\n'], are: ['a', 'b'] },
    { name: 'CR alone', chunks: ['data: a\r\rdata: b\r\r'], are: ['a', 'b'] },
    { name: 'CR at a chunk edge', chunks: ['data: a\r', '\n\r', '\ndata: b\r', '\n\r\n'], are: ['a', 'b'] },
    { name: 'CR at the end of a chunk and no LF after it', chunks: ['data: a\r', 'data: b\r', '\r'], are: ['a\nb'] },
    { name: 'CRLF split between two lines of data', chunks: ['data: a\r', '\ndata: b\r\n\r\n'], are: ['a\nb'] },
    { name: 'empty chunks', chunks: ['data: a\r', '', '\n\r\n'], are: ['a'] },
    { name: 'an object without data:', chunks: ['{"error":1}\n\n'], are: ['{"error":1}'] },
    { name: 'byte order marks between events', chunks: ['\ufeffdata: a\n\n\ufeff\ufeffdata: b\n\n'], are: ['a', 'b'] },
    { name: 'white space before the field', chunks: [' data: a\n\n\tdata: b\n\n'], are: ['a', 'b'] },
    { name: 'capital letters', chunks: ['DATA: a\n\nEvent: e\nData:b\n\n'], are: ['a', 'e|b'] },
    { name: 'a NUL before the field', chunks: ['\0data: a\n\n'], are: ['a'] },
    { name: 'invisible characters before the field', chunks: ['\u200b\u2060data: a\n\n'], are: ['a'] },
    { name: 'white space before the colon', chunks: ['data : a\n\n'], are: ['a'] },
    { name: 'quoted as in a mail', chunks: ['> data: a\n\n'], are: ['a'] },
    { name: 'an object behind white space', chunks: [' {"error":1}\n\n'], are: ['{"error":1}'] },
    { name: 'an object in a field that is unknown', chunks: ['dta: {"a":1}\n\n'], are: ['dta: {"a":1}'] },
    { name: 'an object in fields that may hold one', chunks: ['id: {"a":1}\n: {"b":1}\n \u200b: {}\n\n'], are: [] },
    { name: 'no empty line at the end', chunks: ['data: a'], are: ['a'] },
    { name: 'unknown fields', chunks: ['id: 1\nretry: 2\nfoo: 3\ndata: a\n\n'], are: ['a'] },
    { name: 'a field that only begins like data', chunks: ['database: x\n\ndata: a\n\n'], are: ['a'] },
  ])('$name', ({ chunks, are }) => {
    expect(events(...chunks)).toEqual(are);
  });

  test('a listener that stops hears nothing more of the chunk', () => {
    const seen: string[] = [];
    const parser = new SseParser((data) => {
      seen.push(data);
      return data === 'b';
    });
    expect(parser.push('data: a\n\ndata: b\n\ndata: c\n\n')).toBe('stopped');
    expect(seen).toEqual(['a', 'b']);
  });

  test('an event without an end is too long at its limit', () => {
    const parser = new SseParser(() => false);
    const piece = 'x'.repeat(1 << 20);
    let state = parser.push('data: ');
    for (let sent = 0; sent <= MAX_EVENT_CHARS && state === 'open'; sent += piece.length) state = parser.push(piece);
    expect(state).toBe('too-long');
    const lines = new SseParser(() => false);
    state = 'open';
    for (let sent = 0; sent <= MAX_EVENT_CHARS && state === 'open'; sent += piece.length)
      state = lines.push(`data: ${piece}\n`);
    expect(state).toBe('too-long');
  });
});

describe('lines of JSON', () => {
  const lines = (...chunks: string[]): string[] => {
    const seen: string[] = [];
    const parser = new LineParser((line) => {
      seen.push(line);
      return false;
    });
    for (const chunk of chunks) parser.push(chunk);
    parser.end();
    return seen;
  };

  test.each([
    { name: 'two lines', chunks: ['a\nb\n'], are: ['a', 'b'] },
    { name: 'split', chunks: ['a', 'b\nc', 'd\n'], are: ['ab', 'cd'] },
    { name: 'empty lines', chunks: ['\n\na\n \n'], are: ['a'] },
    { name: 'no last newline', chunks: ['a\nb'], are: ['a', 'b'] },
  ])('$name', ({ chunks, are }) => {
    expect(lines(...chunks)).toEqual(are);
  });
});

describe('UTF-8 in chunks', () => {
  const read = (chunks: readonly Uint8Array[]): string => {
    const decoder = new Utf8Chunks();
    return chunks.map((chunk) => decoder.push(chunk)).join('') + decoder.end();
  };

  test('any text, split anywhere, is the same text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.array(fc.nat(80), { maxLength: 6 }),
        (text, places) => {
          const bytes = new TextEncoder().encode(text);
          const ends = [...places.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
          expect(read(chunks)).toBe(new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a strict text ends before its first bytes that are no UTF-8, wherever it is split', () => {
    const bytesOf = (...parts: (string | number[])[]): Uint8Array =>
      Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)));
    const rows: readonly { readonly bytes: Uint8Array; readonly is: string; readonly isBroken: boolean }[] = [
      { bytes: bytesOf('a€😀\ufffd'), is: 'a€😀\ufffd', isBroken: false },
      { bytes: bytesOf('a€', [0xff], 'b'), is: 'a€', isBroken: true },
      { bytes: bytesOf('a\ufffd€', [0xe9], 'b'), is: 'a\ufffd€', isBroken: true },
      { bytes: bytesOf('a', [0xf0, 0x9f, 0x98]), is: 'a', isBroken: true },
      { bytes: bytesOf('a', [0xed, 0xa0, 0x80], 'b'), is: 'a', isBroken: true },
      { bytes: bytesOf('a', [0xc0, 0x80], 'b'), is: 'a', isBroken: true },
    ];
    for (const { bytes, is, isBroken } of rows) {
      for (let at = 0; at <= bytes.length; at += 1) {
        const decoder = new Utf8Chunks({ strict: true });
        const text = decoder.push(bytes.subarray(0, at)) + decoder.push(bytes.subarray(at)) + decoder.end();
        expect({ at, text, isBroken: decoder.isBroken }).toEqual({ at, text: is, isBroken });
      }
    }
  });

  test('any bytes give what the host makes of the whole', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), fc.nat(30), (bytes, at) => {
        expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toBe(new TextDecoder('utf-8').decode(bytes));
      }),
      { numRuns: 1000 },
    );
  });
});
