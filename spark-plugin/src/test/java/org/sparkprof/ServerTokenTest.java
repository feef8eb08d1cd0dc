// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerTokenTest {
  @TempDir Path folder;
  private final Map<String, String> conf = new HashMap<>();
  private final List<String> warnings = new ArrayList<>();

  private Settings settings() {
    return Settings.resolve(conf::get, new HashMap<>(), new HashMap<>(), warnings::add);
  }

  @Test
  void comesFromTheSettingsElseFromTheFileElseFromTheDriver() throws IOException {
    Path file = folder.resolve("token");
    conf.put("spark.sparkprof.server.tokenFile", file.toString());
    assertEquals("drivers", new ServerToken(settings(), () -> "drivers").get(), "an executor without the file");
    assertThrows(IOException.class, () -> new ServerToken(settings(), null).get(), "the driver must have it");
    Files.write(file, Collections.singletonList("first"));
    ServerToken token = new ServerToken(settings(), () -> "drivers");
    assertEquals("first", token.get());
    Files.write(file, Collections.singletonList("second"));
    assertEquals("second", token.get(), "it was replaced");
    conf.put("spark.sparkprof.server.token", "own");
    assertEquals("own", new ServerToken(settings(), () -> "drivers").get());
    conf.clear();
    assertEquals("", new ServerToken(settings(), null).get());
  }

  @Test
  void theTabOfSparksUiMayHaveItsOwn() throws IOException {
    conf.put("spark.sparkprof.server.token", "ingest");
    assertEquals("ingest", ServerToken.ofUi(settings()).get());
    Path file = folder.resolve("reader");
    conf.put("spark.sparkprof.ui.tokenFile", file.toString());
    IOException missing = assertThrows(IOException.class, () -> ServerToken.ofUi(settings()).get());
    assertTrue(missing.getMessage().endsWith("cannot read the token (spark.sparkprof.ui.tokenFile)"));
    Files.write(file, Collections.singletonList("read"));
    assertEquals("read", ServerToken.ofUi(settings()).get());
    assertEquals("ingest", new ServerToken(settings(), null).get());
  }

  @Test
  void theDriverIsAskedAgainOnlyIfItDidNotAnswer() throws IOException {
    int[] questions = {0};
    ServerToken token = new ServerToken(settings(), () -> {
      if (++questions[0] == 1) {
        throw new IOException("away");
      }
      return "drivers";
    });
    assertThrows(IOException.class, token::get);
    assertEquals("drivers", token.get());
    assertEquals("drivers", token.get());
    assertEquals(2, questions[0]);
  }

  @Test
  void messagesDoNotShowIt() throws IOException {
    Path file = folder.resolve("token");
    Files.write(file, Collections.singletonList("hush hush"));
    conf.put("spark.sparkprof.server.tokenFile", file.toString());
    IOException wrong = assertThrows(IOException.class, () -> new ServerToken(settings(), null).get());
    assertFalse(wrong.getMessage().contains("hush"), wrong.getMessage());
    conf.put("spark.sparkprof.server.token", "hush hush");
    settings();
    assertEquals(1, warnings.size());
    assertFalse(warnings.get(0).contains("hush"), warnings.get(0));
  }

  @Test
  void isNotPartOfWhatSparkGivesToExecutors() {
    conf.put("spark.sparkprof.server.token", "hush");
    conf.put("spark.sparkprof.server", "http://host");
    assertTrue(settings().forExecutors().containsKey("server"));
    assertFalse(settings().forExecutors().containsValue("hush"));
  }

  @Test
  void travelsInTheDriversAnswer() throws IOException {
    Map<String, String> state = Collections.singletonMap(DriverState.TOKEN, "secret");
    assertEquals(state, DriverState.decode(DriverState.encode(state)));
    assertThrows(IOException.class, () -> DriverState.decode(false));
    assertTrue(DriverState.isQuestion(DriverState.question()));
    assertFalse(DriverState.isQuestion(new byte[] {1, 2}));
  }
}
