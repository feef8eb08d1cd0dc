// SPDX-License-Identifier: Apache-2.0
#include "model/sample.h"

namespace sparkprof {
namespace {

struct EventText {
  std::string_view name, unit, label;
};

// In the order of Event's numbers, which start at 1.
constexpr EventText kEventTexts[] = {
    {"cpu", "ns", "CPU"},
    {"wall", "ns", "Wall clock"},
    {"alloc", "bytes", "Allocation"},
    {"live", "bytes", "Live objects"},
    {"lock", "ns", "Lock wait"},
    {"nativelock", "ns", "Native lock wait"},
    {"malloc", "bytes", "Native allocation"},
    {"free", "bytes", "Native release"},
    {"method", "ns", "Traced methods"},
};

const EventText& Text(Event event) { return kEventTexts[static_cast<size_t>(event) - 1]; }

}  // namespace

std::string_view EventName(Event event) { return Text(event).name; }
std::string_view EventUnit(Event event) { return Text(event).unit; }
std::string_view EventLabel(Event event) { return Text(event).label; }

std::optional<Event> ParseEvent(std::string_view name) {
  for (const Event event : kAllEvents) {
    if (EventName(event) == name) return event;
  }
  return std::nullopt;
}

uint64_t SampleTable::Hash(const Sample& sample) {
  const uint64_t kinds = static_cast<uint64_t>(sample.event) << 16 | static_cast<uint64_t>(sample.category) << 8 |
                         static_cast<uint64_t>(sample.python) << 4 | static_cast<uint64_t>(sample.state);
  uint64_t hash = MixHash(static_cast<uint64_t>(sample.bucket) ^ kinds << 40);
  hash = MixHash(hash ^ (uint64_t{sample.thread} << 32 | sample.stack));
  return MixHash(hash ^ static_cast<uint64_t>(sample.task));
}

void SampleTable::Add(const Sample& sample) {
  const uint64_t hash = Hash(sample);
  const uint32_t found = index_.Find(hash, [&](uint32_t id) { return rows_[id].SameKey(sample); });
  if (found != HashIndex::kNone) {
    rows_[found].weight += sample.weight;
    rows_[found].count += sample.count;
    return;
  }
  rows_.push_back(sample);
  index_.Insert(hash, static_cast<uint32_t>(rows_.size() - 1), [&](uint32_t id) { return Hash(rows_[id]); });
}

void SampleTable::Clear() {
  rows_.clear();
  index_.Clear();
}

}  // namespace sparkprof
