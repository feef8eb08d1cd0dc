// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection/selection.h"
#include "model/application.h"

namespace sparkprof {

struct HeapClassChange {
  std::string_view name;
  HeapObjects now;
  HeapObjects before;

  int64_t BytesChange() const { return now.bytes - before.bytes; }
};

// Heaps of one or more JVMs at two times: each JVM's first summary (before) and last one (now). A class that is not
// among a summary's largest counts as 0 there.
struct HeapChange {
  std::vector<const ApplicationHeapSummary*> summaries;  // all selected ones, in order of time
  HeapObjects now;                                       // all classes
  HeapObjects before;
  std::vector<HeapClassChange> classes;  // by current size, largest first
  bool is_known = false;                 // a JVM has several summaries, so there is a state before
};

// Uses the selection's executor and times. Has no summaries if none match. Names are valid as long as the application.
HeapChange HeapChangeOf(const Application& application, const Selection& selection);

// IDs of executors with heap summaries, without duplicates: "driver, 1, 2".
std::string ExecutorsWithHeapSummaries(const Application& application);

}  // namespace sparkprof
