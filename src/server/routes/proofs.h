// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proofs/known_proof.h"
#include "server/server.h"

namespace sparkprof {

// Proofs of one group, or of all, that the request's token may see, latest first: those of applications that its viewer
// may see, and its own. As runs of `prove` stay where they ran, a proof may name an application that the collector does
// not have; then nobody but its sender and administrators see it.
std::vector<KnownProof> VisibleProofs(const ServerParts& parts, const HttpRequest& request,
                                      const std::optional<std::string>& group);

}  // namespace sparkprof
