// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/io/line_reader.h"

namespace sparkprof {

// A LineReader that reads and decompresses a few blocks ahead on its own thread.
class BlockQueue {
 public:
  explicit BlockQueue(std::unique_ptr<LineReader> reader);
  ~BlockQueue();
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // Like LineReader::Next(). Rethrows an exception of the thread.
  std::string_view Next();

  // Call only after Next() returned the end.
  const LineReader& Reader() const { return *reader_; }

 private:
  void ReadAhead();
  void ReadBlocks();

  std::unique_ptr<LineReader> reader_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> ready_;
  std::deque<std::string> free_;  // reused memory
  bool ended_ = false;
  std::exception_ptr problem_;
  bool stopped_ = false;
  std::string current_;
  std::thread thread_;
};

}  // namespace sparkprof
