// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/answers.h"
#include "catalogue/catalogue.h"
#include "model/application.h"

namespace sparkprof {

struct EntryOptions {
  std::string location;  // location of the recording
  std::string version;   // version of its content
  bool is_live = false;  // whether it still sends; if so, an application without an end is running, not incomplete
  // Stacks whose share of their event, including callees, is smaller are merged into "[rare stacks]" of their caller.
  // This makes the catalogue grow with what applications have in common, not with every sample's innermost frames.
  double rare_share = 1.0 / 20'000;
};

// The application's group: the setting "label", else the name, else the ID.
std::string GroupOf(const Application& application);

// The catalogue entry of an application. Uses the samples as they are, so choose the language first. `answers` must
// belong to the application.
CatalogueEntry MakeCatalogueEntry(const Application& application, const Answers& answers, const EntryOptions& options);

// CPU time of all processes as counted by the operating system. If it is not recorded, CPU time of samples and Python
// processes, else of Spark's tasks.
int64_t CpuOf(const Application& application, const Answers& answers);

// Sums samples by hour, event and stack into `entry->totals` and `entry->stacks`, without line numbers. Stacks below
// `rare_share` of their event are merged into "[rare stacks]" of their caller. Samples without a time count for the
// hour of `start_ns`. Skips idle pool threads, as flame graphs do.
void AddStackTotals(const Profile& profile, int64_t start_ns, double rare_share, CatalogueEntry* entry);

}  // namespace sparkprof
