// SPDX-License-Identifier: Apache-2.0
#include "formats/profile_formats.h"

#include "formats/asprof_html/asprof_html_reader.h"
#include "formats/collapsed/collapsed_reader.h"
#include "formats/feed_lines.h"
#include "formats/jfr_profile/jfr_profile_reader.h"
#include "formats/otlp/otlp_reader.h"
#include "formats/perf_script/perf_script_reader.h"
#include "formats/pprof/pprof_reader.h"
#include "formats/records_profile/records_profile_reader.h"
#include "formats/speedscope/speedscope_reader.h"
#include "formats/statsd/statsd_reader.h"
#include "formats/thread_dump/thread_dump_reader.h"

namespace sparkprof {
namespace {

// A reader of lines that reports missing data at the end.
template <typename Engine>
Result<void> ReadLines(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  Engine engine(builder);
  return FeedLines(std::move(source), builder, &engine);
}

template <typename Engine>
Result<void> ReadLinesToTheEnd(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  Engine engine(builder);
  if (Result<void> read = FeedLines(std::move(source), builder, &engine); !read) return read;
  return engine.Finish();
}

bool LooksLikeJfr(std::string_view head) { return head.starts_with(std::string_view("FLR\0", 4)); }

constexpr ProfileFormat kFormats[] = {
    {"jfr", "JFR of async-profiler, the JDK or Spark's profiler", LooksLikeJfr, ReadJfrProfile, ReadJfrProfileFile,
     ".jfr"},
    {"pprof", "pprof, compressed or not", LooksLikePprof, ReadPprof, nullptr, ".pb.gz .pb .pprof .prof"},
    {"otlp", "OTLP profiles, protobuf", LooksLikeOtlp, ReadOtlp, nullptr, ".otlp"},
    {"speedscope", "speedscope's JSON", LooksLikeSpeedscope, ReadSpeedscope, nullptr, ".speedscope.json .json"},
    {"asprof-html", "flame graphs of async-profiler, HTML", AsprofHtmlReader::LooksLike,
     ReadLinesToTheEnd<AsprofHtmlReader>, nullptr, ".html"},
    {"records", "stack records of Uber's jvm-profiler, the PySpark profilers, babar", LooksLikeRecords,
     ReadRecordsProfile, nullptr, ".json .log"},
    {"thread-dump", "thread dumps of HotSpot, faulthandler, py-spy", ThreadDumpReader::LooksLike,
     ReadLinesToTheEnd<ThreadDumpReader>, nullptr, ".txt .tdump"},
    {"perf", "the text of perf script", PerfScriptReader::LooksLike, ReadLinesToTheEnd<PerfScriptReader>, nullptr,
     ".perf .txt"},
    {"statsd", "metrics of statsd-jvm-profiler", StatsdReader::LooksLike, ReadLines<StatsdReader>, nullptr, ".txt"},
    {"collapsed", "root;…;leaf WEIGHT on each line", CollapsedReader::LooksLike, ReadLinesToTheEnd<CollapsedReader>,
     nullptr, ".collapsed .folded .txt"},
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
