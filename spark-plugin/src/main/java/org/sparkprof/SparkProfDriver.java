// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.sparkprof.results.QueryResults;
import scala.Tuple2;

/** The plugin on the driver: Spark's events, the driver's own profile, and the settings for executors. */
final class SparkProfDriver implements DriverPlugin {
  static final String DIR = "dir";
  static final String MACHINE = "driver.machine";
  /** Errors reported by the driver, which executors need not report again. */
  static final String REFUSED = "driver.refused";

  private SparkContext context;
  /** For a tab in Spark's UI; null = no tab. */
  private Settings tab;
  /** The last events may still be on their way, and the classes that convert the first ones still loading. */
  private static final long LAST_EVENTS_TIMEOUT_MS = 3_000;

  /** Null without a server. */
  private volatile ServerLink server;
  private volatile CentralConfiguration configuration = CentralConfiguration.NONE;
  /** Null without a server. */
  private ConfigurationPoll poll;
  private Session session;
  private EventForwarder forwarder;
  private final PodDisruptions pods = new PodDisruptions();
  private DriverCollector collector;

  @Override
  public Map<String, String> init(SparkContext sparkContext, PluginContext pluginContext) {
    long beginNs = ProcFile.ownCpuNs();
    Map<String, String> forExecutors = new HashMap<>();
    try {
      context = sparkContext;
      start(sparkContext, pluginContext, forExecutors);
      if (session != null) {
        session.addCpu(ProcFile.ownCpuNs() - beginNs);
      }
    } catch (Throwable e) {
      Log.warn("profiling did not start on the driver: " + Log.reason(e) + "; the job continues");
      Log.debug("driver", e);
    }
    return forExecutors;
  }

  private void start(SparkContext sparkContext, PluginContext pluginContext, Map<String, String> forExecutors)
      throws IOException {
    OwnJar.offer(sparkContext);
    SparkConf conf = sparkContext.conf();
    List<String> refused = new ArrayList<>();
    Settings.checkKeys(Arrays.stream(conf.getAll()).map(Tuple2::_1).collect(Collectors.toList()), refused::add);
    Settings settings = Settings.resolve(key -> conf.get(key, null), System.getenv(), new HashMap<>(), refused::add);
    refused.forEach(Log::warn);
    forExecutors.putAll(settings.forExecutors());
    forExecutors.put(REFUSED, String.join("\n", refused));
    if (!settings.enabled || !(settings.driverEnabled || settings.executorEnabled)) {
      Log.info(settings.samplingText());
      return;
    }
    Place.Machine machine = Place.Machine.here();
    Place place = Place.ofDriver(settings, machine);
    if (place.dir != null) {
      forExecutors.put(DIR, place.dir.toString());
    }
    forExecutors.put(MACHINE, machine.name);

    boolean local = sparkContext.isLocal();
    Identity identity = new Identity(local ? Identity.LOCAL : Identity.DRIVER, pluginContext.executorID(),
        conf.get("spark.driver.host", pluginContext.hostname()), sparkContext.appName(), sparkContext.version(), "");
    Outbox outbox = new Outbox();
    String secret = settings.server == null ? "" : ServerLink.newUploadSecret();
    ServerLink link = settings.server == null ? null : new ServerLink(settings, identity, null, () -> secret);
    server = link;
    ServerUploader uploader = link == null ? null : link.uploader(outbox);
    Session.BlockSink sink =
        place.way == Place.Way.HADOOP ? new HadoopUploader(conf, place.dir, identity, settings) : null;
    SparkConf own = SparkEnv.get().conf();
    boolean hasWorkers = local && settings.executorEnabled;
    boolean hasProgram = settings.driverEnabled && PythonHook.samplesProgram(settings, System.getenv());
    // Executors have hooks of their own: their keys must not change here.
    BiConsumer<String, String> set = hasWorkers ? own::set : (key, value) -> {};
    PythonHook python = hasWorkers || hasProgram
        ? PythonHook.install(key -> own.get(key, null), set, settings, true, System.getenv())
        : null;
    session = new Session(outbox, identity, settings, place, new NativeFiles(conf.get("spark.local.dir", null)), sink,
        uploader, now -> now.samples && now.enabled && (now.driverEnabled || (local && now.executorEnabled)), python);
    if (local) {
      Session.setLocal(session);
    } else if (place.collected() != null) {
      // Spark announces it to plugins only when enough executors are there, which send by then.
      Supplier<String> application = () -> Objects.toString(sparkContext.applicationId(), "");
      collector = new DriverCollector(place.collected(), application, settings.maxSpoolBytes, settings.sharing,
          collectedFiles(uploader, settings.transport));
    }
    Log.info(settings.samplingText() + "; recording to " + place.target());
    refused.forEach(session::warn);
    session.redact(conf.get("spark.redaction.regex", ""),
        conf.get("spark.sql.redaction.string.regex", conf.get("spark.redaction.string.regex", "")));
    forwarder = EventForwarder.register(sparkContext, session.outbox.events, pods);
    if (settings.fingerprintsResults) {
      QueryResults.record(sparkContext, session.outbox.events);
    }
    session.start();
    tab = settings.ui && settings.server != null ? settings : null;
    if (settings.ui && settings.server == null) {
      Log.warn("no tab in Spark's UI: spark.sparkprof.ui needs spark.sparkprof.server");
    }
    if (link != null) {
      poll = link.configuration(sparkContext, now -> configure(settings, now));
      poll.start();
    }
  }

