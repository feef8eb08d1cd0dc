// SPDX-License-Identifier: Apache-2.0
#include "server/routes/row_json.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/time.h"
#include "server/responses.h"

namespace sparkprof {

void WriteApplicationRow(const ApplicationRow& row, JsonWriter* json) {
  json->BeginObject().Member("id", row.key.id).Member("attempt", row.key.attempt).Member("name", row.name);
  json->Member("user", row.user).Member("group", row.group).Member("status", StatusName(row.status));
  json->Member("startTime", row.start_ns / kNanosPerMilli).Key("endTime");
  if (row.status == ApplicationStatus::kRunning) {
    json->Null();
  } else {
    json->Value(row.end_ns / kNanosPerMilli);
  }
  json->Member("durationMs", std::max<int64_t>(0, row.end_ns - row.start_ns) / kNanosPerMilli);
  json->Member("tasks", row.tasks);
  json->Member("cpuSeconds", static_cast<double>(row.cpu_ns) / static_cast<double>(kNanosPerSecond));
  json->Member("findings", row.findings).EndObject();
}

HttpResponse PictureResponse(Picture picture, HttpHeaders headers) {
  if (picture.status == PictureStatus::kMisuse) return ErrorResponse(400, picture.problem);
  if (picture.status == PictureStatus::kEmpty) return ErrorResponse(404, picture.problem);
  HttpResponse response{200, std::move(headers), std::make_shared<const std::string>(std::move(picture.content))};
  response.headers.emplace_back("content-type", std::move(picture.content_type));
  response.headers.emplace_back("content-security-policy", "sandbox allow-scripts");
  return response;
}

}  // namespace sparkprof
