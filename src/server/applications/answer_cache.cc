// SPDX-License-Identifier: Apache-2.0
#include "server/applications/answer_cache.h"

namespace sparkprof {

HttpResponse AnswerCache::Get(const std::string& key, const std::function<HttpResponse()>& make) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& place = entries_[key];
    if (place) {
      by_use_.splice(by_use_.begin(), by_use_, place->position);
    } else {
      place = std::make_shared<Entry>();
      place->position = by_use_.insert(by_use_.begin(), key);
    }
    entry = place;
  }
  const std::lock_guard making(entry->mutex);
  if (entry->is_made) return entry->response;
  entry->response = make();
  entry->is_made = true;
  const std::lock_guard lock(mutex_);
  const auto place = entries_.find(key);
  if (place != entries_.end() && place->second == entry) {
    entry->bytes = key.size() + entry->response.Body().size();
    bytes_ += entry->bytes;
    Trim();
  }
  return entry->response;
}

uint64_t AnswerCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void AnswerCache::Trim() {
  while (bytes_ > max_bytes_ && !by_use_.empty()) {
    const auto oldest = entries_.find(by_use_.back());
    bytes_ -= oldest->second->bytes;
    entries_.erase(oldest);
    by_use_.pop_back();
  }
}

}  // namespace sparkprof
