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

// The heaps of one or more JVMs at two times: for each JVM its first summary (before) and its last one (now). A class
// that is not among the largest of a summary counts as 0 there.
struct HeapChange {
  std::vector<const ApplicationHeapSummary*> summaries;  // all selected ones, in order of time
  HeapObjects now;                                       // all classes
  HeapObjects before;
  HeapObjects others_now;                // those of classes without a row
  std::vector<HeapClassChange> classes;  // by bytes now, the largest first
  bool is_known = false;                 // a JVM has several summaries, so that there is a before
};

// Uses the selection's executor and times. Has no summaries if none match. Names live as long as the application.
HeapChange HeapChangeOf(const Application& application, const Selection& selection);

// The ids of executors with heap summaries, each once: "driver, 1, 2".
std::string ExecutorsWithHeapSummaries(const Application& application);

}  // namespace sparkprof
