// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.io.File;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;

/**
 * Memory that Spark and the JVM account for outside of the heap, and the space that is left for shuffles and spills:
 * names of series and bytes.
 */
final class SparkMemory {
  /** Null when the JVM has none. Kept: to find it, the JVM goes through all of its management. */
  private final BufferPoolMXBean direct = directBuffers();
  /** Free space is rounded down to this, so that not each write to the disk is a change. */
  private static final long SPACE_STEP = 64L << 20;

  private Map<String, Long> last = new LinkedHashMap<>();

  /** Null if nothing has changed since the last call. */
  Map<String, Long> changed() {
    Map<String, Long> now = read();
    if (now.equals(last)) {
      return null;
    }
    last = now;
    return now;
  }

  private Map<String, Long> read() {
    Map<String, Long> values = new LinkedHashMap<>();
    // The driver of a cluster has one that it does not use; while Spark starts or ends there is none.
    SparkEnv env = SparkEnv.get();
    MemoryManager manager = env == null ? null : env.memoryManager();
    if (manager != null) {
      values.put("spark.off_heap_execution_bytes", manager.offHeapExecutionMemoryUsed());
      values.put("spark.off_heap_storage_bytes", manager.offHeapStorageMemoryUsed());
    }
    if (direct != null) {
      values.put("jvm.buffers.direct_used_bytes", direct.getMemoryUsed());
    }
    if (env != null) {
      addFullestDisk(localFolders(env), values);
    }
    return values;
  }

  /** The folders that Spark chooses: the cluster manager's before those of the settings. */
  private static String[] localFolders(SparkEnv env) {
    for (String name : new String[] {"SPARK_EXECUTOR_DIRS", "LOCAL_DIRS", "SPARK_LOCAL_DIRS"}) {
      String folders = System.getenv(name);
      if (folders != null && !folders.isEmpty()) {
        return folders.split(",");
      }
    }
    return env.conf().get("spark.local.dir", System.getProperty("java.io.tmpdir")).split(",");
  }

  private static void addFullestDisk(String[] folders, Map<String, Long> values) {
    double leastShare = 2;
    for (String name : folders) {
      File folder = new File(name);
      long total = folder.getTotalSpace();
      double share = total == 0 ? 2 : (double) folder.getUsableSpace() / total;
      if (share < leastShare) {
        leastShare = share;
        values.put("disk.local_free_bytes", folder.getUsableSpace() / SPACE_STEP * SPACE_STEP);
        values.put("disk.local_total_bytes", total);
      }
    }
  }

  private static BufferPoolMXBean directBuffers() {
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        return pool;
      }
    }
    return null;
  }
}
