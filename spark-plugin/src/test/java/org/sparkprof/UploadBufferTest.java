// SPDX-License-Identifier: Apache-2.0
package org.sparkprof;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class UploadBufferTest {
  @Test
  void itIsBoundedInBytesAndCountsWhatItRefuses() {
    UploadBuffer buffer = new UploadBuffer(10);
    buffer.add(new byte[6]);
    buffer.add(new byte[6]);
    buffer.add(new byte[4]);
    assertEquals(1, buffer.dropped());
    assertEquals(2, buffer.all().length);
    assertEquals(6, buffer.peek().length);
    buffer.remove();
    buffer.add(new byte[6]);
    buffer.remove();
    buffer.remove();
    assertNull(buffer.peek());
    assertTrue(buffer.isEmpty());
  }
}
