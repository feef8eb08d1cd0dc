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

// A tool call over HTTP. IDs are unique within a session; without one, a client may reuse them.
struct CallId {
  std::string client;
  std::string session;  // empty = none
  std::string id;       // ID of the request, as JSON

  auto operator<=>(const CallId&) const = default;
};

// Running calls of all clients, so that each client can cancel its own. Thread-safe.
class RunningCalls {
 public:
  // The result of `answer`; nullopt if the call was canceled before it returned.
  std::optional<std::string> Run(const CallId& call, const std::function<std::string()>& answer);

  // Cancels the call at its next step. In a session, also prevents a call that is still waiting for a thread.
  void Cancel(const CallId& call);

 private:
  struct Running {
    Cancellation* work = nullptr;
    bool is_cancelled = false;
  };

  bool TakeEarly(const CallId& call);

  std::mutex mutex_;  // guards the following members
  std::multimap<CallId, Running> running_;
  std::deque<CallId> early_;  // calls canceled before they started, latest last
};

}  // namespace sparkprof
