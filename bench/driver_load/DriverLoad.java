// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sparkprof; // RpcEnv and PluginMessage are private to org.apache.spark

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;
import scala.reflect.ClassTag$;

/**
 * The load that executors put on a driver when their recordings travel through it (transport `driver`).
 *
 * <p>DriverLoad SECONDS EXECUTORS BYTES: a driver with the plugin, and a second JVM that plays the executors: each
 * sends a block of that many bytes every 5 s, by Spark's own RPC, when the one before has been answered.
 */
public final class DriverLoad {
  private static final long INTERVAL_MS = 5_000;
  private static final int SENDERS = 16;

  private DriverLoad() {}

  public static void main(String[] arguments) throws Exception {
    int seconds = Integer.parseInt(arguments[0]);
    int executors = Integer.parseInt(arguments[1]);
    int bytes = Integer.parseInt(arguments[2]);
    if (arguments.length > 3) {
      playExecutors(seconds, executors, bytes, Integer.parseInt(arguments[3]));
      return;
    }
    SparkContext context = new SparkContext(new SparkConf().setAppName("driver-load"));
    int port = SparkEnv.get().rpcEnv().address().port();
    Usage idle = measure(seconds, () -> {});
    Usage loaded = measure(seconds, () -> runExecutors(arguments, port));
    System.out.printf("driver alone: %s%ndriver with %d executors: %s%n", idle, executors, loaded);
    context.stop();
  }

  private interface Work {
    void run() throws Exception;
  }

  private static final class Usage {
    long cpuMs;
    long collectionMs;
    long collections;

    static Usage now() {
      Usage usage = new Usage();
      usage.cpuMs = TimeUnit.NANOSECONDS.toMillis(
          ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
              .getProcessCpuTime());
      for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
        usage.collectionMs += collector.getCollectionTime();
        usage.collections += collector.getCollectionCount();
      }
      return usage;
    }

    Usage since(Usage start) {
      Usage usage = new Usage();
      usage.cpuMs = cpuMs - start.cpuMs;
      usage.collectionMs = collectionMs - start.collectionMs;
      usage.collections = collections - start.collections;
      return usage;
    }

    @Override
    public String toString() {
      return String.format("%d ms of CPU time, %d collections of %d ms", cpuMs, collections, collectionMs);
    }
  }

  /** The driver's usage during the work and at least that many seconds. */
  private static Usage measure(int seconds, Work work) throws Exception {
    Usage start = Usage.now();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    work.run();
    TimeUnit.NANOSECONDS.sleep(Math.max(0, end - System.nanoTime()));
    return Usage.now().since(start);
  }

  private static void runExecutors(String[] arguments, int port) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Spark's own: what it opens of the JDK.
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--add-opens")) {
        command.add(option);
      }
    }
    command.addAll(Arrays.asList("-Xmx1g", "-cp", System.getProperty("java.class.path"), DriverLoad.class.getName()));
    command.addAll(Arrays.asList(arguments));
    command.add(String.valueOf(port));
    new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private static byte[] message(String name, long position, byte[] block) throws IOException {
    ByteArrayOutputStream buffer = new ByteArrayOutputStream(block.length + 128);
    DataOutputStream out = new DataOutputStream(buffer);
    out.writeByte(1);
    out.writeUTF(name);
    out.writeLong(position);
    out.writeBoolean(false);
    out.writeInt(block.length);
    out.write(block);
    return buffer.toByteArray();
  }

  private static void playExecutors(int seconds, int executors, int bytes, int port) throws Exception {
    SparkConf conf = new SparkConf();
    SecurityManager security =
        new SecurityManager(conf, Option.empty(), org.apache.spark.internal.config.package$.MODULE$.AUTH_SECRET_FILE());
    RpcEnv rpc = RpcEnv.create("load", "127.0.0.1", 0, conf, security, true);
    RpcEndpointRef driver =
        rpc.setupEndpointRef(new RpcAddress("127.0.0.1", port), "org.apache.spark.internal.plugin.PluginEndpoint");
    byte[] block = new byte[bytes];
    new Random(1).nextBytes(block);
    List<Long> times = new ArrayList<>();
    AtomicLong refused = new AtomicLong();
    ScheduledExecutorService senders = Executors.newScheduledThreadPool(SENDERS);
    int rounds = (int) (seconds * 1000L / INTERVAL_MS);
    CountDownLatch left = new CountDownLatch(executors * rounds);
    for (int executor = 0; executor < executors; ++executor) {
      String name = executor + "-load";
      AtomicLong position = new AtomicLong();
      AtomicLong blocks = new AtomicLong(rounds);
      senders.scheduleAtFixedRate(() -> {
        if (blocks.getAndDecrement() <= 0) {
          return;
        }
        long start = System.nanoTime();
        try {
          Object answer =
              driver.askSync(new org.apache.spark.internal.plugin.PluginMessage(
                                 "org.sparkprof.SparkProfPlugin", message(name, position.getAndAdd(bytes), block)),
                  ClassTag$.MODULE$.Any());
          if (!Boolean.TRUE.equals(answer)) {
            refused.incrementAndGet();
          }
        } catch (Exception e) {
          refused.incrementAndGet();
        }
        synchronized (times) {
          times.add(System.nanoTime() - start);
        }
        left.countDown();
      }, executor * INTERVAL_MS / executors, INTERVAL_MS, TimeUnit.MILLISECONDS);
    }
    left.await();
    senders.shutdownNow();
    synchronized (times) {
      long[] sorted = times.stream().mapToLong(Long::longValue).sorted().toArray();
      System.out.printf("%d blocks, %d refused; answered in %.1f ms (median), %.1f ms (99 %%), %.1f ms (slowest)%n",
          sorted.length, refused.get(), sorted[sorted.length / 2] / 1e6, sorted[sorted.length * 99 / 100] / 1e6,
          sorted[sorted.length - 1] / 1e6);
    }
    rpc.shutdown();
  }
}
