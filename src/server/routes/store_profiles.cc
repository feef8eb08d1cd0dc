// SPDX-License-Identifier: Apache-2.0
#include "server/routes/store_profiles.h"

#include "base/time.h"
#include "server/routes/store_blocks.h"

namespace sparkprof {

StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request, const Result<ReceivedProfiles>& received) {
  if (!received) return {400, received.error().message};
  std::string blocks;
  for (const ReceivedProfile& profile : received->profiles) {
    if (const Result<void> added = AppendProfile(profile, EpochNanos(), &blocks); !added)
      return {400, added.error().message};
  }
  if (blocks.empty()) return {};
  AcceptedBlocks accepted = StoreBlocks(parts, request, blocks);
  if (accepted.status == AcceptStatus::kStored) return {};
  return {accepted.status == AcceptStatus::kUnavailable ? 503u : 400u, std::move(accepted.problem)};
}

}  // namespace sparkprof
