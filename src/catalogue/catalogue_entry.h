// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/answers.h"
#include "catalogue/catalogue.h"
#include "model/application.h"

namespace sparkprof {

struct EntryOptions {
  std::string location;  // of the recording
  std::string version;   // of its content
  bool is_live = false;  // it still sends: without an end it is running, not incomplete
  // Stacks with their callees below this share of their event are added up as "[rare stacks]" of their caller, so that
  // the catalogue grows with what applications have in common, not with every sample's last frames.
  double rare_share = 1.0 / 20'000;
};

// The catalogue's entry of an application. Samples are taken as they are: choose the language before. The answers
// are the application's.
CatalogueEntry MakeCatalogueEntry(const Application& application, const Answers& answers, const EntryOptions& options);

// CPU time of all its processes as the operating system counted it; where that is not recorded, that of its samples and
// Python processes; else what Spark's tasks counted.
int64_t CpuOf(const Application& application, const Answers& answers);

}  // namespace sparkprof
