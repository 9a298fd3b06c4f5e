import { isRecord } from '../../core/json.ts';
import type { LoopbackContext } from '../loopback/context.ts';
import type { LoopbackStep } from '../loopback/step.ts';
import type { ViewCall, ViewToolResult } from '../loopback/view.ts';

/**
 * A model that asks for everything at once, one amount written as a text, and then says what it was told, word for
 * word: what is known, what is old, and what does not exist.
 */
export function citiesScript(): (context: LoopbackContext) => LoopbackStep {
  return ({ view, lastResults }) => {
    const calls = view.messages.findLast((message) => message.role === 'assistant')?.calls ?? [];
    if (lastResults.length === 0) {
      const cities = ['London', 'Tokyo', 'Atlantis'];
      return {
        text: 'I will look all of that up.',
        calls: [
          ...cities.map((city) => ({ name: 'get_weather', input: { city } })),
          { name: 'convert_currency', input: { amount: '50', from: 'GBP', to: 'JPY' } },
        ],
      };
    }
    return { text: lastResults.map((result, index) => sentence(calls[index], result)).join('\n') };
  };
}

function sentence(call: ViewCall | undefined, { text }: ViewToolResult): string {
  const input = isRecord(call?.input) ? call.input : {};
  const topic = typeof input['city'] === 'string' ? input['city'] : '50 GBP in JPY';
  if (/unavailable/iu.test(text)) return `${topic}: the service does not answer at the moment, please ask again later.`;
  if (/no city|not known|unknown/iu.test(text)) return `${topic}: I do not know a city of that name.`;
  // The first line is the value; what follows tells the model how old it is.
  const [value = ''] = text.split('\n');
  return value.startsWith('[cached]') ? `${topic}: ${value} (this may be out of date)` : `${topic}: ${text}`;
}
