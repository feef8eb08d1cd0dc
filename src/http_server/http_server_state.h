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

// State that the connections of a server share. Only on the thread of `io`, unless stated otherwise.
class HttpServerState {
 public:
  HttpServerState(const HttpServerOptions& server_options, HttpHandler* server_handler);

  // Runs `work` on a thread of the lane, in the client's turn. False: the lane has no place for it.
  boost::asio::awaitable<bool> RunOn(WorkerLane* lane, std::string client, std::function<void()> work);
  boost::asio::awaitable<void> Pause(std::chrono::milliseconds duration);
  WorkerLane* Lane(HttpLane lane) { return &lanes_[static_cast<size_t>(lane)]; }
  // Makes pieces of bodies, which no long request delays.
  WorkerLane* PieceLane() { return &pieces_; }

  // Counts for other threads what the table of connections holds.
  void Publish();
  // From any thread.
  HttpServerCounters Counters() const;
  // Once `io` has stopped: waits for what runs on the lanes.
  void StopLanes();

  const HttpServerOptions options;
  HttpHandler* const handler;
  ConnectionTable connections;
  bool stopping = false;
  size_t running = 0;  // requests between their body and the end of their answer
  std::atomic<uint64_t> requests = 0, refused = 0, timeouts = 0;

 private:
  // A job for which a coroutine waits.
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
  boost::asio::io_context io{1};  // destroyed first, with the coroutines that use the others
};

}  // namespace sparkprof
