// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "capture/testing/child_process.h"
#include "model/segment/block.h"
#include "pipe_frames.h"

namespace sparkprof {

// The plugin's side of a conversation with a real agent. The fake JVM is any process.
class AgentProcess {
 public:
  struct Frame {
    ToPlugin kind;
    std::string payload;
  };

  explicit AgentProcess(const std::string& binary) : process_({binary}) {
    const Frame ready = Read();
    if (ready.kind == ToPlugin::kReady) jfr_path_ = ready.payload;
  }

  int64_t Pid() const { return process_.Pid(); }
  const std::string& JfrPath() const { return jfr_path_; }

  void Hello(const std::map<std::string, std::string>& pairs) { Send(FromPlugin::kHello, Pairs(pairs)); }
  void Identity(const std::map<std::string, std::string>& pairs) { Send(FromPlugin::kIdentity, Pairs(pairs)); }
  void Settings(const std::map<std::string, std::string>& pairs) { Send(FromPlugin::kSettings, Pairs(pairs)); }
  void Uploaded(int64_t position) { Send(FromPlugin::kUploaded, I64(position)); }
  void TaskBegin(int64_t monotonic_ns, int64_t task, int32_t tid) {
    Send(FromPlugin::kTaskBegin,
         I64(monotonic_ns) + I64(task) + I32(3) + I32(0) + I32(7) + I32(0) + I32(tid) + I64(-1));
  }
  void TaskEnd(int64_t monotonic_ns, int64_t task, int32_t tid, char status) {
    Send(FromPlugin::kTaskEnd, I64(monotonic_ns) + I64(task) + I32(tid) + status);
  }
  void Event(const std::string& json) { Send(FromPlugin::kSparkEvent, json); }
  void Dumped(int64_t monotonic_ns, int64_t skipped = 0) {
    Send(FromPlugin::kDumped, I64(monotonic_ns) + I64(0) + I64(skipped) + I64(0));
  }
  void Loss(const std::string& what, int64_t count) {
    Send(FromPlugin::kLoss, Pairs({{"what", what}, {"reason", "tested"}, {"count", std::to_string(count)}}));
  }
  void Notice(char level, const std::string& text) { Send(FromPlugin::kNotice, level + text); }
  void Stopping() { Send(FromPlugin::kStopping, ""); }
  void Send(FromPlugin kind, const std::string& payload) {
    const std::string frame = static_cast<char>(kind) + I32(static_cast<int32_t>(payload.size())) + payload;
    (void)WriteAll(process_.Input(), frame, "the agent's input");
  }

  // Appends, like the profiler, to the file that READY named.
  void AppendJfr(const std::string& bytes) {
    const FileDescriptor file(open(jfr_path_.c_str(), O_WRONLY | O_APPEND));
    (void)WriteAll(file.Get(), bytes, jfr_path_);
  }
  int64_t JfrBlocks() const {
    struct stat status {};
    stat(jfr_path_.c_str(), &status);
    return status.st_blocks;
  }

  // The next frame from the agent, or kind 0 when it has ended.
  Frame Read() {
    const std::string header = ReadBytes(5);
    if (header.size() < 5) return {ToPlugin{0}, ""};
    PayloadReader reader(header);
    const auto kind = static_cast<ToPlugin>(reader.U8());
    return {kind, ReadBytes(reader.U32())};
  }

  void CloseInput() { process_.CloseInput(); }
  void Kill() { process_.Kill(); }

  // Closes the input, reads all output and waits for the exit; keeps the frames.
  void End() {
    CloseInput();
    WaitForEnd();
  }
  void WaitForEnd() {
    for (Frame frame = Read(); frame.kind != ToPlugin{0}; frame = Read()) last_frames_.push_back(std::move(frame));
    exit_code_ = process_.Wait();
  }
  const std::vector<Frame>& LastFrames() const { return last_frames_; }
  int ExitCode() const { return exit_code_; }

  static std::string I32(int32_t value) { return BigEndian(static_cast<uint32_t>(value), 4); }
  static std::string I64(int64_t value) { return BigEndian(static_cast<uint64_t>(value), 8); }

 private:
  static std::string BigEndian(uint64_t value, size_t size) {
    std::string bytes;
    for (size_t i = size; i-- > 0;) bytes += static_cast<char>(value >> 8 * i);
    return bytes;
  }
  static std::string Pairs(const std::map<std::string, std::string>& pairs) {
    std::string payload;
    for (const auto& [key, value] : pairs) {
      payload += I32(static_cast<int32_t>(key.size())) + key + I32(static_cast<int32_t>(value.size())) + value;
    }
    return payload;
  }
  std::string ReadBytes(size_t size) {
    std::string bytes(size, '\0');
    size_t got = 0;
    while (got < size) {
      const ssize_t part = read(process_.Output(), bytes.data() + got, size - got);
      if (part <= 0) break;
      got += static_cast<size_t>(part);
    }
    bytes.resize(got);
    return bytes;
  }

  ChildProcess process_;
  std::string jfr_path_;
  std::vector<Frame> last_frames_;
  int exit_code_ = -1;
};

}  // namespace sparkprof
