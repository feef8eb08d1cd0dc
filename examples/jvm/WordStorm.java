// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * A JVM job: words of made-up lines are counted, with a pattern that is compiled anew for every line.
 *
 * <p>What the report should show: in the first stage {@code WordStorm.splitSlowly} holds most of the CPU, and
 * under it {@code java.util.regex.Pattern.compile}, which is called once for each line; compiling the pattern once
 * would save that share. The second stage only adds up and is short.
 *
 * <p>Compile and run: {@code javac -cp "$SPARK_HOME/jars/*" -d build/examples examples/jvm/WordStorm.java && jar cf
 * build/examples/word-storm.jar -C build/examples . && sparkprof run -- spark-submit --class WordStorm
 * build/examples/word-storm.jar}
 */
public final class WordStorm {
  private static final int PARTITIONS = 8;

  private WordStorm() {}

  /** The mistake: the pattern belongs into a constant. */
  static String[] splitSlowly(String line) {
    return Pattern.compile("(\\s+|[,;:.!?]+|(?<=[a-z])-(?=[a-z]))+").split(line);
  }

  static String line(long seed) {
    StringBuilder line = new StringBuilder();
    long state = seed * 6364136223846793005L + 1442695040888963407L;
    for (int word = 0; word < 6; word++) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      line.append("word").append((state >>> 33) % 500).append(word % 2 == 0 ? ", " : " ");
    }
    return line.toString();
  }

  public static void main(String[] args) {
    int lines = args.length > 0 ? Integer.parseInt(args[0]) : 2_000_000;
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName("WordStorm"))) {
      List<Integer> starts = new ArrayList<>();
      for (int i = 0; i < PARTITIONS; i++) starts.add(i);
      int each = lines / PARTITIONS;
      JavaRDD<String> text = spark.parallelize(starts, PARTITIONS).flatMap(start -> {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < each; i++) {
          for (String word : splitSlowly(line((long) start * each + i))) {
            if (i % 16 == 0)
              words.add(word);
          }
        }
        return words.iterator();
      });
      long distinct = text.mapToPair(word -> new Tuple2<>(word, 1L)).reduceByKey(Long::sum).count();
      System.out.println("distinct words: " + distinct);
    }
  }
}
