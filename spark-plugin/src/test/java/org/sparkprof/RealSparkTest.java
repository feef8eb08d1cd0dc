// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs a job on each Spark that is installed (SPARK_HOME, and the pinned ones in the user's cache folder), in local
 * mode, with the real engine and an agent that writes down what it gets.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
final class RealSparkTest {
  private static final String NONE = "";

  @TempDir Path folder;
  private Process running;

  /** A test that failed must not leave its job waiting. */
  @AfterEach
  void endJob() throws InterruptedException {
    if (running != null) {
      running.destroyForcibly().waitFor();
    }
  }

  /** The Sparks of SPARKPROF_TEST_SPARK (versions), or all in the cache, and that of SPARK_HOME. */
  static Stream<String> sparkHomes() throws IOException {
    Set<String> homes = new HashSet<>();
    String versions = System.getenv("SPARKPROF_TEST_SPARK");
    String cache = System.getenv("XDG_CACHE_HOME");
    Path pinned = Paths.get(cache == null ? System.getProperty("user.home") + "/.cache" : cache, "sparkprof");
    if (Files.isDirectory(pinned)) {
      // Only these folders: others change while a build beside the test fills them.
      String names = versions == null ? "pyspark-*" : "pyspark-{" + versions.trim().replace(' ', ',') + "}";
      try (DirectoryStream<Path> environments = Files.newDirectoryStream(pinned, names)) {
        for (Path environment : environments) {
          try (Stream<Path> files = Files.find(environment, 4,
                   (path, attributes) -> path.endsWith("pyspark") && path.getParent().endsWith("site-packages"))) {
            files.filter(path -> Files.isExecutable(path.resolve("bin/spark-submit")))
                .map(Path::toString)
                .forEach(homes::add);
          }
        }
      }
    }
    String home = System.getenv("SPARK_HOME");
    if (home != null && Files.isExecutable(Paths.get(home, "bin", "spark-submit"))) {
      homes.add(home);
    }
    return homes.isEmpty() ? Stream.of(NONE) : homes.stream().sorted();
  }

  private final class Job {
    final Process process;
    final int contexts;
    final Path out = folder.resolve("out.txt");
    final Path err = folder.resolve("err.txt");

    Job(String sparkHome, String agent, int contexts, String waitFor) throws IOException {
      this(sparkHome, agent, contexts, waitFor, "local[2,2]");
    }

    /** @param conf further settings, each key=value */
    Job(String sparkHome, String agent, int contexts, String waitFor, String master, String... conf)
        throws IOException {
      this.contexts = contexts;
      Assumptions.assumeFalse(sparkHome.equals(NONE), "skipped: no Spark found; `make demo` installs the pinned ones");
      Path home = linkedHome(Paths.get(sparkHome));
      List<String> command = new ArrayList<>(Arrays.asList(home + "/bin/spark-submit", "--master", master, "--conf",
          "spark.ui.enabled=false", "--conf", "spark.plugins=org.sparkprof.SparkProfPlugin", "--conf",
          "spark.sparkprof.dir=" + folder.resolve("recordings"), "--conf", "spark.sparkprof.agentPath=" + agent,
          "--conf", "spark.my.password=hush-hush", "--conf", "spark.redaction.regex=(?i)my[.]", "--conf",
          "spark.executorEnv.SPARKPROF_STAND_IN_DIR=" + folder, "--conf",
          "spark.executor.extraClassPath=" + ownClassPath(), "--driver-class-path", ownClassPath()));
      for (String setting : conf) {
        command.addAll(Arrays.asList("--conf", setting));
      }
      command.addAll(
          Arrays.asList("--class", RealSparkJob.class.getName(), "spark-internal", String.valueOf(contexts), waitFor));
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.environment().put("SPARKPROF_STAND_IN_DIR", folder.toString());
      builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
      builder.environment().put("SPARK_HOME", home.toString());
      builder.directory(folder.toFile());
      process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      running = process;
    }

