// SPDX-License-Identifier: Apache-2.0
package org.sparkprof.results;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The entry of `spark.sql.extensions` that adds {@link FingerprintStrategy} to each session. */
public final class FingerprintExtension extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectPlannerStrategy(new AbstractFunction1<SparkSession, SparkStrategy>() {
      @Override
      public SparkStrategy apply(SparkSession session) {
        return new FingerprintStrategy(session);
      }
    });
    return BoxedUnit.UNIT;
  }
}
