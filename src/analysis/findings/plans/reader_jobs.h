// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Jobs that Spark runs when a program opens a source, before any query.
struct ReaderJobs {
  int64_t count = 0;
  int64_t time_ns = 0;      // time of their stages
  int64_t input_bytes = 0;  // bytes that they read
  int64_t tasks = 0;
  int64_t repeats = 0;  // maximum number of listings of the same folders; 1 = all differ
  std::vector<int64_t> stages;
  std::vector<std::string> lines;  // the first ones: "json at job.py:5"
};

// True for a job of either kind.
bool IsReaderJob(const Application& application, const Job& job);

bool IsOfReaderJob(const Application& application, const Stage& stage);

// Jobs that read files to infer their columns and types.
ReaderJobs SchemaJobsOf(const FindingInput& input);

// Jobs that list the folders of a source.
ReaderJobs ListingJobsOf(const FindingInput& input);

}  // namespace sparkprof
