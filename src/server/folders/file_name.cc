// SPDX-License-Identifier: Apache-2.0
#include "server/folders/file_name.h"

#include <fmt/format.h>

#include "http/url.h"
#include "model/hash_bytes.h"

namespace sparkprof {

std::string FileNameFor(std::string_view text) {
  constexpr size_t kMaxBytes = 100;
  std::string name = PercentEncode(text);
  if (name.starts_with('.')) name.replace(0, 1, "%2E");
  if (name.size() <= kMaxBytes) return name;
  // Percent-encoded text never contains '+'.
  return fmt::format("{}+{:016x}", name.substr(0, kMaxBytes), HashBytes(text));
}

}  // namespace sparkprof
