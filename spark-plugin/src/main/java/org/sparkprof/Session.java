// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * The profiling of one JVM for one application: agent, {@link Sampling}, and the threads between them. Starting returns
 * at once; whatever fails is said in one line, and the job runs on with less profile or none.
 */
final class Session implements AgentProcess.Listener {
  private static final long READY_TIMEOUT_MS = 10_000;
  /** The first dump is early, so that a short job has data. */
  private static final long FIRST_DUMP_NS = 1_500_000_000L;
  /** Upper bound for the delay of a task record on its way to the agent. */
  private static final long WRITE_INTERVAL_MS = 100;
  /** Between two looks for files of the Python sampler that a cleaner has removed, in intervals of writing. */
  private static final int REPAIR_INTERVAL = 10;
  private static final long START_TIMEOUT_MS = 1_000;
  private static final long DRAIN_TIMEOUT_MS = 1_000;
  private static final long DISCONNECT_TIMEOUT_MS = 2_000;
  /** Sampling pauses if the agent has not confirmed anything for this long, because the file it empties would grow. */
  private static final long MAX_SILENCE_NS = 14_000_000_000L;
  private static final long MANY_SAMPLES_CHECK_NS = 1_000_000_000L;
  private static final long RESUME_CHECK_NS = 500_000_000L;
  /** Before each new agent after one that ended. */
  private static final long[] RESTART_PAUSES_NS = {500_000_000L, 3_000_000_000L, 10_000_000_000L};
  private static final long STOP_TIMEOUT_MS = 2_500;
  private static final long AGENT_END_TIMEOUT_MS = 1_000;
  private static final long SINK_TIMEOUT_MS = 1_000;
  /** For a server that accepts data; {@link ServerUploader#finish} gives up on others sooner. */
  private static final long UPLOAD_TIMEOUT_MS = 10_000;
  /** The agent begins a new spool when this share of the largest size is on the server. */
  private static final int SPOOL_PARTS = 4;
  /** After Spark's own hook (40), which stops the SparkContext; before Hadoop closes its file systems (10). */
  private static final int EXIT_HOOK_PRIORITY = 35;

  /** In local mode driver and executor are one JVM: the driver's session, for the executor's half of the plugin. */
  private static volatile Session local;

  final Outbox outbox;
  final TaskRecorder tasks;

  private final Identity identity;
  private final Place place;
  private final NativeFiles files;
  /** Null when the agent writes the recording where it belongs. */
  private final BlockSink sink;
  /** Null when this JVM sends nothing to a server. */
  private final ServerUploader uploader;
  /** Null when Python workers are not sampled. */
  private final PythonHook python;
  private final Sampling sampling;
  private final HeapSummaries heap;
  /** Keys of HELLO. */
  private final Map<String, String> redaction = new HashMap<>();
  /** Made by the session's thread: the JVM's management takes time to load. */
  private SparkMemory memory;
  /** A permit for each change that the session's thread must see at once. */
  private final Semaphore changes = new Semaphore(0);
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();
  /** The JVM does not end before the recording does, within the bounds of {@link #stop}. */
  private final Runnable exitHook = this::stop;
  private final Thread finisher = daemon("sparkprof-stop", this::finish);
  /** To come into effect; null = none. */
  private final AtomicReference<Change> change = new AtomicReference<>();
  /** From the agent, to come into effect; null = none. */
  private final AtomicReference<ByteBuffer> intervals = new AtomicReference<>();
  /** CPU time of the plugin that the agent cannot see, ns. */
  private final AtomicLong unseenCpuNs = new AtomicLong();
  private volatile AgentProcess agent;
  /** The recording of the current agent. */
  private volatile RecordingTail recording;
  /** The agent is done; the rest is up to the server. */
  private volatile boolean uploading;

  private static final class Change {
    final Settings settings;
    final String text;

    Change(Settings settings, String text) {
      this.settings = settings;
      this.text = text;
    }
  }

