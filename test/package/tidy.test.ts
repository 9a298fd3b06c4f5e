import { describe, expect, test } from 'vitest';
import type { SourceFile } from './source-files.ts';
import { codeOf, fileAt, filesBelow, importsOf, resolveImport } from './source-files.ts';

const sources = filesBelow('src');

/** What each layer may see. `core` <- `secrets`, `resilience` <- `loop` <- edges <- `cli`. */
const MAY_SEE: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  secrets: ['core', 'secrets'],
  resilience: ['core', 'resilience'],
  loop: ['core', 'secrets', 'resilience', 'loop'],
  journals: ['core', 'journals'],
  providers: ['core', 'secrets', 'resilience', 'providers'],
  testing: ['core', 'secrets', 'resilience', 'loop', 'providers', 'testing'],
  'index.ts': ['core', 'secrets', 'resilience', 'loop', 'providers'],
};
/** What an edge without a line of its own may see, beside itself. */
const EDGE_MAY_SEE: readonly string[] = ['core', 'resilience'];
/** Sees everything: it is where everything is put together. */
const TOP = 'cli';
const INNER: readonly string[] = ['core', 'secrets', 'resilience', 'loop'];

function layerOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** One line for each thing found, so that a failing test names the places. */
function findings(files: readonly SourceFile[], find: (file: SourceFile) => Iterable<string>): string[] {
  return files.flatMap((file) => Array.from(find(file), (what) => `${file.path}: ${what}`));
}

describe('layers', () => {
  test('every import goes inwards', () => {
    const outwards = findings(sources, (file) => {
      const layer = layerOf(file.path);
      if (layer === TOP) return [];
      const allowed = MAY_SEE[layer] ?? [...EDGE_MAY_SEE, layer];
      return importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => resolveImport(file, specifier))
        .filter((target) => !allowed.includes(layerOf(target)))
        .map((target) => `imports ${target}`);
    });
    expect(outwards).toEqual([]);
  });

  test('the inner layers import nothing but each other: no package, no module of a host', () => {
    const inner = sources.filter((file) => INNER.includes(layerOf(file.path)));
    const foreign = findings(inner, (file) =>
      importsOf(file)
        .map(({ specifier }) => specifier)
        .filter((specifier) => !specifier.startsWith('.')),
    );
    expect(foreign).toEqual([]);
  });

  test('imports name files with their ending', () => {
    const bare = findings(sources, (file) =>
      importsOf(file)
        .map(({ specifier }) => specifier)
        .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.ts')),
    );
    expect(bare).toEqual([]);
  });
});

/** What each room of the loop may see, beside `core`. Only `act` acts; `run` and `call` are pure. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  run: ['resilience', 'run', 'call', 'words'],
  call: ['resilience', 'call', 'run', 'words', 'history'],
  words: ['words', 'input'],
  input: ['input', 'words', 'text-calls'],
  output: ['output', 'input', 'secrets'],
  history: ['history'],
  'text-calls': ['text-calls', 'input', 'words'],
  events: ['events', 'input', 'output'],
  act: ['resilience', 'secrets', 'run', 'call', 'act', 'words', 'input', 'output', 'history', 'text-calls'],
  agent: ['resilience', 'secrets', 'run', 'call', 'act', 'words', 'input', 'output', 'history', 'events', 'agent'],
};

/** What the pure rooms may use of `resilience`: data, and arithmetic on it. */
const PURE_POLICIES = /\/(?:failure-table|retry|backoff|deadline|price)\.ts$/;

