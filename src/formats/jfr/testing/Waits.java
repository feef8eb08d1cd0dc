// SPDX-License-Identifier: Apache-2.0
// Throws, sleeps, waits, parks, and reads and writes files and sockets, some times each.
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

public class Waits {
  static final Object monitor = new Object();

  static void fail(int number) {
    try {
      if (number % 2 == 0)
        throw new IllegalStateException("number " + number);
      throw new AssertionError("number " + number);
    } catch (IllegalStateException | AssertionError expected) {
      return;
    }
  }

  static void pause() throws InterruptedException {
    Thread.sleep(1);
    synchronized (monitor) {
      monitor.wait(1);
    }
    LockSupport.parkNanos(1_000_000);
  }

  static void useFile(Path path) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.write(new byte[1000]);
      file.getChannel().force(true);
      file.seek(0);
      file.readFully(new byte[1000]);
    }
  }

  static void useSocket() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      Thread client = new Thread(() -> {
        try (Socket socket = new Socket("127.0.0.1", server.getLocalPort())) {
          socket.getOutputStream().write(new byte[100]);
          socket.getInputStream().readNBytes(50);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      });
      client.start();
      try (Socket socket = server.accept()) {
        socket.getInputStream().readNBytes(100);
        socket.getOutputStream().write(new byte[50]);
      }
      client.join();
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path path = Files.createTempFile("waits", ".bin");
    try {
      for (int i = 0; i < 10; i++) {
        fail(i);
        pause();
        useFile(path);
        useSocket();
      }
    } finally {
      Files.delete(path);
    }
  }
}
