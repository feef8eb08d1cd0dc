// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"

namespace sparkprof {

struct HttpServerOptions {
  ListenAddress address;
  std::string certificate_file;  // PEM; with key_file, the server speaks TLS only
  std::string key_file;
  unsigned threads = 4;           // that answer requests
  size_t max_connections = 4096;  // further clients wait for their connection
  uint32_t max_header_bytes = 16 << 10;
  uint64_t max_bytes_in_flight = 256ULL << 20;  // of request bodies; further ones get 429
  size_t max_waiting = 512;                     // requests that wait for a thread; further ones get 503
  std::chrono::seconds idle_timeout{75};        // between two requests, and for the head of a request
  uint64_t min_bytes_per_second = 16 << 10;     // slower clients are disconnected, after the grace
  std::chrono::seconds grace{30};
};

// What to do with a request of which only the head is known.
struct HttpAdmission {
  std::optional<HttpResponse> refusal;  // sent without reading the body
  uint64_t max_body_bytes = 0;          // a longer body is refused with 413
};

// Called from several threads at once. Exceptions become 500.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HttpAdmission Admit(const HttpRequest& head) = 0;
  virtual HttpResponse Answer(const HttpRequest& request) = 0;
  // For a refusal that the server makes itself: 400, 413, 429, 500, 503.
  virtual HttpResponse Refuse(unsigned status, const std::string& message) = 0;
};

struct HttpServerCounters {
  uint64_t connections = 0;  // open now
  uint64_t requests = 0;
  uint64_t refused = 0;   // by the limits above
  uint64_t timeouts = 0;  // clients that were disconnected
  uint64_t bytes_in_flight = 0;
};

// HTTP/1.1, with or without TLS (1.2 or later). The only file that knows Boost.Beast is http_server.cc.
class HttpServer {
 public:
  // Listens when it returns; clients are served once Run is called. Errors: address in use, unreadable certificate.
  static Result<std::unique_ptr<HttpServer>> Listen(const HttpServerOptions& options, HttpHandler* handler);
  virtual ~HttpServer() = default;

  virtual uint16_t Port() const = 0;
  // Serves until Stop is called, then lets running requests end, for at most 3 s.
  virtual void Run() = 0;
  // May be called from any thread.
  virtual void Stop() = 0;
  virtual HttpServerCounters Counters() const = 0;
};

}  // namespace sparkprof
