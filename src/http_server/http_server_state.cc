// SPDX-License-Identifier: Apache-2.0
#include "http_server/http_server_state.h"

#include <boost/asio/post.hpp>
#include <new>
#include <thread>
#include <utility>

namespace sparkprof {

namespace asio = boost::asio;

constexpr unsigned kQuickThreads = 2, kLookupThreads = 2, kPieceThreads = 2;
constexpr int kComputeNiceness = 5;
constexpr std::chrono::milliseconds kMemoryPause{50};

HttpServerState::HttpServerState(const HttpServerOptions& server_options, HttpHandler* server_handler)
    : options(server_options),
      handler(server_handler),
      connections(options.max_bytes_in_flight, options.max_answer_bytes),
      lanes_{WorkerLane(kQuickThreads, options.max_waiting),
             WorkerLane(options.store_threads > 0 ? options.store_threads : options.threads, options.max_waiting),
             WorkerLane(kLookupThreads, options.max_waiting),
             WorkerLane(options.threads, options.max_waiting, kComputeNiceness),
             WorkerLane(options.remote_threads, options.max_waiting)},
      pieces_(kPieceThreads, options.max_connections) {}

std::shared_ptr<HttpServerState::Pending> HttpServerState::Start(WorkerLane* lane, const std::string& client,
                                                                 std::function<void()> work) {
  const auto pending = std::make_shared<Pending>(&io);
  WorkerLane::Job job;
  job.run = [this, pending, work = std::move(work)] {
    work();
    Finish(pending);
  };
  job.drop = [this, pending] {
    pending->is_dropped = true;
    Finish(pending);
  };
  lane->Submit(client, std::move(job));
  return pending;
}

void HttpServerState::Finish(const std::shared_ptr<Pending>& pending) {
  while (true) {
    try {
      asio::post(io, [pending] { pending->done.cancel(); });
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kMemoryPause);
    }
  }
}

asio::awaitable<bool> HttpServerState::RunOn(WorkerLane* lane, std::string client, std::function<void()> work) {
  const std::shared_ptr<Pending> pending = Start(lane, client, std::move(work));
  // Finish cancels the wait on this thread, so it cannot run before the wait begins.
  co_await pending->done.async_wait(kAwait);
  co_return !pending->is_dropped;
}

asio::awaitable<void> HttpServerState::Pause(std::chrono::milliseconds duration) {
  asio::steady_timer pause(io, duration);
  co_await pause.async_wait(kAwait);
}

void HttpServerState::Publish() {
  open_ = connections.Size();
  evicted_ = connections.Evicted();
  bytes_in_flight_ = connections.Held(ConnectionMemory::kRequests);
}

HttpServerCounters HttpServerState::Counters() const {
  HttpServerCounters counters{.connections = open_,
                              .requests = requests,
                              .refused = refused,
                              .timeouts = timeouts,
                              .evicted = evicted_,
                              .bytes_in_flight = bytes_in_flight_};
  for (const WorkerLane& lane : lanes_) counters.waiting += lane.Waiting();
  return counters;
}

void HttpServerState::StopLanes() {
  for (WorkerLane& lane : lanes_) lane.Stop();
  pieces_.Stop();
}

}  // namespace sparkprof
