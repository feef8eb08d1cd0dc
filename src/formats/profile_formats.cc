// SPDX-License-Identifier: Apache-2.0
#include "formats/profile_formats.h"

#include <fmt/format.h>

#include "base/memory_limit.h"
#include "formats/asprof_html/asprof_html_reader.h"
#include "formats/asprof_text/asprof_text_reader.h"
#include "formats/austin/austin_text_reader.h"
#include "formats/austin/mojo_reader.h"
#include "formats/bpftrace/bpftrace_reader.h"
#include "formats/call_tree/call_tree_reader.h"
#include "formats/collapsed/collapsed_reader.h"
#include "formats/feed_lines.h"
#include "formats/firefox/firefox_reader.h"
#include "formats/flame_svg/flame_svg_reader.h"
#include "formats/ftrace.h"
#include "formats/jfr_profile/jfr_profile_reader.h"
#include "formats/legacy_pprof/legacy_pprof_reader.h"
#include "formats/otlp/otlp_reader.h"
#include "formats/perf_script/perf_script_reader.h"
#include "formats/pprof/pprof_reader.h"
#include "formats/pstats/pstats_reader.h"
#include "formats/py_spy_dump/py_spy_dump_reader.h"
#include "formats/pyroscope/pyroscope_reader.h"
#include "formats/python_sampling/python_sampling_reader.h"
#include "formats/records_profile/records_profile_reader.h"
#include "formats/report_page/report_page_reader.h"
#include "formats/speedscope/speedscope_reader.h"
#include "formats/statsd/statsd_reader.h"
#include "formats/thread_dump/thread_dump.h"
#include "formats/trace_events/trace_events_reader.h"
#include "formats/unread_formats.h"

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
    {"python-jsonl", "JSON Lines of Python's profiling.sampling", PythonSamplingReader::LooksLike,
     ReadLinesToTheEnd<PythonSamplingReader>, nullptr, ".jsonl"},
    {"call-tree", "call trees of sparkprof and d3-flame-graph, JSON", LooksLikeCallTree, ReadCallTree, nullptr,
     ".json"},
    {"report", "sparkprof's report.html and flame graphs in HTML", LooksLikeReportPage, ReadReportPage, nullptr,
     ".html"},
    {"svg", "flame graphs of sparkprof, flamegraph.pl and inferno, SVG", LooksLikeFlameSvg, ReadFlameSvg, nullptr,
     ".svg"},
    {"asprof-html", "flame graphs of async-profiler, HTML", AsprofHtmlReader::LooksLike,
     ReadLinesToTheEnd<AsprofHtmlReader>, nullptr, ".html"},
    {"asprof-text", "text output of async-profiler, traces=N", AsprofTextReader::LooksLike,
     ReadLinesToTheEnd<AsprofTextReader>, nullptr, ".txt"},
    {"austin", "austin's text output", AustinTextReader::LooksLike, ReadLines<AustinTextReader>, nullptr, ".austin"},
    {"records", "stack records of Uber's jvm-profiler, the PySpark profilers, babar", LooksLikeRecords,
     ReadRecordsProfile, nullptr, ".json .log"},
    {"thread-dump", "thread dumps of the JDK, OpenJ9, JMX, Spark, Spring, gdb, Python, and py-spy", LooksLikeThreadDump,
     ReadThreadDump, nullptr, ".txt .tdump .json"},
    {"perf", "output of perf script", PerfScriptReader::LooksLike, ReadLinesToTheEnd<PerfScriptReader>, nullptr,
     ".perf .txt"},
    {"statsd", "metrics of statsd-jvm-profiler", StatsdReader::LooksLike, ReadLines<StatsdReader>, nullptr, ".txt"},
    {"bpftrace", "maps of stacks printed by bpftrace", BpftraceReader::LooksLike, ReadLinesToTheEnd<BpftraceReader>,
     nullptr, ".txt"},
    {"collapsed", "root;…;leaf WEIGHT on each line", CollapsedReader::LooksLike, ReadLinesToTheEnd<CollapsedReader>,
     nullptr, ".collapsed .folded .txt"},
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
  if (LooksLikeFtrace(head) || LooksLikeMacosSample(head)) return nullptr;
  for (const ProfileFormat& format : kFormats) {
    if (format.looks_like(head)) return &format;
  }
  return nullptr;
}

}  // namespace sparkprof
