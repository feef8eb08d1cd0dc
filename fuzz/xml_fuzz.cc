// SPDX-License-Identifier: Apache-2.0
// The XML of S3's answers: any text gives a tree or an error.
#include <cstddef>
#include <cstdint>

#include "base/text/xml_tree.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)sparkprof::ParseXml({reinterpret_cast<const char*>(data), size});
  return 0;
}
