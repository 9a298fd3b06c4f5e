import type { Json, JsonObject } from '../../core/json.ts';
import { propertiesIn, requiredIn, resolved, schemasIn } from '../../core/schema-parts.ts';
import { newBudget, mapSchemas } from './schema-parts.ts';
import type { Budget } from './schema-parts.ts';

/** The keywords of Gemini's declarations (https://ai.google.dev/api/caching#Schema). */
const KEYWORDS: ReadonlySet<string> = new Set(
  'type format title description nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern anyOf minimum maximum'.split(
    ' ',
  ),
);

/** The formats that it takes. */
const FORMATS: ReadonlySet<unknown> = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64']);

/** Chosen: a recursive schema is left open below this. */
const MAX_DEPTH = 12;

/** A schema in the words that Gemini knows: references unfolded, `null` as `nullable`, every choice as `anyOf`, the rest left out. */
export function googleSchema(
  schema: JsonObject,
  whole: JsonObject = schema,
  budget: Budget = newBudget(),
  depth = 0,
): JsonObject {
  budget.nodes -= 1;
  if (depth > MAX_DEPTH || budget.nodes < 0) return {};
  const { allOf, anyOf, oneOf, const: constant, type, enum: words, ...own } = resolved(schema, whole);
  const made: Record<string, Json> = { ...own };
  for (const part of schemasIn(allOf)) Object.assign(made, resolved(part, whole));
  const types = [type ?? made['type']].flat().filter((name): name is string => typeof name === 'string');
  const choices = [...schemasIn(anyOf), ...schemasIn(oneOf)].map((choice) => resolved(choice, whole));
  const kinds = types.filter((name) => name !== 'null');
  const real = choices.filter((choice) => choice['type'] !== 'null');
  delete made['type'];
  if (kinds.length === 1) made['type'] = kinds[0] as string;
  // Types beside typed alternatives say the same once more.
  else if (real.length === 0) real.push(...kinds.map((name) => ({ type: name })));
  if (types.length > kinds.length || real.length < choices.length) made['nullable'] = true;
  Object.assign(made, enumOf(constant === undefined ? words : [constant], made));
  if (real.length === 1) return googleSchema({ ...real[0], ...made }, whole, budget, depth + 1);
  if (real.length > 1) {
    // Vertex: "When using any_of, it must be the only field set"; Kimi: "type should be defined in anyOf items".
    const told = Object.fromEntries(
      Object.entries(made).filter(([key]) => key === 'description' || key === 'nullable'),
    );
    const beside = (choice: JsonObject): JsonObject =>
      choice['type'] === undefined || choice['type'] === made['type'] ? made : told;
    return {
      anyOf: real.map((choice) => googleSchema({ ...beside(choice), ...choice }, whole, budget, depth + 1)),
    };
  }
  if (!FORMATS.has(made['format'])) delete made['format'];
  const known = Object.fromEntries(Object.entries(made).filter(([keyword]) => KEYWORDS.has(keyword)));
  const shown = mapSchemas(known, (child) => googleSchema(child, whole, budget, depth + 1));
  const declared = propertiesIn(shown);
  const required = requiredIn(shown).filter((key) => Object.hasOwn(declared, key));
  const { required: _required, ...rest } = shown;
  return required.length === 0 ? rest : { ...rest, required };
}

/** Its enums hold strings; of others the model is told in words. */
function enumOf(words: Json | undefined, { description }: Record<string, Json>): Record<string, Json> {
  if (!Array.isArray(words)) return {};
  const values = (words as readonly Json[]).filter((word) => word !== null);
  const nullable: Record<string, Json> = values.length < words.length ? { nullable: true } : {};
  if (values.length === 0) return nullable;
  if (values.every((word) => typeof word === 'string')) return { ...nullable, type: 'string', enum: values };
  const told = `One of: ${values.map((word) => JSON.stringify(word)).join(', ')}.`;
  return { ...nullable, description: typeof description === 'string' ? `${description} ${told}` : told };
}
