// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ProfilingContextTest {
  private final Map<String, String> conf = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();

  private Settings settings() {
    return Settings.resolve(conf::get, environment, new HashMap<>(), warnings::add);
  }

  @Test
  void aJobSetUpForCodeGuruIsProfiledTheSameWay() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    environment.put("PROFILING_CONTEXT",
        "{\"profilingGroupName\":\"nightly\",\"driverEnabled\":\"true\","
            + "\"executorEnabled\":true,\"probability\":0.5,\"integrationMode\":\"x\"}");
    Settings settings = settings();
    assertEquals("nightly", settings.label);
    assertTrue(settings.driverEnabled);
    assertTrue(settings.executorEnabled);
    assertEquals(0.5, settings.executorFraction);
    assertTrue(settings.hasEvent("alloc"));
    assertTrue(warnings.isEmpty(), warnings.toString());
  }

  @Test
  void theDriverIsLeftAloneUnlessAskedFor() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    environment.put("PROFILING_CONTEXT", "{\"profilingGroupName\":\"nightly\"}");
    assertFalse(settings().driverEnabled);
    assertTrue(settings().executorEnabled);
    conf.put("spark.sparkprof.driver.enabled", "true");
    assertTrue(settings().driverEnabled);
  }

  @Test
  void theContextMayComeFromSparksConfiguration() {
    conf.put("spark.executorEnv.ENABLE_AMAZON_PROFILER", "true");
    conf.put("spark.executorEnv.PROFILING_CONTEXT", "{\\\"bad\\\"}");
    conf.put("spark.yarn.appMasterEnv.PROFILING_CONTEXT", "{\"profilingGroupName\":\"from yarn\"}");
    assertEquals("from yarn", settings().label);
  }

  @Test
  void malformedJsonIsOneLineAndTheDefaults() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    for (String json :
        new String[] {"{\"profilingGroupName\":", "{\\\"profilingGroupName\\\":\\\"x\\\"}", "[1]", "7"}) {
      warnings.clear();
      environment.put("PROFILING_CONTEXT", json);
      Settings settings = settings();
      assertEquals(1, warnings.size(), json + " " + warnings);
      assertTrue(warnings.get(0).contains("PROFILING_CONTEXT"));
      assertFalse(warnings.get(0).contains("\n"));
      assertTrue(settings.driverEnabled && settings.executorEnabled);
    }
  }

  @Test
  void withoutTheSwitchTheContextMeansNothingAndFalseSwitchesOff() {
    environment.put("PROFILING_CONTEXT", "{\"executorEnabled\":false}");
    assertTrue(settings().executorEnabled);
    environment.put("ENABLE_AMAZON_PROFILER", "false");
    assertFalse(settings().enabled);
  }

  @Test
  void heapSummaryEnabledSwitchesHeapSummaries() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    environment.put("PROFILING_CONTEXT", "{\"heapSummaryEnabled\":\"false\"}");
    assertFalse(settings().heapSummaryEnabled);
    assertTrue(settings().hasEvent("alloc"));
  }

  @Test
  void aProbabilityIsReadAsEveryShareIs() {
    environment.put("ENABLE_AMAZON_PROFILER", "true");
    environment.put("PROFILING_CONTEXT", "{\"probability\":1e-4}");
    assertEquals(0.0001, settings().executorFraction);
    for (String probability : new String[] {"\"50%\"", "1.5", "1e999999999", "\"NaN\""}) {
      warnings.clear();
      environment.put("PROFILING_CONTEXT", "{\"probability\":" + probability + "}");
      assertEquals(1.0, settings().executorFraction, probability);
      assertEquals(1, warnings.size(), probability + " " + warnings);
    }
  }
}
