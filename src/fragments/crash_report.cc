// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/findings/failures/failure_report.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCrashText = 300;
constexpr std::string_view kCrashed = "A fatal error has been detected by the Java Runtime Environment";
constexpr std::string_view kWithoutMemory = "There is insufficient memory for the Java Runtime Environment to continue";

// The parts of a report that answers use; empty if missing.
struct CrashReport {
  std::string signal;   // "SIGSEGV (0xb)", "Internal Error"
  std::string memory;   // "Native memory allocation (mmap) failed to map 1073741824 bytes"
  std::string frame;    // "C  [libzstd-jni.so+0x12f3]  ZSTD_decompress+0x43"
  std::string version;  // JVM version
  std::string thread, command, heap, machine, elapsed;
};

std::string_view WithoutHash(std::string_view line) {
  if (line.starts_with('#')) line.remove_prefix(1);
  return Trim(line);
}

CrashReport ReadReport(std::string_view text) {
  CrashReport report;
  // Uses the first line of each label.
  const std::pair<std::string_view, std::string*> labels[] = {{"# JRE version: ", &report.version},
                                                              {"Current thread ", &report.thread},
                                                              {"Command Line: ", &report.command},
                                                              {"java_command: ", &report.command},
                                                              {"Memory: ", &report.machine}};
  std::string* next = nullptr;  // gets the next line
  while (!text.empty()) {
    const std::string_view line = WithoutCarriageReturn(TakeLine(&text));
    const std::string_view content = WithoutHash(line);
    if (next != nullptr && !content.empty()) *std::exchange(next, nullptr) = content;
    if (line == "# Problematic frame:" && report.frame.empty()) next = &report.frame;
    if (line.starts_with("Heap:") && report.heap.empty()) {
      next = &report.heap;
      continue;
    }
    const bool is_signal =
        line.starts_with("#  SIG") || line.starts_with("#  Internal Error") || line.starts_with("#  EXCEPTION_");
    if (is_signal && report.signal.empty()) report.signal = content.substr(0, content.find(" at pc="));
    if (line.starts_with("# Native memory allocation") && report.memory.empty()) report.memory = content;
    for (const auto& [label, value] : labels) {
      if (line.starts_with(label) && value->empty()) *value = Trim(line.substr(label.size()));
    }
    if (const size_t at = line.find(" elapsed time: "); at != std::string_view::npos && report.elapsed.empty())
      report.elapsed = Trim(line.substr(at + sizeof(" elapsed time: ") - 1));
  }
  return report;
}

// Extracts "libzstd-jni.so" from "C  [libzstd-jni.so+0x12f3]"; empty for JIT-compiled code.
std::string LibraryOf(std::string_view frame) {
  const size_t open = frame.find('[');
  if (open == std::string_view::npos) return {};
  return std::string(frame.substr(open + 1, std::min(frame.find('+', open), frame.find(']', open)) - open - 1));
}

std::string AdviceFor(const CrashReport& report) {
  if (report.signal.empty())
    return "Give the container more memory beside the heap (spark.executor.memoryOverhead), a smaller heap, or fewer "
           "JVMs on the host: the "
           "system had no memory left for the JVM";
  const std::string library = LibraryOf(report.frame);
  if (library.starts_with("libjvm"))
    return "Update the JDK to its latest patch release. If a thread of the compiler crashes, exclude the method that "
           "it names "
           "(-XX:CompileCommand=exclude,CLASS::METHOD)";
  if (report.frame.starts_with("J ") || report.frame.starts_with("j "))
    return "Look for code that uses sun.misc.Unsafe or frees memory twice, and update the JDK and the libraries in the "
           "stack";
  return fmt::format(
      "Update {} or the library that loads it, or switch to another one of its kind (a codec of Spark: "
      "spark.io.compression.codec). Check that it is built for this system (glibc or musl, CPU)",
      library.empty() ? "the native library" : library);
}

std::string_view RuleFor(const CrashReport& report) {
  const auto runs = [&](std::string_view name) { return report.command.find(name) != std::string::npos; };
  if (report.signal.empty()) return "oom";
  if (runs("ExecutorBackend")) return "lost-executors";
  return runs("SparkSubmit") || runs("ApplicationMaster") || runs("DriverWrapper") ? "lost-driver" : "failed-work";
}

}  // namespace

std::string AnswerCrashReport(std::string_view text, FragmentAnswer* answer) {
  const CrashReport report = ReadReport(text);
  const auto fact = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) answer->facts.push_back(fmt::format("{}: {}", name, Shorten(ToOneLine(value), kMaxCrashText)));
  };
  fact("Frame", report.frame);
  fact("Thread", report.thread);
  fact("Heap at that time", report.heap);
  fact("Memory of the host", report.machine);
  fact("After", report.elapsed);
  fact("JVM", report.version);
  fact("Command line", report.command);
  const std::string cause = !report.signal.empty()   ? report.signal
                            : !report.memory.empty() ? report.memory
                                                     : "the JVM ended";
  Finding& finding = AddFinding(
      RuleFor(report),
      report.frame.empty() ? fmt::format("The JVM crashed: {}", cause)
                           : fmt::format("The JVM crashed in {}: {}", Shorten(report.frame, kMaxCrashText), cause),
      answer);
  finding.what = report.signal.empty() ? "The system refused memory to the JVM, which ended"
                                       : "Native code failed, and the JVM ended with all its tasks";
  finding.evidence =
      fmt::format("{}{}{}", cause, report.heap.empty() ? "" : "; heap: ", Shorten(report.heap, kMaxCrashText));
  finding.condition = "The JVM wrote a crash report";
  finding.change = AdviceFor(report);
  const Failure* const failure = FindFailure(report.signal.empty() ? kWithoutMemory : kCrashed).value().failure;
  finding.failure = std::make_shared<const FailureReport>(
      FailureReport{failure, 0, {{{}, finding.change}}, {{.what = failure->id, .text = finding.title + "."}}});
  if (!report.frame.empty()) finding.frames.push_back(Shorten(report.frame, kMaxCrashText));
  finding.is_failure = true;
  finding.severity = Severity::kHigh;
  finding.confidence = 1;
  return cause;
}

}  // namespace sparkprof
