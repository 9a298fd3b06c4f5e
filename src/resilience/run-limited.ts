/** Runs tasks side by side, at most `limit` at a time, starting them in order; results keep the order of the tasks. */
export async function runLimited<T>(tasks: readonly (() => Promise<T>)[], limit: number): Promise<T[]> {
  if (tasks.length === 1 && tasks[0] !== undefined) return [await tasks[0]()];
  const results: T[] = Array.from({ length: tasks.length });
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (task !== undefined) results[index] = await task();
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, lane));
  return results;
}
