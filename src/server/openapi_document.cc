// SPDX-License-Identifier: Apache-2.0
#include "server/openapi_document.h"

#include <algorithm>
#include <string_view>

#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "pictures/picture_request.h"
#include "server/routes/query.h"

__asm__(
    ".section .rodata\n"
    "sparkprof_openapi_begin:\n"
    ".incbin \"" SPARKPROF_OPENAPI
    "\"\n"
    "sparkprof_openapi_end:\n.byte 0\n"
    ".previous\n");
extern "C" const char sparkprof_openapi_begin[];
extern "C" const char sparkprof_openapi_end[];

namespace sparkprof {
namespace {

struct MarkedPlace {
  std::string_view mark;
  PictureKind kind;
  std::string_view without;  // parameters that the document defines itself
};
constexpr MarkedPlace kPlaces[] = {
    {"\"@options of flame graphs\"", PictureKind::kFlame, ""},
    {"\"@options of groups' flame graphs\"", PictureKind::kFlame, kGroupSamplesParameters},
    {"\"@options of comparisons\"", PictureKind::kDiff, ""},
};

void WriteNumber(const char* type, const RequestOption& option, JsonWriter* json) {
  json->BeginObject().Member("type", type);
  if (option.range) {
    json->Member(option.range->without_least ? "exclusiveMinimum" : "minimum", option.range->least);
    if (option.range->most) json->Member("maximum", *option.range->most);
  }
  json->EndObject();
}

void WriteSchema(const RequestOption& option, JsonWriter* json) {
  if (option.IsFlag()) {
    json->BeginObject().Member("type", "boolean").EndObject();
  } else if (std::holds_alternative<std::string*>(option.value)) {
    json->BeginObject().Member("type", "string");
    if (!option.choices.empty()) {
      json->Member("enum", option.choices);
    }
    json->EndObject();
  } else if (std::holds_alternative<std::vector<int64_t>*>(option.value)) {
    json->BeginObject().Member("type", "array").Key("items");
    WriteNumber("integer", option, json);
    json->EndObject();
  } else {
    WriteNumber(std::holds_alternative<int64_t*>(option.value) ? "integer" : "number", option, json);
  }
}

std::string Parameters(const MarkedPlace& place) {
  const std::vector<std::string_view> without = Split(place.without, ' ');
  PictureRequest request;
  std::string parameters;
  for (const RequestOption& option : request.Options(place.kind)) {
    if (option.scope != OptionScope::kEverywhere) continue;
    if (std::find(without.begin(), without.end(), option.Name()) != without.end()) continue;
    JsonWriter json;
    json.BeginObject().Member("name", option.Name()).Member("in", "query").Member("required", false);
    json.Member("description", option.help).Key("schema");
    WriteSchema(option, &json);
    json.EndObject();
    parameters += (parameters.empty() ? "" : ",\n          ") + json.Take();
  }
  return parameters;
}

std::string MakeDocument() {
  std::string document(sparkprof_openapi_begin, sparkprof_openapi_end);
  for (const MarkedPlace& place : kPlaces) {
    document.replace(document.find(place.mark), place.mark.size(), Parameters(place));
  }
  return document;
}

}  // namespace

const std::string& OpenApiDocument() {
  static const std::string kDocument = MakeDocument();
  return kDocument;
}

}  // namespace sparkprof
