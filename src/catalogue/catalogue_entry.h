// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

// The catalogue entry of an application. Uses the samples as they are, so choose the language first. `answers` must
// belong to the application.
CatalogueEntry MakeCatalogueEntry(const Application& application, const Answers& answers, const EntryOptions& options);

// CPU time of all processes as counted by the operating system. If it is not recorded, CPU time of samples and Python
// processes, else of Spark's tasks.
int64_t CpuOf(const Application& application, const Answers& answers);

}  // namespace sparkprof
