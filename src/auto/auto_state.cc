// SPDX-License-Identifier: Apache-2.0
#include "auto/auto_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/time.h"

namespace sparkprof {
namespace {

namespace dom = simdjson::dom;

AutoValues ValuesAt(const dom::object& object, std::string_view key) {
  AutoValues values;
  dom::object members;
  if (!ObjectAt(object, key, &members)) return values;
  for (const auto& [name, value] : members) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) values[std::string(name)] = text;
  }
  return values;
}

AutoVersion VersionOf(const dom::object& one) {
  AutoVersion version{.number = IntegerAt(one, "number", 0),
                      .before = IntegerAt(one, "before", 0),
                      .time_ns = NanosAt(one, "time"),
                      .settings = ValuesAt(one, "settings"),
                      .key = std::string(TextAt(one, "changed")),
                      .why = std::string(TextAt(one, "why")),
                      .runs = {}};
  dom::array runs;
  if (!ArrayAt(one, "runs", &runs)) return version;
  for (const dom::element run : runs) {
    std::string_view id;
    if (run.get(id) == simdjson::SUCCESS) version.runs.emplace_back(id);
  }
  return version;
}

RefusedValue RefusedOf(const dom::object& one) {
  return {.key = std::string(TextAt(one, "key")),
          .value = std::string(TextAt(one, "value")),
          .is_smaller = BooleanAt(one, "smaller"),
          .input_bytes = IntegerAt(one, "inputBytes", 0),
          .why = std::string(TextAt(one, "why"))};
}

}  // namespace

const AutoVersion* AutoState::Find(int64_t number) const {
  const auto found =
      std::find_if(versions.begin(), versions.end(), [&](const AutoVersion& one) { return one.number == number; });
  return found == versions.end() ? nullptr : &*found;
}

std::string AutoStateJson(std::string_view group, const AutoState& state) {
  JsonWriter json;
  json.BeginObject().Member("group", group);
  json.Key("own").Object(state.own);
  json.Key("versions").BeginArray();
  for (const AutoVersion& version : state.versions) {
    json.BeginObject().Member("number", version.number).Member("before", version.before);
    json.Member("time", version.time_ns / kNanosPerMilli);
    json.Key("settings").Object(version.settings);
    json.Member("changed", version.key).Member("why", version.why).Member("runs", version.runs).EndObject();
  }
  json.EndArray().Key("refused").BeginArray();
  for (const RefusedValue& one : state.refused) {
    json.BeginObject().Member("key", one.key).Member("value", one.value).Member("smaller", one.is_smaller);
    json.Member("inputBytes", one.input_bytes).Member("why", one.why).EndObject();
  }
  return json.EndArray().EndObject().Take();
}

Result<AutoState> ParseAutoState(std::string_view json, const std::string& name) {
  JsonParser parser;
  dom::object document;
  dom::array versions, refused;
  if (parser.Parse(json).get(document) != simdjson::SUCCESS || !ArrayAt(document, "versions", &versions) ||
      !ArrayAt(document, "refused", &refused)) {
    return Fail(
        fmt::format("{}: damaged; restore it from a backup, or remove it to begin again with the job's own "
                    "settings",
                    name));
  }
  AutoState state{.own = ValuesAt(document, "own"), .versions = {}, .refused = {}};
  dom::object one;
  for (const dom::element item : versions)
    state.versions.push_back(item.get(one) == simdjson::SUCCESS ? VersionOf(one) : AutoVersion());
  for (const dom::element item : refused)
    state.refused.push_back(item.get(one) == simdjson::SUCCESS ? RefusedOf(one) : RefusedValue());
  return state;
}

}  // namespace sparkprof
