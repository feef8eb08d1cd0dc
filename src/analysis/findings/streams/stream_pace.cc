// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/streams/stream_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/findings/rules.h"
#include "analysis/python/driver_lines.h"
#include "base/text/text.h"

namespace sparkprof {

std::vector<const StreamingBatch*> BatchesWithRows(const Application& application, int32_t query) {
  std::vector<const StreamingBatch*> batches;
  for (const StreamingBatch& batch : application.streaming_batches) {
    if (batch.query == query && batch.input_rows > 0) batches.push_back(&batch);
  }
  return batches;
}

BatchTimes::BatchTimes(const Application& application) {
  for (const StreamingBatch& batch : application.streaming_batches) {
    by_start_.push_back(&batch);
    longest_ns_ = std::max(longest_ns_, batch.duration_ns);
  }
  std::stable_sort(by_start_.begin(), by_start_.end(),
                   [](const StreamingBatch* a, const StreamingBatch* b) { return a->start_ns < b->start_ns; });
}

const StreamingBatch* BatchTimes::At(int64_t time_ns) const {
  auto behind = std::upper_bound(by_start_.begin(), by_start_.end(), time_ns,
                                 [](int64_t time, const StreamingBatch* batch) { return time < batch->start_ns; });
  const StreamingBatch* first = nullptr;
  for (; behind != by_start_.begin() && time_ns - (*(behind - 1))->start_ns < longest_ns_; --behind) {
    const StreamingBatch* const batch = *(behind - 1);
    // All are rows of one table, so pointers order them.
    if (time_ns < batch->start_ns + batch->duration_ns && (first == nullptr || batch < first)) first = batch;
  }
  return first;
}

bool IsAlwaysBusy(const std::vector<const StreamingBatch*>& batches) {
  constexpr double kAlwaysBusy = 0.8;  // share of time
  if (batches.empty()) return false;
  int64_t busy_ns = 0;
  for (const StreamingBatch* batch : batches) busy_ns += batch->duration_ns;
  const int64_t span_ns = batches.back()->start_ns + batches.back()->duration_ns - batches.front()->start_ns;
  return Share(busy_ns, span_ns) >= kAlwaysBusy;
}

bool HasBusyStream(const Application& application) {
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    if (IsAlwaysBusy(BatchesWithRows(application, static_cast<int32_t>(row)))) return true;
  }
  return false;
}

std::vector<int64_t> StagesOfBatches(const Application& application) {
  const BatchTimes batches(application);
  std::vector<int64_t> stages;
  for (const Stage& stage : application.stages) {
    if (batches.At(stage.submit_ns) != nullptr) stages.push_back(stage.id);
  }
  return stages;
}

int64_t PhaseOf(const std::vector<const StreamingBatch*>& batches, std::string_view phase) {
  int64_t time_ns = 0;
  for (const StreamingBatch* batch : batches) {
    for (const auto& [name, duration_ns] : batch->phases_ns) {
      if (name == phase) time_ns += duration_ns;
    }
  }
  return time_ns;
}

std::string PhasesText(const std::vector<const StreamingBatch*>& batches) {
  std::map<std::string, int64_t> phases;
  int64_t total_ns = 0;
  for (const StreamingBatch* batch : batches) {
    total_ns += batch->duration_ns;
    for (const auto& [name, duration_ns] : batch->phases_ns) {
      if (name != "triggerExecution") phases[name] += duration_ns;
    }
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [name, time_ns] : phases) sorted.emplace_back(time_ns, name);
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted.empty()) return {};
  std::string text =
      fmt::format("{} takes {} of a batch", sorted[0].second, FormatShare(Share(sorted[0].first, total_ns)));
  if (sorted.size() > 1)
    text += fmt::format(", {} {}", sorted[1].second, FormatShare(Share(sorted[1].first, total_ns)));
  return text;
}

std::vector<std::string> DriverLinesOf(const Application& application,
                                       const std::vector<const StreamingBatch*>& batches) {
  return DriverLines(application, [&](int64_t time_ns) {
    return std::any_of(batches.begin(), batches.end(), [time_ns](const StreamingBatch* batch) {
      return time_ns >= batch->start_ns && time_ns < batch->start_ns + batch->duration_ns;
    });
  });
}

std::string NameOf(const StreamingQuery& query) {
  constexpr size_t kEnoughOfId = 8;  // a UUID is not a readable name
  return query.name.empty() ? query.run_id.substr(0, kEnoughOfId) : query.name;
}

}  // namespace sparkprof
