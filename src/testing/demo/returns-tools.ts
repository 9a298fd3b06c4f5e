import { tool } from '../../core/define-tool.ts';
import { ToolError } from '../../core/error.ts';
import type { Tool } from '../../core/tool.ts';
import { fields, oneOf, text } from './object-schema.ts';

/** Days in which an order can be returned. */
const RETURN_DAYS = 30;

/** The shop's orders. 3980 was made before prices were kept: the bug of the story. */
const ORDERS: Readonly<Record<string, { item: string; deliveredDaysAgo: number; price?: { cents: number } }>> = {
  '4471': { item: 'kettle', deliveredDaysAgo: 12 },
  '4502': { item: 'teapot', deliveredDaysAgo: 3, price: { cents: 2900 } },
  '3980': { item: 'lamp', deliveredDaysAgo: 45 },
};

/** The tools of the returns story. */
export function returnsTools(): Tool[] {
  const searchOrders = tool({
    name: 'search_orders',
    description: 'Search the orders of this customer by the name of an item.',
    schema: fields({ query: text }),
    effect: 'read',
    // Nothing found is an answer, not an error.
    execute: ({ query }) =>
      Object.entries(ORDERS).flatMap(([id, { item }]) => (item.includes(query) ? [{ id, item }] : [])),
  });
  const requestReturn = tool({
    name: 'request_return',
    description: 'Book the return of an order.',
    schema: fields({ order_id: text, reason: oneOf('damaged', 'wrong_item', 'changed_mind') }),
    execute({ order_id }) {
      const order = ORDERS[order_id];
      if (order === undefined) {
        // Not even the number is said back: a model repeats what it reads.
        throw new ToolError('There is no order of that number.', {
          hint: `This customer's orders are ${Object.keys(ORDERS).join(', ')}.`,
          retryable: false,
        });
      }
      if (order.deliveredDaysAgo > RETURN_DAYS) {
        throw new ToolError(`The return period of ${RETURN_DAYS} days is over for this order.`, {
          hint: 'Do not retry: explain it to the user.',
          retryable: false,
        });
      }
      return `Return RET-${order_id} is booked for the ${order.item}.`;
    },
  });
  const estimateRefund = tool({
    name: 'estimate_refund',
    description: 'Estimate the refund of an order.',
    schema: fields({ order_id: text }),
    effect: 'read',
    execute({ order_id }) {
      const order = ORDERS[order_id];
      // A real bug, on purpose: older orders have no price, and the developer should hear of it, the model should not.
      const price = order?.price as { cents: number };
      return `${(price.cents / 100).toFixed(2)} EUR`;
    },
  });
  return [searchOrders, requestReturn, estimateRefund];
}
