// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <utility>

#include "base/text/text.h"
#include "launch/job_settings.h"

namespace sparkprof {
namespace {

constexpr char kSwitch[] = "ENABLE_AMAZON_PROFILER";

constexpr auto kFields =
    std::to_array<std::pair<std::string_view, const char*>>({{"profilingGroupName", "label"},
                                                             {"driverEnabled", "driver.enabled"},
                                                             {"executorEnabled", "executor.enabled"},
                                                             {"probability", "executor.fraction"},
                                                             {"heapSummaryEnabled", "heapSummary.enabled"}});

// Values may be JSON strings ("true") or plain (true): both are in use.
std::optional<std::string> Text(const simdjson::dom::element& value) {
  switch (value.type()) {
    case simdjson::dom::element_type::STRING:
      return std::string(value.get_string().value_unsafe());
    case simdjson::dom::element_type::BOOL:
      return value.get_bool().value_unsafe() ? "true" : "false";
    case simdjson::dom::element_type::DOUBLE:
      // All digits of a double, without an exponent.
      return fmt::format("{:.15f}", value.get_double().value_unsafe());
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
      return simdjson::minify(value);
    default:
      return std::nullopt;
  }
}

}  // namespace

ProfilingContext ReadProfilingContext(
    const std::function<std::optional<std::string>(const std::string& name)>& variable) {
  ProfilingContext context;
  const auto enable = variable(kSwitch);
  if (!enable) return context;
  if (ToLowerAscii(Trim(*enable)) != "true") {
    context.settings["enabled"] = "false";
    return context;
  }
  const auto json = variable(kProfilingContext);
  if (!json) return context;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(*json).get(object) != simdjson::SUCCESS) {
    context.wrong =
        fmt::format("{} is not a JSON object; use {{\"profilingGroupName\":\"name\"}} and check the escaping of quotes",
                    kProfilingContext);
    return context;
  }
  // Off by default, as in that plugin.
  context.settings["driver.enabled"] = "false";
  for (const auto& [field, key] : kFields) {
    simdjson::dom::element value;
    if (object[field].get(value) != simdjson::SUCCESS) continue;
    if (auto text = Text(value); text && !Trim(*text).empty()) context.settings[key] = std::move(*text);
  }
  return context;
}

}  // namespace sparkprof
