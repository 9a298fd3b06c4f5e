import { isRecord } from '../../core/json.ts';
import { isToolName, typeName, type Violations } from './strict-json.ts';
import { noSchema, toolSchemaViolations } from './strict-schema.ts';

/** Yields what OpenAI refuses in the declared functions, `functions` being the objects that hold name and parameters. */
export function* openaiFunctionViolations(
  functions: readonly unknown[],
  pathOf: (index: number) => string,
): Violations {
  const names = new Set<string>();
  for (const [index, declared] of functions.entries()) {
    const path = pathOf(index);
    if (!isRecord(declared)) return yield `Missing required parameter: '${path}'.`;
    const name = declared['name'];
    if (!isToolName(name)) {
      return yield `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
    }
    if (names.has(name)) yield `Invalid '${path}.name': tool names must be unique, but '${name}' stands twice.`;
    names.add(name);
    const description = declared['description'];
    // Official clients write null for what is not set.
    if (description !== undefined && description !== null && typeof description !== 'string') {
      yield `Invalid type for '${path}.description': expected a string, but got ${typeName(description)} instead.`;
    }
    if (declared['parameters'] !== undefined && declared['parameters'] !== null)
      yield* parameterViolations(name, declared['parameters'], declared['strict'] === true);
  }
}

function* parameterViolations(name: string, parameters: unknown, isStrict: boolean): Violations {
  const say = (what: string): string => `Invalid schema for function '${name}': ${what}`;
  if (!isRecord(parameters)) return yield say(noSchema(parameters));
  for (const problem of toolSchemaViolations(parameters, isStrict)) yield say(problem);
}

/** Yields what is wrong with a choice of tools that names one, or that stands beside no tools. */
export function* openaiChoiceViolations(
  body: Readonly<Record<string, unknown>>,
  nameOf: (choice: Record<string, unknown>) => unknown,
  names: readonly unknown[],
): Violations {
  const choice = body['tool_choice'] ?? undefined;
  const hasTools = names.length > 0;
  if (choice !== undefined && choice !== 'none' && !hasTools) {
    yield `Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.`;
  }
  if ((body['parallel_tool_calls'] ?? undefined) !== undefined && !hasTools) {
    yield `Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.`;
  }
  if (choice === undefined || choice === 'none' || choice === 'auto' || choice === 'required') return;
  if (!isRecord(choice) || choice['type'] !== 'function') {
    return yield `Invalid value for 'tool_choice': expected 'none', 'auto', 'required' or a function.`;
  }
  const name = nameOf(choice);
  if (typeof name !== 'string') return yield `Missing required parameter: the name in 'tool_choice'.`;
  if (!names.includes(name)) yield `Tool choice '${name}' not found in 'tools' parameter.`;
}
