// SPDX-License-Identifier: Apache-2.0
#include "http_server/worker_lane.h"

#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sparkprof {

WorkerLane::WorkerLane(unsigned threads, size_t max_waiting, int niceness)
    : max_running_(std::max(threads, 2U) - 1), max_waiting_(max_waiting) {
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) threads_.emplace_back([this, niceness] { Work(niceness); });
}

void WorkerLane::Stop() {
  std::vector<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (auto& [name, client] : clients_) {
      std::move(client.waiting.begin(), client.waiting.end(), std::back_inserter(dropped));
      client.waiting.clear();
    }
    waiting_ = 0;
  }
  changed_.notify_all();
  for (const Job& job : dropped) job.drop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerLane::Submit(const std::string& client, Job job) {
  Job dropped;
  {
    const std::lock_guard lock(mutex_);
    clients_[client].waiting.push_back(std::move(job));
    if (++waiting_ > max_waiting_) {
      const auto most = std::max_element(clients_.begin(), clients_.end(), [](const auto& a, const auto& b) {
        return a.second.waiting.size() < b.second.waiting.size();
      });
      dropped = std::move(most->second.waiting.back());
      most->second.waiting.pop_back();
      --waiting_;
      if (most->second.waiting.empty() && most->second.running == 0) clients_.erase(most);
    }
  }
  changed_.notify_one();
  if (dropped.drop) dropped.drop();
}

size_t WorkerLane::Waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

WorkerLane::Clients::iterator WorkerLane::NextClient() {
  const auto may_run = [this](const auto& client) {
    return !client.second.waiting.empty() && client.second.running < max_running_;
  };
  const auto after = clients_.upper_bound(last_);
  const auto next = std::find_if(after, clients_.end(), may_run);
  if (next != clients_.end()) return next;
  const auto first = std::find_if(clients_.begin(), after, may_run);
  return first == after ? clients_.end() : first;
}

void WorkerLane::Work(int niceness) {
  // On Linux niceness is per thread, and a thread's children inherit it.
  if (niceness > 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + niceness);
  std::unique_lock lock(mutex_);
  while (true) {
    auto client = NextClient();
    if (client == clients_.end()) {
      if (stop_) return;
      changed_.wait(lock);
      continue;
    }
    last_ = client->first;
    Job job = std::move(client->second.waiting.front());
    client->second.waiting.pop_front();
    --waiting_;
    ++client->second.running;
    lock.unlock();
    job.run();
    job = {};
    lock.lock();
    --client->second.running;
    if (client->second.waiting.empty() && client->second.running == 0) {
      clients_.erase(client);
    } else {
      changed_.notify_one();  // this client may have more to run now
    }
  }
}

}  // namespace sparkprof
