// SPDX-License-Identifier: Apache-2.0
import { shellWord } from '../state/shell.ts';
import { copyText } from '../views/copy.ts';

/** How to send the first application to this server. */
export function FirstApplication({ group }: { group?: string }) {
  const label = group ? `--conf ${shellWord(`spark.sparkprof.label=${group}`)} ` : '';
  const ways: [string, string][] = [
    [
      'Run a job with the profiler. It appears here within 15 seconds:',
      `sparkprof run --server ${location.origin} -- spark-submit ${label}job.py`,
    ],
    ['Or set this in Spark’s configuration of jobs that already use the plugin:', `spark.sparkprof.server=${location.origin}`],
    ['Or send recordings, profiles or event logs that you have:', `sparkprof push PATH --server ${location.origin}`],
  ];
  return (
    <section class="first">
      <h2>{group ? `No applications in ${group}` : 'No applications yet'}</h2>
      {ways.map(([what, command]) => (
        <div key={command}>
          <p>{what}</p>
          <div class="command">
            <code class="code">{command}</code>
            <button onClick={() => void copyText(command)} aria-label={`Copy ${command}`}>
              Copy
            </button>
          </div>
        </div>
      ))}
    </section>
  );
}
