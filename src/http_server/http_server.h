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
  unsigned threads = 4;  // of the lanes kStore and kCompute
  // Further clients take the place of the longest idle ones. Fewer if the process may not open so many descriptors: a
  // reserve is left for files.
  size_t max_connections = 4096;
  uint32_t max_header_bytes = 16 << 10;
  // Limit of request bodies that have arrived; one client may have half of it. Further ones get 429.
  uint64_t max_bytes_in_flight = 256ULL << 20;
  uint64_t max_answer_bytes =
      256ULL << 20;          // of answers that are sent; beyond it, the slowest readers are disconnected
  size_t max_waiting = 512;  // requests that wait for a thread of a lane; further ones get 503
  std::chrono::seconds handshake_timeout{10};  // of TLS
  std::chrono::seconds idle_timeout{75};       // between two requests, and for the head of a request
  uint64_t min_bytes_per_second = 16 << 10;    // slower clients are disconnected, after the grace
  std::chrono::seconds grace{30};
};

// Requests of one lane wait for one another, not for those of the other lanes. Within a lane, clients have their turns.
enum class HttpLane : uint8_t {
  kQuick,    // answers from memory, within milliseconds
  kStore,    // writes
  kLookup,   // reads lists, within a second
  kCompute,  // whatever takes longer
};
inline constexpr size_t kHttpLanes = 4;

// Decision about a request of which only the head is known.
struct HttpAdmission {
  std::optional<HttpResponse> refusal;  // sent without reading the body
  uint64_t max_body_bytes = 0;          // a longer body is refused with 413
  HttpLane lane = HttpLane::kCompute;
  // If not null, the lane of the request with its body, in place of `lane`. Delays all connections while it runs.
  HttpLane (*lane_of)(const HttpRequest& request) = nullptr;
  std::string client;  // who has a fair share of threads and memory; empty = the network of the address
};

// Called from several threads at once. Exceptions become 500.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HttpAdmission Admit(const HttpRequest& head) = 0;
  virtual HttpResponse Answer(const HttpRequest& request) = 0;
  // For a refusal that the server makes itself: 400, 413, 429, 431, 500, 501, 503.
  virtual HttpResponse Refuse(unsigned status, const std::string& message) = 0;
};

struct HttpServerCounters {
  uint64_t connections = 0;  // open now
  uint64_t requests = 0;
  uint64_t refused = 0;   // by the limits above
  uint64_t timeouts = 0;  // clients that were disconnected
  uint64_t evicted = 0;   // idle and slow clients that were disconnected because others needed their place or memory
  uint64_t waiting = 0;   // requests that wait for a thread
  uint64_t bytes_in_flight = 0;
};

// HTTP/1.1, with or without TLS (1.2 or later). Only the sources of this library know Boost.
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
