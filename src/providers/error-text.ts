/** What most error texts say of themselves. */
const READS_AS_ERROR =
  /error|fail|invalid|unknown|not found|no such|could not|couldn't|cannot|can't|unable|exception|unrecogni|unavailable|does not exist|missing|denied|time[ds]? ?out|refused|not run|was not|did not/i;

/** Chosen: an error says so at its begin. */
const HEAD_CHARS = 200;

/**
 * The text of a failed tool call for a wire that has no mark for errors: the text must say it. A tool's own message such as
 * "Order is locked" does not, so it is put behind "Error: ".
 */
export function errorText(text: string): string {
  return READS_AS_ERROR.test(text.slice(0, HEAD_CHARS)) ? text : `Error: ${text}`;
}
