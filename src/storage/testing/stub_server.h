// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/text/text.h"

namespace sparkprof {

// Answers one connection after the other with the given responses, and keeps each request.
class StubServer {
 public:
  explicit StubServer(std::vector<std::string> responses)
      : responses_(std::move(responses)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_.Get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_.Get(), 8), 0);
    EXPECT_EQ(getsockname(listener_.Get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~StubServer() { Join(); }

  std::string Authority() const { return "127.0.0.1:" + std::to_string(port_); }

  // Method and target of each request, and its headers in lower case; once all responses were sent.
  const std::vector<std::string>& Requests() {
    Join();
    return requests_;
  }
  const std::vector<std::string>& Headers() {
    Join();
    return headers_;
  }

  static std::string Response(const std::string& status, const std::string& body, const std::string& headers = {}) {
    return "HTTP/1.1 " + status + "\r\nconnection: close\r\ncontent-length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + body;
  }

 private:
  void Join() {
    shutdown(listener_.Get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  void Serve() {
    for (const std::string& response : responses_) {
      const FileDescriptor connection(accept(listener_.Get(), nullptr, nullptr));
      if (!connection.IsOpen()) return;
      std::string request;
      char piece[4096];
      while (request.find("\r\n\r\n") == std::string::npos) {
        const ssize_t got = read(connection.Get(), piece, sizeof piece);
        if (got <= 0) break;
        request.append(piece, static_cast<size_t>(got));
      }
      requests_.push_back(request.substr(0, request.find(" HTTP/")));
      headers_.push_back(ToLowerAscii(request.substr(request.find("\r\n") + 2)));
      EXPECT_TRUE(WriteAll(connection.Get(), response, "stub"));
    }
  }

  const std::vector<std::string> responses_;
  std::vector<std::string> requests_, headers_;
  FileDescriptor listener_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace sparkprof