describe('rooms of the loop', () => {
  const loop = sources.filter((file) => file.path.startsWith('src/loop/'));
  const roomOf = (path: string): string => {
    const [, layer = '', room = ''] = path.split('/');
    return layer === 'loop' ? room : layer;
  };
  const targetsOf = (file: SourceFile): string[] =>
    importsOf(file)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => resolveImport(file, specifier));

  test('each sees what it has a right to, types included', () => {
    const wrong = findings(loop, (file) => {
      const rights = ROOMS[roomOf(file.path)] ?? [];
      return targetsOf(file)
        .filter((target) => roomOf(target) !== 'core' && !rights.includes(roomOf(target)))
        .map((target) => `imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('what a run and a call are is pure: no clock, no abort, no breaker, no limiter', () => {
    const pure = loop.filter((file) => ['run', 'call'].includes(roomOf(file.path)));
    const acting = findings(pure, (file) =>
      targetsOf(file).filter(
        (target) =>
          /^src\/core\/(?:clock|abort|host)\.ts$/.test(target) ||
          (roomOf(target) === 'resilience' && !PURE_POLICIES.test(target)),
      ),
    );
    expect(acting).toEqual([]);
    expect(pure.length).toBeGreaterThan(15);
  });

  test('no file imports itself by way of others, types included', () => {
    const imports = new Map(
      loop.map((file) => [file.path, targetsOf(file).filter((path) => path.startsWith('src/loop/'))]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '));
      if (done.has(path) || way.includes(path)) return;
      for (const target of imports.get(path) ?? []) visit(target, [...way, path]);
      done.add(path);
    };
    for (const path of imports.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });
});

describe('time, chance and the network come in from outside', () => {
  const library = sources.filter((file) => !['cli', 'testing'].includes(layerOf(file.path)));
  const rows = [
    { what: 'the time', pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/g, home: ['src/core/clock.ts'] },
    { what: 'chance', pattern: /\bMath\.random\b/g, home: ['src/core/clock.ts'] },
    {
      what: 'a timer',
      pattern: /(?<![.\w])set(?:Timeout|Interval|Immediate)\(|\bAbortSignal\.timeout\b/g,
      home: ['src/core/clock.ts'],
    },
    {
      what: 'the network',
      pattern: /(?<![.\w])fetch\(|\bglobalThis\.fetch\b/g,
      home: ['src/providers/fetch-transport.ts', 'src/providers/host-transport.ts'],
    },
  ];
  test.each(rows)('$what is asked in one file only', ({ pattern, home }) => {
    const elsewhere = library.filter((file) => !home.includes(file.path));
    expect(findings(elsewhere, (file) => Array.from(codeOf(file).matchAll(pattern), ([found]) => found))).toEqual([]);
  });
});

describe('names and comments', () => {
  test('files are named in kebab-case, after an idea', () => {
    const odd = sources
      .map((file) => file.path)
      .filter(
        (path) =>
          !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(path) ||
          /(?:utils?|helpers?|manager|misc|common)\.ts$/.test(path),
      );
    expect(odd).toEqual([]);
  });

  test('every export has a comment that says what it is', () => {
    const bare = findings(sources, ({ text }) => {
      const lines = text.split('\n');
      return lines.filter((line, index) => {
        if (!/^export (?:async |abstract )?(?:function|const|class|interface|type) \w/.test(line)) return false;
        const name = /(?:function|const|class|interface|type) (\w+)/.exec(line)?.[1] ?? '';
        const before = lines[index - 1] ?? '';
        // The further signatures of an overloaded function share the comment of the first one.
        return !before.endsWith('*/') && !before.startsWith(`export function ${name}`);
      });
    });
    expect(bare).toEqual([]);
  });

  test('nothing says on whose machine it was made', () => {
    const files = [
      ...sources,
      ...filesBelow('test'),
      ...filesBelow('scripts', ['.mjs', '.ts']),
      ...['package.json', 'CONTRIBUTING.md', 'CHANGELOG.md', '.ci/run'].map(fileAt),
    ];
    // Split, so that this file does not find itself.
    const places = new RegExp(['/work/' + 'main', '/work/' + 'shared', 'registry\\.' + 'npmjs'].join('|'), 'g');
    expect(findings(files, ({ text }) => Array.from(text.matchAll(places), ([found]) => found))).toEqual([]);
  });
});

test('no test is skipped, focused or left to do', () => {
  const pattern = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|only|todo|fails|skipIf|runIf)\b/g;
  expect(
    findings(filesBelow('test'), (file) => Array.from(codeOf(file).matchAll(pattern), ([found]) => found)),
  ).toEqual([]);
});

test('no check is silenced without a reason beside it', () => {
  const pattern = /\bas unknown as\b|@ts-(?:ignore|nocheck)|@ts-expect-error\s*$|oxlint-disable(?!.*--)/gm;
  expect(findings(sources, ({ text }) => Array.from(text.matchAll(pattern), ([found]) => found))).toEqual([]);
});
