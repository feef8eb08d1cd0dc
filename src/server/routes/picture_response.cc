// SPDX-License-Identifier: Apache-2.0
#include "server/routes/picture_response.h"

#include <memory>
#include <string>
#include <utility>

#include "base/answer_limit.h"
#include "server/responses.h"

namespace sparkprof {

HttpResponse PictureResponse(Picture picture, HttpHeaders headers) {
  if (picture.status == PictureStatus::kMisuse) return ErrorResponse(400, picture.problem);
  if (picture.status == PictureStatus::kEmpty) return ErrorResponse(404, picture.problem);
  if (picture.status == PictureStatus::kTooLarge) return ErrorResponse(413, picture.problem);
  CheckAnswerSize(picture.content.size());
  HttpResponse response{200, std::move(headers), std::make_shared<const std::string>(std::move(picture.content))};
  response.headers.emplace_back("content-type", std::move(picture.content_type));
  response.headers.emplace_back("content-security-policy", "sandbox allow-scripts");
  return response;
}

}  // namespace sparkprof
