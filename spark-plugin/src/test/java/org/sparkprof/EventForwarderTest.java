// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerBlockUpdated;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerUnpersistRDD;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockUpdatedInfo;
import org.apache.spark.storage.BroadcastBlockId;
import org.apache.spark.storage.RDDBlockId;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A slow start: Spark's listener thread, which is the test's, never waits for the converter. */
@Timeout(60)
final class EventForwarderTest {
  private static final long READY_MS = 50_000;

  private final EventQueue queue = new EventQueue(1 << 20);
  private final CountDownLatch loaded = new CountDownLatch(1);

  private static SparkListenerEvent event(int number) {
    return new SparkListenerUnpersistRDD(number);
  }

  private static String numberOf(SparkListenerEvent event) {
    return Integer.toString(((SparkListenerUnpersistRDD) event).rddId());
  }

  private EventForwarder started(EventForwarder.Converter converter) {
    EventForwarder forwarder = new EventForwarder(queue, () -> {
      loaded.await();
      return converter;
    });
    forwarder.start();
    return forwarder;
  }

  private List<String> taken() {
    List<String> texts = new ArrayList<>();
    for (byte[] text = queue.poll(); text != null; text = queue.poll()) {
      texts.add(new String(text, StandardCharsets.UTF_8));
    }
    return texts;
  }

  @Test
  void eventsThatComeBeforeTheConverterIsLoadedWaitAndKeepTheirOrder() throws Exception {
    EventForwarder forwarder = started(EventForwarderTest::numberOf);
    forwarder.onEvent(event(1));
    forwarder.onEvent(event(2));
    assertNull(queue.poll());
    loaded.countDown();
    forwarder.awaitConverted(READY_MS);
    forwarder.onEvent(event(3));
    forwarder.awaitConverted(READY_MS);
    assertEquals(Arrays.asList("1", "2", "3"), taken());
  }

  /** Spark's queues deliver the last event after the plugin was told to stop. */
  @Test
  void theEndIsAwaitedBeyondTheEventsThatHaveArrived() throws Exception {
    loaded.countDown();
    EventForwarder forwarder = started(event -> event.getClass().getSimpleName());
    forwarder.onEvent(event(1));
    forwarder.awaitConverted(READY_MS);
    Thread stopping = Thread.currentThread();
    Thread spark = new Thread(() -> {
      while (stopping.getState() != Thread.State.TIMED_WAITING) {
        Thread.yield();
      }
      forwarder.onEvent(new SparkListenerApplicationEnd(2));
    });
    spark.start();
    forwarder.awaitEnd(READY_MS);
    spark.join();
    assertEquals(Arrays.asList("SparkListenerUnpersistRDD", "SparkListenerApplicationEnd"), taken());
  }

  @Test
  void anEventThatComesWhileTheFirstOnesAreConvertedDoesNotOvertakeThem() throws Exception {
    CountDownLatch converting = new CountDownLatch(1);
    CountDownLatch further = new CountDownLatch(1);
    EventForwarder forwarder = started(event -> {
      converting.countDown();
      further.await();
      return numberOf(event);
    });
    forwarder.onEvent(event(1));
    forwarder.onEvent(event(2));
    loaded.countDown();
    converting.await();
    forwarder.onEvent(event(3)); // returns at once: the converter would not let it go
    further.countDown();
    forwarder.awaitConverted(READY_MS);
    assertEquals(Arrays.asList("1", "2", "3"), taken());
    assertEquals(0, queue.dropped());
  }

  /** Spark logs an event with all its settings when a listener takes a second for it. */
  @Test
  void theThreadOfTheListenerNeverConvertsAnEvent() throws Exception {
    List<Thread> converters = new ArrayList<>();
    loaded.countDown();
    EventForwarder forwarder = started(event -> {
      converters.add(Thread.currentThread());
      return numberOf(event);
    });
    for (int i = 0; i < 3; i++) {
      forwarder.onEvent(event(i));
      forwarder.awaitConverted(READY_MS);
    }
    assertEquals(3, converters.size());
    assertFalse(converters.contains(Thread.currentThread()));
  }

  @Test
  void aClosedForwarderEndsItsThread() throws Exception {
    List<Thread> converters = new ArrayList<>();
    loaded.countDown();
    EventForwarder forwarder = started(event -> {
      converters.add(Thread.currentThread());
      return numberOf(event);
    });
    forwarder.onEvent(event(1));
    forwarder.awaitConverted(READY_MS);
    forwarder.close();
    forwarder.onEvent(event(2));
    converters.get(0).join(READY_MS);
    assertFalse(converters.get(0).isAlive());
    assertEquals(Arrays.asList("1"), taken());
  }

  @Test
  void eventsBeyondTheLimitAreCounted() throws Exception {
    EventForwarder forwarder = started(EventForwarderTest::numberOf);
    for (int i = 0; i < EventForwarder.MAX_WAITING + 3; i++) {
      forwarder.onEvent(event(i));
    }
    assertEquals(3, queue.dropped());
    loaded.countDown();
    forwarder.awaitConverted(READY_MS);
    assertEquals(EventForwarder.MAX_WAITING, taken().size());
  }

  private static SparkListenerEvent updateOf(BlockId block) {
    return new SparkListenerBlockUpdated(new BlockUpdatedInfo(null, block, StorageLevel.NONE(), 0, 0));
  }

  @Test
  void updatesOfBlocksAreForwardedForCachedDataOnly() throws Exception {
    loaded.countDown();
    EventForwarder forwarder =
        started(event -> ((SparkListenerBlockUpdated) event).blockUpdatedInfo().blockId().name());
    forwarder.onEvent(updateOf(new BroadcastBlockId(1, "piece0")));
    forwarder.onEvent(updateOf(new RDDBlockId(12, 3)));
    forwarder.awaitConverted(READY_MS);
    assertEquals(Arrays.asList("rdd_12_3"), taken());
    assertEquals(0, queue.dropped());
  }

  @Test
  void withoutAConverterEveryEventIsCounted() throws Exception {
    EventForwarder forwarder = new EventForwarder(queue, () -> {
      loaded.await();
      throw new ClassNotFoundException("org.apache.spark.util.JsonProtocol");
    });
    forwarder.start();
    forwarder.onEvent(event(1));
    loaded.countDown();
    forwarder.awaitConverted(READY_MS);
    forwarder.onEvent(event(2));
    forwarder.awaitConverted(READY_MS);
    assertEquals(2, queue.dropped());
    assertNull(queue.poll());
  }
}
