// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/message.h"

namespace sparkprof {

// Answers about something that does not change, up to a bound on their bytes; the least recently used go first.
// Thread-safe.
class AnswerCache {
 public:
  explicit AnswerCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // The answer kept for `key`, else that of `make`. Several requests for one key make it once.
  HttpResponse Get(const std::string& key, const std::function<HttpResponse()>& make);

  uint64_t Bytes() const;

 private:
  struct Entry {
    std::mutex mutex;  // held while the answer is made
    bool is_made = false;
    HttpResponse response;
    uint64_t bytes = 0;                         // as counted in bytes_; 0 until the answer is made
    std::list<std::string>::iterator position;  // in by_use_
  };

  void Trim();

  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::list<std::string> by_use_;  // keys, the last used one first
  uint64_t bytes_ = 0;
};

}  // namespace sparkprof
