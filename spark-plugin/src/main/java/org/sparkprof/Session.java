// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * The profiling of one JVM for one application: agent, engine, and the threads between them. Starting returns at once;
 * whatever fails is said in one line, and the job runs on with less profile or none.
 */
final class Session implements AgentProcess.Listener {
  private static final long READY_TIMEOUT_MS = 10_000;
  /** The first dump comes early, so that a short job has data. */
  private static final long FIRST_DUMP_NS = 1_500_000_000L;
  /** Upper bound for the delay of a task record on its way to the agent. */
  private static final long WRITE_INTERVAL_MS = 50;
  private static final long START_TIMEOUT_MS = 1_000;
  private static final long DRAIN_TIMEOUT_MS = 1_000;
  /** Longer than two dumps at the usual interval: one in which neither ran, as after a container's pause, is no proof. */
  private static final long STUCK_MS = 14_000;
  private static final long STOP_TIMEOUT_MS = 2_500;
  private static final long AGENT_END_TIMEOUT_MS = 1_000;
  private static final long SINK_TIMEOUT_MS = 1_000;
  /** After Spark's own hook (40), which stops the SparkContext; before Hadoop closes its file systems (10). */
  private static final int EXIT_HOOK_PRIORITY = 35;

  final Outbox outbox = new Outbox();
  final TaskRecorder tasks = new TaskRecorder(outbox.tasks);

  private final Identity identity;
  private final Settings settings;
  private final Place place;
  private final NativeFiles files;
  /** Null when the agent writes the recording where it belongs. */
  private final BlockSink sink;
  private final boolean sampled;
  /** Null when Python workers are not sampled. */
  private final PythonHook python;
  private final Engine engine = new Engine();
  private final CountDownLatch connected = new CountDownLatch(1);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  /** The JVM does not end before the recording does, within the bounds of {@link #stop}. */
  private final Runnable exitHook = this::stop;
  private final Thread finisher = daemon("sparkprof-stop", this::finish);
  private volatile AgentProcess agent;

  /**
   * @param sampled false = no engine: the agent records Spark's events and the process only
   * @param python what samples this JVM's Python workers, null = nothing; removed at the end
   */
  Session(Identity identity, Settings settings, Place place, NativeFiles files, BlockSink sink, boolean sampled,
      PythonHook python) {
    this.identity = identity;
    this.settings = settings;
    this.place = place;
    this.files = files;
    this.sink = sink;
    this.sampled = sampled;
    this.python = python;
  }

  void start() {
    ShutdownHookManager.get().addShutdownHook(exitHook, EXIT_HOOK_PRIORITY);
    daemon("sparkprof-session", this::run).start();
  }

  /** Notes a warning in the recording, for the report. */
  void warn(String text) {
    outbox.add(writer -> writer.notice(1, text));
  }

  /** The driver now knows its application. */
  void applicationStarted(String id, String attempt) {
    identity.applicationStarted(id, attempt);
    Map<String, String> values = new HashMap<>();
    values.put("application_id", id);
    values.put("application_attempt", attempt);
    values.put("spool", place.spool(identity).toString());
    outbox.add(writer -> writer.identity(values));
    if (failed.get()) {
      return;
    }
    Log.info("the recording of " + id + " goes to " + place.describe(identity));
  }

  /** Ends the session: bounded, whatever hangs. Called again, it waits for the end that is under way. */
  void stop() {
    boolean first;
    synchronized (finisher) {
      first = stopping.compareAndSet(false, true);
      if (first) {
        finisher.start();
      }
    }
    try {
      finisher.join(STOP_TIMEOUT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!first) {
      return;
    }
    AgentProcess current = agent;
    if (finisher.isAlive()) {
      Log.warn("the end of profiling takes longer than " + STOP_TIMEOUT_MS + " ms; the rest is left to the agent");
      if (current != null && outbox.stuckMs() > 0) {
        current.kill();
      }
    }
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().removeShutdownHook(exitHook);
    }
  }

