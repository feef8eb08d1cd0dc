// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CentralConfigurationTest {
  private final List<String> warnings = new ArrayList<>();

  private static CentralConfiguration read(String json) throws IOException {
    return CentralConfiguration.read("etl", new ObjectMapper().readTree(json));
  }

  private Settings settings(Map<String, String> conf, CentralConfiguration configuration) {
    return Settings.resolve(conf::get, new HashMap<>(), new HashMap<>(), warnings::add)
        .with(configuration.values(warnings::add));
  }

  @Test
  void takesPrecedenceOverWhatIsConfiguredLocally() throws IOException {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.sparkprof.cpu.interval", "50ms");
    conf.put("spark.sparkprof.wall.interval", "1s");
    CentralConfiguration central =
        read("{\"version\":3,\"configuration\":{\"cpu.interval\":\"20ms\",\"events\":\"cpu\","
            + "\"stackDepth\":512,\"enabled\":false,\"executor.fraction\":\"0.5\"}}");
    Settings settings = settings(conf, central);
    assertEquals(20_000_000, settings.cpuIntervalNs);
    assertEquals(1_000_000_000, settings.wallIntervalNs);
    assertEquals(Collections.singletonList("cpu"), settings.events);
    assertEquals(512, settings.stackDepth);
    assertEquals(0.5, settings.executorFraction);
    assertFalse(settings.enabled);
    assertEquals("0", settings.executorShare());
    assertEquals(Collections.emptyList(), warnings);
    assertEquals("Configuration of group etl, version 3, in effect: cpu.interval=20ms, enabled=false, events=cpu, "
            + "executor.fraction=0.5, stackDepth=512",
        central.text());
  }

  @Test
  void ignoresWhatItMayNotSetAndWhatIsInvalidWithOneNotice() throws IOException {
    Settings settings = settings(new HashMap<>(),
        read("{\"version\":4,\"configuration\":{\"agentPath\":\"/tmp/evil\","
            + "\"server\":\"http://elsewhere\",\"color\":\"red\",\"cpu.interval\":\"20\",\"wall.interval\":[1],"
            + "\"lock.threshold\":\"1ms\"}}"));
    assertNull(settings.agentPath);
    assertNull(settings.server);
    assertEquals(10_000_000, settings.cpuIntervalNs);
    assertEquals(1_000_000, settings.lockThresholdNs);
    assertEquals(1, warnings.size(), warnings.toString());
    for (String part : Arrays.asList("group etl, version 4, ignored", "agentPath is not", "server is not",
             "color is not", "cpu.interval: \"20\" has no unit", "wall.interval: \"[1]\"")) {
      assertTrue(warnings.get(0).contains(part), part + " in " + warnings);
    }
  }

  @Test
  void whatIsNoConfigurationIsNotUsed() throws IOException {
    assertNull(CentralConfiguration.read("g", null));
    for (String json : new String[] {"{}", "{\"configuration\":[]}", "{\"configuration\":null}", "{\"version\":1}"}) {
      assertNull(read(json), json);
    }
    assertTrue(read("{\"configuration\":{}}").sets(CentralConfiguration.NONE));
  }

  @Test
  void reachesExecutorsUnchanged() throws IOException {
    CentralConfiguration central = read("{\"version\":9,\"configuration\":{\"events\":\"cpu\"}}");
    Map<String, String> state = central.encode();
    state.put(DriverState.TOKEN, "hush");
    CentralConfiguration there = CentralConfiguration.decode(DriverState.decode(DriverState.encode(state)));
    assertTrue(there.sets(central));
    assertEquals(central.text(), there.text());
    assertTrue(CentralConfiguration.decode(new HashMap<>()).sets(CentralConfiguration.NONE));
  }
}
