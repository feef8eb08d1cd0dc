// SPDX-License-Identifier: Apache-2.0
#include "formats/py_spy_dump/py_spy_dump_reader.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/json_value.h"
#include "formats/json/json_document.h"
#include "formats/json/json_outline.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

StackId StackOfDump(const array& frames, ProfileBuilder* builder) {
  StringTable& strings = builder->profile().strings;
  std::vector<FrameId> leaf_first;
  for (const element value : frames) {
    object fields;
    if (value.get(fields) != simdjson::SUCCESS) continue;
    Frame frame{.name = strings.Intern(TextAt(fields, "name")), .kind = FrameKind::kPython};
    const int64_t line = IntegerAt(fields, "line", 0);
    if (line > 0 && line <= UINT32_MAX) frame.line = static_cast<uint32_t>(line);
    // A native frame without debugging information has its shared object instead of a file.
    if (frame.line == 0 && !TextAt(fields, "module").empty()) {
      frame.kind = FrameKind::kNative;
    } else {
      frame.file = strings.Intern(TextAt(fields, "filename"));
    }
    leaf_first.push_back(builder->profile().frames.Intern(frame));
  }
  StackId stack = 0;
  for (size_t i = leaf_first.size(); i > 0; --i) stack = builder->profile().stacks.Push(stack, leaf_first[i - 1]);
  return stack;
}

}  // namespace

Result<void> ReadPySpyDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "py-spy's dump in JSON"}, builder); !read) return read;
  array threads;
  if (document.Root().get(threads) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected py-spy's dump, an array of threads");
  }
  const EventId samples = builder->AddEvent("samples", "count"), runnable = builder->AddEvent("runnable", "count");
  builder->profile().default_event = samples;
  size_t position = 0;
  for (const element value : threads) {
    const size_t index = position++;
    object thread;
    array frames;
    if (value.get(thread) != simdjson::SUCCESS || !ArrayAt(thread, "frames", &frames)) {
      if (Result<void> kept = builder->Damaged(fmt::format("thread {}: expected an object with frames", index));
          !kept) {
        return kept;
      }
      continue;
    }
    const bool is_active = BooleanAt(thread, "active");
    Sample sample{.stack = StackOfDump(frames, builder), .event = samples, .weight = 1};
    if (sample.stack == 0) continue;
    sample.state = is_active ? ThreadState::kRunning : ThreadState::kSleeping;
    sample.thread = builder->AddThread({.process = IntegerAt(thread, "pid", 0),
                                        .tid = IntegerAt(thread, "os_thread_id", 0),
                                        .name = std::string(TextAt(thread, "thread_name"))});
    builder->Add(sample);
    if (!is_active) continue;
    sample.event = runnable;
    builder->Add(sample);
  }
  return {};
}

bool LooksLikePySpyDump(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsArray() && outline.Has("thread_id") && outline.Has("owns_gil");
}

}  // namespace sparkprof
