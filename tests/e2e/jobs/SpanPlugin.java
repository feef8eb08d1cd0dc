// SPDX-License-Identifier: Apache-2.0

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import one.profiler.AsyncProfiler;
import one.profiler.Span;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Profiles executors as Spark's own connector does (connector/profiler of Spark 4, which no registry has), with the
 * task spans of SPARK-59487: async-profiler writes a file. With spark.spans.copy (spark.profiler.dfsDir there) it is
 * stopped again and again, dumps and goes on, and what the file has gained is copied behind what was copied before;
 * spans that end meanwhile are lost.
 */
public class SpanPlugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return null;
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static final class Executor implements ExecutorPlugin {
    private final ThreadLocal<String> tag = new ThreadLocal<>();
    private final ThreadLocal<Long> start = new ThreadLocal<>();
    private AsyncProfiler profiler;
    private String options;
    private InputStream local;
    private OutputStream copy;
    private Thread copier;
    private volatile boolean ended;

    @Override
    public void init(PluginContext context, Map<String, String> extra) {
      SparkConf conf = context.conf();
      String file = conf.get("spark.spans.folder") + "/profile-exec-" + context.executorID() + ".jfr";
      options = "," + conf.get("spark.spans.args") + ",file=" + file;
      profiler = AsyncProfiler.getInstance(conf.get("spark.spans.library"));
      try {
        profiler.execute("start" + options);
        local = new FileInputStream(file);
        copy = new FileOutputStream(file + ".copy");
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      if (!conf.getBoolean("spark.spans.copy", false))
        return;
      copier = new Thread(this::copyAgainAndAgain, "profilerOutputThread");
      copier.setDaemon(true);
      copier.start();
    }

    private void copyAgainAndAgain() {
      while (!ended) {
        try {
          Thread.sleep(1000);
        } catch (InterruptedException e) {
          return;
        }
        copyNow(false);
      }
    }

    private synchronized void copyNow(boolean last) {
      if (ended)
        return;
      ended = last;
      try {
        profiler.execute("stop" + options);
        profiler.execute("dump" + options);
        int size = local.available();
        if (!last)
          profiler.execute("resume" + options);
        copy.write(local.readNBytes(size));
        if (last)
          copy.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void onTaskStart() {
      TaskContext task = TaskContext.get();
      // The context is gone when the task has ended.
      tag.set(task.stageId() + "," + task.stageAttemptNumber() + "," + task.partitionId() + "," + task.taskAttemptId()
          + "," + task.attemptNumber() + ",");
      start.set(Span.start());
    }

    @Override
    public void onTaskSucceeded() {
      Span.end(start.get(), tag.get() + "SUCCESS");
    }

    @Override
    public void onTaskFailed(TaskFailedReason reason) {
      Span.end(start.get(), tag.get() + "FAILED");
    }

    @Override
    public void shutdown() {
      copyNow(true);
      if (copier != null)
        copier.interrupt();
    }
  }
}
