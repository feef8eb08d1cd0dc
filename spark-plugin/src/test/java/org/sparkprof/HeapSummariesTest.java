// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real histograms of the JVM that runs the tests, at times that the test chooses. */
final class HeapSummariesTest {
  private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  private static final class Held {}

  private static final class Frame {
    final int kind;
    final ByteBuffer payload;

    Frame(int kind, ByteBuffer payload) {
      this.kind = kind;
      this.payload = payload;
    }
  }

  private final Map<String, String> conf = new HashMap<>();
  private final Outbox outbox = new Outbox();
  private final ByteArrayOutputStream pipe = new ByteArrayOutputStream();
  private final long startNs = System.nanoTime();
  private boolean on = true;
  private final HeapSummaries summaries = new HeapSummaries(outbox, () -> on ? settings() : null, startNs);

  @BeforeEach
  void connect() throws IOException {
    conf.put("spark.sparkprof.heapSummary.maxPause", "1m");
    outbox.connect(new FrameWriter(pipe), Collections.emptyMap());
    pipe.reset();
  }

  private Settings settings() {
    return Settings.resolve(conf::get, Collections.emptyMap(), Collections.emptyMap(), text -> {});
  }

  /** Frames written since the last call. */
  private List<Frame> frames() throws IOException {
    outbox.drain(1_000);
    ByteBuffer bytes = ByteBuffer.wrap(pipe.toByteArray());
    pipe.reset();
    List<Frame> frames = new ArrayList<>();
    while (bytes.hasRemaining()) {
      int kind = bytes.get();
      byte[] payload = new byte[bytes.getInt()];
      bytes.get(payload);
      frames.add(new Frame(kind, ByteBuffer.wrap(payload)));
    }
    return frames;
  }

  private List<Integer> kinds() throws IOException {
    return frames().stream().map(frame -> frame.kind).collect(Collectors.toList());
  }

  @Test
  void aSummaryHasTheInstancesOfEachClass() throws IOException {
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < 1234; i++) {
      held.add(new Held());
    }
    summaries.check(startNs + HeapSummaries.FIRST_NS);
    Frame frame = frames().get(0);
    assertEquals(FrameWriter.HEAP_SUMMARY, frame.kind);
    assertTrue(frame.payload.getLong() >= startNs);
    assertTrue(frame.payload.getLong() > 0);
    List<String> lines = Arrays.asList(StandardCharsets.UTF_8.decode(frame.payload).toString().split("\n"));
    String own = lines.stream().filter(line -> line.contains(Held.class.getName())).findFirst().orElse("");
    assertEquals(String.valueOf(held.size()), own.trim().split(" +")[1]);
    assertTrue(lines.get(lines.size() - 1).startsWith("Total"), lines.get(lines.size() - 1));
  }

  @Test
  void theFirstIsEarlyAndTheOthersHaveTheInterval() throws IOException {
    summaries.check(startNs + HeapSummaries.FIRST_NS - 1);
    assertEquals(Collections.emptyList(), kinds());
    long firstNs = startNs + HeapSummaries.FIRST_NS;
    summaries.check(firstNs);
    summaries.check(firstNs + 5 * MINUTE_NS - 1);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
    summaries.check(firstNs + 5 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
    conf.put("spark.sparkprof.heapSummary.interval", "10s");
    summaries.check(firstNs + 6 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
  }

  @Test
  void oneThatWouldTakeTooLongIsSkippedAndCounted() throws IOException {
    conf.put("spark.sparkprof.heapSummary.maxPause", "1ms");
    long dueNs = startNs + HeapSummaries.FIRST_NS;
    summaries.check(dueNs);
    // A garbage collection may come.
    assertEquals(Collections.emptyList(), kinds());
    summaries.check(dueNs + HeapSummaries.PATIENCE_NS);
    assertEquals(Arrays.asList(FrameWriter.LOSS, FrameWriter.NOTICE), kinds());
    summaries.check(dueNs + 10 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.LOSS), kinds());
    conf.put("spark.sparkprof.heapSummary.maxPause", "1m");
    summaries.check(dueNs + 20 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
  }

  @Test
  void whatIsSwitchedOnGetsOneAtOnce() throws IOException {
    on = false;
    summaries.check(startNs + MINUTE_NS);
    assertEquals(Collections.emptyList(), kinds());
    on = true;
    summaries.check(startNs + 2 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
  }

  @Test
  void theEndHasALastOneUnlessTheLastIsRecent() throws IOException {
    HeapSummaries older = new HeapSummaries(outbox, this::settings, startNs - MINUTE_NS);
    older.finish();
    older.check(startNs + 10 * MINUTE_NS);
    assertEquals(Collections.singletonList(FrameWriter.HEAP_SUMMARY), kinds());
    summaries.finish();
    assertEquals(Collections.emptyList(), kinds());
  }
}
