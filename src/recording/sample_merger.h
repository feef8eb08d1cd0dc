// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/application.h"
#include "recording/merged_samples.h"

namespace sparkprof {

// Brings the samples of many segments, each with its own tables and width of bucket, into the tables of one
// application. Rows of one JVM that agree in everything but weight become one.
// Not thread-safe.
class SampleMerger {
 public:
  SampleMerger(Application* application, int64_t bucket_ns) : application_(application) {
    if (bucket_ns > 0) application->profile.bucket_ns = bucket_ns;
  }

  // For the rows that will be added at most.
  void Reserve(size_t rows) { samples_.Reserve(rows); }

  // Samples of Python threads go into `python_samples`. `executor` is the executor's row (-1 = unknown) of the segment.
  void Add(const Segment& segment, int32_t executor, int64_t segment_bucket_ns);

  // The segments of one JVM were added.
  void EndSource() {
    samples_.EndSource();
    python_samples_.EndSource();
  }

  // Samples into the application.
  void Finish();

 private:
  void MapTables(const Segment& segment);
  // The name that all JVMs of the application have for it.
  StringId Stable(StringId name);
  void MapThreads(const Segment& segment, int32_t executor);
  uint32_t Thread(int64_t tid, int64_t pid, int32_t executor, std::string_view name);
  uint32_t Task(int64_t task);

  Application* application_;
  MergedSamples samples_;
  MergedSamples python_samples_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> threads_;  // rows by tid: one for each executor and process
  std::unordered_map<int64_t, uint32_t> tasks_;                  // rows by TID
  std::vector<StringId> stable_names_;                           // by strings of the application

  // Maps the current segment's string IDs to the application's.
  std::vector<StringId> strings_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<uint32_t> thread_rows_;
};

}  // namespace sparkprof
