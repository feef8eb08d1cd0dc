// SPDX-License-Identifier: Apache-2.0
#include "auto/auto_state.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/text/json_writer.h"
#include "base/time.h"

namespace sparkprof {
namespace {

namespace dom = simdjson::dom;

void WriteValues(std::string_view key, const AutoValues& values, JsonWriter* json) {
  json->Key(key).BeginObject();
  for (const auto& [name, value] : values) json->Member(name, value);
  json->EndObject();
}

std::string TextAt(dom::element object, const char* key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

int64_t NumberAt(dom::element object, const char* key) {
  int64_t number = 0;
  return object[key].get(number) == simdjson::SUCCESS ? number : 0;
}

AutoValues ValuesAt(dom::element object, const char* key) {
  AutoValues values;
  dom::object members;
  if (object[key].get(members) != simdjson::SUCCESS) return values;
  for (const auto& [name, value] : members) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) values[std::string(name)] = text;
  }
  return values;
}

AutoVersion VersionOf(dom::element one) {
  AutoVersion version{.number = NumberAt(one, "number"),
                      .before = NumberAt(one, "before"),
                      .time_ns = NumberAt(one, "time") * kNanosPerMilli,
                      .settings = ValuesAt(one, "settings"),
                      .key = TextAt(one, "changed"),
                      .why = TextAt(one, "why"),
                      .runs = {}};
  dom::array runs;
  if (one["runs"].get(runs) != simdjson::SUCCESS) return version;
  for (const dom::element run : runs) {
    std::string_view id;
    if (run.get(id) == simdjson::SUCCESS) version.runs.emplace_back(id);
  }
  return version;
}

RefusedValue RefusedOf(dom::element one) {
  bool is_smaller = false;
  if (one["smaller"].get(is_smaller) != simdjson::SUCCESS) is_smaller = false;
  return {.key = TextAt(one, "key"),
          .value = TextAt(one, "value"),
          .is_smaller = is_smaller,
          .input_bytes = NumberAt(one, "inputBytes"),
          .why = TextAt(one, "why")};
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
  WriteValues("own", state.own, &json);
  json.Key("versions").BeginArray();
  for (const AutoVersion& version : state.versions) {
    json.BeginObject().Member("number", version.number).Member("before", version.before);
    json.Member("time", version.time_ns / kNanosPerMilli);
    WriteValues("settings", version.settings, &json);
    json.Member("changed", version.key).Member("why", version.why).Key("runs").BeginArray();
    for (const std::string& run : version.runs) json.Value(run);
    json.EndArray().EndObject();
  }
  json.EndArray().Key("refused").BeginArray();
  for (const RefusedValue& one : state.refused) {
    json.BeginObject().Member("key", one.key).Member("value", one.value).Member("smaller", one.is_smaller);
    json.Member("inputBytes", one.input_bytes).Member("why", one.why).EndObject();
  }
  return json.EndArray().EndObject().Take();
}

Result<AutoState> ParseAutoState(std::string_view json, const std::string& name) {
  dom::parser parser;
  dom::element document;
  dom::array versions, refused;
  if (parser.parse(simdjson::padded_string(json)).get(document) != simdjson::SUCCESS ||
      document["versions"].get(versions) != simdjson::SUCCESS ||
      document["refused"].get(refused) != simdjson::SUCCESS) {
    return Fail(
        fmt::format("{}: damaged; restore it from a backup, or remove it to begin again with the job's own "
                    "settings",
                    name));
  }
  AutoState state{.own = ValuesAt(document, "own"), .versions = {}, .refused = {}};
  for (const dom::element one : versions) state.versions.push_back(VersionOf(one));
  for (const dom::element one : refused) state.refused.push_back(RefusedOf(one));
  return state;
}

}  // namespace sparkprof
