// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/machines/heap_classes.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

std::string HeapNote(const HeapChange& heap) {
  if (heap.summaries.empty()) return {};
  int64_t longest_ns = 0;
  for (const ApplicationHeapSummary* row : heap.summaries) longest_ns = std::max(longest_ns, row->summary.pause_ns);
  const std::string before = heap.is_known
                                 ? fmt::format("before {} in {}", FormatBytes(heap.before.bytes), heap.before.instances)
                                 : std::string("one summary of each JVM, so no change is known");
  return fmt::format("All classes: {} in {} objects, {}.\nHeap summaries: {}, from {} to {}; longest pause {}.\n",
                     FormatBytes(heap.now.bytes), heap.now.instances, before, heap.summaries.size(),
                     FormatTimestamp(heap.summaries.front()->summary.time_ns),
                     FormatTimestamp(heap.summaries.back()->summary.time_ns), FormatDuration(longest_ns));
}

}  // namespace

Table HeapTable(const Application& application, const Selection& selection) {
  using enum ColumnType;
  using enum Visibility;
  const auto heap = std::make_shared<const HeapChange>(HeapChangeOf(application, selection));
  const auto number = [heap](auto value) {
    return [heap, value](size_t row) { return Cell(value(heap->classes[row])); };
  };
  const auto change = [heap](auto value) {
    return [heap, value](size_t row) { return heap->is_known ? Cell(value(heap->classes[row])) : Cell(); };
  };
  const auto share = [heap](size_t row) {
    if (heap->now.bytes <= 0) return Cell();
    return Cell(static_cast<double>(heap->classes[row].now.bytes) / static_cast<double>(heap->now.bytes));
  };
  using Row = HeapClassChange;
  return {.name = "heap",
          .rows = heap->classes.size(),
          .columns =
              {
                  {"bytes", "bytes of its objects at the last summary of each JVM", kBytes, kShown,
                   number([](const Row& row) { return row.now.bytes; })},
                  {"share", "bytes as a share of all classes", kShare, kShown, share},
                  {"bytesChange", "change of the bytes since the first summary", kBytes, kShown,
                   change([](const Row& row) { return row.BytesChange(); })},
                  {"instances", "objects at the last summary", kInteger, kShown,
                   number([](const Row& row) { return row.now.instances; })},
                  {"instancesChange", "change of the objects since the first summary", kInteger, kShown,
                   change([](const Row& row) { return row.now.instances - row.before.instances; })},
                  {"bytesBefore", "bytes at the first summary", kBytes, kHidden,
                   change([](const Row& row) { return row.before.bytes; })},
                  {"instancesBefore", "objects at the first summary", kInteger, kHidden,
                   change([](const Row& row) { return row.before.instances; })},
                  {"name", "class", kLongText, kShown, number([](const Row& row) { return row.name; })},
              },
          .note = HeapNote(*heap)};
}

Table HeapSummariesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& summaries = application.heap_summaries;
  const auto executor = [&application](size_t row) {
    const int32_t at = application.heap_summaries[row].executor;
    return at < 0 ? Cell() : TextCell(application.executors[static_cast<size_t>(at)].id);
  };
  const auto pause = [&summaries](size_t row) {
    return Cell(static_cast<double>(summaries[row].summary.pause_ns) / kNanosPerMilli);
  };
  return {.name = "heap_summaries",
          .rows = summaries.size(),
          .columns = {
              {"time", "time of the summary", kTime, kShown,
               [&summaries](size_t row) { return TimeCell(summaries[row].summary.time_ns); }, ColumnRole::kBegin},
              {"executorId", "executor, or driver", kText, kShown, executor, ColumnRole::kExecutor},
              {"bytes", "bytes of all objects", kBytes, kShown,
               [&summaries](size_t row) { return Cell(summaries[row].summary.Total().bytes); }},
              {"instances", "number of all objects", kInteger, kShown,
               [&summaries](size_t row) { return Cell(summaries[row].summary.Total().instances); }},
              {"pauseMs", "time in which the JVM stood still for it", kMillis, kShown, pause},
          }};
}

}  // namespace sparkprof