  /**
   * @param uploader what else carries the recording: its file is sent to the server; null = nothing
   * @param sampled whether the JVM is sampled; if not, the agent records Spark's events and the process only
   * @param python what samples this JVM's Python workers, null = nothing; removed at the end
   */
  Session(Outbox outbox, Identity identity, Settings settings, Place place, NativeFiles files, BlockSink sink,
      ServerUploader uploader, Predicate<Settings> sampled, PythonHook python) {
    this.outbox = outbox;
    this.tasks = new TaskRecorder(outbox.tasks, !settings.samples);
    this.identity = identity;
    this.place = place;
    this.files = files;
    this.sink = sink;
    this.uploader = uploader;
    this.python = python;
    this.sampling = new Sampling(outbox, identity.processId, files, settings, sampled, stopping, failed);
    this.heap = new HeapSummaries(outbox, sampling::heapSummarySettings, System.nanoTime());
  }

  /**
   * The expressions of what the application itself calls a secret in its events (spark.redaction.regex). Call before
   * {@link #start}.
   */
  void redact(String settingsRegex, String stringRegex) {
    redaction.put("redaction_regex", settingsRegex);
    redaction.put("redaction_string_regex", stringRegex);
  }

  void start() {
    ShutdownHookManager.get().addShutdownHook(exitHook, EXIT_HOOK_PRIORITY);
    daemon("sparkprof-session", this::run).start();
    heap.start();
    if (uploader != null) {
      uploader.start();
    }
  }

  /** Counts CPU time of one of Spark's threads, for the recording. */
  void addCpu(long cpuNs) {
    unseenCpuNs.addAndGet(cpuNs);
  }

  /** Notes a warning in the recording, for the report. */
  void warn(String text) {
    outbox.add(writer -> writer.notice(1, text));
  }

  /**
   * Brings other settings into effect soon: the ones that a server may set. Takes no time.
   *
   * @param text what the recording notes about it
   */
  void configure(Settings next, String text) {
    change.set(new Change(next, text));
    changes.release();
  }

  /** Sets the application ID, which the driver has now. */
  void applicationStarted(String id, String attempt) {
    identity.applicationStarted(id, attempt);
    outbox.add(writer -> {
      Map<String, String> values = new HashMap<>();
      values.put("application_id", id);
      values.put("application_attempt", attempt);
      // Number of the agent that it is written to, which may not be the first one.
      addPlaces(values);
      values.put("plugin_cpu_ns", unseenCpuNs.toString());
      writer.identity(values);
    });
    if (failed.get()) {
      return;
    }
    Log.info("the recording of " + id + " goes to " + place.describe(identity));
  }

  /** Ends the session within a bounded time. A second call waits for the first one. */
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
      if (uploading) {
        finisher.join(UPLOAD_TIMEOUT_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!first) {
      return;
    }
    if (finisher.isAlive() && !uploading) {
      Log.warn("profiling did not stop within " + STOP_TIMEOUT_MS + " ms; the agent writes the rest");
    }
    if (!ShutdownHookManager.get().isShutdownInProgress()) {
      ShutdownHookManager.get().removeShutdownHook(exitHook);
    }
  }

  private void run() {
    try {
      if (NativeFiles.platform() == null) {
        throw new IOException("no agent for " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
            + " (supported: Linux on x86-64 and arm64)");
      }
      String obstacle = NativeFiles.fileSizeObstacle();
      if (obstacle != null) {
        throw new IOException(obstacle);
      }
      sampling.begin();
      daemon("sparkprof-writer", this::write).start();
      for (int ended = 0;; ended++) {
        AgentProcess current = startAgent();
        String gone = follow(current);
        if (gone == null) {
          return;
        }
        current.kill();
        if (ended == RESTART_PAUSES_NS.length || current.jfrFile() == null
            || !outbox.disconnect(DISCONNECT_TIMEOUT_MS)) {
          fail("the agent is gone: " + gone);
          return;
        }
        sampling.stop();
        Log.warn("the agent is gone: " + gone + "; starting another one");
        awaitChange(RESTART_PAUSES_NS[ended]);
      }
    } catch (Throwable e) {
      fail(Log.reason(e));
      Log.debug("start failed", e);
    }
  }