    /** The installed Spark under another folder: local-cluster mode writes into its home. */
    private Path linkedHome(Path sparkHome) throws IOException {
      Path home = Files.createDirectory(folder.resolve("spark"));
      try (DirectoryStream<Path> children = Files.newDirectoryStream(sparkHome)) {
        for (Path child : children) {
          if (!child.endsWith("work")) {
            Files.createSymbolicLink(home.resolve(child.getFileName()), child);
          }
        }
      }
      return home;
    }

    /** Exit code, result and standard output are those of the job without a profiler. */
    void finish() throws Exception {
      assertEquals(0, process.waitFor(), () -> text(err));
      assertEquals("result " + contexts * RealSparkJob.expected() + "\n", text(out));
    }

    List<String> log() {
      return Arrays.stream(text(err).split("\n"))
          .filter(line -> line.contains("sparkprof: "))
          .collect(Collectors.toList());
    }
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The plugin, this test's classes and the engine: not the old Spark that they were compiled against. */
  private static String ownClassPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.endsWith(".jar") || entry.contains("async-profiler"))
        .collect(Collectors.joining(":"));
  }

  private static String standIn() {
    try {
      Path script = Paths.get(RealSparkTest.class.getResource("/stand-in-agent.py").toURI());
      script.toFile().setExecutable(true);
      return script.toString();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** The frames that each agent received, in order. */
  private List<List<JsonNode>> frames() throws IOException {
    List<List<JsonNode>> all = new ArrayList<>();
    ObjectMapper mapper = new ObjectMapper();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jsonl")) {
      for (Path file : files) {
        List<JsonNode> frames = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
          frames.add(mapper.readTree(line));
        }
        all.add(frames);
      }
    }
    return all;
  }

  private static List<JsonNode> only(List<JsonNode> frames, String name) {
    return frames.stream()
        .filter(frame -> frame.get("frame").asText().equals(name))
        .map(frame -> frame.get("value"))
        .collect(Collectors.toList());
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void everyTaskBeginsAndEndsAndTheDriversEventsArrive(String sparkHome) throws Exception {
    Job job = new Job(sparkHome, standIn(), 1, "");
    job.finish();
    assertEquals(1, frames().size());
    List<JsonNode> frames = frames().get(0);

    Map<Long, JsonNode> begins = new HashMap<>();
    only(frames, "TASK_BEGIN").forEach(begin -> begins.put(begin.get("tid").asLong(), begin));
    List<JsonNode> ends = only(frames, "TASK_END");
    assertEquals(25, begins.size());
    assertEquals(25, ends.size());
    for (JsonNode end : ends) {
      JsonNode begin = begins.remove(end.get("tid").asLong());
      assertEquals(begin.get("thread"), end.get("thread"));
      assertTrue(begin.get("thread").asInt() > 0);
      assertTrue(begin.get("ns").asLong() <= end.get("ns").asLong());
      boolean fails =
          begin.get("stage").asInt() == 0 && begin.get("partition").asInt() == 5 && begin.get("attempt").asInt() == 0;
      assertEquals(fails ? 2 : 1, end.get("status").asInt(), begin.toString());
    }

    List<JsonNode> events = only(frames, "SPARK_EVENT");
    List<String> names = events.stream().map(event -> event.get("Event").asText()).collect(Collectors.toList());
    assertEquals("SparkListenerLogStart", names.get(0));
    for (String name : new String[] {"EnvironmentUpdate", "ApplicationStart", "ExecutorAdded", "JobStart",
             "StageSubmitted", "StageCompleted", "JobEnd", "ApplicationEnd"}) {
      assertTrue(names.contains("SparkListener" + name), name + " in " + names);
    }
    assertEquals(25, names.stream().filter("SparkListenerTaskEnd" ::equals).count());
    // The agent redacts them, also by the application's own expression.
    assertTrue(events.toString().contains("hush-hush"));
    assertEquals("(?i)my[.]", only(frames, "HELLO").get(0).get("redaction_regex").asText());

    assertEquals("local", only(frames, "HELLO").get(0).get("role").asText());
    String spool = only(frames, "IDENTITY").get(0).get("spool").asText();
    assertTrue(spool.startsWith(folder.resolve("recordings").toString() + "/local-"), spool);
    List<JsonNode> dumps = only(frames, "DUMPED");
    assertTrue(dumps.get(dumps.size() - 1).get("samples").asLong() > 0);
    assertTrue(only(frames, "EOF").get(0).get("jfr_bytes").asLong() > 0);
    assertTrue(job.log().toString().contains("profiling started (cpu, "), job.log().toString());
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void anotherAgentTakesOverWhenOneIsKilled(String sparkHome) throws Exception {
    Path go = folder.resolve("go");
    Job job = new Job(sparkHome, standIn(), 1, go.toString());
    awaitSampling(job, 1);
    kill(agent(job));
    awaitSampling(job, 2);
    Files.createFile(RealSparkJob.waitFor(go.toString(), 0).toPath());
    job.finish();

    List<List<JsonNode>> frames = frames();
    assertEquals(2, frames.size());
    boolean firstIsFirst = only(frames.get(0), "HELLO").get(0).get("first_sequence").asLong() == 0;
    List<JsonNode> before = frames.get(firstIsFirst ? 0 : 1);
    List<JsonNode> after = frames.get(firstIsFirst ? 1 : 0);
    JsonNode hello = only(after, "HELLO").get(0);
    assertEquals(1L << 32, hello.get("first_sequence").asLong());
    assertFalse(hello.get("spool").equals(only(before, "HELLO").get(0).get("spool")));
    // The tasks that ran are begun again; every event went to one of the two.
    assertEquals(25, only(after, "TASK_END").size());
    List<String> events = new ArrayList<>();
    only(before, "SPARK_EVENT").forEach(event -> events.add(event.toString()));
    only(after, "SPARK_EVENT").forEach(event -> events.add(event.toString()));
    assertEquals(25, events.stream().filter(event -> event.contains("\"SparkListenerTaskEnd\"")).count());
    assertEquals(new HashSet<>(events).size(), events.size());
    List<JsonNode> losses = only(after, "LOSS");
    assertEquals("profiling_ms", losses.get(0).get("what").asText());
    assertTrue(only(after, "NOTICE").toString().contains("Not sampled for "), after.toString());
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void theJobIsTheSameWhenTheAgentCannotWork(String sparkHome) throws Exception {
    Job job = new Job(sparkHome, "/bin/true", 1, "");
    job.finish();
    List<String> log = job.log();
    assertEquals(1, log.stream().filter(line -> line.contains("profiling stopped: ")).count(), log.toString());
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void aTabOfSparksUiHasTheServersFindings(String sparkHome) throws Exception {
    Path go = folder.resolve("go");
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    HttpServer server = FindingsPageTest.server(200, FindingsPageTest.FINDINGS);
    Job job = new Job(sparkHome, standIn(), 1, go.toString(), "local[2,2]", "spark.ui.enabled=true",
        "spark.ui.port=" + port, "spark.sparkprof.ui=true",
        "spark.sparkprof.server=http://127.0.0.1:" + server.getAddress().getPort() + "/base");
    String ui = "http://127.0.0.1:" + port;
    awaitTab(job, ui + "/jobs/");
    String tab = page(ui + "/sparkprof/");
    assertTrue(tab.contains("href=\"/jobs/\""), "it has Spark's tabs: " + tab);
    assertTrue(tab.contains("<code>f (job.py:7)</code>"), tab);
    assertTrue(tab.contains("/base/applications/local-"), tab);
    server.stop(0);
    Files.createFile(RealSparkJob.waitFor(go.toString(), 0).toPath());
    job.finish();
  }

  private static String page(String url) throws IOException {
    try (Scanner page = new Scanner(URI.create(url).toURL().openStream(), "UTF-8")) {
      return page.useDelimiter("\\A").next();
    }
  }

  /** Spark serves its pages, or 404, before plugins know the application. */
  private static void awaitTab(Job job, String url) throws Exception {
    String text = "";
    while (!(text.contains("/sparkprof/\"") && text.contains("Sparkprof"))) {
      assertTrue(job.process.isAlive(), () -> text(job.err));
      TimeUnit.MILLISECONDS.sleep(50);
      try {
        text = page(url);
      } catch (IOException e) {
        text = "";
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void severalContextsInOneJvmHaveARecordingEach(String sparkHome) throws Exception {
    Path go = folder.resolve("go");
    Job job = new Job(sparkHome, standIn(), 2, go.toString());
    for (int context = 0; context < 2; context++) {
      awaitSampling(job, context + 1);
      Files.createFile(RealSparkJob.waitFor(go.toString(), context).toPath());
    }
    job.finish();
    List<List<JsonNode>> frames = frames();
    assertEquals(2, frames.size());
    for (List<JsonNode> one : frames) {
      assertEquals(25, only(one, "TASK_END").size());
      assertTrue(only(one, "EOF").get(0).get("jfr_bytes").asLong() > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void executorsBlocksReachTheDriversFolder(String sparkHome) throws Exception {
    executors(sparkHome, "driver").finish();
    List<Path> recordings = recordings();
    assertEquals(1, recordings.size(), recordings.toString());
    assertTrue(text(recordings.get(0)).matches("(block\\d+;)+last;"), text(recordings.get(0)));
    assertTrue(recordings.get(0).getFileName().toString().startsWith("0-"));
  }

  @ParameterizedTest
  @MethodSource("sparkHomes")
  void everyonesBlocksReachAHadoopFileSystem(String sparkHome) throws Exception {
    executors(sparkHome, "hadoop").finish();
    List<Path> recordings = recordings();
    for (String process : new String[] {"0-", "driver-"}) {
      String all = recordings.stream()
                       .filter(path -> path.getFileName().toString().startsWith(process))
                       .sorted()
                       .map(RealSparkTest::text)
                       .collect(Collectors.joining());
      assertTrue(all.matches("(block\\d+;)+last;"), process + all);
    }
    for (Path recording : recordings) {
      // A process may end between creating a file and taking others' permissions away; the content comes after that.
      if (Files.size(recording) > 0) {
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(recording)));
      }
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(recording.getParent())));
    }
  }

  private Job executors(String sparkHome, String transport) throws IOException {
    return new Job(sparkHome, standIn(), 1, "", "local-cluster[1,2,512]", "spark.executor.memory=512m",
        "spark.sparkprof.transport=" + transport, "spark.sparkprof.uploadInterval=500ms",
        "spark.sparkprof.dumpInterval=1s");
  }

  /** Needs SPARKPROF_AGENT_PATH, as the main build sets it. */
  @ParameterizedTest
  @MethodSource("sparkHomes")
  void theRealAgentWritesTheRecording(String sparkHome) throws Exception {
    String agent = System.getenv("SPARKPROF_AGENT_PATH");
    Assumptions.assumeTrue(agent != null, "skipped: SPARKPROF_AGENT_PATH does not name an agent");
    new Job(sparkHome, agent, 1, "").finish();
    List<Path> recordings = recordings();
    assertEquals(1, recordings.size(), recordings.toString());
    assertTrue(recordings.get(0).getParent().getFileName().toString().startsWith("local-"), recordings.toString());
    assertTrue(Files.size(recordings.get(0)) > 0);
  }

  /** All files below the recordings' folder. */
  private List<Path> recordings() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("recordings"))) {
      return files.filter(Files::isRegularFile).collect(Collectors.toList());
    }
  }

  /** Returns once the job's log has said so many times that sampling began: a context may be done before that. */
  private static void awaitSampling(Job job, int times) throws Exception {
    while (job.log().stream().filter(line -> line.contains("profiling started (")).count() < times) {
      assertTrue(job.process.isAlive(), () -> text(job.err));
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** Process id of the stand-in once it has been greeted. */
  private long agent(Job job) throws Exception {
    while (job.process.isAlive()) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jsonl")) {
        for (Path file : files) {
          if (text(file).contains("TASK_BEGIN")) {
            return Long.parseLong(file.getFileName().toString().replace(".jsonl", ""));
          }
        }
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    throw new AssertionError("the job ended before its agent was greeted: " + text(job.err));
  }

  private static void kill(long process) throws Exception {
    assertEquals(0, new ProcessBuilder("kill", "-9", String.valueOf(process)).start().waitFor());
  }
}
