// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "base/text/json_parser.h"
#include "formats/json/json_document.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

FrameId PySpyFrame(const object& fields, ProfileBuilder* builder) {
  const std::string_view name = TextAt(fields, "name");
  const int64_t line = IntegerAt(fields, "line", 0);
  // A native frame without debugging information has its shared object instead of a file.
  if (line <= 0 && !TextAt(fields, "module").empty()) return builder->AddFrame(name, FrameKind::kNative);
  return builder->AddFrame(name, FrameKind::kPython, TextAt(fields, "filename"), line);
}

}  // namespace

// `py-spy dump --json`: an array of threads with their frames, callees first. As in other thread dumps, each thread is
// a sample of the event "samples", and an active one also of "runnable".
Result<void> ReadPySpyDump(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  JsonDocument document;
  if (Result<void> read = document.Read(source.get(), {.format = "py-spy's dump in JSON"}, builder); !read) return read;
  array threads;
  if (document.Root().get(threads) != simdjson::SUCCESS) {
    return builder->Damaged("offset 0: expected py-spy's dump, an array of threads");
  }
  ThreadSamples samples(builder);
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
    DumpedThread dumped{.thread = {.process = IntegerAt(thread, "pid", 0),
                                   .tid = IntegerAt(thread, "os_thread_id", 0),
                                   .name = std::string(TextAt(thread, "thread_name"))},
                        .is_runnable = BooleanAt(thread, "active")};
    for (const element frame : frames) {
      object fields;
      if (frame.get(fields) == simdjson::SUCCESS) dumped.leaf_first.push_back(PySpyFrame(fields, builder));
    }
    samples.Add(dumped);
  }
  return {};
}

bool LooksLikePySpyDump(std::string_view head) {
  const JsonOutline outline(head);
  return outline.IsArray() && outline.Has("thread_id") && outline.Has("owns_gil");
}

}  // namespace sparkprof
