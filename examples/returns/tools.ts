import { tool, ToolError, type Tool } from 'oilcan';
import { z } from 'zod';

/** An order of the customer who is asking. */
interface Order {
  readonly id: string;
  readonly item: string;
  readonly deliveredDaysAgo: number;
  /** Left out for orders made before prices were kept: whoever wrote `estimate_refund` did not know. */
  readonly price?: { readonly cents: number };
}

const orders: readonly Order[] = [
  { id: '4471', item: 'kettle', deliveredDaysAgo: 12 },
  { id: '4502', item: 'teapot', deliveredDaysAgo: 3, price: { cents: 2900 } },
  { id: '3980', item: 'lamp', deliveredDaysAgo: 45, price: { cents: 5400 } },
];

const RETURN_DAYS = 30;

/** The tools of the returns desk. `booked` collects the orders that were really taken back. */
export function returnTools(booked: string[] = []): Tool[] {
  const searchOrders = tool({
    name: 'search_orders',
    description: "Search this customer's orders by the name of an item.",
    schema: z.object({ query: z.string() }),
    effect: 'read',
    // Nothing found is an answer, not an error: an empty list.
    execute: ({ query }) =>
      orders.filter(({ item }) => item.includes(query.toLowerCase())).map(({ id, item }) => ({ id, item })),
  });

  const requestReturn = tool({
    name: 'request_return',
    description: 'Book the return of an order.',
    schema: z.object({ order_id: z.string(), reason: z.enum(['damaged', 'wrong_item', 'changed_mind']) }),
    // It changes something, so it is never repeated behind the model's back. This is also the default.
    effect: 'write',
    execute({ order_id }) {
      const order = orders.find(({ id }) => id === order_id);
      // The model asked wrongly and can correct it. The wrong number is not said back: a model repeats what it reads.
      if (order === undefined) {
        throw new ToolError('There is no order of that number.', {
          hint: `This customer's orders are ${orders.map(({ id }) => id).join(', ')}.`,
          retryable: false,
        });
      }
      // Nothing to correct: a rule. Only the customer can be told.
      if (order.deliveredDaysAgo > RETURN_DAYS) {
        throw new ToolError(`The return period of ${RETURN_DAYS} days is over for this order.`, {
          hint: 'Do not retry: explain it to the user.',
          retryable: false,
        });
      }
      booked.push(order.id);
      return `Return RET-${order.id} is booked for the ${order.item}.`;
    },
  });

  const estimateRefund = tool({
    name: 'estimate_refund',
    description: 'Estimate the refund of an order.',
    schema: z.object({ order_id: z.string() }),
    effect: 'read',
    execute({ order_id }) {
      const order = orders.find(({ id }) => id === order_id);
      // A bug, on purpose: not every order has a price. "Cannot read properties of undefined" is for the developer,
      // and oilcan sends it there; the model only hears that the tool is broken.
      const price = order?.price as { cents: number };
      return `${(price.cents / 100).toFixed(2)} EUR`;
    },
  });

  return [searchOrders, requestReturn, estimateRefund];
}
