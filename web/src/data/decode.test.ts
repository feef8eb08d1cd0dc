// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { encodeBase64, encodeBytes } from '../../tests/encode.ts';
import { demoReport } from '../../tests/make_data.ts';
import { decodeBytes, decodeReport, ReportError } from './decode.ts';

describe('decoding the embedded data', () => {
  it('gives back every table and column', async () => {
    const report = demoReport();
    const decoded = await decodeReport(encodeBase64(report));
    expect(decoded.strings).toEqual(report.strings);
    expect(decoded.samples.weight).toEqual(report.samples.weight);
    expect(decoded.tasks.executorRunTimeNs).toEqual(report.tasks.executorRunTimeNs);
    expect(decoded.series[0]!.time).toEqual(report.series[0]!.time);
    expect(decoded.stages).toEqual(report.stages);
  });

  it('puts what a stage does before its name', () => {
    const stage = { ...demoReport().stages[0]!, line: 'collect at job.py:60', work: 'scan sales → filter' };
    const decoded = decodeBytes(encodeBytes({ version: 1, stages: [stage] }).buffer as ArrayBuffer);
    expect(decoded.stages[0]!.name).toBe('scan sales → filter, collect at job.py:60');
  });

  it('names a thread after itself, not after its last task', () => {
    const threads = [
      { tid: 7, name: 'Executor task launch worker for task 5.0 in stage 1.0 (TID 9)', executor: 0, kind: 'task' as const },
      { tid: 8, name: 'main', executor: 0, kind: 'other' as const },
    ];
    const decoded = decodeBytes(encodeBytes({ version: 1, threads }).buffer as ArrayBuffer);
    expect(decoded.threads.map(({ name }) => name)).toEqual(['Executor task launch worker 7', 'main']);
  });

  it('takes tables that are left out as empty', () => {
    const decoded = decodeBytes(encodeBytes({ version: 1 }).buffer as ArrayBuffer);
    expect(decoded.samples.event.length).toBe(0);
    expect(decoded.stages).toEqual([]);
  });

  it('says what to do when there is nothing inside', async () => {
    await expect(decodeReport(' \n')).rejects.toThrow(/contains no recording.*sparkprof report RECORDING/);
  });

  it('says so when the data are no gzip', async () => {
    await expect(decodeReport(btoa('nonsense'))).rejects.toThrow(ReportError);
    await expect(decodeReport('%%%')).rejects.toThrow(ReportError);
  });

  it('refuses another magic and another version', () => {
    const bytes = encodeBytes({ version: 1 });
    bytes[0] = 0x58;
    expect(() => decodeBytes(bytes.buffer as ArrayBuffer)).toThrow(/expected "SPRFRPT1"/);
    expect(() => decodeBytes(encodeBytes({ version: 2 }).buffer as ArrayBuffer)).toThrow(/version 2/);
  });

  it('names a cut wherever the data end too early', () => {
    const bytes = encodeBytes(demoReport());
    for (const length of [0, 5, 11, 12, 400, bytes.length - 4096, bytes.length - 1]) {
      expect(() => decodeBytes(bytes.slice(0, length).buffer), `cut at ${length}`).toThrow(ReportError);
    }
  });
});
