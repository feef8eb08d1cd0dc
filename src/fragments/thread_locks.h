// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The monitors in dumps of HotSpot and of Spark's UI, and the threads that keep a JVM alive. Each dump has its own.
struct ThreadLocks {
  struct Wait {
    std::string lock;    // "0x1", "java.lang.Object@1"
    std::string holder;  // the thread; empty = not in the dump
    std::string type;    // of the lock; empty = unknown
  };
  std::map<std::string, Wait> waits;    // of the threads that are blocked
  std::vector<std::string> owned;       // "x waits for <0x1>, which y holds"
  std::vector<std::string> deadlocked;  // threads that wait for each other
  // Threads that keep a JVM alive whose main thread has ended: they are no daemons.
  std::vector<std::string> awaited;
};

ThreadLocks ReadThreadLocks(std::string_view text);

}  // namespace sparkprof
