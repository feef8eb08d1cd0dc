// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "server/proofs/proof_store.h"
#include "server/server.h"

namespace sparkprof {

// Proofs of one group, or of all groups, that the request may read, latest first: its own, and those of applications
// visible to its viewer. Runs of `prove` stay on their machine, so the collector may lack a proof's application; then
// only the sender and administrators see the proof.
ProofStore::Proofs VisibleProofs(const ServerParts& parts, const HttpRequest& request,
                                 const std::optional<std::string>& group);

}  // namespace sparkprof
