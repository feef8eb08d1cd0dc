// SPDX-License-Identifier: Apache-2.0
#include "formats/records/record_json.h"

#include <cmath>

#include "base/text/text.h"

namespace sparkprof {
namespace {

namespace ondemand = simdjson::ondemand;

struct NamedKey {
  std::string_view name;
  RecordKey key = RecordKey::kUnknown;
};

constexpr NamedKey kKeys[] = {
    {"name", RecordKey::kName},
    {"host", RecordKey::kHost},
    {"processUuid", RecordKey::kProcessUuid},
    {"appId", RecordKey::kAppId},
    {"role", RecordKey::kRole},
    {"tag", RecordKey::kTag},
    {"cluster", RecordKey::kCluster},
    {"threadName", RecordKey::kThreadName},
    {"threadState", RecordKey::kThreadState},
    {"i_d", RecordKey::kRddId},
    {"className", RecordKey::kClassName},
    {"methodName", RecordKey::kMethodName},
    {"metricName", RecordKey::kMetricName},
    {"processName", RecordKey::kProcessName},
    {"cmdline", RecordKey::kCmdline},
    {"jvmInputArguments", RecordKey::kJvmInputArguments},
    {"jvmClassPath", RecordKey::kJvmClassPath},
    {"agentVersion", RecordKey::kAgentVersion},
    {"epochMillis", RecordKey::kEpochMillis},
    {"startEpoch", RecordKey::kStartEpoch},
    {"endEpoch", RecordKey::kEndEpoch},
    {"count", RecordKey::kCount},
    {"intervalMillis", RecordKey::kIntervalMillis},
    {"pid", RecordKey::kPid},
    {"metricValue", RecordKey::kMetricValue},
    {"xmxBytes", RecordKey::kXmxBytes},
    {"fragmentSeq", RecordKey::kFragmentSeq},
    {"fragmentCount", RecordKey::kFragmentCount},
    {"processCpuLoad", RecordKey::kProcessCpuLoad},
    {"systemCpuLoad", RecordKey::kSystemCpuLoad},
    {"processCpuTime", RecordKey::kProcessCpuTime},
    {"heapMemoryTotalUsed", RecordKey::kHeapUsed},
    {"heapMemoryCommitted", RecordKey::kHeapCommitted},
    {"heapMemoryMax", RecordKey::kHeapMax},
    {"nonHeapMemoryTotalUsed", RecordKey::kNonHeapUsed},
    {"nonHeapMemoryCommitted", RecordKey::kNonHeapCommitted},
    {"nonHeapMemoryMax", RecordKey::kNonHeapMax},
    {"vmRSS", RecordKey::kVmRss},
    {"vmHWM", RecordKey::kVmHwm},
    {"vmSize", RecordKey::kVmSize},
    {"vmPeak", RecordKey::kVmPeak},
    {"totalStartedThreadCount", RecordKey::kTotalStartedThreads},
    {"newThreadCount", RecordKey::kNewThreads},
    {"liveThreadCount", RecordKey::kLiveThreads},
    {"peakThreadCount", RecordKey::kPeakThreads},
    {"pmem_rss", RecordKey::kRss},
    {"pmem_vms", RecordKey::kVms},
    {"cpu_percent", RecordKey::kCpuPercent},
    {"stacktrace", RecordKey::kStacktrace},
    {"gc", RecordKey::kGc},
    {"memoryPools", RecordKey::kMemoryPools},
    {"bufferPools", RecordKey::kBufferPools},
    {"stat", RecordKey::kStat},
    {"self", RecordKey::kSelf},
};

// The keys by a cheap hash of their names.
class KeyTable {
 public:
  KeyTable() {
    for (const NamedKey& key : kKeys) {
      size_t slot = SlotOf(key.name);
      while (!slots_[slot].name.empty()) slot = (slot + 1) % kSlots;
      slots_[slot] = key;
    }
  }

  RecordKey Find(std::string_view name) const {
    if (name.empty()) return RecordKey::kUnknown;
    for (size_t slot = SlotOf(name); !slots_[slot].name.empty(); slot = (slot + 1) % kSlots) {
      if (slots_[slot].name == name) return slots_[slot].key;
    }
    return RecordKey::kUnknown;
  }

 private:
  static constexpr size_t kSlots = 512;

  static size_t SlotOf(std::string_view name) {
    const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(name[i])); };
    return (name.size() * 131 + byte(0) * 31 + byte(name.size() - 1) * 7 + byte(name.size() / 2) * 17) % kSlots;
  }

  std::array<NamedKey, kSlots> slots_;
};

RecordKey FindKey(std::string_view name) {
  static const KeyTable table;
  return table.Find(name);
}

// A member's name as in the text. simdjson has found its closing quote.
std::string_view RawName(const ondemand::field& field) {
  const char* const begin = field.key().raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<size_t>(end - begin)};
}

