// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class ConfigurationPollTest {
  private static CentralConfiguration configuration(String content) throws IOException {
    return CentralConfiguration.read(
        "g", new ObjectMapper().readTree("{\"version\":1,\"configuration\":{" + content + "}}"));
  }

  @Test
  void tellsOfEachChangeOnceAndKeepsWhatIsKnownWhileTheServerIsAway() throws Exception {
    CentralConfiguration cpu = configuration("\"events\":\"cpu\"");
    CentralConfiguration wall = configuration("\"events\":\"wall\"");
    Iterator<CentralConfiguration> answers =
        Arrays.asList(configuration(""), cpu, null, cpu, wall, configuration("")).iterator();
    AtomicInteger failures = new AtomicInteger();
    BlockingQueue<CentralConfiguration> changes = new LinkedBlockingQueue<>();
    ConfigurationPoll poll = new ConfigurationPoll(() -> {
      if (!answers.hasNext()) {
        failures.incrementAndGet();
        throw new IOException("away");
      }
      return answers.next();
    }, 5, changes::add);
    poll.start();
    assertEquals(cpu, changes.take());
    assertEquals(wall, changes.take());
    assertTrue(changes.take().sets(CentralConfiguration.NONE));
    while (failures.get() < 3) {
      Thread.sleep(5);
    }
    poll.stop();
    assertTrue(changes.isEmpty());
  }
}
