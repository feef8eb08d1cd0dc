// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// Monitors in dumps of HotSpot and of Spark's UI, and the threads that keep a JVM alive.
struct ThreadLocks {
  struct Wait {
    std::string lock;    // "0x1", "java.lang.Object@1"
    std::string holder;  // thread that holds it; empty = not in the dump
    std::string type;    // class of the lock; empty = unknown
  };
  std::map<std::string, Wait> waits;    // by blocked thread
  std::vector<std::string> owned;       // "x waits for <0x1>, which y holds"
  std::vector<std::string> deadlocked;  // threads that wait for each other
  // Non-daemon threads that keep the JVM alive after its main thread ended.
  std::vector<std::string> awaited;
};

ThreadLocks ReadThreadLocks(std::string_view text);

}  // namespace sparkprof
