// SPDX-License-Identifier: Apache-2.0
#include "base/text/json_writer.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/stored_requests.h"

namespace sparkprof {

AcceptedBlocks StoreBlocks(ServerParts* parts, const HttpRequest& request, std::string_view blocks) {
  const Result<Sender> sender = parts->options.access.SenderOf(request);
  if (!sender) return {.status = AcceptStatus::kDamaged, .problem = sender.error().message};
  AcceptedBlocks accepted = parts->store->Accept(blocks, *sender);
  if (accepted.status != AcceptStatus::kStored) return accepted;
  parts->received_blocks += accepted.blocks;
  parts->duplicate_blocks += accepted.duplicates;
  parts->renumbered_blocks += accepted.renumbered;
  parts->received_samples += accepted.samples;
  parts->received_bytes += request.body.size();
  return accepted;
}

HttpResponse PostRecordings(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const AcceptedBlocks accepted = StoreBlocks(parts, request, request.body);
  if (accepted.status == AcceptStatus::kForbidden) return ErrorResponse(403, accepted.problem);
  if (accepted.status == AcceptStatus::kDamaged) return ErrorResponse(400, accepted.problem);
  if (accepted.status == AcceptStatus::kTooLarge) return ErrorResponse(413, accepted.problem);
  if (accepted.status == AcceptStatus::kOverQuota) return ErrorResponse(429, accepted.problem);
  if (accepted.status == AcceptStatus::kUnavailable) return ErrorResponse(503, accepted.problem);
  JsonWriter json;
  json.BeginObject().Member("blocks", accepted.blocks).Member("duplicates", accepted.duplicates);
  json.Member("applications", accepted.applications).EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
