// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/cancellation.h"

namespace sparkprof {

// A call of a tool over HTTP. IDs are unique within a session; without one, a client may use them again.
struct CallId {
  std::string client;
  std::string session;  // empty = none
  std::string id;       // of the request, as JSON

  auto operator<=>(const CallId&) const = default;
};

// The calls of all clients that run now, so that each client can cancel its own. Thread-safe.
class RunningCalls {
 public:
  // The result of `answer`; nothing if the call was cancelled before that returned.
  std::optional<std::string> Run(const CallId& call, const std::function<std::string()>& answer);

  // The call ends at its next step. One of a session that has not begun, because it waits for a thread, will not begin.
  void Cancel(const CallId& call);

 private:
  struct Running {
    Cancellation* work = nullptr;
    bool is_cancelled = false;
  };

  bool TakeEarly(const CallId& call);

  std::mutex mutex_;  // of what follows
  std::multimap<CallId, Running> running_;
  std::deque<CallId> early_;  // cancelled before they began, the latest last
};

}  // namespace sparkprof
