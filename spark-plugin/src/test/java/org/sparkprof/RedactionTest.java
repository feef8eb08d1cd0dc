// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class RedactionTest {
  @Test
  void secretsInPropertiesAreReplaced() throws IOException {
    String text = new Redaction(null).redact("{\"Event\":\"SparkListenerEnvironmentUpdate\",\"Spark Properties\":{"
        + "\"spark.hadoop.fs.s3a.access.key\":\"AK1\",\"spark.ssl.keyPassword\":\"pw2\",\"my.apiKey\":\"ak3\","
        + "\"spark.app.name\":\"nightly\",\"url\":\"jdbc:x://user:pw4@host/db\"},"
        + "\"System Properties\":{\"sun.java.command\":\"x --conf my.password=pw5\"},\"Tokens\":\"kept\"}");
    for (String secret : new String[] {"AK1", "pw2", "ak3", "pw4", "pw5"}) {
      assertFalse(text.contains(secret), secret + " in " + text);
    }
    assertTrue(text.contains("\"spark.app.name\":\"nightly\""));
    assertTrue(text.contains("jdbc:x://user:" + Redaction.REPLACEMENT + "@host/db"));
    assertTrue(text.contains("\"Tokens\":\"kept\""));
  }

  @Test
  void theUsersPatternCounts() throws IOException {
    String event = "{\"Properties\":{\"spark.my.salary\":\"100\",\"spark.sql.execution.id\":\"7\"}}";
    assertEquals(event, new Redaction(null).redact(event));
    assertEquals("{\"Properties\":{\"spark.my.salary\":\"" + Redaction.REPLACEMENT
        + "\",\"spark.sql.execution.id\":\"7\"}}", new Redaction("salary").redact(event));
  }
}
