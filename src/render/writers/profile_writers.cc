// SPDX-License-Identifier: Apache-2.0
#include "render/writers/profile_writers.h"

#include "base/text/text.h"
#include "render/writers/gzip.h"
#include "render/writers/profile_html.h"

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

Result<void> Heatmap(const Application& application, const Options& options, OutputFile* output) {
  return WriteHeatmap(application.profile, options.event, output);
}

constexpr ProfileWriter kWriters[] = {
    {"collapsed", ".collapsed .folded", "one line root;…;leaf WEIGHT per stack", 0, Collapsed, false, false},
    {"html", ".html .htm", "a page with the report's flame graph", kHeatmapBucketNs, Html, true, true},
    {"heatmap", ".heatmap.html", "a page: time by part of a second, with the flame graph of a range", kHeatmapBucketNs,
     Heatmap, false, false},
    {"svg", ".svg", "an SVG in the style of flamegraph.pl", 0, Svg, false, false},
    {"json", ".json", "the call tree", 0, Json, false, false},
    {"text", ".text", "top frames and the call tree, for a terminal", 0, Text, false, false},
    {"pprof", ".pb.gz .pb .pprof .prof", "pprof, gzip-compressed", 0, Pprof, true, true, true},
    {"speedscope", ".speedscope.json .speedscope", "speedscope's JSON", 0, Speedscope, true, true},
    {"firefox", ".firefox.json .firefox", "Firefox Profiler's processed profile", 1'000'000, Firefox, true, true},
    {"otlp", ".otlp .otlp.pb", "OTLP profiles, protobuf", 0, Otlp, true, true},
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
