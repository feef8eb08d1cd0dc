// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/text/quantity.h"
#include "base/text/text.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

constexpr std::string_view kPythonAlloc = "pyalloc";  // for Python workers; all other events are for JVMs
constexpr std::string_view kNoEvent = "none";

}  // namespace

std::string SamplingText(const std::function<std::string(std::string_view key)>& value_of) {
  const auto is_on = [&](std::string_view key) { return value_of(key) == "true"; };
  const auto number = [&](std::string_view key) { return ParseInteger(value_of(key)).value_or(0); };
  const bool driver = is_on("driver.enabled"), executors = is_on("executor.enabled");
  if (!is_on("enabled") || !(driver || executors)) return std::string(kSwitchedOff);
  const std::string events = value_of("events");
  if (events == kNoEvent) return "recording tasks without samples";
  std::string text = "sampling ";
  std::vector<std::string_view> of_jvm = Split(events, ',');
  const bool has_python_alloc = std::erase(of_jvm, kPythonAlloc) > 0;
  std::erase(of_jvm, kNoEvent);
  if (of_jvm.empty()) of_jvm.push_back("cpu");
  for (const std::string_view event : of_jvm) {
    const bool is_lock = event == "lock" || event == "nativelock";
    const int64_t interval = number(fmt::format("{}.{}", event, is_lock ? "threshold" : "interval"));
    const bool is_memory = event == "alloc" || event == "nativemem";
    text += fmt::format("{} every {}, ", event, is_memory ? BytesText(interval) : DurationText(interval));
  }
  if (executors && is_on("python.enabled")) {
    text += fmt::format("Python every {}", DurationText(number("python.interval")));
    if (has_python_alloc) {
      text += fmt::format(", {} every {}", kPythonAlloc, BytesText(number("python.alloc.interval")));
    }
  } else {
    text.resize(text.size() - 2);
  }
  if (!driver) text += "; not the driver";
  if (!executors) text += "; not the executors";
  const int64_t share = number("executor.fraction");
  if (executors && share < 1'000'000'000)
    text += fmt::format("; {}.{}% of the executors", share / 10'000'000, share / 1'000'000 % 10);
  return text;
}

}  // namespace sparkprof
