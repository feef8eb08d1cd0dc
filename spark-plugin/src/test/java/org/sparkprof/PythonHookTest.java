// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonHookTest {
  private static final String DAEMON = "spark.python.daemon.module";

  private final Map<String, String> conf = new HashMap<>();

  @TempDir Path folder;

  private static Settings settings(String... pairs) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], pairs[i + 1]);
    }
    return Settings.resolve(values::get, new HashMap<>(), new HashMap<>(), warning -> {});
  }

  private Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put(PythonHook.PATH_VARIABLE, folder.toString());
    environment.put("PYTHONPATH", "/elsewhere:" + folder);
    return environment;
  }

  private PythonHook install(Settings settings, boolean local, Map<String, String> environment) {
    return PythonHook.install(conf::get, conf::put, settings, local, environment);
  }

  private PythonHook installed() {
    Assumptions.assumeTrue(getClass().getResource("/" + NativeFiles.folder() + "/libsparkprof-pysampler.so") != null,
        "the sampler was not built");
    PythonHook hook = install(settings(), true, environment());
    assertNotNull(hook);
    return hook;
  }

  @Test
  void workersAreStartedByAModuleOnTheirPathThatGoesAtTheEnd() throws IOException {
    PythonHook hook = installed();
    Path module = folder.resolve(conf.get(DAEMON) + ".py");
    assertTrue(new String(Files.readAllBytes(module), StandardCharsets.UTF_8).contains(hook.rings.toString()));
    assertTrue(Files.exists(hook.rings.getParent().resolve("sparkprof").resolve("daemon.py")));
    hook.remove();
    assertFalse(Files.exists(module));
    assertFalse(Files.exists(hook.rings.getParent()));
  }

  @Test
  void whatIsRemovedMeanwhileIsPutBackUntilTheEnd() throws IOException {
    PythonHook hook = installed();
    assertNull(hook.repair());
    Path own = hook.rings.getParent();
    Path library = own.resolve("sparkprof").resolve("libsparkprof-pysampler.so");
    Files.delete(library);
    Files.delete(hook.module);
    String missing = hook.repair();
    assertTrue(missing.contains(library.toString()) && missing.contains(hook.module.toString()), missing);
    assertTrue(Files.size(library) > 0 && Files.exists(hook.module));
    try (Stream<Path> all = Files.walk(own)) {
      all.sorted(Comparator.reverseOrder()).forEach(path -> assertTrue(path.toFile().delete()));
    }
    assertNotNull(hook.repair());
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own)));
    assertTrue(Files.exists(hook.rings.resolve("settings.json")));
    assertNull(hook.repair());
    hook.remove();
    assertNull(hook.repair());
    assertFalse(Files.exists(own));
  }

  @Test
  void aLinkInPlaceOfTheFolderIsNotFollowed() throws IOException {
    PythonHook hook = installed();
    Path own = hook.rings.getParent();
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Files.move(own, folder.resolve("moved"));
    Files.createSymbolicLink(own, elsewhere);
    assertNull(hook.repair());
    assertEquals(0, elsewhere.toFile().list().length);
    Files.delete(own);
    hook.remove();
  }

  @Test
  void theUsersOwnModuleRunsBelowOurs() throws IOException {
    conf.put(DAEMON, "their.daemon");
    PythonHook hook = installed();
    byte[] said = Files.readAllBytes(hook.rings.resolve("settings.json"));
    assertTrue(new String(said, StandardCharsets.UTF_8).contains("\"daemon_module\": \"their.daemon\""));
    assertFalse(conf.get(DAEMON).equals("their.daemon"));
    hook.remove();
  }

  @Test
  void withoutDaemonTheWorkerModuleIsOurs() {
    conf.put("spark.python.use.daemon", "false");
    PythonHook hook = installed();
    assertFalse(conf.containsKey(DAEMON));
    assertTrue(conf.containsKey("spark.python.worker.module"));
    hook.remove();
  }

  @Test
  void theProgramSamplesItselfOnlyUnderRunAndForWhatCannotBeSeenFromOutside() {
    Settings allocations = settings("spark.sparkprof.events", "cpu,pyalloc");
    assertTrue(PythonHook.samplesProgram(allocations, environment()));
    assertTrue(PythonHook.samplesProgram(settings("spark.sparkprof.python.native", "true"), environment()));
    assertFalse(PythonHook.samplesProgram(settings("spark.sparkprof.events", "cpu"), environment()));
    assertFalse(PythonHook.samplesProgram(allocations, new HashMap<>()));
  }

  @Test
  void nothingChangesWhereTheModuleWouldNotBeFoundOrIsNotWanted() {
    assertNull(install(settings(), true, new HashMap<>()));
    Map<String, String> notOnPath = environment();
    notOnPath.put("PYTHONPATH", "/elsewhere");
    assertNull(install(settings(), true, notOnPath));
    assertNull(install(settings("spark.sparkprof.python.enabled", "false"), true, environment()));
    Map<String, String> safePath = environment();
    safePath.put("PYTHONSAFEPATH", "1");
    assertNull(install(settings(), false, safePath));
    assertFalse(conf.containsKey(DAEMON));
    assertEquals(0, folder.toFile().list().length);
  }
}
