// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.h"
#include "recording/source_grouping.h"

namespace sparkprof {

struct ApplicationInputs {
  std::string id;  // Spark's ID, or derived from the inputs' paths
  std::string attempt;
  bool identified = false;  // whether `id` is Spark's
  std::vector<const Input*> event_logs;
  std::vector<const Input*> text_logs;  // logs of drivers and executors, plain or structured, including console output
  std::vector<const Input*> records;    // files with profiler records, including console output
  std::optional<RecordedApplication> recorded;

  bool IsFragment() const;     // stack traces and nothing else: no application
  uint64_t FileBytes() const;  // stored size of logs and records; recordings are mapped
};

// Groups inputs by application. The ID comes from the path or the content. Inputs without an ID belong to the
// application of the other inputs in their folder, else to the only application with inputs above or below their
// folder. The remaining inputs form one application per folder, or one per driver log if a folder has several. Sorted
// by ID. Pointers refer to `inputs`.
std::vector<ApplicationInputs> GroupInputs(const Inputs& inputs, std::vector<RecordedApplication>&& recorded);

}  // namespace sparkprof
