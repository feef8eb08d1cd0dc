// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class LogTest {
  @Test
  void aLineOfAnyMessageIsShort() {
    StringBuilder message = new StringBuilder("cannot write: ");
    for (int i = 0; i < 200_000; i++) {
      message.append("spark.x.").append(i).append("=y, ");
    }
    String line = Log.line(message.toString());
    assertEquals(Log.MAX_LINE, line.length());
    assertTrue(line.startsWith("sparkprof: cannot write: spark.x.0=y"), line);
    assertTrue(line.endsWith("…"), line);
  }

  @Test
  void aMessageOfSeveralLinesIsOneLine() {
    assertEquals("sparkprof: a b  c", Log.line("a\nb\r\nc"));
    assertFalse(Log.line("\u001b[31mred").contains("\u001b"));
  }

  @Test
  void secretsAreRedactedBeforeTheLineIsCut() {
    StringBuilder secret = new StringBuilder("password=");
    for (int i = 0; i < 300; i++) {
      secret.append("hunter2");
    }
    assertFalse(Log.line(secret.toString()).contains("hunter"));
  }

  @Test
  void whatMayBeASecretIsLost() {
    for (String message : new String[] {"https://joe:hunter2@host:9000/a: refused",
             "s3a://AKIA1:hun/ter2@bucket: no such bucket", "GET https://host/a?X-Amz-Signature=hunter2&x=1: 403",
             "PASSWORD: hunter2", "db_pwd = 'x hunter2'", "{\"secretKey\": \"hunter2\"}", "[\"token\", \"hunter2\"]",
             "<password>hunter2</password>", "java.io.IOException: client_secret=a\nhunter2",
             "Authorization: Bearer hunter2", "bearer hunter2 expired", "exec failed: kinit --password hunter2",
             "mysql -Dauth.token hunter2", "key->hunter2", "not valid: ghp_hunter2hunter2", "sig=hunter2"}) {
      assertFalse(Log.line(message).contains("ter2"), Log.line(message));
    }
  }

  @Test
  void otherMessagesStay() {
    for (String message : new String[] {"recording to hdfs://host:8020/profiles/app-1-0000/driver-host-12.sprof",
             "http://host:8320 does not accept the token, 401; set spark.sparkprof.server.tokenFile or "
                 + "SPARKPROF_SERVER_TOKEN; retrying, the job continues",
             "/x/t: cannot read the token (spark.sparkprof.server.tokenFile)",
             "cannot write: No space left on device"}) {
      assertEquals("sparkprof: " + message, Log.line(message));
    }
  }
}
