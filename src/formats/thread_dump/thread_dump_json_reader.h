// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json_parser.h"
#include "base/result.h"
#include "formats/thread_dump/thread_samples.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Thread dumps as JSON, any number: each thread is a sample. Supported are
// - jcmd Thread.dump_to_file -format=json: {"threadDump":{"time":…,"threadContainers":[{"threads":[THREAD,…]},…]}}
// - Spark's /api/v1/applications/ID/executors/ID/threads: [THREAD,…]
// - Spring's actuator: {"threads":[THREAD,…]}, and [THREAD,…] of its /dump before version 2
// Threads are read one by one: of a truncated document, all complete ones are kept, and one thread is in memory.
class ThreadDumpJsonReader {
 public:
  explicit ThreadDumpJsonReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  // Any part of the text. Call again with what follows, and Finish at the end.
  Result<void> AddLines(std::string_view text);
  Result<void> Finish();

  static bool LooksLike(std::string_view head);

 private:
  static constexpr size_t kMaxThreadBytes = size_t{16} << 20;
  static constexpr size_t kMaxHeadBytes = size_t{64} << 10;

  Result<void> Open(char bracket);
  Result<void> Close();
  Result<void> AddThread();
  Result<void> AddFrames(const simdjson::dom::element& frames);
  Result<void> AddFrame(std::string_view text);
  Result<void> AddElement(const simdjson::dom::object& element);
  Result<void> Expect(std::string_view what);

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  JsonParser parser_;
  uint64_t offset_ = 0;
  int depth_ = 0;         // of open brackets
  int thread_depth_ = 0;  // of those around the objects of threads
  bool in_string_ = false, is_escaped_ = false;
  bool in_thread_ = false;
  bool found_any_ = false;
  bool in_head_ = false;
  std::string head_;        // of the document, before its first thread
  std::string text_;        // of the thread so far
  uint64_t text_size_ = 0;  // with what was too much
  int64_t time_ns_ = kNoTime;
  DumpedThread thread_;
};

}  // namespace sparkprof
