// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The members of records of Uber's jvm-profiler and of the PySpark profilers, in any order.
enum class RecordKey : uint8_t {
  kUnknown,
  // Text.
  kName,
  kHost,
  kProcessUuid,
  kAppId,
  kRole,
  kTag,
  kCluster,
  kThreadName,
  kThreadState,
  kRddId,
  kClassName,
  kMethodName,
  kMetricName,
  kProcessName,
  kCmdline,
  kJvmInputArguments,
  kJvmClassPath,
  kAgentVersion,
  kLastText = kAgentVersion,
  // Numbers.
  kEpochMillis,
  kStartEpoch,
  kEndEpoch,
  kCount,
  kIntervalMillis,
  kPid,
  kMetricValue,
  kXmxBytes,
  kFragmentSeq,
  kFragmentCount,
  kProcessCpuLoad,
  kFirstJvmMetric = kProcessCpuLoad,
  kSystemCpuLoad,
  kProcessCpuTime,
  kHeapUsed,
  kHeapCommitted,
  kHeapMax,
  kNonHeapUsed,
  kNonHeapCommitted,
  kNonHeapMax,
  kVmRss,
  kVmHwm,
  kVmSize,
  kVmPeak,
  kTotalStartedThreads,
  kNewThreads,
  kLiveThreads,
  kPeakThreads,
  kLastJvmMetric = kPeakThreads,
  kRss,
  kVms,
  kCpuPercent,
  kLastNumber = kCpuPercent,
  // Lists and objects.
  kStacktrace,
  kGc,
  kMemoryPools,
  kBufferPools,
  kStat,
  kSelf,
};
inline constexpr size_t kRecordKeyCount = static_cast<size_t>(RecordKey::kSelf) + 1;

// A number in an object of a list: {"name": item, "usageUsed": value, …}, or in self.io.
struct RecordListValue {
  RecordKey list = RecordKey::kUnknown;
  std::string_view item;   // "PS Scavenge", "G1 Eden Space", "cpu0"; "io" in self
  std::string_view field;  // "collectionTime", as in the text
  double value = 0;
};

// One JSON object as far as records need it. Views are valid until the next Parse.
class RecordJson {
 public:
  // Reads the JSON object at the begin of `text`. `readable` bytes may be read from there on, at least text's size:
  // where that is less than simdjson's padding more, the text is copied. False when it is not a JSON object; what
  // follows the object in the same line does not matter. `with_details` reads the lists of memory pools and buffers
  // too.
  bool Parse(std::string_view text, size_t readable, bool with_details);

  bool Has(RecordKey key) const { return present_[static_cast<size_t>(key)]; }
  std::string_view Text(RecordKey key) const { return Has(key) ? texts_[static_cast<size_t>(key)] : ""; }
  std::optional<double> Number(RecordKey key) const {
    return Has(key) ? std::optional(numbers_[static_cast<size_t>(key)]) : std::nullopt;
  }
  // An integer; nullopt if it is missing, has a fraction or exceeds int64.
  std::optional<int64_t> Integer(RecordKey key) const;

  // The list under "stacktrace", as in the text.
  std::string_view Stacktrace() const { return stacktrace_; }
  const std::vector<RecordListValue>& ListValues() const { return list_values_; }
  // Numbers with unknown names.
  const std::vector<std::pair<std::string_view, double>>& OtherNumbers() const { return other_numbers_; }

  // Size of the object and the white space after it.
  size_t Size() const { return size_; }

 private:
  using Value = simdjson::ondemand::value;

  bool ParseObject(std::string_view text, size_t readable, bool with_details);
  bool ReadMember(RecordKey key, std::string_view name, Value value, bool with_details);
  bool ReadList(RecordKey list, Value value);
  bool ReadItem(RecordKey list, Value value);
  bool ReadSelf(Value value);
  bool ReadNumbers(simdjson::ondemand::object object, RecordKey list, std::string_view item);

  simdjson::ondemand::parser parser_;
  std::string padded_;
  std::array<bool, kRecordKeyCount> present_{};
  std::array<std::string_view, static_cast<size_t>(RecordKey::kLastText) + 1> texts_;
  std::array<double, static_cast<size_t>(RecordKey::kLastNumber) + 1> numbers_{};
  std::string_view stacktrace_;
  std::vector<RecordListValue> list_values_;
  std::vector<std::pair<std::string_view, double>> other_numbers_;
  size_t size_ = 0;
};

}  // namespace sparkprof
