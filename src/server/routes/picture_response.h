// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/message.h"
#include "pictures/draw.h"

namespace sparkprof {

// A picture, or its error. Pages and SVGs contain scripts, so they get an origin of their own.
HttpResponse PictureResponse(Picture picture, HttpHeaders headers);

}  // namespace sparkprof
