// All of them: node bench/micro/run.mjs (half a minute). Each file also runs alone.
// What hostile inputs cost is measured by hostile.mjs, which takes longer.
//
// Every figure is shown for an input of one size, ten and a hundred times that: where the last column is near 1, the time
// is in proportion to the input. Below 1: what a run costs once weighs less in a long one.
console.log(`Node ${process.version}`);
for (const name of ['decoders', 'history', 'tool-calls', 'text-calls', 'redaction']) await import(`./${name}.mjs`);
