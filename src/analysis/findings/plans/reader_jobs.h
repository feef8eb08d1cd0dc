// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"

namespace sparkprof {

// Jobs that Spark runs while a program opens a source, before any query.
struct ReaderJobs {
  int64_t count = 0;
  int64_t time_ns = 0;      // of their stages
  int64_t input_bytes = 0;  // that they read
  int64_t tasks = 0;
  int64_t repeats = 0;  // of the same listing, the most of one: 1 = each is of other folders
  std::vector<int64_t> stages;
  std::vector<std::string> lines;  // "json at job.py:5", of the first ones
};

// Whether a job is one of these, of either kind.
bool IsReaderJob(const Application& application, const Job& job);

// Whether a stage is of such a job.
bool IsOfReaderJob(const Application& application, const Stage& stage);

// Reading files to find out their columns and types.
ReaderJobs SchemaJobsOf(const FindingInput& input);

// Listing the folders of a source.
ReaderJobs ListingJobsOf(const FindingInput& input);

}  // namespace sparkprof