  private AgentProcess startAgent() throws IOException {
    identity.agents++;
    RecordingTail tail = new RecordingTail();
    recording = tail;
    if (uploader != null) {
      uploader.add(tail, this::uploaded);
    }
    AgentProcess started = AgentProcess.start(files, sampling.settings().agentPath, this);
    agent = started;
    // From now on the agent reads the times of this thread.
    if (identity.agents == 1) {
      addCpu(ProcFile.ownCpuNs());
    }
    try {
      outbox.connect(started.writer, hello());
    } catch (IOException e) {
      // If it has exited, follow() finds its exit code, which is more specific.
      if (stopping.get()) {
        throw e;
      }
      Log.debug("connect", e);
    }
    return started;
  }

  /** Works with one agent until the session stops (null) or the agent is gone (why). */
  private String follow(AgentProcess current) throws InterruptedException {
    String jfrFile = current.awaitReady(READY_TIMEOUT_MS);
    if (jfrFile == null && current.gone() == null) {
      Log.warn("the agent has not responded for " + READY_TIMEOUT_MS / 1000 + " s; sampling starts when it responds");
    }
    while (jfrFile == null && current.gone() == null && !stopping.get()) {
      jfrFile = current.awaitReady(READY_TIMEOUT_MS);
    }
    if (stopping.get() || current.gone() != null) {
      return stopping.get() ? null : current.gone();
    }
    sampling.start(jfrFile);
    return dumpUntilGone(current, jfrFile);
  }

  private String dumpUntilGone(AgentProcess current, String jfrFile) throws InterruptedException {
    long waitNs = Math.min(FIRST_DUMP_NS, sampling.settings().dumpIntervalNs);
    long recorded = -1;
    long silentNs = 0;
    boolean paused = false;
    while (true) {
      awaitDump(waitNs);
      if (stopping.get() || failed.get()) {
        return null;
      }
      long recordedBefore = recorded;
      recorded = outbox.recordedFrames();
      sampling.recorded();
      if (current.gone() != null) {
        return current.gone();
      }
      boolean silent = recorded == recordedBefore && outbox.writtenFrames() > recorded;
      // Counted in iterations of this loop: time in which this JVM did not run (a paused container) does not count.
      silentNs = silent ? silentNs + waitNs : 0;
      if (sampling.isOn() && (paused ? !silent : silentNs > MAX_SILENCE_NS)) {
        paused = !paused;
        if (paused) {
          sampling.pause("the agent has not responded for " + TimeUnit.NANOSECONDS.toSeconds(MAX_SILENCE_NS) + " s");
        } else {
          sampling.resume(jfrFile);
        }
      }
      Change next = paused ? null : change.getAndSet(null);
      ByteBuffer adapted = paused ? null : intervals.getAndSet(null);
      if (next != null) {
        sampling.change(next.settings, next.text, jfrFile);
      } else if (adapted != null) {
        sampling.adapt(adapted, jfrFile);
      } else if (!paused) {
        sampling.dump();
      }
      waitNs = paused ? RESUME_CHECK_NS : sampling.settings().dumpIntervalNs;
    }
  }

  /** Until the time has passed, something has changed, or a second has brought very many samples. */
  private void awaitDump(long timeoutNs) throws InterruptedException {
    for (long restNs = timeoutNs; restNs > 0 && !stopping.get(); restNs -= MANY_SAMPLES_CHECK_NS) {
      sendMemory();
      if (changes.tryAcquire(Math.min(restNs, MANY_SAMPLES_CHECK_NS), TimeUnit.NANOSECONDS) || sampling.takesMany()) {
        return;
      }
    }
  }

