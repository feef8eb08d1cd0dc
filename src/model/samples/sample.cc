// SPDX-License-Identifier: Apache-2.0
#include "model/samples/sample.h"

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
    {"pyalloc", "bytes", "Python allocation"},
    {"pylive", "bytes", "Python memory held"},
    {"pyfree", "bytes", "Python release"},
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

}  // namespace sparkprof
