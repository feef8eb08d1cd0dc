// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Frames from the plugin to the agent as docs/agent-protocol.md describes them, as they are: the agent redacts them.
 * Not safe for several threads.
 */
final class FrameWriter implements Closeable {
  static final int HELLO = 1;
  static final int TASK_BEGIN = 2;
  static final int TASK_END = 3;
  static final int SPARK_EVENT = 4;
  static final int DUMPED = 5;
  static final int IDENTITY = 6;
  static final int LOSS = 7;
  static final int NOTICE = 8;
  static final int STOPPING = 9;
  static final int UPLOADED = 10;
  static final int SETTINGS = 11;
  static final int HEAP_SUMMARY = 12;
  static final int GAUGES = 13;

  private static final int BUFFER_BYTES = 64 << 10;
  private static final int BEGIN_BYTES = 8 + 8 + 5 * 4 + 8;
  private static final int END_BYTES = 8 + 8 + 4 + 1;

  private final DataOutputStream out;

  FrameWriter(OutputStream out) {
    this.out = new DataOutputStream(new BufferedOutputStream(out, BUFFER_BYTES));
  }

  void hello(Map<String, String> values) throws IOException {
    pairs(HELLO, values);
  }

  void identity(Map<String, String> values) throws IOException {
    pairs(IDENTITY, values);
  }

  void settings(Map<String, String> values) throws IOException {
    pairs(SETTINGS, values);
  }

  void task(TaskRecord record) throws IOException {
    boolean begin = record.what == TaskRecord.BEGIN;
    head(begin ? TASK_BEGIN : TASK_END, begin ? BEGIN_BYTES : END_BYTES);
    out.writeLong(record.timeNs);
    out.writeLong(record.taskId);
    if (begin) {
      out.writeInt(record.stage);
      out.writeInt(record.stageAttempt);
      out.writeInt(record.partition);
      out.writeInt(record.attempt);
      out.writeInt(record.osThread);
      out.writeLong(record.sqlExecution);
    } else {
      out.writeInt(record.osThread);
      out.writeByte(record.what);
    }
  }

  void sparkEvent(byte[] json) throws IOException {
    head(SPARK_EVENT, json.length);
    out.write(json);
  }

  void dumped(long timeNs, EngineCounters counters) throws IOException {
    head(DUMPED, 4 * 8);
    out.writeLong(timeNs);
    out.writeLong(counters.samples);
    out.writeLong(counters.skipped);
    out.writeLong(counters.overflows);
  }

  /** @param count lost since the last such frame */
  void loss(String what, String reason, long count) throws IOException {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("what", what);
    values.put("reason", reason);
    values.put("count", String.valueOf(count));
    pairs(LOSS, values);
  }

  /** @param level 0 information, 1 warning, 2 error */
  void notice(int level, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    head(NOTICE, 1 + bytes.length);
    out.writeByte(level);
    out.write(bytes);
  }

  void stopping() throws IOException {
    head(STOPPING, 0);
  }

  /** @param position up to which the server has the recording */
  void uploaded(long position) throws IOException {
    head(UPLOADED, 8);
    out.writeLong(position);
  }

  void heapSummary(ClassHistogram histogram) throws IOException {
    head(HEAP_SUMMARY, 2 * 8 + histogram.text.length);
    out.writeLong(histogram.startNs);
    out.writeLong(histogram.pauseNs);
    out.write(histogram.text);
  }

  /** @param values names of series, and their values at the time */
  void gauges(long timeNs, Map<String, Long> values) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    DataOutputStream data = new DataOutputStream(payload);
    data.writeLong(timeNs);
    for (Map.Entry<String, Long> entry : values.entrySet()) {
      string(data, entry.getKey());
      string(data, entry.getValue().toString());
    }
    head(GAUGES, payload.size());
    payload.writeTo(out);
  }

  void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private void pairs(int kind, Map<String, String> values) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    DataOutputStream data = new DataOutputStream(payload);
    for (Map.Entry<String, String> entry : values.entrySet()) {
      string(data, entry.getKey());
      string(data, entry.getValue());
    }
    head(kind, payload.size());
    payload.writeTo(out);
  }

  private static void string(DataOutputStream data, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    data.writeInt(bytes.length);
    data.write(bytes);
  }

  private void head(int kind, int length) throws IOException {
    out.writeByte(kind);
    out.writeInt(length);
  }
}
