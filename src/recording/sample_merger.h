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

// Merges the samples of many segments, each with its own tables and bucket width, into the tables of one application.
// Rows of one JVM that differ only in weight are merged. Not thread-safe.
class SampleMerger {
 public:
  SampleMerger(Application* application, int64_t bucket_ns) : application_(application) {
    if (bucket_ns > 0) application->profile.bucket_ns = bucket_ns;
  }

  // Maximum number of rows that will be added.
  void Reserve(size_t rows) { samples_.Reserve(rows); }

  // Samples of Python threads go to `python_samples`. `executor` is the row of the segment's executor, -1 = unknown.
  void Add(const Segment& segment, int32_t executor, int64_t segment_bucket_ns);

  // Call after adding all segments of one JVM.
  void EndSource() {
    samples_.EndSource();
    python_samples_.EndSource();
  }

  // Moves the samples into the application.
  void Finish();

 private:
  void MapTables(const Segment& segment);
  // The name that all JVMs of the application share.
  StringId Stable(StringId name);
  void MapThreads(const Segment& segment, int32_t executor);
  uint32_t Thread(int64_t tid, int64_t pid, int32_t executor, std::string_view name);
  uint32_t Task(int64_t task);

  Application* application_;
  MergedSamples samples_;
  MergedSamples python_samples_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> threads_;  // rows by TID, one per executor and process
  std::unordered_map<int64_t, uint32_t> tasks_;                  // rows by TID
  std::vector<StringId> stable_names_;                           // by string ID of the application

  // The application's IDs by those of the current segment.
  std::vector<StringId> strings_;
  std::vector<FrameId> frames_;
  std::vector<StackId> stacks_;
  std::vector<uint32_t> thread_rows_;
};

}  // namespace sparkprof
