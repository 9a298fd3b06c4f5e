// The scripted model alone, for the two scratch versions: it fails, throttles and breaks off, and never tires.
//
//     node server.ts          prints BASE_URL; --port 8471 for another port
import { parseArgs } from 'node:util';
import { startLoopbackServer, templeScript } from 'oilcan/testing';

const { port } = parseArgs({ options: { port: { type: 'string', default: '8471' } } }).values;
const server = await startLoopbackServer({ script: templeScript(), port: Number(port) });
console.log(`BASE_URL=${server.origin}/v1`);
