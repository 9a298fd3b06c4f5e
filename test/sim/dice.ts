import type { Random } from '../../src/index.ts';

/** Choices that are the same for the same seed. */
export interface Dice {
  readonly random: Random;
  chance(probability: number): boolean;
  /** A whole number, both ends included. */
  whole(from: number, to: number): number;
  pick<const T>(choices: readonly T[]): T;
}

/** Dice of a source of numbers. */
export function diceOf(random: Random): Dice {
  const whole = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  return {
    random,
    chance: (probability) => random() < probability,
    whole,
    pick(choices) {
      const choice = choices[whole(0, choices.length - 1)];
      // Only an empty list has no choice, and none is given here.
      if (choice === undefined && choices.length === 0) throw new Error('There is nothing to pick from.');
      return choice as (typeof choices)[number];
    },
  };
}
