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
  std::string certificate_file;  // PEM; with key_file, the server accepts TLS only
  std::string key_file;
  unsigned threads = 4;         // per lane, for kStore and kCompute
  unsigned store_threads = 0;   // for kStore; 0 = `threads`
  unsigned remote_threads = 1;  // for kRemote
  // Further clients replace the longest idle ones. Lower if the process may not open so many descriptors: some are
  // reserved for files.
  size_t max_connections = 4096;
  uint32_t max_header_bytes = 16 << 10;
  // Limit for request bodies received, half of it per client. Further requests get 429.
  uint64_t max_bytes_in_flight = 256ULL << 20;
  uint64_t max_answer_bytes =
      256ULL << 20;          // size of answers being sent; beyond it, the slowest readers are disconnected
  size_t max_waiting = 512;  // requests waiting for a thread of a lane; further ones get 503
  std::chrono::seconds handshake_timeout{10};  // TLS handshake
  std::chrono::seconds idle_timeout{75};       // between two requests, and for the head of a request
  uint64_t min_bytes_per_second = 16 << 10;    // slower clients are disconnected after the grace period
  std::chrono::seconds grace{30};
};

// Requests wait only for others of the same lane. Within a lane, clients take turns.
enum class HttpLane : uint8_t {
  kQuick,    // answers from memory, within milliseconds
  kStore,    // writes
  kLookup,   // reads lists, within a second
  kCompute,  // anything slower
  kRemote,   // waits for another server's answer
};
inline constexpr size_t kHttpLanes = 5;

// Decision about a request based on its head.
struct HttpAdmission {
  std::optional<HttpResponse> refusal;  // sent without reading the body
  uint64_t max_body_bytes = 0;          // longer bodies are rejected with 413
  HttpLane lane = HttpLane::kCompute;
  // Chooses the lane by the request with its body, if not null. Blocks all connections while it runs.
  HttpLane (*lane_of)(const HttpRequest& request) = nullptr;
  std::string client;  // key for fair sharing of threads and memory; empty = the network of the address
};

// Called from several threads at once. Exceptions become 500.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HttpAdmission Admit(const HttpRequest& head) = 0;
  virtual HttpResponse Answer(const HttpRequest& request) = 0;
  // Formats the server's own errors: 400, 413, 429, 431, 500, 501, 503.
  virtual HttpResponse Refuse(unsigned status, const std::string& message) = 0;
};

struct HttpServerCounters {
  uint64_t connections = 0;  // currently open
  uint64_t requests = 0;
  uint64_t refused = 0;   // rejected because of the limits above
  uint64_t timeouts = 0;  // disconnected clients
  uint64_t evicted = 0;   // idle and slow clients disconnected because others needed their place or memory
  uint64_t waiting = 0;   // requests waiting for a thread
  uint64_t bytes_in_flight = 0;
};

// HTTP/1.1 server, with or without TLS (1.2 or later). Only this library's sources include Boost.
class HttpServer {
 public:
  // The server is listening on return; clients are served once Run is called. Errors: address in use, unreadable
  // certificate.
  static Result<std::unique_ptr<HttpServer>> Listen(const HttpServerOptions& options, HttpHandler* handler);
  virtual ~HttpServer() = default;

  virtual uint16_t Port() const = 0;
  // Serves until Stop is called, then waits up to 3 s for running requests.
  virtual void Run() = 0;
  // Callable from any thread.
  virtual void Stop() = 0;
  virtual HttpServerCounters Counters() const = 0;
};

}  // namespace sparkprof
