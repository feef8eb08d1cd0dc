// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.h"
#include "recording/source_grouping.h"

namespace sparkprof {

// The inputs of one application attempt.
struct ApplicationInputs {
  std::string id;  // Spark's, or derived from the inputs' paths
  std::string attempt;
  bool identified = false;  // `id` is Spark's
  std::vector<const Input*> event_logs;
  std::vector<const Input*> text_logs;  // of drivers and executors, plain or structured, console output included
  std::vector<const Input*> records;    // with records of profilers, console output included
  std::optional<RecordedApplication> recorded;

  bool IsFragment() const;     // stack traces and nothing else: no application
  uint64_t FileBytes() const;  // of the logs and records, as stored; recordings are mapped
};

// Groups inputs by application. The ID comes from the path or the content. Inputs without an ID belong to the
// application of the other inputs in their folder, or to the only application whose inputs are above or below their
// folder; the remaining ones form one application per folder, and one per driver log if a folder has several. Sorted by
// ID. Pointers refer to `inputs`.
std::vector<ApplicationInputs> GroupInputs(const Inputs& inputs, std::vector<RecordedApplication>&& recorded);

}  // namespace sparkprof