  private void run() {
    try {
      if (NativeFiles.platform() == null) {
        throw new IOException("no agent for " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            + " (Linux on x86-64 and arm64 are served)");
      }
      AgentProcess started = AgentProcess.start(files, settings.agentPath, this);
      agent = started;
      outbox.connect(started.writer, hello());
      connected.countDown();
      daemon("sparkprof-writer", this::write).start();
      String jfrFile = started.awaitReady(READY_TIMEOUT_MS);
      if (jfrFile == null) {
        fail("the agent did not answer within " + READY_TIMEOUT_MS / 1000 + " s");
        return;
      }
      if (sampled) {
        startEngine(jfrFile);
      } else {
        Log.info("recording Spark's events (this JVM is not sampled)");
      }
      dumpUntilStopped(started);
    } catch (Throwable e) {
      fail(Log.reason(e));
      Log.debug("start failed", e);
    }
  }

  private void startEngine(String jfrFile) {
    synchronized (engine) {
      if (stopping.get() || failed.get()) {
        return;
      }
      try {
        Log.info("profiling started (" + engine.start(files, settings, jfrFile) + "), process " + identity.processId);
      } catch (Exception | LinkageError e) {
        engineFailed("not sampling: " + Log.reason(e));
        Log.debug("engine", e);
      }
    }
  }

  private void dumpUntilStopped(AgentProcess running) throws InterruptedException, IOException {
    long wait = Math.min(FIRST_DUMP_NS, settings.dumpIntervalNs);
    long agentCpuNs = -1;
    long idleNs = 0;
    while (!stop.await(wait, TimeUnit.NANOSECONDS) && !failed.get()) {
      // The file that it should empty must not grow behind an agent that hangs.
      long before = agentCpuNs;
      agentCpuNs = running.cpuNs();
      idleNs = agentCpuNs >= 0 && agentCpuNs == before ? idleNs + wait : 0;
      long stuckMs = Math.max(outbox.stuckMs(), TimeUnit.NANOSECONDS.toMillis(idleNs));
      if (stuckMs > STUCK_MS) {
        fail("the agent has been stuck for " + stuckMs / 1000 + " s");
        return;
      }
      dump();
      wait = settings.dumpIntervalNs;
    }
  }

  /** One dump and its DUMPED frame. Records that older tasks still hold back go out between the two. */
  private void dump() throws IOException {
    synchronized (engine) {
      if (failed.get()) {
        return;
      }
      try {
        long timeNs = System.nanoTime();
        if (!engine.dump()) {
          return;
        }
        EngineCounters counters = engine.counters();
        // Tasks first: the agent may rely on having all records that are older than the dump.
        if (outbox.drain(DRAIN_TIMEOUT_MS)) {
          outbox.add(writer -> writer.dumped(timeNs, counters));
          outbox.drain(DRAIN_TIMEOUT_MS);
        }
      } catch (IllegalStateException | IllegalArgumentException e) {
        engineFailed("sampling ended: " + Log.reason(e));
      }
    }
  }

  private void engineFailed(String why) {
    Log.warn(why + "; the job runs on without samples of process " + identity.processId);
    warn(why);
    stopEngine();
  }

  private void stopEngine() {
    try {
      engine.stop();
    } catch (RuntimeException e) {
      Log.debug("engine stop", e);
    }
  }

  private void write() {
    try {
      HelperThreads helpers = new HelperThreads();
      while (!failed.get() && !stop.await(WRITE_INTERVAL_MS, TimeUnit.MILLISECONDS)) {
        helpers.name();
        outbox.drain(WRITE_INTERVAL_MS);
      }
    } catch (IOException e) {
      fail("the agent cannot be reached (" + Log.reason(e) + ")");
    } catch (Throwable e) {
      fail(e.toString());
    }
  }

