// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "formats/records/profiler_records.h"
#include "formats/records/record_json.h"

namespace sparkprof {

// Names and units of the curves of Uber's records, and their series in a recording.

// A number of CpuAndMemory or ThreadInfo, RecordKey::kFirstJvmMetric to kLastJvmMetric.
RecordMetric UberMetric(RecordKey key);

// A number in a list: "memoryPools-G1EdenSpace-usageUsed", as the profiler's own flattening reporters call it.
RecordMetric UberListMetric(const RecordListValue& value);

// "duration.sum" of a method, "arg.1.400": how often it was called with that argument.
RecordMetric UberMethodMetric(std::string_view method, std::string_view metric);

// The four collector metrics of Phil's Stopwatch.
enum class CollectorMetric : uint8_t { kYoungTime, kYoungCount, kOldTime, kOldCount };
RecordMetric UberCollectorMetric(CollectorMetric metric);  // "ScavengeCollTime", …

// Young collectors, and pauses of collectors without generations, are Phil's Scavenge; old collectors and concurrent
// cycles are MarkSweep.
bool IsYoungCollector(std::string_view collector);

}  // namespace sparkprof
