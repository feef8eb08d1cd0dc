// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sparkprof {

// Threads that run jobs of several clients in turn, so that none waits for all jobs of another. Thread-safe.
class WorkerLane {
 public:
  struct Job {
    std::function<void()> run;   // runs on a thread of the lane; must not throw
    std::function<void()> drop;  // called instead of `run` if the lane is full, possibly on the thread of any Submit
  };

  // One client's jobs run on all threads but one (unless there is only one), which is left for others. Beyond
  // `max_waiting` jobs, the newest job of the client with the most jobs is dropped. `niceness` is added to the
  // process's own, so that long jobs leave the CPUs to short ones.
  WorkerLane(unsigned threads, size_t max_waiting, int niceness = 0);
  ~WorkerLane() { Stop(); }
  WorkerLane(const WorkerLane&) = delete;
  WorkerLane& operator=(const WorkerLane&) = delete;

  void Submit(const std::string& client, Job job);
  size_t Waiting() const;
  // Drops waiting jobs and waits for running ones. Not thread-safe.
  void Stop();

 private:
  struct Client {
    std::deque<Job> waiting;
    size_t running = 0;
  };
  using Clients = std::map<std::string, Client>;

  void Work(int niceness);
  // The next client with a runnable job; the end iterator if there is none.
  Clients::iterator NextClient();

  const size_t max_running_, max_waiting_;
  mutable std::mutex mutex_;  // guards the following members
  std::condition_variable changed_;
  Clients clients_;   // clients with jobs
  std::string last_;  // client of the last job taken
  size_t waiting_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sparkprof
