// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/background_task.h"
#include "http/message.h"
#include "http/url.h"
#include "server/shared/shared_log.h"

namespace sparkprof {

// Another server that uses the store.
struct LiveNode {
  LiveNode(std::string node_id, Url node_url) : id(std::move(node_id)), url(std::move(node_url)) {}

  const std::string id;
  const Url url;
  // Set while requests fail; aborts requests that wait for the node.
  std::atomic<bool> is_silent = false;
};

struct LiveNodesTimes {
  std::chrono::milliseconds ask{2'000};     // pause between an answer and the next question
  std::chrono::milliseconds answer{2'000};  // maximum wait for an answer
  std::chrono::milliseconds alive{10'000};  // a node that does not answer for this long loses its applications
};

// The live servers (nodes) on a store, and the one that keeps an application in memory. A node appends its address to
// the log when it starts and once per hour. The others ask it over HTTP whether it is ready, which costs the store
// nothing. A node proves with the store's key that it is the one in the log. Nodes may disagree for some seconds,
// because each can answer for every application. Thread-safe.
class LiveNodes {
 public:
  using Clock = std::chrono::steady_clock;

  // `key`: a secret of the nodes on this store. `log` must outlive the object.
  LiveNodes(SharedLog* log, std::string id, std::string key, LiveNodesTimes times = {});
  ~LiveNodes() { Stop(); }
  LiveNodes(const LiveNodes&) = delete;
  LiveNodes& operator=(const LiveNodes&) = delete;

  const std::string& Id() const { return id_; }

  // Reads a line of the log; returns false for lines about anything else.
  bool Apply(std::string_view line);

  // Announces this node at `url` and asks the others, on a separate thread. `is_ready`: whether this node can answer
  // for applications. Later calls have no effect.
  void Start(std::string url, std::function<bool()> is_ready);
  void Stop();

  // The node that has the application in memory, by rendezvous hashing. Null = this node answers, as it does while the
  // owner is silent.
  std::shared_ptr<LiveNode> OwnerOf(std::string_view application) const;

  // Answers the question of another node; ignores other requests.
  void AddProof(const HttpRequest& request, HttpResponse* response) const;
  // Proves to node `id` that `text` comes from a node on this store. `purpose` prevents the reuse of a proof.
  std::string ProofFor(const std::string& id, std::string_view purpose, std::string_view text) const;

  struct State {
    std::string url;
    bool is_alive = false;
    std::string problem;  // result of the last question; empty = it was answered
  };
  std::vector<State> States() const;
  const BackgroundTask& Task() const { return task_; }

 private:
  struct Known {
    std::shared_ptr<LiveNode> node;
    Clock::time_point announced, asked = {};
    std::optional<Clock::time_point> answered = std::nullopt;
    bool is_ready = false;
    std::string problem = "no answer yet";

    Clock::time_point News() const { return std::max(announced, answered.value_or(announced)); }
  };

  void Run();
  void Announce();
  void AskAll();
  void Ask(LiveNode* node);
  bool IsAlive(const Known& known, Clock::time_point now) const;

  SharedLog* const log_;
  const std::string id_, key_;
  const LiveNodesTimes times_;
  std::string url_;
  std::function<bool()> is_ready_;
  BackgroundTask task_{"other nodes"};
  std::optional<Clock::time_point> announced_;  // announcement of this node; used by its thread only
  mutable std::mutex mutex_;                    // guards nodes_ and is_started_
  std::condition_variable stopping_;
  std::map<std::string, Known> nodes_;  // by ID
  bool is_started_ = false;
  std::atomic<bool> is_own_ready_ = false, stop_ = false;
  std::thread thread_;
};

}  // namespace sparkprof
