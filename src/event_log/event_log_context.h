// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "event_log/event_parser.h"

namespace sparkprof {

// Keeps those events before a position in a log that later events depend on: the application, its settings, executors
// that were not removed, and unfinished queries, jobs, stages and tasks. Memory is proportional to these.
class EventLogContext {
 public:
  // Complete lines, in the order of the log.
  void Add(std::string_view lines);

  // Marks a gap between the added and the following events. Work is assumed to have ended in the gap; executors and
  // streaming queries may still exist: see `Doubtful`.
  void Skip();

  // The kept events in the order of the log, one per line.
  std::string Lines() const;

  struct Doubtful {
    std::set<std::string, std::less<>> executors;       // IDs
    std::set<std::string, std::less<>> streaming_runs;  // run IDs
  };
  const Doubtful& DoubtfulOnes() const { return doubtful_; }

 private:
  void AddEvent(std::string_view line, const simdjson::dom::object& event);
  // Replaces an earlier event with the same key.
  void Keep(const std::string& key, std::string_view line);
  void Drop(const std::string& key);

  EventParser parser_;
  uint64_t next_ = 0;
  std::map<uint64_t, std::string> lines_;
  std::unordered_map<std::string, uint64_t> places_;  // positions in lines_ by key
  Doubtful doubtful_;
};

}  // namespace sparkprof
