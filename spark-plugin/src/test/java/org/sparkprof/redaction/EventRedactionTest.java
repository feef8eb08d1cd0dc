// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.redaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class EventRedactionTest {
  @Test
  void secretsInPropertiesAreReplaced() throws Exception {
    String text =
        new EventRedaction(null, null)
            .redact("{\"Event\":\"SparkListenerEnvironmentUpdate\",\"Spark Properties\":{"
                + "\"spark.hadoop.fs.s3a.access.key\":\"AK1\",\"spark.ssl.keyPassword\":\"pw2\",\"my.apiKey\":\"ak3\","
                + "\"spark.app.name\":\"nightly\",\"url\":\"jdbc:x://user:pw4@host/db\"},"
                + "\"System Properties\":{\"sun.java.command\":\"x --conf my.password=pw5\"},\"Stage Name\":\"kept\"}");
    for (String secret : new String[] {"AK1", "pw2", "ak3", "pw4", "pw5"}) {
      assertFalse(text.contains(secret), secret + " in " + text);
    }
    assertTrue(text.contains("\"spark.app.name\":\"nightly\""));
    assertTrue(text.contains("jdbc:x://user:" + TextRedaction.REPLACEMENT + "@host/db"));
    assertTrue(text.contains("\"Stage Name\":\"kept\""));
  }

  @Test
  void aPrivateKeyInTheTextsOfAnArrayIsReplaced() throws Exception {
    String text =
        new EventRedaction(null, null)
            .redact("{\"lines\":[\"first\",\"-----BEGIN PRIVATE KEY-----\","
                + "\"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\",\"cGxhbnRlZA==\",\"-----END PRIVATE KEY-----\",\"last\"]}");
    String gone = "\"" + TextRedaction.REPLACEMENT + "\",";
    assertEquals("{\"lines\":[\"first\"," + gone + gone + gone + gone + "\"last\"]}", text);
  }

  @Test
  void theUsersPatternCounts() throws Exception {
    String event = "{\"Properties\":{\"spark.my.salary\":\"100\",\"spark.sql.execution.id\":\"7\"}}";
    assertEquals(event, new EventRedaction(null, null).redact(event));
    assertEquals(
        "{\"Properties\":{\"spark.my.salary\":\"" + TextRedaction.REPLACEMENT + "\",\"spark.sql.execution.id\":\"7\"}}",
        new EventRedaction("salary", null).redact(event));
  }

  @Test
  void textAnywhereInAnEventIsRedacted() throws Exception {
    String event =
        "{\"Event\":\"SparkListenerTaskEnd\",\"Task End Reason\":{\"Description\":\"Login failed: password='pw1 x'\","
        + "\"Stack Trace\":[{\"Method Name\":\"getPassword\"}]},\"Accumulables\":[{\"Name\":\"db.password\",\"Value\":\"pw2\"}],"
        + "\"pairs\":[[\"spark.x.secret\",\"pw3\"]]}";
    String text = new EventRedaction(null, null).redact(event);
    for (String secret : new String[] {"pw1", "pw2", "pw3"}) {
      assertFalse(text.contains(secret), secret + " in " + text);
    }
    assertTrue(text.contains("\"Method Name\":\"getPassword\""));
  }

  @Test
  void theUsersPatternOfStringsReplacesWhatItFinds() throws Exception {
    String text =
        new EventRedaction(null, "cust-[0-9]+").redact("{\"Event\":\"E\",\"description\":\"for cust-77 only\"}");
    assertTrue(text.contains("for " + TextRedaction.REPLACEMENT + " only"), text);
  }
}
