// SPDX-License-Identifier: Apache-2.0
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Tasks that allocate, wait for a lock, or run beside many threads for a time, and print what they did by the JVM's own
 * counters: "allocated BYTES" and "waited NANOSECONDS".
 *
 * <p>KnownLoad alloc|lock|threads SECONDS TASKS [AMOUNT]   AMOUNT: GiB that a task allocates instead of a time, or its
 * threads. Of "lock", SECONDS is how long a task's threads hold the lock altogether
 */
public final class KnownLoad {
  private static final int OBJECTS = 20_000;
  private static final int[] SIZES = {24, 100, 1_000, 20_000, 1_500_000};
  private static final long HELD_NANOS = 300_000;
  private static final Object LOCK = new Object();

  static volatile Object kept;

  public static void main(String[] arguments) {
    String kind = arguments[0];
    double seconds = Double.parseDouble(arguments[1]);
    int tasks = Integer.parseInt(arguments[2]);
    int amount = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 0;
    SparkSession spark = SparkSession.builder().getOrCreate();
    List<Integer> numbers = new ArrayList<>(Collections.nCopies(tasks, amount));
    List<String> lines = new JavaSparkContext(spark.sparkContext())
                             .parallelize(numbers, tasks)
                             .map(each -> run(kind, (long) (seconds * 1e9), each))
                             .collect();
    lines.forEach(System.out::println);
    spark.stop();
  }

  private static String run(String kind, long nanos, int amount) throws InterruptedException {
    switch (kind) {
      case "alloc":
        return "allocated " + allocate(nanos, amount * (1L << 30));
      case "lock":
        return "waited " + contend(nanos, Math.max(8, amount));
      default:
        return "burnt " + burnBeside(nanos, amount);
    }
  }

  private static long allocate(long nanos, long bytes) {
    ThreadMXBean counters = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = counters.getThreadAllocatedBytes(thread);
    long end = System.nanoTime() + nanos;
    while (bytes > 0 ? counters.getThreadAllocatedBytes(thread) - before < bytes : System.nanoTime() < end) {
      deep(80);
    }
    return counters.getThreadAllocatedBytes(thread) - before;
  }

  /** Stacks as deep as Spark's own. */
  private static void deep(int frames) {
    if (frames > 0) {
      deep(frames - 1);
      return;
    }
    for (int i = 0; i < OBJECTS; i++) {
      // Mostly small objects; 1.5 MB for every 2,000th.
      int size = i % 2000 == 0 ? SIZES[4] : SIZES[i % 4];
      kept = new byte[size];
    }
  }

  /**
   * Nanoseconds that all threads waited for the lock, by the clock around it, while they held it for `nanos`
   * altogether.
   */
  private static long contend(long nanos, int threads) throws InterruptedException {
    long[] waited = new long[threads];
    CountDownLatch done = new CountDownLatch(threads);
    AtomicLong rounds = new AtomicLong(nanos / HELD_NANOS);
    for (int i = 0; i < threads; i++) {
      int own = i;
      new Thread(() -> {
        while (rounds.getAndDecrement() > 0) {
          long start = System.nanoTime();
          synchronized (LOCK) {
            waited[own] += System.nanoTime() - start;
            long free = System.nanoTime() + HELD_NANOS;
            while (System.nanoTime() < free) {
              Thread.onSpinWait();
            }
          }
        }
        done.countDown();
      }).start();
    }
    done.await();
    long total = 0;
    for (long each : waited) {
      total += each;
    }
    return total;
  }

  private static long burnBeside(long nanos, int threads) throws InterruptedException {
    for (int i = 0; i < threads; i++) {
      Thread idle = new Thread(() -> {
        try {
          Thread.sleep(Long.MAX_VALUE);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      idle.setDaemon(true);
      idle.start();
    }
    long rounds = 0;
    double x = 1;
    // A fixed amount of work, so that plain and profiled runs can be compared.
    for (long end = nanos / 4; rounds < end; rounds++) {
      x = x * 1.0000001 + rounds % 7;
    }
    kept = x;
    return rounds;
  }
}
