import type { LoopbackCall, LoopbackStep } from '../loopback/step.ts';
import type { LoopbackContext } from '../loopback/context.ts';
import type { ViewCall, ViewMessage } from '../loopback/view.ts';

/**
 * A model that types the order wrong and insists on it, until it is told that the call is not run again; then it
 * reads what it was told, meets a tool with a bug, and explains a rule that it can't change.
 */
export function returnsScript(): (context: LoopbackContext) => LoopbackStep {
  return ({ view }) => {
    const done = answeredCalls(view.messages);
    const booked = done.find(({ call, text }) => isReturnOf(call, '4471') && text.includes('RET-'));
    const lamp = done.find(({ call }) => isReturnOf(call, '3980'));
    const wrong = done.filter(({ call }) => isReturnOf(call, '4417'));
    const search = done.find(({ call }) => call.name === 'search_orders');
    const refund = done.find(({ call }) => call.name === 'estimate_refund');

    if (search === undefined)
      return say('I look for the kettle first.', { name: 'search_orders', input: { query: 'kettel' } });
    if (booked === undefined && !hasBeenStopped(wrong)) {
      return say('I take back order 4417.', { name: 'request_return', input: { order_id: '4417', reason: 'damaged' } });
    }
    if (booked === undefined) {
      return say('I had the number wrong: it is 4471.', {
        name: 'request_return',
        input: { order_id: '4471', reason: 'damaged' },
      });
    }
    if (refund === undefined)
      return say('How much will that be?', { name: 'estimate_refund', input: { order_id: '4471' } });
    if (lamp === undefined) {
      return say('Now the lamp.', { name: 'request_return', input: { order_id: '3980', reason: 'changed_mind' } });
    }
    const number = /RET-\d+/u.exec(booked.text)?.[0] ?? '';
    const amount = /[\d.]+ EUR/u.exec(refund.text)?.[0];
    return {
      text:
        `The kettle from order 4471 can go back: your return is ${number}. ` +
        (amount === undefined ? 'I can’t see the amount at the moment. ' : `You get back ${amount}. `) +
        (lamp.text.includes('RET-')
          ? 'The lamp goes back as well.'
          : 'The lamp from order 3980 can no longer be returned: the 30 days are over.'),
    };
  };
}

interface AnsweredCall {
  readonly call: ViewCall;
  readonly text: string;
}

/** Every call of the conversation with its result, in order. */
function answeredCalls(messages: readonly ViewMessage[]): AnsweredCall[] {
  const pairs: AnsweredCall[] = [];
  let waiting: ViewCall[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') waiting = [...message.calls];
    if (message.role !== 'tool') continue;
    const call = waiting.shift();
    if (call !== undefined) pairs.push({ call, text: message.text });
  }
  return pairs;
}

function isReturnOf(call: ViewCall, orderId: string): boolean {
  return call.name === 'request_return' && JSON.stringify(call.input ?? null).includes(`"${orderId}"`);
}

/** The model insists until it is told something new, or three times where nobody stops it. */
function hasBeenStopped(tries: readonly AnsweredCall[]): boolean {
  return tries.length >= 3 || (tries.length > 1 && tries.at(-1)?.text !== tries[0]?.text);
}

function say(text: string, call: LoopbackCall): LoopbackStep {
  return { text, calls: [call] };
}
