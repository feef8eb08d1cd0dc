// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/owners/memory_parts.h"
#include "analysis/owners/native_memory.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {
namespace {

constexpr size_t kCallersShown = 12;

// Native memory of an owner by call path, at the end and when its JVM had most in use.
struct NativeRow {
  int32_t executor = -1;
  OwnerName owner;
  std::string path;
  int64_t bytes = 0, peak_bytes = 0;
  int64_t peak_ns = 0;
};

std::vector<NativeRow> NativeRows(const Application& application) {
  std::map<int32_t, int64_t> ends_ns, peaks_ns;
  for (const auto& [executor, points] : NativeMemoryInUse(application)) {
    const auto most = std::max_element(points.begin(), points.end(),
                                       [](const SeriesPoint& a, const SeriesPoint& b) { return a.value < b.value; });
    ends_ns[executor] = points.back().time_ns;
    peaks_ns[executor] = most->time_ns - application.profile.bucket_ns;
  }
  std::map<std::tuple<int32_t, OwnerName, std::string>, NativeRow> rows;
  const auto add = [&](const std::map<int32_t, int64_t>& times_ns, int64_t NativeRow::*bytes) {
    for (const auto& [executor, uses] : NativeUses(application, times_ns)) {
      for (const NativeUse& use : uses) {
        const std::string path = CallPath(application.profile, use.stack, kCallersShown);
        NativeRow& row = rows[{executor, use.owner, path}];
        row = {executor, use.owner, path, row.bytes, row.peak_bytes, peaks_ns[executor]};
        row.*bytes += use.bytes;
      }
    }
  };
  add(ends_ns, &NativeRow::bytes);
  add(peaks_ns, &NativeRow::peak_bytes);
  std::vector<NativeRow> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const NativeRow& a, const NativeRow& b) {
    return std::pair(a.bytes, a.peak_bytes) > std::pair(b.bytes, b.peak_bytes);
  });
  return sorted;
}

Cell ExecutorCell(const Application& application, int32_t executor) {
  return executor < 0 ? Cell() : TextCell(application.executors[static_cast<size_t>(executor)].id);
}

}  // namespace

Table MemoryTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto rows = std::make_shared<const std::vector<MemoryParts>>(MemoryOverTime(application));
  const auto part = [rows](std::optional<int64_t> MemoryParts::*member) {
    return [rows, member](size_t row) { return OptionalCell((*rows)[row].*member); };
  };
  return {
      .name = "memory",
      .rows = rows->size(),
      .columns = {
          {"executorId", "executor, or driver", kText, kShown,
           [rows, &application](size_t row) { return ExecutorCell(application, (*rows)[row].executor); },
           ColumnRole::kExecutor},
          {"time", "time of the measurement", kTime, kShown,
           [rows](size_t row) { return TimeCell((*rows)[row].time_ns); }, ColumnRole::kBegin},
          {"total", "resident memory of the JVM and its Python processes", kBytes, kShown,
           [rows](size_t row) { return Cell((*rows)[row].total); }},
          {"heapUsed", "used heap", kBytes, kShown, part(&MemoryParts::heap_used)},
          {"metaspace", "classes of the JVM", kBytes, kShown, part(&MemoryParts::metaspace)},
          {"sparkOffHeap", "off-heap memory that Spark reserved", kBytes, kShown, part(&MemoryParts::spark_off_heap)},
          {"directBuffers", "direct buffers of the JVM", kBytes, kShown, part(&MemoryParts::direct_buffers)},
          {"native", "other native memory in use, by samples of nativemem", kBytes, kShown, part(&MemoryParts::native)},
          {"python", "Python workers, and the driver's Python program", kBytes, kShown, part(&MemoryParts::python)},
          {"program", "of it, the driver's program", kBytes, kHidden, part(&MemoryParts::program)},
          {"pythonLive", "of it, held in Python objects and NumPy arrays, by samples of pyalloc", kBytes, kHidden,
           part(&MemoryParts::python_live)},
          {"arrow", "of it, in Arrow's memory pool, by its own counter, with pyalloc", kBytes, kHidden,
           part(&MemoryParts::arrow)},
          {"otherNative", "the rest of it, with pyalloc", kBytes, kHidden, part(&MemoryParts::other_native)},
          {"untracked", "the rest of the total", kBytes, kShown,
           [rows](size_t row) { return Cell((*rows)[row].untracked); }},
          {"limit", "limit of the container", kBytes, kShown, part(&MemoryParts::limit)},
          {"heapCommitted", "capacity of the heap", kBytes, kHidden, part(&MemoryParts::heap_committed)},
      }};
}

Table NativeMemoryTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto rows = std::make_shared<const std::vector<NativeRow>>(NativeRows(application));
  const auto cell = [rows](auto value) { return [rows, value](size_t row) { return value((*rows)[row]); }; };
  using Row = NativeRow;
  return {
      .name = "native_memory",
      .rows = rows->size(),
      .columns = {
          {"executorId", "executor, or driver", kText, kShown,
           cell([&application](const Row& row) { return ExecutorCell(application, row.executor); }),
           ColumnRole::kExecutor},
          {"owner", "who allocated it: a stage, the driver program, the JVM", kText, kShown,
           cell([](const Row& row) { return TextCell(row.owner.second); })},
          {"ownerKind", "task, driver or background", kText, kHidden,
           cell([](const Row& row) { return Cell(OwnerKindName(row.owner.first)); })},
          {"bytes", "bytes in use at the end", kBytes, kShown, cell([](const Row& row) { return Cell(row.bytes); })},
          {"peakBytes", "bytes in use when the JVM had most in use", kBytes, kShown,
           cell([](const Row& row) { return Cell(row.peak_bytes); })},
          {"peakTime", "time when the JVM had most in use", kTime, kHidden,
           cell([](const Row& row) { return TimeCell(row.peak_ns); })},
          {"callPath", "functions that allocated it", kLongText, kShown,
           cell([](const Row& row) { return TextCell(row.path); })},
      }};
}

}  // namespace sparkprof
