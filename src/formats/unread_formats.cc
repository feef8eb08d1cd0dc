// SPDX-License-Identifier: Apache-2.0
#include "formats/unread_formats.h"

#include "formats/json/json_outline.h"

namespace sparkprof {
namespace {

using std::literals::operator""sv;

constexpr struct {
  std::string_view begin;
  std::string_view name;
} kBinaries[] = {
    {"PERFILE2"sv, "a perf.data file (read the output of `perf script` instead)"},
    {"JAVA PROFILE 1.0"sv, "a heap dump of the JVM (HPROF)"},
    {"SQLite format 3\0"sv, "a SQLite database"},
    {"memray\0"sv, "a recording of memray"},
    {"go 1."sv, "an execution trace of Go"},
    {"*version\n"sv, "a method trace of Android"},
    {"SLOW"sv, "a method trace of Android"},
    {"SIMPLEPERF"sv, "a recording of simpleperf"},
    {"# callgrind format"sv, "a profile of Callgrind"},
    {"v8-version,"sv, "a log of V8 (process it with `node --prof-process`)"},
};

constexpr struct {
  std::string_view members[2];  // all of them; the second may be empty
  std::string_view name;
} kDocuments[] = {
    {{"snapshot.meta", {}}, "a heap snapshot of V8"},
    {{"dhatFileVersion", {}}, "a profile of Valgrind's DHAT"},
    {{"flamebearer", {}}, "a flame graph of Pyroscope"},
    {{"root_frame", {}}, "a session of pyinstrument"},
    {{"alloc_samples", "files"}, "a profile of Scalene"},
    {{"resourceSpans", {}}, "traces of OpenTelemetry, without profiles"},
    {{"resourceMetrics", {}}, "metrics of OpenTelemetry, without profiles"},
    {{"resourceLogs", {}}, "logs of OpenTelemetry, without profiles"},
};

}  // namespace

std::string_view NameOfUnreadFormat(std::string_view head) {
  for (const auto& known : kBinaries) {
    if (head.starts_with(known.begin)) return known.name;
  }
  const JsonOutline outline(head);
  if (!outline.IsObject()) return {};
  for (const auto& known : kDocuments) {
    if (outline.Has(known.members[0]) && (known.members[1].empty() || outline.Has(known.members[1]))) return known.name;
  }
  return {};
}

}  // namespace sparkprof
