/** A form that the ids of calls must have. */
export type CallIdForm = 'any' | 'word' | 'nine' | 'short';

interface Form {
  readonly fits: RegExp;
  /** What stands for an id that does not fit: a mark of the whole id keeps two of them apart. */
  readonly make: (id: string) => string;
}

const FORMS: Readonly<Record<CallIdForm, Form>> = {
  any: { fits: /^/, make: (id) => id },
  /** Anthropic, Bedrock. The readable beginning stays. */
  word: {
    fits: /^[a-zA-Z0-9_-]+$/,
    make: (id) => `${id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)}_${fingerprint(id)}`,
  },
  /** OpenAI and Azure, on Chat ("string too long. Expected a string with maximum length 40"); 64 on Responses. */
  short: { fits: /^.{1,40}$/s, make: (id) => `${id.slice(0, 25)}_${fingerprint(id)}` },
  /** Mistral and the chat templates of its family: nine letters or digits (error 3280). */
  nine: { fits: /^[a-zA-Z0-9]{9}$/, make: (id) => fingerprint(id).padStart(9, '0').slice(-9) },
};

/** The id of a call as the server accepts it: one that fits is echoed exactly. The same for the call and its result. */
export function callIdIn(form: CallIdForm, id: string): string {
  const { fits, make } = FORMS[form];
  return fits.test(id) ? id : make(id);
}

/** FNV-1a over UTF-16 units, once forwards and once backwards: 64 bits, so that ids of a run do not meet by chance. */
function fingerprint(text: string): string {
  let forwards = 0x811c9dc5;
  let backwards = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    forwards = Math.imul(forwards ^ text.charCodeAt(index), 0x01000193);
    backwards = Math.imul(backwards ^ text.charCodeAt(text.length - 1 - index), 0x01000193);
  }
  return (forwards >>> 0).toString(36) + (backwards >>> 0).toString(36);
}
