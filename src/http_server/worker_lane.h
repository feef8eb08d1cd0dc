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

// Threads that work for several clients in turn, so that none waits for all jobs of another. Thread-safe.
class WorkerLane {
 public:
  struct Job {
    std::function<void()> run;   // on a thread of the lane; must not throw
    std::function<void()> drop;  // instead of `run`, if the job does not fit; may be called on the thread of any Submit
  };

  // One client's jobs run on all threads but one (on the only one, if there is one), so that a thread is left for the
  // others. Beyond `max_waiting` jobs, the newest one of the client that has the most is dropped.
  // `niceness` is added to the process's own: jobs that take long leave the processors to short ones.
  WorkerLane(unsigned threads, size_t max_waiting, int niceness = 0);
  ~WorkerLane() { Stop(); }
  WorkerLane(const WorkerLane&) = delete;
  WorkerLane& operator=(const WorkerLane&) = delete;

  void Submit(const std::string& client, Job job);
  size_t Waiting() const;
  // Drops the jobs that wait, and waits for those that run. Not from several threads.
  void Stop();

 private:
  struct Client {
    std::deque<Job> waiting;
    size_t running = 0;
  };
  using Clients = std::map<std::string, Client>;

  void Work(int niceness);
  // The next client whose job may run; the end if there is none.
  Clients::iterator NextClient();

  const size_t max_running_, max_waiting_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Clients clients_;   // those with jobs
  std::string last_;  // the client whose job was taken last
  size_t waiting_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sparkprof