  private void configure(Settings local, CentralConfiguration now) {
    configuration = now;
    Map<String, String> values = now.values(text -> {
      Log.warn(text);
      session.warn(text);
    });
    session.configure(local.with(values), now.text());
  }

  /** Sends to the server what executors send to this driver, unless they also send it themselves. */
  private static Consumer<Path> collectedFiles(ServerUploader uploader, Settings.Transport transport) {
    if (uploader == null || transport != Settings.Transport.DRIVER) {
      return file -> {};
    }
    return file -> {
      RecordingTail tail = new RecordingTail();
      tail.moved(file, 0);
      uploader.add(tail, sent -> {});
    };
  }

  @Override
  public void registerMetrics(String applicationId, PluginContext pluginContext) {
    String attempt = "";
    try {
      if (session != null) {
        scala.Option<String> known = context.applicationAttemptId();
        attempt = known.isDefined() ? known.get() : "";
        session.applicationStarted(applicationId, attempt);
        pods.watch(context);
      }
    } catch (Throwable e) {
      Log.warn("the recording lacks its application ID: " + Log.reason(e));
    }
    try {
      if (tab != null && context.ui().isDefined()) {
        CollectorTab.attach(context.ui().get(), tab, applicationId, attempt);
      }
    } catch (Throwable e) {
      Log.warn("no tab in Spark's UI: " + Log.reason(e));
    }
  }

  @Override
  public Object receive(Object message) throws IOException {
    if (DriverState.isQuestion(message)) {
      Map<String, String> state = configuration.encode();
      ServerLink link = server;
      state.put(DriverState.TOKEN, link == null ? "" : link.token.get());
      state.put(DriverState.UPLOAD_SECRET, link == null ? "" : link.uploadSecret.get());
      return DriverState.encode(state);
    }
    return collector != null && collector.receive(message);
  }

  @Override
  public void shutdown() {
    try {
      Session.setLocal(null);
      if (poll != null) {
        poll.stop();
      }
      if (forwarder != null) {
        forwarder.awaitEnd(LAST_EVENTS_TIMEOUT_MS);
        forwarder.close();
      }
      // Before the session, which sends to the server what was collected.
      if (collector != null) {
        collector.close();
      }
      if (session != null) {
        session.stop();
      }
    } catch (Throwable e) {
      Log.warn("profiling did not stop cleanly: " + Log.reason(e));
    }
  }
}
