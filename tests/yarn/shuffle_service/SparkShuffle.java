// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.shuffle.ExternalBlockHandler;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

/**
 * Spark's external shuffle service in a NodeManager, without authentication. Spark's own wrapper is not in pip's
 * PySpark.
 */
public class SparkShuffle extends AuxiliaryService {
  private static final int PORT = 7337; // spark.shuffle.service.port

  private ExternalBlockHandler blocks;
  private TransportServer server;

  public SparkShuffle() {
    super("spark_shuffle");
  }

  @Override
  protected void serviceInit(Configuration configuration) throws Exception {
    TransportConf settings = new TransportConf("shuffle", new MapConfigProvider(Map.of()));
    blocks = new ExternalBlockHandler(settings, null);
    server = new TransportContext(settings, blocks, true).createServer(PORT, List.of());
  }

  @Override
  protected void serviceStop() {
    server.close();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext application) {}

  @Override
  public void stopApplication(ApplicationTerminationContext application) {
    blocks.applicationRemoved(application.getApplicationId().toString(), false);
  }

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.allocate(0);
  }
}
