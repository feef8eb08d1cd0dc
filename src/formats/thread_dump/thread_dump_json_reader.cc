// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "formats/read_input.h"
#include "formats/thread_dump/dumped_threads.h"

namespace sparkprof {
namespace {

// Brackets around a thread: those of {"threadDump": {"threadContainers": [{"threads": [, of {"threads": [, and of [.
constexpr int kDepthInDumpToFile = 5;
constexpr int kDepthInThreads = 2;
constexpr int kDepthInArray = 1;

// The value of `"time": "2026-11-22T20:57:12.762Z"`.
std::optional<int64_t> TimeIn(std::string_view head) {
  constexpr std::string_view kKey = "\"time\"";
  const size_t key = head.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  const size_t open = head.find('"', key + kKey.size());
  const size_t close = open == std::string_view::npos ? open : head.find('"', open + 1);
  return close == std::string_view::npos ? std::nullopt : ParseDumpTime(head.substr(open + 1, close - open - 1));
}

// Thread dumps as JSON, any number: each thread is a sample. Supported are
// - jcmd Thread.dump_to_file -format=json: {"threadDump":{"time":…,"threadContainers":[{"threads":[THREAD,…]},…]}}
// - Spark's /api/v1/applications/ID/executors/ID/threads: [THREAD,…]
// - Spring's actuator: {"threads":[THREAD,…]}, and [THREAD,…] of its /dump before version 2
// Threads are read one by one: of a truncated document, all complete ones are kept, and one thread is in memory.
class ThreadDumpJsonReader {
 public:
  explicit ThreadDumpJsonReader(ProfileBuilder* builder) : builder_(builder), samples_(builder) {}

  Result<void> AddLines(std::string_view text) {
    for (const char c : text) {
      ++offset_;
      const bool opens = !in_string_ && (c == '{' || c == '[');
      if (opens) {
        if (Result<void> opened = Open(c); !opened) return opened;
      }
      if (in_thread_) {
        if (text_.size() < kMaxThreadBytes) text_.push_back(c);
        ++text_size_;
      } else if (in_head_ && head_.size() < kMaxHeadBytes) {
        head_.push_back(c);
      }
      if (in_string_) {
        if (c == '"' && !is_escaped_) in_string_ = false;
        is_escaped_ = c == '\\' && !is_escaped_;
      } else if (c == '"' && depth_ > 0) {
        in_string_ = true;
        is_escaped_ = false;
      } else if (c == '}' || c == ']') {
        if (Result<void> closed = Close(); !closed) return closed;
      }
    }
    return {};
  }

  Result<void> Finish() {
    if (depth_ > 0) return Expect("the end of the JSON document, found the end of the input");
    return found_any_ ? Result<void>() : Expect("a thread dump, found none");
  }

 private:
  static constexpr size_t kMaxThreadBytes = size_t{16} << 20;
  static constexpr size_t kMaxHeadBytes = size_t{64} << 10;

  Result<void> Expect(std::string_view what) {
    return builder_->Damaged(fmt::format("offset {}: expected {}", offset_, what));
  }

  Result<void> AddFrame(std::string_view text) {
    // Spark adds locks: " => holding Monitor(…)", since version 4 on lines of their own.
    text = Trim(text);
    text = Trim(text.substr(0, text.find('\n')));
    text = text.substr(0, text.find(" => holding "));
    if (text.empty()) return {};
    const std::optional<Frame> frame = ParseJavaFrame(text, &builder_->profile().strings);
    if (!frame) return Expect(fmt::format("CLASS.METHOD(FILE:LINE), found '{}'", Shorten(text, 60)));
    thread_.leaf_first.push_back(builder_->profile().frames.Intern(*frame));
    return {};
  }

  // A StackTraceElement as its fields.
  Result<void> AddElement(const simdjson::dom::object& element) {
    const std::string_view class_name = TextAt(element, "className"), method = TextAt(element, "methodName");
    if (class_name.empty() || method.empty()) return Expect("a frame with className and methodName");
    // Native methods have a file, but their line is negative.
    const int64_t line = BooleanAt(element, "nativeMethod") ? -1 : IntegerAt(element, "lineNumber", -1);
    thread_.leaf_first.push_back(builder_->AddFrame(fmt::format("{}.{}", class_name, method), FrameKind::kJit,
                                                    line > 0 ? TextAt(element, "fileName") : "", line));
    return {};
  }

