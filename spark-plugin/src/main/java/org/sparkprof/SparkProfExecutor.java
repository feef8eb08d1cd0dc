// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.util.Utils;

/** The plugin on an executor: its profile, and the start and end of its tasks. */
final class SparkProfExecutor implements ExecutorPlugin {
  private static final String DRIVER_ID = "driver";
  private static final long CONFIGURATION_INTERVAL_MS = 15_000;

  /** Null when this executor is not profiled. */
  private volatile TaskRecorder tasks;
  /** Null in local mode, where the session is the driver's. */
  private volatile Session session;
  /** Receives errors of the task recorder; null if this executor is not profiled. */
  private volatile Outbox outbox;
  /** Null without a server. */
  private ConfigurationPoll poll;

  @Override
  public void init(PluginContext context, Map<String, String> fromDriver) {
    try {
      if (DRIVER_ID.equals(context.executorID())) {
        Session local = Session.local();
        outbox = local == null ? null : local.outbox;
        tasks = local == null ? null : local.tasks;
      } else {
        long beginNs = ProcFile.ownCpuNs();
        start(context, fromDriver);
        if (session != null) {
          session.addCpu(ProcFile.ownCpuNs() - beginNs);
        }
      }
    } catch (Throwable e) {
      Log.warn(
          "profiling did not start on executor " + context.executorID() + ": " + Log.reason(e) + "; the job continues");
      Log.debug("executor", e);
    }
  }

  private void start(PluginContext context, Map<String, String> fromDriver) {
    SparkConf conf = context.conf();
    List<String> refused = new ArrayList<>();
    Settings settings = Settings.resolve(key -> conf.get(key, null), System.getenv(), fromDriver, refused::add);
    refused.forEach(Log::warn);
    refused.removeAll(Arrays.asList(fromDriver.getOrDefault(SparkProfDriver.REFUSED, "").split("\n")));
    String applicationId = conf.get("spark.app.id", "");
    Predicate<Settings> profiled =
        now -> now.enabled && now.executorEnabled && now.chosen(applicationId, context.executorID());
    if (profiled.test(settings)) {
      startSession(context, fromDriver, settings, profiled, refused);
    } else {
      Log.info("executor " + context.executorID() + " is not profiled");
    }
    // A setting disabled on this machine stays disabled.
    if (settings.enabled && settings.server != null) {
      poll = new ConfigurationPoll(()
                                       -> CentralConfiguration.decode(askDriver(context)),
          CONFIGURATION_INTERVAL_MS, now -> configure(context, fromDriver, settings, now, profiled));
      poll.start();
    }
  }

  private void configure(PluginContext context, Map<String, String> fromDriver, Settings local,
      CentralConfiguration now, Predicate<Settings> profiled) {
    // The driver has reported what cannot be used.
    Settings next = local.with(now.values(wrong -> {}));
    if (session != null) {
      session.configure(next, now.text());
    } else if (profiled.test(next)) {
      startSession(context, fromDriver, next, profiled, Collections.emptyList());
      session.configure(next, now.text());
    }
  }

  private void startSession(PluginContext context, Map<String, String> fromDriver, Settings settings,
      Predicate<Settings> profiled, List<String> notes) {
    SparkConf conf = context.conf();
    String applicationId = conf.get("spark.app.id", "");
    boolean standalone = conf.get("spark.master", "").startsWith("spark://");
    Place place = Place.ofExecutor(settings, Place.Machine.here(), fromDriver.get(SparkProfDriver.DIR),
        fromDriver.get(SparkProfDriver.MACHINE), standalone);
    Identity identity = new Identity(Identity.EXECUTOR, context.executorID(), hostName(),
        conf.get("spark.app.name", ""), org.apache.spark.package$.MODULE$.SPARK_VERSION(), applicationId);
    Session.BlockSink sink = null;
    if (place.way == Place.Way.HADOOP) {
      sink = new HadoopUploader(conf, place.dir, identity, settings);
    } else if (place.way == Place.Way.DRIVER) {
      sink = new DriverUploader(context, Place.processName(identity));
    }
    Outbox queue = new Outbox();
    boolean throughDriver = place.way == Place.Way.DRIVER && settings.transport == Settings.Transport.DRIVER;
    ServerUploader uploader = settings.server == null || throughDriver
        ? null
        : new ServerLink(settings, identity,
            ()
                -> askDriver(context).getOrDefault(DriverState.TOKEN, ""),
            () -> askDriver(context).getOrDefault(DriverState.UPLOAD_SECRET, ""))
              .uploader(queue);
    SparkConf own = SparkEnv.get().conf();
    PythonHook python = PythonHook.install(key -> own.get(key, null), own::set, settings, false, System.getenv());
    session = new Session(queue, identity, settings, place, new NativeFiles(conf.get("spark.local.dir", null)), sink,
        uploader, profiled.and(now -> now.samples), python);
    outbox = session.outbox;
    notes.forEach(session::warn);
    session.start();
    tasks = session.tasks;
  }

  private static Map<String, String> askDriver(PluginContext context) throws IOException {
    try {
      return DriverState.decode(context.ask(DriverState.question()));
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("the driver does not answer: " + Log.reason(e), e);
    }
  }

  /** Spark's name of this host. PluginContext.hostname fails on executors, which have no RPC server. */
  private static String hostName() {
    try {
      return Utils.localHostName();
    } catch (LinkageError e) {
      return ProcFile.line("/proc/sys/kernel/hostname");
    }
  }

  @Override
  public void onTaskStart() {
    TaskRecorder recorder = tasks;
    if (recorder != null) {
      try {
        recorder.begin();
      } catch (Throwable e) {
        stopRecording(e);
      }
    }
  }

  @Override
  public void onTaskSucceeded() {
    end(TaskRecord.SUCCEEDED);
  }

  @Override
  public void onTaskFailed(TaskFailedReason failureReason) {
    end(TaskRecord.FAILED);
  }

  private void end(int status) {
    TaskRecorder recorder = tasks;
    if (recorder != null) {
      try {
        recorder.end(status);
      } catch (Throwable e) {
        stopRecording(e);
      }
    }
  }

  /** Once broken, leave the tasks alone. */
  private void stopRecording(Throwable e) {
    tasks = null;
    String text = "Tasks are no longer recorded: " + Log.reason(e);
    Log.warn(text);
    outbox.lost("task_records", "recording of tasks failed; later tasks of this executor are missing", 1);
    outbox.add(writer -> writer.notice(1, text));
  }

  @Override
  public void shutdown() {
    try {
      if (poll != null) {
        poll.stop();
      }
      if (session != null) {
        session.stop();
      }
    } catch (Throwable e) {
      Log.warn("profiling did not stop cleanly: " + Log.reason(e));
    }
  }
}
