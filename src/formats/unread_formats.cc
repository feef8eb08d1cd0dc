// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "formats/json/json_document.h"
#include "formats/profile_formats.h"

namespace sparkprof {
namespace {

using std::literals::operator""sv;

constexpr std::string_view kMemray =
    "a memray recording; `memray transform speedscope FILE` or `memray flamegraph FILE` converts it";

constexpr std::string_view kLegacyPprof =
    "a profile of gperftools or Go's ?debug=1 as text; `pprof -proto PROGRAM FILE >profile.pb.gz` converts it";

constexpr struct {
  std::string_view begin;
  std::string_view name;
} kBeginnings[] = {
    {"PERFILE2"sv, "a perf.data file (read the output of `perf script` instead)"},
    {"JAVA PROFILE 1.0.1, created"sv,
     "the text output of hprof (java -agentlib:hprof); `stackcollapse-hprof FILE` of hprof2flamegraph converts it"},
    {"JAVA PROFILE 1.0"sv, "a JVM heap dump (HPROF)"},
    {"SQLite format 3\0"sv, "a SQLite database"},
    {"memray\0"sv, kMemray},
    {"go 1."sv,
     "a Go execution trace; `go tool trace -pprof=sched FILE >sched.pprof` extracts a profile (also net, sync, "
     "syscall)"},
    {"*version\n"sv, "an Android method trace"},
    {"SLOW"sv, "an Android method trace"},
    {"SIMPLEPERF"sv, "a simpleperf recording"},
    {"# callgrind format"sv, "a profile of Callgrind; `callgrind_annotate FILE` prints it"},
    {"v8-version,"sv, "a V8 log (process it with `node --prof-process`)"},
    {"heap_v2/"sv, "a heap profile of jemalloc; `jeprof --collapsed PROGRAM FILE >heap.collapsed` converts it"},
    {"heap profile: "sv, kLegacyPprof},
    {"--- heapz "sv, kLegacyPprof},
    {"--- contention"sv, kLegacyPprof},
    {"--- mutex:"sv, kLegacyPprof},
};

constexpr struct {
  std::string_view members[2];  // all of them; the second may be empty
  std::string_view name;
} kDocuments[] = {
    {{"snapshot.meta", {}}, "a V8 heap snapshot"},
    {{"nodes.callFrame", {}}, "a CPU profile of V8; open it in speedscope and save it (Ctrl+S) as speedscope's JSON"},
    {{"head.functionName", {}}, "a CPU profile of V8; open it in speedscope and save it (Ctrl+S) as speedscope's JSON"},
    {{"head.callFrame", {}}, "a heap profile of V8; open it in speedscope and save it (Ctrl+S) as speedscope's JSON"},
    {{"recording.displayName", "recording.startTime"},
     "a timeline recording of Safari; open it in speedscope and save it (Ctrl+S) as speedscope's JSON"},
    {{"mode", "gc_samples"},
     "a profile of stackprof; open it in speedscope and save it (Ctrl+S) as speedscope's JSON, or convert its dump: "
     "`stackprof --stackcollapse DUMP >ruby.collapsed`"},
    {{"dhatFileVersion", {}}, "a profile of Valgrind's DHAT; open it in Valgrind's dh_view.html"},
    {{"root_frame", {}}, "a profile of pyinstrument in its own JSON; run pyinstrument with -r speedscope"},
    {{"start_call_stack", "min_interval"},
     "a pyinstrument session; `pyinstrument --load FILE -r speedscope -o profile.speedscope.json` converts it"},
    {{"alloc_samples", {}}, "a profile of Scalene, which has lines instead of stacks; `scalene view FILE` shows it"},
    {{"recording.events", {}}, "the output of `jfr print --json`; read the .jfr file itself"},
    {{"resourceSpans", {}}, "traces of OpenTelemetry, without profiles"},
    {{"resourceMetrics", {}}, "metrics of OpenTelemetry, without profiles"},
    {{"resourceLogs", {}}, "logs of OpenTelemetry, without profiles"},
};

constexpr struct {
  std::string_view parts[2];  // all of them
  std::string_view name;
} kPages[] = {
    {{"preview_wrapper", "<canvas"},
     "a heat map of async-profiler's converter; read the JFR recording that it was made from"},
    {{"pyinstrument", "pyinstrumentHTMLRenderer"},
     "a report of pyinstrument in HTML; `pyinstrument --load SESSION -r speedscope` writes a profile"},
    {{"memray", "packed_data"},
     "a report of memray in HTML; `memray transform speedscope FILE` converts its recording"},
    {{"<recording", "<event type="}, "the output of `jfr print --xml`; read the .jfr file itself"},
    {{"trace-viewer", "# tracer:"}, "a report of Android's systrace, which has events instead of stacks"},
};

constexpr struct {
  std::string_view parts[2];  // all of them
  std::string_view name;
} kTexts[] = {
    {{"# A fatal error has been detected by the Java Runtime Environment", "#"},
     "a crash report of the JVM (hs_err), which is not a profile"},
    {{"desc:", "\ntime_unit:"}, "a heap profile of Valgrind's Massif; `ms_print FILE` prints it"},
    {{"Sampling at ", " Hertz of "}, "the output of bcc's profile; run it with -f, which prints a line for each stack"},
    {{"Tracing off-CPU time (us) of", " by "},
     "the output of bcc's offcputime; run it with -f, which prints a line for each stack"},
    {{" Event Type ", " Size (bytes)"}, "the output of `jfr summary`; read the .jfr file itself"},
    {{"/_//_/// /_\\ / //_// / //_'/ //", "Duration:"},
     "a report of pyinstrument as text; `pyinstrument --load SESSION -r speedscope` writes a profile"},
    {{"\nevents:", "\nfn="}, "a profile of Callgrind; `callgrind_annotate FILE` prints it"},
    {{"FUNCTION:NAME", "`"}, "stacks counted by DTrace; `stackcollapse.pl FILE >dtrace.collapsed` converts them"},
    {{"--- Thread ", " stack: ---"}, kLegacyPprof},
    {{" profile: total ", " @ 0x"}, kLegacyPprof},
};

template <size_t kCount, typename Row>
std::string_view NameByParts(std::string_view head, const Row (&rows)[kCount]) {
  for (const Row& row : rows) {
    if (std::all_of(std::begin(row.parts), std::end(row.parts),
                    [&](std::string_view part) { return head.find(part) != std::string_view::npos; })) {
      return row.name;
    }
  }
  return {};
}

// memray compresses its recordings as LZ4 frames, in which the first bytes are as they were.
bool IsCompressedMemray(std::string_view head) {
  constexpr size_t kFrameHeader = 32;
  return head.starts_with("\x04\x22\x4d\x18"sv) &&
         head.substr(0, kFrameHeader).find("memray\0"sv) != std::string_view::npos;
}

// "goroutine 1 [running]:" at the beginning of a line, as panics, SIGQUIT and net/http/pprof with debug=2 print it.
bool IsGoroutineDump(std::string_view head) {
  while (!head.empty()) {
    std::string_view line = WithoutCarriageReturn(TakeLine(&head));
    constexpr std::string_view kGoroutine = "goroutine ";
    if (!line.starts_with(kGoroutine) || !line.ends_with("]:")) continue;
    line.remove_prefix(kGoroutine.size());
    const size_t blank = line.find(' ');
    // Since Go 1.23 with GODEBUG, "gp=0xc000002380 m=0 mp=0x…" is before the state.
    if (IsDigits(line.substr(0, blank)) && line.find(" [") != std::string_view::npos) return true;
  }
  return false;
}

// heaptrack's version, "v 10400 3", and the command, "X ls".
bool IsHeaptrack(std::string_view head) {
  if (!head.starts_with("v ")) return false;
  const std::string_view version = TakeLine(&head);
  const bool is_version =
      std::all_of(version.begin() + 2, version.end(), [](char c) { return IsHexDigit(c) || c == ' '; });
  return is_version && head.starts_with("X ");
}

// "jdk.ExecutionSample {", "  startTime = 18:03:49.966"
bool IsJfrText(std::string_view head) {
  const size_t first = head.find_first_not_of("\r\n");
  if (first == std::string_view::npos) return false;
  head.remove_prefix(first);
  const std::string_view line = WithoutCarriageReturn(TakeLine(&head));
  return line.ends_with(" {") && line.find('.') != std::string_view::npos &&
         line.find_first_of(" \t=") == line.size() - 2 &&
         Trim(head.substr(0, head.find('\n'))).starts_with("startTime =");
}

// A line of the kernel's ftrace, of Android's systrace and of trace-cmd: "TASK-TID (TGID) [CPU] FLAGS TIME: EVENT: …",
// with flags such as "d..2"; all but task, CPU, time and event may be missing. perf has no dash before the thread's ID.
bool IsFtraceLine(std::string_view line) {
  const size_t open = line.find(" [");
  if (open == std::string_view::npos) return false;
  std::string_view task = Trim(line.substr(0, open)), rest = line.substr(open + 2);
  if (task.ends_with(')')) task = Trim(task.substr(0, task.rfind('(')));  // the process
  const size_t dash = task.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || !IsDigits(task.substr(dash + 1))) return false;
  const size_t close = rest.find(']');
  if (close == std::string_view::npos || !IsDigits(rest.substr(0, close))) return false;
  rest = Trim(rest.substr(close + 1));
  const auto take_word = [&] {
    const std::string_view word = rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
    rest = Trim(rest.substr(word.size()));
    return word;
  };
  std::string_view time = take_word();
  if (!time.ends_with(':')) time = take_word();
  if (!time.ends_with(':')) return false;
  time.remove_suffix(1);
  const size_t dot = time.find('.');
  if (dot == std::string_view::npos || !IsDigits(time.substr(0, dot)) || !IsDigits(time.substr(dot + 1))) return false;
  // perf names tracepoints with their subsystem, "sched:sched_switch:".
  const std::string_view event = take_word();
  return event.size() > 1 && event.find(':') == event.size() - 1 && !rest.empty();
}

// The text of ftrace, systrace or trace-cmd: its events have the shape of perf's samples, but no stacks.
bool LooksLikeFtrace(std::string_view head) {
  if (head.starts_with("# tracer: ")) return true;
  // The first line that could be an event decides.
  for (int lines = 0; !head.empty() && lines < 64; ++lines) {
    const std::string_view line = TakeLine(&head);
    if (IsFtraceLine(line)) return true;
    if (line.find(": ") != std::string_view::npos && !line.starts_with('#')) return false;
  }
  return false;
}

// "Analysis of sampling demo (pid 4711) every 1 millisecond", possibly after other lines of `sample`
bool LooksLikeMacosSample(std::string_view head) {
  constexpr std::string_view kBegin = "Analysis of sampling ";
  const size_t begin = head.find(kBegin);
  if (begin == std::string_view::npos || (begin > 0 && head[begin - 1] != '\n')) return false;
  const std::string_view line = head.substr(begin, head.find('\n', begin) - begin);
  return line.find(" (pid ") != std::string_view::npos;
}

}  // namespace

