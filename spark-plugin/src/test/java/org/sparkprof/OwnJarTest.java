// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class OwnJarTest {
  @Test
  void executorsThatCannotGetTheJarLoadTheOtherPluginsOnly() {
    assertEquals("a.B,c.D", OwnJar.withoutOwnPlugin("a.B, org.sparkprof.SparkProfPlugin,c.D"));
    assertEquals("", OwnJar.withoutOwnPlugin("org.sparkprof.SparkProfPlugin"));
    assertEquals("a.B", OwnJar.withoutOwnPlugin("a.B"));
  }
}
