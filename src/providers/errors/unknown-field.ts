import type { VendorError } from './vendor-error.ts';

/** Words of validators for a field that they do not know. */
const UNKNOWN =
  /unsupported|unrecogni[sz]ed|unknown|unexpected|not (?:permitted|supported|allowed|recogni[sz]ed)|extra (?:inputs|fields)|additional propert|cannot find field/;

/** Words of models for what they do not take, though the wire knows it. */
const NOT_TAKEN =
  /deprecated|no longer|supported (?:string )?values|no endpoints found that (?:support|can handle)|unavailable|incompatible|not (?:available|compatible)|do(?:es)?(?: not|n't) (?:support|accept)|(?:may|must|can) (?:only|not) be|can(?:no|')t be used|cannot (?:both )?be (?:used|set|specified)|only (?:the default|[\d.]+ (?:is|are))/;

/** Words about a value: the field is known, and what the user asked for is wrong. */
const WRONG_VALUE = /\b(?:between|range|at most|at least|less than|greater than|above|below|exceeds?)\b|[<>]=?/;

/** True where the error is about this field of the body, by its `param` or its words. */
export function namesField({ param, text }: VendorError, field: string): boolean {
  // xAI writes them in camel case; the text is in lower case.
  const name = `${field}|${field.replaceAll('_', '')}`;
  return param === field || new RegExp(`(?<![\\w-])(?:${name})(?![\\w-])`).test(text);
}

/** True where the error says that a field is not known, in the words of the usual validators. */
export function isUnknownField({ words, text }: VendorError): boolean {
  return words.some((word) => word === 'unsupported_parameter' || word === 'unknown_parameter') || UNKNOWN.test(text);
}

/** True where the error says that a model does not take a parameter, and not that its value is wrong. */
export function isRefusedField(error: VendorError): boolean {
  return (isUnknownField(error) || NOT_TAKEN.test(error.text)) && !WRONG_VALUE.test(error.text);
}
