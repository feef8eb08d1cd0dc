// SPDX-License-Identifier: Apache-2.0
#include "formats/profile_formats.h"

#include "formats/collapsed/collapsed_reader.h"
#include "formats/feed_lines.h"
#include "formats/jfr_profile/jfr_profile_reader.h"
#include "formats/perf_script/perf_script_reader.h"

namespace sparkprof {
namespace {

Result<void> ReadCollapsed(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  CollapsedReader reader(builder);
  return FeedLines(std::move(source), builder, &reader);
}

Result<void> ReadPerfScript(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  PerfScriptReader reader(builder);
  Result<void> read = FeedLines(std::move(source), builder, &reader);
  reader.Finish();
  return read;
}

bool LooksLikeJfr(std::string_view head) { return head.starts_with(std::string_view("FLR\0", 4)); }

constexpr ProfileFormat kFormats[] = {
    {"jfr", "JFR of async-profiler, the JDK or Spark's profiler", LooksLikeJfr, ReadJfrProfile},
    {"perf", "the text of perf script", PerfScriptReader::LooksLike, ReadPerfScript},
    {"collapsed", "root;…;leaf WEIGHT on each line", CollapsedReader::LooksLike, ReadCollapsed},
};

}  // namespace

std::span<const ProfileFormat> ProfileFormats() { return kFormats; }

const ProfileFormat* FindProfileFormat(std::string_view name) {
  for (const ProfileFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ProfileFormat* RecognizeProfileFormat(std::string_view head) {
  for (const ProfileFormat& format : kFormats) {
    if (format.looks_like(head)) return &format;
  }
  return nullptr;
}

}  // namespace sparkprof
