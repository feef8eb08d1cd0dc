// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "formats/profile_formats.h"

namespace sparkprof {
namespace {

using std::literals::operator""sv;

TEST(UnreadFormatsTest, AreNamedAndNotTakenForOthers) {
  for (const auto& [head, name] : {
           std::pair(R"({"snapshot":{"meta":{}},"nodes":[1,2],)"sv, "a V8 heap snapshot"sv),
           std::pair(R"({"dhatFileVersion":2,"mode":"heap")"sv,
                     "a profile of Valgrind's DHAT; open it in Valgrind's dh_view.html"sv),
           std::pair(R"({"resourceSpans":[{"resource":{})"sv, "traces of OpenTelemetry, without profiles"sv),
           std::pair("JAVA PROFILE 1.0.2\0\0\0\x08"sv, "a JVM heap dump (HPROF)"sv),
       }) {
    EXPECT_EQ(NameOfUnreadFormat(head), name);
    EXPECT_EQ(RecognizeProfileFormat(head), nullptr) << head;
  }
  EXPECT_EQ(NameOfUnreadFormat("just text\n"), "");
  EXPECT_EQ(NameOfUnreadFormat(R"({"a":1})"), "");
}

// Output of the tools, shortened.
TEST(UnreadFormatsTest, AreNamedWithTheCommandThatConvertsThem) {
  for (const auto& [head, part] : {
           std::pair("memray\0\x0d\0\0\0"sv, "`memray transform speedscope FILE`"sv),
           std::pair("\x04\x22\x4d\x18\x60\x40\x82\xaf\x0c\0\0\xf0\x1bmemray\0\x0d"sv, "a memray recording"sv),
           std::pair("<!DOCTYPE html>\n<title>memray - flamegraph</title>\n<script>const packed_data = \"\""sv,
                     "a report of memray"sv),
           std::pair(R"({"start_time": 1.5, "duration": 1.4, "min_interval": 0.001, "start_call_stack": [)"sv,
                     "`pyinstrument --load FILE -r speedscope"sv),
           std::pair(R"({"start_time": 1.5, "duration": 1.4, "root_frame": {"function": "<module>",)"sv,
                     "run pyinstrument with -r speedscope"sv),
           std::pair("\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 18:13:29\n /_//_/// /_\\ / //_// / //_'/ //     "
                     "Duration: 1.267\n"sv,
                     "a report of pyinstrument"sv),
           std::pair("<!DOCTYPE html><script>var pyinstrumentHTMLRenderer=function(){canvas function f("sv,
                     "a report of pyinstrument"sv),
           std::pair("{\n    \"alloc_samples\": 638,\n    \"args\": [\n"sv, "a profile of Scalene"sv),
           std::pair("JAVA PROFILE 1.0.1, created Mon Nov 23 10:00:00 2026\n\nTHREAD START (obj=5, id = 2)\n"sv,
                     "`stackcollapse-hprof FILE`"sv),
           std::pair("Analysis of sampling demo (pid 4711) every 1 millisecond\nProcess:         demo [4711]\n\n"
                     "Call graph:\n    10 Thread_1\n      10 start  (in libdyld.dylib) + 1  [0x7fff6d0013d5]\n"sv,
                     "inferno-collapse-sample FILE"sv),
           std::pair("Sampling process 4711 for 3 seconds with 1 millisecond of run time between samples\n"
                     "Sampling completed, processing symbols...\n"
                     "Analysis of sampling demo (pid 4711) every 1 millisecond\n"sv,
                     "the output of macOS's sample"sv),
           std::pair("goroutine 1 [running]:\nmain.work(...)\n\t/src/main.go:10\n"sv, "debug/pprof/goroutine"sv),
           std::pair("panic: out of range\n\ngoroutine 18 gp=0xc000002380 m=0 mp=0x5 [select, 5 minutes, locked to "
                     "thread]:\nmain.loop(0xc000010000)\n"sv,
                     "a dump of goroutines"sv),
           std::pair("# callgrind format\nversion: 1\n"sv, "`callgrind_annotate FILE`"sv),
           std::pair("version: 1\ncreator: x\npositions: line\nevents: Ir\n\nfl=(1) a.c\nfn=(1) main\n1 5\n"sv,
                     "a profile of Callgrind"sv),
           std::pair("v 10400 3\nX ls\nI 1000 5e298f\ns b /usr/bin/ls\n"sv, "`heaptrack_print -f FILE -F"sv),
           std::pair("desc: (none)\ncmd: ls\ntime_unit: i\n#-----------\nsnapshot=0\n"sv, "`ms_print FILE`"sv),
           std::pair("heap_v2/1024\n  t*: 87: 57480 [0: 0]\n"sv, "`jeprof --collapsed PROGRAM FILE"sv),
           std::pair("heap profile: 2: 8 [ 2: 8] @ heap_v2/524288\n  2: 8 [ 2: 8] @ 0x400101 0x400201\n"sv,
                     "`pprof -proto PROGRAM FILE"sv),
           std::pair("heap profile:     85: 178257920 [    85: 178257920] @ growthz\n"sv, "gperftools"sv),
           std::pair("--- heapz 1 ---\nformat = java\nresolution = bytes\n 1048576 2 @ 0x3 0x4\n"sv, "gperftools"sv),
           std::pair("--- contentionz 1 ---\ncycles/second = 3201000000\nsampling period = 100\n 14 1 @ 0x3\n"sv,
                     "gperftools"sv),
           std::pair("--- mutex:\ncycles/second=1000000000\nsampling period=2\n7 1 @ 0x11\n"sv, "Go's ?debug=1"sv),
           std::pair("--- threadz 1 ---\n\n--- Thread 7f79 (name: main/12) stack: ---\n  PC:  0x400100: f(arg *)\n"sv,
                     "gperftools"sv),
           std::pair("goroutine profile: total 5\n3 @ 0x11 0x21 0x31\n#\t0x10\tmain.f+0x1\t/src/main.go:3\n"sv,
                     "Go's ?debug=1"sv),
           std::pair("CPU     ID                    FUNCTION:NAME\n  0  64091                        :tick-60s\n\n\n"
                     "              genunix`copen+0x20c\n              unix`sys_syscall+0x17a\n                2\n"sv,
                     "`stackcollapse.pl FILE"sv),
           std::pair(R"({"nodes":[{"id":1,"callFrame":{"functionName":"speedscope"}})"sv,
                     "a CPU profile of V8; open it in speedscope"sv),
           std::pair(R"({"head":{"functionName":"(root\u0029","id":1,"children":[)"sv, "a CPU profile of V8"sv),
           std::pair(R"({"head":{"callFrame":{)"sv, "a heap profile of V8"sv),
           std::pair(R"({"version":1,"recording":{"displayName":"x","startTime":0,"endTime":1,"records":[)"sv,
                     "a timeline recording of Safari; open it in speedscope"sv),
           std::pair(R"({"version":1.2,"mode":"wall","interval":1000,"samples":9,"gc_samples":0,)"sv,
                     "`stackprof --stackcollapse DUMP"sv),
           std::pair("Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n"sv, "-f"sv),
           std::pair("Tracing off-CPU time (us) of PID 7 by user + kernel stack... Hit Ctrl-C to end.\n"sv, "-f"sv),
           std::pair("#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"sv, "hs_err"sv),
           std::pair("go 1.26 trace\0\0\0\x01"sv, "`go tool trace -pprof=sched FILE"sv),
           std::pair("jdk.ExecutionSample {\n  startTime = 18:03:49.966\n  sampledThread = \"main\"\n"sv,
                     "read the .jfr file"sv),
           std::pair("{\n  \"recording\": {\n    \"events\": [{\n      \"type\": \"jdk.X\","sv, "`jfr print --json`"sv),
           std::pair("<?xml version=\"1.0\"?>\n<recording>\n  <events>\n    <event type=\"jdk.X\">"sv,
                     "`jfr print --xml`"sv),
           std::pair("\n Version: 2.1\n Event Type          Count  Size (bytes) \n"sv, "`jfr summary`"sv),
           std::pair("<!DOCTYPE html>\n<style>#preview_wrapper {}</style>\n<canvas id='preview'>"
                     "<svg>Flame Graph"sv,
                     "a heat map of async-profiler"sv),
       }) {
    EXPECT_NE(NameOfUnreadFormat(head).find(part), std::string_view::npos) << head << ": " << NameOfUnreadFormat(head);
    EXPECT_EQ(RecognizeProfileFormat(head), nullptr) << head;
  }
}

TEST(UnreadFormatsTest, TracesOfTheKernelAreNotSamplesOfPerf) {
  const std::string event = "bash-912     [001] d..3. 50260.548490: sched_waking: comm=kworker/u4:2 pid=77 prio=120\n";
  for (const std::string& text :
       {"# tracer: nop\n#\n" + event, event, "cpus=2\n   " + event,
        std::string("  <idle>-0 [001] 50260.548481: sched_switch:  swapper/1:0 [120] R ==> bash:912 [120]\n"),
        std::string(" Render Thread-12 (  1200) [002] ....1 50260.549: tracing_mark_write: C|1200|frames|7 12\n")}) {
    EXPECT_EQ(NameOfUnreadFormat(text).substr(0, 21), "a trace of the kernel") << text;
    EXPECT_EQ(RecognizeProfileFormat(text), nullptr) << text;
  }
  for (const char* const perf : {"bash-5 912 [001] 50260.548490: cycles: \n\t7f f+0x1 (/lib/x)\n\n",
                                 "bash-5 [001] 50260.548490: sched:sched_switch: prev_comm=a\n\t7f f+0x1 (/lib/x)\n",
                                 "bash-5 [001] 50260.548490:     250000 cycles: \n\t7f f+0x1 (/lib/x)\n\n"}) {
    EXPECT_EQ(NameOfUnreadFormat(perf), "") << perf;
  }
}

}  // namespace
}  // namespace sparkprof
