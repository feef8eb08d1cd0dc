// SPDX-License-Identifier: Apache-2.0
#include "capture/received_bytes.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "base/io/file.h"

namespace sparkprof {
namespace {

// A TCP connection within this process.
struct Connection {
  Connection() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    const FileDescriptor listening(socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(bind(listening.Get(), any, size), 0);
    EXPECT_EQ(listen(listening.Get(), 1), 0);
    EXPECT_EQ(getsockname(listening.Get(), any, &size), 0);
    client = FileDescriptor(socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(connect(client.Get(), any, size), 0);
    server = FileDescriptor(accept(listening.Get(), nullptr, nullptr));
  }

  void Transfer(size_t bytes) const {
    const std::string sent(bytes, 'x');
    EXPECT_EQ(write(server.Get(), sent.data(), bytes), static_cast<ssize_t>(bytes));
    std::string received(bytes, '\0');
    EXPECT_EQ(recv(client.Get(), received.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }

  FileDescriptor client, server;
};

TEST(ReceivedBytesTest, CountsOpenAndClosedSockets) {
  ReceivedBytes received(getpid());
  const auto before = received.Read();
  if (!before) GTEST_SKIP() << "the kernel does not answer sock_diag";
  {
    const Connection first;
    first.Transfer(10'000);
    EXPECT_EQ(received.Read(), *before + 10'000);
    first.Transfer(5'000);
    EXPECT_EQ(received.Read(), *before + 15'000);
  }
  const Connection second;
  second.Transfer(1'000);
  EXPECT_EQ(received.Read(), *before + 16'000);
}

TEST(ReceivedBytesTest, AProcessWithoutSocketsHasReceivedNothing) {
  ReceivedBytes received(1 << 30);
  if (const auto bytes = received.Read()) {
    EXPECT_EQ(*bytes, 0);
  }
}

}  // namespace
}  // namespace sparkprof