  private void finish() {
    try {
      stop.countDown();
      // A very short application: what it recorded still waits for the agent.
      connected.await(START_TIMEOUT_MS, TimeUnit.MILLISECONDS);
      // What Spark recorded goes out first: a JVM that gets SIGTERM may be killed a quarter of a second later.
      outbox.add(FrameWriter::stopping);
      outbox.drain(WRITE_INTERVAL_MS);
      dump();
      synchronized (engine) {
        long timeNs = System.nanoTime();
        EngineCounters counters = engine.counters();
        stopEngine();
        if (outbox.drain(DRAIN_TIMEOUT_MS) && sampled) {
          outbox.add(writer -> writer.dumped(timeNs, counters));
          outbox.drain(DRAIN_TIMEOUT_MS);
        }
      }
      outbox.close(DRAIN_TIMEOUT_MS);
      AgentProcess current = agent;
      boolean ended = current == null || current.awaitEnd(AGENT_END_TIMEOUT_MS);
      if (sink != null && sink.finish(SINK_TIMEOUT_MS) && ended && !failed.get()) {
        removeSpool();
      }
      if (!failed.get()) {
        Log.info("profiling ended, the recording is " + place.describe(identity));
      }
    } catch (Throwable e) {
      fail(Log.reason(e));
      Log.debug("stop failed", e);
    } finally {
      if (python != null) {
        python.remove();
      }
    }
  }

  /** Every block has arrived where it belongs: the spool was for the case of a kill. */
  private void removeSpool() {
    Path spool = place.spool(identity);
    try {
      Files.deleteIfExists(spool);
      place.removeEmptySpoolFolder();
    } catch (IOException e) {
      Log.warn("cannot delete " + spool + ": " + Log.reason(e));
    }
  }

  /** The agent is of no use any more: sampling ends, so that the file it emptied does not grow. */
  private void fail(String why) {
    if (!failed.compareAndSet(false, true)) {
      return;
    }
    outbox.stopTaking();
    connected.countDown();
    Log.warn((stopping.get() ? "the recording may lack its end: " : "profiling stopped: ") + why
        + "; the job runs on");
    daemon("sparkprof-engine-stop", this::stopEngine).start();
    AgentProcess current = agent;
    if (current != null) {
      current.kill();
    }
  }

  private Map<String, String> hello() {
    Map<String, String> values = identity.hello();
    values.put("bucket_ns", String.valueOf(settings.bucketNs));
    values.put("spool", place.spool(identity).toString());
    values.put("node_dir", settings.nodeDir);
    values.put("share", place.sharing.name().toLowerCase(Locale.ROOT));
    values.put("forward", sink == null ? "0" : "1");
    values.put("max_spool_bytes", String.valueOf(settings.maxSpoolBytes));
    values.put("dump_interval_ns", String.valueOf(settings.dumpIntervalNs));
    values.put("setting.events", sampled ? String.join(",", settings.events) : "");
    values.put("setting.cpu.interval_ns", String.valueOf(settings.cpuIntervalNs));
    values.put("setting.wall.interval_ns", String.valueOf(settings.wallIntervalNs));
    values.put("setting.alloc.interval_bytes", String.valueOf(settings.allocIntervalBytes));
    values.put("setting.lock.threshold_ns", String.valueOf(settings.lockThresholdNs));
    if (settings.pythonEnabled) {
      values.put("python_outside_interval_ns", String.valueOf(settings.pythonIntervalNs));
    }
    if (python != null) {
      values.put("python_rings", python.rings.toString());
      values.put("setting.python.interval_ns", String.valueOf(settings.pythonIntervalNs));
    }
    if (!settings.label.isEmpty()) {
      values.put("setting.label", settings.label);
    }
    return values;
  }

  @Override
  public void block(byte[] block) {
    if (sink != null) {
      sink.block(block);
    }
  }

  @Override
  public void agentGone(String how) {
    if (!stopping.get()) {
      fail("the agent is gone: " + how);
    }
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
