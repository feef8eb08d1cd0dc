// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.sparkprof.JsonText;

/** The result of a query, or why it is unknown. */
final class QueryResult {
  /** No limit of rows. */
  static final long ALL = Long.MAX_VALUE;

  private final StructType schema;
  private final ResultFingerprint rows;
  /** Null if the rows are known. */
  private final String unchecked;
  /** Which rows these are, if there are more. */
  private final String part;
  /** The columns that determine the first rows of an order; the others depend on ties. */
  private final Set<Integer> sortColumns;

  private QueryResult(
      StructType schema, ResultFingerprint rows, String unchecked, String part, Set<Integer> sortColumns) {
    this.schema = schema;
    this.rows = rows;
    this.unchecked = unchecked;
    this.part = part;
    this.sortColumns = sortColumns;
  }

  static QueryResult unchecked(String reason) {
    return new QueryResult(null, null, reason, "", new TreeSet<>());
  }

  /** @param most number of rows that were asked for, or {@link #ALL} */
  static QueryResult of(SparkPlan plan, ResultFingerprint rows, long most) {
    if (rows.problem != null) {
      return unchecked(rows.problem);
    }
    String kind = plan.getClass().getSimpleName();
    boolean isTop = kind.equals("TakeOrderedAndProjectExec");
    boolean isLimit = kind.equals("CollectLimitExec") || kind.equals("CollectTailExec");
    Set<Integer> sorts = new TreeSet<>();
    if (rows.rows >= most || ((isTop || isLimit) && rows.rows >= limit(plan))) {
      if (!isTop || rows.rows >= most) {
        return new QueryResult(plan.schema(), rows, null, "some", sorts);
      }
      boolean[] columns = SparkPlans.sortColumns(plan);
      for (int i = 0; i < columns.length; i++) {
        if (columns[i]) {
          sorts.add(i);
        }
      }
      return new QueryResult(plan.schema(), rows, null, "first", sorts);
    }
    return new QueryResult(plan.schema(), rows, null, "", sorts);
  }

  private static int limit(SparkPlan plan) {
    try {
      return (Integer) SparkPlans.call(plan, "limit");
    } catch (ReflectiveOperationException e) {
      return 0;
    }
  }

  /** An event of the recording. */
  String json(long execution) {
    StringBuilder json = new StringBuilder("{\"Event\":\"SparkprofQueryResult\",\"executionId\":").append(execution);
    if (unchecked != null) {
      return json.append(",\"unchecked\":").append(JsonText.quoted(unchecked)).append('}').toString();
    }
    json.append(",\"part\":").append(JsonText.quoted(part));
    json.append(",\"sortColumns\":").append(sortColumns).append(",\"names\":[");
    StringBuilder types = new StringBuilder();
    StructField[] fields = schema.fields();
    for (int i = 0; i < fields.length; i++) {
      json.append(i == 0 ? "" : ",").append(JsonText.quoted(fields[i].name()));
      types.append(i == 0 ? "" : ",").append(JsonText.quoted(fields[i].dataType().catalogString()));
    }
    json.append("],\"types\":[").append(types).append("],");
    rows.writeTo(json);
    return json.append('}').toString();
  }
}
