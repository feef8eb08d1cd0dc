// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inputs/inputs.h"
#include "recording/source_grouping.h"

namespace sparkprof {

// What one application attempt left behind.
struct ApplicationInputs {
  std::string id;  // Spark's, or what its inputs are called by where none of them tells it
  std::string attempt;
  bool identified = false;  // `id` is Spark's
  std::vector<const Input*> event_logs;
  std::vector<const Input*> text_logs;  // of drivers and executors, plain or structured, console output included
  std::vector<const Input*> records;    // with records of profilers, console output included
  std::optional<RecordedApplication> recorded;
};

// Sorts inputs by application. An application's id is what the input's layout or content says. Inputs that say nothing
// belong to the one application that others in their folder belong to, or to the only application that there is when
// their folder is above or below its inputs'; those left form an application of their own for each folder, and for each
// driver's log where a folder has several. Applications are in the order of their ids. Pointers are into `inputs`.
std::vector<ApplicationInputs> GroupInputs(const Inputs& inputs, std::vector<RecordedApplication>&& recorded);

}  // namespace sparkprof
