// Runs the temple demo for real and draws its trace for the README: docs/trace-light.svg and docs/trace-dark.svg.
// Durations and ports differ from run to run and are left out, so that a picture changes only when the trace does.
//
//     node scripts/ready.mjs && node scripts/draw-trace.mjs             draws them
//     node scripts/ready.mjs && node scripts/draw-trace.mjs --check     tells whether they are still true
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDemo } from '../dist/cli/start-demo.js';
import { displayWidth } from '../dist/cli/terminal-text.js';
import { emptyTrace, traceEvent } from '../dist/cli/trace.js';
import { lineWidth, unicodeSymbols } from '../dist/cli/trace-line.js';

/** @typedef {import('../dist/cli/trace-line.js').Line} Line */
/** @typedef {import('../dist/cli/trace-line.js').Tone} Tone */

const docs = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs');

const FONT_SIZE = 14;
/** Monospace fonts are 0.6 em wide. Each piece is placed by its column, so another font shifts nothing. */
const COLUMN = FONT_SIZE * 0.6;
const LINE = 21;
const PADDING = 22;
const BAR = 36;

/** Colours as on GitHub's own pages, for its two themes; each has a contrast of 4.5 or more. */
const THEMES = {
  light: {
    background: '#ffffff',
    bar: '#f6f8fa',
    border: '#d0d7de',
    dot: '#d0d7de',
    plain: '#1f2328',
    quiet: '#59636e',
    heading: '#1f2328',
    answer: '#1f2328',
    good: '#1a7f37',
    warning: '#9a6700',
    model: '#9a6700',
    code: '#0969da',
    nobody: '#d1242f',
  },
  dark: {
    background: '#0d1117',
    bar: '#151b23',
    border: '#3d444d',
    dot: '#3d444d',
    plain: '#f0f6fc',
    quiet: '#9198a1',
    heading: '#f0f6fc',
    answer: '#f0f6fc',
    good: '#3fb950',
    warning: '#d29922',
    model: '#d29922',
    code: '#4493f8',
    nobody: '#f85149',
  },
};

/** @returns {Promise<Line[]>} */
async function tracedDemo() {
  const demo = await startDemo('temple', {});
  const look = { symbols: unicodeSymbols, columns: 118, maxLines: 2, showDurations: false, isVerbose: false };
  let state = emptyTrace;
  /** @type {Line[]} */
  const lines = [
    [
      { text: '$ ', tone: 'quiet' },
      { text: 'npm start', tone: 'heading' },
    ],
    [],
    ...demo.header,
  ];
  try {
    for await (const event of demo.run) {
      const step = traceEvent(state, event, look);
      state = step.state;
      if (event.type === 'run-end') {
        if (event.result.status !== 'completed') throw new Error(`The demo ended as ${event.result.status}.`);
        lines.push(
          [],
          ...event.result.text.split('\n').map((text) => /** @type {Line} */ ([{ text, tone: 'answer' }])),
        );
      }
      lines.push(...step.lines);
    }
  } finally {
    await demo.close();
  }
  return lines;
}

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** @param {readonly Line[]} lines @param {keyof typeof THEMES} theme */
function draw(lines, theme) {
  const colors = THEMES[theme];
  const columns = Math.max(...lines.map(lineWidth));
  const width = Math.ceil(columns * COLUMN + 2 * PADDING);
  const height = BAR + lines.length * LINE + 2 * PADDING - 8;
  const rows = lines.map((line, index) => {
    let column = 0;
    const spans = line.map(({ text, tone }) => {
      const lead = text.length - text.trimStart().length;
      const x = (PADDING + (column + lead) * COLUMN).toFixed(1);
      column += displayWidth(text);
      return text.trim() === '' ? '' : `<tspan x="${x}" class="${tone}">${escaped(text.trim())}</tspan>`;
    });
    const y = BAR + PADDING + index * LINE + 10;
    return line.length === 0 ? '' : `<text y="${y}">${spans.join('')}</text>`;
  });
  const tones = /** @type {Tone[]} */ ([
    'plain',
    'quiet',
    'heading',
    'answer',
    'good',
    'warning',
    'model',
    'code',
    'nobody',
  ]);
  const styles = tones.map((tone) => `.${tone}{fill:${colors[tone]}}`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">The trace of an agent that opens a temple door: each failure on the way, who owns it, and what was done.</title>
<style>text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}.heading,.answer{font-weight:600}${styles}</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${colors.background}" stroke="${colors.border}"/>
<path d="M0.5 ${BAR}V10.5a10 10 0 0 1 10-10h${width - 21}a10 10 0 0 1 10 10V${BAR}z" fill="${colors.bar}" stroke="${colors.border}"/>
${[20, 40, 60].map((x) => `<circle cx="${x}" cy="${BAR / 2}" r="6" fill="${colors.dot}"/>`).join('')}
${rows.filter((text) => text !== '').join('\n')}
</svg>
`;
}

const lines = await tracedDemo();
const isCheck = process.argv.includes('--check');
mkdirSync(docs, { recursive: true });
for (const theme of /** @type {const} */ (['light', 'dark'])) {
  const file = join(docs, `trace-${theme}.svg`);
  const picture = draw(lines, theme);
  if (!isCheck) writeFileSync(file, picture);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== picture) {
    process.stderr.write(`docs/trace-${theme}.svg is out of date. Draw it anew with: node scripts/draw-trace.mjs\n`);
    process.exitCode = 1;
  }
}
