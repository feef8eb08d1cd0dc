// SPDX-License-Identifier: Apache-2.0
#include "formats/profile_formats.h"

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "formats/collapsed/collapsed_reader.h"
#include "formats/jfr_profile/jfr_profile_reader.h"
#include "formats/read_input.h"

namespace sparkprof {
namespace {

bool LooksLikeJfr(std::string_view head) { return head.starts_with(std::string_view("FLR\0", 4)); }

constexpr ProfileFormat kFormats[] = {
    {"jfr", "JFR of async-profiler, the JDK or Spark's profiler", LooksLikeJfr, ReadJfrProfile, ReadJfrProfileFile,
     ".jfr"},
    {"pprof", "pprof, compressed or not", LooksLikePprof, ReadPprof, nullptr, ".pb.gz .pb .pprof .prof"},
    {"otlp", "OTLP profiles, protobuf or JSON", LooksLikeOtlp, ReadOtlp, nullptr, ".otlp .json"},
    {"legacy-pprof", "binary CPU profiles of gperftools", LooksLikeLegacyPprof, ReadLegacyPprof, nullptr, ".prof"},
    {"pstats", "statistics of Python's cProfile, profile and profiling.sampling", LooksLikePstats, ReadPstats, nullptr,
     ".pstats .prof"},
    {"mojo", "austin's binary output", LooksLikeMojo, ReadMojo, nullptr, ".mojo .austin"},
    {"trace-events", "Chrome's trace events, JSON", LooksLikeTraceEvents, ReadTraceEvents, nullptr, ".json"},
    {"speedscope", "speedscope's JSON", LooksLikeSpeedscope, ReadSpeedscope, nullptr, ".speedscope.json .json"},
    {"firefox", "profiles of the Firefox Profiler, JSON", LooksLikeFirefox, ReadFirefox, nullptr, ".json"},
    {"pyroscope", "flame graphs of Pyroscope, JSON", LooksLikePyroscope, ReadPyroscope, nullptr, ".json"},
    {"py-spy-dump", "py-spy dump --json", LooksLikePySpyDump, ReadPySpyDump, nullptr, ".json"},
    {"python-jsonl", "JSON Lines of Python's profiling.sampling", LooksLikePythonSampling, ReadPythonSampling, nullptr,
     ".jsonl"},
    {"call-tree", "call trees of sparkprof and d3-flame-graph, JSON", LooksLikeCallTree, ReadCallTree, nullptr,
     ".json"},
    {"report", "sparkprof's report.html and flame graphs in HTML", LooksLikeReportPage, ReadReportPage, nullptr,
     ".html"},
    {"svg", "flame graphs of sparkprof, flamegraph.pl and inferno, SVG", LooksLikeFlameSvg, ReadFlameSvg, nullptr,
     ".svg"},
    {"asprof-html", "flame graphs of async-profiler, HTML", LooksLikeAsprofHtml, ReadAsprofHtml, nullptr, ".html"},
    {"asprof-text", "text output of async-profiler, traces=N", LooksLikeAsprofText, ReadAsprofText, nullptr, ".txt"},
    {"austin", "austin's text output", LooksLikeAustinText, ReadAustinText, nullptr, ".austin"},
    {"records", "stack records of Uber's jvm-profiler, the PySpark profilers, babar", LooksLikeRecords,
     ReadRecordsProfile, nullptr, ".json .log"},
    {"thread-dump", "thread dumps of the JDK, OpenJ9, JMX, Spark, Spring, gdb, Python, and py-spy", LooksLikeThreadDump,
     ReadThreadDump, nullptr, ".txt .tdump .json"},
    {"perf", "output of perf script", LooksLikePerfScript, ReadPerfScript, nullptr, ".perf .txt"},
    {"statsd", "metrics of statsd-jvm-profiler", LooksLikeStatsd, ReadStatsd, nullptr, ".txt"},
    {"bpftrace", "maps of stacks printed by bpftrace", LooksLikeBpftrace, ReadBpftrace, nullptr, ".txt"},
    {"collapsed", "root;…;leaf WEIGHT on each line", CollapsedReader::LooksLike, ReadLines<CollapsedReader>, nullptr,
     ".collapsed .folded .txt"},
};

}  // namespace

std::span<const ProfileFormat> ProfileFormats() { return kFormats; }

Result<void> ReadLocalProfile(const std::string& name, const std::function<Result<void>()>& read) {
  constexpr size_t kMaxMemory = size_t{8} << 30;
  Result<void> outcome;
  const bool fits = WithinMemory(kMaxMemory, [&] { return outcome = read(); }).has_value();
  if (fits || !outcome) return outcome;
  return Fail(fmt::format("{}: {}", name, TooLarge(kMaxMemory)));
}

const ProfileFormat* FindProfileFormat(std::string_view name) {
  for (const ProfileFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const ProfileFormat* RecognizeProfileFormat(std::string_view head) {
  if (IsUnreadLookalike(head)) return nullptr;
  for (const ProfileFormat& format : kFormats) {
    if (format.looks_like(head)) return &format;
  }
  return nullptr;
}

}  // namespace sparkprof
