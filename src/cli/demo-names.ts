/** The stories that `oilcan demo` knows, each an example in `examples/`. */
export const DEMO_NAMES = ['temple', 'cities', 'returns'] as const;

/** A story that `oilcan demo` knows. */
export type DemoName = (typeof DEMO_NAMES)[number];
