// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginAgentTest {
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit ";

  @TempDir Path folder;

  private boolean startsDriver(String command) throws IOException {
    return startsDriver(command, Collections.singletonMap("SPARK_CONF_DIR", folder.toString()));
  }

  private static boolean startsDriver(String command, Map<String, String> environment) throws IOException {
    return PluginAgent.startsDriver(Arrays.asList(command.split(" ")), environment);
  }

  private Path write(String name, String text) throws IOException {
    return Files.write(folder.resolve(name), text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void theDriverOfAPodLoadsThePlugin() throws IOException {
    assertTrue(startsDriver(SUBMIT + "--conf spark.driver.bindAddress=10.0.0.1 --deploy-mode client --properties-file "
        + "/opt/spark/conf/spark.properties --class org.apache.spark.deploy.PythonRunner local:///job.py"));
    assertTrue(startsDriver(SUBMIT + "pyspark-shell"));
    assertTrue(startsDriver("org.apache.spark.deploy.SparkPipelines run"));
    assertTrue(startsDriver("org.apache.spark.deploy.yarn.ApplicationMaster --class Job --jar job.jar"));
    assertTrue(startsDriver("org.apache.spark.deploy.worker.DriverWrapper spark://Worker@h:1 job.jar Job"));
  }

  @Test
  void otherProgramsAreLeftAlone() throws IOException {
    assertFalse(startsDriver(""));
    assertFalse(startsDriver("org.apache.spark.launcher.Main org.apache.spark.deploy.SparkSubmit job.py"));
    assertFalse(startsDriver("org.apache.spark.executor.CoarseGrainedExecutorBackend"));
    assertFalse(startsDriver("org.apache.spark.deploy.yarn.ExecutorLauncher --arg h:1"));
    assertFalse(startsDriver(SUBMIT + "--master k8s://h --kill jobs:driver"));
  }

  @Test
  void aJobThatIsSubmittedToACluster() throws IOException {
    assertFalse(startsDriver(SUBMIT + "--deploy-mode cluster job.py"));
    assertFalse(startsDriver(SUBMIT + "--deploy-mode=cluster job.py"));
    assertFalse(startsDriver(SUBMIT + "--conf spark.submit.deployMode=cluster job.py"));
    assertFalse(startsDriver(SUBMIT + "job.py", Collections.singletonMap("DEPLOY_MODE", "cluster")));
    Path file = write("job.conf", "spark.submit.deployMode  cluster\n");
    assertFalse(startsDriver(SUBMIT + "--properties-file " + file + " job.py"));
    assertTrue(startsDriver(SUBMIT + "--deploy-mode client --properties-file " + file + " job.py"));
    assertTrue(startsDriver(SUBMIT + "job.py"));
    write("spark-defaults.conf", "spark.submit.deployMode=cluster\n");
    assertFalse(startsDriver(SUBMIT + "job.py"));
  }

  @Test
  void pluginsOfTheListStay() {
    String own = "org.sparkprof.SparkProfPlugin";
    assertEquals(own, PluginAgent.withPlugin(""));
    assertEquals("a.B," + own, PluginAgent.withPlugin("a.B"));
    assertEquals("a.B , " + own, PluginAgent.withPlugin("a.B , " + own));
  }
}
