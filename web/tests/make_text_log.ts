// SPDX-License-Identifier: Apache-2.0
// A driver's log with repeated messages, one failure that repeats, and output without a header.

export function textLog(): string {
  const time = (second: number) =>
    `24/01/15 12:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}`;
  const lines = [`${time(0)} INFO SparkContext: Running Spark version 3.5.1`, 'loading rates', 'rates loaded'];
  for (let task = 0; task < 40; ++task) {
    lines.push(
      `${time(task + 1)} INFO TaskSetManager: Starting task ${task}.0 in stage 0.0 (TID ${task}) (h1, executor 1, partition ${task}, PROCESS_LOCAL, 7900 bytes)`,
    );
    if (task % 8 === 3) {
      lines.push(
        `${time(task + 2)} WARN TaskSetManager: Lost task ${task}.0 in stage 0.0 (TID ${task}) (h1 executor 1): java.io.IOException: disk full`,
        '\tat com.example.Job.run(Job.java:12)',
      );
    } else {
      lines.push(
        `${time(task + 2)} INFO TaskSetManager: Finished task ${task}.0 in stage 0.0 (TID ${task}) in 1000 ms on h1 (executor 1) (${task + 1}/40)`,
      );
    }
  }
  lines.push(
    `${time(60)} ERROR Rates: no rate for region 7`,
    'java.lang.IllegalStateException: no rate',
    '\tat com.example.Rates.of(Rates.java:31)',
    `${time(61)} INFO SparkContext: Successfully stopped SparkContext`,
  );
  return `${lines.join('\n')}\n`;
}
