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

// Cache of answers about unchanging data, bounded by bytes; evicts the least recently used. Thread-safe.
class AnswerCache {
 public:
  explicit AnswerCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the cached answer or the result of `make`. Concurrent requests for one key call `make` once.
  HttpResponse Get(const std::string& key, const std::function<HttpResponse()>& make);

  uint64_t Bytes() const;

 private:
  struct Entry {
    std::mutex mutex;  // held while the answer is computed
    bool is_made = false;
    HttpResponse response;
    uint64_t bytes = 0;                         // bytes counted in bytes_; 0 until the answer is computed
    std::list<std::string>::iterator position;  // position in by_use_
  };

  void Trim();

  const uint64_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::list<std::string> by_use_;  // keys, most recently used first
  uint64_t bytes_ = 0;
};

}  // namespace sparkprof
