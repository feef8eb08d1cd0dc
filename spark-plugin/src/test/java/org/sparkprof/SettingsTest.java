// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SettingsTest {
  private final Map<String, String> conf = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> fromDriver = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();

  private Settings settings() {
    return Settings.resolve(conf::get, environment, fromDriver, warnings::add);
  }

  @Test
  void nothingSetGivesTheDocumentedDefaults() {
    Settings settings = settings();
    assertTrue(settings.enabled && settings.driverEnabled && settings.executorEnabled);
    assertEquals(Arrays.asList("cpu", "wall", "alloc", "lock"), settings.events);
    assertEquals(10_000_000L, settings.cpuIntervalNs);
    assertEquals(100_000_000L, settings.wallIntervalNs);
    assertEquals(2L << 20, settings.allocIntervalBytes);
    assertEquals(5_000_000L, settings.lockThresholdNs);
    assertEquals(1_000_000_000L, settings.bucketNs);
    assertEquals(5_000_000_000L, settings.dumpIntervalNs);
    assertEquals(4_000_000_000L, settings.uploadIntervalNs);
    assertEquals(1L << 30, settings.maxSpoolBytes);
    assertEquals(Settings.Transport.AUTO, settings.transport);
    assertTrue(settings.pythonEnabled);
    assertEquals(10_000_000L, settings.pythonIntervalNs);
    assertNull(settings.dir);
    assertTrue(warnings.isEmpty());
  }

  @Test
  void configurationComesBeforeEnvironmentBeforeDriverBeforeContext() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    environment.put("PROFILING_CONTEXT", "{\"profilingGroupName\":\"from context\"}");
    assertEquals("from context", settings().label);
    fromDriver.put("label", "from driver");
    assertEquals("from driver", settings().label);
    environment.put("SPARKPROF_LABEL", "from environment");
    assertEquals("from environment", settings().label);
    conf.put("spark.sparkprof.label", "from configuration");
    assertEquals("from configuration", settings().label);
  }

  @Test
  void eventsThatAreNotSupportedAreLeftOutUnlessNoneIsLeft() {
    Settings settings = settings();
    assertEquals(Arrays.asList("cpu", "wall", "lock"), settings.without(Collections.singleton("alloc")).events);
    assertSame(settings, settings.without(Collections.singleton("nativemem")));
    assertSame(settings, settings.without(settings.events));
  }

  @Test
  void allocationsOfPythonAreAnEventOfWorkersAlone() {
    conf.put("spark.sparkprof.events", "alloc,pyalloc");
    Settings settings = settings();
    assertEquals(Collections.singletonList("alloc"), settings.events);
    assertEquals(512 << 10, settings.pythonAllocIntervalBytes);
    assertTrue(settings.samplingText().endsWith(", pyalloc every 512KiB"), settings.samplingText());
    conf.put("spark.sparkprof.events", "cpu,wall,pyalloc");
    assertEquals(512 << 10, settings().without(Collections.singleton("wall")).pythonAllocIntervalBytes);
    conf.put("spark.sparkprof.events", "pyalloc");
    assertEquals(Collections.singletonList("cpu"), settings().events);
    conf.put("spark.sparkprof.python.enabled", "false");
    assertEquals(0, settings().pythonAllocIntervalBytes);
  }

  @Test
  void environmentNamesFollowTheKeys() {
    assertEquals("SPARKPROF_CPU_INTERVAL", Settings.environmentName("cpu.interval"));
    assertEquals("SPARKPROF_MAX_SPOOL", Settings.environmentName("maxSpool"));
    assertEquals("SPARKPROF_DIR", Settings.environmentName("dir"));
    environment.put("SPARKPROF_DUMP_INTERVAL", "2s");
    assertEquals(2_000_000_000L, settings().dumpIntervalNs);
  }

  @Test
  void environmentSetThroughSparksConfigurationCountsToo() {
    conf.put("spark.executorEnv.SPARKPROF_CPU_INTERVAL", "20ms");
    assertEquals(20_000_000L, settings().cpuIntervalNs);
    conf.put("spark.yarn.appMasterEnv.SPARKPROF_CPU_INTERVAL", "30ms");
    assertEquals(30_000_000L, settings().cpuIntervalNs);
  }

  @Test
  void refusedValuesAreNamedAndTheirDefaultsUsed() {
    conf.put("spark.sparkprof.cpu.interval", "10");
    conf.put("spark.sparkprof.enabled", "yes");
    conf.put("spark.sparkprof.executor.fraction", "120%");
    conf.put("spark.sparkprof.transport", "pigeon");
    conf.put("spark.sparkprof.share", "everybody");
    conf.put("spark.sparkprof.events", "cpu, heap");
    conf.put("spark.sparkprof.dir", "hdfs:\n");
    Settings settings = settings();
    assertEquals(10_000_000L, settings.cpuIntervalNs);
    assertTrue(settings.enabled);
    assertEquals(1.0, settings.executorFraction);
    assertEquals(Settings.Transport.AUTO, settings.transport);
    assertEquals(Arrays.asList("cpu", "wall", "alloc", "lock"), settings.events);
    assertNull(settings.dir);
    assertEquals(PrivateFiles.Sharing.PRIVATE, settings.sharing);
    assertEquals(7, warnings.size(), warnings.toString());
    assertTrue(warnings.contains("spark.sparkprof.cpu.interval: \"10\" has no unit; use ns, us, ms, s, m, h or d, for "
                   + "instance 10ms; using 10ms"),
        warnings.toString());
    assertTrue(warnings.stream().noneMatch(line -> line.contains("\n")), warnings.toString());
  }

  @Test
  void aBlankValueCountsAsNotSet() {
    conf.put("spark.sparkprof.label", " ");
    environment.put("SPARKPROF_LABEL", "");
    conf.put("spark.executorEnv.SPARKPROF_LABEL", " from there\t");
    assertEquals("from there", settings().label);
    assertTrue(warnings.isEmpty(), warnings.toString());
  }

  @Test
  void unknownKeysAreNamedWithTheNearestOne() {
    Settings.checkKeys(Arrays.asList("spark.sparkprof.cpu.intervall", "spark.sparkprof.color", "spark.sparkprof.dir",
                           "spark.master", "spark.sparkprofile.x"),
        warnings::add);
    assertEquals(
        Arrays.asList("spark.sparkprof.cpu.intervall is not a setting; did you mean spark.sparkprof.cpu.interval?",
            "spark.sparkprof.color is not a setting"),
        warnings);
  }

  @Test
  void saysWhatIsSampledInTheWordsOfTheWrapper() {
    assertEquals("sampling cpu every 10ms, wall every 100ms, alloc every 2MiB, lock every 5ms, Python every 10ms, "
            + "pyalloc every 512KiB",
        settings().samplingText());
    conf.put("spark.sparkprof.events", "alloc");
    conf.put("spark.sparkprof.alloc.interval", "512k");
    conf.put("spark.sparkprof.python.enabled", "false");
    conf.put("spark.sparkprof.driver.enabled", "false");
    conf.put("spark.sparkprof.executor.fraction", "0.125");
    assertEquals("sampling alloc every 512KiB; not the driver; 12.5% of the executors", settings().samplingText());
    conf.put("spark.sparkprof.events", "none");
    assertEquals("recording tasks without samples", settings().samplingText());
    conf.put("spark.sparkprof.executor.enabled", "false");
    assertEquals("profiling is disabled", settings().samplingText());
  }

  @Test
  void executorsLearnWhatOnlyTheDriversEnvironmentSays() {
    environment.put("SPARKPROF_EVENTS", "wall");
    Map<String, String> sent = settings().forExecutors();
    assertEquals("wall", sent.get("events"));
    assertFalse(sent.containsKey("cpu.interval"));
    assertFalse(sent.containsValue(null));
    environment.clear();
    fromDriver.putAll(sent);
    assertEquals(Arrays.asList("wall"), settings().events);
  }

  @Test
  void fractionChoosesAboutThatShareAndTheSameExecutorsEachTime() {
    conf.put("spark.sparkprof.executor.fraction", "0.25");
    Settings settings = settings();
    int chosen = 0;
    for (int executor = 0; executor < 2000; executor++) {
      boolean first = settings.chosen("app-1", String.valueOf(executor));
      assertEquals(first, settings().chosen("app-1", String.valueOf(executor)));
      chosen += first ? 1 : 0;
    }
    assertTrue(chosen > 400 && chosen < 600, "chosen: " + chosen);
  }

  @Test
  void theShareOfExecutorsIsWrittenInDigits() {
    assertEquals("1", settings().executorShare());
    conf.put("spark.sparkprof.executor.fraction", "0.250");
    assertEquals("0.25", settings().executorShare());
    conf.put("spark.sparkprof.executor.fraction", "0");
    assertEquals("0", settings().executorShare());
    conf.put("spark.sparkprof.executor.fraction", "1");
    conf.put("spark.sparkprof.executor.enabled", "false");
    assertEquals("0", settings().executorShare());
  }
}
