// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.SparkPlugin;

/** The entry for {@code spark.plugins=org.sparkprof.SparkProfPlugin}. */
public final class SparkProfPlugin implements SparkPlugin {
  @Override
  public DriverPlugin driverPlugin() {
    return new SparkProfDriver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new SparkProfExecutor();
  }
}
