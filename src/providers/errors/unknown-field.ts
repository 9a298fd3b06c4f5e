import type { VendorError } from './vendor-error.ts';

/** True where the error is about this field of the body, by its `param` or its words. */
export function namesField(error: VendorError, field: string): boolean {
  return error.param === field || error.message.includes(field);
}

/** True where the error says that a field is not known, in the words of the usual validators. */
export function isUnknownField(error: VendorError): boolean {
  return (
    error.words.some((word) => word === 'unsupported_parameter' || word === 'unknown_parameter') ||
    /unsupported|unrecogni[sz]ed|unknown|unexpected|not permitted|not supported|not allowed|extra (?:inputs|fields)|additional propert/i.test(
      error.message,
    )
  );
}
