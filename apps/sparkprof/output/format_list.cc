// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/io/compression.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "capture/recording_options.h"
#include "formats/profile_formats.h"
#include "inputs/inputs.h"
#include "output/profile_output.h"
#include "pictures/format_options.h"
#include "pictures/picture_request.h"
#include "render/writers/profile_writers.h"
#include "verb.h"

namespace sparkprof {
namespace {

using Names = std::vector<std::string_view>;

const Names kProfileVerbs = {"flame", "convert", "diff", "info"};
const Names kWriteVerbs = {"flame", "convert", "diff"};

struct FormatRow {
  std::string_view name;  // name for --input-format or --format, except for logs
  std::string_view description;
  Names endings;
  Names verbs;
  Names options;  // options that need data of this format
};

Names OptionsOf(std::string_view format) {
  Names options;
  for (const FormatOption& option : kFormatOptions) {
    if (option.Fits(format)) options.push_back(option.option);
  }
  return options;
}

std::vector<FormatRow> ReadFormats() {
  std::vector<FormatRow> rows{{kRecordingFormat,
                               "recordings of sparkprof, and folders of them",
                               {".sprof"},
                               kProfileVerbs,
                               OptionsOf(kRecordingFormat)}};
  rows[0].verbs.insert(rows[0].verbs.end(), {"report", "udfs", "waits", "analyze"});
  for (const ProfileFormat& format : ProfileFormats()) {
    const Names endings = format.suffixes.empty() ? Names() : Split(format.suffixes, ' ');
    rows.push_back({format.name, format.description, endings, kProfileVerbs, OptionsOf(format.name)});
  }
  return rows;
}

// Inputs of commands for whole jobs, in addition to recordings and profiles.
std::vector<FormatRow> LogFormats() {
  std::vector<FormatRow> rows;
  for (const InputKind kind : kAllInputKinds) {
    if (kind == InputKind::kRecording || kind == InputKind::kProfile) continue;
    Names verbs{kind == InputKind::kFragment ? "findings" : "analyze"};
    if (kind == InputKind::kEventLog) verbs.push_back("events");
    if (IsLog(kind)) verbs.push_back("logs");
    if (MayHoldRecords(kind)) verbs.insert(verbs.end(), {"convert", "metrics"});
    rows.push_back({InputKindName(kind), "", {}, std::move(verbs), {}});
  }
  return rows;
}

std::vector<FormatRow> WrittenFormats() {
  std::vector<FormatRow> rows;
  for (const ProfileWriter& writer : ProfileWriters()) {
    rows.push_back({writer.name, writer.description, Split(writer.suffixes, ' '), kWriteVerbs, {}});
  }
  return rows;
}

Names Codecs() {
  Names codecs;
  for (const Codec codec : kAllCodecs) codecs.push_back(CodecName(codec));
  return codecs;
}

std::string Text(std::string_view title, const std::vector<FormatRow>& rows) {
  size_t names = 0, descriptions = 0;
  for (const FormatRow& row : rows) {
    names = std::max(names, row.name.size());
    descriptions = std::max(descriptions, row.description.size());
  }
  std::string text = fmt::format("{}\n", title);
  for (const FormatRow& row : rows) {
    std::string line = fmt::format("  {:{}}  ", row.name, names);
    if (descriptions > 0) line += fmt::format("{:{}}  ", row.description, descriptions);
    line += fmt::format("{}", fmt::join(descriptions > 0 ? row.endings : row.verbs, " "));
    if (!row.options.empty()) line += fmt::format("  {}", fmt::join(row.options, " "));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "\n";
}

void AddRows(std::string_view key, const std::vector<FormatRow>& rows, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const FormatRow& row : rows) {
    json->BeginObject().Member("name", row.name).Member("description", row.description);
    json->Member("endings", row.endings);
    json->Member("verbs", row.verbs);
    json->Member("options", row.options);
    json->EndObject();
  }
  json->EndArray();
}

std::string Json() {
  JsonWriter json;
  json.BeginObject();
  AddRows("read", ReadFormats(), &json);
  AddRows("logs", LogFormats(), &json);
  AddRows("written", WrittenFormats(), &json);
  json.Key("compression").BeginArray();
  for (const std::string_view codec : Codecs()) json.Value(codec);
  return json.EndArray().EndObject().Take() + "\n";
}

}  // namespace

int PrintFormats(bool as_json) {
  const std::string text =
      as_json
          ? Json()
          : Text(fmt::format("Profiles, recognized by content ({}):", fmt::join(kProfileVerbs, ", ")), ReadFormats()) +
                Text("Logs and records, recognized by content:", LogFormats()) +
                Text("Output, by file name or --format; a name with .gz at its end is compressed:", WrittenFormats()) +
                fmt::format("Inputs may be compressed: {}.\n", fmt::join(Codecs(), ", "));
  const Result<void> written = WriteOutput("-", text);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace sparkprof
