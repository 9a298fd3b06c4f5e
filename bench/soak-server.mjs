// A model's server that costs next to nothing, in a process of its own: it reads the head of a request, skips the body and
// answers with bytes that were built before. The API key names the plan: `soak.<run>.<calls>`.
//
// Every turn is one call of a tool, then comes a text; one run in 25 meets a 503 at its tenth turn.
import net from 'node:net';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const BUSY = Buffer.from(
  'HTTP/1.1 503 Service Unavailable\r\nretry-after-ms: 0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
);

const event = (delta, finish = null, usage) => {
  const data = `data: ${JSON.stringify({ id: 'r', model: 'soak', choices: [{ index: 0, delta, finish_reason: finish }], usage })}\n\n`;
  return `${data.length.toString(16)}\r\n${data}\r\n`;
};
const DONE = 'e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n';
const USAGE = { prompt_tokens: 100_000, completion_tokens: 10 };

/** Built once for each turn; what the calls ask for goes round, so that no guard steps in. */
const replies = new Map();
function replyAt(turn, calls) {
  const key = turn < calls ? turn : 'end';
  let bytes = replies.get(key);
  if (bytes !== undefined) return bytes;
  const call = (id, args) =>
    event({
      tool_calls: [
        { index: 0, id, type: 'function', function: { name: turn % 10 === 0 ? 'fail' : 'look', arguments: args } },
      ],
    });
  // Every fifth call has a text where a number belongs: it is mended.
  const count = turn % 5 === 0 ? `"${turn}"` : String(turn);
  const body =
    turn < calls
      ? event({ role: 'assistant', content: 'Looking. ' }) +
        call(`call_${turn}`, `{"place":"place ${turn}","count":${count}}`)
      : event({ content: 'All ' }) + event({ content: 'done.' });
  bytes = Buffer.from(HEAD + body + event({}, turn < calls ? 'tool_calls' : 'stop', USAGE) + DONE);
  replies.set(key, bytes);
  return bytes;
}

const turns = new Map();
function answer(plan) {
  const [run, calls] = plan.split('.').map(Number);
  const turn = turns.get(plan) ?? 0;
  if (run % 25 === 0 && turn === 10) {
    turns.set(plan, turn + 0.5);
    return BUSY;
  }
  const at = Math.floor(turn);
  if (at < calls) turns.set(plan, at + 1);
  else turns.delete(plan);
  return replyAt(at, calls);
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let head = '';
  let bodyLeft = 0;
  let plan = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (bodyLeft > 0) {
        const taken = Math.min(bodyLeft, bytes.length - at);
        bodyLeft -= taken;
        at += taken;
        if (bodyLeft === 0) socket.write(answer(plan));
        continue;
      }
      const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
      head += bytes.latin1Slice(at, end < 0 ? bytes.length : end);
      if (end < 0) return;
      at = end + 4;
      plan = /bearer soak\.(\d+\.\d+)/i.exec(head)?.[1] ?? '0.0';
      bodyLeft = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      head = '';
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit(0));
