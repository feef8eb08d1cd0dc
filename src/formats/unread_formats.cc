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
    {"JAVA PROFILE 1.0"sv, "a JVM heap dump (HPROF)"},
    {"SQLite format 3\0"sv, "a SQLite database"},
    {"memray\0"sv, "a memray recording"},
    {"go 1."sv, "a Go execution trace"},
    {"*version\n"sv, "an Android method trace"},
    {"SLOW"sv, "an Android method trace"},
    {"SIMPLEPERF"sv, "a simpleperf recording"},
    {"# callgrind format"sv, "a profile of Callgrind"},
    {"v8-version,"sv, "a V8 log (process it with `node --prof-process`)"},
};

constexpr struct {
  std::string_view members[2];  // all of them; the second may be empty
  std::string_view name;
} kDocuments[] = {
    {{"snapshot.meta", {}}, "a V8 heap snapshot"},
    {{"dhatFileVersion", {}}, "a profile of Valgrind's DHAT"},
    {{"flamebearer", {}}, "a Pyroscope flame graph"},
    {{"root_frame", {}}, "a pyinstrument session"},
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
