// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.memory.MemoryManager;

/** Memory outside of the heap that Spark and the JVM account for: names of series and bytes. */
final class SparkMemory {
  /** Null when the JVM has none. Kept: to find it, the JVM goes through all of its management. */
  private final BufferPoolMXBean direct = directBuffers();
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
    return values;
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