bool IsUnreadLookalike(std::string_view head) { return LooksLikeFtrace(head) || LooksLikeMacosSample(head); }

std::string_view NameOfUnreadFormat(std::string_view head) {
  for (const auto& known : kBeginnings) {
    if (head.starts_with(known.begin)) return known.name;
  }
  if (IsCompressedMemray(head)) return kMemray;
  if (IsHeaptrack(head)) {
    return "a recording of heaptrack; `heaptrack_print -f FILE -F heap.collapsed` converts it";
  }
  if (IsJfrText(head)) return "the output of `jfr print`; read the .jfr file itself";
  if (LooksLikeFtrace(head)) {
    return "a trace of the kernel (ftrace, systrace, trace-cmd), which has events instead of stacks; `perf record -g` "
           "and `perf script` record stacks";
  }
  if (LooksLikeMacosSample(head)) {
    return "the output of macOS's sample; `inferno-collapse-sample FILE >sample.collapsed`, or "
           "stackcollapse-sample.awk of FlameGraph, converts it";
  }
  if (IsGoroutineDump(head)) {
    return "a dump of goroutines; `curl HOST/debug/pprof/goroutine >goroutines.pb.gz` writes a profile of them";
  }
  const JsonOutline outline(head);
  if (outline.IsObject()) {
    for (const auto& known : kDocuments) {
      if (outline.Has(known.members[0]) && (known.members[1].empty() || outline.Has(known.members[1])))
        return known.name;
    }
    return {};
  }
  if (Trim(head).starts_with('<')) return NameByParts(head, kPages);
  return NameByParts(head, kTexts);
}

}  // namespace sparkprof
