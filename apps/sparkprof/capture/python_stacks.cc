// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/io/file.h"
#include "base/redaction/redaction.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "capture/attach.h"
#include "capture/process_tree.h"
#include "capture/python/process_sampler.h"
#include "model/samples/stack_tables.h"
#include "verb.h"

namespace sparkprof {
namespace {

// A stack may change while it is read, but not this many times in a row.
constexpr int kAttempts = 20;

std::string ThreadName(int64_t pid, int64_t tid) {
  const auto name = ReadFile(fmt::format("/proc/{}/task/{}/comm", pid, tid));
  return name ? RedactText(TextForPeople(Trim(*name))) : std::string();
}

std::string FrameText(const StringTable& strings, const Frame& frame) {
  return fmt::format("{} ({}:{})", strings.Get(frame.name), strings.Get(frame.file), frame.line);
}

struct Threads : StackTables {
  std::vector<PythonStack> threads;
};

void PrintText(const PythonProcess& python, const Threads& all) {
  const auto command = ReadFile(fmt::format("/proc/{}/cmdline", python.pid));
  fmt::print("Process {}: {}\nPython {} ({})\n", python.pid, CommandForPeople(command.value_or("")), python.version,
             python.binary);
  std::vector<FrameId> frames;
  for (const PythonStack& thread : all.threads) {
    fmt::print("\nThread {} \"{}\" ({}{})\n", thread.tid, ThreadName(python.pid, thread.tid),
               thread.on_cpu ? "running" : "waiting", thread.holds_gil ? ", holds the GIL" : "");
    all.stacks.Unwind(thread.stack, &frames);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      fmt::print("    {}\n", ToOneLine(FrameText(all.strings, all.frames.Get(*frame))));
    }
    if (thread.truncated) fmt::print("    ... more than {} frames\n", kMaxFrames);
  }
}

void PrintJson(const PythonProcess& python, const Threads& all) {
  JsonWriter json;
  json.BeginObject().Member("pid", python.pid).Member("python", python.version).Key("threads").BeginArray();
  std::vector<FrameId> frames;
  for (const PythonStack& thread : all.threads) {
    json.BeginObject().Member("tid", thread.tid).Member("name", ThreadName(python.pid, thread.tid));
    json.Member("running", thread.on_cpu).Member("holdsGil", thread.holds_gil).Key("frames").BeginArray();
    all.stacks.Unwind(thread.stack, &frames);
    for (auto id = frames.rbegin(); id != frames.rend(); ++id) {
      const Frame& frame = all.frames.Get(*id);
      json.BeginObject().Member("function", all.strings.Get(frame.name)).Member("file", all.strings.Get(frame.file));
      json.Member("line", frame.line).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  fmt::print("{}\n", json.Text());
}

}  // namespace

int PrintPythonStacks(int64_t pid, bool as_json) {
  Result<PythonProcess> python = FindPython(pid);
  if (!python) return Complain(python.error().message);
  Threads all;
  ProcessSampler sampler(*python, &all.strings, &all.frames, &all.stacks);
  int64_t missed = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int64_t missed_before = sampler.Torn() + sampler.Unreadable();
    if (!sampler.Sample(&all.threads)) return Complain(fmt::format("process {} exited", pid));
    missed = sampler.Torn() + sampler.Unreadable() - missed_before;
    if (missed == 0 && !all.threads.empty()) break;
  }
  if (all.threads.empty()) return Complain(fmt::format("process {}: could not read the stack of any thread", pid));
  as_json ? PrintJson(*python, all) : PrintText(*python, all);
  if (missed > 0) Complain(fmt::format("{} more threads changed while they were read; try again", missed));
  return kExitSuccess;
}

}  // namespace sparkprof
