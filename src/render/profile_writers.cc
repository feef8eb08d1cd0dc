// SPDX-License-Identifier: Apache-2.0
#include "render/profile_writers.h"

#include <algorithm>

#include "base/text.h"
#include "render/collapsed_writer.h"
#include "render/firefox_writer.h"
#include "render/gzip.h"
#include "render/otlp_writer.h"
#include "render/pprof_writer.h"
#include "render/profile_html.h"
#include "render/profile_json.h"
#include "render/profile_text.h"
#include "render/speedscope_writer.h"

namespace sparkprof {
namespace {

using Options = ProfileWriteOptions;

Result<void> Collapsed(const Application& application, const Options& options, OutputFile* output) {
  if (options.base_event) {
    WriteCollapsedPair(application.profile, *options.base_event, options.event, output);
  } else {
    WriteCollapsed(application.profile, options.event, options.counts, output);
  }
  return {};
}

Result<void> Svg(const Application& application, const Options& options, OutputFile* output) {
  WriteFlameSvg(application.profile, options.event, options.base_event, options.svg, output);
  return {};
}

Result<void> Json(const Application& application, const Options& options, OutputFile* output) {
  WriteProfileJson(application.profile, options.event, options.base_event, output);
  return {};
}

Result<void> Text(const Application& application, const Options& options, OutputFile* output) {
  WriteProfileText(application.profile, options.event, output);
  return {};
}

Result<void> Html(const Application& application, const Options& options, OutputFile* output) {
  return WriteProfileHtml(application, options.answers, options.event, options.base_event, options.note,
                          options.svg.highlight, output);
}

Result<void> Pprof(const Application& application, const Options& options, OutputFile* output) {
  WritePprof(application.profile, options.event, output);
  return {};
}

Result<void> Speedscope(const Application& application, const Options& options, OutputFile* output) {
  WriteSpeedscope(application.profile, options.event, output);
  return {};
}

Result<void> Firefox(const Application& application, const Options&, OutputFile* output) {
  WriteFirefox(application.profile, output);
  return {};
}

Result<void> Otlp(const Application& application, const Options&, OutputFile* output) {
  WriteOtlp(application.profile, output);
  return {};
}

constexpr ProfileWriter kWriters[] = {
    {"collapsed", ".collapsed .folded", "one line root;…;leaf WEIGHT per stack", false, false, 0, Collapsed},
    {"html", ".html .htm", "a page with the report's flame graph", true, true, 1'000'000'000, Html},
    {"svg", ".svg", "an SVG in the style of flamegraph.pl", false, false, 0, Svg},
    {"json", ".json", "the call tree", false, false, 0, Json},
    {"text", ".text", "top frames and the call tree, for a terminal", false, false, 0, Text},
    {"pprof", ".pb.gz .pb .pprof .prof", "pprof, gzip-compressed", true, true, 0, Pprof, true},
    {"speedscope", ".speedscope.json .speedscope", "speedscope's JSON", true, true, 0, Speedscope},
    {"firefox", ".firefox.json .firefox", "Firefox Profiler's processed profile", true, true, 1'000'000, Firefox},
    {"otlp", ".otlp .otlp.pb", "OTLP profiles, protobuf", true, true, 0, Otlp},
};

}  // namespace

std::span<const ProfileWriter> ProfileWriters() { return kWriters; }

const ProfileWriter* FindProfileWriter(std::string_view name) {
  for (const ProfileWriter& writer : kWriters) {
    if (writer.name == name) return &writer;
  }
  return nullptr;
}

const ProfileWriter* ProfileWriterForPath(std::string_view path) { return FindByEnding(ProfileWriters(), path); }

Result<OutputFile> CreateOutput(const std::string& path, const ProfileWriter* writer) {
  const bool compress = path.ends_with(kGzipSuffix) && (writer == nullptr || !writer->is_gzip);
  return OutputFile::Create(path, compress ? Gzip : nullptr);
}

}  // namespace sparkprof
