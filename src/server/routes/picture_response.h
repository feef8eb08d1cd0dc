// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/message.h"
#include "pictures/draw.h"

namespace sparkprof {

// A picture, or the error that it is instead. Pages and SVGs carry scripts, so they get an origin of their own.
HttpResponse PictureResponse(Picture picture, HttpHeaders headers);

}  // namespace sparkprof
