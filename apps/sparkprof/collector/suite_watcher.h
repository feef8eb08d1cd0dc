// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/io/file.h"

namespace sparkprof {

// A process that outlives a killed suite, so that its run does not stay "running" on the collector.
class SuiteWatcher {
 public:
  // `interrupted` runs in the watcher's process if this process ends between Watch() and Finish(). Must start before
  // threads. If no process can be created, nothing is watched.
  explicit SuiteWatcher(const std::function<void(int64_t run)>& interrupted);
  ~SuiteWatcher();
  SuiteWatcher(const SuiteWatcher&) = delete;
  SuiteWatcher& operator=(const SuiteWatcher&) = delete;

  void Watch(int64_t run);
  void Finish();

 private:
  void Send(const void* bytes, size_t size);

  FileDescriptor to_watcher_;
  int process_ = -1;
};

}  // namespace sparkprof
