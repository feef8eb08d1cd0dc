// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "server/shared/live_nodes.h"

namespace sparkprof {

// Forwards requests for an application to the node that has it in memory (LiveNodes). That node decides what the client
// may read, by the headers and the address of the original request. A proof over the whole request marks forwarded
// requests, which are not forwarded again. Thread-safe.
class Forwarding {
 public:
  // `identity`: the headers that name the client (Access::IdentityHeaders). `nodes` must outlive the object.
  Forwarding(LiveNodes* nodes, std::vector<std::string> identity);

  // True if a request claims to come from another node.
  static bool IsMarked(const HttpRequest& request);
  // A marked request, with its client's address as `peer`; nullopt if the proof is wrong.
  std::optional<HttpRequest> Received(const HttpRequest& request) const;

  // True if another node has the application in memory.
  bool IsElsewhere(std::string_view application) const { return nodes_->OwnerOf(application) != nullptr; }
  // The other node's answer; nullopt = answer here, because there is no such node, or its answer does not hold for this
  // node (an error, or an application that it lacks so far).
  std::optional<HttpResponse> Answer(std::string_view application, const HttpRequest& request);

  std::atomic<uint64_t> answered = 0;    // by other nodes
  std::atomic<uint64_t> unanswered = 0;  // forwarded, but finally answered here
  std::atomic<uint64_t> answered_for_others = 0;

 private:
  std::string ProofOf(const HttpRequest& request, const std::string& to) const;

  LiveNodes* const nodes_;
  std::vector<std::string> headers_;  // headers to forward
};

}  // namespace sparkprof
