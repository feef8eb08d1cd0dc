// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The results of one operator by SQL execution: a DataFrame that is collected twice has one plan. Thread-safe. */
final class ResultSlot {
  private final Map<Long, Supplier<QueryResult>> results = new HashMap<>();
  private Supplier<QueryResult> last;

  /** `result` is called when the execution has ended. */
  synchronized void put(long execution, Supplier<QueryResult> result) {
    results.put(execution, result);
    last = result;
  }

  /**
   * Removes the result of an execution. Spark 4 executes a plan's RDD only once, so a later execution has the last one.
   * Null without any.
   */
  synchronized QueryResult take(long execution) {
    Supplier<QueryResult> result = results.remove(execution);
    result = result == null ? last : result;
    return result == null ? null : result.get();
  }
}