size_t EndOfObject(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

bool RecordJson::Parse(std::string_view text, size_t readable, bool with_details) {
  if (ParseObject(text, readable, with_details)) return true;
  // Another process may have continued the line.
  const size_t end = EndOfObject(text);
  if (end == std::string_view::npos) return false;
  if (end < text.size() && ParseObject(text.substr(0, end), readable, with_details)) return true;
  if (IsUtf8(text.substr(0, end))) return false;
  const std::string valid = ToUtf8(text.substr(0, end));
  if (!ParseObject(valid, valid.size(), with_details)) return false;
  size_ = end;
  return true;
}

bool RecordJson::ParseObject(std::string_view text, size_t readable, bool with_details) {
  present_.fill(false);
  stacktrace_ = {};
  list_values_.clear();
  other_numbers_.clear();
  size_t capacity = readable;
  if (readable < text.size() + simdjson::SIMDJSON_PADDING) {
    padded_.assign(text);
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    text = std::string_view(padded_).substr(0, text.size());
    capacity = padded_.size();
  }
  ondemand::document document;
  ondemand::object object;
  if (parser_.iterate(simdjson::padded_string_view(text, capacity)).get(document) != simdjson::SUCCESS) return false;
  if (document.get_object().get(object) != simdjson::SUCCESS) return false;
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    const std::string_view name = RawName(field);
    if (!ReadMember(FindKey(name), name, field.value(), with_details)) return false;
  }
  const char* next = nullptr;  // text after the object, if any
  size_ = document.current_location().get(next) == simdjson::SUCCESS ? static_cast<size_t>(next - text.data())
                                                                     : text.size();
  return true;
}

bool RecordJson::ReadMember(RecordKey key, std::string_view name, Value value, bool with_details) {
  const auto index = static_cast<size_t>(key);
  if (key == RecordKey::kUnknown) {
    ondemand::json_type type;
    double number = 0;
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    if (type == ondemand::json_type::number && value.get_double().get(number) == simdjson::SUCCESS) {
      other_numbers_.emplace_back(name, number);
    }
    return true;
  }
  if (key <= RecordKey::kLastText) {
    present_[index] = value.get_string().get(texts_[index]) == simdjson::SUCCESS;
    return true;
  }
  if (key <= RecordKey::kLastNumber) {
    present_[index] = value.get_double().get(numbers_[index]) == simdjson::SUCCESS;
    return true;
  }
  present_[index] = true;
  switch (key) {
    case RecordKey::kStacktrace: {
      ondemand::array frames;
      if (value.get_array().get(frames) != simdjson::SUCCESS) return false;
      return frames.raw_json().get(stacktrace_) == simdjson::SUCCESS;
    }
    case RecordKey::kGc:
    case RecordKey::kStat:
      return ReadList(key, value);
    case RecordKey::kSelf:
      return ReadSelf(value);
    default:
      return !with_details || ReadList(key, value);
  }
}

bool RecordJson::ReadList(RecordKey list, Value value) {
  ondemand::array items;
  if (value.get_array().get(items) != simdjson::SUCCESS) return false;
  for (auto item : items) {
    Value element;
    if (item.get(element) != simdjson::SUCCESS || !ReadItem(list, element)) return false;
  }
  return true;
}

bool RecordJson::ReadItem(RecordKey list, Value value) {
  ondemand::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  return ReadNumbers(object, list, {});
}

bool RecordJson::ReadSelf(Value value) {
  ondemand::object self;
  if (value.get_object().get(self) != simdjson::SUCCESS) return false;
  for (auto member : self) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    if (RawName(field) != "io") continue;
    ondemand::object io;
    if (field.value().get_object().get(io) != simdjson::SUCCESS) return false;
    if (!ReadNumbers(io, RecordKey::kSelf, "io")) return false;
  }
  return true;
}

bool RecordJson::ReadNumbers(ondemand::object object, RecordKey list, std::string_view item) {
  const size_t first = list_values_.size();
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    const std::string_view name = RawName(field);
    Value value = field.value();
    if (name == "name" || name == "cpu") {
      if (value.get_string().get(item) != simdjson::SUCCESS) return false;
      continue;
    }
    double number = 0;
    if (value.get_double().get(number) == simdjson::SUCCESS) list_values_.push_back({list, {}, name, number});
  }
  for (size_t i = first; i < list_values_.size(); ++i) list_values_[i].item = item;
  return true;
}

std::optional<int64_t> RecordJson::Integer(RecordKey key) const {
  constexpr double kLimit = 9.2e18;  // just inside int64
  const std::optional<double> number = Number(key);
  if (!number || !(std::abs(*number) < kLimit) || *number != std::floor(*number)) return std::nullopt;
  return static_cast<int64_t>(*number);
}

}  // namespace sparkprof
