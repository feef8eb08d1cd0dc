// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "http_server/connection_table.h"
#include "http_server/http_server.h"
#include "http_server/worker_lane.h"

namespace sparkprof {

inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable);

// State shared by the connections of a server. For the thread of `io` only, unless stated otherwise.
class HttpServerState {
 public:
  HttpServerState(const HttpServerOptions& server_options, HttpHandler* server_handler);

  // Runs `work` on a thread of the lane when it is the client's turn. Returns false if the lane is full.
  boost::asio::awaitable<bool> RunOn(WorkerLane* lane, std::string client, std::function<void()> work);
  boost::asio::awaitable<void> Pause(std::chrono::milliseconds duration);
  WorkerLane* Lane(HttpLane lane) { return &lanes_[static_cast<size_t>(lane)]; }
  // Produces pieces of bodies; never blocked by long requests.
  WorkerLane* PieceLane() { return &pieces_; }

  // Publishes counters for other threads.
  void Publish();
  // Callable from any thread.
  HttpServerCounters Counters() const;
  // Call after `io` has stopped: waits for the lanes' running jobs.
  void StopLanes();

  const HttpServerOptions options;
  HttpHandler* const handler;
  ConnectionTable connections;
  bool stopping = false;
  size_t running = 0;  // requests after their body and before the end of their answer
  std::atomic<uint64_t> requests = 0, refused = 0, timeouts = 0;

 private:
  // A job that a coroutine waits for.
  struct Pending {
    explicit Pending(boost::asio::io_context* io) : done(*io, boost::asio::steady_timer::time_point::max()) {}
    boost::asio::steady_timer done;
    bool is_dropped = false;
  };
  std::shared_ptr<Pending> Start(WorkerLane* lane, const std::string& client, std::function<void()> work);
  void Finish(const std::shared_ptr<Pending>& pending);

  std::atomic<uint64_t> open_ = 0, evicted_ = 0, bytes_in_flight_ = 0;
  std::array<WorkerLane, kHttpLanes> lanes_;
  WorkerLane pieces_;

 public:
  boost::asio::io_context io{1};  // last member, so that coroutines are destroyed before what they use
};

}  // namespace sparkprof
