// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "base/memory_limit.h"
#include "base/time.h"
#include "server/ingest/recording_store.h"
#include "server/routes/stored_requests.h"

namespace sparkprof {

namespace {

// Converts the profiles to recording blocks. nullopt if they exceed the memory of a request.
std::optional<Result<std::string>> BlocksOf(const std::function<Result<ReceivedProfiles>()>& parse) {
  uint64_t expanded_bytes = 0;
  auto blocks = WithinMemory(kRequestMemory, [&]() -> Result<std::string> {
    const Result<ReceivedProfiles> received = parse();
    if (!received) return tl::unexpected(received.error());
    std::string all;
    for (const ReceivedProfile& profile : received->profiles) {
      const Result<uint64_t> content_bytes = AppendProfile(profile, EpochNanos(), &all);
      if (!content_bytes) return tl::unexpected(content_bytes.error());
      expanded_bytes += *content_bytes;
      if (expanded_bytes > kMaxExpandedProfile) break;
    }
    return all;
  });
  if (expanded_bytes > kMaxExpandedProfile) return std::nullopt;
  return blocks;
}

unsigned StatusOf(AcceptStatus status) {
  switch (status) {
    case AcceptStatus::kStored:
      return 200;
    case AcceptStatus::kForbidden:
      return 403;
    case AcceptStatus::kDamaged:
      return 400;
    case AcceptStatus::kTooLarge:
      return 413;
    case AcceptStatus::kOverQuota:
      return 429;
    case AcceptStatus::kUnavailable:
      return 503;
  }
  return 500;
}

}  // namespace

StoredProfiles StoreProfiles(ServerParts* parts, const HttpRequest& request,
                             const std::function<Result<ReceivedProfiles>()>& parse) {
  const std::optional<Result<std::string>> blocks = BlocksOf(parse);
  if (!blocks) return {413, "the request is " + TooLarge(kRequestMemory)};
  if (!*blocks) return {400, blocks->error().message};
  if ((*blocks)->empty()) return {};
  AcceptedBlocks accepted = StoreBlocks(parts, request, **blocks);
  return {StatusOf(accepted.status), std::move(accepted.problem)};
}

}  // namespace sparkprof
