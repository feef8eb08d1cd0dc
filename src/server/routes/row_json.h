// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_writer.h"
#include "catalogue/catalogue.h"
#include "http/message.h"
#include "pictures/draw.h"

namespace sparkprof {

// One object of the list of applications, see docs/server-api.md.
void WriteApplicationRow(const ApplicationRow& row, JsonWriter* json);

// A picture, or the error that it is instead. Pages and SVGs carry scripts, so they get an origin of their own.
HttpResponse PictureResponse(Picture picture, HttpHeaders headers);

}  // namespace sparkprof
