// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"
#include "server/responses.h"
#include "server/routes/answers.h"

namespace sparkprof {

HttpResponse PostRecordings(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const AcceptedBlocks accepted = parts->store->Accept(request.body);
  if (accepted.status == AcceptStatus::kDamaged) return ErrorResponse(400, accepted.problem);
  if (accepted.status == AcceptStatus::kUnavailable) return ErrorResponse(503, accepted.problem);
  parts->received_blocks += accepted.blocks;
  parts->duplicate_blocks += accepted.duplicates;
  parts->received_samples += accepted.samples;
  parts->received_bytes += request.body.size();
  JsonWriter json;
  json.BeginObject().Member("blocks", accepted.blocks).Member("duplicates", accepted.duplicates);
  json.Key("applications").BeginArray();
  for (const std::string& id : accepted.applications) json.Value(id);
  json.EndArray().EndObject();
  return JsonResponse(std::move(json));
}

}  // namespace sparkprof
