// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class EngineTest {
  @TempDir Path folder;

  private static Settings settings(String events) {
    return settings(events, false);
  }

  private static Settings settings(String events, boolean cpuKernel) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.sparkprof.cpu.kernel", String.valueOf(cpuKernel));
    conf.put("spark.sparkprof.events", events);
    return Settings.resolve(conf::get, new HashMap<>(), new HashMap<>(), warning -> {});
  }

  @Test
  void theCommandHasOnlyTheConfiguredEventsWithTheirIntervals() {
    String all = Engine.startCommand(settings("cpu,wall,alloc,lock"), "/proc/1/fd/3");
    assertEquals("start,jfr,event=ctimer,interval=10000000,wall=100000000,alloc=2097152,lock=5000000,clock=monotonic,"
            + "jstackdepth=2048,memlimit=134217728,jfropts=3,loglevel=none,log=/dev/null,file=/proc/1/fd/3",
        all);
    boolean enoughDescriptors = ResourceLimits.softLimit(ResourceLimits.OPEN_FILES) >= 4096;
    String kernel = Engine.startCommand(settings("cpu", true), "x");
    assertEquals(enoughDescriptors, kernel.startsWith("start,jfr,event=cpu,interval=10000000,clock="), kernel);
    String alloc = Engine.startCommand(settings("alloc"), "x");
    assertTrue(alloc.startsWith("start,jfr,alloc=2097152,clock="), alloc);
    String nativeCode = Engine.startCommand(settings("nativemem,nativelock"), "x");
    assertTrue(nativeCode.startsWith("start,jfr,nativemem=4194304,nofree,nativelock=5000000,clock="), nativeCode);
  }

  @Test
  void aPauseEndsAChunkAndSamplingGoesOnBehindIt() throws Exception {
    Path file = folder.resolve("engine.jfr");
    Settings alloc = settings("alloc");
    Engine engine = new Engine();
    engine.start(new NativeFiles(null), alloc, file.toString());
    engine.pause();
    byte[] before = Files.readAllBytes(file);
    assertTrue(before.length > 0);
    assertFalse(engine.dump());
    assertEquals(before.length, Files.size(file));
    engine.resume(alloc, file.toString());
    assertTrue(engine.dump());
    engine.stop();
    byte[] after = Files.readAllBytes(file);
    assertTrue(after.length > before.length);
    assertArrayEquals(before, Arrays.copyOf(after, before.length));
    assertArrayEquals(new byte[] {'F', 'L', 'R', 0}, Arrays.copyOfRange(after, before.length, before.length + 4));
  }

  @Test
  void thisJvmSupportsTheEventsOfTheDefault() throws Exception {
    Settings all = settings("cpu,wall,alloc,lock");
    assertEquals(new HashMap<>(), new Engine().unsupportedEvents(new NativeFiles(null), all));
  }

  @Test
  void anotherProfilerIsFoundByItsLibrary() {
    String head = "7f0-7f1 r-xp 00000000 08:01 77 ";
    assertNull(Engine.otherProfiler(head + "/usr/lib/jvm/lib/server/libjvm.so\n" + head + "[heap]\n"));
    assertNull(Engine.otherProfiler(head + "/home/me/async-profiler-4.5.jar\n"));
    assertEquals("libasyncProfiler-4.1-linux-x64.so",
        Engine.otherProfiler(head + "/home/me/.local/libasyncProfiler-4.1-linux-x64.so\n"));
    assertEquals(
        "libjavaProfiler123.so (deleted)", Engine.otherProfiler(head + "/tmp/libjavaProfiler123.so (deleted)"));
  }

  @Test
  void countersAreReadFromMetrics() {
    EngineCounters counters = EngineCounters.parse("mem_classmap_kb 4\nsamples_total 168\nsamples_skipped_total 2\n"
        + "calltracestorage_overflows_total 1\n");
    assertEquals(168, counters.samples);
    assertEquals(2, counters.skipped);
    assertEquals(1, counters.overflows);
    assertEquals(0, EngineCounters.parse("unknown").samples);
    assertFalse(EngineCounters.parse("samples_total many").samples != 0);
  }
}
