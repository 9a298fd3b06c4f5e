/** What the loop itself says to a model as a user: rare, short, and never a part of the answer. */

/** After two empty replies. Sent with one request only, never kept. */
export function nudgeAfterEmptyReply(): string {
  return 'Your last reply was empty. Answer in text, or call one of the tools.';
}

/** After a failure that a hook gave to the model. */
export function continueAfterFailure(): string {
  return 'The last step could not be carried out for a technical reason. Go on with what you have, or do it in another way.';
}

/** After an answer that does not fit the output schema. */
export function askForValidAnswer(problem: string): string {
  return `That answer does not have the required form. ${problem} Answer again with the JSON alone.`;
}

/** Stands in the system text while the run asks for a structured answer. */
export function describeOutput(jsonSchema: string): string {
  return `When you are done, give your final answer as JSON alone, without any other text, that fits this JSON Schema:\n${jsonSchema}`;
}

/** The last word of the last turn that a run has after a limit. */
export function finishNow(): string {
  return 'No more tools can be called. Now answer my question in plain words with what the tools have told you, and say what is missing.';
}

/** After a reply with too many calls. */
export function callsLeftOut(taken: number, leftOut: number): string {
  return `Your last reply made ${taken + leftOut} calls, which is too many at once. Only the first ${taken} of them were looked at; the others were not run. Make those that you still need in your next replies.`;
}
