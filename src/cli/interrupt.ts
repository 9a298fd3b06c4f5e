import { ExitCode } from './exit-code.ts';

/**
 * Ctrl+C: the first one calls `stop`, so that the run can end in order; the second ends the process at once.
 * SIGTERM is heard in the same way. Returns a function that stops listening.
 */
export function onInterrupt(stop: () => void): () => void {
  let count = 0;
  const interrupted = (): void => {
    count += 1;
    if (count === 1) stop();
    else process.exit(ExitCode.aborted);
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', interrupted);
  return () => {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  };
}
