// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"
#include "server/querier/label_selector.h"

namespace sparkprof {

// Labels that differ between samples of an application.
inline constexpr std::string_view kSampleLabels[] = {"job", "stage", "sql", "executor", "host", "thread_group"};
inline constexpr size_t kSampleLabelCount = std::size(kSampleLabels);

// The index in kSampleLabels; nullopt for other names.
std::optional<size_t> FindSampleLabel(std::string_view name);

// Labels of an application's samples. `job` is the first job that needed the stage of the sample's task.
class SampleLabels {
 public:
  explicit SampleLabels(const Application& application);

  // The index of the sample's value in Values(label). Index 0 is "": no value.
  uint32_t Row(size_t label, const Sample& sample) const {
    const Column& column = columns_[label];
    return column.rows[column.is_by_task ? sample.task : sample.thread];
  }
  const std::vector<std::string>& Values(size_t label) const { return columns_[label].values; }

 private:
  struct Column {
    bool is_by_task = true;           // otherwise by thread
    std::vector<uint32_t> rows;       // by row of the profile's tasks or threads
    std::vector<std::string> values;  // without duplicates
  };
  std::array<Column, kSampleLabelCount> columns_;
};

// Matches samples against the conditions for sample labels.
class SampleFilter {
 public:
  // `labels` must outlive this.
  SampleFilter(const LabelMatchers& matchers, const SampleLabels& labels);

  bool Matches(const Sample& sample) const;

 private:
  struct Condition {
    size_t label = 0;
    std::vector<bool> is_match;  // by row of the label's values
  };
  const SampleLabels& labels_;
  std::vector<Condition> conditions_;
};

// Samples in [from_ns, to_ns] of one event, or of all events for nullopt. Samples without a time count at the start of
// the application. Excludes idle pool threads, as flame graphs do.
struct SampleRange {
  std::optional<EventId> event;
  int64_t from_ns = 0;
  int64_t to_ns = INT64_MAX;
};

// Rows of `application.profile.samples`, in order.
std::vector<uint32_t> FindSamples(const Application& application, const SampleRange& range, const SampleFilter& filter);

// The time of a sample for a SampleRange.
int64_t TimeInRange(const Application& application, const Sample& sample);

}  // namespace sparkprof
