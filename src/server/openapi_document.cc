// SPDX-License-Identifier: Apache-2.0
#include "server/openapi_document.h"

__asm__(
    ".section .rodata\n"
    "sparkprof_openapi_begin:\n"
    ".incbin \"" SPARKPROF_OPENAPI
    "\"\n"
    "sparkprof_openapi_end:\n.byte 0\n"
    ".previous\n");
extern "C" const char sparkprof_openapi_begin[];
extern "C" const char sparkprof_openapi_end[];

namespace sparkprof {

std::string_view OpenApiDocument() {
  return {sparkprof_openapi_begin, static_cast<size_t>(sparkprof_openapi_end - sparkprof_openapi_begin)};
}

}  // namespace sparkprof