  Result<void> AddFrames(const simdjson::dom::element& frames) {
    simdjson::dom::array array;
    if (frames.get(array) != simdjson::SUCCESS) {
      // Spark 2 has one string.
      for (const std::string_view line : Split(TextOf(frames), '\n')) {
        if (Result<void> added = AddFrame(line); !added) return added;
      }
      return {};
    }
    for (const simdjson::dom::element frame : array) {
      simdjson::dom::object element;
      Result<void> added = frame.get(element) == simdjson::SUCCESS ? AddElement(element) : AddFrame(TextOf(frame));
      if (!added) return added;
    }
    return {};
  }

  Result<void> AddThread() {
    if (text_size_ > text_.size()) return Expect(fmt::format("threads of at most {} MiB", kMaxThreadBytes >> 20));
    simdjson::dom::object fields;
    if (parser_.Parse(text_).get(fields) != simdjson::SUCCESS)
      return Expect("a thread, found invalid JSON before it ends");
    found_any_ = true;
    thread_ = {};
    const bool is_of_jdk = thread_depth_ == kDepthInDumpToFile;
    const std::string_view state(TextAt(fields, is_of_jdk ? "state" : "threadState"));
    thread_.is_runnable = state.empty() || state == "RUNNABLE";
    thread_.thread.name = TextAt(fields, is_of_jdk ? "name" : "threadName");
    // Virtual threads rarely have a name.
    if (thread_.thread.name.empty()) thread_.thread.name = fmt::format("thread #{}", TextAt(fields, "tid"));
    thread_.time_ns = ParseDumpTime(TextAt(fields, "time")).value_or(time_ns_);
    simdjson::dom::element frames;
    simdjson::dom::object trace;
    if (ObjectAt(fields, "stackTrace", &trace)
            ? !Find(trace, "elems", &frames)
            : !Find(fields, "stackTrace", &frames) && !Find(fields, "stack", &frames)) {
      return Expect("a thread with a stack, found none");
    }
    if (Result<void> added = AddFrames(frames); !added) return added;
    samples_.Add(thread_);
    return {};
  }

  Result<void> Open(char bracket) {
    if (depth_ == 0) {
      thread_depth_ = bracket == '[' ? kDepthInArray : kDepthInThreads;
      time_ns_ = kNoTime;
      head_.clear();
      in_head_ = true;
    }
    const bool is_dump_to_file = depth_ == 1 && bracket == '{' && thread_depth_ == kDepthInThreads;
    if (is_dump_to_file && in_head_ && head_.find("\"threadDump\"") != std::string::npos) {
      thread_depth_ = kDepthInDumpToFile;
    }
    if (depth_++ == thread_depth_ && bracket == '{') {
      if (std::exchange(in_head_, false)) time_ns_ = TimeIn(head_).value_or(kNoTime);
      in_thread_ = true;
      text_.clear();
      text_size_ = 0;
    }
    return {};
  }

  Result<void> Close() {
    if (depth_ == 0) return Expect("{ or [");
    if (--depth_ != thread_depth_ || !in_thread_) return {};
    in_thread_ = false;
    return AddThread();
  }

  ProfileBuilder* builder_;
  ThreadSamples samples_;
  JsonParser parser_;
  uint64_t offset_ = 0;
  int depth_ = 0;         // open brackets
  int thread_depth_ = 0;  // open brackets around the objects of threads
  bool in_string_ = false, is_escaped_ = false;
  bool in_thread_ = false;
  bool found_any_ = false;
  bool in_head_ = false;
  std::string head_;        // the document before its first thread
  std::string text_;        // the current thread so far
  uint64_t text_size_ = 0;  // with what was too much
  int64_t time_ns_ = kNoTime;
  DumpedThread thread_;
};

}  // namespace

bool LooksLikeThreadDumpJson(std::string_view head) {
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  const auto has = [&](std::string_view part) { return head.find(part) != std::string_view::npos; };
  const bool has_threads = has("\"threadState\"") && (has("\"threadId\"") || has("\"stackTrace\""));
  if (head[first] == '{') {
    return (has("\"threadDump\"") && has("\"threadContainers\"")) || (has("\"threads\"") && has_threads);
  }
  return head[first] == '[' && has_threads;
}

Result<void> ReadThreadDumpJson(std::unique_ptr<ByteSource> source, ProfileBuilder* builder) {
  return ReadLines<ThreadDumpJsonReader>(std::move(source), builder);
}

}  // namespace sparkprof
