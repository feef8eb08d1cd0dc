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

// Keeps, of the events before a place in a log, those that what follows refers to: the application, its settings,
// executors that have not gone, and queries, jobs, stages and tasks that have not ended. Needs the memory of these
// only.
class EventLogContext {
 public:
  // Complete lines, in the order of the log.
  void Add(std::string_view lines);

  // Events are missing between what was added and what follows. Work has ended since then, as far as is known. Whether
  // executors and streaming queries are still there is unknown: see IDs of `Doubtful`.
  void Skip();

  // The events, in the order of the log, one a line.
  std::string Lines() const;

  struct Doubtful {
    std::set<std::string, std::less<>> executors;       // IDs
    std::set<std::string, std::less<>> streaming_runs;  // IDs of runs
  };
  const Doubtful& DoubtfulOnes() const { return doubtful_; }

 private:
  void AddEvent(std::string_view line, const simdjson::dom::object& event);
  // An event that replaces an earlier one with the same key.
  void Keep(const std::string& key, std::string_view line);
  void Drop(const std::string& key);

  EventParser parser_;
  uint64_t next_ = 0;
  std::map<uint64_t, std::string> lines_;
  std::unordered_map<std::string, uint64_t> places_;  // in lines_, by key
  Doubtful doubtful_;
};

}  // namespace sparkprof