  private void sendMemory() {
    try {
      if (memory == null) {
        memory = new SparkMemory();
      }
      long timeNs = System.nanoTime();
      Map<String, Long> changed = memory.changed();
      if (changed != null) {
        outbox.add(writer -> writer.gauges(timeNs, changed));
      }
    } catch (RuntimeException | LinkageError e) {
      Log.debug("memory", e);
    }
  }

  private void awaitChange(long timeoutNs) throws InterruptedException {
    if (!stopping.get()) {
      changes.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS);
    }
  }

  private void write() {
    try {
      HelperThreads helpers = new HelperThreads();
      for (int round = 0; !failed.get() && !stop.await(WRITE_INTERVAL_MS, TimeUnit.MILLISECONDS); round++) {
        helpers.name();
        if (round % REPAIR_INTERVAL == 0) {
          repairPython();
        }
        if (uploader != null) {
          uploader.check();
        }
        try {
          outbox.drain(WRITE_INTERVAL_MS);
        } catch (IOException e) {
          // The agent is exiting: follow() detects it, and unrecorded data goes to the next agent.
          Log.debug("write", e);
          outbox.disconnect(DISCONNECT_TIMEOUT_MS);
        }
      }
    } catch (Throwable e) {
      fail(e.toString());
    }
  }

  private void repairPython() {
    String missing = python == null ? null : python.repair();
    if (missing != null) {
      String text = "Recreated for the Python sampler while the job ran: " + missing;
      Log.warn(text);
      outbox.add(writer -> writer.notice(1, text));
    }
  }

  private void finish() {
    try {
      stop.countDown();
      changes.release();
      // A very short application, or one whose agent has just exited: its data still waits for an agent.
      if (!failed.get()) {
        outbox.awaitConnected(START_TIMEOUT_MS);
      }
      // Spark's events go first: a JVM that gets SIGTERM may be killed a quarter of a second later.
      outbox.add(FrameWriter::stopping);
      outbox.drain(WRITE_INTERVAL_MS);
      sampling.dump();
      outbox.drain(DRAIN_TIMEOUT_MS);
      heap.finish();
      sampling.finish();
      outbox.close(DRAIN_TIMEOUT_MS);
      AgentProcess current = agent;
      boolean ended = current == null || current.awaitEnd(AGENT_END_TIMEOUT_MS);
      boolean carried = sink == null || sink.finish(SINK_TIMEOUT_MS);
      boolean uploaded = uploader == null || finishUpload(ended);
      if (place.way != Place.Way.DIRECT && carried && uploaded && ended && !failed.get()
          && (identity.agents == 1 || place.way == Place.Way.SERVER)) {
        removeSpool();
      }
      if (!failed.get() && uploaded) {
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

  /** The text as one word of a command line to copy. */
  static String shellWord(String text) {
    boolean isPlain = text.matches("[A-Za-z0-9_@%+=:,./-]+");
    return isPlain ? text : "'" + text.replace("'", "'\"'\"'") + "'";
  }

  /** Whether the server has everything. If not, logs how to send the rest. */
  private boolean finishUpload(boolean agentEnded) throws InterruptedException {
    uploading = true;
    boolean complete = uploader.finish(UPLOAD_TIMEOUT_MS);
    for (RecordingTail tail : uploader.unsent()) {
      String server = sampling.settings().server;
      Log.warn(server + " does not have all of the recording; send it with `sparkprof push "
          + shellWord(tail.path().toString()) + " --server " + shellWord(server) + "`");
    }
    return complete && agentEnded;
  }

  /** The agent may drop from a temporary spool what is on the server. */
  private void uploaded(RecordingTail tail) {
    if (place.way == Place.Way.SERVER && tail == recording
        && tail.positionInFile() >= sampling.settings().maxSpoolBytes / SPOOL_PARTS) {
      outbox.uploaded(tail.position());
    }
  }

  /** Every block has arrived where it belongs: the spool was for the case of a kill. */
  private void removeSpool() {
    Path spool = place.spool(identity);
    try {
      if (uploader != null) {
        uploader.deleteAll();
      }
      Files.deleteIfExists(spool);
      place.removeNodeCopy(identity, sampling.settings().nodeDir);
      place.removeEmptySpoolFolder(identity);
    } catch (IOException e) {
      Log.warn("cannot delete " + spool + ": " + Log.reason(e));
    }
  }

  /** Profiling is over: sampling ends, so that the file the agent emptied does not grow. */
  private void fail(String why) {
    if (!failed.compareAndSet(false, true)) {
      return;
    }
    outbox.stopTaking();
    Log.warn(
        (stopping.get() ? "the recording may be truncated: " : "profiling stopped: ") + why + "; the job continues");
    daemon("sparkprof-engine-stop", sampling::stop).start();
    AgentProcess current = agent;
    // At the end of the session, a slow agent still writes its data.
    if (current != null && !stopping.get()) {
      current.kill();
    }
  }

  private Map<String, String> hello() {
    Settings settings = sampling.settings();
    Map<String, String> values = identity.hello();
    values.put("bucket_ns", String.valueOf(settings.bucketNs));
    values.put("share", place.sharing.name().toLowerCase(Locale.ROOT));
    addPlaces(values);
    values.put("first_sequence", String.valueOf((identity.agents - 1L) << 32));
    values.put("forward", sink == null ? "0" : "1");
    values.put("max_spool_bytes", String.valueOf(settings.maxSpoolBytes));
    values.put("dump_interval_ns", String.valueOf(settings.dumpIntervalNs));
    values.putAll(sampling.recordedSettings());
    values.put("python_interval_ns", sampling.pythonIntervalNs());
    values.putAll(redaction);
    values.put("plugin_cpu_ns", unseenCpuNs.toString());
    if (python != null) {
      values.put("python_rings", python.rings.toString());
      values.put("python_module", python.module.toString());
      values.put("setting.python.interval_ns", String.valueOf(settings.pythonIntervalNs));
      if (settings.pythonNative) {
        values.put("setting.python.native", "true");
      }
      if (settings.pythonAllocIntervalBytes > 0) {
        values.put("setting.python.alloc.interval_bytes", String.valueOf(settings.pythonAllocIntervalBytes));
        values.put("setting.python.alloc.small", String.valueOf(settings.pythonAllocSmall));
      }
    }
    if (!settings.label.isEmpty()) {
      values.put("setting.label", settings.label);
    }
    if (!settings.version.isEmpty()) {
      values.put("setting.version", settings.version);
    }
    return values;
  }

  private void addPlaces(Map<String, String> values) {
    values.put("spool", place.spool(identity).toString());
    values.put("node_dir", place.nodeFolder(identity, sampling.settings().nodeDir));
  }

  @Override
  public void recorded(long frames) {
    outbox.recorded(frames);
  }

  @Override
  public void block(byte[] block) {
    if (sink != null) {
      sink.block(block);
    }
  }

  @Override
  public void spool(long base, String path) {
    recording.moved(Paths.get(path), base);
  }

  @Override
  public void intervals(ByteBuffer next) {
    intervals.set(next);
    changes.release();
  }

  @Override
  public void agentGone(String how) {
    changes.release();
  }

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /** The driver's session of this JVM; null when the driver does not profile. */
  static Session local() {
    return local;
  }

  static void setLocal(Session session) {
    local = session;
  }

  /** Takes the agent's blocks to where the recording belongs. */
  interface BlockSink {
    /** Hands over one block. Never waits: what finds no room is dropped and counted. */
    void block(byte[] block);

    /**
     * Carries away what is left and ends.
     *
     * @return whether every block arrived
     */
    boolean finish(long timeoutMs) throws InterruptedException;
  }
}
