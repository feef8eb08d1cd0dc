// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

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
    const auto most = std::ranges::max_element(points, {}, &SeriesPoint::value);
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
  std::ranges::stable_sort(sorted, [](const NativeRow& a, const NativeRow& b) {
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
  const auto of = CellsOf(MemoryOverTime(application));
  return {.name = "memory",
          .rows = of.Size(),
          .columns = {
              {"executorId", "executor, or driver", kText, kShown,
               of.Of([&application](const MemoryParts& row) { return ExecutorCell(application, row.executor); }),
               ColumnRole::kExecutor},
              {"time", "time of the measurement", kTime, kShown, of.Time(&MemoryParts::time_ns), ColumnRole::kBegin},
              {"total", "resident memory of the JVM and its Python processes", kBytes, kShown,
               of.Value(&MemoryParts::total)},
              {"heapUsed", "used heap", kBytes, kShown, of.Optional(&MemoryParts::heap_used)},
              {"metaspace", "classes of the JVM", kBytes, kShown, of.Optional(&MemoryParts::metaspace)},
              {"sparkOffHeap", "off-heap memory that Spark reserved", kBytes, kShown,
               of.Optional(&MemoryParts::spark_off_heap)},
              {"directBuffers", "direct buffers of the JVM", kBytes, kShown, of.Optional(&MemoryParts::direct_buffers)},
              {"native", "other native memory in use, by samples of nativemem", kBytes, kShown,
               of.Optional(&MemoryParts::native)},
              {"python", "Python workers, and the driver's Python program", kBytes, kShown,
               of.Optional(&MemoryParts::python)},
              {"program", "of it, the driver's program", kBytes, kHidden, of.Optional(&MemoryParts::program)},
              {"pythonLive", "of it, held in Python objects and NumPy arrays, by samples of pyalloc", kBytes, kHidden,
               of.Optional(&MemoryParts::python_live)},
              {"arrow", "of it, in Arrow's memory pool, by its own counter, with pyalloc", kBytes, kHidden,
               of.Optional(&MemoryParts::arrow)},
              {"otherNative", "the rest of it, with pyalloc", kBytes, kHidden, of.Optional(&MemoryParts::other_native)},
              {"untracked", "the rest of the total", kBytes, kShown, of.Value(&MemoryParts::untracked)},
              {"limit", "limit of the container", kBytes, kShown, of.Optional(&MemoryParts::limit)},
              {"heapCommitted", "capacity of the heap", kBytes, kHidden, of.Optional(&MemoryParts::heap_committed)},
          }};
}

Table NativeMemoryTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  using Row = NativeRow;
  const auto of = CellsOf(NativeRows(application));
  return {.name = "native_memory",
          .rows = of.Size(),
          .columns = {
              {"executorId", "executor, or driver", kText, kShown,
               of.Of([&application](const Row& row) { return ExecutorCell(application, row.executor); }),
               ColumnRole::kExecutor},
              {"owner", "who allocated it: a stage, the driver program, the JVM", kText, kShown,
               of.Of([](const Row& row) { return TextCell(row.owner.second); })},
              {"ownerKind", "task, driver or background", kText, kHidden,
               of.Of([](const Row& row) { return Cell(OwnerKindName(row.owner.first)); })},
              {"bytes", "bytes in use at the end", kBytes, kShown, of.Value(&Row::bytes)},
              {"peakBytes", "bytes in use when the JVM had most in use", kBytes, kShown, of.Value(&Row::peak_bytes)},
              {"peakTime", "time when the JVM had most in use", kTime, kHidden, of.Time(&Row::peak_ns)},
              {"callPath", "functions that allocated it", kLongText, kShown, of.Text(&Row::path)},
          }};
}

}  // namespace sparkprof
